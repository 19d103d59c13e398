#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What it costs to make the data of writes, by fio-like and by fio in turns: GiB per second of writes
# to the null engine, which does nothing with them. Filling is then all there is to do.
#
#	BENCH_MIB	bytes of a row in MiB (256), written four times over
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
mib=${BENCH_MIB:-256}
arms='fio-like fio'
[ -n "$fio" ] || arms=fio-like

works='refill-4k refill-64k compress-4k compress-64k pattern-64k dedupe-4k set-4k both-64k'
options_of() { # options_of WORK
	case $1 in
	refill-*) echo --refill_buffers=1 ;;
	compress-*) echo --buffer_compress_percentage=50 ;;
	pattern-*) echo --buffer_compress_percentage=50 --buffer_pattern=0xdeadface ;;
	dedupe-*) echo --dedupe_percentage=50 ;;
	set-*) echo --dedupe_percentage=50 --dedupe_mode=working_set ;;
	both-*) echo --buffer_compress_percentage=30 --dedupe_percentage=50 ;;
	esac
}

go() { # go ARM WORK: appends GiB/s
	program=$FIO_LIKE
	[ "$1" = fio-like ] || program=$fio
	# shellcheck disable=SC2046 # words on purpose
	run_quietly "$program" --name=bench --ioengine=null --rw=write --size="${mib}m" --loops=4 \
		--bs="${2#*-}" $(options_of "$2") --output-format=json --output="$dir/json"
	"$TOOLS/jsonq" "$dir/json" 'jobs[0].write.bw_bytes' |
		awk '{ printf "%.3f\n", $1 / 1073741824 }' >>"$dir/$2.$1"
}

in_rounds go $works

echo "Making data, $((4 * mib)) MiB a row; medians of $rounds rounds, on"
machine
echo
printf '%-40s %9s %9s %10s\n' 'GiB/s' fio-like fio like:fio
for work in $works; do
	printf '%-40s %9s %9s %10s\n' "$work" "$(middle "$work" fio-like 1 1 '%.2f')" \
		"$(middle "$work" fio 1 1 '%.2f')" "$(ratio "$work" fio-like fio)"
done
echo
for work in $works; do
	bar "making data, $work, against fio" "$(ratio "$work" fio-like fio)" at-least 1
done
finish
