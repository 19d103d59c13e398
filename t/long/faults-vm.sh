#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fault matrix on devices that only a virtual machine has: t/faults/guest.sh.

exec bash "${SRCDIR:?}/t/vm/run.sh" --timeout=880 --each=840 "$SRCDIR/t/faults/in-guest.sh"
