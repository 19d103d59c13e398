#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --readonly: whatever a job says, of the files in its folder not one is made, removed or changed.

. "$SRCDIR/t/shell.sh"

begin() {
	rm -rf d
	mkdir d
	head -c 256k /dev/urandom >d/have
	head -c 20k /dev/urandom >d/short
	: >d/empty
	touch -d 2001-01-01 d/*
}
snap() { # names, sizes, modes, times of change, bytes
	find d -type f -printf '%p %s %m %T@ %C@ %i\n' -o -print | sort
	cat d/* | cksum
}

# unchanged ARGUMENT... - as it was before, however it ends
begin
before=$(snap)
unchanged() {
	local after
	timeout -k 5 30 "$fio" --readonly --name=j --directory=d --size=64k "$@" >out 2>err
	status=$?
	[ $status -le 1 ] || not_ok "$*: status $status" err
	after=$(snap)
	[ "$after" = "$before" ] && ok && return
	not_ok "$*: something has changed"
	diff <(echo "$before") <(echo "$after")
	begin
	before=$(snap)
}

engines=(psync pvsync2 mmap stdio copy null)
for engine in libaio io_uring libpmem; do
	[ ! -e "$BUILDDIR/engines/$engine.so" ] || engines+=($engine)
done
for engine in "${engines[@]}"; do
	unchanged --ioengine=$engine --rw=read --filename=have
	[ $engine = copy ] || same "$engine: it is read" $status 0
	for name in short none no/where; do
		unchanged --ioengine=$engine --rw=randread --filename=$name --overwrite=1
	done
	unchanged --ioengine=$engine --rw=write --filename=have
	unchanged --ioengine=$engine --rw=randread --filename=have --verify=crc32c
done
run "$fio" --readonly --name=j --ioengine=copy --filename=d/have --rw=read
same 'copy: status' $status 1
says 'copy: why' 'copy writes to copy_to, and this run may not write' err

for name in have short; do
	while read -r options; do
		unchanged --filename=$name --rw=read $options
	done <<-'END'
		--create_only=1 --overwrite=1 --fallocate=posix
		--create_on_open=1 --allow_file_create=1 --filetype=file
		--file_append=1
		--fill_device=1
		--unlink=1
		--unlink_each_loop=1 --loops=2
		--write_hint=short --lockfile=exclusive --pre_read=1 --invalidate=1
		--fsync=1 --end_fsync=1 --fsync_on_close=1
		--trim_percentage=50 --verify=crc32c
		--rw=trim
		--rw=trimwrite
		--rw=randrw --rwmixread=100
		--rw=write --verify=crc32c --verify_only=1
		--rw=write --create_only=1
		--mem=mmapshared:d/have
		--mem=mmapshared:d/short
		--mem=mmap:d/short
	END
done
run "$fio" --readonly --name=j --filename=d/have --rw=read --mem=mmapshared:d/have
says 'buffers: why' 'mem: buffers in d/have would change what is there, and --readonly' err

# ---- Logs, tests -------------------------------------------------------------------------------

log() { # log LINE... - of a file that is new, or is there
	local name
	for name in new have; do
		{
			echo 'fio version 2 iolog'
			printf "d/$name %s\n" add open "$@" close
		} >log
		unchanged --read_iolog=log
		unchanged --read_iolog=log --rw=read --ioengine=mmap
		unchanged --read_iolog=log --replay_redirect=d/none
	done
}
log
log 'read 0 4096'
log 'write 0 4096'
log 'trim 0 4096' 'sync 0 0'
for name in have none; do
	run "$fio" --readonly --engine-test=psync --filename=d/$name
	same "engine test, $name: status" $status 1
	says "engine test, $name" '--engine-test writes to its target, and --readonly forbids' err
	same "engine test, $name: nothing has changed" "$(snap)" "$before"
done
finish
