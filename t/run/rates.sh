#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Rates: as many I/Os as were asked for and no more, with every kind of queue; spread as asked; by
# direction; a job that is too slow fails; and a device that stalls cannot hide it: service latency
# stays small, latency from the intended start does not.

. "$SRCDIR/t/shell.sh"

job() { # job PATH - of the last document
	json out "jobs[0].$1"
}
go() { # go STATUS ARGUMENT...
	run_to "$1" "$fio" --name=a --bs=4k --output-format=json --cache_stats=0 "${@:2}"
}
# Never more than asked for. Fewer only where a busy machine has not come to them in time: how many
# there are when it is quiet is for t/long/rates.sh.
rated() { # rated DIR IOS ARGUMENT... - about so many I/Os, all with an intended start
	local dir=$1 ios=$2 n
	shift 2
	go 0 "$@"
	n=$(job "$dir.total_ios")
	between "$dir of $*" "$n" $((ios * 8 / 10)) $((ios + ios / 100 + 1))
	same "each has an intended start: $*" "$(job "$dir.intended_lat_ns.N")" \
		"$(job "$dir.lat_ns.N")"
}
# What one job does is looked at in a directory of its own, beside others.
beside() { # beside NAME COMMAND... - in the background; `together` waits, and counts
	local name=$1
	shift
	(
		mkdir -p "at.$name" && cd "at.$name" || exit 1
		passed=0 failed=0
		"$@"
		echo "$passed $failed" >counts
	) &
}
together() {
	local at p f
	wait
	for at in at.*; do
		if read -r p f <"$at/counts"; then
			passed=$((passed + p)) failed=$((failed + f))
		else
			not_ok "$at did not end"
		fi
		rm -r "$at"
	done
}

head -c 4m "$FIO_LIKE" >data
truncate -s 16m data
data=$PWD/data
uring=null
! has_engine io_uring || uring="io_uring --filename=$data"

# ---- As many as were asked for -------------------------------------------------------------------

null='--ioengine=null --size=1t --runtime=2 --time_based'
file="--size=16m --runtime=2 --time_based --rw=randread"
beside sync rated read 2000 $null --rw=read --rate_iops=1000
beside depth rated read 2000 $null --rw=randread --rate_iops=1000 --iodepth=32
beside psync rated read 2000 $file --ioengine=psync --filename="$data" --rate_iops=1000
beside uring rated read 2000 $file --ioengine=$uring --iodepth=32 --rate_iops=1000
beside offload rated read 2000 $file --ioengine=$uring --iodepth=8 --rate_iops=1000 \
	--io_submit_mode=offload
beside bytes rated read 1024 $null --rw=read --rate=2m
beside base rated read 1000 $null --rw=read --rate=2048k --kb_base=1000 --bs=4096
beside large rated read 512 $null --rw=read --rate=1m --rate_process=linear --thread

by_direction() {
	rated write 600 $null --rw=randrw --rate_iops=100,300 "$@"
	between "reads of their own rate $*" "$(job read.total_ios)" 160 203
	same "none has waited for the other $*" "$(job error)" 0
}
one_direction() { # the other goes as fast as it can
	go 0 $null --rw=randrw --rate_iops=,300 --runtime=1
	between 'the rated writes' "$(job write.total_ios)" 240 303
	check 'the unrated reads' test "$(job read.total_ios)" -gt 3000
	"$jsonq" out 'jobs[0].write.intended_lat_ns.N' >/dev/null || not_ok 'a rate has a start'
	! "$jsonq" out 'jobs[0].read.intended_lat_ns' >/dev/null 2>&1 || not_ok 'no rate, no start'
}
group() { # several jobs: each has the rate
	go 0 $null --rw=randread --rate_iops=500 --numjobs=3 --group_reporting --runtime=1
	between 'three jobs' "$(job read.total_ios)" 1200 1515
	same 'all are merged' "$(job read.intended_lat_ns.N)" "$(job read.total_ios)"
}
in_passes() { # loops and a ramp go on with the schedule
	rated read 512 --ioengine=null --size=1m --rw=read --rate_iops=512 --loops=2
	between 'two loops of a second in all' "$(job read.runtime)" 950 3000
	# What was due in the ramp and late may still come.
	go 0 $null --rw=read --rate_iops=1000 --ramp_time=500ms --runtime=1
	between 'after a ramp' "$(job read.total_ios)" 800 1300
}
beside dirs by_direction
beside dirs-depth by_direction --iodepth=16
beside dirs-offload by_direction --iodepth=16 --io_submit_mode=offload
beside one one_direction
beside group group
beside passes in_passes
together

# Those who read back what they have written do it as fast as they can.
verified() {
	local engine=psync
	[ "$uring" = null ] || engine=io_uring
	rated write 512 --ioengine=$engine --size=1m --filename=v --rw=write --rate_iops=256 \
		--iodepth=4 --verify=crc32c --loops=2 "$@"
	same 'all of it was read back' "$(job read.total_ios)" 512
	check 'at no rate' test "$(job read.runtime)" -lt "$(job write.runtime)"
}

# ---- Spread as asked -----------------------------------------------------------------------------

# Times of issue, as the log has them, differ by what an exponential distribution says: D of
# Kolmogorov and Smirnov times the root of the count is above 1.95 once in a thousand times. A busy
# machine shifts some of them: here they need only be far from an even pace, which has 12.
poisson() {
	local d=9 try
	for try in 1 2; do
		go 0 --ioengine=null --size=1t --runtime=4 --rw=randread --rate_iops=100 \
			--rate_process=poisson --write_lat_log=p --log_issue_time=1 --log_offset=1 \
			--log_time_unit=ns
		d=$(awk -F ', *' 'NR > 1 { print int((1 - exp(-($NF - last) / 1e7)) * 1e6) }
			{ last = $NF }' p_clat.1.log | "$TOOLS/stats" ks 1000000)
		! awk -v d="$d" 'BEGIN { exit !(d < 4) }' || break
	done
	between 'gaps by chance' "$d" 0 4
	between 'about as many' "$(job read.total_ios)" 250 480
}

# ---- A device that stalls ------------------------------------------------------------------------

p99='percentile["99.000000"]'
stalled() { # stalled ARGUMENT... - 100 ms of each second
	go 0 --ioengine=null --null_stall=100ms --size=1t --rw=randread --rate_iops=1000 \
		--runtime=3500ms "$@"
	between "p99 from the intended start $*" "$(job "read.intended_lat_ns.$p99")" 80e6 2e9
}
hidden() { # one in flight at a time: only three I/Os have met a stall
	stalled
	between 'p99 of service' "$(job "read.clat_ns.$p99")" 0 30e6
	between 'those that met one' "$(job 'fio-like.engine.counters.stalled_requests')" 3 4
	run "$fio" --name=a --ioengine=null --size=1t --rw=randread --rate_iops=1000 --runtime=500ms
	says 'a line for people' '^    intended (.sec): min=' out
	says 'and percentiles' '^    intended percentiles' out
	# What others make of it.
	run "$fio" --name=a --ioengine=null --size=1t --rw=randread --rate_iops=1000 --runtime=200ms \
		--expect='read.intended.p50<10s; read.intended.min>1h'
	same 'an expectation that does not hold' $status 3
	says 'and one that does' 'PASS read.intended.p50' out
	run "$fio" --name=a --ioengine=null --size=1t --rw=randread --rate_iops=1000 --runtime=500ms \
		--output-format=jsonl --status-interval=200ms
	# An I/O that ends with the interval may be in one of the two already.
	between 'the lines of intervals have it' "$(($(head -n 1 out | json - read.intended_lat_ns.N) - \
		$(head -n 1 out | json - read.lat_ns.N)))" -1 1
	between 'all of them' "$(head -n 1 out | json - read.intended_lat_ns.N)" 20 300
}
no_rate() {
	go 0 --ioengine=null --size=1m --rw=randread
	! "$jsonq" out 'jobs[0].read.intended_lat_ns' >/dev/null 2>&1 || not_ok 'no rate, no start'
}

# ---- Too slow ------------------------------------------------------------------------------------

too_slow() { # too_slow ARGUMENT...
	go 1 --ioengine=null --size=1t --rw=read --rate_cycle=400 --null_delay=10ms "$@"
	same "EIO: $*" "$(job error)" 5
	says "which: $*" 'job a: rate_.*min=[0-9]* not met: got [0-9.]* .* of reads over 4[0-9]* ms' err
	check "results up to then: $*" test "$(job read.total_ios)" -gt 50
	between "after settling and one cycle: $*" "$(job read.runtime)" 2400 9000
}
fast_enough() {
	go 0 --ioengine=null --size=1t --rw=read --rate_cycle=200 --null_delay=10ms --runtime=2700ms \
		--rate_iops_min=20 --rate_min=80k,0
	same 'fast enough' "$(job error)" 0
}

# ---- thinktime -----------------------------------------------------------------------------------

# 20 pauses of 50 ms in each second: what was missed is caught up with, or forgotten.
caught_up() {
	go 0 $null --rw=read --rate_iops=1000 --thinktime=50ms --thinktime_blocks=50 --runtime=2
	between 'caught up with' "$(job read.total_ios)" 1500 2010
}
forgotten() {
	go 0 $null --rw=read --rate_iops=1000 --thinktime=50ms --thinktime_blocks=50 --runtime=2 \
		--rate_ignore_thinktime=1
	between 'forgotten' "$(job read.total_ios)" 600 1060
}
cycles() {
	go 0 $null --rw=read --number_ios=200 --thinkcycles=5000000 --iodepth=2
	check 'cycles take time' test "$(job read.runtime)" -ge 200
}

beside verified verified
beside verified-offload verified --io_submit_mode=offload
beside poisson poisson
beside hidden hidden
beside offload stalled --io_submit_mode=offload
beside none no_rate
beside slow too_slow --rate_iops_min=200
beside slow-bytes too_slow --rate_min=800k
beside slow-depth too_slow --rate_iops_min=600 --iodepth=4
beside slow-offload too_slow --rate_iops_min=600 --iodepth=4 --io_submit_mode=offload
beside enough fast_enough
beside think caught_up
beside forgotten forgotten
beside cycles cycles
together

# ---- Words ---------------------------------------------------------------------------------------

wrong() { # wrong PATTERN ARGUMENT...
	local pattern=$1
	shift
	run "$fio" --name=a --ioengine=null --size=1m "$@"
	check "refused: $*" test $status = 1
	says "why: $*" "$pattern" err
}
wrong 'without a rate I/Os have no intended start' --expect='read.intended.p99<1s'
wrong 'rate_iops and rate exclude each other' --rate=1m --rate_iops=5
wrong 'rate_iops_min is more than rate_iops allows for reads' --rate_iops=5 --rate_iops_min=6
wrong 'rate_process=poison: error: did you mean poisson' --rate_iops=5 --rate_process=poison
wrong 'rate=x' --rate=x
wrong 'rate_cycle=0' --rate_cycle=0
run "$fio" --name=a --ioengine=null --size=1m --rate_process=poisson
says 'a note' 'rate_process=poisson has no effect without rate or rate_iops' out err

finish
