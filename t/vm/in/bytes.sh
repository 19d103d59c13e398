# SPDX-License-Identifier: MIT
#
# Jobs leave exactly the bytes they should, whatever the block size, the order, processes or
# threads; and what one engine has written another reads back. The bytes are looked at by
# t/tools/daxbytes, which knows no engine: with buffer_pattern=%o each block holds its own offset.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

dax=$(vm_devdax 0)
mount=$(vm_fsdax /mnt/dax 1)
held=$mount/file
end=$((12 * 1024 * 1024))
truncate -s $end "$held"
from=$((1024 * 1024 + 64))	# at no page

leaves_its_offsets() { # leaves_its_offsets ENGINE TARGET BS BYTES ARGUMENT...
	local engine=$1 target=$2 bs=$3 bytes=$4
	shift 4
	"$TOOLS/daxbytes" fill "$target" 0 $end 0x5a
	run "$fio" --name=write --ioengine="$engine" --filename="$target" --bs="$bs" \
		--offset=$from --size="$bytes" --buffer_pattern=%o --output=out "$@"
	same "$engine, $*, bs=$bs runs" "$status" 0
	if "$TOOLS/daxbytes" offsets "$target" $from $(($(numfmt "$bytes"))) $(($(numfmt "$bs"))) \
		0x5a $end >said 2>&1; then ok; else not_ok "$engine, $*, bs=$bs: the bytes" said; fi
}

numfmt() { # numfmt SIZE - 64k as an expression
	echo "$1" | sed 's/k$/*1024/; s/m$/*1048576/'
}

ways=${WAYS:---thread=0 --thread --direct=1 --sync=1}
for how in write randwrite; do
	for way in $ways; do
		for size in 64:128k 4k:2m 64k:4m 2m:8m; do
			leaves_its_offsets dev-dax "$dax" ${size%:*} ${size#*:} --rw=$how $way
			leaves_its_offsets libpmem "$held" ${size%:*} ${size#*:} --rw=$how $way
		done
	done
done

# Several at once, each with a part of its own.
for way in --thread=0 --thread; do
	leaves_its_offsets dev-dax "$dax" 4k 4m --rw=randwrite --numjobs=4 --size=1m \
		--offset_increment=1m $way
	leaves_its_offsets libpmem "$held" 4k 4m --rw=randwrite --numjobs=4 --size=1m \
		--offset_increment=1m $way
	leaves_its_offsets dev-dax "$dax" 4k 4m --rw=randwrite --numjobs=4 --size=1m \
		--offset_increment=1m --map_window=2m $way
done

# The same, by the jobs' own verification.
verifies() { # verifies ENGINE TARGET BS ARGUMENT...
	local engine=$1 target=$2 bs=$3
	shift 3
	run "$fio" --name=verify --ioengine="$engine" --filename="$target" --bs="$bs" --size=8m \
		--rw=randwrite --verify=crc32c --output-format=json --output=json "$@"
	same "$engine, bs=$bs, $* is verified: $(head -n 3 err)" \
		"$status $(json json 'jobs[0].read.io_bytes')" "0 $((8 * 1024 * 1024))"
}
for way in --thread=0 --thread --map_window=4m; do
	for size in 4k 64k 2m; do
		verifies dev-dax "$dax" $size $way
		verifies libpmem "$held" $size $way
	done
done

# Written through one, read back through the others.
dd if=/dev/urandom of=random bs=1M count=8 2>/dev/null
bytes=$((8 * 1024 * 1024))

reads_back() { # reads_back WRITER READER TARGET BLOCK [OPTIONS]
	"$TOOLS/through" --block=65536 write "$1" "$3" 0 $bytes <random 2>said ||
		not_ok "$1 writes $3" said
	"$TOOLS/through" --block="$4" ${5+--opts=$5} read "$2" "$3" 0 $bytes 2>said |
		cmp - random >>said 2>&1
	same "$2 (${*:4}) reads what $1 wrote: $(cat said)" "${PIPESTATUS[*]}" '0 0'
	"$TOOLS/daxbytes" fill "$3" 0 $bytes 0
}

for writer in mmap libpmem dev-dax; do
	for reader in mmap libpmem dev-dax; do
		[ $writer != $reader ] || continue
		reads_back $writer $reader "$dax" 4096
		# Windows on a device are for the engine that knows its alignment.
		[ $reader != dev-dax ] || reads_back $writer $reader "$dax" 1000000 map_window=2m
		[ $writer != dev-dax ] && [ $reader != dev-dax ] || continue
		reads_back $writer $reader "$held" 4096
		reads_back $writer $reader "$held" 1000000 map_window=64k
	done
done
reads_back libpmem psync "$held" 4096
reads_back psync libpmem "$held" 4096
finish
