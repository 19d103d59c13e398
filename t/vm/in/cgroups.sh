# SPDX-License-Identifier: MIT
#
# cgroup and its weight in a hierarchy of version 2: all that t/run asks of it, with the scheduler
# bfq there, and a group whose I/O the kernel counts.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

top=/sys/fs/cgroup
check 'version 2 has the controller' grep -q -w io $top/cgroup.controllers
modprobe bfq 2>/dev/null
disk=$(vm_null_blk grouped size=64 memory_backed=1)
bash "$SRCDIR/t/run/cgroups.sh" >log 2>&1 || not_ok 'the test of t/run' log
if grep -q '^[0-9]* passed, 0 failed$' log; then
	passed=$((passed + $(sed -n 's/^\([0-9]*\) passed, .*/\1/p' log)))
else
	not_ok 'the test of t/run: it was skipped' log
fi

# What the job writes is counted for its group, of the device with this number.
number=$(lsblk -n -d -o MAJ:MIN "$disk" 2>/dev/null | tr -d ' ')
[ -n "$number" ] || number=$(cat "/sys/class/block/${disk##*/}/dev")
run "$fio" --name=j --filename="$disk" --rw=write --direct=1 --bs=64k --size=8m --cgroup=counted \
	--exec_postrun="cat $top/counted/io.stat"
same 'counted: status' $status 0
says 'counted' "^$number .*wbytes=8388608 " j.postrun.txt
check 'counted: the group is gone' [ ! -e $top/counted ]

if grep -q -w bfq "/sys/class/block/${disk##*/}/queue/scheduler"; then
	run "$fio" --name=j --filename="$disk" --rw=read --direct=1 --bs=4k --size=1m --ioscheduler=bfq \
		--cgroup=weighed --cgroup_weight=500 --exec_prerun="cat $top/weighed/io.bfq.weight"
	same 'bfq: status' $status 0
	says 'bfq: the weight' '500' j.prerun.txt
	says 'bfq: the scheduler' '\[bfq\]' "/sys/class/block/${disk##*/}/queue/scheduler"
fi
finish
