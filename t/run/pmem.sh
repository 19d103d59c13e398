#!/bin/bash
# SPDX-License-Identifier: MIT
#
# libpmem and dev-dax as far as they go without persistent memory: libpmem on ordinary files, and on
# tmpfs that is taken for persistent memory; what dev-dax says of what is no device of its kind. The
# rest is in t/vm/in.

. "$SRCDIR/t/shell.sh"

[ -f "$BUILDDIR/engines/libpmem.so" ] || { echo 'libpmem is not installed'; exit 77; }
at=jobs[0].fio-like.engine.counters

counted() { # counted NAME... - counters of the last run, on one line
	local paths=()
	for name; do paths+=("$at.$name"); done
	"$jsonq" json "${paths[@]}" | paste -s -d ' '
}

job() { # job ARGUMENT...
	run "$fio" --name=job --ioengine=libpmem --output-format=json --output=json "$@"
	[ "$status" = 0 ] || not_ok "$*" err
}

# ---- Sizes: what a job needs is laid out, whatever the combination -------------------------------

laid_out() { # laid_out BYTES-OF-FILE BYTES-MOVED ARGUMENT...
	local bytes=$1 moved=$2
	shift 2
	rm -f laid
	job --filename=laid "$@"
	same "size of the file: $*" "$(stat -c %s laid 2>/dev/null)" "$bytes"
	same "bytes moved: $*" "$("$jsonq" json 'jobs[0].read.io_bytes' 'jobs[0].write.io_bytes' |
		paste -s -d + | sed 's/.*/echo $((&))/' | sh)" "$moved"
}

for engine in libpmem mmap; do
	for rw in read write randread randwrite; do
		laid_out 32 16 --ioengine=$engine --rw=$rw --filesize=32 --size=16 --bs=16 --offset=16
		laid_out 32 16 --ioengine=$engine --rw=$rw --size=16 --bs=16 --offset=16
		laid_out 32 32 --ioengine=$engine --rw=$rw --filesize=32 --bs=16
		laid_out 8193 4093 --ioengine=$engine --rw=$rw --filesize=8193 --offset=4100 --bs=4093
	done
	# A file that is there and too short grows.
	printf 0123456789 >laid
	cp laid short
	job --ioengine=$engine --filename=short --rw=write --size=16 --offset=16 --bs=16
	same "$engine: a short file has its full size" "$(stat -c %s short)" 32
	check "$engine: and keeps what it held" cmp -n 10 laid short
done

# ---- What the report says ------------------------------------------------------------------------

job --filename=data --rw=write --bs=4k --size=64k
same 'ordinary file' "$(counted is_pmem temporal_writes nontemporal_writes drains msyncs)" '0 16 0 0 1'
says 'a note says so' 'is_pmem=0: data is not on persistent memory, so msync' json
job --filename=data --rw=write --bs=4k --size=64k --direct=1 --fsync=4
same 'ordinary file, direct=1, fsync=4' "$(counted nontemporal_writes msyncs)" '16 4'
job --filename=data --rw=write --bs=4k --size=64k --sync=1
same 'ordinary file, sync=1' "$(counted temporal_writes msyncs)" '16 16'

export PMEM_IS_PMEM_FORCE=1
job --filename=data --rw=write --bs=4k --size=64k
same 'forced' "$(counted is_pmem temporal_writes nontemporal_writes drains msyncs)" '1 16 0 1 0'
job --filename=data --rw=write --bs=4k --size=64k --direct=1 --sync=1
same 'forced, direct=1, sync=1' "$(counted nontemporal_writes drains)" '16 16'
job --filename=data --rw=write --bs=4k --size=64k --fsync=4
same 'forced, fsync=4' "$(counted temporal_writes drains)" '16 4'
job --filename=data --rw=write --bs=4k --size=64k --sync=1 --map_window=16k
same 'forced, in windows' "$(counted is_pmem remaps drains)" '1 3 16'
job --filename=data --rw=randrw --bs=4k --size=64k --numjobs=2 --group_reporting --thread
same 'forced, two threads' "$(counted is_pmem)" 1

# ---- The bytes -----------------------------------------------------------------------------------

for window in 0 64k; do
	for way in --direct=0 --direct=1 --thread; do
		head -c 4m /dev/zero | tr '\0' Z >bytes
		job --filename=bytes --rw=randwrite --bs=512 --offset=1m --size=2m \
			--buffer_pattern=%o --map_window=$window $way
		if "$TOOLS/daxbytes" offsets bytes 1048576 2097152 512 0x5a 4194304 >said 2>&1; then
			ok
		else
			not_ok "each block is in its place, $way, window $window" said
		fi
		job --filename=verified --rw=randwrite --bs=4k --size=1m --verify=crc32c \
			--map_window=$window $way
		same "verify, $way, window $window" "$(json json 'jobs[0].read.io_bytes')" 1048576
	done
done
unset PMEM_IS_PMEM_FORCE

# ---- dev-dax: what is no device of its kind ------------------------------------------------------

refused() { # refused WHAT PATTERN ARGUMENT...
	local what=$1 pattern=$2
	shift 2
	run "$fio" --name=refused --ioengine=dev-dax --rw=read --bs=4k "$@"
	check "$what: refused" [ "$status" != 0 ]
	says "$what" "$pattern" err
	check "$what: no result" [ ! -s out ]
}
refused 'a file' 'data is a regular file, not a device-DAX device' --filename=data
refused 'a folder' 'is a directory, not a device-DAX device' --filename="$PWD"
refused 'another device' '/dev/null is a character device, but not a device-DAX device' \
	--filename=/dev/null
refused 'nothing' "/dev/dax99.9: No such file or directory; 'daxctl list'" --filename=/dev/dax99.9
finish
