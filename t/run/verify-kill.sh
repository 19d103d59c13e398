#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Workers killed in the middle of their writes: what was promised is there, and what is not there
# any more is found. t/long has a hundred kills.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"
. "$SRCDIR/t/verify-kill.sh"

kills 4 7

# ---- A promise that was broken ----------------------------------------------------------------

how='--name=p --filename=p --size=256k --bs=4k --verify=crc32c --rw=write --fsync=16'
run "$fio" $how --verify_state_file=log
same 'written' $status 0
check 'a state is kept' grep -q '^issued 64$' local-p-0-verify.state
check 'a state after each fsync' [ "$(grep -c '^end ' log)" -ge 4 ]
again="$how --verify_only --verify_state_load=1"
run "$fio" $again --verify_policy=fsynced
same 'all is there' $status 0
dd if=/dev/zero of=p bs=4096 seek=40 count=1 conv=notrunc 2>dd.err
for policy in completed fsynced; do
	run "$fio" $again --verify_policy=$policy
	same "$policy: status" $status 1
	says "$policy: which" 'offset 163840, .*zeros' err
done
run "$fio" $again --verify_state_file=log --verify_policy=fsynced
same 'by the log: status' $status 1

# ---- Only what the state knows of -------------------------------------------------------------

rm -f p log local-*
run "$fio" $how --number_ios=32
run "$fio" $again --output-format=json
same 'a part: status' $status 0
same 'a part: so much of it' "$(json out 'jobs[0].read.total_ios')" 32

# ---- States that are none ---------------------------------------------------------------------

rm local-p-0-verify.state
run "$fio" $again
same 'none: status' $status 1
says 'none' 'local-p-0-verify.state cannot be read' err
echo junk >local-p-0-verify.state
run "$fio" $again
says 'junk' 'it is no verify state' err
run "$fio" $how
sed -i 's/^issued .*/issued 9/' local-p-0-verify.state
run "$fio" $again
says 'changed' 'no record of it is whole' err
run "$fio" $how
run "$fio" $again --bs=8k
says 'another size' 'with blocks of 4096 bytes, this is number 0 with blocks of 8192' err
mkdir aux
run "$fio" $how --aux-path=aux
check '--aux-path' [ -s aux/local-p-0-verify.state ]
run "$fio" $again --aux-path=aux
same '--aux-path: status' $status 0
run "$fio" $how --verify_state_load=1
says 'without verify_only' 'verify_state_load=1 needs verify_only=1' err

# ---- All of it killed, and the job had gone on since its last promise -----------------------------

job='--name=q --filename=q --size=256k --bs=4k --verify=crc32c --rw=randwrite --norandommap --fsync=50'
job="$job --time_based --runtime=60 --verify_state_file=qlog"
for engine in psync io_uring mmap; do
	rm -f q qlog local-q*
	"$fio" $job --ioengine=$engine --iodepth=8 >out 2>err &
	pid=$!
	promises() { [ -e qlog ] && [ "$(grep -c '^end ' qlog)" -ge 3 ]; }
	check "$engine: some promises" soon promises
	workers=$(children $pid)
	kill -9 $pid $workers
	wait $pid 2>wait.err
	check "$engine: all are gone" soon gone $workers
	check "$engine: no state but that in the log" [ ! -e local-q-0-verify.state ]
	later="$job --ioengine=$engine --verify_only --verify_state_load=1 --verify_policy=fsynced"
	run "$fio" $later
	same "$engine: what was written later does no harm" $status 0
	[ $status = 0 ] || cat err
	# of what may have been written again, nothing that nobody wrote
	dd if=/dev/zero of=q bs=4k count=64 conv=notrunc 2>dd.err
	run "$fio" $later
	same "$engine: lost" $status 1
	says "$engine: lost" 'zeros' err
done

finish
