#!/bin/bash
# SPDX-License-Identifier: MIT
#
# All tests that need devices only a virtual machine has: persistent memory, polled queues.

theirs=
! command -v fio >/dev/null || theirs=--with=fio
. "${SRCDIR:?}/t/vm/all.sh" $theirs
