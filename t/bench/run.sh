#!/bin/sh
# SPDX-License-Identifier: MIT
#
# All benchmarks: the bare programs that the jobs on buffered reading and on seeking are compared
# with, which only tell; and those that judge: what the runner costs (overhead.sh), also with
# requests in flight (async.sh), and large numbers of everything (scale.sh). 'make bench' calls it
# with the environment that tests have; each of the three names what can be set besides.
#
#	BENCH_PASSES	passes over the small file (10000)
#	BENCH_SEEKS	seeks (200000)

set -eu
: "${SRCDIR:?}" "${BUILDDIR:?}"
bench=$BUILDDIR/t/bench

dir=$(mktemp -d "${BENCH_DIR:-/var/tmp}/fio-like-bench-XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

head -c 40000 /dev/urandom >"$dir/small"
echo '256-byte records of a file of 40,000 bytes, opened for every pass'
for way in plain library user mmap none; do
	"$bench/fread" $way "$dir/small" "${BENCH_PASSES:-10000}"
done
echo

head -c 4194304 /dev/urandom >"$dir/large"
echo 'fseek to random bytes of the first 4,000,000, by size of the buffer'
for bytes in 4096 16384 65536 131072 library; do
	"$bench/seek" $bytes "$dir/large" "${BENCH_SEEKS:-200000}"
done
echo

# Each ends with its own count; one that misses a bar does not keep the others from running.
status=0
for name in overhead async scale; do
	sh "$SRCDIR/t/bench/$name.sh" || status=1
	echo
done
exit $status
