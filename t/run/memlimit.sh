#!/bin/bash
# SPDX-License-Identifier: MIT
#
# memory_limit: jobs and layout live in a control group, the parent does not; it is refused where it
# cannot be had; and no end of a run, however rude, leaves a group, a process or a file behind.

. "$SRCDIR/t/shell.sh"

json=(--output-format=json)
limited=(--memory_limit=16m --filename=data --bs=64k)
mib=$((1 << 20))

# ---- What needs no group -----------------------------------------------------------------------

run "$fio" --parse-only --name=a --rw=read --size=400%mem
same 'no limit to take a share of: status' $status 1
says 'no limit: why' 'size=400%mem: there is no memory_limit to take it of' err
run "$fio" --parse-only --name=a --memory_limit=16m --rw=read --size=1m --name=b --rw=read \
	--size=1m --memory_limit=32m
same 'two limits: status' $status 1
says 'two limits: why' 'there is one limit for the whole run' err
run "$fio" --parse-only --name=a --memory_limit=1k --rw=read --size=1m
same 'too small a limit: status' $status 1
says 'too small a limit: why' 'memory_limit=1k: error: must be 4m to' err

# ---- Refusals: nothing is made, nothing is run --------------------------------------------------

refused() { # refused WHAT PATTERN
	same "$1: status" $status 1
	says "$1: why" "$2" err
	check "$1: no file was made" [ ! -e data ]
	same "$1: nothing was run" "$(grep -c 'err=' out)" 0
}

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	run unshare -m sh -c 'for at in $(sed -n "s/^\([^ ]* \)\{4\}\([^ ]*\) .* - cgroup2* .*/\2/p" \
		/proc/self/mountinfo); do umount -l $at; done; exec "$@"' sh \
		"$fio" --name=a "${limited[@]}" --rw=read --size=1m
	refused 'no hierarchy' 'memory_limit=16777216: this system has no control groups with the memory'
fi
chmod 777 .
nobody=("$(command -v setpriv)" --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" = 0 ] && "${nobody[@]}" test -x "$fio" -a -w . 2>/dev/null; then
	run "${nobody[@]}" "$fio" --name=a "${limited[@]}" --rw=read --size=1m
	refused 'no permission' 'memory_limit=16777216: no control group can be made in .*Permission'
fi

run "$fio" --name=probe --ioengine=null --rw=read --size=4k --memory_limit=16m
if [ $status != 0 ]; then
	cat err
	[ $failed = 0 ] || finish
	echo 'no memory control group can be made here'
	exit 77
fi

# ---- Within the limit --------------------------------------------------------------------------

group() { # the group's folder, from the result
	json "${1:-out}" fio-like.memory_limit.cgroup
}
no_group() { # no_group [FOLDER] - it is gone
	[ ! -e "${1:-$(group)}" ]
}

run "$fio" "${json[@]}" --name=a "${limited[@]}" --rw=read --size=400%mem
same 'limit: status' $status 0
document 'limit' out
same 'limit: size is a share of it' "$(stat -c %s data)" $((64 * mib))
same 'limit: all was read' "$(json out 'jobs[0].read.io_bytes')" $((64 * mib))
same 'limit: in force' "$(json out fio-like.memory_limit.bytes)" $((16 * mib))
between 'limit: peak' "$(json out fio-like.memory_limit.peak_bytes)" $((4 * mib)) $((16 * mib))
check 'limit: it stood in the way' [ "$(json out fio-like.memory_limit.reclaims)" -gt 0 ]
same 'limit: nobody was killed' "$(json out fio-like.memory_limit.killed)" 0
check 'limit: the group is gone' no_group
if [ "$(stat -f -c %T .)" != tmpfs ]; then
	# What an earlier run left in the cache is charged elsewhere, so it is dropped first.
	cat data >/dev/null
	run "$fio" "${json[@]}" --name=a "${limited[@]}" --rw=read --size=64m --invalidate=0
	between 'limit: holds for what was cached before' \
		"$(json out 'jobs[0].fio-like.cache.after.cached')" 0 \
		$((16 * mib / $(getconf PAGESIZE)))
fi
run "$fio" --name=a "${limited[@]}" --rw=read --size=33%mem --io_size=1m --offset=1m
same 'limit: line' "$(grep -c '^Memory limit: 16.0MiB, peak=' out)" 1

# Layout alone reaches the limit: it is done inside.
rm data
run "$fio" "${json[@]}" --name=a "${limited[@]}" --rw=read --size=64m --create_only=1
check 'layout: inside' [ "$(json out fio-like.memory_limit.reclaims)" -gt 0 ]
same 'layout: complete' "$(stat -c %s data)" $((64 * mib))
run "$fio" --name=a --thread --numjobs=2 "${limited[@]}" --rw=read --size=1m
same 'threads: status' $status 0

# ---- Ends --------------------------------------------------------------------------------------

start() { # start ARGUMENT... - in the background, in a process group of its own: $pid, $place
	set -m
	"$fio" "${json[@]}" "$@" --memory_limit=16m >out 2>err </dev/null &
	pid=$!
	set +m
	soon in_group
	place=$(place_of $worker)
}
place_of() { # place_of PID - the folder of its group
	local dir
	for dir in $(find /sys/fs/cgroup -type d -name 'fio-like.*' 2>/dev/null); do
		! grep -qx "$1" "$dir/cgroup.procs" 2>/dev/null || echo "$dir"
	done
}
in_group() { # one of the run's processes has entered: $worker
	for worker in $(children $pid); do
		[ -z "$(place_of $worker)" ] || return 0
	done
	return 1
}
everybody() { # everybody - all processes of the run but the parent
	children $pid
}
long=(--name=a --filename=data --bs=64k --rw=read --size=1m --time_based --runtime=60)

start "${long[@]}"
check 'a worker is inside' [ -n "$place" ]
check 'the parent is outside' [ -z "$(place_of $pid)" ]
others=$(everybody)
kill -INT -- -$pid
wait $pid
document 'SIGINT' out
check 'SIGINT: no process left' soon gone $others
check 'SIGINT: no group left' no_group "$place"

start "${long[@]}"
others=$(everybody)
kill -KILL $worker
wait $pid
same 'killed worker: status' $? 1
document 'killed worker' out
check 'killed worker: no process left' soon gone $others
check 'killed worker: no group left' no_group "$place"

for target in "" -; do
	start "${long[@]}"
	others=$(everybody)
	kill -KILL -- $target$pid
	wait $pid 2>/dev/null
	check "killed parent: no process left" soon gone $others
	check "killed parent: no group left" soon no_group "$place"
done

# Parent and keeper at once: the next run takes away what they left.
start "${long[@]}"
others=$(everybody)
kill -KILL $pid $others
wait $pid 2>/dev/null
soon gone $pid $others
run "$fio" --name=a "${limited[@]}" --rw=read --size=1m
check 'all killed: the next run cleans up' no_group "$place"

# The kernel ends a worker that cannot live with so little; the report says so.
run "$fio" "${json[@]}" --name=a --memory_limit=16m --ioengine=null --rw=write --bs=64m --size=64m
same 'too little memory: status' $status 1
document 'too little memory' out
check 'too little memory: it is told' [ "$(json out fio-like.memory_limit.killed)" -ge 1 ]
check 'too little memory: no group left' no_group

# A full disk, found out before and while.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir small
	run unshare -m sh -c 'mount -t tmpfs -o size=8m none small && cd small && "$@"; ls -A' sh \
		"$fio" --name=a "${limited[@]}" --rw=read --size=12m --output=../text
	says 'no room: told before' 'laying out its files takes 12.0MiB, and .* only 8192KiB are' err
	same 'no room: nothing was made' "$(cat out)" ''
	run unshare -m sh -c 'mount -t tmpfs -o size=8m none small && cd small && "$@"; ls -A' sh \
		"$fio" "${json[@]}" --name=a "${limited[@]}" --rw=write --size=12m --fallocate=none \
		--output=../text
	document 'full disk' text
	same 'full disk: ENOSPC' "$(json text 'jobs[0].error')" 28
	same 'full disk: only the data file is left' "$(cat out)" data
	check 'full disk: no group left' no_group "$(group text)"
fi

finish
