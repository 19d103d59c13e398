# SPDX-License-Identifier: MIT
#
# Job files for dev-dax and libpmem as people have them for fio 3.33 run as they are. Where fio
# itself was taken along (--with=fio), it runs each of them too: they are no invention of ours.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

dax=$(vm_devdax 0)
mount=$(vm_fsdax /mnt/dax 1)
theirs=$(command -v fio)

cat >dax.fio <<END
[global]
bs=2m
ioengine=dev-dax
norandommap
time_based=1
runtime=1
group_reporting
disable_lat=1
disable_slat=1
disable_clat=1
clat_percentiles=0
cpus_allowed_policy=split
cpus_allowed=0-1
numjobs=2
iodepth=1
direct=0
thread=1
filename=$dax

[dev-dax-write]
rw=randwrite
stonewall

[dev-dax-read]
rw=randread
stonewall
END

cat >pmem.fio <<END
[global]
bs=4k
size=8m
ioengine=libpmem
norandommap
time_based=1
runtime=1
group_reporting
invalidate=1
disable_lat=1
disable_slat=1
disable_clat=1
clat_percentiles=0
iodepth=1
iodepth_batch=1
thread=1
numjobs=2
directory=$mount

[libpmem-seqwrite]
rw=write
stonewall
direct=1
sync=1

[libpmem-seqread]
rw=read
stonewall
direct=0
END

mixed="--name=mixed --filename=$dax --ioengine=dev-dax --rw=randrw --rwmixread=70 --bs=4k \
	--size=64m --io_size=4m --fsync=32 --thread --ramp_time=0"

runs() { # runs WHAT JOBS ARGUMENT...
	local what=$1 jobs=$2 i
	shift 2
	if [ -n "$theirs" ]; then
		run "$theirs" "$@" --output-format=json --output=their.json
		[ "$status" = 0 ] || not_ok "$what: fio itself runs it" err their.json
	fi
	run "$fio" "$@" --output-format=json --output=json
	same "$what runs" "$status" 0
	[ ! -s err ] || not_ok "$what: silent" err
	for ((i = 0; i < jobs; i++)); do
		same "$what: error of job $i" "$(json json "jobs[$i].error")" 0
		bytes=$(($("$jsonq" json "jobs[$i].read.io_bytes" "jobs[$i].write.io_bytes" |
			paste -s -d +)))
		check "$what: job $i moved bytes" [ "$bytes" -gt 0 ]
	done
}

runs 'a file for dev-dax' 2 dax.fio
runs 'a file for libpmem' 2 pmem.fio
# shellcheck disable=SC2086
runs 'a line for dev-dax' 1 $mixed
same 'all of it was moved' "$bytes" $((4 * 1024 * 1024))
at=jobs[0].fio-like.engine.counters
check 'each fsync drained' [ "$(json json "$at.drains")" -gt 0 ]

# What the report says about persistent memory, and about a file that is none.
run "$fio" --name=a --ioengine=libpmem --filename="$mount/b" --size=1m --rw=write --bs=4k --sync=1 \
	--output-format=json --output=json
same 'is_pmem on DAX' "$("$jsonq" json $at.is_pmem $at.temporal_writes $at.drains $at.msyncs |
	paste -s -d ' ')" '1 256 256 0'
run "$fio" --name=a --ioengine=libpmem --filename=plain --size=1m --rw=write --bs=4k --sync=1 \
	--output-format=json --output=json
same 'is_pmem on tmpfs' "$("$jsonq" json $at.is_pmem $at.temporal_writes $at.drains $at.msyncs |
	paste -s -d ' ')" '0 256 0 256'
says 'a note says so' 'is_pmem=0: plain is not on persistent memory' json
run "$fio" --name=a --ioengine=libpmem --filename="$mount/b" --size=1m --rw=write --bs=4k \
	--direct=1 --map_window=256k --output-format=json --output=json
same 'in windows' "$("$jsonq" json $at.is_pmem $at.nontemporal_writes $at.drains $at.remaps |
	paste -s -d ' ')" '1 256 1 3'
finish
