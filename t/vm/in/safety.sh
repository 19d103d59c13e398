# SPDX-License-Identifier: MIT
#
# Who lives on a device: partitions, swap, volumes of device-mapper and md, loop devices, side
# doors. What lies on one is in t/run/safety.sh.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"
unset FIO_LIKE_ALLOW_DESTROY

sum() { # sum DEVICE - of its first 4 MiB, where every job here would write
	blockdev --flushbufs "$1"
	head -c 4194304 "$1" | md5sum
}

# refused DEVICE PATTERN [ARGUMENT...] - writing to it is refused, in these words, and changes nothing
refused() {
	local dev=$1 pattern=$2 before
	shift 2
	before=$(sum "${look:-$dev}")
	run "$fio" --name=j --size=64k --rw=write --filename="$dev" "$@"
	same "$dev: status" $status 1
	says "$dev" "$pattern" err
	says "$dev: the way out" "allow_destroy=" err
	same "$dev: nothing has changed" "$(sum "${look:-$dev}")" "$before"
}
allowed() { # allowed DEVICE [ARGUMENT...]
	local dev=$1
	shift
	run "$fio" --name=j --size=64k --rw=write --filename="$dev" "$@"
	[ $status = 0 ] && ok || not_ok "$dev $*" err
}
format() { # format DEVICE
	mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0 "$1" >&2 ||
		vm_die "no file system on $1"
}

# ---- Partitions ----------------------------------------------------------------------------------

disk=$(vm_virtio)
vm_modules ext4 loop
# Two of 64 MiB each, from 1 MiB on.
dd if=/dev/zero of="$disk" bs=1M count=132 2>/dev/null
dd if=/dev/zero of="$disk" bs=1M count=1 seek=255 2>/dev/null
allowed "$disk"
dd if=/dev/zero of="$disk" bs=1M count=1 2>/dev/null	# without the bytes of that
{
	printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\0\002\0'
	printf '\0\0\0\0\203\0\0\0\0\010\002\0\0\0\002\0'
} | dd of="$disk" bs=1 seek=446 conv=notrunc 2>/dev/null
printf '\125\252' | dd of="$disk" bs=1 seek=510 conv=notrunc 2>/dev/null
blockdev --rereadpt "$disk"
vm_wait "${disk}2"
one=${disk}1 two=${disk}2
refused "$disk" "$disk carries data: partition table (dos)"
allowed "$one"
format "$one"
refused "$one" "$one carries data: ext4"
allowed "$two"
mkdir -p mnt
mount -t ext4 "$one" mnt || vm_die "no mount of $one"
sync
refused "$disk" "in use: partition ${one#/dev/} is mounted on $PWD/mnt"
refused "$one" "$one is mounted on $PWD/mnt"
refused "$one" 'is mounted on' --allow_destroy="$disk:$two"
ln -sf "$one" link
refused link 'is mounted on' --rw=randtrim
mknod node b $((16#$(stat -c %t "$one"))) $((16#$(stat -c %T "$one")))
refused node "node (${one#/dev/}) is mounted on"
allowed "$two"
allowed "$one" --allow_mounted_write=1 --offset=32m
allowed "$disk" --allow_mounted_write=1 --offset=200m
umount mnt

# ---- Swap ----------------------------------------------------------------------------------------

mkswap "$two" >/dev/null
refused "$two" 'carries data: swap area'
swapon "$two"
refused "$two" "$two is used as swap"
refused "$disk" "partition ${two#/dev/} is used as swap" --allow_mounted_write=1
swapoff "$two"
dd if=/dev/zero of="$two" bs=1M count=1 2>/dev/null
allowed "$two"

# ---- Loop devices over a device ------------------------------------------------------------------

loop=$(losetup -f)
losetup "$loop" "$two"
refused "$two" "${loop#/dev/}, which stands on $two"
allowed "$loop"
mount -t ext4 "$one" mnt
losetup -d "$loop"
losetup -o 32768 "$loop" "$one"
refused "$loop" "${one#/dev/}, on which it stands, is mounted on"
umount mnt
losetup -d "$loop"

# ---- device-mapper -------------------------------------------------------------------------------

below=$(vm_null_blk below size=64 memory_backed=1)
volume=$(vm_dm volume "0 65536 linear $below 0")
name=$(basename "$(readlink -f "$volume")")
[ -b "/dev/$name" ] || name=dm-0
refused "$below" "in use: there is $name (volume), which is built on it"
allowed "$volume"
format "$volume"
refused "$volume" 'carries data: ext4'
mount -t ext4 "$volume" mnt
sync
refused "$below" "in use: $name (volume), which is built on it, is mounted on"
refused "$volume" 'is mounted on'
umount mnt
upper=$(vm_dm upper "0 32768 linear $volume 0")
refused "$volume" '(upper), which is built on it'
refused "$below" '(volume), which is built on it'
allowed "$below" --allow_destroy="$below"
dmsetup remove upper
dmsetup remove volume
dd if=/dev/zero of="$below" bs=1M count=64 2>/dev/null
allowed "$below"

# A file that a loop device stands on, which a mounted volume stands on.
rm -f image
dd if=/dev/zero of=image bs=1M count=32 2>/dev/null
loop=$(losetup -f)
losetup "$loop" image
allowed image --offset=1m
dd if=/dev/zero of=image bs=1M count=2 conv=notrunc 2>/dev/null
volume=$(vm_dm volume "0 65536 linear $loop 0")
format "$volume"
mount -t ext4 "$volume" mnt
sync
refused image "file image is what $loop stands on, and .*(volume), which is built on it, is mounted on"
refused "$loop" '(volume), which is built on it, is mounted on'
run "$fio" --name=j --ioengine=null --rw=read --size=64k --output="$volume"
says 'a result onto a volume' 'it is a block device, and results go to files only' err
run "$fio" --name=j --ioengine=null --rw=read --size=64k --mem=mmapshared:"$volume"
says 'buffers in a volume' 'is mounted on' err
umount mnt
refused image 'there is .*(volume), which is built on it'
dmsetup remove volume
losetup -d "$loop"

# While a job runs, no volume is built on its device.
"$fio" --name=j --rw=write --size=1m --time_based --runtime=30 --thinktime=1ms --filename="$below" \
	--output=long 2>&1 &
pid=$!
opened() {
	local child
	for child in $(children $pid); do
		ls -l "/proc/$child/fd" | grep -q "$below\$" && return
	done
	return 1
}
soon opened
if dmsetup create meanwhile --table "0 65536 linear $below 0" 2>/dev/null; then
	not_ok 'a device under test is not claimed'
	dmsetup remove meanwhile
else
	ok
fi
kill -INT $pid
wait $pid
check 'and free again' dmsetup create meanwhile --table "0 65536 linear $below 0"
dmsetup remove meanwhile

# ---- md, by hand: there is no mdadm here ---------------------------------------------------------

if modprobe raid0 2>/dev/null && echo md_stripe >/sys/module/md_mod/parameters/new_array; then
	left=$(vm_null_blk left size=32 memory_backed=1)
	right=$(vm_null_blk right size=32 memory_backed=1)
	md=/sys/block/md_stripe/md
	{
		echo external:test >$md/metadata_version
		echo raid0 >$md/level
		echo 2 >$md/raid_disks
		echo 65536 >$md/chunk_size
		echo 16384 >$md/component_size
		for dev in "$left" "$right"; do
			cat "/sys/block/${dev#/dev/}/dev" >$md/new_dev
			echo 32768 >"$md/dev-${dev#/dev/}/size" 2>/dev/null
		done
		echo 0 >$md/dev-left/slot
		echo 1 >$md/dev-right/slot
		echo active >$md/array_state
	} 2>err
	if [ -e /sys/block/left/holders/md_stripe ]; then
		refused "$left" 'there is md_stripe (raid0), which is built on it'
		refused "$right" 'md_stripe (raid0)'
		check 'an array is running' test -b /dev/md_stripe
		allowed /dev/md_stripe
	else
		not_ok 'no array came of it' err
	fi
	echo clear >$md/array_state
else
	echo '# skipped: no md'
fi

# ---- Side doors ----------------------------------------------------------------------------------

nvme=$(vm_nvme)
dd if=/dev/zero of="$nvme" bs=1M count=8 2>/dev/null
dd if=/dev/zero of="$nvme" bs=1M count=1 seek=255 2>/dev/null
allowed "$nvme"
format "$nvme"
refused "$nvme" "$nvme carries data: ext4"
door=/dev/ng${nvme#/dev/nvme}
if [ -c "$door" ]; then
	look=$nvme
	refused "$door" 'carries data: ext4'
	mount -t ext4 "$nvme" mnt
	sync
	refused "$door" 'is mounted on'
	umount mnt
	look=
else
	echo "# skipped: there is no $door"
fi
if modprobe scsi_debug dev_size_mb=16 2>/dev/null && modprobe sd_mod && modprobe sg; then
	vm_wait /dev/sda
	vm_wait /dev/sg0
	allowed /dev/sda
	format /dev/sda
	look=/dev/sda
	refused /dev/sg0 'carries data: ext4'
	look=
else
	echo '# skipped: no scsi_debug'
fi

# ---- Persistent memory ---------------------------------------------------------------------------

vm_fsdax mnt 1 >/dev/null
sync
refused /dev/pmem1 "/dev/pmem1 is mounted on $PWD/mnt"
umount mnt
refused /dev/pmem1 '/dev/pmem1 carries data: ext4'
finish
