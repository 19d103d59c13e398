#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The environment in the result: each field against /proc and /sys, for the machine and for files,
# loop devices and zram; what changes during a run; what may not be told. Machines that this one is
# not are in t/unit/os_hostfacts.c and t/unit/os_storage.c, NVMe and persistent memory in t/vm.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/fields.sh"

# ---- The machine ---------------------------------------------------------------------------------

result --rw=randread --filename=file --randseed=99
document 'a document' out
field 'host name' "$(attr /proc/sys/kernel/hostname)" host.name
field 'kernel' "$(uname -r)" kernel.release
field 'machine' "$(uname -m)" kernel.machine
field 'kernel version' "$(uname -v)" kernel.version
field 'kernel command line' "$(attr /proc/cmdline)" kernel.command_line
field 'CPUs' "$(getconf _NPROCESSORS_ONLN)" cpu.count
field 'CPUs' "$(attr /sys/devices/system/cpu/online)" cpu.online
model=$(sed -n 's/^model name[ \t]*: //p' /proc/cpuinfo | head -n 1)
[ -z "$model" ] || field 'CPU' "$model" cpu.model
governors=$(cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor 2>/dev/null | sort -u)
if [ -z "$governors" ]; then
	missing 'no governor' cpu.governor
elif [ "$(echo "$governors" | wc -l)" = 1 ]; then
	field 'governor' "$governors" cpu.governor
fi
if [ -d /sys/devices/system/node/node0 ]; then
	field 'nodes' "$(ls -d /sys/devices/system/node/node[0-9]* | wc -l)" numa.count
	field 'CPUs of a node' "$(attr /sys/devices/system/node/node0/cpulist)" numa.nodes[0].cpus
fi
field 'memory' $(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 1024)) \
	memory.total_bytes
field 'dirty ratio' "$(attr /proc/sys/vm/dirty_ratio)" memory.dirty_ratio
field 'open files' "$(ulimit -Sn)" limits.process.open_files
check 'the C library' grep -q '"glibc 2\.' out
check 'other libraries' grep -q '"libblkid\.so\.\|"libm\.so\.' out
check 'a hypervisor' [ -n "$(json out fio-like.environment.virtualization.hypervisor)" ]

# ---- Jobs and workers ----------------------------------------------------------------------------

field 'engine' psync engines[0].name
field 'engine' 'built in' engines[0].origin
field 'job' j jobs[0].name
field 'an option given' 65536 jobs[0].options.size
field 'a seed' 99 jobs[0].options.randseed
field 'an option not given' 1 jobs[0].options.iodepth
field 'an option of many values' 4096,4096,4096 jobs[0].options.bs
field 'seed of the worker' 99 workers[0].seed
field 'its CPUs' "$(sed -n 's/^Cpus_allowed_list:[ \t]*//p' /proc/self/status)" workers[0].cpus
result --rw=read --filename=file --numjobs=3 --cpus_allowed=0 --name=k --filename=file --rw=randread \
	--randrepeat=0 --thread --ioengine=libaio
field 'clones' 3 jobs[0].clones
field 'CPU of a clone' 0 workers[2].cpus
field 'its job' j workers[2].job
field 'the fourth worker' k workers[3].job
check 'a seed by chance' [ "$(json out fio-like.environment.workers[3].seed)" != 0 ]
field 'second engine' libaio engines[1].name
# A run from what the document says is the same run: what it moved, and in which order.
result --rw=randrw --bs=4k,8k --filename=file --numjobs=2 --startdelay=10ms --ioengine=libaio \
	--iodepth=4 --rwmixread=30
echo '[j]' >again.ini
sed -n '/"clones"/,/^          }/s/^ *"\([^"]*\)" : "\(.*\)",*$/\1=\2/p' out >>again.ini
moved() {
	"$jsonq" out 'jobs[1].read.io_bytes' 'jobs[1].write.io_bytes' \
		'fio-like.environment.workers[1].seed'
}
was=$(moved)
run "$fio" again.ini --output-format=json
same 'again' $status 0
check 'something moved' [ "$(echo "$was" | wc -l)" = 3 ]
same 'again, the same' "$(moved)" "$was"

# ---- Targets -------------------------------------------------------------------------------------

result --rw=read --filename=file --nrfiles=1 --name=k --directory=. --nrfiles=10 --rw=write
field 'a file' file targets[0].path
field 'its type' file targets[0].type
field 'files' 11 targets[0].files
field 'jobs' k targets[0].jobs[1]
missing 'one place' 'targets[1].path'
set -- $(stat -f -c '%T %S' .) $(findmnt -n -o FSTYPE,OPTIONS,TARGET -T . 2>/dev/null)
field 'block of the file system' "$2" targets[0].filesystem.block_bytes
if [ -n "${3-}" ]; then
	field 'file system' "$3" targets[0].filesystem.type
	field 'mount point' "$5" targets[0].filesystem.mount_point
fi
number=$(stat -c '%d' .)
link=/sys/dev/block/$((number >> 8 & 0xfff)):$((number & 0xff | number >> 12 & 0xfff00))

if [ -d "$link/queue" ]; then
	field 'device' "$(basename "$(readlink "$link")")" targets[0].device.name
	device targets[0].device "$link"
fi
result --rw=read --filename=/dev/zero
field 'a character device' 'character device' targets[0].type
missing 'no device' targets[0].device.name
result --rw=read --ioengine=null
missing 'no target' targets

# ---- How much of it ------------------------------------------------------------------------------

run "$fio" --name=j --size=64k --rw=read --filename=file --output-format=json
missing 'short: command line' kernel.command_line
missing 'short: jobs' jobs
missing 'short: libraries' libraries
field 'short: kernel' "$(uname -r)" kernel.release
field 'short: file' file targets[0].path
run "$fio" --name=j --size=64k --rw=read --filename=file --output-format=json --env=none
missing 'none' kernel
missing 'none' targets
run "$fio" --name=j --size=64k --rw=read --filename=file --env=none
check 'none in text' [ "$(grep -c '^Environment' out)" = 0 ]
run "$fio" --name=j --size=64k --rw=read --filename=file
says 'text' "^Environment: Linux $(uname -r), $(getconf _NPROCESSORS_ONLN) CPUs (" out
says 'text of the target' '^  file: ' out
check 'lines are short' awk 'length > 200 && !/^finding|^trust/ { exit 1 }' out
run "$fio" --name=j --size=64k --rw=read --filename=file --env=full
says 'all in text' '^    kernel.command_line: ' out
run "$fio" --name=j --size=64k --rw=read --env=ful
same 'a level that is none' $status 1
says 'a level that is none' 'must be short, full or none' err

# ---- What is not told ----------------------------------------------------------------------------

mkdir -p secret
result --rw=write --directory="$PWD/secret" --name=k --directory="$PWD/secret" --rw=write \
	--env-redact --description=secret
sed -n '/"environment"/,$p' out >tail
check 'no path is told' sh -c '! grep -q "secret" tail'
check 'nor the host' sh -c "! grep -q '\"$(attr /proc/sys/kernel/hostname)\"' tail"
same 'the same is the same' "$(json out fio-like.environment.jobs[0].options.directory)" \
	"$(json out fio-like.environment.jobs[1].options.directory)"
field 'what tells nothing' "$(uname -r)" kernel.release
field 'what tells nothing' 'built in' engines[0].origin
run "$fio" --name=j --size=64k --rw=write --directory="$PWD/secret" --env-redact
check 'nor in text' sh -c '! sed -n "/^Environment/,/^finding/p" out | grep -q secret'

# ---- Devices -------------------------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! command -v losetup >/dev/null || ! losetup -f >/dev/null 2>&1; then
	echo '# skipped: no loop devices without root'
	finish
fi
truncate -s 64m image
dev=$(losetup -f --show image) || finish
trap 'losetup -d "$dev" 2>/dev/null; umount -q mnt' EXIT
name=${dev#/dev/}
result --rw=randwrite --filename="$dev"
field 'a loop device' 'block device' targets[0].type
field 'its name' "$name" targets[0].device.name
field 'its kind' loop targets[0].device.kind
field 'its file' "$PWD/image" targets[0].device.backing_file
field 'direct to it' "$(truth "$(attr "/sys/block/$name/loop/dio")")" targets[0].device.backing_direct
device targets[0].device "/sys/block/$name"
if [ -d "$link/queue" ]; then
	field 'what it stands on' "$(basename "$(readlink "$link")")" \
		targets[0].device.below[0].device.name
	device targets[0].device.below[0].device "$link"
fi

# meanwhile COMMAND - a run during which it is run
meanwhile() {
	"$fio" --name=j --rw=read --size=1m --filename="$dev" --time_based --runtime=700ms \
		--thinktime=1ms --output-format=json,normal --output=changed --env=short 2>err &
	local pid=$!
	sleep 0.3
	eval "$1"
	wait $pid
	sed -n '/^{/,/^}/p' changed >out
}
ahead=$(attr "/sys/block/$name/queue/read_ahead_kb")
meanwhile "echo $((ahead + 4)) >/sys/block/$name/queue/read_ahead_kb"
change targets.0.device.read_ahead_bytes $((ahead * 1024)) $(((ahead + 4) * 1024))
says 'a finding of it' 'environment-changed: targets.0.device.read_ahead_bytes changed' changed
says 'a line of it' "^  changed: targets.0.device.read_ahead_bytes was $((ahead * 1024))" changed
echo "$ahead" >"/sys/block/$name/queue/read_ahead_kb"
meanwhile true
check 'nothing of the device changed' sh -c '! grep -q environment-changed changed'
if mkfs.ext4 -q "$dev" 2>/dev/null && mkdir -p mnt && mount "$dev" mnt; then
	"$fio" --name=j --rw=read --size=1m --directory=mnt --time_based --runtime=700ms \
		--thinktime=1ms --output-format=json --output=out 2>err &
	pid=$!
	sleep 0.3
	mount -o remount,noatime mnt
	wait $pid
	change targets.0.filesystem.options rw,relatime rw,noatime
	field 'where' "$PWD/mnt" targets[0].filesystem.mount_point
	field 'on what' "$dev" targets[0].filesystem.source
	field 'on what' "$name" targets[0].device.name
	umount mnt
fi
losetup -d "$dev"

if [ "$(cat /sys/block/zram0/initstate 2>/dev/null)" = 0 ] &&
	echo 16M >/sys/block/zram0/disksize 2>/dev/null; then
	result --rw=randwrite --filename=/dev/zram0
	field 'zram' zram targets[0].device.kind
	field 'zram' "$(chosen /sys/block/zram0/comp_algorithm)" targets[0].device.compression
	device targets[0].device /sys/block/zram0
	echo 1 >/sys/block/zram0/reset
else
	echo '# skipped: no zram device is free'
fi
finish
