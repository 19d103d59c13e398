#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The part of t/vm/in that every change must pass: all of it, with jobs that write in fewer ways, and
# some cells of the fault matrix. The whole is t/long/vm.sh and t/long/faults-vm.sh.

. "${SRCDIR:?}/t/vm/all.sh" --env=WAYS='--thread=0 --thread' \
	--env=FAULT_ENGINES='psync mmap io_uring dev-dax' \
	--env=FAULT_CELLS='dm_half dm_gone dm_hung dax_gone dax_small dax_truncated' \
	"$SRCDIR/t/faults/in-guest.sh"
