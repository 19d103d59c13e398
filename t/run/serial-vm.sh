#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The virtual machine boots, and what only it has works: device DAX by the contract suite, and queues
# that are polled. The rest is for .ci/run and check-long (t/vm/smoke.sh, t/long/vm.sh).

if [ -n "${SANFLAGS-}" ]; then
	echo 'built with a sanitizer: the machine is emulated, and slow enough without'
	exit 77
fi
exec bash "$SRCDIR/t/vm/run.sh" --timeout=110 --env=ONLY=dev-dax "$SRCDIR/t/vm/in/hipri.sh" \
	"$SRCDIR/t/vm/in/contract.sh"
