#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fault matrix, t/faults/matrix.sh, in full.

exec bash "${SRCDIR:?}/t/faults/matrix.sh" "$@"
