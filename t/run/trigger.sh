#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Triggers: at a time, or when a file is there, all jobs end, the states of verifying ones are kept
# before the command starts, and what became of the command is told.

. "$SRCDIR/t/shell.sh"

long=(--name=a --ioengine=null --rw=read --size=1m --thinktime=1ms --time_based --runtime=60)
as_json=(--output-format=json)
go() { # go OUT ARGUMENT... - in the background, in a folder of its own
	local out=$1
	shift
	mkdir $out
	{ cd $out && timeout -k 5 30 "$fio" "$@" >out 2>err; echo $? >status; } &
}
go time "${as_json[@]}" "${long[@]}" --trigger-timeout=300ms '--trigger=echo "$PPID" >mark; echo to stderr'
go file "${as_json[@]}" "${long[@]}" --trigger-file=now --trigger='echo fired >mark' --name=later --stonewall \
	--ioengine=null --rw=read --size=4k
go alone "${long[@]}" --trigger-timeout=200ms
go fails "${as_json[@]}" "${long[@]}" --trigger-timeout=200ms --trigger='exit 7'
go slow "${long[@]}" --trigger-timeout=200ms --trigger='sleep 0.7; echo late >mark'
go unused "${as_json[@]}" --name=a --ioengine=null --rw=read --size=4k --trigger='echo no >mark' \
	--trigger-file=never
go when "${as_json[@]}" --name=a --ioengine=null --rw=read --size=4k --trigger='echo no >mark'
# The command sees the state that was kept, and may cut the power: here it takes a copy away.
verify=(--name=v --filename=data --rw=randwrite --size=64m --verify=crc32c --do_verify=0)
go state "${verify[@]}" --thinktime=100us --verify_state_save=1 --trigger-timeout=300ms \
	--trigger='cp local-v-0-verify.state kept'
sleep 0.5
: >file/now
wait
stat() {
	cat $1/status
}

same 'time: status' "$(stat time)" 0
document 'time' time/out
check 'time: the command ran' [ -s time/mark ]
same 'time: what it prints is no part of the result' "$(cat time/err)" 'to stderr'
between 'time: the job has ended' "$(json time/out jobs[0].job_runtime)" 250 30000
same 'time: no error' "$(json time/out jobs[0].error)" 0
same 'time: by' "$(json time/out fio-like.trigger.by)" timeout
between 'time: when' "$(json time/out fio-like.trigger.seconds)" 0.3 30
same 'time: outcome' "$(json time/out fio-like.trigger.outcome)" 'exited with status 0'

same 'file: status' "$(stat file)" 0
same 'file: the command ran' "$(cat file/mark)" fired
same 'file: by' "$(json file/out fio-like.trigger.by)" file
check 'file: it is taken away' [ ! -e file/now ]
same 'file: who had not begun does nothing' "$(json file/out jobs[1].read.total_ios)" 0
same 'file: and has no error' "$(json file/out jobs[1].error)" 0

same 'alone: status' "$(stat alone)" 0
says 'alone: told' '^Trigger: the time had come, 0\.[0-9]* s after the start; command: none$' alone/out
same 'fails: status' "$(stat fails)" 1
same 'fails: outcome' "$(json fails/out fio-like.trigger.outcome)" 'exited with status 7'
says 'fails: told' 'trigger=exit 7: exited with status 7' fails/err
same 'slow: status' "$(stat slow)" 0
same 'slow: it was waited for' "$(cat slow/mark)" late
same 'unused: status' "$(stat unused)" 0
check 'unused: nothing was run' [ ! -e unused/mark ]
same 'unused: not in the result' "$("$jsonq" unused/out fio-like.trigger 2>/dev/null)" ''
says 'when: a note' 'trigger has no effect' when/out

same 'state: status' "$(stat state)" 0
check 'state: it was kept before the command ran' [ -s state/kept ]
cd state || exit 1
for s in local-v-0-verify.state kept; do
	[ $s = kept ] && mv kept local-v-0-verify.state
	run "$fio" "${as_json[@]}" "${verify[@]}" --do_verify=1 --verify_only --verify_state_load=1
	same "state: $s vouches for what is there" $status 0
	check "state: $s: some blocks" [ "$(json out jobs[0].fio-like.verify.blocks)" -gt 0 ]
done
cd ..

# Stopped while the command runs.
"$fio" "${long[@]}" --trigger-timeout=100ms --trigger='echo $$ >pid; sleep 60' >out 2>err &
pid=$!
soon test -s pid
sleep 0.1
kill -INT $pid
wait $pid
same 'stopped: status' $? 1
says 'stopped: told' 'it was stopped with the run' err
check 'stopped: the command, too' soon gone "$(cat pid)" $pid

run "$fio" "${long[@]}" --trigger-timeout=1 --trigger='echo no >mark' --no-exec
same 'forbidden: status' $status 1
says 'forbidden' 'trigger=echo no >mark would run a command, and --no-exec forbids it' err
run "$fio" "${long[@]}" --trigger-timeout=soon
same 'no time: status' $status 1
says 'no time' 'trigger-timeout=soon' err
run "$fio" "${long[@]}" --trigger-remote=reboot
same 'remote: status' $status 1
says 'remote' 'trigger-remote' err
finish
