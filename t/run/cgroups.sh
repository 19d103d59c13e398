#!/bin/bash
# SPDX-License-Identifier: MIT
#
# cgroup, cgroup_weight, cgroup_nodelete, in the hierarchy that is mounted (t/vm has version 2): jobs
# are where they are to be, weights are set, and no end of a run leaves a group behind.

. "$SRCDIR/t/shell.sh"

null=(--ioengine=null --rw=read --size=4k)
name=fio-like-test-$$

# ---- What needs no group -----------------------------------------------------------------------

run "$fio" "${null[@]}" --name=j --cgroup_weight=100
says 'a weight of nothing' 'note: .*cgroup_weight has no effect: .*give cgroup=' out
run "$fio" "${null[@]}" --name=j --cgroup=a/../../b
same 'a name with ..: status' $status 1
says 'a name with ..' "cgroup=a/../../b: it is to be the name of a group.* without '..'" err
run "$fio" "${null[@]}" --name=j --cgroup=x --cgroup_weight=20000
same 'too much: status' $status 1
says 'too much' 'cgroup_weight=20000: error: must be 1 to 10000' err

top=$(awk '$8 == "cgroup" || $9 == "cgroup" || $10 == "cgroup" { if ($0 ~ /[ ,]blkio(,|$)/) print $5 }' \
	/proc/self/mountinfo)
version=1
if [ -z "$top" ]; then
	version=2
	top=$(sed -n 's/^\([^ ]* \)\{4\}\([^ ]*\) .* - cgroup2 .*/\2/p' /proc/self/mountinfo | head -n 1)
fi
mkdir "$top/$name" 2>/dev/null && rmdir "$top/$name"
if [ $? != 0 ] || { [ $version = 2 ] && ! grep -q -w io "$top/cgroup.controllers"; }; then
	[ $failed = 0 ] || finish
	echo 'no control group for I/O can be made here'
	exit 77
fi

# ---- Where jobs are ----------------------------------------------------------------------------

where() { # where FILE - the group that a file of /proc/PID/cgroup says
	sed -n "s/^[0-9]*:\(.*,\)*blkio\(,.*\)*:\(.*\)/\3/p" "$1" | grep . ||
		sed -n 's/^0::\(.*\)/\1/p' "$1"
}

run "$fio" "${null[@]}" --name=in --cgroup="$name" --exec_prerun='cat /proc/self/cgroup' \
	--name=beside "${null[@]}" --exec_prerun='cat /proc/self/cgroup'
same 'status' $status 0
same 'in its group' "$(where in.prerun.txt)" "/$name"
check 'another job is not' [ "$(where beside.prerun.txt)" != "/$name" ]
check 'the group is gone' [ ! -e "$top/$name" ]

run "$fio" --thread "${null[@]}" --name=in --cgroup="$name" --exec_prerun='cat /proc/self/cgroup' \
	--name=beside "${null[@]}" --exec_prerun='cat /proc/self/cgroup'
if [ $version = 1 ]; then
	same 'a thread alone' "$(where in.prerun.txt)" "/$name"
	check 'the other thread is not' [ "$(where beside.prerun.txt)" != "/$name" ]
else
	same 'threads: status' $status 1
	says 'threads' "cgroup=$name: threads cannot be in a group of their own (version 2" err
	run "$fio" "${null[@]}" --name=j --cgroup="$name" --memory_limit=32m
	same 'beside memory_limit: status' $status 1
	says 'beside memory_limit' "cgroup=$name: memory_limit has a group of its own" err
fi
check 'threads: the group is gone' [ ! -e "$top/$name" ]

mkdir "$top/$name"
run "$fio" "${null[@]}" --name=j --cgroup="$name"
check 'a group that was there stays' [ -d "$top/$name" ]
run "$fio" "${null[@]}" --name=j --cgroup="$name/below" --cgroup_nodelete=1
check 'cgroup_nodelete' [ -d "$top/$name/below" ]
rmdir "$top/$name/below" "$top/$name"
run "$fio" "${null[@]}" --name=j --cgroup="$name/below"
same 'no folder: status' $status 1
says 'no folder' "cgroup=$name/below: the folder that it is to be made in, $top/$name, is not" err

# ---- Weights -----------------------------------------------------------------------------------

weights='cd '"$top/$name"' && cat blkio.weight blkio.bfq.weight io.weight io.bfq.weight 2>/dev/null'
run "$fio" "${null[@]}" --name=j --cgroup="$name" --cgroup_weight=321 --exec_prerun="$weights; true"
if [ $status = 0 ]; then
	same 'the weight' "$(grep -o -w 321 j.prerun.txt | sort -u)" 321
	if [ $version = 1 ]; then
		run "$fio" "${null[@]}" --name=j --cgroup="$name" --cgroup_weight=2000
		same 'no weight of this version: status' $status 1
		says 'no weight of this version' 'weight: .*; weights are 1 to 1000' err
	fi
else
	says 'no weights here' 'cgroup_weight=321: this kernel has no weights' err
fi
check 'weights: the group is gone' [ ! -e "$top/$name" ]

# ---- Ends --------------------------------------------------------------------------------------

began() {
	grep -q . "$top/$name/cgroup.procs" 2>/dev/null
}
for signal in INT KILL; do
	"$fio" "${null[@]}" --name=j --time_based --runtime=30 --thinktime=1ms --cgroup="$name" \
		>out 2>err &
	check "SIG$signal: it runs there" soon began
	kill -$signal $!
	wait $! 2>/dev/null
	check "SIG$signal: the group is gone" soon [ ! -e "$top/$name" ]
done
finish
