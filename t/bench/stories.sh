#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The stories of jobs/fread.ini and jobs/fseek.ini against bare C programs that do the same, with the
# same two readings of the clock per record (t/bench/fread, t/bench/seek), in turns. What is judged:
# run times within 15% and exactly as many faults per open; seeks per second and bytes read
# underneath per seek within 10%.
#
#	BENCH_PASSES	passes over the small file (10000)
#	BENCH_SEEKS	seeks (200000)
#	and what lib.sh names

set -eu
FIO=none
. "${SRCDIR:?}/t/bench/lib.sh" >/dev/null
passes=${BENCH_PASSES:-10000} seeks=${BENCH_SEEKS:-200000}
ways='plain library user mmap none' sizes='4k 8k 16k 32k 64k 128k library'
arms='bare job'

job() { # job FILE SECTION PATH...: the values of its result
	PASSES=$passes SEEKS=$seeks TMPDIR=$dir run_quietly "$FIO_LIKE" "$SRCDIR/jobs/$1" \
		--section="$2" --output-format=json --output="$dir/json"
	shift 2
	"$TOOLS/jsonq" "$dir/json" "$@"
}

# ---- Arms: each appends a line of numbers ----------------------------------------------------

bare_fread() { # seconds wall, user, system; faults per open
	"$BUILDDIR/t/bench/fread" "$1" "$dir/fio-like-fread.data" "$passes" |
		sed 's/.* wall \([^ ]*\) user \([^ ]*\) sys \([^ ]*\) .*, \([^ ]*\) per open.*/\1 \2 \3 \4/'
}

job_fread() {
	job fread.ini "$1" 'jobs[0].read.runtime' 'jobs[0].fio-like.usr_seconds' \
		'jobs[0].fio-like.sys_seconds' 'jobs[0].fio-like.faults.minor' |
		paste -s | awk -v n="$passes" '{ print $1 / 1000, $2, $3, $4 / n }'
}

bare_seek() { # seeks per second; bytes underneath per seek
	bytes=$(echo "$1" | sed 's/k$/ * 1024/')
	[ "$1" = library ] || bytes=$(($bytes))
	"$BUILDDIR/t/bench/seek" "$bytes" "$dir/fio-like-fseek.data" "$seeks" |
		sed 's/.* s, \([^ ]*\) seeks.*; \([^ ]*\) bytes.*/\1 \2/'
}

job_seek() {
	case $1 in library) section=library ;; *) section=buffer-$1 ;; esac
	job fseek.ini "$section" 'jobs[0].read.iops' \
		'jobs[0].fio-like.engine.counters.read_underneath_bytes' |
		paste -s | awk -v n="$seeks" '{ print $1, $2 / n }'
}

# ---- The run ----------------------------------------------------------------------------------

# The files as the jobs make them.
job fread.ini plain version >"$dir/said" 2>&1 || true
job fseek.ini file version >"$dir/said" 2>&1 || true
round=0
while [ $round -lt "$rounds" ]; do
	for arm in $arms; do
		for way in $ways; do
			"${arm}_fread" "$way" >>"$dir/$way.$arm"
		done
		for size in $sizes; do
			"${arm}_seek" "$size" >>"$dir/seek-$size.$arm"
		done
	done
	next_arms
	round=$((round + 1))
done

column_ratio() { # column_ratio WORK COLUMN: job over bare, the median within the rounds
	paste "$dir/$1.job" "$dir/$1.bare" | awk -v c="$2" \
		'{ b = $(NF / 2 + c); print(b > 0 ? $c / b : 0) }' | median 1 '%.3f'
}

echo "256-byte records of a file of 40,000 bytes, opened $passes times; medians of $rounds rounds, on"
machine
echo
printf '%-10s %9s %9s %9s %9s %9s %11s %11s\n' 'open, read' bare job ratio 'user' 'system' \
	'faults/open' 'of job'
for way in $ways; do
	printf '%-10s %7s s %7s s %9s %9s %9s %11s %11s\n' "$way" "$(middle $way bare 1 1 %.3f)" \
		"$(middle $way job 1 1 %.3f)" "$(column_ratio $way 1)" "$(column_ratio $way 2)" \
		"$(column_ratio $way 3)" "$(middle $way bare 4 1 %.2f)" "$(middle $way job 4 1 %.2f)"
done
echo
echo "$seeks seeks to random bytes of the first 4,000,000, by size of the buffer"
printf '%-10s %10s %10s %9s %11s %11s %9s\n' 'fseek' bare job ratio 'bytes/seek' 'of job' ratio
for size in $sizes; do
	printf '%-10s %8s/s %8s/s %9s %11s %11s %9s\n' "$size" \
		"$(middle seek-$size bare 1 1 %.0f)" "$(middle seek-$size job 1 1 %.0f)" \
		"$(column_ratio seek-$size 1)" "$(middle seek-$size bare 2 1 %.0f)" \
		"$(middle seek-$size job 2 1 %.0f)" "$(column_ratio seek-$size 2)"
done
echo
for way in $ways; do
	bar "$way: run time" "$(column_ratio $way 1)" at-least 0.85
	bar "$way: run time" "$(column_ratio $way 1)" at-most 1.15
	# 10,009 faults in 10,000 opens are one per open: those of the start are not the loop's
	faults=$(middle $way bare 4 1 %.1f)
	bar "$way: faults per open" "$(middle $way job 4 1 %.1f)" at-least "$faults"
	bar "$way: faults per open" "$(middle $way job 4 1 %.1f)" at-most "$faults"
done
for size in $sizes; do
	for what in 1:seeks 2:bytes; do
		bar "$size buffer: ${what#*:} " "$(column_ratio seek-$size "${what%:*}")" at-least 0.9
		bar "$size buffer: ${what#*:} " "$(column_ratio seek-$size "${what%:*}")" at-most 1.1
	done
done
finish
