#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The clock of a run: each that can be asked for measures, and gtod_cpu goes on when the process that
# tells the time is killed, and leaves none behind.

. "$SRCDIR/t/shell.sh"

null=(--output-format=json --name=a --ioengine=null --rw=read --size=1m)
time_passes() { # time_passes WHAT CLOCK - a run of 200 ms by it
	same "$1: status" $status 0
	same "$1: the clock" "$(json out fio-like.clock.source)" "$2"
	between "$1: the time" "$(json out jobs[0].read.runtime)" 200 5000
	between "$1: latencies" "$(json out 'jobs[0].read.lat_ns.mean')" 0.000001 10000000
}
for clock in clock_gettime gettimeofday; do
	run "$fio" "${null[@]}" --clocksource=$clock --time_based --runtime=200ms --thinktime=100us
	time_passes $clock $clock
done
run "$fio" "${null[@]}" --clocksource=cpu
[ $status = 0 ] || says 'cpu: why not' 'clocksource=cpu: .*; use clocksource=clock_gettime' err
run "$fio" "${null[@]}" --clocksource=sundial
same 'another word: status' $status 1
says 'another word' 'gettimeofday' err
run "$fio" "${null[@]}" --clocksource=gettimeofday --name=b --ioengine=null --size=4k --rw=read \
	--clocksource=clock_gettime
same 'two clocks: the last' "$(json out fio-like.clock.source)" clock_gettime
says 'two clocks: a note' 'there is one for the whole run' out

allowed=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
last=${allowed##*[,-]}
if [ "$last" != "$allowed" ]; then
	run "$fio" "${null[@]}" --gtod_cpu=$last --time_based --runtime=200ms --thinktime=100us
	time_passes gtod_cpu gtod_cpu
	same 'gtod_cpu and clocksource' "$("$fio" "${null[@]}" --gtod_cpu=$last --clocksource=cpu |
		grep -c 'clocksource has no effect with gtod_cpu')" 1
	run "$fio" "${null[@]}" --gtod_cpu=$last --cpus_allowed=$last
	same 'gtod_cpu of the only CPU of a job: status' $status 1
	says 'gtod_cpu of the only CPU of a job' 'cpus_allowed' err

	"$fio" "${null[@]}" --gtod_cpu=$last --time_based --runtime=1 --thinktime=1ms >out 2>err &
	pid=$!
	soon eval '[ "$(children '$pid' | wc -w)" = 2 ]'
	for child in $(children $pid); do
		list=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/$child/status)
		if [ "$(cat /proc/$child/comm)" = fio-like-clock ]; then
			same 'the teller is on its CPU' "$list" "$last"
			teller=$child
		else
			check "the job is not on it ($list)" [ "$list" != "$last" -a "$list" != "$allowed" ]
			worker=$child
		fi
	done
	kill -KILL "$teller"
	wait $pid
	same 'the teller was killed: status' $? 0
	between 'the teller was killed: the time' "$(json out jobs[0].read.runtime)" 1000 20000
	check 'nobody is left' gone $pid "$teller" "$worker"
else
	echo '# one CPU: gtod_cpu was not tried'
fi
run "$fio" "${null[@]}" --gtod_cpu=4095
same 'no such CPU: status' $status 1
says 'no such CPU' 'gtod_cpu=4095' err

run "$fio" "${null[@]}" --job_start_clock_id=1
up=$(cut -d. -f1 /proc/uptime)
between 'job_start by CLOCK_MONOTONIC' "$(json out jobs[0].job_start)" 1 $(((up + 10) * 1000))
run "$fio" "${null[@]}" --job_start_clock_id=99
same 'no such clock: status' $status 1
says 'no such clock' 'job_start_clock_id=99' err

run "$fio" --cpuclock-test
if [ $status = 0 ]; then
	says 'the counter is tested' '^passed$' out
else
	says 'the counter is tested' '^FAILED: ' out
fi
finish
