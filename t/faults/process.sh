# SPDX-License-Identifier: MIT
#
# Cells of the fault matrix: what happens to the processes of a run, and what the system keeps from
# them.

long=(--rw=randread --size=1m --time_based)

# lasting SECONDS ARGUMENT... - two jobs of this engine at work: $pid, and $second, which is the
# process of the second, or of both if they are threads
lasting() {
	local seconds=$1
	shift
	start "${long[@]}" --runtime="$seconds" --numjobs=2 --directory=. --thinktime=200us "$@"
	eventually 20 at_work || wrong 'they did not start'
	sleep 0.5
	set -- $(workers)
	second=${2-$1}
}

at_work() {
	local wanted=2
	! threads || wanted=1
	[ "$(workers | wc -w)" = $wanted ]
}

# survives - the first job does if it has a process of its own
survives() {
	if threads; then
		[ "$(value 'jobs[0].error')" != 0 ] || wrong 'the first lives without a process'
	else
		is 'the error of the first' "$(value 'jobs[0].error')" 0
	fi
}

# ---- Workers that die ----------------------------------------------------------------------------

dies() { # dies SIGNAL WORDS
	lost=16
	lasting 2
	kill -"$1" "$second"
	ends 20
	complete 2
	is 'the status' "$status" 1
	[ "$(value 'jobs[1].error')" != 0 ] || wrong 'the second lives'
	survives
	told "signal $2"
	within 'I/Os of the first' "$(value 'jobs[0].read.total_ios')" 50 100000000
	within 'I/Os of the second' "$(value 'jobs[1].read.total_ios')" 50 100000000
}

fault_worker_kill() {
	dies KILL '9 (Killed)'
}

fault_worker_segv() {
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:handle_segv=0
	dies SEGV '11 (Segmentation fault)'
}

# A worker in a group with too little memory, and the first to be chosen by the kernel.
fault_oom() {
	in_group /sys/fs/cgroup/memory/fault-$cell.$$
	lost=100000
	lasting 3
	echo $((16 << 20)) >"$group/memory.limit_in_bytes"
	echo 1000 >"/proc/$second/oom_score_adj"
	"$FAULT_EATER" 64 "$group" &	# joins the group, then waits for the worker to join
	echo "$second" >"$group/cgroup.procs"
	wait $!
	ends 20
	complete 2
	is 'the status' "$status" 1
	told 'signal 9 (Killed)'
	[ "$(value "jobs[1].error")" != 0 ] || wrong 'it lives'
	survives
	within 'I/Os of the first' "$(value 'jobs[0].read.total_ios')" 50 100000000
}

fault_parent_kill() {
	lasting 60
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	FAULT_CELL=$cell
	eventually 5 nobody || wrong "workers left behind: $(marked | tr '\n' ' ')"
}

# ---- Signals -------------------------------------------------------------------------------------

fault_sigint() {
	lasting 60
	kill -INT "$pid"
	ends 10
	complete 2
	is 'the status' "$status" 130
	told 'stopped by SIGINT'
	within 'I/Os' "$(value 'jobs[1].read.total_ios')" 50 100000000
	is 'no error' "$(value 'jobs[0].error')" 0
}

fault_sigint_twice() {
	lasting 60
	kill -INT "$pid"
	kill -INT "$pid" 2>/dev/null
	ends 5
	complete 2
	is 'the status' "$status" 130
	within 'I/Os' "$(value 'jobs[1].read.total_ios')" 50 100000000
}

# A run that sleeps for a while ends at the time it was asked to, or soon after it wakes.
fault_sigstop() {
	lasting 2
	kill -STOP -- "-$pid"
	sleep 1
	kill -CONT -- "-$pid"
	ends 20
	complete 2
	well
	within 'the runtime, ms' "$(value 'jobs[0].read.runtime')" 1900 8000
}

# The wall clock goes back a day in the middle: nothing that is measured by it may be.
fault_clock() {
	export LD_PRELOAD=$FAULT_CLOCK${LD_PRELOAD:+:$LD_PRELOAD} FAULT_CLOCK_STEP=$2
	start "${long[@]}" --runtime=2 --directory=. --write_lat_log=log --log_unix_epoch=1
	ends 20
	unset LD_PRELOAD
	complete 1
	well
	within 'the runtime, ms' "$(value 'jobs[0].read.runtime')" 1900 4000
	within 'the longest, s' "$(($(value 'jobs[0].read.lat_ns.max') / 1000000000))" 0 3
	awk -F ', ' 'NR > 1 && $1 < last { bad = 1 } { last = $1 } END { exit bad }' log_lat.1.log ||
		wrong 'times in the log go back'
}

fault_clock_back() {
	fault_clock "$1" -86400
}

fault_clock_ahead() {
	fault_clock "$1" 86400
}

# ---- Limits --------------------------------------------------------------------------------------

fault_fork() {
	in_group /sys/fs/cgroup/pids/fault-$cell.$$
	echo 4 >"$group/pids.max"
	first "echo \$\$ >$group/cgroup.procs"
	# the files first: only the jobs are to be short of processes
	FAULT_CELL=$cell
	start "${long[@]}" --runtime=1 --numjobs=8 --directory=. --thinktime=200us
	ends 30
	complete 8
	is 'the status' "$status" 1
	told 'could not be started: Resource temporarily unavailable\|Resource temporarily'
	is 'the first ran' "$(value 'jobs[0].error')" 0
	is 'the last did not' "$(value 'jobs[7].error')" 11
}

fault_descriptors() {
	[ "$1" != null ] || none 'it has no files'
	first 'ulimit -n 24'
	go --rw=randread --nrfiles=64 --size=1m --directory=.
	if [ "$status" = 0 ]; then
		complete 1
		is 'bytes' "$(value 'jobs[0].read.io_bytes')" 1048576
	else
		told 'Too many open files\|descriptors\|openfiles'
	fi
}

# Root knows no limit of locked memory.
fault_memlock() {
	need_root
	command -v setpriv >/dev/null || none 'no setpriv'
	chmod 777 .
	head -c 1m "$fio" >data
	chmod 666 data
	cp -r "$FAULT_COPY" copy
	other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${other[@]}" test -r "$PWD/copy/engines" || none 'another user cannot come here'
	export FIO_LIKE_ENGINE_PATH=$PWD/copy/engines
	first 'ulimit -l 0' "${other[@]}" "$PWD/copy/fio-like"
	go --rw=read --filename=data --size=1m
	if [ "$1" = io_uring ] && [ "$status" != 0 ]; then
		told 'locked memory\|ulimit -l'
	else
		complete 1
		well
	fi
	go --rw=read --filename=data --size=1m --lockmem=16m
	is 'the status with lockmem' "$status" 1
	told 'lock'
}

fault_memory_limit() {
	in_group /sys/fs/cgroup/memory/fault-$cell.$$
	echo $((24 << 20)) >"$group/memory.limit_in_bytes"
	first "echo \$\$ >$group/cgroup.procs"
	# buffers of 64 MiB in a group of 24: whoever touches them all is killed
	lost=100
	start --rw=randread --size=128m --bs=64m --iodepth=1 --numjobs=1 --directory=. \
		--time_based --runtime=1 --name=b --ioengine="$1" --rw=randread --bs=4k --size=1m \
		--directory=.
	ends 40
	if [ "$status" -le 128 ]; then
		complete 2
		[ "$status" = 0 ] || [ -s err ] || wrong 'a failure without a word'
	elif [ "$status" != 137 ]; then
		wrong "status $status"
	fi
}

# ---- Where results go ----------------------------------------------------------------------------

fault_stdout_closed() {
	first 'exec >&-'
	start --rw=read --size=1m --directory=.
	ends 30
	is 'the status' "$status" 1
	told 'stdout\|standard output'
}

fault_stdout_full() {
	first 'exec >/dev/full'
	start --rw=read --size=1m --directory=.
	ends 30
	is 'the status' "$status" 1
	told 'No space left'
}

fault_log_full() {
	mounted tmpfs 64k
	go --rw=randread --size=8m --time_based --runtime=1 --write_lat_log=fs/log --directory=.
	complete 1
	is 'the status' "$status" 1
	told 'fs/log.*No space left\|No space left.*fs/log'
	within 'I/Os all the same' "$(value 'jobs[0].read.total_ios')" 50 100000000
}

fault_output_full() {
	mounted tmpfs 4k
	go --rw=randread --size=1m --directory=. --output=fs/result
	is 'the status' "$status" 1
	told 'fs/result.*No space left\|No space left.*fs/result'
}
