#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A hundred workers killed at random moments: no write that had completed is lost, nor one that an
# fsync had promised.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"
. "$SRCDIR/t/verify-kill.sh"

kills 100 "${SEED:-1}"
finish
