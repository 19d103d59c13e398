#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Two thousand random combinations that write and verify: no false alarm. SEED=n for others.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"

for part in 1 2 3 4 5 6 7 8 9 10; do
	random_runs 200 $((${SEED:-100} + part))
done
finish
