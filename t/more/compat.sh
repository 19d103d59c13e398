#!/bin/sh
# SPDX-License-Identifier: MIT
#
# All cases of t/compat, where t/run/compat.sh runs a share of them.

COMPAT_EVERY=1 exec sh "${SRCDIR:?}/t/run/compat.sh" "$@"
