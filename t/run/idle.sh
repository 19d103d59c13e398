#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --idle-prof: what it tells has fio's shape, what counts never takes a CPU from anybody (SCHED_IDLE),
# and nothing of it is left behind.

. "$SRCDIR/t/shell.sh"
FIO=${FIO:-fio}

job=(--name=a --ioengine=null --rw=read --size=1m --time_based --runtime=300ms --thinktime=1ms)
allowed=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //')
cpus=$(nproc)

run "$fio" "${job[@]}" --output-format=json --idle-prof=percpu
same 'percpu: status' $status 0
document percpu out
between 'percpu: all' "$(json out cpu_idleness.system)" 0 100
same 'percpu: one each' "$(grep -c '"cpu-[0-9]*" : ' out)" "$cpus"
sum=$(sed -n 's/.*"cpu-[0-9]*" : \([0-9.]*\).*/\1/p' out | awk -v n=$cpus '{ s += $1 } END { printf "%.3f", s / n }')
between "percpu: all is their mean ($allowed)" "$(json out cpu_idleness.system)" \
	"$(awk "BEGIN { print $sum - 0.01 }")" "$(awk "BEGIN { print $sum + 0.01 }")"
between 'percpu: the unit' "$(json out cpu_idleness.unit_mean)" 0.01 10000

shape() { # shape FILE - its lines without numbers
	sed -n '/^ *"cpu_idleness" : {/,/}/p; /^CPU idleness:/,/unit work/p' "$1" | sed 's/[0-9][0-9.]*/N/g; s/},/}/'
}
run "$fio" "${job[@]}" --output-format=json,normal --idle-prof=percpu
cp out ours
run "$FIO" "${job[@]}" --output-format=json,normal --idle-prof=percpu
same 'as fio writes it' "$(shape ours)" "$(shape out)"
run "$fio" "${job[@]}" --output-format=json,normal --idle-prof=system
check 'system: no single CPUs' [ "$(grep -c 'cpu-[0-9]\|percpu' out)" = 0 ]
says 'system: its line' '^  system: [0-9.]*%$' out

run "$fio" --idle-prof=calibrate
same 'calibrate: status' $status 0
says 'calibrate' '^  unit work: mean=[0-9.]*us, stddev=[0-9.]*$' out
run "$fio" --idle-prof=lazy --name=a
same 'another word: status' $status 1
says 'another word' 'idle-prof=lazy: .*system, percpu or calibrate' err

"$fio" "${job[@]}" --runtime=500ms --idle-prof=system >out 2>err &
pid=$!
others=1
tsan && others=3	# two are ThreadSanitizer's
counts() {
	for child in $(children $pid); do
		[ "$(cat /proc/$child/comm)" = fio-like-idle ] || continue
		counter=$child
		[ "$(ls /proc/$child/task | wc -l)" = $((cpus + others)) ] && return 0
	done
	return 1
}
counter=0
soon counts
idle() { # every thread but the first is of SCHED_IDLE (5)
	[ "$(cat /proc/$counter/task/*/stat | sed 's/.*) //' | awk '$39 == 5' | wc -l)" = $cpus ]
}
check 'who counts has the policy of the idle' soon idle
wait $pid
check 'nobody is left' gone $pid $counter
finish
