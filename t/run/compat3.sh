#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A part of compat.sh, apart from it so that each takes its share of the time: names and layout.

set -u
COMPAT_PARTS=layout
export COMPAT_PARTS
exec sh "${SRCDIR:?}/t/run/compat.sh" "$@"
