#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Block devices that hold something are not written to, unless the user says so; nothing of them has
# changed after a refusal. Loop devices, and zram where it is free; who lives on real disks is in
# t/unit/os_inuse.c, volumes are in t/vm.

. "$SRCDIR/t/shell.sh"
unset FIO_LIKE_ALLOW_DESTROY

# ---- Mount points --------------------------------------------------------------------------------

# refused WHAT PATTERN ARGUMENT... - the run ends at once, with the pattern in its complaint
refused() {
	local what=$1 pattern=$2
	shift 2
	run "$fio" --name=j --size=64k "$@"
	same "$what: exit status" $status 1
	says "$what" "$pattern" err
	[ ! -s out ] || not_ok "$what: there is a result" out
}

# allowed WHAT ARGUMENT... - the run ends well
allowed() {
	local what=$1
	shift
	run "$fio" --name=j --size=64k "$@"
	[ $status = 0 ] && [ -s out ] || not_ok "$what: status $status" err
	[ $status != 0 ] || ok
}

mkdir -p plain
refused 'no mount' 'directory=plain: nothing is mounted there' --rw=write --directory=plain \
	--require_mount=1
same 'no mount: nothing was made' "$(ls plain)" ''
refused 'missing place' 'require_mount=./none: No such file' --rw=write --require_mount=./none
refused 'no directory' 'require_mount=1 is about directory=' --rw=write --require_mount=1
refused 'another file system' 'does not lie on what is mounted there' --rw=write --directory=plain \
	--require_mount=/proc
allowed 'require_mount=0' --rw=write --directory=plain --require_mount=0
if unshare -rm true 2>/dev/null; then
	mkdir -p real
	export -f ok not_ok same says run refused allowed
	export fio passed failed
	unshare -rm bash -c '
		mount -t tmpfs none real || exit 77
		mkdir real/below
		allowed "a mount" --rw=write --directory=real --require_mount=1
		allowed "below a mount" --rw=write --directory=real/below --require_mount=real
		refused "below a mount, itself none" "nothing is mounted there" --rw=write \
			--directory=real/below --require_mount=1
		refused "one of two" "directory=plain: nothing" --rw=write --numjobs=2 \
			--directory=real:plain --require_mount=1
		echo "$passed $failed" >counts'
	[ ! -f counts ] || read -r passed failed <counts
else
	echo '# skipped: mounts need a namespace, which this user may not have'
fi

# ---- What lies on a device -----------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! command -v losetup >/dev/null || ! losetup -f >/dev/null 2>&1; then
	echo '# skipped: no loop devices without root'
	finish
fi
if ! grep -q CONFIG_LIB_BLKID "$BUILDDIR/gen/config.h"; then
	echo '# skipped: built without libblkid'
	finish
fi
devices=()
give_back() {
	local dev
	umount -q mnt
	for dev in "${devices[@]}"; do losetup -d "$dev" 2>/dev/null; done
}
trap give_back EXIT

# attach [OPTION...] - the image as $dev
attach() {
	dev=$(losetup -f --show "$@" image) || return 1
	devices+=("$dev")
}
detach() {
	losetup -d "$dev"
}
sum() {
	blockdev --flushbufs "$dev" 2>/dev/null
	cksum <image
}
fresh() { # fresh SIZE
	rm -f image
	truncate -s "$1" image
}

put() { # put OFFSET BYTES - as printf knows them - into the image
	printf "$2" | dd of=image bs=1 seek="$1" conv=notrunc status=none
}

crc_of() { # crc_of FILE - as four bytes for put
	gzip -c <"$1" | tail -c 8 | head -c 4 | od -An -tx1 | sed 's/ /\\x/g'
}

# The signatures that tools would write which a small machine lacks.
xfs() {
	put 0 'XFSB\0\0\x10\0\0\0\0\0\0\1\x40\0'
	put 80 '\0\0\0\1\0\0\x50\0\0\0\0\4\0\0\0\0\0\0\x40\0\xb4\xa5\2\0\2\0\0\x08'
	put 120 '\x0c\x09\x09\x03\x0f\0\0\x19'
}
luks() { put 0 'LUKS\xba\xbe\0\2\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\3'; }
lvm() {
	put 512 'LABELONE\1\0\0\0\0\0\0\0\xaa\x76\x63\xc8\x20\0\0\0LVM2 001'
	put 544 'FlPXbLuMQrDl5NOd1Xjzdwyf7DTzK3Zx'
}
md() { put 4096 '\xfc\x4e\x2b\xa9\1\0\0\0'; put 4240 '\x08'; }
zfs() { for i in 0 1 2 3 4 5 6 7; do put $((131072 + i * 1024)) '\x0c\xb1\xba\0\0\0\0\0'; done; }
bcache() {
	put 4104 '\x08'
	put 4120 '\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81'
}
mbr() { put 446 '\0\x20\x21\0\x83\x28\x20\x08\0\x08\0\0\0\xf8\1\0'; put 510 '\x55\xaa'; }
gpt() { # no entries, but an honest header
	head -c 16384 /dev/zero >entries
	{
		printf 'EFI PART\0\0\1\0\x5c\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0'
		printf '\xff\xff\1\0\0\0\0\0\x22\0\0\0\0\0\0\0\xde\xff\1\0\0\0\0\0'
		printf '0123456789abcdef\2\0\0\0\0\0\0\0\x80\0\0\0\x80\0\0\0'
		printf "$(crc_of entries)"
	} >header
	dd if=header of=image bs=512 seek=1 conv=notrunc status=none
	put 528 "$(crc_of header)"
}
swap() { put 4086 SWAPSPACE2; put 1024 '\1\0\0\0\xff\x3f\0\0'; }
# Without what the kernel would write in its own time.
ext4() { mkfs.ext4 -q -L data -E lazy_itable_init=0,lazy_journal_init=0 image; }

# guarded NAME WORDS - an image with this signature, named by these words, is safe
guarded() {
	local before
	fresh 64m
	"$1" || return
	attach || return
	before=$(sum)
	refused "$1" "$dev carries data: $2" --filename="$dev" --rw=write --direct=1
	says "$1: the line that allows it" "allow_destroy=$dev\$" err
	refused "$1, trimmed" "allow_destroy=$dev\$" --filename="$dev" --rw=randtrim
	refused "$1, mixed" "allow_destroy=$dev\$" --filename="$dev" --rw=randrw --offset=32m
	refused "$1, mapped" "allow_destroy=$dev\$" --filename="$dev" --rw=write --ioengine=mmap
	refused "$1, not mounted" "allow_destroy=$dev\$" --filename="$dev" --rw=write \
		--allow_mounted_write=1
	same "$1: nothing has changed" "$(sum)" "$before"
	allowed "$1, read" --filename="$dev" --rw=randread
	same "$1: nothing has changed" "$(sum)" "$before"
	allowed "$1, named" --filename="$dev" --rw=write $(grep -o 'allow_destroy=.*' err |
		sed 's/^/--/') --allow_destroy="$dev"
	if [ "$(sum)" = "$before" ]; then not_ok "$1: named, and not written"; else ok; fi
	detach
}

guarded xfs 'xfs file system'
guarded luks 'LUKS volume'
guarded lvm 'LVM physical volume'
guarded md 'member of an md RAID'
guarded zfs 'member of a ZFS pool'
guarded bcache 'bcache'
guarded mbr 'partition table (dos)'
guarded gpt 'partition table (gpt)'
guarded swap 'swap area'
if command -v mkfs.ext4 >/dev/null; then
	guarded ext4 "ext4 file system 'data'"
else
	echo '# skipped: no mkfs.ext4'
fi

# ---- Blank ones, and who may have them -----------------------------------------------------------

fresh 64m
attach || finish
allowed 'blank' --filename="$dev" --rw=randwrite
allowed 'written by a test before' --filename="$dev" --rw=randrw --numjobs=3
allowed 'two writers' --filename="$dev" --rw=write --name=k --filename="$dev" --rw=write
ln -s "$dev" link
allowed 'a link' --filename=link --rw=trim
detach

fresh 64m
xfs
attach
before=$(sum)
mkdir -p named
ln -s "$dev" 'named/a:b'
refused 'a link, and a colon' 'allow_destroy=named/a\\:b$' --filename='named/a\:b' --rw=write
says 'what a link leads to' "(${dev#/dev/})" err
refused 'another is named' 'allow_destroy=' --filename="$dev" --rw=write \
	--allow_destroy=/dev/none:plain:/dev/null
refused 'the second job' 'job k: ' --filename=first --rw=write --name=k --filename="$dev" --rw=write
check 'nothing was laid out for the first' test ! -e first
FIO_LIKE_ALLOW_DESTROY=/dev/none refused 'another, in the environment' 'allow_destroy=' \
	--filename="$dev" --rw=write
run "$fio" --engine-test=psync --filename="$dev"
same 'an engine test' $status 1
says 'an engine test' "FIO_LIKE_ALLOW_DESTROY=$dev" out
same 'nothing has changed' "$(sum)" "$before"
cp image copy
FIO_LIKE_ALLOW_DESTROY='plain:named/a\:b' allowed 'the environment' --filename="$dev" --rw=write
cp copy image
allowed 'named by another of its names' --filename="$dev" --rw=write --allow_destroy='named/a\:b'
detach

# ---- Mounted ones --------------------------------------------------------------------------------

mkdir -p mnt
fresh 64m
if ext4 2>/dev/null && attach -P && mount "$dev" mnt; then
	sync
	before=$(cksum <image)
	refused 'mounted' "$dev is mounted on $PWD/mnt" --filename="$dev" --rw=write --direct=1
	says 'mounted: the ways out' "allow_destroy=$dev (or, as it is mounted, allow_mounted" err
	refused 'mounted, by a link' '/mnt;' --filename=link --rw=write
	same 'nothing has changed' "$(cksum <image)" "$before"
	allowed 'allow_mounted_write' --filename="$dev" --rw=write --allow_mounted_write=1 \
		--offset=32m
	allowed 'mounted and named' --filename="$dev" --rw=write --allow_destroy="$dev" --offset=32m
	truncate -s 64k plain/source
	# wrote_nothing WHAT PATTERN ARGUMENT... - of what is no target by name, but would be written to
	wrote_nothing() {
		local what=$1 pattern=$2
		shift 2
		run "$fio" --name=j --size=64k "$@"
		same "$what: exit status" $status 1
		says "$what" "$pattern" err out
		same "$what: nothing has changed" "$(sum)" "$before"
	}
	before=$(sum)
	null=(--ioengine=null --rw=read)
	for what in write_iolog output junit; do
		wrote_nothing $what "it is a block device, and results go to files only" "${null[@]}" \
			--expect="read.iops>0" "--$what=$dev"
	done
	ln -s "$dev" j_lat.1.log
	wrote_nothing 'a log, by a link' 'j_lat.1.log: it is a block device' "${null[@]}" \
		--write_lat_log=j
	rm j_*.log
	run "$fio" --name=j --size=64k --filename=plain/v --rw=write --verify=crc32c --fsync=4 \
		--verify_state_file="$dev"
	says 'a state' 'verify_state_file=.*it is a block device' out
	same 'a state: nothing has changed' "$(sum)" "$before"
	wrote_nothing 'a copy' 'copy_to is a block device' --ioengine=copy --rw=read \
		--filename=plain/source --copy_to="$dev"
	wrote_nothing 'buffers' "$dev is mounted" "${null[@]}" --mem=mmapshared:"$dev"
	wrote_nothing 'no type' 'it is a block device\|is mounted' --rw=write --filename="$dev" \
		--filetype=none
	for engine in psync mmap io_uring stdio; do
		wrote_nothing "no file, $engine" 'filetype: file .* is a block device' --rw=write \
			--filename="$dev" --filetype=file --allow_file_create=0 --ioengine=$engine
	done
	wrote_nothing 'the file below' "file image is what $dev stands on, and $dev is mounted" \
		--rw=write --filename=image
	wrote_nothing 'it, unasked' "file image is what $dev stands on" --rw=trim --filename=image \
		--filetype=file
	wrote_nothing 'it, as a device' 'filetype: file image is a regular file' --rw=write \
		--filename=image --filetype=block
	allowed 'the file below, read' --rw=read --filename=image
	allowed 'the file below, named' --rw=write --filename=image --offset=32m \
		--allow_destroy="$dev"
	umount mnt
	: >ready
	unshare -m sh -c "mount $dev mnt && rm ready; exec sleep 20" &
	holder=$!
	soon test ! -e ready
	refused 'mounted elsewhere' 'claimed by the kernel or another program' --filename="$dev" \
		--rw=write
	kill $holder
	wait $holder 2>/dev/null
	detach
else
	echo '# skipped: ext4 on a loop device cannot be mounted'
fi
fresh 64m
mbr
if attach -P && [ -b "${dev}p1" ]; then
	allowed 'a blank partition' --filename="${dev}p1" --rw=write
	if mkfs.ext4 -q -E lazy_itable_init=0 "${dev}p1" && mount "${dev}p1" mnt; then
		before=$(cksum <image)
		refused 'its partition is mounted' "partition ${dev#/dev/}p1 is mounted on" \
			--filename="$dev" --rw=write --direct=1
		refused 'a mounted partition' "${dev}p1 is mounted on" --filename="${dev}p1" \
			--rw=write
		refused 'its disk is named' "allow_destroy=${dev}p1" --filename="${dev}p1" \
			--rw=write --allow_destroy="$dev"
		same 'nothing has changed' "$(cksum <image)" "$before"
		umount mnt
	fi
	detach
	fresh 64m
	mbr
	md
	attach -P
	refused 'its disk is part of a RAID' 'a disk that carries data itself: member of an md' \
		--filename="${dev}p1" --rw=write
	detach
else
	echo '# skipped: this kernel finds no partitions on loop devices'
fi

# ---- What happens meanwhile ----------------------------------------------------------------------

# later COMMAND... - a run whose second job writes to $dev, while its first still writes to a file,
# and the command then
later() {
	rm -f meanwhile.0.0
	"$fio" --name=meanwhile --rw=write --size=64k --time_based --runtime=1500ms --thinktime=1ms \
		--name=later --stonewall --rw=write --size=64k --filename="${target:-$dev}" \
		--output-format=json --output=late.json 2>err &
	local pid=$!
	soon test -s meanwhile.0.0
	"$@"
	wait $pid
	status=$?
}

fresh 64m
attach
later xfs
same 'a file system made meanwhile' $status 1
says 'a file system made meanwhile' "later: $dev carries data: xfs" err
same 'bytes to it' "$(json late.json 'jobs[1].write.io_bytes')" 0
same 'its error' "$(json late.json 'jobs[1].error')" 16
check 'the first job is not concerned' test "$(json late.json 'jobs[0].write.io_bytes')" -gt 0
fresh 64m
detach
attach
ln -sf "$dev" link
target=link later ln -sf /dev/loop-control link
same 'a name that leads to no device any more' $status 1
check 'is no device' test ! -b link
later true
same 'nothing happened meanwhile' $status 0
# What the run itself has written there does not stop it.
printf 'XFSB\0\0\x10\0\0\0\0\0\0\1\x40\0' >super
allowed 'data that look like something' --filename="$dev" --rw=write --bs=4k \
	--buffer_pattern="'super'" --name=k --stonewall --filename="$dev" --rw=write
if command -v mkfs.ext4 >/dev/null; then
	fresh 64m
	detach
	attach
	"$fio" --name=j --rw=write --time_based --runtime=20 --size=1m --thinktime=1ms \
		--filename="$dev" --output=long.out 2>long.err &
	pid=$!
	would_make() { mkfs.ext4 -n -q "$dev" >/dev/null 2>&1; }
	would_not() { ! would_make; }
	check 'a device under test is claimed' soon would_not
	if mount -t ext4 "$dev" mnt 2>/dev/null; then not_ok 'mounted under test'; else ok; fi
	refused 'a second run' 'claimed by the kernel or another program' --filename="$dev" \
		--rw=write
	kill -INT $pid
	wait $pid 2>/dev/null
	check 'free again' would_make
fi
detach

# ---- zram ----------------------------------------------------------------------------------------

if [ "$(cat /sys/block/zram0/initstate 2>/dev/null)" = 0 ] &&
	echo 16M >/sys/block/zram0/disksize 2>/dev/null; then
	allowed 'zram, blank' --filename=/dev/zram0 --rw=randwrite
	allowed 'zram, again' --filename=/dev/zram0 --rw=randtrim
	echo 1 >/sys/block/zram0/reset
else
	echo '# skipped: no zram device is free'
fi
finish
