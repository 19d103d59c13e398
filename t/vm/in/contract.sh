# SPDX-License-Identifier: MIT
#
# The contract suite over the mapping engines, on what they are for: libpmem on a DAX file system,
# on an ordinary one and on tmpfs; dev-dax on a device, with windows and with small pages.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

keeps_the_rules() { # keeps_the_rules WHAT ARGUMENT... of t/tools/contract
	local what=$1 counts
	shift
	"$TOOLS/contract" "$@" >said 2>&1
	counts=$(grep -c '^not ok' said)
	if [ "$counts" = 0 ] && grep -q '^[1-9][0-9]* passed, 0 failed' said; then
		passed=$((passed + $(sed -n 's/ passed, 0 failed.*//p' said)))
	else
		not_ok "$what keeps the rules" said
	fi
}

dax=$(vm_devdax 0)
keeps_the_rules 'dev-dax' dev-dax --file="$dax"
keeps_the_rules 'dev-dax in windows' dev-dax --file="$dax" --opts=map_window=2m

mount=$(vm_fsdax /mnt/dax 1)
keeps_the_rules 'libpmem on DAX' libpmem --dir="$mount"
keeps_the_rules 'libpmem on DAX in windows' libpmem --dir="$mount" --opts=map_window=64k
keeps_the_rules 'mmap on DAX' mmap --dir="$mount"

disk=$(vm_virtio)
vm_modules ext4
mkfs.ext4 -q "$disk" && mkdir -p /mnt/disk && mount -t ext4 "$disk" /mnt/disk || vm_die 'no ext4'
keeps_the_rules 'libpmem on a disk' libpmem --dir=/mnt/disk
keeps_the_rules 'libpmem on tmpfs' libpmem --dir=/tmp
PMEM_IS_PMEM_FORCE=1 keeps_the_rules 'libpmem, forced' libpmem --dir=/tmp
finish
