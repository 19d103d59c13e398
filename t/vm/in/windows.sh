# SPDX-License-Identifier: MIT
#
# t/run/windows.sh over everything that can be mapped here: files on DAX, a device-DAX device with
# the usual alignment, and one with small pages, where small windows are allowed too.

. "$SRCDIR/t/vm/guest.sh"

dax=$(vm_devdax 0)
mount=$(vm_fsdax /mnt/dax 1)
bash "$SRCDIR/t/run/windows.sh" "dev-dax:$dax:2097152" "libpmem:$mount/data:65536" \
	"mmap:$mount/data:65536" >first 2>&1
umount "$mount"
vm_destroy 1
small=$(vm_devdax 1 --align=4k)
bash "$SRCDIR/t/run/windows.sh" "dev-dax:$small:65536" >second 2>&1
cat first second | grep -v ' passed, '

# What a device does not allow is refused before anything runs.
. "$SRCDIR/t/shell.sh"
same 'both were whole' "$(cat first second | grep -c '^[1-9][0-9]* passed, [0-9]* failed$')" 2
passed=$((passed + $(cat first second | sed -n 's/ passed, .*//p' | paste -s -d +)))
failed=$((failed + $(cat first second | sed -n 's/.* passed, \(.*\) failed/\1/p' | paste -s -d +)))
refused() { # refused WHAT PATTERN ARGUMENT...
	local what=$1 pattern=$2
	shift 2
	run "$fio" --name=refused --ioengine=dev-dax --rw=read --bs=4k --output=out "$@"
	check "$what: refused" [ "$status" != 0 ]
	says "$what" "$pattern" err
}
refused 'windows off the alignment' \
	"map_window=1048576: $dax can only be mapped in multiples of its alignment, 2097152" \
	--filename="$dax" --map_window=1m
refused 'more than the device has' "$dax has 526385152 bytes, but the job needs 1073741824" \
	--filename="$dax" --size=1g
refused 'beyond the device' "offset=1073741824: file $dax ends at 526385152" \
	--filename="$dax" --offset=1g
refused 'a file' 'is a regular file, not a device-DAX device' --filename=first
refused 'another device' 'but not a device-DAX device' --filename=/dev/null
refused 'a device that is not there' 'daxctl list' --filename=/dev/dax9.9
refused 'no such option' 'map_windw' --filename="$dax" --map_windw=1m
# All of the device, and a percentage of it.
run "$fio" --name=all --ioengine=dev-dax --filename="$dax" --rw=read --bs=2m --output-format=json \
	--output=json
same 'all of the device is read' "$(json json 'jobs[0].read.io_bytes')" 526385152
run "$fio" --name=half --ioengine=dev-dax --filename="$dax" --rw=read --bs=1m --size=50% \
	--offset=25% --output-format=json --output=json
same 'half of it' "$(json json 'jobs[0].read.io_bytes')" $((526385152 / 2 / 1048576 * 1048576))
finish
