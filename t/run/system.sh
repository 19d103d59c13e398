#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What jobs ask of the system around them, beyond the option cases: names, schedulers, file systems
# written back, types that are trusted; and what is said where it cannot be had.

. "$SRCDIR/t/shell.sh"

null=(--ioengine=null --rw=read)

# ---- comm --------------------------------------------------------------------------------------

named() { # named NAME - of a process or thread of the run
	cat "/proc/$pid/task/"*/children 2>/dev/null | tr ' ' '\n' | while read -r child; do
		cat "/proc/$child/task/"*/comm 2>/dev/null
	done | grep -q -x -e "$1"
}
for thread in '' --thread; do
	"$fio" $thread "${null[@]}" --name=j --size=1g --time_based --runtime=30 --thinktime=1ms \
		--comm=database-writer9 >out 2>err &
	pid=$!
	check "comm$thread" soon named database-writer
	kill -INT $pid
	wait $pid
	says "comm$thread: too long" "note: .*comm=database-writer9: .* 15 bytes; it is cut" out
done

# ---- priohint ----------------------------------------------------------------------------------

run "$fio" "${null[@]}" --name=j --size=4k --priohint=1024
same 'priohint too large: status' $status 1
says 'priohint too large' 'priohint=1024: error: must be 0 to 1023\|priohint=1024: .*at most 1023' err
run "$fio" "${null[@]}" --name=j --size=4k --prio=2 --priohint=3 --write_lat_log=p --log_prio=1
same 'the log knows it' "$(cut -d, -f5 p_clat.1.log | tr -d ' ')" 0x401a

# ---- ioscheduler -------------------------------------------------------------------------------

run "$fio" "${null[@]}" --name=j --size=4k --ioscheduler=none
says 'ioscheduler without files' 'ioscheduler=none has no effect: engine null has no files' out
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; then
	run "$fio" --name=j --filename="/dev/shm/fio-like-$$" --size=4k --rw=write --unlink=1 \
		--ioscheduler=none
	same 'ioscheduler on tmpfs: status' $status 0
	says 'ioscheduler on tmpfs' "no effect on /dev/shm/fio-like-$$, which is on no disk" out
fi
truncate -s 16m image
if [ "$(id -u)" = 0 ] && loop=$(losetup -f --show image 2>/dev/null); then
	run "$fio" --name=j --filename="$loop" --size=4k --rw=read --ioscheduler=nosuch
	same 'ioscheduler that is none: status' $status 1
	says 'ioscheduler that is none' \
		"ioscheduler=nosuch: disk ${loop#/dev/}, which $loop is on, can have: .*none" err
	if grep -q kyber "/sys/block/${loop#/dev/}/queue/scheduler"; then
		run "$fio" --name=j --filename="$loop" --size=4k --rw=read --ioscheduler=kyber \
			--name=k --stonewall --filename="$loop" --size=4k --rw=read --ioscheduler=none
		says 'each job its own' "note *: ioscheduler: disk .* had none, and has kyber now" out
		says 'and the next' "note *: ioscheduler: disk .* had kyber, and has none now" out
	fi
	# What is on the device is no file system's to write back.
	if command -v strace >/dev/null; then
		strace -f -qq -e trace=fsync,syncfs -o calls "$fio" --name=j --filename="$loop" \
			--size=64k --rw=write --end_syncfs=1 >out 2>err
		same 'end_syncfs of a device' "$(grep -o "f*sync[fs]*(" calls | sort -u)" "fsync("
	fi
	losetup -d "$loop"
fi

# ---- end_syncfs --------------------------------------------------------------------------------

if command -v strace >/dev/null && [ -w /dev/shm ] &&
	[ "$(stat -c %d /dev/shm)" != "$(stat -c %d .)" ]; then
	strace -f -qq -e trace=syncfs -o calls "$fio" --name=j --create_fsync=0 --unlink=1 \
		--filename="a:b:/dev/shm/fio-like-$$:c" --size=64k --rw=write --end_syncfs=1 >out 2>err
	same 'end_syncfs: once for each file system' "$(grep -c 'syncfs(.*= 0' calls)" 2
	says 'end_syncfs counts as a sync' 'fsync/fdatasync/sync_file_range/syncfs' out
fi
run "$fio" --ioengine=null --name=j --rw=write --size=4k --end_syncfs=1
says 'end_syncfs without files' 'note *: end_syncfs has no effect: what engine null writes is in no' out

# ---- filetype ----------------------------------------------------------------------------------

run "$fio" --name=j --filename=image --rw=read --size=4k --allow_file_create=0 --filetype=file
same 'filetype=file: status' $status 0
run "$fio" --name=j --filename=image --rw=read --filetype=block
same 'filetype that is not so: status' $status 1
says 'filetype that is not so' 'filetype: file image is a regular file, not a block device' err
run "$fio" --name=j --filename=absent --rw=read --size=4k --allow_file_create=0 --filetype=file
same 'filetype of what is not there: status' $status 1
says 'filetype of what is not there' 'absent.*No such file' err

# ---- write_hint --------------------------------------------------------------------------------

"$TOOLS/hint" image >before 2>&1
run "$fio" --name=j --filename=image --rw=read --size=4k --write_hint=long
same 'a reader says nothing' "$("$TOOLS/hint" image 2>&1)" "$(cat before)"
finish
