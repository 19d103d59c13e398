#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What jobs do to their files besides I/O: fill a device, lock, read ahead, sync at close, remove
# and make anew. Sizes and names against fio are in t/compat/layout.txt.

. "$SRCDIR/t/shell.sh"

# number PATH - of the document in out
number() {
	"$TOOLS/jsonq" out "$1"
}

# is WHAT EXPECTED FOUND
is() {
	if [ "$2" = "$3" ]; then ok; else not_ok "$1: '$3' instead of '$2'" err; fi
}

# job ARGUMENT... - a run that must end well; its document is in out
job() {
	local status=0
	timeout 30 "$fio" --name=j "$@" --output-format=json >out 2>err || status=$?
	[ $status = 0 ] || not_ok "$*: status $status" err out
}

# ---- A device that is full: a small tmpfs, in a mount namespace of its own -----------------------

if unshare -rm true 2>/dev/null; then
	mkdir small
	export -f job number is ok not_ok
	# in_small ARGUMENT... - the job on an empty device of 2 MiB; the sizes of its files go into
	# sizes
	in_small() {
		local status=0
		unshare -rm bash -c '
			mount -t tmpfs -o size=2m none small || exit 77
			timeout 30 "$0" --name=j --directory=small "$@" --output-format=json \
				>out 2>err
			status=$?
			(cd small && find . -type f -printf "%s ") >sizes
			exit $status' "$fio" "$@" || status=$?
		[ $status = 0 ] || not_ok "$*: status $status" err out
	}
	in_small --rw=write --fill_device=1
	is 'full device' '2097152 ' "$(cat sizes)"
	is 'bytes to a full device' 2097152 "$(number 'jobs[0].write.io_bytes')"
	is 'error of a full device' 0 "$(number 'jobs[0].error')"
	in_small --rw=write --fill_fs=1 --bs=7k --end_fsync=1
	is 'bytes with a cut block' 2097152 "$(number 'jobs[0].write.io_bytes')"
	is 'sync of a full device' 1 "$(number 'jobs[0].sync.total_ios')"
	in_small --rw=write --fill_device=1 --nrfiles=2 --ioengine=libaio --iodepth=4
	is 'two files' '1048576 1048576 ' "$(cat sizes)"
	in_small --rw=write --fill_device=1 --loops=3 --numjobs=2
	is 'two jobs' 2097152 "$(awk '{ print $1 + $2 }' sizes)"
	in_small --rw=randread --fill_device=1
	is 'read of a full device' 2097152 "$(number 'jobs[0].read.io_bytes')"
else
	echo "# skipped: a full device needs a mount namespace, which this user may not have"
fi

# ---- Locks ---------------------------------------------------------------------------------------

# held LOCK ARGUMENT... - the longest I/O, ms, while another holds the lock for 400 ms
held() {
	local lock=$1
	shift
	: >go
	flock "$lock" x sh -c 'rm go; sleep 0.4' &
	while [ -e go ]; do sleep 0.01; done
	job --filename=x --size=64k "$@"
	wait
	ms=$(($(number 'jobs[0].read.lat_ns.max') / 1000000))
	[ $ms != 0 ] || ms=$(($(number 'jobs[0].write.lat_ns.max') / 1000000))
}
waits() {
	held "$@"
	if [ "$ms" -ge 250 ]; then ok; else not_ok "$*: longest I/O $ms ms"; fi
}
goes_on() {
	held "$@"
	if [ "$ms" -lt 250 ]; then ok; else not_ok "$*: longest I/O $ms ms"; fi
}

head -c 65536 /dev/zero >x
if command -v flock >/dev/null; then
	waits -x --rw=write --lockfile=exclusive
	waits -s --rw=read --lockfile=exclusive --ioengine=mmap
	waits -x --rw=read --lockfile=readwrite
	waits -s --rw=randwrite --lockfile=readwrite --ioengine=libaio --iodepth=4
	goes_on -s --rw=read --lockfile=readwrite
	goes_on -x --rw=write --lockfile=none
else
	echo "# skipped: flock(1) is not there"
fi
# Two files, two jobs, many in flight: nobody may wait for the other for ever.
job --rw=randrw --filename=x:y --size=1m --lockfile=exclusive --numjobs=4 --ioengine=libaio \
	--iodepth=8 --thread=1
is 'jobs with two locks' 4 "$("$TOOLS/jsonq" --len out jobs)"
job --rw=randrw --filename=x:y --size=1m --lockfile=readwrite --numjobs=3 --ioengine=libaio \
	--iodepth=8
is 'all I/O under locks' 1048576 \
	"$(($(number 'jobs[2].read.io_bytes') + $(number 'jobs[2].write.io_bytes')))"
job --rw=write --size=8k --lockfile=exclusive --ioengine=null
rm -f x y

# ---- Around the I/O ------------------------------------------------------------------------------

# synced COUNT ARGUMENT... - that many files are synced at a close
synced() {
	local count=$1 found
	shift
	timeout 30 "$fio" --name=j --debug=file "$@" >out 2>err || not_ok "$*: failed" err
	found=$(cat out err | grep -c 'synced before its close: well')
	is "$*" "$count" "$found"
	rm -f j.0.*
}
synced 4 --rw=write --size=64k --nrfiles=4 --fsync_on_close=1
synced 4 --rw=write --size=64k --nrfiles=4 --fsync_on_close=1 --openfiles=1 \
	--file_service_type=sequential
synced 0 --rw=read --size=64k --nrfiles=4 --fsync_on_close=1
synced 0 --rw=write --size=64k --nrfiles=4
synced 1 --rw=write --size=64k --fsync_on_close=1 --ioengine=mmap
synced 2 --rw=write --size=64k --fsync_on_close=1 --ioengine=libaio --loops=2 --reopen_each_loop=1

: >x
job --rw=write --filename=x --unlink_each_loop=1 --size=8k --loops=2 --buffer_pattern=0x61
inode=$(stat -c %i x)
ln x kept
job --rw=write --filename=x --unlink_each_loop=1 --size=8k --loops=3 --ioengine=mmap
is 'links to a file made anew' 1 "$(stat -c %h x)"
is 'the file of the first pass' "$inode 8192" "$(stat -c '%i %s' kept)"
is 'size of a mapped file made anew' 8192 "$(stat -c %s x)"

job --rw=read --size=4m --pre_read=1
is 'bytes after pre_read' 4194304 "$(number 'jobs[0].read.io_bytes')"
job --rw=write --size=64k --pre_read=1 --create_on_open=1 --filename=new
job --rw=read --size=64k --pre_read=1 --ioengine=null
grep -q 'pre_read has no effect' out && ok || not_ok 'pre_read of no files is not noted' out

# Whatever a device answers to RWF_ATOMIC, there is a sentence.
timeout 30 "$fio" --name=j --rw=write --size=64k --atomic=1 --ioengine=pvsync2 >out 2>err && ok ||
	{ grep -q 'RWF_ATOMIC\|O_DIRECT\|direct=1' err && ok || not_ok 'atomic' err; }

# ---- Refused before anything is touched ----------------------------------------------------------

mkdir empty
cd empty || exit 1
# refused PATTERN ARGUMENT...
refused() {
	local pattern=$1 status=0
	shift
	timeout 10 "$fio" --name=j --size=64k "$@" >../out 2>../err || status=$?
	if [ $status = 1 ] && grep -q -e "$pattern" ../err && [ ! -s ../out ] &&
		[ -z "$(ls -A)" ]; then
		ok
	else
		not_ok "$*: status $status, no '$pattern', or files: $(ls -A)" ../err
	fi
}
refused 'outside of their directory' --rw=write '--filename_format=../$filenum'
refused 'outside of their directory' --rw=write --name=a/../../b --size=64k
refused 'opendir=nope: .*No such' --rw=read --opendir=nope
refused 'directory=nope' --rw=write --directory=nope
refused 'unlink_each_loop' --rw=randrw --unlink_each_loop=1 --time_based --runtime=1
refused "engine psync cannot write atomically" --rw=write --atomic=1
refused 'lockfile' --rw=write --lockfile=maybe
refused 'offset_increment' --rw=write --offset_increment=101%
refused 'bs=131072 is larger' --rw=read --bs=128k
refused 'end beyond the largest file' --rw=write --offset_increment=4611686018427387904 --numjobs=3
cd ..

timeout 10 "$fio" --name=a/b --rw=write --size=8k >out 2>err
is 'folders of a name' 8192 "$(stat -c %s a/b.0.0)"
grep -q "they lie in a" out err && ok || not_ok 'folders are not noted' out err

finish
