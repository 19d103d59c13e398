# SPDX-License-Identifier: MIT
#
# The devices that t/vm/guest.sh makes are what it says, and jobs run on them: zoned and polled ones,
# NVMe, SCSI, and those of device-mapper that fail or wait.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

queue() { # queue DEVICE ATTRIBUTE
	cat "/sys/block/${1##*/}/queue/$2"
}

job() { # job DEVICE ARGUMENT... - whatever an earlier script has left on it
	local device=$1
	shift
	run "$fio" --name=job --filename="$device" --allow_destroy="$device" \
		--bs=4k --size=1m --direct=1 --ioengine=io_uring --iodepth=4 --output-format=json --output=json "$@"
}

moves() { # moves DEVICE ARGUMENT... - all of a job
	job "$@"
	same "$* runs: $(head -n 3 err)" "$status" 0
	same "$*: bytes" "$("$jsonq" json 'jobs[0].read.io_bytes' 'jobs[0].write.io_bytes' |
		paste -s -d +)" "${bytes:-0+1048576}"
}

zoned=$(vm_null_blk zoned size=64 memory_backed=1 zoned=1 zone_size=4)
same 'null_blk is zoned' "$(queue "$zoned" zoned)" host-managed
moves "$zoned" --rw=write --iodepth=1
job "$zoned" --rw=write --iodepth=1 --offset=8m --size=1m
same 'another zone can be written' "$status" 0
job "$zoned" --rw=randwrite --iodepth=1 --offset=16m
check 'but not at random' [ "$status" != 0 ]
says 'with an error of the medium' 'Input/output error' err

nvme=$(vm_nvme)
same 'NVMe can be polled' "$(queue "$nvme" io_poll)" 1
moves "$nvme" --rw=randwrite
bytes=1048576+0 moves "$nvme" --rw=randread --hipri
zns=$(vm_nvme 2)
same 'its second namespace is zoned' "$(queue "$zns" zoned)" host-managed
moves "$zns" --rw=write --iodepth=1
check 'there is a character device of the namespace' [ -c /dev/ng0n1 ]

disk=$(vm_virtio)
moves "$disk" --rw=randwrite
same 'the disk can be polled' "$(queue "$disk" io_poll)" 1
check 'the disk has discard' [ "$(queue "$disk" discard_max_bytes)" -gt 0 ]

scsi=$(vm_scsi)
moves "$scsi" --rw=randwrite
check 'it has a character device' [ -c /dev/sg0 ]

under=$(vm_null_blk under size=16 memory_backed=1)
sectors=$((16 * 2048))
broken=$(vm_dm broken "0 $sectors flakey $under 0 0 10 1 error_writes")
job "$broken" --rw=randwrite
check 'a flakey device fails writes' [ "$status" != 0 ]
same 'as EIO' "$(json json 'jobs[0].error')" 5
bytes=1048576+0 moves "$broken" --rw=randread
slow=$(vm_dm slow "0 $sectors delay $under 0 20")
job "$slow" --rw=randread --number_ios=4 --iodepth=1
same 'a delayed device works' "$status" 0
between 'and each I/O waits 20 ms' "$(json json 'jobs[0].read.clat_ns.min')" 15000000 1e12
finish
