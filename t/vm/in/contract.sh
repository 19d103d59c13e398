# SPDX-License-Identifier: MIT
#
# The contract suite over the mapping engines, on what they are for: libpmem on a DAX file system,
# on an ordinary one and on tmpfs; dev-dax on a device, with windows and with small pages.
# ONLY=dev-dax leaves it at the device.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

keeps_the_rules() { # keeps_the_rules WHAT DIR ENGINE [ARGUMENT...]
	local what=$1 dir=$2 engine=$3
	shift 3
	TMPDIR=$dir "$fio" --engine-test="$engine" "$@" >said 2>&1
	if [ $? = 0 ] && grep -q '^[1-9][0-9]* passed, 0 failed' said; then
		passed=$((passed + $(sed -n 's/ passed, 0 failed.*//p' said)))
	else
		not_ok "$what keeps the rules" said
	fi
}

dax=$(vm_devdax 0)
keeps_the_rules 'dev-dax' "$PWD" dev-dax --filename="$dax"
keeps_the_rules 'dev-dax in windows' "$PWD" dev-dax --filename="$dax" --opts=map_window=2m
[ "${ONLY-}" != dev-dax ] || finish

mount=$(vm_fsdax /mnt/dax 1)
keeps_the_rules 'libpmem on DAX' "$mount" libpmem
keeps_the_rules 'libpmem on DAX in windows' "$mount" libpmem --opts=map_window=64k
keeps_the_rules 'mmap on DAX' "$mount" mmap
umount "$mount"
vm_destroy 1
small=$(vm_devdax 1 --align=4k)
keeps_the_rules 'dev-dax with small pages' "$PWD" dev-dax --filename="$small" --opts=map_window=64k

disk=$(vm_virtio)
vm_modules ext4
mkfs.ext4 -q "$disk" && mkdir -p /mnt/disk && mount -t ext4 "$disk" /mnt/disk || vm_die 'no ext4'
keeps_the_rules 'libpmem on a disk' /mnt/disk libpmem
keeps_the_rules 'libpmem on tmpfs' "$PWD" libpmem
export PMEM_IS_PMEM_FORCE=1
keeps_the_rules 'libpmem, forced' "$PWD" libpmem
finish
