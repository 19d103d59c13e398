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

export BENCH_DIR="$PWD" BENCH_MIB=16 BENCH_ROUNDS=2 BENCH_MS=100 BENCH_STARTS=3 BENCH_JUDGE=no
export BENCH_PASSES=20 BENCH_SEEKS=200 BENCH_PMEM_MIB=8 BENCH_PMEM_DIR="$PWD"
export BENCH_TURNS=3 BENCH_ENTRIES=0.2
export SCALE_DIR="$PWD" SCALE_JOBS=20 SCALE_CLONES=4 SCALE_EACH=25 SCALE_TIB=1 SCALE_IOS=2000
export RESULTS_JOBS=20 RESULTS_SAMPLES=100
export SCALE_DRAWS=100000 SCALE_FULL=3000 SCALE_FILES=300
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
	lines 5 "^(plain|library|user|mmap|none) +$num s +$num s +$num +$num +$num +$num +$num\$"
check 'seven sizes of buffers' \
	lines 7 "^([0-9]+k|library) +$num/s +$num/s +$num +$num +$num +$num\$"
check 'a row for each of four loops' lines 4 \
	"^(psync|mmap|null|null, iodepth 32) +$num +$num +$their +$num +$their +$their\$"
check 'a row for each of two starts' lines 2 "^(psync|null) +$num +$their\$"
check 'a row for each checksum and size of block' lines 6 \
	"^(crc32c|xxhash|sha256), (4k|128k) +$num +$their +$their\$"
grep -q '^skip: O_DIRECT' out || check 'with and without verify' lines 4 \
	"^(read|write), depth (1|8) +$num +$num +$num\$"
for engine in io_uring libaio; do
	if grep -q "^skip: $engine" out; then
		grep "^skip: $engine" out
		continue
	fi
	check "$engine: a row of rates for each batch" lines 2 \
		"^$engine, cached, batch (1|32) +$num +$num +$their +$num +$their +$their\$"
	check "$engine: a row of CPU times for each batch" lines 2 \
		"^$engine, cached, batch (1|32) +$num\+$num +$num\+$num +[-0-9.+]+ +$their\$"
	grep -q '^skip: O_DIRECT' out || check "$engine: a row of each with O_DIRECT" \
		lines 2 "^$engine, O_DIRECT +$num"
done
check 'what keeping the slowest costs' lines 1 \
	"^counting an I/O: $num ns, without the comparison $num ns: [-+]$num ns, [-+]$num% of"
check 'many jobs' lines 1 "^20 jobs for 1 s: $num s; as many bare processes: $num s; -?$num s more$"
check 'their memory' lines 1 "^20 jobs in mid-run: $num MiB in 21 processes$"
check 'many files' lines 2 "^fio-like: 100 files .*, 409600 of 409600 bytes$"
check 'a large file' lines 1 "^1 TiB, 2000 random reads of 4 KiB: [1-9].* MiB in a process$"
check 'whole passes' lines 1 '^[1-9][0-9]* whole passes, [1-9][0-9]* draws: 0 repeated$'
check 'part of a large pass' lines 1 '^2147483648 blocks, 100000 draws: 0 repeated, .* ns each$'
check 'a file for every I/O' lines 1 \
	"^300 files, opened one by one .*: $num thousand per second; bare: $num; $num of it$"
if grep -q '^skip: libpmem' out; then
	grep '^skip: libpmem' out
else
	theirs_pmem=$their
	! grep -q '^skip: the arms of fio: it has no engine libpmem' out || theirs_pmem=-
	check 'persistent memory: a row for each of three' lines 3 \
		"^(reads|writes, direct=[01]) +$num +$num +$theirs_pmem +$num +$theirs_pmem +$theirs_pmem\$"
fi
for arm in 'no log' logged; do
	check "logs: a row, $arm" lines 1 "^$arm +$num +$num +[1-9][0-9]*\$"
done
check 'logs: the floor' lines 1 "^write.2. of the same bytes +$num +$num\$"
check 'logs: what is added' lines 1 "^added, by that +-?$num +-?$num\$"
check 'results of many jobs' lines 1 \
	"^20 jobs as one: merged in $num s; apart: merged in $num s, json\+ of $num MiB written"
check 'making data: a row for each of eight' lines 8 \
	"^(refill|compress|pattern|dedupe|set|both)-[0-9]+k +$num +$their +$their\$"
check 'the counts' lines 9 '^0 passed, 0 failed$'
check 'nothing is left behind' [ -z "$(ls -d fio-like-bench-* 2>/dev/null)" ]

# As the job does: 156 whole records of 40,000 bytes, three times.
head -c 40000 /dev/zero >small
for way in plain library user mmap none; do
	check "$way reads all records" sh -c \
		"'$BUILDDIR/t/bench/fread' $way small 3 | grep ' 468 records'"
done

[ $failed = 0 ] || cat out
echo "$passed passed, $failed failed"
[ $failed = 0 ]
