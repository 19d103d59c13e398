#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fault matrix once more with jobs that are threads of one process, for an engine of each kind.

export FAULT_ENGINES=${FAULT_ENGINES-"psync stdio mmap io_uring libaio null"}
export FAULT_STALL=${FAULT_STALL-5} FAULT_THREADS=yes
exec bash "${SRCDIR:?}/t/faults/matrix.sh" "$@"
