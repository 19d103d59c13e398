#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A run that is stopped, at any point of its life: the report is complete and says what was
# measured, the status is 128 + the signal, and no process is left. The second signal means: now.

. "$SRCDIR/t/shell.sh"

json=(--output-format=json)
timed=(--size=1m --time_based --runtime=60)
null=(--ioengine=null --rw=randread "${timed[@]}" --thinktime=1ms)

start() { # start ARGUMENT... - a run in the background, in a process group of its own: $pid
	set -m
	"$fio" "${json[@]}" "$@" >out 2>err </dev/null &
	pid=$!
	set +m
}

# stopped WHAT SIGNAL STATUS MILLISECONDS [TARGET] - send it, look at the end of the run
stopped() {
	local what=$1 began workers
	workers=$(children $pid)
	began=$(date +%s%N)
	kill -"$2" -- "${5-$pid}"
	status=0
	soon gone $pid || kill -KILL $pid
	wait $pid || status=$?
	took=$((($(date +%s%N) - began) / 1000000))
	same "$what: status" $status "$3"
	document "$what" out
	between "$what: took ms" $took 0 "$4"
	check "$what: no process left" gone $workers
	says "$what: why" "^fio-like: stopped by SIG$2; " err
}

ios() { # ios JOB - its I/Os in the report
	json out "jobs[$1].read.total_ios"
}

workers_are() { # workers_are N
	[ "$(children $pid | wc -w)" = "$1" ]
}

# ---- In the middle -----------------------------------------------------------------------------

for signal in INT TERM; do
	start --numjobs=2 --name=a "${null[@]}"
	sleep 0.4
	stopped "SIG$signal" $signal $((128 + $(kill -l $signal))) 1500
	check "SIG$signal: measured" [ "$(ios 0)" -gt 50 ]
	check "SIG$signal: measured by both" [ "$(ios 1)" -gt 50 ]
	between "SIG$signal: runtime" "$(json out 'jobs[0].read.runtime')" 200 800
	same "SIG$signal: no error of the job" "$(json out 'jobs[0].error')" 0
done

start --numjobs=2 --name=a "${null[@]}"
sleep 0.4
stopped 'ctrl-C' INT 130 1500 -$pid
check 'ctrl-C: measured' [ "$(ios 1)" -gt 50 ]

start --thread --numjobs=2 --name=a "${null[@]}"
sleep 0.4
stopped 'threads, ctrl-C' INT 130 1500 -$pid
check 'threads: measured' [ "$(ios 1)" -gt 50 ]

start --name=a --rw=randwrite --filename=data "${timed[@]}"
sleep 0.4
stopped 'real I/O' TERM 143 1500
check 'real I/O: measured' [ "$(json out 'jobs[0].write.total_ios')" -gt 50 ]
rm -f data

start --name=a "${null[@]}" --thinktime=50s
sleep 0.4
stopped 'while thinking' INT 130 1500
between 'while thinking: measured' "$(ios 0)" 1 2

# ---- A device that does not answer --------------------------------------------------------------

# The first signal waits for what is in flight; the second has it cancelled, and nothing is missing.
for how in '' --thread --null_delay=1ms; do
	start --name=a --ioengine=null --rw=randread "${timed[@]}" --iodepth=8 \
		--null_hang_one_in=50 $how
	sleep 0.4
	kill -INT $pid
	sleep 0.2
	check "hangs $how: waits" [ -d /proc/$pid ]
	stopped "hangs $how" INT 130 1500
	hung=$(json out 'jobs[0].fio-like.engine.counters.hung_requests')
	between "hangs $how: some did" "$hung" 1 8
	says "hangs $how: told" "did not answer: $hung I/Os in flight were cancelled" out
	same "hangs $how: the others count" "$(json out 'jobs[0].read.clat_ns.N')" "$(ios 0)"
done

# An engine that cannot cancel is left at once, and the report says what is missing.
start --name=a --ioengine=null --rw=randread "${timed[@]}" --iodepth=8 --null_delay=50s
sleep 0.4
kill -INT $pid
sleep 0.2
stopped 'not hurried' INT 130 1500
says 'not hurried: told' '8 I/Os were in flight when the job was told to leave at once' out
same 'not hurried: none was done' "$(json out 'jobs[0].read.clat_ns.N')" 0

# ---- Before and between ------------------------------------------------------------------------

start --name=a --rw=read --size=8g --fallocate=none --create_fsync=0 --filename=big
soon [ -s big ]
stopped 'during layout' INT 130 2500
same 'during layout: the job is there' "$(json out 'jobs[0].jobname')" a
same 'during layout: no I/O' "$(ios 0)" 0
check 'during layout: it ended early' [ "$(stat -c %s big)" -lt 8000000000 ]
rm -f big

start --name=a "${null[@]}" --startdelay=50
soon workers_are 1
sleep 0.2
stopped 'startdelay' INT 130 1500
same 'startdelay: no I/O' "$(ios 0)" 0

start --name=a "${null[@]}" --ramp_time=50
sleep 0.4
stopped 'ramp' INT 130 1500
same 'ramp: the job is there' "$(json out 'jobs[0].jobname')" a

start --name=a "${null[@]}" --name=b --stonewall "${null[@]}" --name=c --wait_for=b "${null[@]}"
sleep 0.4
same 'waiting: one runs' "$(children $pid | wc -w)" 1
stopped 'waiting' TERM 143 1500
check 'waiting: the first has measured' [ "$(ios 0)" -gt 50 ]
same 'waiting: the second is there' "$(json out 'jobs[1].jobname')" b
same 'waiting: the second did nothing' "$(ios 1)" 0
same 'waiting: the third is there' "$(json out 'jobs[2].jobname')" c

# ---- Stuck -------------------------------------------------------------------------------------

# A worker that cannot hear: the first signal waits for it, the second does not.
start --name=stuck "${null[@]}" --name=b "${null[@]}"
soon workers_are 2
sleep 0.4
stuck=$(children $pid | cut -d' ' -f1)
kill -STOP "$stuck"
kill -INT $pid
sleep 0.5
check 'stuck: waits' kill -0 $pid
stopped 'stuck' INT 130 5000
check 'stuck: measured before' [ "$(ios 0)" -gt 50 ]
check 'stuck: the other has measured' [ "$(ios 1)" -gt 50 ]
check 'stuck: failed' [ "$(json out 'jobs[0].error')" != 0 ]
same 'stuck: the other did not fail' "$(json out 'jobs[1].error')" 0

# A read that never ends: the pipe is open for writing, and nobody writes.
mkfifo pipe
exec 8<>pipe
start --name=a --ioengine=sync --filename=pipe --rw=read --size=64k
soon workers_are 1
sleep 0.3
kill -INT $pid
sleep 0.3
stopped 'read of an empty pipe' INT 130 5000
exec 8>&-

# An open that never ends: nobody writes into this pipe.
start --name=a --ioengine=sync --filename=pipe --rw=read --size=64k
soon workers_are 1
sleep 0.3
kill -INT $pid
sleep 0.3
stopped 'open of a pipe' INT 130 5000

# ---- Before the run: parsing and help listen to signals as any program does --------------------

mkfifo jobs
"$fio" jobs >out 2>err &
pid=$!
sleep 0.2
kill -TERM $pid
wait $pid
same 'while reading a job file' $? 143

finish
