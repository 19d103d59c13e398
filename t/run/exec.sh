#!/bin/bash
# SPDX-License-Identifier: MIT
#
# exec_prerun, exec_postrun: when they run, as whom, what becomes of what they print, of a status
# other than 0, and of a command that is still there when the run is stopped; --no-exec.

. "$SRCDIR/t/shell.sh"

null=(--ioengine=null --rw=read --size=4k)
json=(--output-format=json)

# ---- When --------------------------------------------------------------------------------------

run "$fio" "${json[@]}" --name=j --filename=f --rw=write --size=8k --unlink=1 \
	--exec_prerun='ls -s f; ls /proc/$PPID/fd | wc -l; false; true' \
	--exec_postrun='stat -c "after %s" f'
same 'status' $status 0
same 'postrun sees the files' "$(cat j.postrun.txt)" 'after 8192'
check 'unlink is after it' [ ! -e f ]

for thread in '' --thread; do
	echo old >j.prerun.txt
	run "$fio" "${json[@]}" $thread --name=j --numjobs=3 "${null[@]}" --exec_prerun='echo one'
	same "clones$thread: once each, begun anew" "$(sort j.prerun.txt | uniq -c | tr -d ' ')" 3one
done
run "$fio" "${json[@]}" --name=a "${null[@]}" --exec_postrun='touch seen; echo a' --name=b --stonewall \
	"${null[@]}" --exec_prerun='ls seen'
same 'a stonewall holds back the command' "$(cat b.prerun.txt)" seen

if [ "$(id -u)" = 0 ]; then
	chmod 777 .
	rm -f j.*
	run "$fio" "${json[@]}" --name=j "${null[@]}" --uid=65534 --exec_prerun='id -u'
	same 'as the user of the job' "$(cat j.prerun.txt)" 65534
fi

# ---- What goes wrong ---------------------------------------------------------------------------

run "$fio" "${json[@]}" --name=j "${null[@]}" --exec_prerun='echo no; exit 3' --exec_postrun='echo yes' \
	--name=other "${null[@]}"
same 'prerun fails: status' $status 1
says 'prerun fails: why' \
	'job j: before the job: exec_prerun=echo no; exit 3: exited with status 3; what.*j.prerun.txt' err
same 'prerun fails: no I/O' "$(json out 'jobs[0].read.total_ios')" 0
same 'prerun fails: no postrun' "$(cat j.postrun.txt)" ''
same 'prerun fails: the other job' "$(json out 'jobs[1].read.total_ios')" 1
run "$fio" --name=j "${null[@]}" --exec_postrun='kill -9 $$'
same 'postrun fails: status' $status 0
says 'postrun fails: a note' 'note *: exec_postrun=kill -9 $$: .*signal 9' out
run "$fio" "${json[@]}" --name=no/where "${null[@]}" --exec_prerun=true
same 'no file: status' $status 1
says 'no file: why' 'what it prints cannot be written to no/where.prerun.txt: No such file' err

# ---- Names that others can foresee ---------------------------------------------------------------

echo treasure >treasure
ln -s treasure k.prerun.txt
ln -s missing k.postrun.txt
run "$fio" "${json[@]}" --name=k "${null[@]}" --exec_prerun='echo mine' --exec_postrun='echo too'
same 'a link in its place: status' $status 0
same 'a link in its place: what it led to' "$(cat treasure)" treasure
check 'a link in its place: it is none any more' [ ! -L k.prerun.txt ]
check 'a link to nowhere: nothing is there' [ ! -e missing ]
same 'a link in its place: what was printed' "$(cat k.prerun.txt k.postrun.txt)" $'mine\ntoo'
rm k.prerun.txt
mkfifo k.prerun.txt
run "$fio" "${json[@]}" --name=k "${null[@]}" --exec_prerun='echo mine'
same 'a pipe in its place' "$status $(cat k.prerun.txt)" '0 mine'

# ---- Stopped -----------------------------------------------------------------------------------

stopped() { # stopped WHAT ARGUMENT... - a SIGINT while its command is there, which writes its number
	local what=$1
	shift
	rm -f number
	"$fio" "${json[@]}" "$@" >out 2>err &
	soon [ -s number ]
	kill -INT $!
	status=0
	wait $! || status=$?
	same "$what: status" $status 130
	check "$what: the command is gone" soon gone "$(cat number)"
	document "$what" out
}
stopped prerun --name=j "${null[@]}" --exec_prerun='sleep 100 & echo $! >number; wait'
same 'prerun stopped: no error' "$(json out 'jobs[0].error')" 0
stopped 'prerun of a thread' --thread --name=j "${null[@]}" \
	--exec_prerun='trap "" TERM; sleep 100 & echo $! >number; wait; wait'
stopped postrun --name=j "${null[@]}" --exec_postrun='sleep 100 & echo $! >number; wait'
same 'postrun stopped: its job is in the report' "$(json out 'jobs[0].read.total_ios')" 1
"$fio" "${json[@]}" --name=j "${null[@]}" --time_based --runtime=30 --exec_prerun='rm -f number' \
	--exec_postrun='echo all the same' >out 2>err &
soon [ ! -e number ]
sleep 0.3
kill -INT $!
wait $!
same 'a stopped job has its postrun' "$(cat j.postrun.txt)" 'all the same'

# ---- --no-exec ---------------------------------------------------------------------------------

cat >jobs.ini <<-'END'
	[a]
	rw=read
	ioengine=null
	size=4k
	exec_prerun=touch made
	[b]
	ioengine=./made.so
	exec_postrun=touch made
	[c]
	ioengine=external:made.so
	include more.ini
END
echo "exec_prerun=touch made" >more.ini
run "$fio" --no-exec jobs.ini
same 'no-exec: status' $status 1
says 'no-exec: prerun' 'jobs.ini:5:.*exec_prerun=touch made would run a command, and --no-exec' err
says 'no-exec: postrun' 'jobs.ini:8:.*exec_postrun=touch made' err
says 'no-exec: engine' 'jobs.ini:7:.*ioengine=./made.so: it would run code.* --no-exec forbids' err
says 'no-exec: engine, external:' 'jobs.ini:10:.*ioengine=external:made.so: it would run code' err
says 'no-exec: included' 'more.ini:1:.*exec_prerun=touch made would run a command' err
check 'no-exec: nothing was run' [ ! -e made ]
run "$fio" --no-exec --name=a "${null[@]}"
same 'no-exec: a job without' $status 0
finish
