#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The same command lines through fio and through fio-like: what they did to the files, what they
# counted, and the shape of their JSON must agree. t/compat/README.md describes the cases.
#
#	compat.sh [WORD...]	only the cases whose name contains a word
#
# Without words every fourth case is run: fio takes its time to start. COMPAT_EVERY=1 runs them all,
# as t/more/compat.sh does; COMPAT_PARTS names the files of cases.

set -u
: "${SRCDIR:?}" "${TOOLS:?}" "${FIO_LIKE:?}"
FIO=${FIO:-fio}
DATA=$SRCDIR/t/compat
export DATA
passed=0
failed=0
skipped=0

[ -x "$FIO_LIKE" ] || { echo "there is no program $FIO_LIKE"; exit 1; }
command -v "$FIO" >/dev/null || {
	echo "fio is not installed, so there is nothing to compare with (apt-get install fio)"
	exit 77
}
version=$("$FIO" --version)
case $version in
fio-3*) ;;
*) echo "$version is not fio 3"; exit 77 ;;
esac

# ---- Running one side ----------------------------------------------------------------------------

# run_side DIR PROGRAM - leaves DIR.status, DIR.err, DIR.json (document alone), DIR.files, DIR.sums.
run_side() {
	side=$1 program=$2
	rm -rf "$side" "$side".*
	mkdir "$side"
	attach "$side.disk" || return
	(
		cd "$side" || exit 99
		eval "$before" || exit 98
		eval "set -- $args"
		exec timeout 30 "$program" "$@" --output-format=json >"../$side.out" \
			2>"../$side.err"
	)
	echo $? >"$side.status"
	exec 9<&-
	sed -n '/^{/,$p' "$side.out" >"$side.json"
	[ "$side" = ours ] || without_repeats
	(cd "$side" && find . -type f -printf '%P %s\n') | LC_ALL=C sort >"$side.files"
	case $checks in
	*log*) read_logs "$side" ;;
	esac
	case $checks in
	*blocks*)
		(cd "$side" && find . -type f -printf '%P %b\n') | LC_ALL=C sort >"$side.blocks"
		;;
	esac
	case $checks in
	*contents*)
		(cd "$side" && find . -type f -exec cksum {} +) | LC_ALL=C sort -k 3 >"$side.sums"
		[ -z "$device" ] || cksum <"$DISK" >>"$side.sums"
		;;
	esac
}

# read_logs SIDE - what its logs must have in common with the other side's: the shape of their lines
# in SIDE.shapes, and all but time and value of each line in SIDE.lines. Sizes are left out of the
# list of files.
read_logs() {
	sed -i 's/\(\.log\) [0-9]*$/\1/' "$1.files"
	: >"$1.shapes"
	: >"$1.lines"
	find "$1" -name '*.log' | LC_ALL=C sort >logs
	while read -r log; do
		awk -F ', ' -v name="${log##*/}" '
			function kind(word) {
				if (word ~ /^[0-9]+$/)
					return "number"
				if (word ~ /^0x[0-9a-f][0-9a-f][0-9a-f][0-9a-f]$/)
					return "priority"
				return "?" word
			}
			{
				shape = NF
				for (i = 1; i <= NF && NF < 20; i++)
					shape = shape " " kind($i)
				print name ": " shape
			}' "$log" | sort -u >>"$1.shapes"
		awk -F ', ' -v name="${log##*/}" '
			{
				$1 = name
				if (name !~ /iops/)
					$2 = ""
				print
			}' "$log" >>"$1.lines"
	done <logs
}

# Loop devices need root, and a kernel that has them.
can_attach() {
	[ "$(id -u)" = 0 ] && command -v losetup >/dev/null && losetup -f >/dev/null 2>&1
}

# attach DISK - a loop device over a new file of random bytes, as $DEV. It goes when descriptor 9 is
# closed, however that comes.
attach() {
	[ -n "$device" ] || return 0
	DISK=$PWD/$1
	head -c "$device" "$FIO_LIKE" >"$DISK"
	DEV=$(losetup -f --show "$DISK") || return 1
	export DEV DISK
	exec 9<"$DEV"
	losetup -d "$DEV"
}

# fio lists an option once for each time it was given; the last one counts.
without_repeats() {
	tac fio.json | awk '
		/[{}]/ { delete seen }
		!(/^ *"[^"]*" : "/ && seen[$1]++)' | tac >x
	mv x fio.json
}

# values DIR - one line per number: JOB.KEY VALUE.
values() {
	n=$("$TOOLS/jsonq" --len "$1.json" jobs) || return 1
	i=0
	set -- "$1"
	while [ $i -lt "$n" ]; do
		for key in jobname groupid error sync.total_ios sync.lat_ns.N; do
			set -- "$@" "jobs[$i].$key"
		done
		for dir in read write trim; do
			for key in io_bytes total_ios runtime clat_ns.N lat_ns.N slat_ns.N; do
				set -- "$@" "jobs[$i].$dir.$key"
			done
		done
		i=$((i + 1))
	done
	side=$1
	shift
	printf '%s\n' "$@" >"$side.paths"
	"$TOOLS/jsonq" "$side.json" "$@" >"$side.numbers" || return 1
	paste -d ' ' "$side.paths" "$side.numbers" >"$side.values"
}

# ---- Comparisons ---------------------------------------------------------------------------------

# pick PATTERN - both sides' values whose path matches, as fio.part and ours.part.
pick() {
	grep -E "$1" fio.values >fio.part
	grep -E "$1" ours.values >ours.part
}

same() {
	diff -u fio.part ours.part >why
}

cmp_status() {
	a=$(cat fio.status) b=$(cat ours.status)
	echo "fio $a, fio-like $b" >why
	[ "$a" = "$b" ]
}

cmp_stderr() {
	cp ours.err why
	[ ! -s ours.err ]
}

cmp_document() {
	a=$(head -c 1 ours.out) b=$(tail -n 1 ours.out)
	{
		echo "begins with '$a', ends with '$b'"
		"$TOOLS/jsonq" --len fio.json jobs
		"$TOOLS/jsonq" --len ours.json jobs
		"$TOOLS/valid" "$SRCDIR/doc/result.schema.json" ours.json || echo 'not our schema'
	} >why 2>&1
	[ "$a$b" = '{}' ] && ! grep -q 'not our schema' why &&
		[ "$(sed -n 2p why)" = "$(sed -n 3p why)" ]
}

cmp_jobs() {
	pick '(jobname|groupid|error) '
	same
}

cmp_ios() {
	pick '(io_bytes|total_ios) '
	grep -v 'sync\.' fio.part >x; mv x fio.part
	grep -v 'sync\.' ours.part >x; mv x ours.part
	case $checks in
	*loose*) loose ;;
	*mixed*) mixed ;;
	*bytes*) bytes ;;
	*about*) about ;;
	*) same ;;
	esac
}

# What a clock ended cannot be the same to the byte.
loose() {
	for side in fio ours; do
		awk '/io_bytes/ { print $1, $2 > 0 }' $side.values >$side.part
	done
	same || return 1
	pick 'runtime '
	paste -d ' ' fio.part ours.part >why
	awk '{ d = $2 - $4; if (d > 100 || d < -100) exit 1 }' why
}

# Which I/O is a read is drawn: the sum holds, and the shares are near each other.
mixed() {
	paste -d ' ' fio.part ours.part >why
	awk '
		{
			split($1, part, ".")
			key = part[1] (/io_bytes/ ? " bytes" : " ios")
			fio[key] += $2
			ours[key] += $4
			n++
			k[n] = key; f[n] = $2; o[n] = $4
		}
		END {
			for (key in fio)
				bad += fio[key] != ours[key]
			for (i = 1; i <= n; i++) {
				if (!fio[k[i]])
					continue
				d = (f[i] - o[i]) / fio[k[i]]
				bad += d > 0.08 || d < -0.08
			}
			exit bad > 0
		}' why
}

# Sizes are drawn, and with them how many I/Os there are; together they fill the same.
bytes() {
	paste -d " " fio.part ours.part >why
	awk '/io_bytes/ { fio += $2; ours += $4 } END { exit fio != ours }' why
}

# Sizes are drawn, and the last one may go beyond.
about() {
	paste -d " " fio.part ours.part >why
	awk '
		{
			d = $2 - $4
			if (d < 0)
				d = -d
			if (d > (/io_bytes/ ? 0.03 : 0.3) * $2)
				exit 1
		}' why
}

cmp_syncs() {
	pick 'sync.total_ios '
	same
}

cmp_files() {
	cp fio.files fio.part
	cp ours.files ours.part
	same
}

cmp_contents() {
	cp fio.sums fio.part
	cp ours.sums ours.part
	same
}

cmp_blocks() {
	cp fio.blocks fio.part
	cp ours.blocks ours.part
	same
}

cmp_shapes() {
	cp fio.shapes fio.part
	cp ours.shapes ours.part
	same
}

cmp_lines() {
	cp fio.lines fio.part
	cp ours.lines ours.part
	same
}

cmp_keys() {
	sh "$SRCDIR/t/tools/keydiff.sh" fio.json ours.json >why 2>&1
}

# Each I/O has a latency of each kind, or none has: a kind that is off, slat of synchronous engines.
cmp_latencies() {
	grep -E '(error|total_ios|_ns\.N) ' ours.values >why
	# A failed I/O counts, but has no latency.
	awk '
		/error/ { failed = $2 }
		failed { next }
		/total_ios/ { ios = $2; next }
		$2 && $2 != ios { bad++ }
		END { exit bad > 0 }' why || return 1
	for side in fio ours; do
		awk '
			/error/ { failed = $2 }
			/_ns\.N/ { print $1, failed ? $2 : $2 > 0 }' $side.values >$side.part
	done
	same
}

# judge WHAT - one comparison, against what the case says of it.
judge() {
	"cmp_$1"
	equal=$?
	reason=$(grep "^$1: " differs)
	[ $equal = 0 ] && [ -z "$reason" ] && return 0
	[ $equal != 0 ] && [ -n "$reason" ] && return 0
	if [ $equal = 0 ]; then
		# Another fio may well have become like us.
		[ "$version" = fio-3.33 ] || return 0
		echo "# $name: no longer different, but noted so: $reason"
	else
		echo "# $name: $1"
		sed 's/^/#	/' why
	fi
	bad=1
}

fails() {
	for side in fio ours; do
		[ "$(cat $side.status)" != 0 ] || { echo "# $name: $side did not fail"; bad=1; }
	done
	[ -s ours.err ] || { echo "# $name: nothing on stderr"; bad=1; }
}

run_case() {
	[ -n "$name" ] || return
	bad=0
	if { [ "$as_root" = 1 ] && [ "$(id -u)" != 0 ]; } ||
		{ [ -n "$device" ] && ! can_attach; }; then
		skipped=$((skipped + 1))
		return
	fi
	run_side fio "$FIO"
	# fio 3.33 loses its way now and then, when it compresses logs for one; not twice in a row.
	case $checks in
	*errors* | *fails*) ;;
	*) [ "$(cat fio.status)" = 0 ] || run_side fio "$FIO" ;;
	esac
	run_side ours "$FIO_LIKE"
	judge status
	case $checks in
	*fails*)
		fails
		judge files
		;;
	*)
		case $checks in
		*errors*) [ -s ours.err ] || { echo "# $name: nothing on stderr"; bad=1; } ;;
		*) judge stderr ;;
		esac
		judge document
		if values fio 2>unread && values ours 2>unread; then
			for what in jobs ios syncs keys latencies; do
				judge $what
			done
		elif ! grep -q "^document: " differs; then
			echo "# $name: $(cat unread)"
			bad=1
		fi
		judge files
		case $checks in *contents*) judge contents ;; esac
		case $checks in *blocks*) judge blocks ;; esac
		case $checks in *log*) judge shapes ;; esac
		case $checks in *loglines*) judge lines ;; esac
		;;
	esac
	if [ $bad = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $name: $args"
		grep . ours.err
	fi
}

wanted() {
	if [ -z "$words" ]; then
		turn=$((turn + 1))
		[ $((turn % every)) = 0 ]
		return
	fi
	for word in $words; do
		case $1 in *"$word"*) return 0 ;; esac
	done
	return 1
}

# ---- Reading the cases ---------------------------------------------------------------------------

start_case() {
	name=$1 args='' before=: checks='' device='' as_root=0
	wanted "$name" || name=
	: >differs
}

tab=$(printf '\t')
run_file() { # run_file CASES - in the current directory
	start_case ''
	while IFS= read -r line; do
		text=${line#"$tab"}
		case $line in
		'' | '#'*) ;;
		"${tab}before "*) before=${text#before } ;;
		"${tab}device "*) device=${text#device } ;;
		"${tab}root") as_root=1 ;;
		"${tab}check "*) checks="$checks ${text#check }" ;;
		"${tab}differs "*) echo "${text#differs }" >>differs ;;
		"$tab"*) args="$args $text" ;;
		*)
			run_case </dev/null
			start_case "$line"
			;;
		esac
	done <"$1"
	run_case </dev/null
	echo "$passed passed, $failed failed, $skipped skipped"
}

words=$*
every=${COMPAT_EVERY:-4}
turn=0
lane() { # lane FIRST - every third part
	n=0
	for part in ${COMPAT_PARTS:-$(cd "$DATA" && ls ./*.txt)}; do
		part=$(basename "$part" .txt)
		n=$((n + 1))
		[ $((n % 3)) = "$1" ] || continue
		mkdir "$part"
		(cd "$part" && run_file "$DATA/$part.txt" >log 2>&1)
	done
}
lane 0 &
lane 1 &
lane 2 &
wait
count='^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$'
grep -hv "$count" ./*/log
sed -n "s/$count/\1 \2 \3/p" ./*/log | awk '
	{ passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed", passed, failed
		if (skipped)
			printf ", %d skipped", skipped
		printf "\n"
		exit failed || !passed
	}'
