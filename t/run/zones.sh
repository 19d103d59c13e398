#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Zones that several jobs share, on files that have none of their own: every zone is written from its
# start, in order, whoever writes; and what cannot work is refused by name. Devices with zones are in
# t/vm/in/zbd.sh, the single options in t/options/zones.txt.

. "$SRCDIR/t/shell.sh"

job() { # job ARGUMENT...
	run "$fio" --name=job --zonemode=zbd --bs=4k --output-format=json --output=json "$@"
}

asked() { # asked PATH...
	"$jsonq" json "$@" | paste -s -d ' '
}

# The n-th write to a zone goes to its n-th block, counted anew after each reset. Writes of one
# zone reach the log in order where one I/O is in flight at a time.
in_order() { # in_order LOG ZONE-BYTES
	awk -F ', *' -v zone="$2" '$3 == 1 {
		z = int($5 / zone); at = $5 % zone
		if (at && at != next_[z]) bad++
		next_[z] = at + $4
	} END { print bad + 0, NR }' "$1"
}

truncate -s 4m file

# Many workers, one file: the bytes of every zone are those that were written last, all of them.
(
	mkdir many && cd many && truncate -s 4m file
	for how in '' '--thread=1' '--max_open_zones=1' '--max_open_zones=3 --ioengine=libaio --iodepth=8 --direct=1' \
		'--job_max_open_zones=1 --max_open_zones=2'; do
		# shellcheck disable=SC2086
		job --filename=file --rw=randwrite --zonesize=256k --numjobs=4 --group_reporting \
			--io_size=3m $how
		same "four jobs $how: $(cat err)" "$status $(asked 'jobs[0].write.io_bytes')" \
			"0 $((12 << 20))"
		between "$how: zones are reset" "$(asked 'jobs[0].fio-like.zones.resets')" 1 60
	done
	exit $failed
) &
many=$!

# Verify: nothing is reset that is still to be checked, and each loop begins with empty zones.
(
	mkdir check && cd check && truncate -s 4m file
	for how in '--rw=write' '--rw=randwrite --loops=3' '--rw=randwrite --bsrange=4k-32k' \
		'--rw=randwrite --ioengine=io_uring --iodepth=16' '--rw=randwrite --max_open_zones=2' \
		'--rw=write --zonecapacity=200k --bs=32k' '--rw=randwrite --zonecapacity=200k --bs=20k --verify_interval=4k' '--rw=randwrite --verify_backlog=16' \
		'--rw=randwrite --io_size=9m' '--rw=randrw --rwmixread=30'; do
		# shellcheck disable=SC2086
		job --filename=file --zonesize=256k --verify=crc32c $how
		same "$how: $(cat err)" "$status $(asked 'jobs[0].error')" '0 0'
		between "$how: read back" "$(asked 'jobs[0].read.io_bytes')" $((1 << 20)) $((16 << 20))
	done
	exit $failed
) &
check=$!

# A worker that is killed while it owns a zone and has writes in flight holds up nobody.
(
	mkdir kill && cd kill && truncate -s 4m file
	"$fio" --name=job --filename=file --zonemode=zbd --zonesize=1m --bs=4k --rw=randwrite \
		--numjobs=3 --max_open_zones=1 --time_based --runtime=3 --ioengine=libaio \
		--iodepth=8 --direct=1 --output-format=json --output=json 2>err &
	main=$!
	sleep 1
	victim=$(children $main | tr ' ' '\n' | tail -n 1)
	kill -9 "$victim"
	wait $main
	same "one of three was killed" "$("$jsonq" json 'jobs[0].error' 'jobs[1].error' 'jobs[2].error' |
		grep -vc '^0$')" 1
	between "the others went on" "$("$jsonq" json 'jobs[0].write.runtime' 'jobs[1].write.runtime' \
		'jobs[2].write.runtime' | awk '$1 > 2800' | wc -l)" 2 2
	exit $failed
) &
kill=$!

job --filename=file --rw=randwrite --zonesize=64k --write_lat_log=one --log_offset=1 --io_size=6m
same 'one job: each write is at the write pointer' "$(in_order one_lat.1.log 65536)" "0 1536"
job --filename=file --rw=randwrite --zonesize=48k --write_lat_log=odd --log_offset=1 --io_size=6m
same 'zones that are no power of two' "$(in_order odd_lat.1.log 49152)" "0 1536"
job --ioengine=null --size=4m --rw=randrw --zonesize=64k --write_lat_log=null --log_offset=1 --iodepth=16
same 'a mix at depth, without a file' "$(in_order null_lat.1.log 65536 | cut -d ' ' -f 1) $(asked 'jobs[0].error')" '0 0'
between 'it reads' "$(asked 'jobs[0].read.total_ios')" 300 700

job --filename=file --rw=read --zonesize=64k
same 'nothing has been written' "$(asked 'jobs[0].read.total_ios') $status" '0 0'
same 'which is told' "$(grep -c 'no data left to read' json)" 1
job --filename=file --rw=randread --zonesize=64k --time_based --runtime=20
same 'and ends a job that would do nothing until its time' "$status" 0

refused() { # refused WORD ARGUMENT...
	local word=$1
	shift
	job --filename=file "$@"
	if [ "$status" != 0 ] && grep -q -- "$word" err; then ok; else not_ok "$*: $(cat err)"; fi
}
refused 'zonesize=' --rw=write
refused 'zonesize=100 ' --rw=write --zonesize=100
refused 'zonecapacity=131072' --rw=write --zonesize=64k --zonecapacity=128k
refused 'job_max_open_zones=8' --rw=write --zonesize=64k --max_open_zones=4 --job_max_open_zones=8
refused 'zone_reset_frequency' --rw=write --zonesize=64k --zone_reset_threshold=0.5
refused 'rw=trimwrite' --rw=trimwrite --zonesize=64k
refused 'zoneskip=4096' --rw=write --zonesize=64k --zoneskip=4k
refused 'io_submit_mode=offload' --rw=write --zonesize=64k --io_submit_mode=offload
refused 'verify_only=1' --rw=write --zonesize=64k --verify=md5 --verify_only=1
refused 'no multiple of the 20480 bytes' --rw=write --zonesize=64k --bs=20k --verify=md5
refused 'write_zone_remainder=1' --rw=write --zonesize=64k --write_zone_remainder=1 --verify=md5
refused 'holds no whole zone' --rw=write --zonesize=64k --size=32k --offset=8k
run "$fio" --name=a --filename=file --zonemode=zbd --zonesize=64k --rw=write \
	--name=b --filename=file --zonemode=zbd --zonesize=128k --rw=write
same 'two jobs see one kind of zones' "$(grep -c 'zonesize=131072: another job' err)" 1
run "$fio" --name=a --ioengine=null --size=5z --rw=write
same 'no zones to count in' "$(grep -c 'size=5z counts zones' err)" 1
# Nothing is there to be read, so the ramp has no end of its own.
run timeout 10 "$fio" --name=a --filename=new --size=1m --zonemode=zbd --zonesize=64k --rw=read --ramp_size=64k \
	--loops=3
same 'nothing to read in a ramp' $status 0

wait $kill || not_ok 'a killed worker'
wait $many || not_ok 'many jobs'
wait $check || not_ok 'verify'
finish
