#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the runner itself costs: the same reads by a bare loop in C (t/bench/floor), by fio-like and
# by fio, in turns, from a file that is in the page cache. And how long a job of a single I/O takes
# from start to finish. Every program's I/Os are its own count over its own measured time.
#
#	BENCH_MIB	size of the file (1024)
#	BENCH_STARTS	runs of the short jobs (21)
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
mib=${BENCH_MIB:-1024} starts=${BENCH_STARTS:-21}
file=$dir/data

# ---- Arms: each prints I/Os per second -------------------------------------------------------

run_job() { # run_job PROGRAM ENGINE DEPTH
	program=$1 engine=$2 depth=$3
	set -- --name=bench --ioengine="$engine" --iodepth="$depth" --rw=randread --bs=4k \
		--size="${mib}m" --norandommap --randrepeat=0 --invalidate=0 --mem=mmap \
		--time_based --runtime="${ms}ms" --output-format=json --output="$dir/json"
	[ "$engine" = null ] || set -- "$@" --filename="$file"
	run_quietly "$program" "$@"
	"$TOOLS/jsonq" "$dir/json" 'jobs[0].read.total_ios' 'jobs[0].read.runtime' |
		awk 'NR == 1 { ios = $1 } NR == 2 { printf "%.0f\n", ios * 1000 / $1 }'
}

run_arm() { # run_arm ARM WORK: appends to the file $dir/WORK.ARM
	case $2 in
	async) engine=null depth=32 ;;
	*) engine=$2 depth=1 ;;
	esac
	[ "$engine" = null ] || warm "$file"
	case $1 in
	floor) "$BUILDDIR/t/bench/floor" "$2" "$file" "$seconds" ;;
	fio-like) run_job "$FIO_LIKE" "$engine" "$depth" ;;
	fio) run_job "$fio" "$engine" "$depth" ;;
	esac >>"$dir/$2.$1"
}

# ---- The run ----------------------------------------------------------------------------------

make_file "$file" "$mib"
in_rounds run_arm psync mmap null async

echo "4 KiB random reads from the page cache, $mib MiB; medians of $rounds rounds of $ms ms, on"
machine
echo
printf '%-20s %10s %10s %10s %10s %10s %10s\n' 'thousands per second' floor fio-like fio \
	like:floor fio:floor like:fio
for work in psync mmap null async; do
	name=$work
	[ $work = async ] && name='null, iodepth 32'
	printf '%-20s %10s %10s %10s %10s %10s %10s\n' "$name" "$(rate $work floor)" \
		"$(rate $work fio-like)" "$(rate $work fio)" "$(ratio $work fio-like floor)" \
		"$(ratio $work fio floor)" "$(ratio $work fio-like fio)"
done
echo

# One I/O, from the start of the program to its end.
start_ms() { # start_ms PROGRAM ENGINE
	program=$1 engine=$2
	set -- --name=one --ioengine="$engine" --rw=read --bs=4k --size=4k --invalidate=0 \
		--output=/dev/null
	[ "$engine" = null ] || set -- "$@" --filename="$file"
	"$BUILDDIR/t/bench/spawn" "$starts" "$program" "$@" | { read -r ms _ && echo "$ms"; }
}

printf '%-20s %10s %10s\n' 'one I/O, ms' fio-like fio
for engine in psync null; do
	theirs=-
	[ -z "$fio" ] || theirs=$(start_ms "$fio" $engine)
	start_ms "$FIO_LIKE" $engine >"$dir/start.$engine"
	printf '%-20s %10s %10s\n' $engine "$(cat "$dir/start.$engine")" "$theirs"
done
echo

bar 'psync against the floor' "$(ratio psync fio-like floor)" at-least 0.90
bar 'mmap against the floor' "$(ratio mmap fio-like floor)" at-least 0.90
bar 'null against fio' "$(ratio null fio-like fio)" at-least 4
bar 'null against fio, iodepth 32' "$(ratio async fio-like fio)" at-least 3
bar 'one I/O by psync, ms' "$(cat "$dir/start.psync")" below 50
bar 'one I/O by null, ms' "$(cat "$dir/start.null")" below 50
finish
