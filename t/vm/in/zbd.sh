# SPDX-License-Identifier: MIT
#
# zonemode=zbd on devices that mean it: a write in the wrong place, one zone too many open, or a reset
# too early is an error of the kernel here. Zones come from null_blk and from a zoned NVMe namespace.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

job() { # job DEVICE ARGUMENT...
	local device=$1
	shift
	run "$fio" --name=job --filename="$device" --allow_destroy="$device" --zonemode=zbd \
		--direct=1 --bs=64k --output-format=json --output=json "$@"
}

good() { # good DEVICE ARGUMENT... - without any error
	job "$@"
	same "$*: $(cat err)" "$status" 0
}

asked() { # asked PATH...
	"$jsonq" json "$@" | paste -s -d ' '
}

zones() { # zones DEVICE - what each holds: start, write pointer, condition
	blkzone report "$1" | sed -n 's/.*start: \(0x[0-9a-f]*\),.*wptr \(0x[0-9a-f]*\).*zcond:[ ]*\([0-9]*\).*/\1 \2 \3/p'
}

count() { # count DEVICE CONDITION - 1 empty, 2 3 open, 4 closed, 14 full
	zones "$1" | awk -v c="$2" '$3 == c { n++ } END { print n + 0 }'
}

some() { # some WHAT NUMBER
	between "$1" "$2" 1 1e18
}

empty() { # empty DEVICE
	blkzone reset "$1" 2>/dev/null || blkzone reset -o $((2 * 4 * 2048)) "$1"
}

# Two conventional zones of 4 MiB, 14 sequential ones of which 3 MiB can be written; three open.
disk=$(vm_null_blk zbd size=64 memory_backed=1 zoned=1 zone_size=4 zone_capacity=3 zone_nr_conv=2 \
	zone_max_open=3 zone_max_active=4)
whole=$((2 * 4 + 14 * 3))

good "$disk" --rw=write
same 'a sequential write fills every zone' "$(asked 'jobs[0].write.io_bytes')" $((whole << 20))
same 'they are full' "$(count "$disk" 14)" 14
same 'nothing was reset' "$(asked 'jobs[0].fio-like.zones.resets')" 0
good "$disk" --rw=write --ioengine=libaio --iodepth=16
same 'the second one resets each' "$(asked 'jobs[0].fio-like.zones.resets' 'jobs[0].write.io_bytes')" \
	"14 $((whole << 20))"
zones "$disk" >ours
if command -v fio >/dev/null; then
	same 'fio runs' "$(fio --name=j --filename="$disk" --zonemode=zbd --direct=1 --bs=64k --rw=write \
		--ioengine=libaio --iodepth=16 | grep -o '[0-9]* zone resets')" '14 zone resets'
	zones "$disk" >theirs
	same 'the same write pointers' "$(diff ours theirs)" ''
fi

empty "$disk"
good "$disk" --rw=randwrite --ioengine=io_uring --iodepth=8 --numjobs=4 --group_reporting \
	--io_size=30m --offset=2z --size=14z
same 'four jobs at depth' "$(asked 'jobs[0].write.io_bytes' 'jobs[0].error')" "$((120 << 20)) 0"

some 'zones were reset' "$(asked 'jobs[0].fio-like.zones.resets')"
empty "$disk"
good "$disk" --rw=randwrite --numjobs=3 --thread=1 --group_reporting --io_size=20m \
	--max_open_zones=1 --offset=2z --size=14z
same 'one open zone, three threads' "$(asked 'jobs[0].write.io_bytes')" $((60 << 20))
good "$disk" --rw=randwrite --numjobs=3 --group_reporting --io_size=8m --job_max_open_zones=1 \
	--offset=2z --size=14z
same 'one zone per job' "$(asked 'jobs[0].write.io_bytes')" $((24 << 20))

# A ring may start a request late: one that a thread is to do, one for which the device has no room,
# and with a polling thread nobody knows when. That takes a device with little room.
narrow=$(vm_null_blk narrow size=64 memory_backed=1 zoned=1 zone_size=4 queue_mode=2 hw_queue_depth=4 \
	irqmode=2 completion_nsec=100000)
echo 4 >"/sys/block/${narrow#/dev/}/queue/nr_requests"
for how in io_uring 'io_uring --force_async=3' 'io_uring --sqthread_poll=1' libaio; do
	# shellcheck disable=SC2086
	good "$narrow" --bs=4k --iodepth=32 --size=16m --io_size=512k --numjobs=2 --group_reporting \
		--rw=randwrite --ioengine=$how
	same "$how: all was written" "$(asked 'jobs[0].write.io_bytes' 'jobs[0].error')" "$((1 << 20)) 0"
done

empty "$disk"
good "$disk" --rw=write --numjobs=2 --group_reporting --offset=2z --size=7z --offset_increment=7z
same 'each has its own zones' "$(asked 'jobs[0].write.io_bytes') $(count "$disk" 14)" "$((42 << 20)) 14"

empty "$disk"
good "$disk" --rw=write --bs=400k --offset=2z --size=2z
same 'what is left of a zone is finished' \
	"$(asked 'jobs[0].write.total_ios' 'jobs[0].fio-like.zones.finishes') $(count "$disk" 14)" '14 2 2'
empty "$disk"
good "$disk" --rw=write --bs=400k --offset=2z --size=2z --write_zone_remainder=1
same 'or written' "$(asked 'jobs[0].write.total_ios' 'jobs[0].write.io_bytes' \
	'jobs[0].fio-like.zones.finishes')" "16 $((6 << 20)) 0"

for how in '--rw=write' '--rw=randwrite --ioengine=libaio --iodepth=16' \
	'--rw=randwrite --verify_backlog=8' '--rw=write --loops=2 --ioengine=io_uring --iodepth=4'; do
	# shellcheck disable=SC2086
	good "$disk" $how --verify=crc32c --offset=1z
	same "$how: all is read back" "$(asked 'jobs[0].error')" 0
	some "$how: something is" "$(asked 'jobs[0].read.io_bytes')"
done
good "$disk" --rw=randread --verify=crc32c --offset=2z --bs=64k
some 'another job checks it' "$(asked 'jobs[0].read.io_bytes')"

empty "$disk"
good "$disk" --rw=write --offset=4z --io_size=1m
good "$disk" --rw=randread --offset=2z --io_size=4m --write_lat_log=r --log_offset=1
same 'reads go to what was written' "$(awk -F ', *' '$5 < 16777216 || $5 >= 16777216 + 1048576' \
	r_lat.1.log | wc -l) $(wc -l <r_lat.1.log)" '0 64'
good "$disk" --rw=read --offset=6z
same 'an empty zone has nothing to read' "$(asked 'jobs[0].read.io_bytes')" 0
good "$disk" --rw=read --offset=6z --read_beyond_wp=1
some 'unless all is read' "$(asked 'jobs[0].read.io_bytes')"
good "$disk" --rw=randrw --offset=6z --io_size=8m --rwmixread=70
some 'a mix begins with a write' "$(asked 'jobs[0].read.io_bytes')"
empty "$disk"
good "$disk" --rw=write --offset=2z --zoneskip=1z --io_size=21m
same 'every second zone' "$(zones "$disk" | awk '$3 == 14 { printf "%d ", $1 }' | wc -w)" 7

good "$disk" --rw=write --offset=2z
good "$disk" --rw=randtrim --offset=2z
same 'a trim is a reset' "$(asked 'jobs[0].trim.total_ios') $(count "$disk" 1)" '14 14'
good "$disk" --rw=write --offset=2z
good "$disk" --rw=trim --offset=8z --ioengine=io_uring --iodepth=4
same 'of these zones only' "$(asked 'jobs[0].trim.total_ios') $(count "$disk" 1)" '8 8'

good "$disk" --rw=randwrite --offset=2z --io_size=40m --zone_reset_threshold=0.2 \
	--zone_reset_frequency=0.1
some 'garbage collection' "$(asked 'jobs[0].fio-like.zones.resets')"

# A worker is killed in the middle: the others go on with its zones.
empty "$disk"
"$fio" --name=job --filename="$disk" --allow_destroy="$disk" --zonemode=zbd --direct=1 --bs=64k \
	--rw=randwrite --numjobs=3 --time_based --runtime=4 --offset=2z --ioengine=libaio \
	--iodepth=4 --max_open_zones=2 --output-format=json --output=json 2>err &
main=$!
sleep 2
victim=$(children $main | awk '{ print $NF }')
kill -9 "$victim"
wait $main
same 'one job was killed' "$("$jsonq" json 'jobs[0].error' 'jobs[1].error' 'jobs[2].error' | sort | uniq -c |
	awk '{ printf "%s ", $1 }')" '2 1 '
some 'the others went on' "$(asked 'jobs[0].write.io_bytes')"

# What cannot work says so before anything is written.
refused() { # refused WORD ARGUMENT...
	local word=$1
	shift
	job "$disk" --rw=randwrite "$@"
	[ "$status" != 0 ] && grep -q -- "$word" err && same "$*" yes yes || same "$*" "$(cat err)" "$word"
}
refused 'direct=0' --direct=0
refused 'zonesize=1048576' --zonesize=1m
refused 'max_open_zones=9' --max_open_zones=9
refused 'holds no whole zone' --offset=9m --size=2m
refused 'ioengine=mmap' --ioengine=mmap
disk=$(vm_null_blk limit size=64 memory_backed=1 zoned=1 zone_size=4 zone_max_open=3)
job "$disk" --rw=randwrite --io_size=8m --max_open_zones=9 --ignore_zone_limits=1
same "unless it is asked for: $(cat err)" "$status" 0

# A bad place of the device: the zone is asked where it is, and left.
bad=$(vm_null_blk bad size=32 memory_backed=1 zoned=1 zone_size=4 badblocks=+10240-10247)
job "$bad" --rw=write --bs=4k --size=16m --continue_on_error=write
lost=$(asked 'jobs[0].total_err')
job "$bad" --rw=write --bs=4k --size=16m --continue_on_error=write --recover_zbd_write_error=1
some 'zones are recovered' "$(asked 'jobs[0].fio-like.zones.recovered')"
[ "$(asked 'jobs[0].total_err')" -lt "$lost" ] && same 'fewer writes fail' yes yes ||
	same 'fewer writes fail' "$(asked 'jobs[0].total_err')" "less than $lost"

nvme=$(vm_nvme 2)
good "$nvme" --rw=randwrite --verify=crc32c --size=4z --io_size=8m --bs=128k --ioengine=io_uring --iodepth=8
some 'a namespace with zones' "$(asked 'jobs[0].read.io_bytes')"
finish
