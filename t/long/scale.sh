#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The cases of t/soak/scale.sh, smaller.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/scale.sh"

scale_clones threads 1500
scale_clones processes 400
scale_sections threads 1500
scale_sections processes 400
scale_files 50000
scale_sparse 8 50000 /dev/shm
scale_depth 300000
scale_counts 100000000
scale_hours 8 4800 60000
scale_hours 1200 288000 28800000
scale_steady 480
scale_table
finish
