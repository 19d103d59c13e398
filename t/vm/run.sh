#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Runs test scripts in a small virtual machine, where there are devices that no test may ask of the
# machine it is on: persistent memory (DAX), zoned and polled block devices, NVMe, device-mapper.
#
#	t/vm/run.sh [option...] SCRIPT...
#
#	SCRIPT            a path, run there by bash; its name without .sh is the name of its result
#	--out=DIR         keep NAME.json of each script, and console.log
#	--bring=DIR       with --out: what is in DIR of the machine at the end, as OUT/brought.tar.gz
#	--timeout=S       for all together, start of the machine included (600)
#	--each=S          for each script (240)
#	--with=NAME       take along a program (by name) or file (by absolute path); may come again
#	--env=NAME=VALUE  in the environment of the scripts; may come again
#	--mem=SIZE        memory of the machine (1G)
#	--list            say what would be taken along, and stop
#
# Nothing is installed in it: an initramfs is made on the spot, of busybox, our own binaries, the
# libraries they need, and modules of an installed Debian kernel. There is no network and no root
# file system. Scripts find the environment of t/run (FIO_LIKE, SRCDIR, BUILDDIR, TOOLS), a working
# directory of their own, and t/vm/guest.sh with the ways to make devices.
#
# Each script's result comes over the serial console, as one JSON object between two markers; see
# t/vm/init. A script without a result, and a machine that outlives its time, are failures. Exit
# status 77 and a reason as the last line: there cannot be a machine here.
#
#	VM_KERNEL    image to boot (the newest /boot/vmlinuz-* that has modules for all this)
#	VM_MODULES   directory of its modules (/lib/modules/VERSION)
#	VM_ACCEL     of qemu: tcg (default) or kvm
#	VM_QEMU_ARGS more arguments for qemu	VM_APPEND   more for the kernel

set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd -P)
: "${SRCDIR:=$(cd "$here/../.." && pwd -P)}"
: "${BUILDDIR:=$SRCDIR}"
: "${TOOLS:=$BUILDDIR/t/tools}"
PATH=$PATH:/usr/sbin:/sbin

out=
bring=
limit=600
each=240
mem=1G
list=no
extra=()
settings=()
scripts=()

die() {
	echo "t/vm/run.sh: $*" >&2
	exit 1
}

cannot() { # cannot REASON
	echo "no virtual machine: $*"
	exit 77
}

for arg; do
	case $arg in
	--out=*) out=${arg#*=} ;;
	--bring=*) bring=${arg#*=} ;;
	--timeout=*) limit=${arg#*=} ;;
	--each=*) each=${arg#*=} ;;
	--with=*) extra+=("${arg#*=}") ;;
	--env=*) settings+=("${arg#*=}") ;;
	--mem=*) mem=${arg#*=} ;;
	--list) list=yes ;;
	--help) sed -n '4,/^set -u/s/^# \{0,1\}//p' "$0"; exit 0 ;;
	-*) die "unknown option $arg; --help lists them" ;;
	*) scripts+=("$arg") ;;
	esac
done
[ -z "$bring" ] || settings+=("VM_BRING=$bring")
[ ${#scripts[@]} -gt 0 ] || die 'no script is given; --help tells more'
for script in "${scripts[@]}"; do
	[ -f "$script" ] || die "there is no script $script"
done

# ---- What there is to build it of --------------------------------------------------------------

# Loaded when a script asks for them; each with all that it depends on.
modules='nfit nd_pmem nd_btt dax_pmem device_dax
null_blk virtio_pci virtio_blk nvme ahci loop brd zram scsi_debug sd_mod sg
dm_mod dm_flakey dm_delay dm_zero dm_snapshot dm_thin_pool dm_log_writes dm_zoned dm_writecache
dm_crypt raid0 raid1 ext4 xfs btrfs configfs quota_v2 crc32c_generic crc32c_intel crct10dif_common'

kernel=${VM_KERNEL-}
if [ -z "$kernel" ]; then
	for image in $(ls -r -v /boot/vmlinuz-* 2>/dev/null); do
		version=${image#/boot/vmlinuz-}
		[ -e "/lib/modules/$version/kernel/drivers/acpi/nfit/nfit.ko" ] || continue
		kernel=$image
		break
	done
fi
version=${kernel##*/vmlinuz-}
module_dir=${VM_MODULES:-/lib/modules/$version}

packages=
needs() { # needs PACKAGE FILE-OR-PROGRAM
	[ -e "$2" ] || command -v "$2" >/dev/null || packages="$packages $1"
}
[ "$(uname -m)" = x86_64 ] || cannot "it is made for x86_64, and this is $(uname -m)"
needs qemu-system-x86 qemu-system-x86_64
needs linux-image-amd64 "${kernel:-/nowhere}"
needs busybox-static busybox
needs kmod depmod
needs cpio cpio
needs ndctl ndctl
needs daxctl daxctl
[ -z "$packages" ] || cannot "these Debian packages are missing:$packages"
[ -d "$module_dir" ] || cannot "there are no modules in $module_dir for $kernel"
busybox --list | grep -q '^modprobe$' || cannot 'busybox has no modprobe; busybox-static has'
[ -x "$TOOLS/jsonq" ] || die "$TOOLS/jsonq is missing: run make test-programs"

work=$(mktemp -d "${TMPDIR:-/tmp}/fio-like-vm-XXXXXX") || exit 1
qemu_pid=
# The trap of a signal ends by the one of EXIT.
trap '[ -z "$qemu_pid" ] || kill -9 "$qemu_pid" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
root=$work/root
mkdir -p "$root"

# ---- The initramfs -----------------------------------------------------------------------------

take() { # take FILE [PLACE] - into the machine, with the libraries it is linked to
	local to=$root${2:-$1} lib
	[ ! -e "$to" ] || return 0
	mkdir -p "${to%/*}"
	cp -L "$1" "$to" || exit 1
	[ -x "$1" ] || [ "${1%.so}" != "$1" ] || return 0
	ldd "$1" 2>/dev/null | grep -o '/[^ ]* (0x' | while read -r lib _; do
		[ -e "$root$lib" ] || { mkdir -p "$root${lib%/*}"; cp -L "$lib" "$root$lib"; }
	done
}

take_program() { # take_program NAME... - those that are not there are left out
	local path
	for name; do
		path=$(command -v "$name") && take "$path" "/usr/local/bin/$name"
	done
}

take_busybox() {
	mkdir -p "$root/bin" "$root/sbin"
	cp "$(command -v busybox)" "$root/bin/busybox"
	for applet in $(busybox --list); do
		[ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
	done
	ln -s ../bin/busybox "$root/sbin/modprobe"	# where the kernel looks for it
}

take_modules() {
	local to=$root/lib/modules/$version base=${module_dir%/lib/modules/*} kind file
	mkdir -p "$to"
	# Without the configuration of the machine we are on.
	for name in $modules; do
		modprobe -C /dev/null -d "${base:-/}" -S "$version" --show-depends "$name" \
			2>/dev/null || echo "missing $name"
	done | sort -u | while read -r kind file; do
		case $kind in
		insmod) file=${file#*/modules/"$version"/} && printf '%s\0' "${file%% *}" ;;
		missing) echo "no module $file in $version" >&2 ;;
		esac
	done | (cd "$module_dir" && xargs -0 cp --parents -t "$to") || exit 1
	cp "$module_dir"/modules.{order,builtin,builtin.modinfo} "$to"
	depmod -b "$root" "$version" || exit 1
}

# The program with its engines and tools as in a build tree, and what scripts read of the source.
take_ours() {
	local file
	take "$BUILDDIR/fio-like" /build/fio-like
	mkdir -p "$root/build/engines" && : >"$root/build/engines/.build-tree"
	for file in "$BUILDDIR"/engines/*.so; do
		take "$file" "/build/engines/${file##*/}"
	done
	for file in "$TOOLS"/*; do
		case $file in
		*.c | *.sh) ;;
		*) take "$file" "/build/t/tools/${file##*/}" ;;
		esac
	done
	mkdir -p "$root/src/t" "$root/src/doc"
	cp "$SRCDIR/doc/result.schema.json" "$root/src/doc"
	cp -r "$SRCDIR/t/shell.sh" "$SRCDIR/t/fields.sh" "$SRCDIR/t/vm" "$SRCDIR/t/run" "$SRCDIR/t/faults" \
		"$root/src/t"
	cp -r "$SRCDIR/jobs" "$SRCDIR/examples" "$root/src"
}

take_scripts() {
	local script name
	mkdir -p "$root/scripts"
	for script in "${scripts[@]}"; do
		name=$(basename "$script" .sh)
		[ ! -e "$root/scripts/$name.sh" ] || die "two scripts are called $name"
		cp "$script" "$root/scripts/$name.sh"
		echo "$name"
	done >"$root/scripts/order"
	{
		echo "each=$each"
		for pair in ${settings[@]+"${settings[@]}"}; do
			printf 'export %s=%q\n' "${pair%%=*}" "${pair#*=}"
		done
	} >"$root/scripts/settings"
}

take_busybox
take_modules
take_ours
take_scripts
take_program bash ndctl daxctl mkfs.ext4 mkfs.xfs xfs_io dmsetup blkzone
# What busybox has in a lesser form, or not at all.
take_program getconf setpriv stat unshare
# What a script does without, with a word about it.
for path in blktrace blkparse; do
	! command -v "$path" >/dev/null || take_program "$path"
done
for path in ${extra[@]+"${extra[@]}"}; do
	case $path in
	/*) take "$path" ;;
	*) take_program "$path" ;;
	esac
done
mkdir -p "$root"/{proc,sys,dev,tmp,run,mnt,etc}
ln -sf /proc/mounts "$root/etc/mtab"
echo 'root:x:0:0:root:/tmp:/bin/sh' >"$root/etc/passwd"
cp "$here/init" "$root/init" && chmod 755 "$root/init"
if [ $list = yes ]; then
	(cd "$root" && find . -type f -printf '%s %P\n' | sort -k 2)
	exit 0
fi
# Not compressed: to unpack it would take longer than to read it.
(cd "$root" && find . -print0 | cpio -0 -o -H newc -R 0:0 --quiet) >"$work/initrd" || exit 1
rm -rf "$root"

# ---- The machine -------------------------------------------------------------------------------

# Two DIMMs, so that one can be a character device and the other carry a file system; a disk; an
# NVMe controller with an ordinary and a zoned namespace; an ATA disk. All are holes until they are
# written.
truncate -s 512M "$work/nv0" "$work/nv1" &&
	truncate -s 256M "$work/disk" "$work/ns1" "$work/ns2" "$work/ata" || exit 1
qemu=(qemu-system-x86_64 -machine q35,nvdimm=on -accel "${VM_ACCEL:-tcg,thread=multi}" -smp 2
	-m "$mem,slots=4,maxmem=8G"
	-object "memory-backend-file,id=nv0,share=on,mem-path=$work/nv0,size=512M"
	-device nvdimm,id=dimm0,memdev=nv0
	-object "memory-backend-file,id=nv1,share=on,mem-path=$work/nv1,size=512M"
	-device nvdimm,id=dimm1,memdev=nv1
	-drive "if=none,id=disk,format=raw,file=$work/disk,discard=unmap,cache=unsafe"
	-device virtio-blk-pci,drive=disk,num-queues=2
	-drive "if=none,id=ns1,format=raw,file=$work/ns1,discard=unmap,cache=unsafe"
	-drive "if=none,id=ns2,format=raw,file=$work/ns2,discard=unmap,cache=unsafe"
	-device nvme,id=nvme,serial=fio-like
	-device nvme-ns,drive=ns1,bus=nvme,nsid=1
	-device nvme-ns,drive=ns2,bus=nvme,nsid=2,zoned=on,zoned.zone_size=16M
	-drive "if=none,id=ata,format=raw,file=$work/ata,discard=unmap,cache=unsafe"
	-device ide-hd,drive=ata,bus=ide.0
	-nodefaults -display none -monitor none -serial stdio -no-reboot -cpu max
	-kernel "$kernel" -initrd "$work/initrd"
	-append "console=ttyS0 panic=-1 oops=panic quiet nvme.poll_queues=1
		virtio_blk.poll_queues=1 ${VM_APPEND-}")
[ -z "$bring" ] || qemu+=(-serial "file:$work/brought")
# shellcheck disable=SC2206
qemu+=(${VM_QEMU_ARGS-})

start=$SECONDS
# Whoever kills this script, the machine goes with it: timeout dies with the shell, qemu with timeout.
setpriv --pdeathsig KILL timeout -k 5 "$limit" setpriv --pdeathsig KILL "${qemu[@]}" </dev/null >"$work/raw" 2>"$work/qemu" &
qemu_pid=$!
wait $qemu_pid
status=$?
qemu_pid=
tr -d '\r' <"$work/raw" >"$work/console"
if [ -n "$out" ]; then
	mkdir -p "$out" && cp "$work/console" "$out/console.log" || exit 1
	[ ! -s "$work/brought" ] || base64 -di "$work/brought" >"$out/brought.tar.gz"
fi
if [ $status != 0 ] && [ ! -s "$work/console" ] && [ $status != 124 ]; then
	cat "$work/qemu"
	die "qemu ended with status $status before anything was said"
fi

# ---- The results -------------------------------------------------------------------------------

passed=0
failed=0
skipped=0

result_of() { # result_of NAME - the JSON between the markers
	sed -n "/^--- result $1 ---\$/,/^--- end $1 ---\$/{/^---/!p}" "$work/console"
}

add_result() { # add_result NAME
	local file=$work/$1.json status p f s ms word=ok
	result_of "$1" >"$file"
	if [ ! -s "$file" ] || ! "$TOOLS/jsonq" "$file" >"$work/said" 2>&1; then
		failed=$((failed + 1))
		echo "FAILED vm/$1 (no result)"
		return
	fi
	[ -z "$out" ] || cp "$file" "$out/"
	{ read -r status; read -r p; read -r f; read -r s; read -r ms; } < <(
		"$TOOLS/jsonq" "$file" status passed failed skipped ms)
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	[ "$f" = 0 ] || word=FAILED
	[ "$p$f" != 00 ] || word=skip
	printf '%-6s vm/%s (%d.%02d s, %d passed' $word "$1" $((ms / 1000)) $((ms % 1000 / 10)) "$p"
	[ "$s" = 0 ] || printf ', %d skipped' "$s"
	[ "$status" != 124 ] || printf ', stopped after %d s' "$each"
	printf ')\n'
	[ $word = ok ] || "$TOOLS/jsonq" "$file" log | tail -n 100 | sed 's/^/    | /'
}

for name in $(for s in "${scripts[@]}"; do basename "$s" .sh; done); do
	add_result "$name"
done
if [ $status = 124 ] || [ $status = 137 ]; then
	echo "the machine was stopped after $limit s; its last words:"
	tail -n 20 "$work/console" | sed 's/^/    | /'
elif ! grep -q '^--- all done ---$' "$work/console"; then
	failed=$((failed + 1))
	echo "the machine ended before its time (status $status); its last words:"
	tail -n 40 "$work/console" | sed 's/^/    | /'
	sed 's/^/    | qemu: /' "$work/qemu"
fi
echo "the machine ran for $((SECONDS - start)) s"
printf '%d passed, %d failed' $passed $failed
[ $skipped = 0 ] || printf ', %d skipped' $skipped
printf '\n'
[ $failed = 0 ]
