#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the runner costs with requests in flight: io_uring and libaio, 4 KiB random reads, by a bare
# loop over the same kernel interface (t/bench/uring_floor, aio_floor), by fio-like and by fio, in
# turns. From the page cache at depth 32, one request and 32 at a time; and by O_DIRECT from the
# disk under BENCH_DIR, where the device decides about I/Os per second and the runner about CPU
# time.
#
# What a device does varies by itself from second to second, by a tenth and more. So the arms on
# devices take turns more often, four times for shorter, and the median of the ratios of all these
# rounds is what is judged.
#
# All three have page-aligned buffers, no registered buffers or files, and take the time of every
# start, hand-over and completion; the programs keep all latency statistics. With O_DIRECT
# their user time is looked at by t/bench/usertime, which is finer than what the kernel counts and
# takes some time itself; everything else is what the kernel counts.
#
#	BENCH_MIB	size of the file (1024)
#	BENCH_DEPTH	depth on the disk (32)
#	BENCH_DEVICE	a block device to read from as well (none)
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
mib=${BENCH_MIB:-1024} disk_depth=${BENCH_DEPTH:-32}
file=$dir/data target=$dir/data device=${BENCH_DEVICE:-}
engines= works='single batch'

# ---- Arms: each prints I/Os per second, and user and system time per I/O in ns -----------------

run_floor() { # run_floor ENGINE DEPTH BATCH [direct]
	case $1 in
	io_uring) program=$BUILDDIR/t/bench/uring_floor ;;
	libaio) program=$BUILDDIR/t/bench/aio_floor ;;
	esac
	"$program" "$target" "$(awk "BEGIN { print $arm_ms / 1000 }")" "$2" "$3" 4096 ${4:+"$4"}
}

run_job() { # run_job PROGRAM ENGINE DEPTH DIRECT BATCHES...
	program=$1 engine=$2 depth=$3 direct=$4
	shift 4
	look=
	[ "$direct" = 0 ] || look=$BUILDDIR/t/bench/usertime
	echo - >"$dir/user"
	$look "$program" --name=bench --ioengine="$engine" --iodepth="$depth" --rw=randread \
		--bs=4k --filename="$target" --direct="$direct" --norandommap \
		--randrepeat=0 --invalidate=0 --mem=mmap --time_based --runtime="${arm_ms}ms" \
		--output-format=json --output="$dir/json" "$@" >"$dir/looked" 2>"$dir/said" ||
		{ cat "$dir/said" >&2; exit 1; }
	[ ! -s "$dir/looked" ] || mv "$dir/looked" "$dir/user"
	"$TOOLS/jsonq" "$dir/json" 'jobs[0].read.total_ios' 'jobs[0].read.runtime' \
		'jobs[0].usr_cpu' 'jobs[0].sys_cpu' |
		{ paste -s -d " " -; cat "$dir/user"; } | awk '
		NR == 1 { ios = $1; ms = $2; usr = $3; sys = $4 }
		NR == 2 {
			all = (usr + sys) * ms * 1e4
			user = $1 == "-" ? usr * ms * 1e4 : $1
			printf "%.0f %.1f %.1f\n", ios * 1000 / ms, user / ios, (all - user) / ios
		}'
}

run_arm() { # run_arm ARM ENGINE WORK: appends to the file $dir/ENGINE.WORK.ARM
	arm=$1 engine=$2 work=$3 batch=1 depth=32 disk=0 direct=
	[ "$work" != batch ] || batch=32
	target=$file arm_ms=$ms
	case $work in
	disk | device) arm_ms=$((ms * 2 / 5)) ;;
	esac
	case $work in
	disk) depth=$disk_depth disk=1 direct=direct ;;
	device) depth=$disk_depth disk=1 direct=direct target=$device ;;
	*) warm "$file" ;;
	esac
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
arm_ms=$ms
for engine in io_uring libaio; do
	if run_floor $engine 1 1 >"$dir/said" 2>&1; then
		engines="$engines $engine"
	else
		echo "skip: $engine: $(head -n 1 "$dir/said")"
	fi
done
if dd if="$file" of=/dev/null bs=4k count=1 iflag=direct 2>"$dir/said"; then
	devices=disk
else
	devices=
	echo "skip: O_DIRECT: $(head -n 1 "$dir/said")"
fi
[ -z "$device" ] || devices="$devices device"

run_round() { # run_round WORK...: each arm once
	for work; do
		for engine in $engines; do
			for arm in $arms; do
				run_arm "$arm" "$engine" "$work"
			done
		done
	done
	next_arms
}

round=0
while [ $round -lt "$rounds" ]; do
	run_round $works
	for turn in 1 2 3 4; do
		run_round $devices
	done
	next_arms	# after six rounds another one begins than after the last six
	round=$((round + 1))
done
works="$works $devices"

echo "4 KiB random reads with requests in flight, $mib MiB; medians of $rounds rounds of $ms ms,"
echo "on devices of $((4 * rounds)) rounds of $((ms * 2 / 5)) ms, on"
machine
echo
each() { # each FUNCTION: for every engine and work, with a name
	for engine in $engines; do
		for work in $works; do
			case $work in
			single) name='cached, batch 1' ;;
			batch) name='cached, batch 32' ;;
			disk) name='O_DIRECT' ;;
			device) name=$device ;;
			esac
			"$1" "$engine.$work" "$engine, $name"
		done
	done
}

rates() {
	printf '%-24s %9s %9s %9s %10s %10s %10s\n' "$2" "$(rate "$1" floor)" \
		"$(rate "$1" fio-like)" "$(rate "$1" fio)" "$(ratio "$1" fio-like floor)" \
		"$(ratio "$1" fio floor)" "$(ratio "$1" fio-like fio)"
}

cpu_times() {
	printf '%-24s' "$2"
	for arm in floor fio-like fio; do
		printf ' %9s' "$(mean "$1" $arm 2)+$(mean "$1" $arm 3)"
	done
	printf ' %10s\n' "$(user_ratio "$1" fio-like fio)"
}

printf '%-24s %9s %9s %9s %10s %10s %10s\n' 'thousands per second' floor fio-like fio \
	like:floor fio:floor like:fio
each rates
echo
printf '%-24s %9s %9s %9s %10s\n' 'CPU ns per I/O, usr+sys' floor fio-like fio user:fio
each cpu_times
echo

judge_cached() { # judge_cached WORK NAME
	bar "$2, against the floor" "$(ratio "$1" fio-like floor)" at-least 0.90
	bar "$2, against fio" "$(ratio "$1" fio-like fio)" at-least 1
	bar "$2, user time against fio" "$(user_ratio "$1" fio-like fio)" below 1
}

for engine in $engines; do
	judge_cached $engine.single "$engine, batch 1"
	judge_cached $engine.batch "$engine, batch 32"
	for work in $devices; do
		bar "$engine, $work, against fio" "$(ratio $engine.$work fio-like fio)" \
			at-least 0.95
		bar "$engine, $work, user time against fio" \
			"$(user_ratio $engine.$work fio-like fio)" at-most 0.50
	done
done
finish
