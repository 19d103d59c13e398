#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The benchmarks, tiny, so that they cannot rot. Nothing here looks at a time: what is checked is
# that all tables are there and have a number in every place.

set -eu
passed=0
failed=0

check() { # check WHAT COMMAND...
	what=$1
	shift
	if "$@" >/dev/null; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $what"
	fi
}

lines() { # lines COUNT PATTERN: exactly so many lines of the output
	[ "$(grep -c -E -- "$2" out)" = "$1" ]
}

export BENCH_DIR="$PWD" BENCH_MIB=16 BENCH_ROUNDS=2 BENCH_MS=200 BENCH_STARTS=3 BENCH_JUDGE=no
export BENCH_PASSES=20 BENCH_SEEKS=200
num='[0-9]+(\.[0-9]+)?'
their=$num
if ! command -v "${FIO:-fio}" >/dev/null; then
	their=-
	echo 'fio is not installed: its columns are empty'
fi

status=0
sh "$SRCDIR/t/bench/run.sh" >out 2>&1 || status=$?
check 'the benchmarks run' [ $status = 0 ]
check 'five ways of buffering' \
	lines 5 "^(plain|library|user|mmap|none) +wall $num user $num sys $num s, [1-9].* per open"
check 'five sizes of buffers' \
	lines 5 \
	"^(4096|16384|65536|131072|library) +wall $num .* bytes in $num calls read per seek\$"
check 'a row for each of four loops' lines 4 \
	"^(psync|mmap|null|null, iodepth 32) +$num +$num +$their +$num +$their +$their\$"
check 'a row for each of two starts' lines 2 "^(psync|null) +$num +$their\$"
check 'the count' lines 1 '^0 passed, 0 failed$'
check 'nothing is left behind' [ -z "$(ls -d fio-like-bench-* 2>/dev/null)" ]

# Only the file's bytes are to be counted, and all of them.
head -c 40000 /dev/zero >small
for way in plain library user mmap none; do
	check "$way reads all records" sh -c \
		"'$BUILDDIR/t/bench/fread' $way small 3 | grep ' 471 records'"
done

[ $failed = 0 ] || cat out
echo "$passed passed, $failed failed"
[ $failed = 0 ]
