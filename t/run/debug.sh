#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --debug tells what happens, on stderr only, and only what was asked for.

. "$SRCDIR/t/shell.sh"

job=(--output-format=json --name=a --filename=data --size=16k --rw=write)

tells() { # tells TOPIC PATTERN COUNT
	run "$fio" --debug="$1" "${job[@]}"
	same "$1: status" $status 0
	document "$1: stdout" out
	same "$1: lines of '$2'" "$(grep -c -e "$2" err)" "$3"
	same "$1: nothing else" "$(grep -c -v "^$1 " err)" 0
}

tells process '^process [0-9]* job a: clone 0 is process [0-9]*, wave 1$' 1
tells process 'job a: clone 0 has ended$' 1
tells file 'data is opened: well, descriptor [0-9]*, flags' 1
tells file 'data is closed$' 1
tells io 'job a: slot 0: write of 4096 bytes at [0-9]* of data: 4096 bytes$' 4
tells engine 'job a: engine psync (.*): a queue of depth 1 is open, synchronous$' 1
tells parse 'job a: size=16k (argument [0-9]*)$' 1

run "$fio" --debug=io "${job[@]}" --filename=/dev/full
says 'an error' 'write of 4096 bytes at 0 of /dev/full: No space left on device$' err

run "$fio" -d all "${job[@]}"
for topic in process file io engine parse; do
	says "all: $topic" "^$topic " err
done

run "$fio" --debug=file,mem "${job[@]}"
same 'unknown topic: status' $status 1
says 'unknown topic' \
	"error: there is no topic 'mem'; there are process, file, io, engine, parse, all" err

finish
