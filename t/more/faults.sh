#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fault matrix for one engine of each kind, with shorter stalls; t/long/faults.sh has all.

export FAULT_ENGINES=${FAULT_ENGINES-"psync mmap io_uring"} FAULT_STALL=${FAULT_STALL-3}
exec bash "${SRCDIR:?}/t/faults/matrix.sh" "$@"
