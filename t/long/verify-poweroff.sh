#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Twenty power failures of a virtual machine whose disks have volatile caches; see
# t/verify-poweroff.sh.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"
. "$SRCDIR/t/verify-poweroff.sh"

power_offs "${POWEROFFS:-20}" "${SEED:-1}"
finish
