#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Arrivals from a thread of their own do the same I/O as those without, whatever the engine and its
# device do, and their latencies hold what they waited. And where overlaps are serialized there are
# none: t/probe/overlap.c looks.

. "$SRCDIR/t/shell.sh"

out() { # out PATH - of the last document
	json out "$1"
}
go() { # go STATUS ARGUMENT...
	run_to "$1" "$fio" --output-format=json "${@:2}"
	! grep -q 'ThreadSanitizer' err || not_ok "a data race: $*" err
}
totals() { # what was done, in one line
	local dir key
	for dir in read write trim; do
		for key in total_ios io_bytes short_ios clat_ns.N; do
			out "jobs[0].$dir.$key"
		done
	done | paste -s -d ' '
	out 'jobs[0].fio-like.errors'
	out 'jobs[0].sync.total_ios'
}
both() { # both ARGUMENT... - the same totals, inline and offload
	local inline
	go 0 --name=a "$@"
	inline=$(totals)
	go 0 --name=a "$@" --io_submit_mode=offload
	same "as inline: $*" "$(totals)" "$inline"
	# Each I/O that went well has one of each.
	for kind in slat_ns lat_ns; do
		same "$kind: $*" "$(out "jobs[0].read.$kind.N") $(out "jobs[0].write.$kind.N")" \
			"$(out 'jobs[0].read.clat_ns.N') $(out 'jobs[0].write.clat_ns.N')"
	done
}
offload=(--name=a --io_submit_mode=offload)

# ---- What arrives is verified --------------------------------------------------------------------

for engine in psync io_uring libaio; do
	has_engine $engine || continue
	verify=(--ioengine=$engine --iodepth=8 --size=1m --filename=verified --verify=crc32c)
	go 0 "${offload[@]}" "${verify[@]}" --rw=randwrite
	same "$engine: all that was written is read back" "$(out 'jobs[0].read.total_ios')" 256
	same "$engine: with all latencies" "$(out 'jobs[0].read.slat_ns.N') $(out 'jobs[0].read.lat_ns.N')" '256 256'
	go 0 "${offload[@]}" "${verify[@]}" --rw=randread
	same "$engine: and read by another job" "$(out 'jobs[0].fio-like.verify.blocks')" 256
	printf 'damage' | dd of=verified bs=1 seek=100000 conv=notrunc 2>/dev/null
	go 1 "${offload[@]}" "${verify[@]}" --rw=randread
	same "$engine: what is wrong is found" "$(out 'jobs[0].error')" 84
done

# ---- The same totals -----------------------------------------------------------------------------

head -c 1m "$FIO_LIKE" >data
for engine in sync psync vsync pvsync2 mmap stdio null io_uring libaio; do
	has_engine $engine || continue
	for how in '' '--thread --iodepth=16' '--iodepth=8 --iodepth_batch=4 --iodepth_low=2' \
		'--rw=randrw --fsync=8 --serialize_overlap=1 --iodepth=16'; do
		both --ioengine=$engine --filename=data --size=1m --rw=randread $how
	done
	both --ioengine=$engine --size=64k --nrfiles=8 --openfiles=2 --iodepth=4 --rw=randwrite \
		--loops=3 --thread
done
both --ioengine=psync --size=256k --rw=randwrite --bsrange=1k-16k --unlink_each_loop=1 --loops=3
for how in '' --thread; do
	both --ioengine=null --rw=randrw --size=4m --null_fail_one_in=10 --null_short_one_in=7 \
		--continue_on_error=all $how
	go 1 "${offload[@]}" --ioengine=null --rw=read --size=4m --null_fail_one_in=100 $how
	says "stops at an error $how" 'read of 4096 bytes at offset' err
done
# Which ones fail is up to the order at the device, and that to the time.
for how in '' --thread --null_reorder=1 '--null_reorder=1 --null_full_one_in=3'; do
	go 0 "${offload[@]}" --ioengine=null --rw=randrw --size=4m --null_fail_one_in=10 --iodepth=16 \
		--null_short_one_in=7 --continue_on_error=all $how
	read -r reads writes errors <<<"$(out 'jobs[0].read.clat_ns.N') \
$(out 'jobs[0].write.clat_ns.N') $(out 'jobs[0].fio-like.errors')"
	same "faults at depth $how" $((reads + writes + errors)) 1024
done
both --ioengine=null --size=1m --number_ios=100
both --ioengine=null --size=1m --rw=trimwrite --iodepth=4
go 0 "${offload[@]}" --ioengine=null --rw=read --size=1m --disable_lat=1 --disable_clat=1 \
	--disable_slat=1 --time_based --runtime=200ms
between 'no latencies: the time' "$(out 'jobs[0].read.runtime')" 195 400
check 'no latencies' [ "$(out 'jobs[0].read.lat_ns.N')" = 0 ]

# ---- Time ----------------------------------------------------------------------------------------

for how in '' --thread --iodepth=32 '--iodepth=32 --serialize_overlap=1 --rw=randwrite'; do
	go 0 "${offload[@]}" --ioengine=null --rw=randread --size=64k --ramp_time=100ms $how \
		--time_based --runtime=300ms
	between "ramp, then time $how" "$(out 'jobs[0].job_runtime')" 295 500
	go 0 "${offload[@]}" --ioengine=null --rw=read --size=1m --number_ios=250 $how \
		--thinktime=1ms --ramp_time=100ms
	between "of 250 arrivals, those after the ramp $how" \
		$(($(out 'jobs[0].read.total_ios') + $(out 'jobs[0].write.total_ios'))) 50 245
done
go 0 "${offload[@]}" --ioengine=null --rw=read --size=1g --thinktime=10s --runtime=200ms
between 'an end within a pause' "$(out 'jobs[0].read.runtime')" 195 300

for how in '' --thread --iodepth=8; do
	"$fio" --output-format=json "${offload[@]}" --ioengine=null --rw=read --size=1g --runtime=20 \
		--thinktime=5s --thinktime_blocks=100 $how >out 2>err &
	pid=$!
	sleep 0.5
	started=$(date +%s%N)
	kill -INT $pid
	wait $pid
	same "stopped $how: status" $? 130
	between "stopped $how: ms" $((($(date +%s%N) - started) / 1000000)) 0 1000
	between "stopped $how: I/Os" "$(out 'jobs[0].read.total_ios')" 100 200
done

# ---- What waiting costs --------------------------------------------------------------------------

# Arrivals go on while the device stalls; only what it holds then sees the stall as its own.
stall=(--ioengine=null --rw=read --size=100m --thinktime=1ms --null_stall=200ms
	--null_stall_every=400ms --number_ios=500)
for how in --iodepth=1 --iodepth=4 '--iodepth=4 --thread'; do
	go 0 "${offload[@]}" "${stall[@]}" $how
	same "stall $how: all arrive" "$(out 'jobs[0].read.total_ios')" 500
	between "stall $how: lat" "$(out 'jobs[0].read.lat_ns.mean')" 10e6 200e6
	between "stall $how: clat" "$(out 'jobs[0].read.clat_ns.mean')" 0 8e6
	between "stall $how: no slower" "$(out 'jobs[0].job_runtime')" 500 1000
done
go 0 --name=a "${stall[@]}" --iodepth=4
between 'stall, inline: nobody waits' "$(out 'jobs[0].read.lat_ns.mean')" 0 9e6

# One that is in flight does not keep the next from starting.
go 0 "${offload[@]}" --ioengine=null --null_delay=150ms --rw=read --size=100m --iodepth=64 \
	--thinktime=2ms --number_ios=50
between 'slow device: slat' "$(out 'jobs[0].read.slat_ns.mean')" 0 15e6
between 'slow device: clat' "$(out 'jobs[0].read.clat_ns.mean')" 150e6 165e6

# ---- No two overlap ------------------------------------------------------------------------------

$CC -shared -fPIC ${SANFLAGS-} -Wall -Wextra -Werror -I "$SRCDIR/include" \
	"$SRCDIR/t/probe/overlap.c" -o overlap.so || exit 1
second=()
watched() { # watched ARGUMENT... - leaves the number of overlaps in $overlaps
	rm -f overlap.board
	go 0 --ioengine=./overlap.so --rw=randrw --norandommap --filename=small --size=64k \
		--bsrange=512-8k --group_reporting "$@" --name=a "${second[@]}"
	overlaps=$(out 'jobs[0].fio-like.engine.counters.overlaps')
	together=$(out 'jobs[0].fio-like.engine.counters.together')
}
watched --iodepth=16 --io_size=2m
check 'without it there are overlaps' [ "$overlaps" -gt 100 ]
watched --iodepth=16 --io_size=2m --rw=randread
same 'reads overlap freely' "$overlaps" 0
for how in '' --rw=randwrite --rw=randtrim '--rw=randrw --fsync=4' \
	'--iodepth_batch=4 --iodepth_batch_complete_min=0' '--size=8k --io_size=1m'; do
	watched --iodepth=16 --io_size=2m --serialize_overlap=1 $how
	same "one job $how" "$overlaps" 0
	[ "$how" = '--size=8k --io_size=1m' ] ||
		between "one job $how: more than one at a time" "$together" 2 16
	watched --iodepth=16 --io_size=2m --serialize_overlap=1 --io_submit_mode=offload $how
	same "one job, offload $how" "$overlaps" 0
done
watched --iodepth=32 --numjobs=8 --io_size=1m --io_submit_mode=offload
check 'across jobs without it there are overlaps' [ "$overlaps" -gt 100 ]
across=(--iodepth=32 --numjobs=8 --io_size=512k --io_submit_mode=offload --serialize_overlap=1)
for how in '' --thread --rw=randwrite '--bs=4k --size=4k' '--bs=4k --size=4k --thread' \
	'--thread --iodepth=1' '--ramp_time=50ms --time_based --runtime=300ms'; do
	watched "${across[@]}" $how
	same "across jobs $how" "$overlaps" 0
done
ln small other
second=(--name=b --filename=other)
watched "${across[@]}" --numjobs=4
same 'one file, two names' "$overlaps" 0

# A job that dies leaves nothing behind that others would wait for.
rm -f overlap.board
"$fio" --output-format=json --ioengine=./overlap.so --rw=randwrite --norandommap --filename=small \
	--size=4k "${across[@]}" --name=a --time_based --runtime=2 >out 2>err &
pid=$!
sleep 0.7
for victim in $(children $pid | tr ' ' '\n' | head -n 3); do
	kill -KILL "$victim"
done
wait $pid
same 'after SIGKILL: status' $? 1
between 'after SIGKILL: the others end in time' "$(out 'jobs[7].job_runtime')" 1950 2500
says 'after SIGKILL: told' 'was killed by' err

# Depth costs nothing here; but there is an end to how many I/Os may look at each other.
run "$fio" --output-format=json --name=a --ioengine=null --rw=randwrite --size=64m --bs=4k \
	--iodepth=65536 --numjobs=4 --io_submit_mode=offload --serialize_overlap=1 \
	--group_reporting --random_generator=lfsr
same '4 x 65536: status' $status 0
same '4 x 65536: I/Os' "$(out 'jobs[0].write.total_ios')" 65536
run "$fio" --name=a --ioengine=null --rw=randwrite --size=64m --iodepth=65536 --numjobs=300 \
	--io_submit_mode=offload --serialize_overlap=1
same '300 x 65536: status' $status 1
says '300 x 65536: told' 'at most 16777216 .* could have 19660800: lower iodepth or numjobs' err
finish
