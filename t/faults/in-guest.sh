# SPDX-License-Identifier: MIT
#
# The fault matrix on devices of device-mapper and on persistent memory, in the virtual machine of
# t/vm/run.sh. FAULT_CELLS: only these.

. "$SRCDIR/t/vm/guest.sh"

# What several cells at a time would load at once.
vm_modules dm_mod dm_flakey dm_delay dm_snapshot
vm_null_blk first size=1 memory_backed=1 >/dev/null

export FAULT_SETS=guest FAULT_SLOTS=2 FAULT_STALL=${FAULT_STALL:-5}
everything='sync psync pvsync2 stdio mmap io_uring libaio libpmem dev-dax'
export FAULT_ENGINES=${FAULT_ENGINES:-$everything}
# shellcheck disable=SC2086
exec bash "$SRCDIR/t/faults/matrix.sh" ${FAULT_CELLS-}
