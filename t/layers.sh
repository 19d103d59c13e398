#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Hands the sources to t/tools/layers, which knows the rules. --strict: warnings are errors.

set -eu
cd "$SRCDIR"
find include lib os core engines examples main.c -name '*.[ch]' -type f 2>/dev/null | sort |
	"$TOOLS/layers" "$@" "$SRCDIR"
