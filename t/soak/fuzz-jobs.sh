#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Job files and command lines that mix real options, run by a program built with ASan and UBSan; see
# t/tools/fuzzjobs.c. FUZZ_SECONDS: for so long (an hour). FUZZ_SEED: the first seed, else another
# each time; the seed of each case that fails is printed. FUZZ_PROGRAM: a program built that way.

set -u
seconds=${FUZZ_SECONDS:-3600}
seed=${FUZZ_SEED:-$(date +%s)000000}

program=${FUZZ_PROGRAM:-}
if [ -z "$program" ]; then
	mkdir san
	(cd san && "$SRCDIR/configure" --enable-asan --enable-ubsan CFLAGS='-O1 -g' && make -j2 all) \
		>log 2>&1 || {
		tail -n 20 log
		echo 'no build with --enable-asan here'
		exit 77
	}
	program=$PWD/san/fio-like
fi

# What runs as root does it as nobody, who has to get at the program.
chmod a+rx "$(dirname "$program")" .. . 2>/dev/null

export ASAN_OPTIONS=abort_on_error=1:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
exec "$TOOLS/fuzzjobs" --engines="$BUILDDIR/engines" --seed="$seed" --seconds="$seconds" "$program"
