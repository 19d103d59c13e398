#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A verdict is worth something only if it is silent where all is well: runs of many kinds, drawn one
# after the other from a list, of which none may have any finding, not even a note. `make check`
# tries some of them, t/long/trust-clean.sh 200.
#
# The disk is a loop device of our own, so that nobody else is on it.

. "$SRCDIR/t/shell.sh"

runs=${RUNS:-24}
seed=${SEED:-$(date +%s)}
dev=
mounted=

cleanup() {
	[ -z "$mounted" ] || umount "$mounted"
	[ -z "$dev" ] || losetup -d "$dev"
	rm -f disk
}
trap cleanup EXIT
trap 'exit 1' INT TERM

null="--ioengine=null --size=64m --time_based --runtime=0.2"
kinds=(
	"$null --rw=read"
	"$null --rw=randread --bs=64k"
	"$null --rw=randwrite --iodepth=32 --percentile_list=50:99"
	"$null --rw=randrw --bssplit=4k/60:64k/40 --percentile_list=50:99"
	"$null --rw=randread --null_delay=20us --iodepth=8 --percentile_list=50:90"
	"$null --rw=trim --percentile_list=50:99"
	"$null --rw=write --numjobs=3 --thread=1 --percentile_list=50:99"
	"$null --rw=randread --thinktime=100us --percentile_list=50:90"
	"$null --rw=readwrite --rwmixread=90 --numjobs=2 --percentile_list=50:90"
	"$null --rw=randread --ramp_time=0.1 --percentile_list=50:99"
)

# On a busy machine a run of 0.25 s may have no more than some ten samples.
on_disk() { # on_disk DEVICE FOLDER
	local common="--time_based --runtime=0.25 --percentile_list=50"
	local raw="--filename=$1 --direct=1 $common"
	local file="--directory=$2 --size=16m $common"
	kinds+=(
		"$raw --rw=randread"
		"$raw --rw=read --bs=64k"
		"$raw --rw=randwrite"
		"$raw --rw=randrw --bs=16k"
		"$raw --rw=randread --ioengine=pvsync2 --numjobs=2 --group_reporting"
		"$raw --rw=randread --thread=1 --numjobs=2"
		"$file --filename=old --direct=1 --rw=randread"
		"$file --filename=old --direct=1 --rw=read --bs=128k"
		"$file --filename=old --direct=1 --rw=randwrite --bs=16k"
		"$file --filename=old --direct=1 --rw=randrw --fsync=16"
		"$file --filename=old --direct=1 --rw=randread --size=50%"
		"$file --filename=new --direct=1 --rw=write --bs=64k --unlink=1"
		"$file --filename=new --rw=write --bs=64k --end_fsync=1 --unlink=1"
		"$file --filename=new --rw=randwrite --sync=dsync --unlink=1"
		"$file --filename=new --rw=randwrite --fdatasync=1 --end_fsync=1 --unlink=1"
		"$file --nrfiles=8 --direct=1 --rw=randread --overwrite=1 --unlink=1"
		"$file --filename=old --invalidate=0 --rw=randread"
		"$file --filename=old --pre_read=1 --rw=read --bs=64k"
		"$file --filename=old --pre_read=1 --ioengine=mmap --rw=randread"
		"$file --filename=old --rw=randread --bs=4k --runtime=9 --time_based=0"
	)
	if "$fio" --enghelp=libaio >/dev/null 2>&1; then
		kinds+=("$raw --rw=randread --ioengine=libaio --iodepth=8"
			"$file --filename=old --direct=1 --rw=randwrite --ioengine=libaio --iodepth=4")
	fi
	if "$fio" --enghelp=io_uring >/dev/null 2>&1; then
		kinds+=("$raw --rw=randread --ioengine=io_uring --iodepth=8"
			"$raw --rw=randread --ioengine=io_uring --iodepth=16 --iodepth_batch=all"
			"$file --filename=old --direct=1 --rw=randrw --ioengine=io_uring --iodepth=4")
	fi
}

set_up() {
	[ "$(id -u)" = 0 ] && command -v losetup mkfs.ext4 >/dev/null || return 1
	dd if=/dev/urandom of=disk bs=1M count=128 2>/dev/null
	dev=$(losetup -f --show --direct-io=on disk 2>/dev/null) || { dev=; return 1; }
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$dev" 64M >/dev/null 2>&1 ||
		return 1
	mkdir -p mnt
	mount "$dev" mnt || return 1
	mounted=$PWD/mnt
	dd if=/dev/urandom of=mnt/old bs=1M count=16 conv=fsync 2>/dev/null
	raw=$dev
}

if set_up; then
	# The file system has the first part, jobs on the device the rest.
	second=$(losetup -f --show --direct-io=on --offset=$((80 << 20)) disk 2>/dev/null) || second=
	on_disk "${second:-$dev}" "$mounted"
else
	echo "# SKIP runs on a disk: root, a loop device and mkfs.ext4 are needed"
fi
[ -z "${second:-}" ] || trap "cleanup; losetup -d $second" EXIT

# What others do to the CPUs is found rightly: it is counted, and is no fault.
disturbed=0
for ((i = 0; i < runs; i++)); do
	kind=${kinds[$(((seed + i) % ${#kinds[@]}))]}
	run "$fio" --output-format=json --name=a $kind
	found=
	for ((k = 0; ; k++)); do
		id=$(json out "fio-like.trust.findings[$k].id" 2>/dev/null) || break
		case $id in
		cpu-wait | steal | throttled) disturbed=$((disturbed + 1)) ;;
		*) found="$found $id: $(json out "fio-like.trust.findings[$k].text")" ;;
		esac
	done
	if [ "$status" = 0 ] && [ -z "$found" ]; then
		ok
	else
		not_ok "run $i (SEED=$seed): $kind:$found" err
	fi
done
[ $disturbed = 0 ] || echo "# $disturbed times others took the CPU"

finish
