#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Sixty random combinations that write and verify: no false alarm. t/soak has thousands.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"

random_runs 60 1
finish
