#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The part of t/vm/in that every change must pass: all of it, with jobs that write in fewer ways.
# The whole is t/long/vm.sh.

. "${SRCDIR:?}/t/vm/all.sh" --env=WAYS='--thread=0 --thread'
