#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The formats that programs read besides json: json+ and terse. First what must hold of ours alone,
# then the same jobs through fio: the same columns, the same numbers wherever a job leaves no choice.

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

# t/run/twins.sh compares json, json+ and the default version of terse; here are the others.
versions() { # versions NAME ARGUMENT... - with OPTION as an option of twins, if it is set
	local name=$1 version
	shift
	for version in 2 4 5; do
		rm -rf theirs ours && mkdir theirs ours
		(cd theirs && timeout 30 "$FIO" --output-format=terse --terse-version=$version \
			"$@" 2>/dev/null) | grep -e "^$version;" -e '^;' >theirs.out
		(cd ours && timeout 30 "$fio" --output-format=terse --terse-version=$version \
			"$@" 2>/dev/null) >ours.out
		if [ -s ours.out ] && "$TOOLS/twins" terse $option theirs.out ours.out \
			>differences; then ok; else
			not_ok "$name: columns of version $version" differences
		fi
	done
}

option=
versions read --name=j --rw=read --size=256k --filename=d
option=--drawn
versions mixed --name=j --rw=randrw --size=256k --filename=d
versions unified --name=j --rw=randrw --size=256k --filename=d --unified_rw_reporting=both
option=
versions as-one --name=j "${null[@]}" --rw=randrw --unified_rw_reporting=mixed
versions trim --name=j --ioengine=null --rw=randtrim --size=1m
versions grouped --ioengine=null --size=256k --group_reporting --name=a --rw=read --numjobs=2 \
	--name=b --rw=randwrite --new_group '--description=of b'
versions percentiles --name=j "${null[@]}" --rw=read --percentile_list=50:99.9:100
versions failed --name=e --rw=write --size=8k --filename=/dev/full --continue_on_error=all \
	--description='it fails; always'

finish
