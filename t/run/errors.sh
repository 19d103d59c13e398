#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Failed I/Os: which end a job, which only count, and what the report, stderr and the exit status
# say of them. The device whose second half fails is a loop device over a file that became shorter.

. "$SRCDIR/t/shell.sh"

out() { # out PATH - of the last document
	json out "$1"
}
go() { # go STATUS ARGUMENT...
	run_to "$1" "$fio" --output-format=json "${@:2}"
}
silent() { # silent WHAT - errors that do not end a job are in the report alone
	check "$1: nothing on stderr" [ ! -s err ]
}
once() { # once WHAT PATTERN - one line of stderr says so, and no other line says anything
	same "$1: one line" "$(wc -l <err)" 1
	says "$1" "$2" err
}
counted() { # counted WHAT TOTAL FIRST
	same "$1: total_err" "$(out 'jobs[0].total_err')" "$2"
	same "$1: first_error" "$(out 'jobs[0].first_error')" "$3"
	same "$1: error" "$(out 'jobs[0].error')" "$3"
}
notes() { # notes PATTERN - how many notes of the report match
	grep -c -e "$1" out
}

null=(--name=a --ioengine=null --rw=read --size=1m)

# ---- One in four -------------------------------------------------------------------------------

for how in '' --thread --iodepth=8 '--iodepth=8 --null_reorder=1'; do
	go 1 "${null[@]}" $how --null_fail_one_in=4
	once "stops $how" \
		"job a: read of 4096 bytes at offset [0-9]* of a.0.0: .*Input/output error"
	same "stops $how: error" "$(out 'jobs[0].error')" 5
	go 0 "${null[@]}" $how --null_fail_one_in=4 --continue_on_error=read
	silent "goes on $how"
	same "goes on $how: all I/Os" "$(out 'jobs[0].read.total_ios')" 256
	failed_ios=$(out 'jobs[0].total_err')
	between "goes on $how: share" "$failed_ios" 40 90
	counted "goes on $how" "$(out 'jobs[0].fio-like.engine.counters.injected_errors')" 5
	same "goes on $how: bytes" "$(out 'jobs[0].read.io_bytes')" $(((256 - failed_ios) * 4096))
	same "goes on $how: latencies" "$(out 'jobs[0].read.clat_ns.N')" $((256 - failed_ios))
done

# ---- Which errors, which directions ------------------------------------------------------------

every=(--null_fail_one_in=1)
ends() { # ends RW ARGUMENT...
	local rw=$1
	shift
	go 1 "${null[@]}" --rw=$rw "${every[@]}" "$@"
	check "$rw $*: ended" [ "$(out 'jobs[0].error')" != 0 ]
}
goes_on() { # goes_on RW ARGUMENT...
	local rw=$1
	shift
	go 0 "${null[@]}" --rw=$rw "${every[@]}" "$@"
	same "$rw $*: all of them" "$(out 'jobs[0].total_err')" 256
	same "$rw $*: no bytes" $(($(out 'jobs[0].read.io_bytes') +
		$(out 'jobs[0].write.io_bytes') + $(out 'jobs[0].trim.io_bytes'))) 0
}
ends read --continue_on_error=none
ends read --continue_on_error=write
ends read --continue_on_error=verify
ends read --continue_on_error=0
ends write --continue_on_error=read
ends trim --continue_on_error=read
ends write --continue_on_error=all --null_error=ENOSPC
ends write --ignore_error=ENOSPC --null_error=ENOSPC
ends write --ignore_error=,ENOSPC --continue_on_error=all
goes_on read --continue_on_error=read
goes_on read --continue_on_error=1
goes_on randread --continue_on_error=io
goes_on write --continue_on_error=write
goes_on randwrite --continue_on_error=all
goes_on trim --continue_on_error=write
goes_on randtrimwrite --continue_on_error=all
goes_on randrw --continue_on_error=io
goes_on read --continue_on_error=read --null_error=EILSEQ
goes_on write --ignore_error=,ENOSPC:EDQUOT --null_error=EDQUOT
goes_on write --ignore_error=EIO,28 --null_error=ENOSPC
goes_on read --ignore_error=EIO
goes_on read --ignore_error=EIO --continue_on_error=write

go 0 "${null[@]}" "${every[@]}" --continue_on_error=read
check 'error_dump: noted' [ "$(notes 'read of 4096 bytes at offset')" -ge 1 ]
go 0 "${null[@]}" "${every[@]}" --continue_on_error=read --error_dump=0
counted 'error_dump=0' 256 5
go 0 "${null[@]}"
check 'no errors: no total_err' sh -c '! grep -q total_err out'
go 0 "${null[@]}" --continue_on_error=all
counted 'errors might be, and were not' 0 0
go 0 "${null[@]}" --continue_on_error=all "${every[@]}" --time_based --runtime=200ms
between 'errors until the end of runtime' "$(out 'jobs[0].job_runtime')" 190 400

run "$fio" "${null[@]}" --null_fail_one_in=4 --continue_on_error=read
same 'text: status' $status 0
says 'text: count and first' 'errors    : total=[0-9]*, first_error=5/<Input/output error>' out

# A clone that fails is not the others.
null_job=(--ioengine=null --size=1m)
go 1 "${null[@]}" --name=good "${null_job[@]}" --name=bad "${null_job[@]}" --null_fail_one_in=1 \
	--name=fine "${null_job[@]}"
same 'one of three: the others' "$(out 'jobs[1].read.total_ios') $(out 'jobs[3].read.total_ios')" \
	'256 256'
same 'one of three: errors' "$(for i in 0 1 2 3; do out "jobs[$i].error"; done | tr '\n' ' ')" \
	'0 0 5 0 '
once 'one of three' 'job bad: '
go 1 "${null[@]}" --group_reporting --numjobs=2 --null_fail_one_in=1
same 'a group: error' "$(out 'jobs[0].error')" 5

# ---- The ends of others ------------------------------------------------------------------------

long=(--ioengine=null --rw=read --size=1m --time_based --runtime=20)
started=$(date +%s)
go 1 --exitall_on_error --name=a --ioengine=null --rw=read --size=1m "${every[@]}" \
	--startdelay=200ms --name=b "${long[@]}" --null_fail_one_in=0
between 'exitall_on_error' "$(out 'jobs[1].read.runtime')" 150 2000
same 'exitall_on_error: the other is fine' "$(out 'jobs[1].error')" 0
go 0 --exitall_on_error --name=a --ioengine=null --rw=read --size=1m "${every[@]}" \
	--continue_on_error=all --name=b "${null_job[@]}" --time_based --runtime=300ms
between 'exitall_on_error, and none that counts' "$(out 'jobs[1].read.runtime')" 290 500
go 1 --exitall_on_error --exit_what=all --name=a --ioengine=null --rw=read --size=1m "${every[@]}" \
	--startdelay=100ms --name=b "${long[@]}" --new_group --null_fail_one_in=0 \
	--name=c "${long[@]}" --stonewall --null_fail_one_in=0
between 'exit_what=all' "$(out 'jobs[1].read.runtime')" 50 2000
same 'exit_what=all: not begun' "$(out 'jobs[2].read.total_ios')" 0
check 'exitall_on_error: soon' [ $(($(date +%s) - started)) -lt 12 ]

# ---- Too slow ----------------------------------------------------------------------------------

for how in '' --thread --iodepth=4; do
	go 1 "${null[@]}" $how --null_delay=5ms --max_latency=1ms
	same "max_latency $how: error" "$(out 'jobs[0].error')" 110
	once "max_latency $how" "read of 4096 bytes at offset [0-9]* of a.0.0 took [0-9]* ns, \
more than max_latency allows (1000000 ns)"
	go 0 "${null[@]}" $how --number_ios=8 --null_delay=1ms --max_latency=1s
	same "max_latency not reached $how" "$(out 'jobs[0].read.total_ios')" 8
done
go 0 "${null[@]}" --number_ios=8 --null_delay=1ms --max_latency=10s,1us
same 'max_latency of writes' "$(out 'jobs[0].read.total_ios')" 8
go 1 "${null[@]}" --rw=write --null_delay=1ms --max_latency=10s,1us
same 'max_latency of writes, reached' "$(out 'jobs[0].error')" 110
go 1 "${null[@]}" --null_delay=1ms --max_latency=1us --continue_on_error=all
same 'max_latency ends the job, whatever else' "$(out 'jobs[0].error')" 110

# ---- A full device, an end too early -----------------------------------------------------------

# Not libaio, which this device does not serve.
for engine in sync psync vsync pvsync pvsync2 io_uring; do
	has_engine $engine || continue
	go 1 --name=a --ioengine=$engine --rw=write --filename=/dev/full --size=64k
	once "full, $engine" 'write of 4096 bytes at offset 0 of /dev/full: No space left on device'
	go 0 --name=a --ioengine=$engine --rw=write --filename=/dev/full --size=64k \
		--ignore_error=,ENOSPC
	counted "full, $engine" 16 28
	silent "full, $engine"
done

if [ "$(id -u)" != 0 ] || ! command -v losetup >/dev/null || ! losetup -f >/dev/null 2>&1; then
	echo '# no loop devices without root: their errors are not tried'
	finish
fi
head -c 1m "$FIO_LIKE" >disk
dev=$(losetup -f --show disk) || { echo '# losetup failed'; finish; }
exec 9<"$dev"
losetup -d "$dev"	# when descriptor 9 is closed
truncate -s 512k disk
blockdev --flushbufs "$dev"

disk=(--name=a --filename="$dev" --bs=64k --size=1m)
for engine in sync psync vsync pvsync pvsync2 mmap stdio io_uring libaio; do
	has_engine $engine || continue
	for rw in read randread; do
		for how in '' --thread --iodepth=4; do
			what="$engine $rw $how"
			go 0 "${disk[@]}" --ioengine=$engine --rw=$rw $how --continue_on_error=read
			counted "$what" 8 5
			silent "$what"
			same "$what: bytes" "$(out 'jobs[0].read.io_bytes')" 524288
			same "$what: I/Os" "$(out 'jobs[0].read.total_ios')" 16
		done
	done
	go 1 "${disk[@]}" --ioengine=$engine --rw=read
	once "$engine ends" "read of 65536 bytes at offset 524288 of $dev: \
.*\(Input/output error\|its device failed\)"
	same "$engine ends: bytes before" "$(out 'jobs[0].read.io_bytes')" 524288
done
exec 9<&-

# A sync that fails is an error like others.
syncs=(--name=job --ioengine=null --rw=write --size=1m --fsync=2 --continue_on_error=all)
moved() { # what went well
	echo $(($(out 'jobs[0].write.clat_ns.N') + $(out 'jobs[0].sync.total_ios')))
}
go 0 "${syncs[@]}"
all=$(moved)
go 0 "${syncs[@]}" --null_fail_one_in=5
same 'failed syncs are counted' "$(out 'jobs[0].total_err')" $((all - $(moved)))
check 'there were some' [ "$(out 'jobs[0].sync.total_ios')" -lt $((all - 256)) ]
finish
