#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Ten thousand jobs, a million files, a file of 8 TiB, 65536 I/Os in flight, 10^9 of them, eight
# hours and fifty days by a fast clock: all that is told of them is complete and true, in bounded
# memory. The table at the end tells what each took, beside FIO (fio) where that is installed.

. "$SRCDIR/t/shell.sh"
theirs=yes
. "$SRCDIR/t/scale.sh"

scale_clones threads "${SCALE_THREADS:-10000}"
scale_clones processes "${SCALE_PROCESSES:-2000}"
scale_sections threads "${SCALE_THREADS:-10000}"
scale_sections processes "${SCALE_PROCESSES:-2000}"
scale_files "${SCALE_FILES:-1000000}"
scale_sparse 8 200000 /dev/shm
scale_sparse 8 200000 .
scale_depth 10000000
scale_counts "${SCALE_IOS:-1000000000}"
scale_hours 8 480 10000
scale_hours 1200 43200 3600000
scale_steady 480
scale_table
finish
