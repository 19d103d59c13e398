#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What becomes of tests in the virtual machine that do not end well: one that fails, one that hangs,
# one that ends the machine, a machine that never ends. Each is a failure and is told as one, and the
# results of the others are kept.

. "$SRCDIR/t/shell.sh"

vm() { # vm ARGUMENT... of run.sh
	status=0
	bash "$SRCDIR/t/vm/run.sh" "$@" >out 2>err || status=$?
	[ $status != 77 ] || { tail -n 1 out; exit 77; }
}

cat >good.sh <<'END'
. "$SRCDIR/t/shell.sh"
echo '{ "number": 42 }' >"$VM_DOCUMENTS/more.json"
same 'a setting' "$SETTING" 'two words'
same 'its own directory' "$(ls)" ''
echo 'quotes " and \ and	tabs'
finish
END
echo 'echo this is wrong; exit 3' >bad.sh
echo 'echo it hangs; sleep 1000' >hangs.sh
echo 'echo "no reason"; exit 77' >skips.sh
cat >reset.sh <<'END'
. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"
vm_null_blk left size=16 memory_backed=1 >/dev/null
vm_fsdax /mnt/left >/dev/null
vm_dm left '0 2048 zero' >/dev/null
END
cat >clean.sh <<'END'
. "$SRCDIR/t/shell.sh"
check 'no block device is left' [ ! -e /sys/block/left ]
check 'no mount is left' sh -c '! grep -q /mnt/left /proc/mounts'
check 'no namespace is left' [ ! -e /dev/pmem1 ] || ls -l /dev
same 'no device of device-mapper is left' "$(dmsetup ls 2>/dev/null)" 'No devices found'
finish
END
vm --out=results --each=5 --timeout=300 --env='SETTING=two words' {bad,hangs,skips,good}.sh
same 'a run with failures' $status 1
says 'a script that fails' '^FAILED vm/bad' out
says 'what it said' '| this is wrong' out
says 'a script that hangs' '^FAILED vm/hangs (5.*stopped after 5 s' out
says 'what it said before' '| it hangs' out
says 'a script that skips' '^skip *vm/skips' out
says 'a script after all these' '^ok *vm/good' out
says 'the count' '^2 passed, 2 failed, 1 skipped$' out
same 'a document comes along' "$(json results/good.json documents.more.number)" 42
says 'text comes as it was' 'quotes " and \\ and	tabs' \
	<(json results/good.json log)
same 'status of the failed one' "$(json results/bad.json status)" 3

vm --timeout=300 reset.sh clean.sh
same 'nothing is left for the next script' $status 0
[ $status = 0 ] || cat out

echo 'echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger' >panics.sh
vm --timeout=300 good.sh panics.sh
same 'a kernel that panics' $status 1
says 'no result of the script' '^FAILED vm/panics (no result)' out
says 'its last words' 'Kernel panic' out

echo 'exec 9>/dev/watchdog; kill -STOP 1; cat /dev/zero >/dev/null' >never.sh
before=$SECONDS
vm --timeout=25 --each=1000 never.sh
same 'a machine that never ends' $status 1
says 'it was stopped' 'the machine was stopped after 25 s' out
check 'in time' [ $((SECONDS - before)) -lt 60 ]

# A script that is killed takes its machine along.
mkdir killed
TMPDIR=$PWD/killed bash "$SRCDIR/t/vm/run.sh" --timeout=200 --each=100 hangs.sh >out 2>err &
script=$!
machines() { # the processes that have it in their arguments
	grep -l "mem-path=$PWD/killed/" /proc/[0-9]*/cmdline 2>/dev/null
}
for ((i = 0; i < 600; i++)); do
	[ -z "$(machines)" ] || break
	sleep 0.1
done
sleep 1	# timeout has become qemu's parent
check 'its machine runs' [ -n "$(machines)" ]
kill -KILL $script
wait $script 2>/dev/null
for ((i = 0; i < 50; i++)); do
	[ -n "$(machines)" ] || break
	sleep 0.1
done
same 'no machine is left' "$(machines)" ''
PATH=/nowhere VM_KERNEL=/nowhere /bin/bash "$SRCDIR/t/vm/run.sh" good.sh >out 2>err
same 'without qemu' $? 77
finish
