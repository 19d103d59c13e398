#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The contract suite over every engine of the build, at several depths. What an engine cannot do on
# this machine is skipped with its reason.

set -eu
export FIO_LIKE_ENGINE_PATH="$BUILDDIR/engines"
"$TOOLS/contract"
"$TOOLS/contract" --depth=1 --only=once >shallow || { cat shallow; exit 1; }
"$TOOLS/contract" --depth=64 --only=once >deep || { cat deep; exit 1; }
"$TOOLS/contract" --depth=64 --only=complete >deep || { cat deep; exit 1; }
for opts in fixedbufs registerfiles sqthread_poll nonvectored=0 force_async=3 \
	fixedbufs:registerfiles:sqthread_poll hipri; do
	"$TOOLS/contract" io_uring --opts=$opts >uring || [ $? = 77 ] || {
		echo "io_uring with $opts"
		cat uring
		exit 1
	}
done
"$TOOLS/contract" libaio --opts=userspace_reap >libaio || [ $? = 77 ] || { cat libaio; exit 1; }
# With O_DIRECT requests really are in flight, many at once; where it is refused all is skipped.
for engine in io_uring 'io_uring --opts=fixedbufs:registerfiles' 'io_uring --opts=sqthread_poll' \
	libaio 'libaio --opts=userspace_reap' 'libaio --depth=64' psync mmap; do
	"$TOOLS/contract" --direct $engine >direct || [ $? = 77 ] || {
		echo "$engine, direct"
		cat direct
		exit 1
	}
done
"$TOOLS/contract" null --opts=null_reorder=1:null_full_one_in=5:null_delay=50us >null ||
	{ cat null; exit 1; }
