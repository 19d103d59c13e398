#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The mapping window of the mapping engines, by its counters: a pass over what fits one window maps
# once, and any other sequential pass once per window, for every block that divides it. A block that
# ends where its window ends is the case that once went wrong elsewhere; here it is every last one.
#
# With arguments (the virtual machine has devices for more of them), each is ENGINE:TARGET:UNIT,
# where windows are multiples of UNIT bytes.

. "$SRCDIR/t/shell.sh"

# pass WANTED RW LINE... - one more job of the file; WANTED: how many mappings there must be.
pass() {
	local wanted=$1 rw=$2
	shift 2
	printf '%s\n' "[pass]" stonewall "rw=$rw" "$@" >>jobs.ini
	echo "$wanted $((wanted - 1)) $engine, rw=$rw, $*" >>wanted
}

all_windows() { # all_windows ENGINE TARGET UNIT
	local engine=$1 target=$2 unit=$3 size=$(($3 * 33)) factor divisor rw all window bs
	printf '%s\n' '[global]' "ioengine=$engine" "filename=$target" "size=$size" >jobs.ini
	: >wanted
	for factor in 1 2 3 16; do
		window=$((unit * factor)) all=$(((33 + factor - 1) / factor))
		for divisor in 1 2 4 8 16 128; do
			bs=$((unit / divisor))
			pass $all read bs=$bs map_window=$window
		done
		pass $all write bs=$unit map_window=$window
		pass $((2 * all)) read bs=$unit map_window=$window loops=2
	done
	for rw in read randread write randwrite; do
		pass 1 $rw bs=$((unit / 16)) loops=3
	done
	pass 1 read bs=$unit size=$unit offset=$((size - unit)) loops=100
	# Each block in a window of its own: one mapping per I/O is what a wrong comparison costs.
	pass 33 randread bs=$unit map_window=$unit
	pass 4 read bs=$((unit / 16)) offset=$((unit / 16 * 5)) size=$((unit * 8)) \
		map_window=$((unit * 2))
	judge
}

judge() { # runs all of the file, and compares
	local paths=() i=0 want
	while read -r _; do
		paths+=("jobs[$i].fio-like.engine.counters.mappings"
			"jobs[$i].fio-like.engine.counters.remaps")
		i=$((i + 1))
	done <wanted
	status=0
	timeout -k 5 200 "$fio" jobs.ini --output-format=json --output=json >out 2>err || status=$?
	[ $status = 0 ] || not_ok "$engine runs them" err
	"$jsonq" json "${paths[@]}" | paste -d ' ' - - >got ||
		not_ok "$engine has the counters" json
	while read -r mappings remaps want; do
		read -r got_mappings got_remaps <&3
		same "$want" "$got_mappings $got_remaps" "$mappings $remaps"
	done <wanted 3<got
}

# The job file that tells the story, on a small file.
story() {
	local i=0 wanted at
	SIZE=32m TMPDIR=$PWD ENGINE=$1 run "$fio" "$SRCDIR/jobs/remap.ini" --output-format=json \
		--output=json
	same "jobs/remap.ini runs with $1" "$status" 0
	for wanted in fits:1:0 last-block:1:0 windows-16m:8:7 per-io:1024:1023; do
		at=jobs[$i].fio-like.engine.counters
		same "jobs/remap.ini with $1, $wanted" "$("$jsonq" json "jobs[$i].jobname" \
			"$at.mappings" "$at.remaps" | paste -s -d :)" $wanted
		i=$((i + 1))
	done
	check 'it leaves nothing behind' [ ! -e fio-like-remap.data ]
}

if [ $# = 0 ]; then
	story mmap
	[ ! -f "$BUILDDIR/engines/libpmem.so" ] || story libpmem
	set -- "mmap:$PWD/data:65536"
	[ ! -f "$BUILDDIR/engines/libpmem.so" ] || set -- "$@" "libpmem:$PWD/data:65536"
fi
for triple; do
	IFS=: read -r engine target unit <<<"$triple"
	all_windows "$engine" "$target" "$unit"
done
finish
