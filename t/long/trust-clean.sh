#!/bin/bash
# SPDX-License-Identifier: MIT
# 200 runs in which all is well: none may have a finding. See t/run/trust-clean.sh.
RUNS=200
. "$SRCDIR/t/run/trust-clean.sh"
