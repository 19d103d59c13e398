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

finish
