#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the runner itself costs: the same reads by a bare loop in C (t/bench/floor), by fio-like and
# by fio, in turns, from a file that is in the page cache. And how long a job of a single I/O takes
# from start to finish.
#
# A round runs each arm once, one after the other, and begins with another arm every time. A ratio
# is the median of the ratios within the rounds, so that a machine which grows slower or faster in
# between moves it little. Every program's I/Os are its own count over its own measured time.
#
#	BENCH_DIR	where the file is made (/var/tmp)
#	BENCH_MIB	its size (1024)		BENCH_ROUNDS	rounds (11)
#	BENCH_MS	length of one arm (1000)	BENCH_STARTS	runs of the short jobs (21)
#	BENCH_JUDGE	yes (default): every bar passes or fails; no: the tables alone
#	FIO		the other program (fio); without it only the floor is compared with

set -eu
LC_ALL=C
export LC_ALL
: "${FIO_LIKE:?}" "${BUILDDIR:?}" "${TOOLS:?}"
mib=${BENCH_MIB:-1024} rounds=${BENCH_ROUNDS:-11} ms=${BENCH_MS:-1000} starts=${BENCH_STARTS:-21}
judge=${BENCH_JUDGE:-yes}
fio=$(command -v "${FIO:-fio}" || true)
passed=0 failed=0

dir=$(mktemp -d "${BENCH_DIR:-/var/tmp}/fio-like-bench-XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
file=$dir/data
seconds=$(awk "BEGIN { print $ms / 1000 }")

# ---- Arms: each prints I/Os per second -------------------------------------------------------

# Pages that nobody has used for a while may have been taken back, so every arm reads all of them.
warm() {
	cat "$file" >/dev/null
}

run_job() { # run_job PROGRAM ENGINE DEPTH
	program=$1 engine=$2 depth=$3
	set -- --name=bench --ioengine="$engine" --iodepth="$depth" --rw=randread --bs=4k \
		--size="${mib}m" --norandommap --randrepeat=0 --invalidate=0 --mem=mmap \
		--time_based --runtime="${ms}ms" --output-format=json --output="$dir/json"
	[ "$engine" = null ] || set -- "$@" --filename="$file"
	"$program" "$@" >"$dir/said" 2>&1 || { cat "$dir/said" >&2; exit 1; }
	"$TOOLS/jsonq" "$dir/json" 'jobs[0].read.total_ios' 'jobs[0].read.runtime' |
		awk 'NR == 1 { ios = $1 } NR == 2 { printf "%.0f\n", ios * 1000 / $1 }'
}

run_arm() { # run_arm ARM WORK: appends to the file $dir/WORK.ARM
	case $2 in
	async) engine=null depth=32 ;;
	*) engine=$2 depth=1 ;;
	esac
	[ "$engine" = null ] || warm
	case $1 in
	floor) "$BUILDDIR/t/bench/floor" "$2" "$file" "$seconds" ;;
	fio-like) run_job "$FIO_LIKE" "$engine" "$depth" ;;
	fio) run_job "$fio" "$engine" "$depth" ;;
	esac >>"$dir/$2.$1"
}

# ---- Numbers ----------------------------------------------------------------------------------

median() { # of standard input; with a factor and a format
	sort -n | awk -v factor="$1" -v format="$2" '
		{ v[NR] = $1 }
		END { printf format, factor * (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

rate() { # rate WORK ARM: thousands of I/Os per second
	[ -f "$dir/$1.$2" ] && median 0.001 '%.0f' <"$dir/$1.$2" || printf -- -
}

ratio() { # ratio WORK ARM BASE
	[ -f "$dir/$1.$2" ] && [ -f "$dir/$1.$3" ] || { printf -- -; return; }
	paste "$dir/$1.$2" "$dir/$1.$3" | awk '{ print $1 / $2 }' | median 1 '%.3f'
}

bar() { # bar WHAT VALUE at-least|below LIMIT
	[ "$judge" = yes ] || return 0
	[ "$2" != - ] || { echo "skip: $1: there is no fio to compare with"; return 0; }
	if awk -v v="$2" -v how="$3" -v limit="$4" \
		'BEGIN { exit !(how == "below" ? v < limit : v >= limit) }'; then
		passed=$((passed + 1))
		echo "ok: $1: $2, $3 $4"
	else
		failed=$((failed + 1))
		echo "MISSED: $1: $2 is not $3 $4"
	fi
}

# ---- The run ----------------------------------------------------------------------------------

dd if=/dev/urandom of="$file" bs=1M count="$mib" 2>"$dir/said" || { cat "$dir/said"; exit 1; }
sync "$file"

arms='floor fio-like fio'
if [ -z "$fio" ]; then
	arms='floor fio-like'
	echo 'skip: the arms of fio: it is not installed'
fi

round=0
while [ $round -lt "$rounds" ]; do
	for work in psync mmap null async; do
		for arm in $arms; do
			run_arm "$arm" "$work"
		done
	done
	arms="${arms#* } ${arms%% *}"
	round=$((round + 1))
done

echo "4 KiB random reads from the page cache, $mib MiB; medians of $rounds rounds of $ms ms, on"
echo "$(uname -m), Linux $(uname -r), $("$FIO_LIKE" --version)${fio:+, $("$fio" --version)}"
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
bar 'one I/O by psync, ms' "$(cat "$dir/start.psync")" below 50
bar 'one I/O by null, ms' "$(cat "$dir/start.null")" below 50
echo "$passed passed, $failed failed"
[ $failed = 0 ]
