#!/bin/sh
# SPDX-License-Identifier: MIT
#
# All benchmarks: jobs on buffered reading and on seeking beside bare programs that do the same
# (stories.sh), what the runner costs (overhead.sh), also with requests in flight (async.sh), large
# numbers of everything (scale.sh), results of many jobs (results.sh), persistent memory (pmem.sh),
# logs (logs.sh), what verifying costs (verify.sh), and making data that compresses and repeats
# (content.sh). 'make bench' calls it with the environment that tests have; each of the nine names
# what can be set besides.

set -eu
: "${SRCDIR:?}" "${BUILDDIR:?}"

# Each ends with its own count; one that misses a bar does not keep the others from running.
status=0
for name in stories overhead async scale results pmem logs verify content; do
	sh "$SRCDIR/t/bench/$name.sh" || status=1
	echo
done
# What keeping the slowest I/Os costs: so many turns with and without.
"$BUILDDIR/t/bench/slow" "${BENCH_TURNS:-501}" || status=1
exit $status
