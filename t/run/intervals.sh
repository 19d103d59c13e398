#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The lines of jsonl: one per job and interval, one per job at the end, and they add up exactly, to
# the last bin, however a job ends. After a stall the maximum falls again.

. "$SRCDIR/t/shell.sh"

null=(--ioengine=null --size=1m)
timed=(--time_based --runtime=500ms)
often=(--output-format=jsonl --status-interval=100ms)

lines() { # lines TYPE - how many of the file out
	grep -c "^{\"type\":\"$1\"," out
}
add_up() { # add_up WHAT LEAST JOBS - at least so many intervals, so many jobs
	if "$TOOLS/sums" out >sums 2>&1; then ok; else not_ok "$1: sums" sums; fi
	between "$1: intervals" "$(lines interval)" "$2" 1000
	same "$1: jobs" "$(lines job)" "$3"
	same "$1: nothing else" "$(grep -cv '^{"type":".*}$' out)" 0
}
each() { # each PATH - of every line in out
	"$jsonq" --all out "$1"
}

# ---- All kinds of jobs ---------------------------------------------------------------------------

run "$fio" "${often[@]}" --name=a "${null[@]}" "${timed[@]}" --rw=read
same 'one job: status' $status 0
check 'one job: stderr is empty' [ ! -s err ]
add_up 'one job' 4 1
run "$fio" "${often[@]}" "${null[@]}" "${timed[@]}" --name=a --rw=randrw --lat_percentiles=1 \
	--name=b --rw=randtrim --numjobs=2 --name=c --rw=write --thread --thinktime=1ms
add_up 'several, clones, threads' 12 4
same 'several: the clones are told apart' "$(each number | sort -nu | paste -sd' ')" '0 1 2 3'
run "$fio" "${often[@]}" "${null[@]}" "${timed[@]}" --group_reporting --numjobs=3 --name=a \
	--rw=randrw --iodepth=4 --slat_percentiles=1 --unified_rw_reporting=both
add_up 'a group' 4 1
same 'a group: of three' "$(each jobs 2>&1 | sort -u | head -n 1)" 3
run "$fio" "${often[@]}" --name=a "${null[@]}" "${timed[@]}" --rw=randread --ramp_time=300ms
add_up 'a ramp' 4 1
run "$fio" "${often[@]}" --name=s --rw=write --size=512k --fsync=4 --time_based --runtime=300ms
add_up 'syncs' 1 1
check 'syncs: are there' [ "$(tail -n 1 out | "$jsonq" - sync.total_ios)" -gt 0 ]
run "$fio" "${often[@]}" --name=short "${null[@]}" --rw=read --name=long "${null[@]}" "${timed[@]}" \
	--rw=read --name=later --stonewall "${null[@]}" --rw=write
add_up 'one after the other' 4 3
same 'one after the other: nothing told twice' "$(grep -c '"interval".*"short"' out)" 1
run "$fio" "${often[@]}" --name=a "${null[@]}" "${timed[@]}" --gtod_reduce=1 --rw=read
add_up 'without latencies' 4 1
run "$fio" "${often[@]}" --name=a "${null[@]}" "${timed[@]}" --rw=randrw --unified_rw_reporting=1 \
	--iodepth=8 --null_delay=20us
add_up 'as one' 4 1
run "$fio" --output-format=jsonl --name=a "${null[@]}" --time_based --runtime=1100ms --rw=read
add_up 'once a second' 2 1

# ---- All kinds of ends ---------------------------------------------------------------------------

run "$fio" "${often[@]}" --name=e "${null[@]}" "${timed[@]}" --rw=randrw --null_fail_one_in=100 \
	--continue_on_error=all --thinktime=100us
add_up 'errors' 4 1
run "$fio" "${often[@]}" --name=e "${null[@]}" "${timed[@]}" --rw=randrw --iodepth=16 \
	--null_fail_one_in=1000 --null_short_one_in=50 --null_full_one_in=20 \
	--continue_on_error=all --null_delay=10us
add_up 'errors at depth' 4 1
run "$fio" "${often[@]}" --name=e --filename=/dev/full --rw=write --size=4k
same 'failed at once: status' $status 1
same 'failed at once: jobs' "$(lines job)" 1
run timeout -s INT 0.5 "$fio" "${often[@]}" --name=a "${null[@]}" --rw=randrw --iodepth=8 \
	--time_based --runtime=30 --null_delay=100us
add_up 'interrupted' 2 1
run "$fio" "${often[@]}" --name=bad
same 'refused: nothing' "$(wc -c <out)" 0

start() { # start ARGUMENT... - in the background, as $pid, with one worker as $worker
	"$fio" "${often[@]}" "$@" >out 2>err &
	pid=$!
	soon eval '[ "$(children '$pid' | wc -w)" = 1 ]' && soon test -s out
	worker=$(children $pid)
}
for depth in 1 8; do
	start --name=a "${null[@]}" --rw=randrw --iodepth=$depth --time_based --runtime=30
	kill -KILL $worker
	wait $pid
	add_up "worker killed at depth $depth" 1 1
done

# ---- A stall -------------------------------------------------------------------------------------

run "$fio" "${often[@]}" --name=a "${null[@]}" --rw=read --iodepth=4 --time_based --runtime=1 \
	--null_delay=100us --null_stall=250ms --null_stall_every=450ms
add_up 'a stall' 6 1
"$jsonq" --all out type interval read.clat_ns.max 2>/dev/null | paste - - - |
	awk '$1 == "interval" { print $3 }' >max
most=$(sort -n max | tail -n 1)
check 'a stall shows' [ "$most" -ge 200000000 ]
check 'and the maximum falls again' [ "$(sort -n max | head -n 1)" -lt $((most / 2)) ]

# ---- When asked ----------------------------------------------------------------------------------

"$fio" --output-format=jsonl --status-interval=60 --name=a "${null[@]}" --rw=read --time_based \
	--runtime=30 >out 2>err &
pid=$!
soon eval '[ -n "$(children '$pid')" ]'
sleep 0.3
kill -USR1 $pid
soon test -s out
same 'SIGUSR1: one line' "$(lines interval) $(lines job)" '1 0'
kill -TERM $pid
wait $pid
add_up 'SIGUSR1' 2 1

# ---- Beside other formats ------------------------------------------------------------------------

run "$fio" --output-format=jsonl,json,normal --name=a "${null[@]}" "${timed[@]}" --rw=read
sed -n '/^{$/,/^}$/p' out >doc
document 'beside json' doc
grep '^{"type":' out >lines
mv lines out
add_up 'beside json' 1 1
same 'beside json: the same' "$(tail -n 1 out | "$jsonq" - read.total_ios)" \
	"$(json doc 'jobs[0].read.total_ios')"
run "$fio" --output-format=jsonl --output=there --name=a "${null[@]}" --rw=read
check '--output' [ "$(wc -l <there) $(wc -c <out)" = '2 0' ]

finish
