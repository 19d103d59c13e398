#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every finding that this machine can stage is staged and seen, and nothing else is found. What
# needs root, loop devices, zram or control groups is skipped with a reason where they are missing;
# heat, steal and clocks are staged in t/unit/trust_checks.c and t/unit/os_machine.c.

. "$SRCDIR/t/shell.sh"

loops=
zram=
groups=
others=

cleanup() {
	local x
	for x in $others; do kill "$x"; wait "$x"; done 2>/dev/null
	for x in $loops; do losetup -d "$x"; done 2>/dev/null
	[ -z "$zram" ] || echo "$zram" >/sys/class/zram-control/hot_remove
	for x in $groups; do rmdir "$x"; done 2>/dev/null
}
trap cleanup EXIT
trap 'exit 1' INT TERM

skip() { # skip WHAT REASON
	echo "# SKIP $1: $2"
}

# What others do to this machine meanwhile is found, too, and rightly: it counts only when staged.
by_others="foreign-io steal throttled thermal drift cpu-wait"

worse() { # worse GRADE GRADE - the worse of both
	case "$1 $2" in
	*INVALID*) echo INVALID ;;
	*doubtful*) echo doubtful ;;
	*) echo ok ;;
	esac
}

# findings STAGED ARGS... - run, and leave the ids of all but notes in $found, of notes in $notes
findings() {
	local staged=$1 i=0 id severity worst=ok
	shift
	run "$fio" --output-format=json "$@"
	found=
	notes=
	grade=ok
	while id=$(json out "fio-like.trust.findings[$i].id" 2>/dev/null); do
		severity=$(json out "fio-like.trust.findings[$i].severity")
		worst=$(worse $worst $severity)
		i=$((i + 1))
		case " $by_others " in
		*" $id "*) [ $id = "$staged" ] || continue ;;
		esac
		[ $severity = note ] && notes="$notes $id" || found="$found $id"
		grade=$(worse $grade $severity)
	done
	[ "$(json out fio-like.trust.grade)" = $worst ] || not_ok "the grade is not the worst" out
}

finds() { # finds WHAT IDS GRADE ARGS... - exactly these findings
	local what=$1 ids=$2 want=$3
	shift 3
	findings "$ids" "$@"
	same "$what" "$(echo $found)" "$ids"
	same "$what: the grade" "$grade" "$want"
	[ "$(echo $found)" = "$ids" ] || "$fio" "$@" | tail -n 4 | sed 's/^/#   /'
}

evidence() { # evidence ID NAME - a number of the finding
	local i=0
	while [ "$(json out "fio-like.trust.findings[$i].id" 2>/dev/null)" != "$1" ]; do
		i=$((i + 1))
		[ $i -lt 20 ] || return
	done
	json out "fio-like.trust.findings[$i].evidence.$2"
}

random() { # random FILE MIB - data that nothing can make smaller, and on the medium
	dd if=/dev/urandom of="$1" bs=1M count="$2" conv=fsync,notrunc 2>/dev/null
}

loop() { # loop FILE OPTIONS... - prints the device
	losetup -f --show "${@:2}" "$1" 2>/dev/null
}

in_group() { # in_group FOLDER COMMAND... - what it runs is in this control group
	local plain=$fio
	printf '#!/bin/sh\necho $$ >%s/cgroup.procs\nexec %s "$@"\n' "$1" "$fio" >inside
	chmod +x inside
	fio=./inside
	"${@:2}"
	fio=$plain
}

can_loop() {
	[ "$(id -u)" = 0 ] && command -v losetup >/dev/null && losetup -f >/dev/null 2>&1
}

# ---- Data where it reads? -----------------------------------------------------------------------

read="--name=a --bs=64k --direct=1 --percentile_list=50"
random written 8
if "$fio" --name=a --filename=written --rw=read --direct=1 --size=64k >/dev/null 2>&1; then
	if fallocate -l 8M hollow 2>/dev/null; then
		finds "fallocated" unwritten INVALID $read --filename=hollow --rw=randread
		between "all of it" "$(evidence unwritten reads_percent)" 99.9 100
		run "$fio" $read --filename=hollow --rw=randread
		same "the last line" "$(tail -n 1 out)" \
			'trust: INVALID: 100% of the reads hit unwritten extents (fix: overwrite=1)'
		finds "written" "" ok $read --filename=written --rw=randread
		run "$fio" $read --filename=written --rw=randread
		says "the last line" '^trust: \(ok$\|doubtful: others \)' out
		random hollow 2
		finds "a quarter is written" unwritten INVALID $read --filename=hollow --rw=randread
		between "three quarters" "$(evidence unwritten reads_percent)" 74 76
		finds "only what is written is read" "" ok $read --filename=hollow --rw=read \
			--io_size=2m
		finds "beyond it, too" unwritten INVALID $read --filename=hollow --rw=read \
			--io_size=4m
		between "half" "$(evidence unwritten reads_percent)" 49 51
		finds "an offset" "" ok $read --filename=hollow --rw=randread --size=2m
		finds "another" unwritten INVALID $read --filename=hollow --rw=randread \
			--offset=2m --size=4m
		head -c 2M hollow >kept
		finds "the fix is one" "" ok $read --filename=hollow --rw=randread --overwrite=1
		finds "for good" "" ok $read --filename=hollow --rw=randread
		check "what was there is kept" cmp -s -n 2097152 hollow kept
	else
		skip unwritten "fallocate is not possible here"
	fi
	truncate -s 8M holes
	finds "holes" unwritten INVALID $read --filename=holes --rw=randread
else
	skip unwritten "O_DIRECT is not possible here"
fi

# ---- Is what it wrote on the medium? ------------------------------------------------------------

write="--name=a --bs=64k --rw=write --size=8m --percentile_list=50"
if findings dirty $write --filename=w.0; [ "$(echo $found)" = dirty ]; then
	same "buffered write" "$grade" INVALID
	same "all is dirty" "$(evidence dirty dirty_bytes | cut -d. -f1)" 8388608
	same "of what was written" "$(evidence dirty written_bytes | cut -d. -f1)" 8388608
	check "the device's sectors are told" [ -n "$(evidence dirty device_sectors)" ]
	run "$fio" $write --filename=w.1
	says "the last line" \
		'^trust: INVALID: 8.0 of 8.0 MiB written were still only in the page cache' out
	finds "end_fsync" "" ok $write --filename=w.2 --end_fsync=1
	finds "sync" "" ok $write --filename=w.3 --sync=1
	finds "fsync of every 16th" dirty doubtful $write --filename=w.4 --fsync=15
	finds "direct" "" ok $write --filename=w.5 --direct=1
	finds "its file is gone" dirty INVALID $write --filename=w.6 --unlink=1
else
	skip dirty "cachestat(2) is missing, or the file system has no page cache"
fi

# ---- Who answered? ------------------------------------------------------------------------------

if [ -w /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	shm=/dev/shm/trust.$$
	"$fio" --name=a --rw=write --size=1m --filename=$shm >/dev/null
	finds "tmpfs" "" ok --name=a --rw=randread --size=1m --filename=$shm --percentile_list=50
	says "a note" memory - <<<"$notes"
	if "$fio" --name=a --rw=read --size=1m --direct=1 --filename=$shm >/dev/null 2>&1; then
		finds "direct=1 on tmpfs" direct INVALID $read --rw=randread --filename=$shm
	else
		skip "direct on tmpfs" "this tmpfs refuses O_DIRECT"
	fi
	rm -f $shm
else
	skip direct "there is no tmpfs"
fi
finds "mmap with direct=1" direct INVALID --ioengine=mmap $read --rw=read --filename=written

# Pages that somebody has mapped cannot be dropped.
"$fio" --name=hold --ioengine=mmap --rw=read --filename=written --time_based --runtime=20 \
	--bs=1m --thinktime=20ms >/dev/null 2>&1 &
others="$others $!"
sleep 0.7
finds "mapped by another" cache-hits INVALID --name=a --rw=read --bs=64k --filename=written \
	--invalidate=1 --percentile_list=50
finds "without a word about it" cache-hits doubtful --name=a --rw=read --bs=64k \
	--filename=written --percentile_list=50
kill $!
wait $! 2>/dev/null
finds "cold" "" ok --name=a --rw=read --bs=64k --filename=written --percentile_list=50
finds "read again and again" cache-hits doubtful --name=a --rw=read --bs=64k --filename=written \
	--loops=4 --percentile_list=50
finds "warm, as it should be" "" ok --name=a --rw=read --bs=64k --filename=written --loops=4 \
	--pre_read=1 --percentile_list=50
finds "four share a file" cache-hits doubtful --name=a --rw=read --bs=64k --filename=written \
	--numjobs=4 --percentile_list=50
finds "each has its half" "" ok --name=a --rw=read --bs=64k --filename=written --size=4m \
	--numjobs=2 --offset_increment=4m --percentile_list=50

# ---- Was it asked for what was measured? --------------------------------------------------------

finds "psync has no depth" iodepth doubtful $read --filename=written --rw=randread --iodepth=8
if "$fio" --enghelp=libaio >/dev/null 2>&1; then
	finds "libaio needs direct=1" iodepth doubtful --name=a --ioengine=libaio --iodepth=4 \
		--rw=randread --bs=64k --filename=written --percentile_list=50
	finds "with it" "" ok $read --ioengine=libaio --iodepth=4 --filename=written --rw=randread
fi
null="--name=a --ioengine=null --percentile_list=50"
finds "a depth of the null engine" "" ok $null --rw=randrw --size=64m --iodepth=16
finds "with delays" "" ok $null --rw=randread --size=8m --iodepth=16 --null_delay=100us
finds "a rate that is too high" rate doubtful $null --size=1g --rate_iops=2000 --null_delay=1ms \
	--runtime=600ms
between "how much of it" "$(evidence rate reached_percent)" 1 50
finds "one that is kept" "" ok $null --size=1g --rate_iops=200 --runtime=600ms
finds "the same in bytes" "" ok $null --size=1g --rate=2m --bsrange=4k-64k --runtime=600ms
finds "few samples" samples doubtful --name=a --ioengine=null --size=40k
same "told in numbers" "$(evidence samples samples | cut -d. -f1)" 10
finds "some more" "" ok --name=a --ioengine=null --size=400k
same "a note" "$(echo $notes)" samples
finds "enough of them" "" ok --name=a --ioengine=null --size=256m --null_delay=2us
same "no note" "$(echo $notes)" ""
finds "errors" failed INVALID $null --size=4m --null_fail_one_in=100
finds "errors that go on" failed doubtful $null --size=4m --null_fail_one_in=100 \
	--continue_on_error=all
for rw in read write randread randwrite randrw trim randtrim; do
	finds "null engine, $rw" "" ok $null --rw=$rw --size=8m
done

# ---- Strangers on the device, its kind, its bounds ----------------------------------------------

if can_loop; then
	truncate -s 16M disk
	dev=$(loop disk --direct-io=on)
	loops="$loops $dev"
	finds "a loop device over holes" trimmed INVALID $read --filename="$dev" --rw=randread
	random disk 16
	finds "and over data" "" ok $read --filename="$dev" --rw=randread
	while dd if="$dev" of=/dev/null iflag=direct bs=256k 2>/dev/null; do :; done &
	pid=$!
	others="$others $pid"
	finds "somebody else" foreign-io doubtful $read --filename="$dev" --rw=randread \
		--time_based --runtime=1
	kill $pid
	wait $pid 2>/dev/null
	dev=$(loop disk)
	loops="$loops $dev"
	cat disk >/dev/null
	finds "a loop device over a cached file" direct INVALID $read --filename="$dev" \
		--rw=randread --loops=50
	finds "without direct=1" "" ok --name=a --filename="$dev" --rw=read --bs=64k \
		--percentile_list=50
	blkio=/sys/fs/cgroup/blkio/trust.$$
	dev=$(echo $loops | cut -d' ' -f1)
	if mkdir $blkio 2>/dev/null; then
		groups="$groups $blkio"
		echo "$(cat "/sys/block/${dev#/dev/}/dev") 8388608" \
			>$blkio/blkio.throttle.read_bps_device
		in_group $blkio finds "a bound of a control group" io-bound doubtful $read \
			--filename="$dev" --rw=read --io_size=6m
	else
		skip io-bound "there is no control group of version 1 for blkio"
	fi
else
	skip "trimmed, foreign-io, direct, io-bound" "root and loop devices are needed"
fi

if [ "$(id -u)" = 0 ] && zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null); then
	echo 32M >/sys/block/zram$zram/disksize
	dev=/dev/zram$zram
	finds "zram that holds nothing" trimmed INVALID $read --filename=$dev --rw=randread
	finds "zeroes on zram" compressible INVALID $read --filename=$dev --rw=write \
		--zero_buffers=1
	finds "random data on zram" "" ok $read --filename=$dev --rw=write --size=2m
	finds "reading it" "" ok $read --filename=$dev --rw=read --size=2m
	random $dev 32
	finds "a device that is CPU" cpu-bound doubtful $read --filename=$dev --rw=randread \
		--time_based --runtime=0.5
else
	skip "trimmed, compressible, cpu-bound" "root and zram are needed"
fi

cpu=/sys/fs/cgroup/cpu/trust.$$
if mkdir $cpu 2>/dev/null; then
	groups="$groups $cpu"
	echo 20000 >$cpu/cpu.cfs_quota_us
	in_group $cpu finds "a CPU that is held back" throttled doubtful $null --size=1g \
		--time_based --runtime=1
else
	skip throttled "there is no control group of version 1 for cpu"
fi

# ---- Time ---------------------------------------------------------------------------------------

# For 4.5 s it runs, then it stands still for 4 s.
finds "a device that gives up" drift doubtful $null --rw=randread --size=1g --time_based \
	--runtime=7 --null_stall=4s --null_stall_every=4500ms --null_delay=200us

# ---- How it is told -----------------------------------------------------------------------------

run "$fio" --name=a --ioengine=null --size=40k --name=b --ioengine=null --size=40k --numjobs=3
same "each finding on a line" "$(grep -c '^finding: ' out)" 2
says "with its job" '^finding: doubtful: samples: job a: ' out
says "clones share a line" '^finding: doubtful: samples: job b and 2 more of it: ' out
says "one of them is the last line" '^trust: doubtful: job a: .* (fix: ' out
same "the last line of all" "$(tail -n 1 out | cut -d: -f1)" trust
same "there is one" "$(grep -c '^trust: ' out)" 1
same "the status is that of a good run" $status 0
run "$fio" --strict --name=a --ioengine=null --size=40k
same "--strict, doubtful" $status 4
run "$fio" --strict $null --size=4m --null_fail_one_in=100
same "--strict changes no failure" $status 1
run "$fio" --strict $read --filename=holes --rw=randread
[ -e holes ] && same "--strict, INVALID" $status 5
run "$fio" --strict --name=a --ioengine=null --size=2g
same "--strict, ok" $status 0
run "$fio" --name=a --ioengine=null --size=1g --time_based --runtime=1 --status-interval=0.3 \
	--null_delay=1ms
same "nothing is judged while it runs" "$(grep -c '^trust: ' out)" 1

finish
