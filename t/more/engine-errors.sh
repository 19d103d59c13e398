#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The error paths of engines, one by one: system calls fail that never do so here, by
# t/tools/refuse. Each run must end by itself, with the right exit status, a whole report that has
# the error, and a sentence that says what to do. What a device does instead of a call is in
# t/faults and t/vm/in; what only a request can ask that no job makes is in t/unit/requests.c.

. "$SRCDIR/t/shell.sh"

refuse=$TOOLS/refuse
export FIO_LIKE_ENGINE_PATH=$BUILDDIR/engines
"$refuse" fsync:EIO -- true 2>/dev/null || {
	[ $? != 77 ] || { echo 'no seccomp user notification here (Linux 5.5)'; exit 77; }
}
dd if=/dev/urandom of=f bs=64k count=1 status=none
mkfifo p
base=(--size=64k --bs=4k --output-format=json)
file=f

# cell ENGINE ERRNO PATTERN [RULE...] -- [ARGUMENT...]
#
# ERRNO: of the job's error; 0: the run goes well in spite of it. PATTERN: of a line of standard
# error, or of a note in the report; '-': there is none to look for. The data are in $file.
cell() {
	local engine=$1 errno=$2 pattern=$3 rules=() what job
	shift 3
	while [ "$1" != -- ]; do
		rules+=("$1")
		shift
	done
	shift
	what="$engine ${rules[*]} $*"
	job=("$fio" --name=a --ioengine="$engine" --filename="$file" "${base[@]}" "$@")
	if [ ${#rules[@]} = 0 ]; then
		run "${job[@]}"
	else
		run "$refuse" "${rules[@]}" -- "${job[@]}"
	fi
	check "$what: no rule in vain" eval '! grep "never met" err'
	same "$what: status" $status $((errno != 0))
	document "$what" out
	same "$what: error" "$(json out 'jobs[0].error')" "$errno"
	[ "$pattern" = - ] || says "$what" "$pattern" out err
	[ "$errno" = 0 ] || [ -s err ] || not_ok "$what: nothing is said"
}
counter() { # counter WHAT NAME LOW [HIGH] - of the last run
	between "$1" "$(json out "jobs[0].fio-like.engine.counters.$2")" "$3" "${4:-$3}"
}
moved() { # moved WHAT DIRECTION BYTES - of the last run
	same "$1" "$(json out "jobs[0].$2.io_bytes")" "$3"
}
refused() { # refused ENGINE PATTERN ARGUMENT... - before anything runs
	local engine=$1 pattern=$2
	shift 2
	cell "$engine" 22 "$pattern" -- "$@"
}

errno_of() {
	local -A number=([EPERM]=1 [ENXIO]=6 [ENOMEM]=12 [EFAULT]=14 [EMFILE]=24 [ENOSYS]=38
		[EOPNOTSUPP]=95)
	echo "${number[$1]}"
}
EPERM=1 EIO=5 EAGAIN=11 ENOMEM=12 ENODEV=19 EINVAL=22 EMFILE=24 ENOSPC=28 ESPIPE=29 EOPNOTSUPP=95

# ---- sync and its like ---------------------------------------------------------------------------

direct='direct=1 wants offset, length and buffer address in multiples'
for way in 'sync read' 'psync pread64' 'pvsync preadv' 'pvsync2 preadv2' 'vsync readv'; do
	read -r engine call <<<"$way"
	[ "$call" = readv ] || [ "$call" = read ] ||
		cell "$engine" $EINVAL "$direct" "$call,after=2,times=1:EINVAL" -- --rw=read --direct=1
done
for engine in sync psync vsync pvsync pvsync2; do
	cell $engine $EOPNOTSUPP 'f cannot be trimmed: its file system cannot punch holes' \
		fallocate,arg1=3:EOPNOTSUPP -- --rw=trim
	cell $engine $EIO - fallocate,arg1=3,after=2:EIO -- --rw=trim
	moved "$engine: what was trimmed before" trim 8192
	cell $engine $EIO - sync_file_range,after=1:EIO -- --rw=write --sync_file_range=write:4
	cell $engine 0 - fallocate,arg1=3,after=2,times=1:EINTR -- --rw=trim
	moved "$engine: a trim is made again" trim 65536
done
for engine in sync vsync; do
	cell $engine $EIO - lseek,fd=/f,after=2,times=1:EIO -- --rw=randread --iodepth=4
done
cell vsync $EIO - readv:EIO -- --rw=read --iodepth=8 --iodepth_batch=8
file=/dev/zero cell psync $EOPNOTSUPP 'only regular files and block devices can be trimmed' -- \
	--rw=trim
for flag in '0x80 uncached RWF_DONTCACHE' '0x8 nowait RWF_NOWAIT' '0x1 hipri RWF_HIPRI'; do
	read -r bit option name <<<"$flag"
	cell pvsync2 $EOPNOTSUPP "$name ($option) needs Linux .*; this is Linux [1-9]" \
		"preadv2,arg5&$bit:EOPNOTSUPP" -- --rw=read --$option=1
done
for engine in psync pvsync pvsync2; do
	file=p cell $engine $ESPIPE "p has no offsets, and $engine needs them: ioengine=sync" -- \
		--rw=write
done
cell pvsync2 $EOPNOTSUPP 'RWF_ATOMIC (atomic) needs Linux 6.11' 'pwritev2,arg5&0x40:EOPNOTSUPP' -- \
	--rw=write --atomic=1
cell pvsync2 $EOPNOTSUPP 'RWF_HIPRI (hipri) needs Linux 4.6' 'preadv2,arg5&0x1:EOPNOTSUPP' \
	uname:EPERM -- --rw=read --hipri=1

# ---- stdio ---------------------------------------------------------------------------------------

cell stdio 0 'no /proc/thread-self/io' openat,path=/proc/thread-self/io:EACCES -- --rw=read
cell stdio 0 - pread64,fd=/io:=6 -- --rw=read
cell stdio $EMFILE - openat,path=f,arg2=0x80000:EMFILE -- --rw=read
cell stdio $ENOMEM - mmap,arg1=1048576:ENOMEM -- --rw=read --stdio_buffer=mmap \
	--stdio_buffer_size=1m
cell stdio $EIO - lseek,fd=/f,after=2:EIO -- --rw=randread
for how in --sync=1 --fsync=1 --fdatasync=1 --bs=16k; do
	cell stdio $EIO - write,fd=/f:EIO -- --rw=write $how
done
cell stdio $EIO - write,fd=/f:EIO -- --rw=write --bs=1k --fsync=1
cell stdio $EMFILE - 'openat,path=f,arg2&0x1000:EMFILE' -- --rw=write --sync=1
cell stdio $EINVAL - fcntl,fd=/f,arg1=3:EINVAL -- --rw=write --sync=1
cell stdio $EIO - fdatasync,fd=/f:EIO -- --rw=write --fdatasync=1
cell stdio $EIO - fsync,fd=/f:EIO -- --rw=write --fsync=1
cell stdio $EIO "an error of 'f' at its close" write,fd=/f:EIO -- --rw=write --bs=1k --size=2k
lost='a signal cut off a write of the library, and what was in its buffer is lost'
for how in --bs=1k --sync=1 --fsync=2 '--bs=6k --size=48k' '--rw=randwrite --bs=1k'; do
	cell stdio $EIO "$lost" write,fd=/f,after=1,times=1:EINTR -- --rw=write $how
	cell stdio $EIO - write,fd=/f,times=1:EIO -- --rw=write $how
done
# Writes of whole blocks go past an empty buffer: such a one comes again, and all is there.
for how in '' --sync=1 --fsync=2 '--bs=6k --size=48k'; do
	cell stdio 0 - write,fd=/f,times=1:EINTR -- --rw=write $how --verify=crc32c
done
cell stdio 0 - write,fd=/f,after=2,times=3:EINTR -- --rw=write --verify=crc32c
cell stdio $EIO "$lost" write,fd=/f,times=1:EINTR -- --rw=write --bs=1k --size=2k
cell stdio 0 - fdatasync,fd=/f,times=2:EINTR -- --rw=write --fdatasync=1
cell stdio 0 - read,fd=/f,after=2,times=2:EINTR -- --rw=read
moved 'stdio: a read comes again' read 65536

# ---- copy ----------------------------------------------------------------------------------------

refused copy 'uncached=1 works only with copy_method=readwrite' --rw=read --uncached=1 \
	--copy_method=splice --copy_to=g
refused copy 'copy_to is the file itself' --rw=read --copy_to=f
file=/dev/zero refused copy 'is no ordinary file: copy_to names the file' --rw=read
cell copy $ENOSPC 'the copy takes .* MiB, and where .* only' 'fstatfs,fd=/g:=0' -- --rw=read \
	--copy_to=g
check 'a copy that has no room is not left' [ ! -e g ]
cell copy $EIO - fstatfs,fd=/g:EIO -- --rw=read --copy_to=g
cell copy 13 "cannot open the copy 'g': Permission denied" openat,path=g:EACCES -- --rw=read \
	--copy_to=g
for method in splice sendfile copy_file_range readwrite; do
	cell copy 0 - -- --rw=read --copy_to=g --copy_method=$method
	check "copy by $method" cmp f g
	rm -f g
done
for way in 'splice splice' 'sendfile sendfile' 'copy_file_range copy_file_range' \
	'readwrite preadv2' 'readwrite pwritev2'; do
	read -r method call <<<"$way"
	cell copy $EIO "copying from 'f' failed: .*; another copy_method may do better" \
		"$call,after=4:EIO" -- --rw=read --copy_to=g --copy_method=$method
	rm -f g
done
cell copy $EIO "copying from 'f' failed" 'pwritev2,after=3:=0' -- --rw=read --copy_to=g
cell copy $EIO "copying from 'f' failed" 'splice,after=5:=0' -- --rw=read --copy_to=g \
	--copy_method=splice
cell copy $EMFILE 'another copy_method' pipe2,arg1=0x80000:EMFILE -- --rw=read --copy_to=g \
	--copy_method=splice
rm -f g
cell copy 0 - 'preadv2,after=3,times=1:EINTR' -- --rw=read --copy_to=g
check 'a copy goes on after a signal' cmp f g
cell copy $EOPNOTSUPP 'RWF_DONTCACHE (uncached) needs Linux 6.14' 'preadv2,arg5&0x80:EOPNOTSUPP' \
	-- --rw=read --copy_to=g --uncached=1
cell copy $EINVAL "$direct" 'preadv2,after=3:EINVAL' -- --rw=read --copy_to=g --direct=1
for advice in noreuse dontneed; do
	cell copy 0 - -- --rw=read --copy_to=g --copy_advise=$advice
done
cell copy $EIO "an error of the copy of 'f' at its close" close,fd=/g:EIO -- --rw=read --copy_to=g
cell copy 0 - close,fd=/g:EINTR -- --rw=read --copy_to=g
cell copy $ESPIPE "copy_to is a pipe: 'p'" -- --rw=read --copy_to=p
file=p cell copy $ESPIPE "'p' is a pipe, which has no offsets" -- --rw=read --copy_to=g
rm -f g
file=f:h cell copy 0 - -- --rw=read --nrfiles=2 --copy_to=g --size=128k
check 'copies of two files' cmp f g.0
rm -f g.0 g.1

# ---- null ----------------------------------------------------------------------------------------

refused null 'null_stall must be shorter than null_stall_every' --rw=read --null_stall=2s
refused null 'null_full_one_in=1 is a queue that is always full' --rw=read --iodepth=4 \
	--null_full_one_in=1
for option in null_reorder=1 null_full_one_in=3 null_hang_one_in=3; do
	refused null "${option%%=*} needs iodepth above 1" --rw=read --$option
done

# ---- mmap and libpmem ----------------------------------------------------------------------------

for engine in mmap libpmem; do
	cell $engine $ENOMEM "f: cannot map 65536 bytes at 0: .*; try map_window=" \
		mmap,arg1=65536,arg2=1:ENOMEM -- --rw=read
	cell $engine $ENOMEM "f: cannot map" mmap,arg1=65536,arg2=3:ENOMEM -- --rw=write
	cell $engine 0 - -- --rw=randtrim
	moved "$engine: trims" trim 65536
	cell $engine $EIO - fallocate,arg1=3,after=2:EIO -- --rw=trim
	cell $engine $EIO - msync,after=1:EIO -- --rw=write --sync=1
	cell $engine $EIO - msync,after=1:EIO -- --rw=write --fsync=1
	cell $engine $EIO - msync:EIO -- --rw=write --end_fsync=1
	cell $engine 0 - -- --rw=write --sync_file_range=write:2
	cell $engine $EIO - sync_file_range,after=1:EIO -- --rw=write --sync_file_range=write:2
	for rw in read write; do
		file=p cell $engine $ENODEV 'p is a pipe, which cannot be mapped' -- --rw=$rw
	done
done
cell libpmem $EIO "an error of 'f' at its close" msync:EIO -- --rw=write
cell libpmem 0 - msync,times=2:EINTR -- --rw=write
file=/dev/zero cell libpmem $EINVAL 'ioengine=dev-dax knows where a device-DAX device can be mapped' \
	mmap,arg1=65536:EINVAL -- --rw=read
cell mmap $EINVAL 'thp=1: this kernel gives no huge pages' madvise,arg2=14:EINVAL -- --rw=read \
	--thp=1
cell mmap $EIO - madvise,arg2=1:EIO -- --rw=randread --fadvise_hint=random
cell mmap $EINVAL - fadvise64,arg3=5:EINVAL -- --rw=read --fadvise_hint=noreuse
cell mmap 0 'invalidate: the cache of file f could not be dropped: Input/output error' \
	fdatasync,fd=/f:EIO -- --rw=read --invalidate=1
check 'mmap: pages that cannot be dropped' "$refuse" madvise,arg2=4:EINVAL -- \
	"$TOOLS/contract" mmap --only=invalidating >told

# ---- What a signal cuts off comes again, and is made ready again --------------------------------

for engine in mmap libpmem; do
	for how in --sync=1 --fsync=2 --end_fsync=1 --fsync_on_close=1; do
		cell $engine 0 - msync,times=2:EINTR -- --rw=write $how
		moved "$engine $how: nothing is lost" write 65536
	done
	cell $engine 0 - flock,times=2:EINTR -- --rw=read --lockfile=exclusive
	moved "$engine: nothing is lost for a lock" read 65536
done
cell psync 0 - syncfs,times=2:EINTR -- --rw=write --end_syncfs=1
for engine in psync stdio mmap libpmem libaio; do
	cell $engine $EIO "an error of 'f' at its close" close,fd=/f:EIO -- --rw=read
	cell $engine 0 - close,fd=/f:EINTR -- --rw=read
done

# ---- dev-dax ------------------------------------------------------------------------------------

# no_dax FILE PATTERN - already while the job is made ready
no_dax() {
	run_to 1 "$fio" --name=a --ioengine=dev-dax --rw=read --size=64k --filename="$1"
	says "dev-dax, $1" "$2" err
}
no_dax f 'f is a regular file, not a device-DAX device'
no_dax /dev/zero '/dev/zero is a character device, but not a device-DAX device'
no_dax /nowhere/dax '/nowhere/dax: No such file'
no_dax . '. is a directory, not a device-DAX device'
no_dax p 'p is no file and no device, not a device-DAX device'
device=$(find /dev -type b -print -quit 2>/dev/null)
[ -z "$device" ] || no_dax "$device" "$device is a block device, not a device-DAX device"

# ---- libaio --------------------------------------------------------------------------------------

cell libaio $EAGAIN 'a depth of 8 finds no room: .*fs.aio-max-nr = [1-9].*fs.aio-nr = [0-9]' \
	io_setup:EAGAIN -- --rw=read --iodepth=8
cell libaio $EAGAIN 'a depth of 1 finds no room among the requests that the whole system may' \
	io_setup:EAGAIN openat,path=/aio-nr:EACCES -- --rw=read
cell libaio 38 'io_setup(2) is not to be had .*; use ioengine=psync or io_uring' io_setup:ENOSYS \
	-- --rw=read
cell libaio $ENOMEM 'io_setup(2) failed for a depth of 1: ' io_setup:ENOMEM -- --rw=read
cell libaio 0 - 'io_submit,after=3,times=3:EINTR' 'io_submit,after=10,times=9:EAGAIN' -- --rw=read
moved 'libaio: nothing is lost' read 65536
cell libaio $EAGAIN - 'io_submit,after=3:EAGAIN' -- --rw=read
cell libaio 0 - 'io_submit,after=3,times=2:EAGAIN' -- --rw=randread --direct=1 --iodepth=8
moved 'libaio: the rest waits' read 65536
cell libaio 0 - 'io_submit,after=1,times=1:EAGAIN' -- --rw=randread --direct=1 --iodepth=8 \
	--iodepth_batch=4 --iodepth_batch_complete_min=8
cell libaio $EIO - 'io_submit,after=5,times=1:EIO' -- --rw=read --iodepth=4
cell libaio 0 - 'io_submit,after=1,times=1:EINVAL' -- --rw=write --fsync=1
counter 'libaio: a sync that io_submit refuses' plain_syncs 1
file=/dev/zero cell libaio $EINVAL 'takes no requests of libaio, as many character devices' \
	io_submit,times=1:EINVAL -- --rw=read
cell libaio $EINVAL "$direct" io_submit,after=2,times=1:EINVAL -- --rw=read --direct=1
cell libaio $EIO 'io_getevents(2) failed: Input/output error' io_getevents,after=3:EIO -- --rw=read
cell libaio 0 - io_getevents,after=3,times=4:EINTR -- --rw=read
cell libaio 0 - -- --rw=trim
cell libaio $EIO - fallocate,arg1=3,after=2:EIO -- --rw=trim
cell libaio $EIO - sync_file_range,after=1:EIO -- --rw=write --sync_file_range=write:2
cell libaio $EPERM 'cmdprio: class 1 (real time) needs CAP_SYS_ADMIN' io_submit,after=3:EPERM -- \
	--rw=read --cmdprio_percentage=50 --cmdprio_class=1 --direct=1
cell libaio $EOPNOTSUPP 'RWF_NOWAIT (nowait) needs Linux' io_submit:EOPNOTSUPP -- --rw=write \
	--nowait=1

# ---- io_uring ------------------------------------------------------------------------------------

if has_engine io_uring; then
	for way in '0 fixedbufs ENOMEM .*count as locked memory, of which .* raise ulimit -l' \
		'0 fixedbufs EOPNOTSUPP buffers that lie in a file cannot be registered' \
		'0 fixedbufs EFAULT the kernel refuses to register 4 KiB of buffers: Bad address' \
		'2 registerfiles EMFILE the kernel takes no table of 1 files: .*; raise ulimit -n' \
		'2 registerfiles ENXIO the kernel takes no table of 1 files: '; do
		read -r code option name words <<<"$way"
		cell io_uring "$(errno_of "$name")" "$option: $words" \
			"io_uring_register,arg1=$code:$name" -- --rw=read --$option=1
	done
	cell io_uring $EIO "an error of 'f' at its close" close,fd=/f:EIO -- --rw=read
	cell io_uring 0 - close,fd=/f:EINTR -- --rw=read
	cell io_uring 0 - io_uring_register,arg1=6:EBADF -- --rw=read --registerfiles=1
	counter 'io_uring: no slot in the table' fixed_file_ios 0
	cell io_uring 0 - -- --rw=write --sync_file_range=write:2
	file=sparse cell io_uring 0 - -- --rw=randwrite --sync_file_range=write:8 --size=12g \
		--io_size=64k
	cell io_uring $EOPNOTSUPP 'nonvectored=1 needs Linux 5.6' io_uring_register,arg1=8:EINVAL -- \
		--rw=read --nonvectored=1
	cell io_uring 0 - io_uring_register,arg1=8:EINVAL -- --rw=randrw --fsync=4
	cell io_uring 0 'sqthread_poll_cpu has no effect without sqthread_poll' -- --rw=read \
		--sqthread_poll_cpu=0
	cell io_uring $EINVAL 'sqthread_poll_cpu=65535: the kernel refuses to run its thread' -- \
		--rw=read --sqthread_poll=1 --sqthread_poll_cpu=65535
	cell io_uring $EIO 'io_uring_enter(2) failed: Input/output error' io_uring_enter,after=5:EIO \
		-- --rw=read
	cell io_uring 0 - io_uring_enter,after=5,times=3:EAGAIN -- --rw=read
	cell io_uring $EAGAIN 'io_uring_enter(2) failed' io_uring_enter,after=5:EAGAIN -- --rw=read
	cell io_uring 0 - io_uring_enter,after=3,times=5:EINTR -- --rw=randread --iodepth=8 --direct=1
	cell io_uring $EIO 'waiting in io_uring_enter(2) failed: Input/output error' \
		'io_uring_enter,arg2=1,after=2:EIO' -- --rw=randread --direct=1
	cell io_uring 0 - 'io_uring_enter,arg1&0xffff,after=1,times=1:EAGAIN' -- --rw=randread \
		--direct=1 --iodepth=8 --iodepth_batch=4 --iodepth_batch_complete_min=8
	cell io_uring 0 - io_uring_enter,arg2=1,times=9000:=0 -- --rw=randread --direct=1
	cell io_uring $EAGAIN 'io_uring_enter(2) failed' io_uring_enter,arg1=32768:EAGAIN -- \
		--rw=randread --iodepth=40000 --bs=512 --size=20480000 --iodepth_batch=40000
	for way in 'EPERM a seccomp filter keeps io_uring_setup(2) from this process' \
		'ENOMEM no memory for the ring: .*raise ulimit -l, or lower iodepth' \
		'EMFILE no descriptor is left for the ring: raise ulimit -n' \
		'ENXIO io_uring_setup(2) failed: '; do
		read -r name words <<<"$way"
		cell io_uring "$(errno_of "$name")" "$words" "io_uring_setup:$name" -- --rw=read
	done
	for way in 'EPERM the kernel permits no such ring: a security module forbids it' \
		'ENOSYS this kernel has no io_uring: it needs Linux 5.1'; do
		read -r name words <<<"$way"
		cell io_uring "$(errno_of "$name")" "$words" "io_uring_setup:$name" \
			openat,path=/self/status:ENOENT -- --rw=read
	done
	cell io_uring $ENOMEM 'no memory for the ring' mmap,arg5=0x10000000:ENOMEM -- --rw=read
	"$refuse" io_uring_setup:EPERM -- "$TOOLS/contract" io_uring >told
	says 'io_uring: probed in vain' 'SKIP.*a seccomp filter keeps io_uring_setup' told
	cell io_uring 0 - -- --rw=randread --iodepth=40000 --bs=512 --size=20480000 \
		--iodepth_batch=40000
	cell io_uring 0 - -- --rw=randread --iodepth=40000 --bs=512 --size=20480000 \
		--iodepth_batch=40000 --sqthread_poll=1
fi

rm -f sparse
finish
