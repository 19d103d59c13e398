# SPDX-License-Identifier: MIT
#
# Cells of the fault matrix: what devices, file systems and system calls answer.

mib=1048576

# ---- I/O errors --------------------------------------------------------------------------------

# The second half of a loop device is gone with the end of its file.
fault_eio_read() {
	if [ "$1" = null ]; then
		go --rw=read --size=1m --null_fail_one_in=100
		complete 1
		failed 5
		return
	fi
	head -c 1m "$fio" >disk
	on_loop disk
	truncate -s 512k disk
	blockdev --flushbufs "$dev"
	go --rw=read --filename="$dev" --size=1m --bs=64k
	complete 1
	failed 5
	told "read of 65536 bytes at offset [0-9]* of $dev: .*\(Input/output error\|device failed\)"
	within 'reads that went well' "$(value 'jobs[0].read.clat_ns.N')" 8 8
	go --rw=read --filename="$dev" --size=1m --bs=64k --continue_on_error=read
	complete 1
	is 'errors' "$(value 'jobs[0].total_err')" 8
	is 'the status, going on' "$status" 0
}

# What the loop device stands on is full before the device is.
fault_eio_write() {
	if [ "$1" = null ]; then
		go --rw=write --size=1m --null_fail_one_in=100
		complete 1
		failed 5
		return
	fi
	mounted tmpfs 1m
	truncate -s 4m fs/disk
	on_loop fs/disk
	go --rw=write --filename="$dev" --size=4m --bs=64k --allow_destroy=1 --end_fsync=1
	complete 1
	failed 5 28
}

# ---- No room -------------------------------------------------------------------------------------

no_room() { # no_room ENGINE - a file of 16 MiB on 4 MiB: written until it is full
	if [ "$1" = null ]; then
		none 'it writes nothing'
	fi
	go --rw=write --filename=fs/data --size=16m --bs=64k --fallocate=none --overwrite=0
	complete 1
	case $1 in
	mmap | libpmem) failed 28 5 ;;	# a page that finds no room is a SIGBUS
	*) failed 28 ;;
	esac
	within 'bytes written before' "$(value 'jobs[0].write.io_bytes')" $((mib / 2)) $((5 * mib))
	rm -f fs/data
	go --rw=read --filename=fs/data --size=16m --bs=64k --fallocate=posix
	complete 1
	failed 28
	is 'I/Os without a file' "$(value 'jobs[0].read.total_ios')" 0
}

fault_enospc_ext4() {
	[ "$1" != null ] || none 'it writes nothing'
	mounted ext4 4m
	no_room "$1"
}

fault_enospc_tmpfs() {
	[ "$1" != null ] || none 'it writes nothing'
	mounted tmpfs 4m
	no_room "$1"
}

fault_edquot() {
	[ "$1" != null ] || none 'it writes nothing'
	mounted btrfs 128m
	btrfs quota enable fs >/dev/null 2>&1 && btrfs subvolume create fs/sub >/dev/null 2>&1 &&
		btrfs qgroup limit 8m fs/sub >/dev/null 2>&1 || none 'no qgroups'
	go --rw=write --filename=fs/sub/data --size=32m --bs=64k --fallocate=none --end_fsync=1
	complete 1
	case $1 in
	mmap | libpmem) failed 122 5 ;;
	*) failed 122 ;;
	esac
}

fault_read_only_fs() {
	[ "$1" != null ] || none 'it has no files'
	mounted ext4 8m
	head -c 1m "$fio" >fs/data
	mount -o remount,ro fs
	go --rw=read --filename=fs/data --size=1m
	complete 1
	well
	go --rw=write --filename=fs/data --size=1m
	is 'the status' "$status" 1
	told "fs/data .*Read-only file system"
	go --rw=write --filename=fs/other --size=1m
	is 'the status' "$status" 1
	told "fs/other .*Read-only file system"
}

# ---- Answers of single calls ---------------------------------------------------------------------

# injected ENGINE SPEC - its calls answer that now and then
injected() {
	local calls
	command -v strace >/dev/null || none 'no strace'
	case $1 in
	psync) calls=pread64,pwrite64 ;;
	sync | stdio) calls=read,write ;;
	vsync) calls=readv,writev ;;
	pvsync) calls=preadv,pwritev ;;
	pvsync2) calls=preadv2,pwritev2 ;;
	io_uring) calls=io_uring_enter ;;
	libaio) calls=io_submit ;;
	*) none 'no system call moves its data' ;;
	esac
	real_fio=$fio
	cat >traced <<-END
		#!/bin/sh
		exec strace -f -qq -o /dev/null -P "$PWD/data" -e trace=$calls -e inject=$calls:$2 \\
			"$real_fio" "\$@"
	END
	case $1 in
	io_uring | libaio) sed -i 's/ -P "[^"]*"//' traced ;;
	esac
	chmod +x traced
	fio=$PWD/traced
}

fault_eintr() {
	if [ "$1" = null ]; then
		none 'it calls nobody'
	fi
	head -c 1m "$fio" >data
	cp data before
	injected "$1" error=EINTR:when=3+5
	go --rw=read --filename=data --size=1m --fallocate=none
	complete 1
	well
	is 'bytes' "$(value 'jobs[0].read.io_bytes')" $mib
	go --rw=write --filename=data --size=1m --verify=crc32c --do_verify=1
	complete 1
	well
	is 'bytes written' "$(value 'jobs[0].write.io_bytes')" $mib
}

# A queue that is full for the moment says EAGAIN, and is asked again; a file that says it fails.
fault_eagain() {
	if [ "$1" = null ]; then
		go --rw=read --size=1m --iodepth=8 --null_full_one_in=3
		complete 1
		well
		return
	fi
	head -c 1m "$fio" >data
	injected "$1" error=EAGAIN:when=3+5
	go --rw=read --filename=data --size=1m --fallocate=none
	complete 1
	case $1 in
	io_uring | libaio)
		well
		is 'bytes' "$(value 'jobs[0].read.io_bytes')" $mib
		;;
	*)
		failed 11
		within 'reads before' "$(value 'jobs[0].read.clat_ns.N')" 0 5
		;;
	esac
}

# stacked ENGINE - below the engine that spoils
stacked() {
	[ "$1" != null ] || none 'it moves no data'
	job+=(--ioengine="$FAULT_STACK" --stack_below="$1" --filename=data)
}

fault_eagain_result() {
	stacked "$1"
	go --rw=read --size=1m --stack_error_one_in=20 --stack_errno=11
	complete 1
	failed 11
	go --rw=read --size=1m --stack_error_one_in=20 --stack_errno=11 --continue_on_error=all
	complete 1
	is 'errors told' "$(value 'jobs[0].total_err')" \
		"$(value 'jobs[0].fio-like.engine.counters.stack_errors')"
}

fault_short_read() {
	stacked "$1"
	go --rw=randwrite --size=1m --verify=crc32c --do_verify=0
	well
	go --rw=randread --size=1m --verify=crc32c --stack_short_one_in=3
	complete 1
	well
	is 'bytes' "$(value 'jobs[0].read.io_bytes')" $mib
	within 'cut short' "$(value 'jobs[0].fio-like.engine.counters.stack_shorts')" 40 999
}

fault_short_write() {
	stacked "$1"
	go --rw=randwrite --size=1m --verify=crc32c --stack_short_one_in=3
	complete 1
	well
	is 'bytes' "$(value 'jobs[0].write.io_bytes')" $mib
	within 'cut short' "$(value 'jobs[0].fio-like.engine.counters.stack_shorts')" 40 999
}

# ---- Files and devices that go away --------------------------------------------------------------

# Under a mapping that is a SIGBUS; elsewhere reads find the end of the file where there was none.
fault_truncated() {
	[ "$1" != null ] || none 'it has no files'
	head -c 4m "$fio" >data
	start --rw=randread --filename=data --size=4m --time_based --runtime=20 --invalidate=0
	eventually 10 running || wrong 'it did not start'
	eventually 10 has_worked "$(ticks)" || wrong 'it does nothing'
	truncate -s 0 data
	ends 10
	complete 1
	failed 5
	within 'reads before' "$(value 'jobs[0].read.clat_ns.N')" 10 1000000000
}

running() {
	[ -n "$(workers)" ]
}

fault_deleted() {
	[ "$1" != null ] || none 'it has no files'
	head -c 4m "$fio" >data
	start --rw=randrw --filename=data --size=4m --time_based --runtime=1
	eventually 10 running || wrong 'it did not start'
	sleep 0.3
	rm data
	ends 10
	complete 1
	well
	[ ! -e data ] || wrong 'the file is back'
}

# With fewer open than there are, the next to be opened is not there any more.
fault_deleted_reopen() {
	[ "$1" != null ] || none 'it has no files'
	start --rw=randread --nrfiles=8 --openfiles=2 --size=1m --time_based --runtime=20 \
		--directory=. --file_service_type=random
	eventually 10 laid_out || wrong 'no files'
	sleep 0.3
	rm -f a.0.*
	ends 10
	complete 1
	failed 2
	told 'a\.0\.[0-7]'
}

laid_out() {
	[ -s a.0.7 ] && running
}

fault_device_gone() {
	[ "$1" != null ] || none 'it has no device'
	head -c 4m "$fio" >disk
	on_loop disk
	direct=(--direct=1)
	[ "$1" != stdio ] || direct=()
	start --rw=randread --filename="$dev" --size=4m --time_based --runtime=5 "${direct[@]}"
	eventually 10 running || wrong 'it did not start'
	sleep 0.3
	truncate -s 0 disk
	blockdev --flushbufs "$dev"
	ends 10
	complete 1
	if [ "$1" = mmap ] || [ "$1" = libpmem ]; then
		[ "$status" = 1 ] || well	# what is mapped stays
	else
		failed 5
		told "of $dev"
	fi
}

# Writes to a frozen file system come back when it thaws.
fault_stall() {
	[ "$1" != null ] || none 'its stalls are in t/run/signals.sh'
	mounted ext4 64m
	command -v fsfreeze >/dev/null || none 'no fsfreeze'
	start --rw=write --filename=fs/data --size=4m --time_based --runtime=2 --fallocate=none \
		--fsync=4
	eventually 10 running || wrong 'it did not start'
	sleep 0.5
	fsfreeze -f fs || none 'cannot be frozen'
	sleep "${FAULT_STALL:-30}"
	fsfreeze -u fs
	ends 30
	complete 1
	well
	within 'the longest, s' "$(slowest_s)" "$((${FAULT_STALL:-30} - 1))" 60
}

slowest_s() {
	local worst=0 ns
	for path in write.lat_ns.max sync.lat_ns.max; do
		ns=$(value "jobs[0].$path")
		[ "${ns:-0}" -le "$worst" ] || worst=$ns
	done
	echo $((worst / 1000000000))
}
