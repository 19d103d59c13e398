#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the runner costs with requests in flight: io_uring and libaio, 4 KiB random reads, by a bare
# loop over the same kernel interface (t/bench/uring_floor, aio_floor), by fio-like and by fio, in
# turns. From the page cache at depth 32, one request and 32 at a time; and by O_DIRECT from the
# disk under BENCH_DIR, where the device decides about I/Os per second and the runner about CPU time.
#
# All three have page-aligned buffers, no registered buffers or files, and take the time of every
# start, hand-over and completion; the programs keep all latency statistics.
#
#	BENCH_MIB	size of the file (1024)
#	BENCH_DEPTH	depth on the disk (32)
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
mib=${BENCH_MIB:-1024} disk_depth=${BENCH_DEPTH:-32}
file=$dir/data
engines='io_uring libaio'

# ---- Arms: each prints I/Os per second, and user and system time per I/O in ns -----------------

run_floor() { # run_floor ENGINE DEPTH BATCH [direct]
	case $1 in
	io_uring) program=$BUILDDIR/t/bench/uring_floor ;;
	libaio) program=$BUILDDIR/t/bench/aio_floor ;;
	esac
	"$program" "$file" "$seconds" "$2" "$3" 4096 ${4:+"$4"}
}

run_job() { # run_job PROGRAM ENGINE DEPTH DIRECT BATCHES...
	program=$1 engine=$2 depth=$3 direct=$4
	shift 4
	run_quietly "$program" --name=bench --ioengine="$engine" --iodepth="$depth" --rw=randread \
		--bs=4k --size="${mib}m" --filename="$file" --direct="$direct" --norandommap \
		--randrepeat=0 --invalidate=0 --mem=mmap --time_based --runtime="${ms}ms" \
		--output-format=json --output="$dir/json" "$@"
	"$TOOLS/jsonq" "$dir/json" 'jobs[0].read.total_ios' 'jobs[0].read.runtime' \
		'jobs[0].usr_cpu' 'jobs[0].sys_cpu' | paste -s -d ' ' - |
		awk '{ printf "%.0f %.1f %.1f\n", $1 * 1000 / $2, $3 * $2 * 1e4 / $1, $4 * $2 * 1e4 / $1 }'
}

run_arm() { # run_arm ARM ENGINE WORK: appends to the file $dir/ENGINE.WORK.ARM
	arm=$1 engine=$2 work=$3 batch=1 depth=32 disk=0 direct=
	[ "$work" != batch ] || batch=32
	if [ "$work" = disk ]; then
		depth=$disk_depth disk=1 direct=direct
	else
		warm "$file"
	fi
	set --
	case $arm.$batch in
	fio-like.32) set -- --iodepth_batch=all ;;
	fio.32) set -- --iodepth_batch_submit=32 --iodepth_batch_complete_min=32 \
			--iodepth_batch_complete_max=32 ;;
	esac
	case $arm in
	floor) run_floor "$engine" $depth $batch $direct ;;
	fio-like) run_job "$FIO_LIKE" "$engine" $depth $disk "$@" ;;
	fio) run_job "$fio" "$engine" $depth $disk "$@" ;;
	esac >>"$dir/$engine.$work.$arm"
}

# ---- The run ----------------------------------------------------------------------------------

make_file "$file" "$mib"
round=0
while [ $round -lt "$rounds" ]; do
	for work in single batch disk; do
		for engine in $engines; do
			for arm in $arms; do
				run_arm "$arm" "$engine" $work
			done
		done
	done
	next_arms
	round=$((round + 1))
done

echo "4 KiB random reads with requests in flight, $mib MiB; medians of $rounds rounds of $ms ms, on"
machine
echo
each() { # each FUNCTION: for every engine and work, with a name
	for engine in $engines; do
		"$1" "$engine.single" "$engine, cached, batch 1"
		"$1" "$engine.batch" "$engine, cached, batch 32"
		"$1" "$engine.disk" "$engine, O_DIRECT"
	done
}

rates() {
	printf '%-24s %9s %9s %9s %10s %10s %10s\n' "$2" "$(rate "$1" floor)" "$(rate "$1" fio-like)" \
		"$(rate "$1" fio)" "$(ratio "$1" fio-like floor)" "$(ratio "$1" fio floor)" \
		"$(ratio "$1" fio-like fio)"
}

times() {
	printf '%-24s' "$2"
	for arm in floor fio-like fio; do
		printf ' %9s' "$(middle "$1" $arm 2 1 %.0f)+$(middle "$1" $arm 3 1 %.0f)"
	done
	printf ' %10s\n' "$(ratio "$1" fio-like fio 2)"
}

printf '%-24s %9s %9s %9s %10s %10s %10s\n' 'thousands per second' floor fio-like fio \
	like:floor fio:floor like:fio
each rates
echo
printf '%-24s %9s %9s %9s %10s\n' 'CPU ns per I/O, usr+sys' floor fio-like fio user:fio
each times
echo

judge_cached() { # judge_cached WORK NAME
	bar "$2, against the floor" "$(ratio "$1" fio-like floor)" at-least 0.90
	bar "$2, against fio" "$(ratio "$1" fio-like fio)" at-least 1
	bar "$2, user time against fio" "$(ratio "$1" fio-like fio 2)" below 1
}

for engine in $engines; do
	judge_cached $engine.single "$engine, batch 1"
	judge_cached $engine.batch "$engine, batch 32"
	# What the device does varies by itself from second to second.
	bar "$engine, O_DIRECT, against fio" "$(ratio $engine.disk fio-like fio)" at-least 0.95
	bar "$engine, O_DIRECT, user time against fio" "$(ratio $engine.disk fio-like fio 2)" \
		at-most 0.50
done
finish
