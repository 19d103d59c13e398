#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Jobs of one flow_id go ahead in step by their weights, however they do their I/O; one that ends,
# rests, or is killed holds up nobody.

. "$SRCDIR/t/shell.sh"

head -c 1m /dev/zero >data
timed=(--size=1m --time_based --runtime=700ms)
go() { # go OUT ARGUMENT... - in the background
	local out=$1
	shift
	{ timeout -k 5 30 "$fio" --output-format=json "$@" >$out 2>$out.err || echo "status $?" >>$out.err; } &
}
null=(--ioengine=null --rw=read)
often=(--output-format=jsonl --status-interval=100ms)
go null "${often[@]}" "${null[@]}" "${timed[@]}" --name=a --flow=3 --name=b --flow=2 --name=c --flow=1
go thread "${often[@]}" "${null[@]}" "${timed[@]}" --name=a --flow=3 --name=b --flow=2 --thread --name=c --flow=1 --thread
go deep "${often[@]}" "${null[@]}" "${timed[@]}" --iodepth=8 --null_delay=20us --name=a --flow=3 --name=b --flow=2 \
	--iodepth=2 --name=c --flow=1
go offload "${often[@]}" "${null[@]}" "${timed[@]}" --iodepth=4 --io_submit_mode=offload --name=a --flow=3 --name=b \
	--flow=2 --name=c --flow=1
go sleep "${often[@]}" "${null[@]}" "${timed[@]}" --name=a --flow=3 --flow_sleep=500 --name=b --flow=2 --name=c --flow=1
wait
go slow "${often[@]}" "${null[@]}" --size=1m --name=slow --thinktime=2ms --flow=1 --time_based --runtime=700ms \
	--name=fast --flow=10 --time_based --runtime=700ms \
	--name=other --flow=1 --flow_id=8 --time_based --runtime=700ms
go ended "${null[@]}" --name=short --number_ios=100 --size=1m --flow=1 --name=long --number_ios=50000 \
	--size=1g --flow=1
go checks --name=w --filename=w --rw=write --verify=crc32c --size=1m --verify_backlog=0 --flow=1000 \
	--name=r "${null[@]}" --size=64m --flow=1
go later "${null[@]}" --size=1m --name=first --flow=1 --time_based --runtime=700ms --name=late --flow=1 \
	--startdelay=300ms --time_based --runtime=400ms
wait
ios() {
	json "$1" "jobs[$2].read.total_ios"
}
# While all are at work: those that begin late, or have not ended, may have been alone for a while.
meanwhile() { # meanwhile FILE JOB
	grep '^{"type":"interval"' "$1" >lines
	paste <("$jsonq" --all lines number) <("$jsonq" --all lines interval) \
		<("$jsonq" --all lines read.total_ios) |
		awk -v job="$2" '$1 == job && $2 >= 3 && $2 <= 6 { sum += $3 } END { print sum + 0 }'
}
in_step() { # in_step FILE - 3:2:1 within 3%, and the 64 I/Os per weight that one may be ahead
	local a b c share
	a=$(meanwhile $1 0) b=$(meanwhile $1 1) c=$(meanwhile $1 2)
	check "$1: went well" [ ! -s $1.err ]
	between "$1: some were done" "$c" 30 1e12
	share=$(awk "BEGIN { print $c ? 0.033 + 64 / $c : 0 }")
	between "$1: a to c" "$(awk "BEGIN { print $c ? $a / $c / 3 - 1 : 9 }")" "-$share" "$share"
	between "$1: b to c" "$(awk "BEGIN { print $c ? $b / $c / 2 - 1 : 9 }")" "-$share" "$share"
}
for d in null thread deep offload sleep; do
	in_step $d
done
check 'slow: went well' [ ! -s slow.err ]
between 'slow: ten times as many' \
	"$(awk "BEGIN { print $(meanwhile slow 1) / $(meanwhile slow 0) }")" 8.5 11.5
check 'slow: another flow goes as it likes' [ $(meanwhile slow 2) -gt $(($(meanwhile slow 1) * 5)) ]
check 'ended: went well' [ ! -s ended.err ]
same 'ended: the other has gone on' "$(ios ended 1)" 50000
check 'checks: went well' [ ! -s checks.err ]
same 'checks: while one reads back the other goes on' "$(ios checks 1)" 16384
check 'later: went well' [ ! -s later.err ]
between 'later: what it did while both were there' \
	"$(awk "BEGIN { print ($(ios later 1) + 1) / $(ios later 0) }")" 0.0001 0.95

# A worker that is killed leaves its flow.
"$fio" --output-format=json "${null[@]}" --name=victim --size=1m --thinktime=1s --flow=1 --time_based \
	--runtime=60 --name=rest --size=64m --flow=1 >out 2>err &
pid=$!
soon eval '[ "$(children '$pid' | wc -w)" = 2 ]'
read -r worker _ <<<"$(children $pid)"
kill -KILL "$worker"
wait $pid
status=$?
same 'killed: status' $status 1
same 'killed: the other has done all of it' "$(ios out 1)" 16384
check 'killed: nobody is left' gone $pid $worker

run "$fio" --name=a "${null[@]}" --size=4k --flow=1001
same 'too heavy: status' $status 1
says 'too heavy' 'flow=1001' err
run "$fio" --output-format=json --name=a "${null[@]}" --size=4k --flow_id=2
says 'an id alone: a note' 'flow_id has no effect without flow' out
finish
