#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Who reads our streams: programs. With json alone stdout is one document, whatever happens; what
# has to be said about failures is on stderr; and results that could not be written are a failure.

. "$SRCDIR/t/shell.sh"

job=(--name=a --rw=randrw --size=256k --filename=data)
endless=(--name=a --ioengine=null --size=1m --time_based --runtime=60 --thinktime=1ms)

# ---- One document ------------------------------------------------------------------------------

run "$fio" --output-format=json "${job[@]}"
same 'good run: status' $status 0
document 'good run' out
check 'good run: stderr is empty' [ ! -s err ]

run "$fio" "${job[@]}"
check 'good run, normal: stderr is empty' [ ! -s err ]
says 'good run, normal' '^a: (groupid=0, jobs=1): err= 0: ' out

run "$fio" --output-format=json --name=full --filename=/dev/full --rw=write --size=64k \
	"${job[@]}"
same 'I/O error: status' $status 1
document 'I/O error' out
same 'I/O error: errno' "$(json out 'jobs[0].error')" 28
same 'I/O error: the other job' "$(json out 'jobs[1].error')" 0
same 'I/O error: said once' "$(grep -c . err)" 1
says 'I/O error: in words' \
	"^fio-like: job full: write of 4096 bytes at offset 0 of /dev/full: \
No space left on device" err

run "$fio" --output-format=json --name=big --directory=/dev/shm/none/such --size=1m
check 'refused: no document' [ ! -s out ]

# Files that cannot be made fail their job, and only that one.
(
	ulimit -f 1024
	run "$fio" --output-format=json --name=big --size=8m --rw=read "${job[@]}"
	echo $status >status
)
same 'no room for the files: status' "$(cat status)" 1
document 'no room for the files' out
same 'no room for the files: errno' "$(json out 'jobs[0].error')" 27
check 'no room for the files: the other job' [ "$(json out 'jobs[1].read.total_ios')" -gt 0 ]
says 'no room for the files' 'job big: laying out file big.0.0 (8388608 bytes): File too large' err

run timeout -s INT 0.3 "$fio" --output-format=json "${endless[@]}"
document 'interrupted' out
check 'interrupted: measured' [ "$(json out 'jobs[0].read.total_ios')" -gt 10 ]
same 'interrupted: said once' "$(cat err)" \
	'fio-like: stopped by SIGINT; the results are those until then'

run "$fio" --output-format=json --create_only=1 --name=only --size=8k
same 'create_only: status' $status 0
document 'create_only' out
same 'create_only: file' "$(stat -c %s only.0.0)" 8192

run "$fio" --output-format=json --name=only2 --create_only=1 --size=8k --name=b --size=8k
same 'create_only beside others: no I/O' "$(json out 'jobs[0].read.total_ios')" 0
same 'create_only beside others' "$(json out 'jobs[1].read.total_ios')" 2

# ---- Text for people ---------------------------------------------------------------------------

odd=$(printf 'j\033[31m\302\233\377')
run "$fio" "--name=$odd" "--description=$odd" --filename="$odd" --size=4k --ioengine=null
same 'odd names: status' $status 0
says 'odd names: description' '^  Description  : \[j?\[31m???\]$' out
check 'odd names: nothing steers the terminal' [ -z "$(LC_ALL=C tr -d '[:print:]\n' <out)" ]
run "$fio" "--name=$odd" --filename=/dev/full --rw=write --size=4k
check 'odd names in errors' [ -z "$(LC_ALL=C tr -d '[:print:]\n' <err)" ]
run "$fio" --output-format=json "--name=$odd" --size=4k --ioengine=null
document 'odd names' out

run "$fio" --name=few --nrfiles=20 --size=700k
says 'layout of little' '^few: Laying out IO files (20 files / total 700KiB)$' out

run "$fio" --name=only3 --create_only=1 --size=8k
check 'create_only: no table of zeros' [ -z "$(grep -e 'issued' -e 'Run status' out)" ]
says 'create_only: title' '^only3: (groupid=0, jobs=1): err= 0: ' out

run "$fio" --name=two --ioengine=null --size=4k --output=x1 --output=x2
check 'two outputs' [ ! -e x1 ]
says 'two outputs: a note' '^note: .*it goes to x2' x2

run env 'WORDS=$ncpus' "$fio" --name=a --ioengine=null --size=4k '--description=${WORDS}'
says 'nothing is searched twice' '^  Description  : \[$ncpus\]$' out

# ---- Several formats ---------------------------------------------------------------------------

for order in json,normal normal,json; do
	rm -f data
	run "$fio" --output-format=$order "${job[@]}"
	order_seen=$(sed -n -e 's/^a: (g=0).*/header/p' -e 's/^Starting 1.*/starting/p' \
		-e 's/^{$/{/p' -e 's/^}$/}/p' -e 's/^$/blank/p' -e 's/^a: (groupid=0.*/normal/p' \
		-e 's/^a: Laying.*/layout/p' out | tr '\n' ' ')
	case $order_seen in
	'header starting layout { } blank normal '*) ok ;;
	*) not_ok "order of $order: $order_seen" out ;;
	esac
	sed -n '/^{$/,/^}$/p' out >doc
	document "$order: the JSON part" doc
done

# ---- --output ----------------------------------------------------------------------------------

run "$fio" --output-format=json --output=result "${job[@]}"
check '--output: stdout is empty' [ ! -s out ]
check '--output: stderr is empty' [ ! -s err ]
document '--output' result
run "$fio" --output-format=json --output=result --name=full --filename=/dev/full --rw=write \
	--size=4k
document '--output of a failed run' result
says '--output of a failed run' 'No space left' err
run "$fio" --output=- --output-format=json "${job[@]}"
document '--output=-' out

# ---- Results in between ------------------------------------------------------------------------

split() { # the documents of the file out, into doc.1, doc.2 ...; prints how many
	rm -f doc.*
	awk '/^{$/ { n++ } { print >("doc." n + 0) } END { print n + 0 }' out
}

run "$fio" --output-format=json --status-interval=200ms --runtime=1100ms "${endless[@]:0:4}" \
	--time_based --thinktime=1ms
n=$(split)
between '--status-interval: documents' "$n" 4 6
check '--status-interval: nothing else' [ ! -e doc.0 ]
last=0
for ((i = 1; i <= n; i++)); do
	document "--status-interval: $i of $n" doc.$i
	ios=$(json doc.$i 'jobs[0].read.total_ios')
	check "--status-interval: $i counts on" [ "$ios" -gt $last ]
	last=$ios
	same "--status-interval: $i, final" "$(json doc.$i fio-like.final)" \
		$([ $i = $n ] && echo true || echo false)
done
same '--status-interval: seconds left' \
	"$(json doc.1 'jobs[0].eta') $(json doc.$n 'jobs[0].eta')" '1 0'
run "$fio" --output-format=json --status-interval=200ms "${endless[@]:0:4}" --runtime=500ms \
	--name=later --stonewall --ioengine=null --size=4k
split >/dev/null
same '--status-interval: of what has not begun' "$(json doc.1 'jobs[1].eta')" 2147483647

"$fio" --output-format=json "${endless[@]}" >out 2>err &
pid=$!
sleep 0.4
kill -USR1 $pid
sleep 0.3
kill -USR1 $pid
sleep 0.3
kill -TERM $pid
wait $pid
same 'SIGUSR1: the run went on' $? 143
n=$(split)
same 'SIGUSR1: documents' "$n" 3
for ((i = 1; i <= n; i++)); do
	document "SIGUSR1: $i of $n" doc.$i
done

# ---- Nowhere to write --------------------------------------------------------------------------

unwritten() { # unwritten WHAT WHERE REASON - after a run
	same "$1: status" "$status" 1
	same "$1" "$(cat err)" "fio-like: the results could not be written to $2: $3"
}

cp data before
for format in json normal; do
	status=0
	timeout 20 "$fio" --output-format=$format "${job[@]}" >/dev/full 2>err || status=$?
	unwritten "/dev/full, $format" 'standard output' 'No space left on device'
	run "$fio" --output-format=$format "${job[@]}" --output=/dev/full
	unwritten "--output=/dev/full, $format" /dev/full 'No space left on device'
	status=0
	timeout 20 "$fio" --output-format=$format "${job[@]}" --rw=read >&- 2>err || status=$?
	unwritten "closed, $format" 'standard output' 'Bad file descriptor'
	{ timeout 20 "$fio" --output-format=$format "${job[@]}" 2>err; echo $? >status; } | :
	soon [ -s status ]
	status=$(cat status)
	unwritten "broken pipe, $format" 'standard output' 'Broken pipe'
done
# A closed stdout must not become the descriptor of a data file.
cp before data
timeout 20 "$fio" --name=a --rw=read --size=256k --filename=data --allow_file_create=0 >&- 2>&- <&-
check 'all closed: the data is untouched' cmp before data
run sh -c '"$0" "$@" 2>&-' "$fio" --output-format=json "${job[@]}" --filename=/dev/full --rw=write
same 'stderr closed: status' $status 1
document 'stderr closed' out
for flag in --version --help --cmdhelp --enghelp; do
	status=0
	timeout 20 "$fio" $flag >/dev/full 2>err || status=$?
	same "$flag to /dev/full: status" $status 1
	says "$flag to /dev/full" 'fio-like: standard output: No space left on device' err
done

# ---- Pipes, devices and folders in the place of files ------------------------------------------

# Nothing waits for what may never come, or reads what never ends.
mkfifo pipe
state=(--name=v --filename=verified --rw=write --size=64k --verify=crc32c)
run "$fio" "${state[@]}" --fsync=4 --verify_state_file=pipe
same 'a pipe for states: status' $status 0
says 'a pipe for states' 'verify_state_file=pipe: .*nobody reads from that pipe' out
for place in pipe /dev/zero .; do
	run "$fio" "${state[@]}" --verify_only=1 --verify_state_load=1 --verify_state_file=$place
	same "a state in $place: status" $status 1
	says "a state in $place" "$place cannot be read: \(it is no regular file\|Is a dir\)" err out
done
run "$fio" --name=a --ioengine=./pipe --rw=read --size=4k
says 'an engine in a pipe' './pipe is no engine: it is no regular file' err
run "$fio" --name=a --read_iolog=/dev/zero
same 'an endless log: status' $status 1
says 'an endless log' '/dev/zero:1: it is no log that can be replayed' err
for flag in --output=pipe --write_iolog=pipe; do
	"$fio" --name=a --ioengine=null --rw=read --size=4k $flag >out 2>err &
	sleep 0.2
	kill -TERM $!
	status=0
	wait $! || status=$?
	check "$flag, nobody reads: it ends ($status)" [ $status = 143 -o $status = 1 ]
	says "$flag, nobody reads" 'nobody reads from that pipe' err
	(sleep 0.1; exec cat pipe) >read &
	run "$fio" --name=a --ioengine=null --rw=read --size=4k $flag
	wait $!
	same "$flag, somebody reads later: status" $status 0
	check "$flag, somebody reads later" [ -s read ]
done

finish
