# SPDX-License-Identifier: MIT
#
# The environment in the result against /sys, for NVMe, persistent memory and volumes.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/fields.sh"
. "$SRCDIR/t/vm/guest.sh"

at=targets[0].device

# ---- NVMe ----------------------------------------------------------------------------------------

nvme=$(vm_nvme)
name=${nvme#/dev/}
result --rw=read --filename="$nvme" --ioengine=io_uring
field 'NVMe' "$name" $at.name
field 'its kind' nvme $at.kind
field 'its model' "$(attr "/sys/block/$name/device/model")" $at.model
field 'its serial number' "$(attr "/sys/block/$name/device/serial")" $at.serial
field 'its firmware' "$(attr "/sys/block/$name/device/firmware_rev")" $at.firmware
field 'how it is attached' "$(attr "/sys/block/$name/device/transport")" $at.transport
field 'its state' live $at.state
field 'its name for the world' "$(attr "/sys/block/$name/wwid")" $at.wwid
field 'queues that are polled' "$(attr /sys/module/nvme/parameters/poll_queues)" $at.poll_queues
field 'its node' "$(attr "/sys/block/$name/device/numa_node")" $at.numa_node
device $at "/sys/block/$name"
field 'the engine' io_uring engines[0].name
check 'its library' grep -q '"liburing\.so\.' out
field 'a hypervisor' qemu virtualization.hypervisor
run "$fio" --name=j --size=64k --rw=read --filename="$nvme"
says 'a line for it' "^  $nvme: $name, $(attr "/sys/block/$name/device/model"), 256MiB, blocks 512/" \
	out
zoned=$(vm_nvme 2)
result --rw=read --filename="$zoned"
field 'zones' host-managed $at.zoned
device $at "/sys/block/${zoned#/dev/}"

disk=$(vm_virtio)
result --rw=read --filename="$disk"
field 'virtio' virtio $at.kind
field 'queues that are polled' "$(attr /sys/module/virtio_blk/parameters/poll_queues)" \
	$at.poll_queues
device $at "/sys/block/${disk#/dev/}"

# ---- Volumes -------------------------------------------------------------------------------------

lower=$(vm_null_blk lower size=64 memory_backed=1)
other=$(vm_null_blk other size=64 memory_backed=1)
volume=$(vm_dm volume "0 65536 striped 2 128 $lower 0 $other 0")
result --rw=read --filename="$volume"
field 'a volume' dm $at.kind
field 'its own name' volume $at.volume
names=$(for i in 0 1; do json out "fio-like.environment.$at.below[$i].device.name"; done | sort | tr '\n' ' ')
same 'what it is built of' "$names" 'lower other '
for i in 0 1; do
	below=$(json out "fio-like.environment.$at.below[$i].device.name")
	device "$at.below[$i].device" "/sys/block/$below"
done
vm_modules ext4
mkfs.ext4 -q "$volume" >&2
mkdir -p mnt
mount -t ext4 -o noatime "$volume" mnt || vm_die 'no mount'
result --rw=write --directory=mnt
field 'a file system' ext4 targets[0].filesystem.type
field 'where it is' "$PWD/mnt" targets[0].filesystem.mount_point
field 'its options' rw,noatime targets[0].filesystem.options
field 'on the volume' volume $at.volume
umount mnt

# A line of normal output names the stack.
run "$fio" --name=j --size=64k --rw=read --filename="$volume"
says 'a stack in a line' ': dm-[0-9]* on \(lower\|other\), 32.0MiB' out

# What changes.
"$fio" --name=j --rw=read --size=1m --filename="$lower" --time_based --runtime=3 --thinktime=1ms \
	--output-format=json --output=out 2>err &
pid=$!
sleep 1.5
scheduler=$(chosen /sys/block/lower/queue/scheduler)
echo mq-deadline >/sys/block/lower/queue/scheduler
wait $pid
change targets.0.device.scheduler "$scheduler" mq-deadline
check 'a finding' grep -q '"environment-changed"' out

# ---- Persistent memory ---------------------------------------------------------------------------

vm_fsdax mnt 1 >/dev/null
result --rw=write --directory=mnt --ioengine=mmap
field 'a file system' ext4 targets[0].filesystem.type

check 'dax among the options' sh -c "\"$TOOLS/jsonq\" out \
	fio-like.environment.targets[0].filesystem.fs_options | grep -q dax"
field 'persistent memory' pmem $at.kind
field 'its name' pmem1 $at.name
field 'takes dax' true $at.dax
field 'its mode' fsdax $at.namespace_mode
device $at /sys/block/pmem1
umount mnt
dax=$(vm_devdax 0)
if "$fio" --enghelp=dev-dax >/dev/null 2>&1; then
	result --rw=read --filename="$dax" --ioengine=dev-dax --bs=2m --size=2m
	field 'a character device' 'character device' targets[0].type
	dir=/sys/dev/char/$((16#$(stat -c %t "$dax"))):$((16#$(stat -c %T "$dax")))
	field 'its size' "$(attr "$dir/size")" targets[0].dax.size_bytes
	field 'its alignment' "$(attr "$dir/align")" targets[0].dax.align_bytes
else
	echo '# skipped: no engine dev-dax'
fi
finish
