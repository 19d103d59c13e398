#!/bin/bash
# SPDX-License-Identifier: MIT
#
# latency_target: the search ends with the depth, and the window that counts is what is reported;
# without an end it goes on; what no depth can hold is an error, or a note.

. "$SRCDIR/t/shell.sh"

head -c 1m /dev/zero >data
null=(--ioengine=null --rw=randread --size=1g --time_based)
go() { # go OUT ARGUMENT... - in the background
	local out=$1
	shift
	{ timeout -k 5 30 "$fio" "$@" >$out 2>$out.err || echo "status $?" >>$out.err; } &
}
json=(--output-format=json)
found=(--latency_target=5s --latency_window=50ms --runtime=30)
hard=(--latency_target=10us --latency_window=50ms --null_delay=2ms)
go all "${json[@]}" --name=a "${null[@]}" "${found[@]}" --iodepth=6 --null_delay=200us
go sync "${json[@]}" --name=a "${null[@]}" "${found[@]}" --thinktime=100us
go offload "${json[@]}" --name=a "${null[@]}" "${found[@]}" --iodepth=3 --null_delay=200us \
	--io_submit_mode=offload --thinktime=100us
go threads "${json[@]}" --name=a "${null[@]}" "${found[@]}" --iodepth=3 --null_delay=200us --thread \
	--numjobs=2 --group_reporting
go ramp "${json[@]}" --name=a "${null[@]}" "${found[@]}" --iodepth=3 --null_delay=200us --ramp_time=100ms
go none "${json[@]}" --name=a "${null[@]}" "${hard[@]}" --iodepth=4 --latency_percentile=50 --runtime=500ms
go error "${json[@]}" --name=a "${null[@]}" "${hard[@]}" --iodepth=4 --runtime=30
go run "${json[@]}" --name=a "${null[@]}" --iodepth=4 --null_delay=200us --latency_target=5s \
	--latency_window=30ms --latency_run=1 --runtime=600ms
go verify "${json[@]}" --name=v --filename=v --rw=randwrite --size=256k --verify=crc32c --time_based \
	--latency_target=30s --latency_window=50ms --runtime=30
go lines --output-format=jsonl --status-interval=100ms --name=a "${null[@]}" "${found[@]}" --iodepth=6 \
	--null_delay=200us
go text --name=a "${null[@]}" "${found[@]}" --iodepth=2 --null_delay=200us
wait

good() { # good FILE DEPTH - found, and a window of 50 ms is reported
	check "$1: went well" [ ! -s $1.err ]
	document "$1" $1
	same "$1: depth" "$(json $1 jobs[0].latency_depth)" "$2"
	between "$1: what counts is a window" "$(json $1 jobs[0].read.runtime)" 45 5000
	check "$1: it has I/Os" [ "$(json $1 jobs[0].read.total_ios)" -gt 0 ]
	same "$1: target" "$(json $1 jobs[0].latency_target)" 5000000
	same "$1: window" "$(json $1 jobs[0].latency_window)" 50000
	same "$1: percentile" "$(json $1 jobs[0].latency_percentile)" 100.000000
}
good all 6
same 'all: no deeper' "$(json all 'jobs[0].fio-like.engine.counters.depth_max')" 6
good sync 1
good offload 3
good threads 3
good ramp 3
check 'verify: went well' [ ! -s verify.err ]
same 'verify: nothing is wrong' "$(json verify jobs[0].fio-like.verify.wrong)" 0
check 'verify: it was read back' [ "$(json verify jobs[0].fio-like.verify.blocks)" -gt 0 ]
says 'its line' '^     latency   : target=5.00s, window=50.00ms, percentile=100.00%, depth=2$' text
if "$TOOLS/sums" lines >sums 2>&1; then ok; else not_ok 'intervals: sums' sums; fi

check 'none: went well' [ ! -s none.err ]
same 'none: depth' "$(json none jobs[0].latency_depth)" 1
between 'none: to its end' "$(json none jobs[0].read.runtime)" 450 5000
says 'none: a note' 'the job ended before the depth was found: 1 was too slow' none
same 'error: as many' "$(json error jobs[0].error)" 110
says 'error: in words' "job a: an I/O took [0-9]* ns with one in flight at a time, more than latency_target allows (10000 ns)" error.err
check 'run: went well' [ ! -s run.err ]
same 'run: depth' "$(json run jobs[0].latency_depth)" 4
between 'run: to its end' "$(json run jobs[0].read.runtime)" 550 5000

# Ended while it searches: a whole report of what it did.
timeout -s INT 0.5 "$fio" "${json[@]}" --name=a "${null[@]}" --iodepth=32 --null_delay=200us \
	--latency_target=5s --latency_window=10s --runtime=30 >out 2>err
same 'interrupted: status' $? 124
document interrupted out
check 'interrupted: what it did is there' [ "$(json out jobs[0].read.total_ios)" -gt 0 ]

run "$fio" --name=a "${null[@]}" --runtime=1 --latency_target=5ms
same 'without a window: status' $status 1
says 'without a window' 'latency_target needs latency_window' err
run "$fio" --name=a "${null[@]}" --runtime=1 --latency_percentile=101
same 'more than all: status' $status 1
says 'more than all' 'latency_percentile=101' err
finish
