#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A thousand edits of files behind the program's back; see t/verify-damage.sh.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"
. "$SRCDIR/t/verify-damage.sh"

damages 1000 "${SEED:-1}"
finish
