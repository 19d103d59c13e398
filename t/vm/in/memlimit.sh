# SPDX-License-Identifier: MIT
#
# memory_limit in a hierarchy of version 2, on a file system whose pages can be evicted: all that
# t/run asks of it, and that a group is made upwards where processes of one's own are in the way.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

disk=$(vm_null_blk limited size=256 memory_backed=1)
vm_modules ext4
mkfs.ext4 -q "$disk" >/dev/null
mount -t ext4 "$disk" /mnt
mkdir /mnt/work
cd /mnt/work || exit 1

# The same test as elsewhere, and it is not one of those that are skipped.
bash "$SRCDIR/t/run/memlimit.sh" >log 2>&1 || not_ok 'the test of t/run' log
if grep -q '^[0-9]* passed, 0 failed$' log; then
	passed=$((passed + $(sed -n 's/^\([0-9]*\) passed, .*/\1/p' log)))
else
	not_ok 'the test of t/run: it was skipped' log
fi
rm -f data log

job=(--name=a --filename=data --rw=read --bs=64k --size=32m --memory_limit=16m
	--output-format=json)
run "$fio" "${job[@]}"
same 'version' "$(json out fio-like.memory_limit.cgroup_version)" 2
between 'peak' "$(json out fio-like.memory_limit.peak_bytes)" 0 $((16 << 20))
check 'it stood in the way' [ "$(json out fio-like.memory_limit.reclaims)" -gt 0 ]

# In a group of our own, which holds this shell: the new one is made beside it, not in it.
mkdir -p /sys/fs/cgroup/slice/shell
echo +memory >/sys/fs/cgroup/slice/cgroup.subtree_control
echo $$ >/sys/fs/cgroup/slice/shell/cgroup.procs
run "$fio" "${job[@]}"
same 'beside: status' $status 0
same 'beside: place' "$(dirname "$(json out fio-like.memory_limit.cgroup)")" /sys/fs/cgroup/slice
same 'beside: nothing is left' "$(ls -d /sys/fs/cgroup/slice/fio-like* 2>/dev/null)" ''

# The cache of version 2 tells the same story.
TMPDIR=/mnt/work MEMORY=32m run "$fio" "$SRCDIR/jobs/use-once.ini" --section=random.cold \
	--section=random.stream-read --section=random.after-read --output-format=json
same 'use-once: status' $status 0
same 'use-once: evicted' "$(json out 'jobs[2].fio-like.faults.major')" 2560

echo $$ >/sys/fs/cgroup/cgroup.procs
cd /
umount /mnt
finish
