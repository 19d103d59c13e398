# SPDX-License-Identifier: MIT
#
# Findings that need devices or control groups the test machine may not have: NVMe, device-mapper,
# null_blk that forgets what was trimmed, control groups of version 2; and a kernel older than
# cachestat(2). The CPU is emulated: it is busy all the time, and its clock is none; once that is
# looked at, else left out.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

ids() { # ids ARGS... - of what is found, notes in brackets
	local i=0 id
	run "$fio" --output-format=json --output=json --percentile_list=50 "$@"
	while id=$(json json "fio-like.trust.findings[$i].id" 2>/dev/null); do
		case "$id $(json json "fio-like.trust.findings[$i].severity")" in
		cpu-* | samples* | clock*) ;;
		*note) echo "($id)" ;;
		*) echo "$id" ;;
		esac
		i=$((i + 1))
	done | sort | tr '\n' ' '
}

nvme=$(vm_nvme)
dd if=/dev/urandom of="$nvme" bs=1M count=32 oflag=direct 2>/dev/null
run "$fio" --output-format=json --output=json --name=a --ioengine=null --size=1m
says 'an emulated counter is not invariant' '"id" : "clock"' json
read="--name=a --rw=randread --bs=64k --direct=1"
same 'NVMe' "$(ids $read --filename="$nvme" --size=16m)" ''
same 'less than such a disk has of memory' "$(ids $read --filename="$nvme" --size=192k)" \
	'(small-file) '

ata=$(vm_ata)
dd if=/dev/urandom of="$ata" bs=1M count=16 oflag=direct 2>/dev/null
same 'less than the buffer of a disk' "$(ids $read --filename="$ata" --size=192k)" 'small-file '
echo 0 >"/sys/block/${ata#/dev/}/queue/rotational"
same 'more than that' "$(ids $read --filename="$ata" --size=16m)" ''

# Reads of what was trimmed, or never written.
blank=$(vm_null_blk blank size=64 memory_backed=1 discard=1)
same 'a device that was never written' "$(ids $read --filename="$blank" --size=16m)" 'trimmed '
dd if=/dev/urandom of="$blank" bs=1M count=16 oflag=direct 2>/dev/null
same 'written' "$(ids $read --filename="$blank" --size=16m)" ''
blkdiscard "$blank"
same 'trimmed' "$(ids $read --filename="$blank" --size=16m)" 'trimmed '

# Two volumes on one disk: what happens on the other one counts.
dm=$(vm_dm first "0 65536 linear $nvme 0")
same 'a volume' "$(ids $read --filename="$dm" --size=16m)" ''
other=$(vm_dm second "0 65536 linear $nvme 0")
while dd if="$other" of=/dev/null bs=1M count=16 iflag=direct 2>/dev/null; do :; done &
pid=$!
same 'somebody on the disk below' \
	"$(ids $read --filename="$dm" --size=16m --time_based --runtime=3)" 'foreign-io '
kill $pid
wait $pid 2>/dev/null

# Without cachestat(2) the disk's sectors tell what did not arrive.
vm_modules ext4
mkfs.ext4 -q -b 4096 "$dm" 32M >&2
mkdir -p mnt
mount -t ext4 "$dm" mnt
same 'a buffered write' "$(ids --name=a --rw=write --bs=64k --size=8m --filename=mnt/f)" 'dirty '
same 'with a sync' \
	"$(ids --name=a --rw=write --bs=64k --size=8m --filename=mnt/g --end_fsync=1)" ''
umount mnt
dmsetup remove_all
dd if=/dev/urandom of="$nvme" bs=1M count=32 oflag=direct 2>/dev/null

# Control groups of version 2.
cg=/run/cg
mkdir -p $cg
mount -t cgroup2 none $cg || vm_die "there is no cgroup2"
echo '+cpu +io' >$cg/cgroup.subtree_control
mkdir $cg/job
inside() { # inside ARGS... - ids of a run within the group
	printf '#!/bin/sh\necho $$ >%s/job/cgroup.procs\nexec %s "$@"\n' $cg "$FIO_LIKE" >inside
	chmod +x inside
	fio=./inside
	ids "$@"
	fio=$FIO_LIKE
}
echo '10000 100000' >$cg/job/cpu.max
same 'a CPU that is held back' \
	"$(inside --name=a --ioengine=null --size=1g --time_based --runtime=3)" 'throttled '
echo max >$cg/job/cpu.max
echo "$(cat "/sys/block/${nvme#/dev/}/dev") rbps=4194304" >$cg/job/io.max
same 'a disk that is held back' "$(inside $read --rw=read --filename="$nvme" --size=12m)" \
	'io-bound '

finish
