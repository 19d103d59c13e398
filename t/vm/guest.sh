# SPDX-License-Identifier: MIT
#
# Devices of the virtual machine of t/vm/run.sh, made when a script asks for them. To be sourced by
# scripts that run there: `. "$SRCDIR/t/vm/guest.sh"`. Each function prints the path of what it made,
# and ends the script with a sentence when it cannot. All is gone when the script has ended.

vm_die() { # vm_die WORDS... - ends the script, from $(...) too
	echo "$*" >&2
	kill -HUP $$
	exit 1
}

vm_modules() { # vm_modules NAME... - loads them, with what they depend on
	local name
	for name; do
		modprobe "$name" >&2 || vm_die "module $name cannot be loaded: $(dmesg | tail -n 3)"
	done
}

vm_wait() { # vm_wait PATH - until it is there; gives up after 10 s
	local turns=100
	until [ -e "$1" ]; do
		[ $((turns -= 1)) -gt 0 ] || vm_die "$1 does not come"
		sleep 0.1
	done
}

# The namespace of a DIMM, 0 or 1, in another mode. NAME=VALUE: arguments of ndctl.
vm_namespace() { # vm_namespace DIMM MODE [ARGUMENT...]
	local dimm=$1 mode=$2
	shift 2
	vm_modules nfit nd_pmem nd_btt dax_pmem device_dax
	vm_wait "/sys/bus/nd/devices/namespace$dimm.0"
	ndctl create-namespace -m "$mode" -e "namespace$dimm.0" -f "$@" >/run/ndctl.log 2>&1 ||
		vm_die "ndctl: $(cat /run/ndctl.log)"
}

vm_devdax() { # vm_devdax [DIMM [ARGUMENT...]] - a device-DAX character device: /dev/dax0.0
	local dimm=${1:-0}
	[ $# = 0 ] || shift
	vm_namespace "$dimm" devdax "$@"
	vm_wait "/dev/dax$dimm.0"
	echo "/dev/dax$dimm.0"
}

vm_fsdax() { # vm_fsdax DIR [DIMM] - a file system on persistent memory, mounted with dax
	local dimm=${2:-1}
	vm_namespace "$dimm" fsdax
	vm_wait "/dev/pmem$dimm"
	vm_modules ext4
	mkfs.ext4 -q -b 4096 "/dev/pmem$dimm" >&2 || vm_die "no file system on /dev/pmem$dimm"
	mkdir -p "$1"
	mount -t ext4 -o dax "/dev/pmem$dimm" "$1" || vm_die "/dev/pmem$dimm: no mount with dax"
	echo "$1"
}

# A block device of memory; sizes in MiB. vm_null_blk polled size=64 memory_backed=1 poll_queues=1
vm_null_blk() { # vm_null_blk NAME [ATTRIBUTE=VALUE...]
	local dir=/sys/kernel/config/nullb/$1 name=$1 pair
	vm_modules configfs
	grep -q ' /sys/kernel/config ' /proc/mounts ||
		mount -t configfs config /sys/kernel/config
	[ -d /sys/module/null_blk ] || modprobe null_blk nr_devices=0 >&2
	mkdir "$dir" || vm_die "null_blk makes no device $name"
	shift
	for pair; do
		echo "${pair#*=}" >"$dir/${pair%%=*}" || vm_die "null_blk does not take $pair"
	done
	echo 1 >"$dir/power" || vm_die "null_blk: $(dmesg | tail -n 3)"
	vm_wait "/dev/$name"
	echo "/dev/$name"
}

vm_virtio() { # the virtio disk, 256 MiB, with discard and one queue for polling
	vm_modules virtio_pci virtio_blk
	vm_wait /dev/vda
	echo /dev/vda
}

vm_ata() { # the ATA disk, 256 MiB, which says that its buffer has 256 KiB
	vm_modules ahci sd_mod
	local dir try
	for try in $(seq 100); do
		for dir in /sys/block/sd*; do	# a SCSI disk may have been there before it
			grep -qs '^ATA' "$dir/device/vendor" || continue
			vm_wait "/dev/${dir##*/}"
			echo "/dev/${dir##*/}"
			return
		done
		sleep 0.1
	done
	vm_die 'there is no ATA disk'
}

vm_nvme() { # vm_nvme [NAMESPACE] - 1: ordinary, 2: zoned; 256 MiB, one queue for polling
	vm_modules nvme
	vm_wait "/dev/nvme0n${1:-1}"
	echo "/dev/nvme0n${1:-1}"
}

vm_scsi() { # a SCSI disk of 8 MiB, with its /dev/sgN
	vm_modules sd_mod sg scsi_debug
	local dir
	for dir in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*/block; do
		vm_wait "/dev/$(ls "$dir")"
		echo "/dev/$(ls "$dir")"
		return
	done
	vm_die 'scsi_debug has made no disk'
}

vm_dm() { # vm_dm NAME TABLE - a device of device-mapper; TABLE as dmsetup reads it
	vm_modules dm_mod
	[ -c /dev/mapper/control ] || dmsetup mknodes >&2
	dmsetup create "$1" --table "$2" >&2 ||
		vm_die "dmsetup does not make $1: $(dmesg | tail -n 3)"
	dmsetup mknodes >&2
	vm_wait "/dev/mapper/$1"
	echo "/dev/mapper/$1"
}

# Everything as it was in the beginning. Called between scripts; says nothing.
vm_reset() {
	local path
	# The latest mount first.
	awk 'BEGIN { base["/sys/kernel/config"] } NR == FNR { base[$2]; next }
		!($2 in base) { print $2 }' /run/mounts /proc/mounts |
		tac | while read -r path; do
			umount "$path" || umount -l "$path"
		done
	dmsetup remove_all -f
	losetup -D
	for path in /sys/kernel/config/nullb/*/power; do
		echo 0 >"$path" && rmdir "${path%/power}"
	done
	for path in /sys/block/zram*/reset; do
		echo 1 >"$path"
	done
	ndctl destroy-namespace -f all
} >/dev/null 2>&1

vm_destroy() { # vm_destroy DIMM - its namespace is as in the beginning; unmount it before
	ndctl disable-namespace "namespace$1.0" >&2 &&
		ndctl destroy-namespace -f "namespace$1.0" >&2
}
