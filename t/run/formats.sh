#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The formats that programs read besides json: json+ and terse. First what must hold of ours alone,
# then the same jobs through fio: the same keys, the same columns, the same numbers wherever a job
# leaves no choice.

. "$SRCDIR/t/shell.sh"
FIO=${FIO:-fio}

null=(--ioengine=null --size=64k)

# ---- Order on the stream -----------------------------------------------------------------------

marks() { # what stands in the file out, in order
	sed -n -e 's/^a: (g=0).*/header/p' -e 's/^Starting 2.*/starting/p' -e 's/^{$/{/p' \
		-e 's/^ *"bins".*/bins/p' -e 's/^}$/}/p' -e 's/^$/blank/p' \
		-e 's/^\([23];\).*;\([ab]\);0;0;.*/\1\2/p' -e 's/^a: (groupid=0.*/normal/p' out |
		uniq | sed '/^normal$/q' | tr '\n' ' '
}

expected() { # expected FORMAT... - the marks of these
	local all=" $* " text=
	case $all in *' normal '*) text+='header starting ' ;; esac
	case $all in *' terse '*) text+='3;a 3;b ' ;; esac
	case $all in
	*' json+ '*) text+='{ bins } ' ;;
	*' json '*) text+='{ } ' ;;
	esac
	case $all in *' normal '*) text+='blank normal ' ;; esac
	echo "$text"
}

words=(normal terse json json+)
for ((set = 1; set < 16; set++)); do
	list=()
	reversed=()
	for i in 0 1 2 3; do
		((set >> i & 1)) || continue
		list+=("${words[i]}")
		reversed=("${words[i]}" "${reversed[@]}")
	done
	for order in "${list[*]}" "${reversed[*]}"; do
		run "$fio" "${null[@]}" --rw=read --output-format="${order// /,}" --name=a --name=b
		same "$order: status" $status 0
		check "$order: stderr is empty" [ ! -s err ]
		same "$order" "$(marks)" "$(expected $order)"
		case $order in
		*json*)
			sed -n '/^{$/,/^}$/p' out >doc
			document "$order" doc
			;;
		esac
	done
done

terse_is() { # terse_is WHAT MARKS ARGUMENT... - of two jobs
	local what=$1 marks=$2
	shift 2
	run "$fio" "$@" "${null[@]}" --rw=read --name=a --name=b
	same "$what: status" $status 0
	same "$what" "$(marks)" "$marks"
}
terse_is '--minimal' '3;a 3;b ' --minimal
terse_is '-m' '3;a 3;b ' -m
terse_is 'minimal is a word for it' '3;a 3;b ' --output-format=minimal
terse_is '--append-terse' 'header starting 3;a 3;b blank normal ' --append-terse
terse_is '--append-terse to json' '3;a 3;b { } ' --output-format=json --append-terse
terse_is '--minimal takes the place' '3;a 3;b ' --output-format=json --minimal
terse_is 'another format takes the place' '{ } ' --minimal --output-format=json
run "$fio" --minimal --terse-version=2 "${null[@]}" --name=a
same 'version 2 has no name of the program' "$(cut -d';' -f1-4 out)" '2;a;0;0'
run "$fio" -mV4 "${null[@]}" --name=a
same '-V' "$(cut -d';' -f1,3-5 out)" '4;a;0;0'
for bad in 1 6 x ''; do
	run "$fio" --minimal --terse-version=$bad "${null[@]}" --name=a
	same "terse-version=$bad: status" $status 1
	says "terse-version=$bad" '--terse-version=.*: error: ' err
done

run "$fio" --minimal "${null[@]}" --name='a;b'
same 'a name with a semicolon is one column' "$(cut -d';' -f3-5 out)" 'a,b;0;0'

# ---- Side by side ------------------------------------------------------------------------------

if ! command -v "$FIO" >/dev/null; then
	echo "fio is not installed, so there is nothing to compare with (apt-get install fio)"
	[ $failed = 0 ] || finish
	exit 77
fi

bins_add_up() { # bins_add_up FILE - each bins object holds as many samples as its latency
	awk '
		/"N" : / { n = $3 + 0 }
		/"bins" : / { bins = 1; sum = 0; last = -1; next }
		bins && /}/ { bins = 0; if (sum != n) { print sum " in the bins of " n; bad = 1 } }
		bins {
			key = substr($1, 2) + 0
			if (key <= last) { print key " behind " last; bad = 1 }
			last = key
			sum += $3
		}
		END { exit bad }' "$1"
}

# Columns as "I", "F6" (six decimals), "P2" (percent); as they stand where a job decides them.
columns() { # columns VERSION <LINES
	awk -F';' -v version="$1" -v mixed="$mixed" '
		function kind(c) {
			if (c ~ /^[0-9]+$/)
				return "I"
			if (c ~ /^[0-9]+\.[0-9]+$/)
				return "F" length(c) - index(c, ".")
			if (c ~ /^[0-9]+\.[0-9]+%$/)
				return "P" length(c) - index(c, ".") - 1
			sub(/%=.*/, "%=", c)
			return c
		}
		BEGIN {
			head = version == 2 ? 4 : 5
			width = version == 5 ? 47 : 41
			dirs = version == 3 ? 2 : 3
		}
		/^;/ { print; next }
		NF < 100 { next }
		{
			shares = head + dirs * width + 5 + 7 + 22
			for (i = 1; i <= NF; i++) {
				dir = i > head && i <= head + dirs * width
				if (version > 2 && i == 2)
					c = "PROGRAM"
				else if (i <= head || i > shares && $i !~ /^[0-9.]+%?$/)
					c = $i			# names, errors, descriptions
				else if (dir && (i - head) % width == 1 && !mixed)
					c = $i			# KiB
				else
					c = kind($i)
				printf "%s%s", c, i < NF ? ";" : "\n"
			}
		}'
}

both() { # both ARGUMENT... - through fio and through ours, in directories made for it
	rm -rf theirs ours && mkdir theirs ours
	(cd theirs && timeout 30 "$FIO" "$@" 2>/dev/null) >theirs.out
	(cd ours && timeout 30 "$fio" "$@" 2>/dev/null) >ours.out
}

counts() { # counts FILE - what a job decides: bytes, I/Os and samples
	local job dir
	[ -z "$mixed" ] || return
	for job in 0 1; do
		for dir in read write trim; do
			"$jsonq" "$1" "jobs[$job].$dir.io_bytes" "jobs[$job].$dir.total_ios" \
				"jobs[$job].$dir.slat_ns.N" "jobs[$job].$dir.clat_ns.N" \
				"jobs[$job].$dir.lat_ns.N" 2>/dev/null
		done
	done
}

mixed=	# not empty: how much is read and how much written is a matter of chance

same_columns() { # same_columns NAME VERSION - of the last lines in theirs.out and ours.out
	columns $2 <theirs.out >theirs.columns
	columns $2 <ours.out >ours.columns
	if [ -s ours.columns ] && cmp -s theirs.columns ours.columns; then ok; else
		tr ';' '\n' <theirs.columns >a
		tr ';' '\n' <ours.columns >b
		diff a b >difference
		not_ok "$1: columns of version $2" difference
	fi
}

keys() { # keys WHAT A B PATTERN - document B has the keys of A that match
	sh "$SRCDIR/t/tools/keydiff.sh" "$2" "$3" | grep -E "$4" >lacking
	if [ -s lacking ]; then not_ok "$1" lacking; else ok; fi
}

alike() { # alike NAME ARGUMENT... - json+ and the default version of terse, of the same run
	local name=$1
	shift
	both --output-format=json+,terse "$@"
	sed -n '/^{$/,/^}$/p' theirs.out >theirs.json
	sed -n '/^{$/,/^}$/p' ours.out >ours.json
	document "$name: json+" ours.json
	keys "$name: keys missing" theirs.json ours.json '^(jobs|disk_util)'
	keys "$name: keys too many" ours.json theirs.json '^jobs\[\]\.(read|write|trim|sync)'
	bins_add_up ours.json >sums || not_ok "$name: bins" sums
	same "$name: counts" "$(counts ours.json)" "$(counts theirs.json)"
	same_columns "$name" 3
}

versions() { # versions NAME ARGUMENT... - likewise, and all other versions
	local name=$1 version
	alike "$@"
	shift
	for version in 2 4 5; do
		both --output-format=terse --terse-version=$version "$@"
		same_columns "$name" $version
	done
}

versions read --name=j --rw=read --size=256k --filename=d
mixed=1
versions mixed --name=j --rw=randrw --size=256k --filename=d
alike deep --name=j --ioengine=null --rw=randrw --size=1m --iodepth=8 --lat_percentiles=1 \
	--slat_percentiles=1
mixed=
versions trim --name=j --ioengine=null --rw=randtrim --size=1m
alike syncs --name=j --rw=write --size=256k --fsync=4
versions grouped --ioengine=null --size=256k --group_reporting --name=a --rw=read --numjobs=2 \
	--name=b --rw=randwrite --new_group '--description=of b'
versions percentiles --name=j "${null[@]}" --rw=read --percentile_list=50:99.9:100
alike no-percentiles --name=j "${null[@]}" --rw=read --clat_percentiles=0
alike no-clat --name=j "${null[@]}" --rw=write --disable_clat=1 --lat_percentiles=1
alike no-lat --name=j "${null[@]}" --rw=write --disable_lat=1 --lat_percentiles=1
alike reduced --name=j "${null[@]}" --rw=read --gtod_reduce=1
versions failed --name=e --rw=write --size=8k --filename=/dev/full --continue_on_error=all \
	--description='it fails; always'
alike no-disks --name=j --rw=write --size=64k --disk_util=0 --nrfiles=2

finish
