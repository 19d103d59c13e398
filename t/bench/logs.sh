#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What logs cost: a job of the null engine without a log and with a latency log of every I/O, and
# write(2) of the same bytes (t/bench/log_floor), in turns. The log is to add no more than twice
# the time of that, and memory is to stay what it was whatever the length. What fio takes is
# measured with a tenth of the entries, since it keeps them all.
#
#	BENCH_ENTRIES	lines of all logs together, in millions (50)
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
entries=${BENCH_ENTRIES:-50}
rounds=${BENCH_ROUNDS:-5}
limit_kib=65536

job() { # job PROGRAM MILLIONS ARGUMENT...: half as many I/Os, each a line in two logs
	program=$1 millions=$2
	shift 2
	"$BUILDDIR/t/bench/log_floor" run "$program" --name=bench --ioengine=null --rw=read \
		--bs=4k --size="$(awk "BEGIN { printf \"%.0f\", $millions * 500000 * 4096 }")" \
		--output="$dir/said" "$@"
}

run_arm() { # run_arm ARM: appends to the file $dir/logs.ARM
	rm -f "$dir"/x_*
	sync -f "$dir"
	case $1 in
	plain) job "$FIO_LIKE" "$entries" ;;
	logged)
		job "$FIO_LIKE" "$entries" --write_lat_log="$dir/x"
		stat -c %s "$dir/x_clat.1.log" >"$dir/bytes"
		;;
	floor)
		"$BUILDDIR/t/bench/log_floor" write "$(cat "$dir/bytes")" "$dir/x_clat.1.log" \
			"$dir/x_lat.1.log"
		;;
	esac >>"$dir/logs.$1"
}

run_arm logged		# the first one, which does not count, says how long the log is
rm "$dir/logs.logged"
arms='plain logged floor'
in_rounds run_arm logs

# added COLUMN: of a round's numbers, with the log less without it, by those of the floor
added() {
	paste -d ' ' "$dir/logs.logged" "$dir/logs.plain" "$dir/logs.floor" |
		awk -v c="$1" '{ f = $(c + 6); print(f > 0 ? ($c - $(c + 3)) / f : 0) }' | median 1 '%.2f'
}

echo "a latency log of $entries million lines, $(awk '{ printf "%.0f", $1 * 2 / 1000000 }' \
	"$dir/bytes") MB; medians of $rounds rounds, on"
machine
echo
printf '%-28s %10s %10s %12s\n' '' seconds 'CPU' 'peak KiB'
printf '%-28s %10s %10s %12s\n' 'no log' "$(middle logs plain 1 1 %.2f)" \
	"$(middle logs plain 2 1 %.2f)" "$(middle logs plain 3 1 %.0f)"
printf '%-28s %10s %10s %12s\n' 'logged' "$(middle logs logged 1 1 %.2f)" \
	"$(middle logs logged 2 1 %.2f)" "$(middle logs logged 3 1 %.0f)"
printf '%-28s %10s %10s\n' 'write(2) of the same bytes' "$(middle logs floor 1 1 %.2f)" \
	"$(middle logs floor 2 1 %.2f)"
printf '%-28s %10s %10s\n' 'added, by that' "$(added 1)" "$(added 2)"
if [ -n "$fio" ]; then
	rm -f "$dir"/x_*
	tenth=$(awk "BEGIN { print $entries / 10 }")
	job "$fio" "$tenth" --write_lat_log="$dir/x" >>"$dir/logs.fio"
	printf '%-28s %10s %10s %12s\n' "fio, $tenth million lines" \
		"$(middle logs fio 1 1 %.2f)" "$(middle logs fio 2 1 %.2f)" \
		"$(middle logs fio 3 1 %.0f)"
fi
echo

bar 'time added by the log, against write(2)' "$(added 1)" at-most 2
bar 'resident, KiB' "$(middle logs logged 3 1 %.0f)" below $limit_kib
finish
