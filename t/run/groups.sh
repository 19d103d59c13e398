#!/bin/bash
# SPDX-License-Identifier: MIT
#
# group_reporting with jobs that have little in common: sums and extremes are those of all, each
# engine's counters stay its own, and what lies below an engine is counted, too.

. "$SRCDIR/t/shell.sh"

check 'stack builds' $CC -shared -fPIC -Wall -Wextra -Werror ${SANFLAGS-} -I "$SRCDIR/include" \
	"$SRCDIR/examples/engines/stack.c" -o stack.so

group() { # group ARGUMENT... - a group of all jobs
	run "$fio" --output-format=json+ --group_reporting --size=256k "$@"
	same 'jobs in the result' "$("$jsonq" --len out jobs)" 1
}
own() { # own PATH - of the job's own object
	json out "jobs[0].fio-like.$1"
}

# ---- Jobs that differ ----------------------------------------------------------------------------

group --ioengine=null --name=a --rw=read --bs=4k --name=b --rw=randwrite --bs=8k --iodepth=4 \
	--name=c --rw=randrw --bs=16k --numjobs=2
same 'how many' "$(own jobs)" 4
same 'the name of the first' "$(json out 'jobs[0].jobname')" a
same 'the options of the last' "$(json out 'jobs[0].job options.bs')" 16k
same 'all bytes' "$(($(json out 'jobs[0].read.io_bytes') + $(json out 'jobs[0].write.io_bytes')))" \
	$((4 * 256 << 10))
check 'all reads' [ "$(json out 'jobs[0].read.total_ios')" = "$(json out 'jobs[0].read.clat_ns.N')" ]
check 'slat of those that have one' [ "$(json out 'jobs[0].write.slat_ns.N')" -ge 32 ]
group --ioengine=null --name=slow --rw=read --null_delay=2ms --number_ios=3 --name=fast --rw=read \
	--number_ios=50
same 'N of both' "$(json out 'jobs[0].read.clat_ns.N')" 53
check 'the maximum of the slow one' [ "$(json out 'jobs[0].read.clat_ns.max')" -ge 2000000 ]
check 'the minimum of the fast one' [ "$(json out 'jobs[0].read.clat_ns.min')" -lt 2000000 ]
group --ioengine=null --name=good --rw=read --name=bad --rw=read --null_fail_one_in=1
same 'one that fails: its error' "$(json out 'jobs[0].error')" 5
same 'one that fails: the other' "$(json out 'jobs[0].read.io_bytes')" 262144
run "$fio" --output-format=json --ioengine=null --size=64k --name=a --group_reporting --name=b \
	--name=c --group_reporting --name=d --group_reporting --new_group
same 'who did not ask stands alone' "$("$jsonq" out 'jobs[0].jobname' 'jobs[1].jobname' \
	'jobs[2].jobname' 'jobs[0].fio-like.jobs' | paste -sd' ')" 'a b d 2'

# ---- Samples of rates ----------------------------------------------------------------------------

run "$fio" --output-format=json --name=a --ioengine=null --size=1m --rw=randrw --time_based \
	--runtime=1 --bwavgtime=100 --iopsavgtime=250 --unified_rw_reporting=both --thinktime=100us
between 'bwavgtime: samples' "$(json out 'jobs[0].read.bw_samples')" 5 10
between 'iopsavgtime: samples' "$(json out 'jobs[0].read.iops_samples')" 2 4
for dir in read write mixed; do
	check "$dir: samples in order" awk -v lo="$(json out "jobs[0].$dir.iops_min")" \
		-v mean="$(json out "jobs[0].$dir.iops_mean")" \
		-v hi="$(json out "jobs[0].$dir.iops_max")" \
		'BEGIN { exit !(lo > 0 && lo <= mean && mean <= hi + 1) }'
done
run "$fio" --output-format=json --name=a --ioengine=null --size=1m --time_based --runtime=100ms \
	--bwavgtime=1
check 'a sample every ms' [ "$(json out 'jobs[0].read.bw_samples')" -gt 10 ]

# ---- Engines that differ -------------------------------------------------------------------------

group --name=a --ioengine=null --rw=read --null_fail_one_in=8 --continue_on_error=all \
	--name=b --ioengine=./stack.so --stack_below=null --stack_opts=null_short_one_in=4 \
	--stack_error_one_in=16 --continue_on_error=all --rw=read --iodepth=4 --numjobs=2 \
	--name=c --ioengine=psync --rw=read --filename=data
same 'engine of the first' "$(own engine.name)" null
same 'the others' "$("$jsonq" out 'jobs[0].fio-like.other_engines[0].name' \
	'jobs[0].fio-like.other_engines[1].name' 'jobs[0].fio-like.other_engines[2].name' |
	paste -sd' ')" 'stack null psync'
check 'its errors' [ "$(own engine.counters.injected_errors)" -gt 0 ]
same 'it cuts nothing short' "$(own engine.counters.injected_shorts)" 0
check 'the errors of the stack' [ "$(own 'other_engines[0].counters.stack_errors')" -gt 0 ]
same 'all errors' "$(own errors)" \
	$(($(own engine.counters.injected_errors) + $(own 'other_engines[0].counters.stack_errors')))
same 'below it' "$(own 'other_engines[1].below')" stack
check 'what is below cuts short' [ "$(own 'other_engines[1].counters.injected_shorts')" -gt 0 ]
same 'and does not fail' "$(own 'other_engines[1].counters.injected_errors')" 0

# A ramp does not count; two floors do.
run "$fio" --output-format=json --name=a --ioengine=./stack.so --stack_below=./stack.so \
	--stack_opts=stack_below=null --rw=read --size=64k --time_based --ramp_time=200ms \
	--runtime=100ms --stack_error_one_in=10 --continue_on_error=all
same 'two below' "$("$jsonq" --len out 'jobs[0].fio-like.other_engines')" 2
same 'after a ramp' "$(own errors)" "$(own engine.counters.stack_errors)"
run "$fio" --name=a --ioengine=./stack.so --stack_below=null --stack_opts=null_short_one_in=4 \
	--rw=read --size=64k --stack_error_one_in=4 --continue_on_error=all
says 'in text' '^  engine       : stack: stack_errors=[1-9]' out
says 'in text, below' '^  engine       : null below: injected_errors=0, injected_shorts=[1-9]' out

finish
