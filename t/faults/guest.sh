# SPDX-License-Identifier: MIT
#
# Cells of the fault matrix for the virtual machine, which has device-mapper and persistent memory:
# devices that fail in part, lie, wait, hang or leave in the middle of a run.

. "$SRCDIR/t/vm/guest.sh"

disk_mib=16
disk_sectors=$((disk_mib * 2048))

# on_dm TABLE - a device of device-mapper as $dev, over $base where TABLE says BASE; both go with the
# cell.
on_dm() {
	map=$(echo "$cell" | tr . -)
	base=$(vm_null_blk "$map-base" size=$disk_mib memory_backed=1)
	trap 'off_dm' EXIT
	dev=$(vm_dm "$map" "$(echo "$1" | sed "s,BASE,$base,g")")
	job+=(--filename="$dev" --allow_destroy="$dev")
	direct "$engine"
}

off_dm() {
	dmsetup resume "$map"
	dmsetup remove -f --retry "$map"
	echo 0 >"/sys/kernel/config/nullb/$map-base/power"
	rmdir "/sys/kernel/config/nullb/$map-base"
} >/dev/null 2>&1

# Past the page cache where the engine can: what it has is not asked of the device.
direct() {
	cached=no
	case $1 in
	stdio | mmap | libpmem) cached=yes ;;
	*) job+=(--direct=1) ;;
	esac
}

# All but the cells of dax are for devices that can be read by blocks.
by_blocks() {
	case $1 in
	null) none 'it has no device' ;;
	dev-dax) none 'it maps character devices' ;;
	esac
}

table() { # table TEXT - what $dev is from now on; what is in flight is finished before
	dmsetup suspend --noflush "$map" && dmsetup load "$map" --table "$1" && dmsetup resume "$map" ||
		wrong 'no other table'
}

# The second half answers every request with EIO.
fault_dm_half() {
	local half=$((disk_sectors / 2)) whole=$((disk_mib * 16))
	by_blocks "$1"
	on_dm "0 $half linear BASE 0
$half $half error"
	go --rw=read --size=${disk_mib}m --bs=64k --iodepth=1
	complete 1
	failed 5
	told "read of 65536 bytes at offset $((half * 512)) of $dev: .*\(Input/output error\|device failed\)"
	is 'reads that went well' "$(value 'jobs[0].read.clat_ns.N')" $((whole / 2))
	go --rw=read --size=${disk_mib}m --bs=64k --continue_on_error=read
	complete 1
	is 'the status, going on' "$status" 0
	is 'errors' "$(value 'jobs[0].total_err')" $((whole / 2))
	is 'the first error' "$(value 'jobs[0].error')" 5
	go --rw=write --size=${disk_mib}m --bs=64k --iodepth=1 --end_fsync=1
	complete 1
	failed 5
	[ $cached = yes ] ||
		is 'writes that went well' "$(value 'jobs[0].write.clat_ns.N')" $((whole / 2))
}

# A device that fails writes for a second of every two.
fault_dm_flakey() {
	by_blocks "$1"
	[ "$1" != mmap ] && [ "$1" != libpmem ] || none 'the kernel writes its pages, when it likes'
	on_dm "0 $disk_sectors flakey BASE 0 1 1 1 error_writes"
	go --rw=write --size=${disk_mib}m --time_based --runtime=4 --thinktime=2ms --fsync=1 \
		--continue_on_error=all --iodepth=1
	complete 1
	is 'the status' "$status" 0
	is 'the first error' "$(value 'jobs[0].error')" 5
	within 'errors' "$(value 'jobs[0].total_err')" 10 3000
	within 'writes' "$(value 'jobs[0].write.total_ios')" 50 4000
}

# A disk that says yes and writes nothing: what verify is there for.
fault_dm_lies() {
	by_blocks "$1"
	on_dm "0 $disk_sectors linear BASE 0"
	[ $cached = no ] || none 'reads come from the page cache'
	go --rw=write --size=1m --verify=crc32c --do_verify=0
	well
	table "0 $disk_sectors flakey $base 0 0 60 1 drop_writes"
	go --rw=write --size=1m --verify=crc32c --verify_pattern=0x5a --randrepeat=0 --do_verify=1
	complete 1
	failed 84
	told 'verify'
	table "0 $disk_sectors linear $base 0"
	go --rw=read --size=1m --verify=crc32c --verify_only
	complete 1
	well
}

# The reads that the device has answered.
reads_of() {
	awk '{ print $1 }' "/sys/dev/block/$((0x$(stat -L -c %t "$1"))):$((0x$(stat -L -c %T "$1")))/stat"
}

has_read() { # has_read DEVICE READS - so many by now
	[ "$(reads_of "$1")" -ge "$2" ]
}

# Each read waits half a second in the device: so do the latencies, and nothing else.
fault_dm_delay() {
	by_blocks "$1"
	on_dm "0 $disk_sectors delay BASE 0 500"
	go --rw=randread --size=${disk_mib}m --number_ios=4 --iodepth=1
	complete 1
	well
	is 'reads' "$(value 'jobs[0].read.total_ios')" 4
	within 'the longest, ms' "$(($(value 'jobs[0].read.clat_ns.max') / 1000000))" 490 5000
	within 'the runtime, ms' "$(value 'jobs[0].read.runtime')" 490 20000
}

# A device that does not answer for a while: the run waits, and says how long.
fault_dm_stall() {
	by_blocks "$1"
	on_dm "0 $disk_sectors linear BASE 0"
	start --rw=randread --size=${disk_mib}m --time_based --runtime=3 --thinktime=5ms \
		--randrepeat=0
	eventually 20 running || wrong 'it did not start'
	sleep 0.7
	dmsetup suspend --noflush "$map"
	sleep "${FAULT_STALL:-30}"
	alive "$pid" || wrong 'it did not wait'
	dmsetup resume "$map"
	ends 30
	complete 1
	well
	[ $cached = yes ] ||
		within 'the longest, s' "$(($(value 'jobs[0].read.lat_ns.max') / 1000000000))" \
			"$((${FAULT_STALL:-30} - 1))" 60
}

# Who has had enough of a device that does not answer gets what was measured. A process that waits in
# the kernel cannot be killed before the device answers; it is gone then.
fault_dm_hung() {
	by_blocks "$1"
	on_dm "0 $disk_sectors linear BASE 0"
	[ $cached = no ] || none 'some of its reads do not wait'
	lost=16
	start --rw=randread --size=${disk_mib}m --time_based --runtime=60 --thinktime=1ms --numjobs=2
	eventually 20 running || wrong 'it did not start'
	eventually 20 has_read "$dev" $(($(reads_of "$dev") + 150)) || wrong 'it reads nothing'
	dmsetup suspend --noflush "$map"
	sleep 1
	kill -INT "$pid"
	sleep 0.5
	kill -INT "$pid"
	eventually 15 ended || wrong 'there is no report after 15 s'
	dmsetup resume "$map"
	ends 15
	complete 2
	[ "$status" != 0 ] || wrong 'the status is 0'
	within 'I/Os of the first' "$(value 'jobs[0].read.total_ios')" 20 100000000
}

# From one moment on there is only EIO.
fault_dm_gone() {
	by_blocks "$1"
	on_dm "0 $disk_sectors linear BASE 0"
	start --rw=randread --size=${disk_mib}m --time_based --runtime=30 --thinktime=5ms \
		--norandommap --fadvise_hint=random
	eventually 20 running || wrong 'it did not start'
	eventually 20 has_read "$dev" $(($(reads_of "$dev") + 50)) || wrong 'it reads nothing'
	table "0 $disk_sectors error"
	ends 20
	complete 1
	failed 5
	within 'reads before' "$(value 'jobs[0].read.clat_ns.N')" 10 1000000
}

# The room of a snapshot is full: all of it is void.
fault_dm_snapshot() {
	by_blocks "$1"
	vm_modules dm_snapshot
	map=$(echo "$cell" | tr . -)
	base=$(vm_null_blk "$map-base" size=$disk_mib memory_backed=1)
	trap 'off_dm' EXIT
	loop=$(vm_null_blk "$map-cow" size=2 memory_backed=1)
	dev=$(vm_dm "$map" "0 $disk_sectors snapshot $base $loop N 8")
	job+=(--filename="$dev" --allow_destroy="$dev")
	direct "$1"
	go --rw=write --size=8m --bs=64k --end_fsync=1
	complete 1
	failed 5
	dmsetup remove -f --retry "$map"
	echo 0 >"/sys/kernel/config/nullb/$map-cow/power"
	rmdir "/sys/kernel/config/nullb/$map-cow"
}

# ---- Persistent memory ---------------------------------------------------------------------------

# There are two DIMMs for all cells, which come one by one here.
dimms() {
	eventually 120 mkdir ../dimms 2>/dev/null || wrong 'its DIMM is not given back'
	trap 'rmdir ../dimms' EXIT
}

# Its driver is taken away from under the mapping: what is touched next is a SIGBUS.
fault_dax_gone() {
	[ "$1" = dev-dax ] || none 'it maps no character device'
	dimms
	dev=$(vm_devdax 0)
	job+=(--filename="$dev")
	start --rw=randread --size=16m --time_based --runtime=30 --thinktime=1ms
	eventually 20 running || wrong 'it did not start'
	eventually 20 has_worked "$(ticks)" || wrong 'it does nothing'
	echo "${dev#/dev/}" >/sys/bus/dax/drivers/device_dax/unbind
	ends 20
	complete 1
	failed 5
	within 'reads before' "$(value 'jobs[0].read.clat_ns.N')" 10 100000000
	cp err gone.err
	go --rw=read --size=1m
	is 'the status without a device' "$status" 1
	told "$dev"
	echo "${dev#/dev/}" >/sys/bus/dax/drivers/device_dax/bind
}

# More than there is.
fault_dax_small() {
	[ "$1" = dev-dax ] || none 'it maps no character device'
	dimms
	dev=$(vm_devdax 0)
	job+=(--filename="$dev")
	go --rw=read --size=1t
	is 'the status' "$status" 1
	told "$dev has [0-9]* bytes, but the job needs 1099511627776"
	go --rw=write --size=4m --verify=crc32c
	complete 1
	well
}

# A file on a file system in persistent memory is cut off under its mapping.
fault_dax_truncated() {
	case $1 in
	mmap | libpmem) ;;
	*) none 'it maps no files' ;;
	esac
	dimms
	[ -d /mnt/dax ] || vm_fsdax /mnt/dax 1 >/dev/null
	head -c 4m "$fio" >"/mnt/dax/$cell"
	start --rw=randread --filename="/mnt/dax/$cell" --size=4m --time_based --runtime=20
	eventually 20 running || wrong 'it did not start'
	eventually 20 has_worked "$(ticks)" || wrong 'it does nothing'
	truncate -s 0 "/mnt/dax/$cell"
	ends 20
	complete 1
	failed 5
	within 'reads before' "$(value 'jobs[0].read.clat_ns.N')" 10 1000000000
}

# The file system is full: a page that finds no room.
fault_dax_full() {
	case $1 in
	mmap | libpmem | psync) ;;
	*) none 'as on any other file system' ;;
	esac
	dimms
	[ -d /mnt/dax ] || vm_fsdax /mnt/dax 1 >/dev/null
	go --rw=write --filename="/mnt/dax/$cell" --size=1g --bs=1m --fallocate=none --overwrite=0
	complete 1
	case $1 in
	mmap | libpmem) failed 28 5 ;;
	*) failed 28 ;;
	esac
	rm -f "/mnt/dax/$cell"
}

running() {
	[ -n "$(workers)" ]
}
