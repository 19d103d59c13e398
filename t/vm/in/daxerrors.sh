# SPDX-License-Identifier: MIT
#
# The error paths of dev-dax that want a device: what sysfs does not tell, what cannot be opened or
# mapped, and windows that do not fit. System calls fail by t/tools/refuse.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

dax=$(vm_devdax 0)
align=$(cat "/sys/bus/dax/devices/${dax##*/}/align")

# fails PATTERN RULE... -- ARGUMENT...
fails() {
	local pattern=$1 rules=()
	shift
	while [ "$1" != -- ]; do
		rules+=("$1")
		shift
	done
	shift
	run_to 1 "$TOOLS/refuse" "${rules[@]}" -- "$fio" --name=a --ioengine=dev-dax \
		--filename="$dax" --allow_destroy="$dax" --size=8m --bs=4k "$@"
	says "${rules[*]} $*" "$pattern" err
	check "${rules[*]}: not in vain" eval '! grep "never met" err'
}

fails 'sysfs does not tell its size: Permission denied' "openat,path=/size:EACCES" -- --rw=read
fails 'sysfs does not tell its size: Input/output error' "read,fd=/size:=0" -- --rw=read
fails 'sysfs does not tell its alignment' openat,path=/align:ENOENT -- --rw=read
fails 'sysfs says its alignment is [0-9]*, which is no power of two' read,fd=/align:=1 -- --rw=read
fails "$dax cannot be opened: Permission denied" "openat,path=$dax:EACCES" -- --rw=read
fails "$dax: cannot map $align bytes at 0: Cannot allocate memory; try map_window=" \
	"mmap,arg1=$align:ENOMEM" -- --rw=read --map_window="$align"
fails "$dax: cannot map $align bytes at 0: Operation not permitted" "mmap,arg1=$align:EPERM" -- \
	--rw=write --map_window="$align"

run_to 1 "$fio" --name=a --ioengine=dev-dax --filename="$dax" --size=8m --rw=read --map_window=12k
says 'a window that does not fit' \
	"map_window=12288: $dax can only be mapped in multiples of its alignment, $align bytes" err

# libpmem is told who knows better.
run_to 1 "$fio" --name=a --ioengine=libpmem --filename="$dax" --allow_destroy="$dax" --size=8m \
	--rw=write --bs=4k --map_window=4k
says 'libpmem on a device that wants another alignment' 'ioengine=dev-dax knows where' err
finish
