#!/bin/bash
# SPDX-License-Identifier: MIT
#
# That jobs run when, where, how long and how often the job file says.

. "$SRCDIR/t/shell.sh"

out() { # out PATH - of the last document
	json out "$1"
}

go() { # go ARGUMENT... - a run that must go well
	run "$fio" --output-format=json "$@"
	[ $status = 0 ] || not_ok "status $status of: $*" err
}

null=(--ioengine=null --rw=read --size=1m)
timed=(--time_based --runtime=300ms --thinktime=1ms)

# ---- Order -------------------------------------------------------------------------------------

after() { # after WHAT A B - job B of the report started when A was over
	between "$1" "$(out "jobs[$3].job_start")" \
		$(($(out "jobs[$2].job_start") + $(out "jobs[$2].job_runtime") - 20)) 99999999999999
}
abreast() { # abreast WHAT A B
	local a b
	a=$(out "jobs[$2].job_start") b=$(out "jobs[$3].job_start")
	between "$1" $((a > b ? a - b : b - a)) 0 150
}

go "${null[@]}" "${timed[@]}" --name=a --name=b --name=c --stonewall --name=d
abreast 'a beside b' 0 1
after 'c after a' 0 2
after 'c after b' 1 2
abreast 'd beside c' 2 3
same 'groups' "$(for i in 0 1 2 3; do out "jobs[$i].groupid"; done | tr '\n' ' ')" '0 0 1 1 '

# What one job leaves, the next after a stonewall finds: the data, not the layout.
go --filename=seen --size=64k --name=w --rw=write --name=r --rw=read --stonewall
same 'the data of the first' "$(out 'jobs[1].read.io_bytes')" 65536

go "${null[@]}" "${timed[@]}" --name=a --name=b --wait_for=a --name=c
after 'wait_for' 0 1
abreast 'beside wait_for' 0 2
go "${null[@]}" "${timed[@]}" --name=a --numjobs=2 --name=b --wait_for=a
after 'wait_for all clones' 1 2

go "${null[@]}" "${timed[@]}" --name=a --name=b --startdelay=300ms
between 'startdelay' $(($(out 'jobs[1].job_start') - $(out 'jobs[0].job_start'))) 290 450

# ---- Clones and groups -------------------------------------------------------------------------

go --name=clone --numjobs=3 --size=8k --rw=write
same 'clones' "$(out 'jobs[2].jobname')" clone
check 'clones have files of their own' [ -f clone.0.0 -a -f clone.1.0 -a -f clone.2.0 ]
rm -f clone.*
go --group_reporting --bs=4k --rw=write --name=group --numjobs=3 --size=8k --name=more --size=16k
same 'group: jobs in the report' "$("$jsonq" --len out jobs)" 1
same 'group: bytes' "$(out 'jobs[0].write.io_bytes')" $((3 * 8192 + 16384))
same 'group: N' "$(out 'jobs[0].write.clat_ns.N')" 10
same 'group: members' "$(out 'jobs[0].fio-like.jobs')" 4
rm -f group.* more.*
go "${null[@]}" --group_reporting --name=a --name=b --stonewall --name=c --new_group
same 'groups: jobs in the report' "$("$jsonq" --len out jobs)" 3
go "${null[@]}" --thread --numjobs=2 --name=a
check 'threads: two of them' [ "$(out 'jobs[1].read.total_ios')" = 256 ]

# ---- Where -------------------------------------------------------------------------------------

watch() { # watch N ARGUMENT... - a run in the background, until its N workers do I/O
	local n=$1
	shift
	"$fio" --output-format=json "${null[@]}" --time_based --runtime=30 --thinktime=1ms "$@" \
		>out 2>err &
	pid=$!
	soon at_work "$n"
}
at_work() {
	[ "$(children $pid | wc -w)" -ge "$1" ] && sleep 0.2
}
stop() {
	kill -TERM $pid
	wait $pid
}
status_of() { # status_of PID FIELD
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

watch 1 --name=a --nice=7
same nice "$(awk '{ sub(/.*\) /, ""); print $17 }' "/proc/$(children $pid | tr -d ' ')/stat")" 7
same 'the name of the process' "$(status_of $(children $pid) Name)" a
stop
watch 2 --thread --name=one --name=two --nice=5
threads=$(children $pid | tr -d ' ')
names='one thread host two '
tsan && names="fio-like ${names/thread/thread host thread}"	# two of them are ThreadSanitizer's
same 'threads: names' "$(cat "/proc/$threads/task/"*/comm | sort | tr '\n' ' ')" \
	"$names"
stop

cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
first=${cpus%%[-,]*}
watch 1 --name=a --cpus_allowed="$first"
same cpus_allowed "$(status_of $(children $pid) Cpus_allowed_list)" "$first"
stop
if [ "$(nproc)" -ge 2 ] && [[ $cpus == "$first-"* ]]; then
	second=$((first + 1))
	watch 2 --name=a --numjobs=2 --cpus_allowed="$first-$second" --cpus_allowed_policy=split
	same 'cpus_allowed_policy=split' "$(for worker in $(children $pid); do
		status_of $worker Cpus_allowed_list; done | sort -n | tr '\n' ' ')" \
		"$first $second "
	stop
	watch 1 --name=a --cpus_allowed="$first,$second"
	same 'cpus_allowed, both' "$(status_of $(children $pid) Cpus_allowed_list)" "$first-$second"
	stop
fi

watch 1 --name=a --cpumask=$((1 << first)) --prio=3 --prioclass=2
same cpumask "$(status_of $(children $pid) Cpus_allowed_list)" "$first"
if command -v ionice >/dev/null; then
	same 'prio, prioclass' "$(ionice -p $(children $pid))" 'best-effort: prio 3'
fi
stop
watch 1 --name=a --prioclass=3
if command -v ionice >/dev/null; then
	same 'prioclass=3' "$(ionice -p $(children $pid))" 'idle'
fi
stop
if [ "$(id -u)" = 0 ]; then
	watch 2 --name=a --uid=65534 --gid=65533 --name=b
	workers=$(children $pid)
	same 'uid' "$(for worker in $workers; do status_of $worker Uid; done | sort |
		tr '\t\n' '  ')" \
		'0 0 0 0 65534 65534 65534 65534 '
	same 'gid' "$(for worker in $workers; do status_of $worker Gid; done | sort |
		tr '\t\n' '  ')" \
		'0 0 0 0 65533 65533 65533 65533 '
	stop
	watch 1 --name=a --lockmem=2m
	# the address sanitizer makes mlock(2) do nothing
	[ -n "${SANFLAGS-}" ] || between 'lockmem' "$(grep -h VmLck "/proc/$pid/status" \
		"/proc/$(children $pid | tr -d ' ')/status" |
		awk '{ kb += $2 } END { print kb }')" 2048 4096
	stop
fi
if "$fio" --parse-only --name=a --size=4k --numa_cpu_nodes=0 >/dev/null 2>&1 &&
	[ -r /sys/devices/system/node/node0/cpulist ]; then
	watch 1 --name=a --numa_cpu_nodes=0 --numa_mem_policy=bind:0
	same numa_cpu_nodes "$(status_of $(children $pid) Cpus_allowed_list)" \
		"$(cat /sys/devices/system/node/node0/cpulist)"
	says numa_mem_policy 'bind:0' "/proc/$(children $pid | tr -d ' ')/numa_maps"
	stop
fi

# ---- The end of one is the end of others -------------------------------------------------------

short=(--time_based --runtime=200ms --thinktime=1ms)
long=(--time_based --runtime=20 --thinktime=1ms)
go "${null[@]}" --name=a "${short[@]}" --exitall --name=b "${long[@]}"
between exitall "$(out 'jobs[1].read.runtime')" 150 1500
go "${null[@]}" --name=a "${short[@]}" --name=b "${long[@]}" --exitall
between 'exitall: that of another job' "$(out 'jobs[1].read.runtime')" 150 1500
go "${null[@]}" --name=a "${short[@]}" --exitall --name=b "${long[@]}" --runtime=600ms --new_group
between 'exitall: another group' "$(out 'jobs[1].read.runtime')" 590 800
go "${null[@]}" --exit_what=all --name=a "${short[@]}" --exitall --name=b "${long[@]}" --new_group \
	--name=c "${long[@]}" --stonewall
between 'exit_what=all' "$(out 'jobs[1].read.runtime')" 150 1500
same 'exit_what=all: not begun' "$(out 'jobs[2].read.total_ios')" 0
go "${null[@]}" --exit_what=stonewall --name=a "${short[@]}" --exitall \
	--name=b "${long[@]}" --new_group --name=c "${short[@]}" --stonewall
between 'exit_what=stonewall' "$(out 'jobs[1].read.runtime')" 150 1500
between 'exit_what=stonewall: those behind it run' "$(out 'jobs[2].read.runtime')" 190 400
go "${null[@]}" --thread --name=a "${short[@]}" --exitall --numjobs=2 \
	--name=b "${long[@]}" --numjobs=2
between 'exitall: threads' "$(out 'jobs[3].read.runtime')" 150 1500

# ---- How long ----------------------------------------------------------------------------------

go --name=a --ioengine=null --rw=read --size=1m --time_based --runtime=700ms
between 'runtime' "$(out 'jobs[0].read.runtime')" 690 850
check 'time_based: over the file again' [ "$(out 'jobs[0].read.total_ios')" -gt 1000 ]
go --name=a "${null[@]}" --runtime=20
same 'not time_based: once' "$(out 'jobs[0].read.total_ios')" 256
go --name=a "${null[@]}" --loops=3
same 'loops' "$(out 'jobs[0].read.total_ios')" 768
go --name=a "${null[@]}" --io_size=100k
same 'io_size' "$(out 'jobs[0].read.io_bytes')" 102400
go --name=a "${null[@]}" --time_based --runtime=500ms --ramp_time=500ms --thinktime=5ms
between 'ramp: runtime behind it' "$(out 'jobs[0].read.runtime')" 490 650
between 'ramp: its I/Os do not count' "$(out 'jobs[0].read.total_ios')" 40 110
between 'ramp: rate' "$(out 'jobs[0].read.bw_bytes')" 300000 900000
go --name=a "${null[@]}" --io_size=40k --thinktime=20ms
between 'thinktime: runtime' "$(out 'jobs[0].read.runtime')" 180 400
check 'thinktime: not in the latency' [ "$(out 'jobs[0].read.lat_ns.max')" -lt 15000000 ]
go --name=a "${null[@]}" --io_size=40k --thinktime=40ms --thinktime_blocks=5
between 'thinktime_blocks' "$(out 'jobs[0].read.runtime')" 39 200
go "${null[@]}" --name=now --name=later --startdelay=200ms-400ms
between 'startdelay, a range' $(($(out 'jobs[1].job_start') - $(out 'jobs[0].job_start'))) 190 550
go --name=a --ioengine=null --iodepth=4 --size=32k --thinktime=30ms --thinktime_blocks=4 \
	--thinktime_blocks_type=issue
between 'thinktime_blocks_type=issue' "$(out 'jobs[0].read.runtime')" 29 200
go --name=a --ioengine=null --size=1g --time_based --runtime=600ms --thinktime=50ms \
	--thinktime_iotime=50ms
check 'thinktime_iotime: I/O goes on' [ "$(out 'jobs[0].read.total_ios')" -gt 1000 ]
between 'thinktime_iotime: half of the time' "$(awk -v n="$(out 'jobs[0].usr_cpu')" \
	-v s="$(out 'jobs[0].sys_cpu')" 'BEGIN { print n + s }')" 20 75
go --name=a "${null[@]}" --io_size=40k --thinktime=20ms --thinktime_spin=20ms
between 'thinktime_spin: CPU' "$(out 'jobs[0].usr_cpu')" 20 101

# ---- Files -------------------------------------------------------------------------------------

counters='jobs[0].fio-like.engine.counters'
go --name=open --ioengine=stdio --size=64k --loops=5 --filename=data
between 'opened once' "$(out "$counters.fopens")" 0 1
go --name=open --ioengine=stdio --size=64k --loops=5 --filename=data --reopen_each_loop=1
between 'reopen_each_loop' "$(out "$counters.fopens")" 5 6
go --name=open --size=64k --filename=data --unlink=1
check 'unlink' [ ! -e data ]
go --name=open --size=64k --filename=data --create_only=1
same 'create_only: laid out' "$(stat -c %s data)" 65536
same 'create_only: no I/O' "$(out 'jobs[0].read.total_ios')" 0
mkdir there
go --name=open --size=64k --nrfiles=4 --directory=there
same 'nrfiles, directory' "$(ls there | tr '\n' ' ')" 'open.0.0 open.0.1 open.0.2 open.0.3 '

# ---- Job files ---------------------------------------------------------------------------------

cat >one.fio <<'END'
; the first
[global]
ioengine=null
size=1m
[a]
bs=8k
[b]
rw = randread   # blanks are nothing
END
cat >two.fio <<'END'
[c]
ioengine=null
size=64k
END
names() {
	for ((i = 0; i < $("$jsonq" --len out jobs); i++)); do
		echo "$(out "jobs[$i].jobname"):$(out "jobs[$i].groupid")"
	done | tr '\n' ' '
}
go one.fio
same 'a job file' "$(names)" 'a:0 b:0 '
same 'a job file: its options' "$(out 'jobs[0].read.total_ios')" 128
go one.fio two.fio
same 'two job files' "$(names)" 'a:0 b:0 c:1 '
after 'two job files' 0 2
go --section=b one.fio
same --section "$(names)" 'b:0 '
go one.fio -x a --section b
same 'two --section' "$(names)" 'a:0 b:0 '
go -x c --section=b one.fio two.fio
same '--section of several files' "$(names)" 'b:0 c:1 '
go - <two.fio
same 'standard input' "$(names)" 'c:0 '
go --name=cli "${null[@]}" --size=4k two.fio
same 'a job beside a file' "$(names)" 'cli:0 c:0 '
go --bs=64k --size=128k one.fio
same 'defaults: weaker than the file' "$(out 'jobs[0].read.io_bytes')" 1048576
same 'defaults: where the file says nothing' "$(out 'jobs[1].read.total_ios')" 16

# ---- The command line --------------------------------------------------------------------------

same_job() { # same_job WHAT ARGUMENT...
	local what=$1
	shift
	go "$@"
	same "$what: bs" "$(out 'jobs[0].read.total_ios')" 32
	same "$what: rw" "$(out 'jobs[0].read.io_bytes')" 1048576
}
same_job '--opt=v' --name=x --ioengine=null --rw=randread --size=1m --bs=32k
same_job '--opt v' --name x --ioengine null --rw randread --size 1m --bs 32k
same_job '-opt=v' -name=x -ioengine=null -rw=randread -size=1m -bs=32k
same_job '-opt v' -name x -ioengine null -rw randread -size 1m -bs 32k
same_job 'beginnings' --nam=x --ioeng=null --rw=randread --siz=1m --bs=32k
same_job 'numbers that are meant' --name=x --ioengine=null --rw=randread \
	--size='(512k*2)' --bs=16k*2
SIZE=1m go --name=x --ioengine=null --size='${SIZE}' --bs='$pagesize'
same 'variables' "$(out 'jobs[0].read.io_bytes')" 1048576
go -o result --name=x "${null[@]}"
document '-o FILE' result

run "$fio" --showcmd one.fio
shown=$(cat out)
same '--showcmd: status' $status 0
go one.fio
names_before=$(names)
ios_before=$(out 'jobs[0].read.total_ios')
echo "$shown --output-format=json" | sed "s,^fio-like,'$fio'," >again.sh
run sh again.sh
same '--showcmd, run: jobs' "$(names)" "$names_before"
same '--showcmd, run: I/Os' "$(out 'jobs[0].read.total_ios')" "$ios_before"

quiet() { # quiet WHAT ARGUMENT... - nothing is said, nothing is done
	local what=$1
	shift
	run "$fio" "$@"
	same "$what: status" $status 0
	check "$what: silent" [ ! -s out -a ! -s err ]
}
quiet '--parse-only' --parse-only --name=never --size=1m
check '--parse-only: nothing made' [ ! -e never.0.0 ]
quiet '--parse-only, a file' --parse-only one.fio
quiet '--parse-only without a job' --parse-only --ioengine=null

run "$fio" --version
says --version '^fio-[0-9.]*-like-' out
run "$fio" --help
says --help '^  -o, --output=FILE' out
run "$fio" --cmdhelp
says '--cmdhelp' '^  iodepth ' out
run "$fio" --cmdhelp=bs
says '--cmdhelp=bs' 'bytes' out
run "$fio" --cmdhelp all
same '--cmdhelp all: status' $status 0
run "$fio" --enghelp
says '--enghelp' '^  psync ' out
check '--enghelp: nothing on stderr' [ ! -s err ]
run "$fio" --enghelp=null
says '--enghelp=null' '^  null_delay ' out
run "$fio" --enghelp=null,null_delay
says '--enghelp=null,null_delay' 'null_delay' out

finish
