#!/bin/bash
# SPDX-License-Identifier: MIT
#
# trim_percentage and its like: a verifying job trims some of what it wrote, and knows what has to
# be there then. Files here; devices, where there are loop devices.

. "$SRCDIR/t/shell.sh"

out() { # out PATH - of the first job of the last document
	json out "jobs[0].$1"
}
go() { # go STATUS ARGUMENT...
	run_to "$1" "$fio" --output-format=json --name=a --filename="${file:-f}" --size=1m --bs=4k \
		--rw=write --verify=crc32c "${@:2}"
}
counts() { # counts WHAT WRITES TRIMS READS
	same "$1: writes" "$(out write.total_ios)" "$2"
	same "$1: trims" "$(out trim.total_ios)" "$3"
	same "$1: reads" "$(out read.total_ios)" "$4"
	same "$1: blocks" "$(out fio-like.verify.blocks)" "$4"
}
zeroes() { # blocks of $1 that are zeroes
	od -An -v -tx1 -w4096 "$1" | grep -c '^\( 00\)*$'
}

# ---- How many, and when -----------------------------------------------------------------------

rm -f f
go 0 --trim_percentage=100
counts 'all' 256 256 256
same 'all: they are gone' "$(zeroes f)" 256
check 'all: holes' [ "$(stat -c %b f)" -lt 64 ]
rm -f f
go 0 --trim_percentage=50
trims=$(out trim.total_ios)
between 'half' "$trims" 96 160
counts 'half' 256 "$trims" 256
same 'half: they are gone' "$(zeroes f)" "$trims"
rm -f f
go 0 --trim_percentage=50 --trim_verify_zero=0
counts 'nothing is checked of them' 256 "$trims" $((256 - trims))
go 0 --trim_percentage=50 --verify_only
counts 'verify_only' 256 "$trims" 256

# the order is in a log: 1 a write, 2 a trim
order() {
	sed 's/^[^,]*,[^,]*, *\([0-9]*\),.*/\1/' l_bw.1.log | uniq -c | awk '{ print $2 ":" $1 }' |
		head -n "$1" | paste -s -d ' '
}
rm -f f
go 0 --trim_percentage=100 --trim_backlog=16 --write_bw_log=l
same 'trim_backlog' "$(order 4)" '1:16 2:16 1:16 2:16'
rm -f f
go 0 --trim_percentage=100 --trim_backlog=16 --trim_backlog_batch=4 --write_bw_log=l
same 'trim_backlog_batch' "$(order 4)" '1:16 2:4 1:16 2:4'
counts 'trim_backlog_batch: the rest at the end' 256 256 256
rm -f f
go 0 --trim_percentage=100 --write_bw_log=l
same 'without' "$(order 3)" '1:256 2:256 0:256'

for engine in psync vsync pvsync2 mmap libaio io_uring; do
	"$fio" --enghelp=$engine >eng 2>&1 || { echo "# skipped: no engine $engine"; continue; }
	for how in '--iodepth=16' '--rw=randwrite --norandommap --iodepth=16 --trim_backlog=5' \
		   '--trim_backlog=7 --verify_backlog=9 --verify_async=2 --iodepth=4' \
		   '--bsrange=1k-16k --rw=randwrite --loops=2 --trim_backlog=3 --iodepth=8 --thread'; do
		rm -f f
		go 0 --ioengine=$engine --trim_percentage=40 $how
		check "$engine $how: there were some" [ "$(out trim.total_ios)" -gt 20 ]
		same "$engine $how" "$(out fio-like.verify.wrong)" 0
	done
done

# ---- What is not zero is found ----------------------------------------------------------------

rm -f f
go 0 --trim_percentage=100
printf x | dd of=f bs=1 seek=50001 conv=notrunc 2>dd.err
go 1 --trim_percentage=100 --verify_only
says 'a byte' 'offset 49152, length 4096: the block was trimmed, and it does not read as zeroes; first wrong byte 849 (0x78, not 0x00); noise' err
rm -f f
go 0 --number_ios=100
go 1 --trim_percentage=100 --verify_only --number_ios=100 --verify_dump=1
says 'not trimmed at all' 'offset 0, .*was trimmed.*stale: the block of offset 0 as write 1 left it' err
same 'all of them' "$(out fio-like.verify.wrong)" 100
check 'the images' cmp -s f.0.expected -n 4096 /dev/zero
go 0 --trim_percentage=100 --verify_only --number_ios=100 --trim_verify_zero=0
# what is not trimmed has to be there all the same
rm -f f
go 0 --trim_percentage=50
cp f old
dd if=/dev/zero of=f bs=4096 count=256 conv=notrunc 2>dd.err
go 1 --trim_percentage=50 --verify_only
same 'the others' "$(out fio-like.verify.wrong)" $((256 - trims))

# ---- By a state ------------------------------------------------------------------------------

rm -f f
go 0 --trim_percentage=50 --trim_backlog=16 --fsync=16
go 0 --trim_percentage=50 --trim_backlog=16 --fsync=16 --verify_only --verify_state_load=1
says 'nobody knows' 'by the state that was loaded nobody knows what had been trimmed' out
same 'the rest is checked' "$(out fio-like.verify.blocks)" "$((256 - trims))"

# ---- What makes no sense ----------------------------------------------------------------------

go 1 --trim_percentage=10 --ioengine=stdio
says 'stdio' 'engine stdio cannot trim' err
go 1 --trim_percentage=101
says 'more than all' 'trim_percentage=101' err
go 0 --trim_percentage=10 --verify=0
says 'without verify' 'trim_percentage has no effect' out
go 0 --trim_backlog=10
says 'only when' 'trim_backlog has no effect without trim_percentage' out
go 1 --trim_percentage=10 --io_submit_mode=offload --ioengine=io_uring
says 'offload' 'io_submit_mode=offload does not go together with trim_percentage' err

# ---- Devices ----------------------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! losetup -f >/dev/null 2>&1; then
	echo '# skipped: devices: loop devices need root'
	finish
fi
truncate -s 1m disk
dev=$(losetup -f --show disk) || { echo '# skipped: devices: no loop device'; finish; }
trap 'losetup -d "$dev"' EXIT
for engine in psync libaio io_uring; do
	file=$dev
	go 0 --trim_percentage=100 --ioengine=$engine --direct=1
	counts "$engine: discard" 256 256 0
	same "$engine: discard: they are gone" "$(zeroes disk)" 256
	says "$engine: discard: why" 'Linux does not promise' out
	for method in punch zeroout; do
		go 0 --trim_percentage=50 --ioengine=$engine --direct=1 --trim_method=$method
		counts "$engine: $method" 256 "$trims" 256
		if grep -q 'does not promise' out; then not_ok "$engine: $method" out; else ok; fi
	done
done
go 1 --trim_percentage=100 --bs=1000
says 'no multiple' 'trims of a device want offset and length in multiples' err
unset file
finish
