#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The other half of compat.sh, apart from it so that each takes its share of the time: the whole
# workload, ways of running, names and layout.

set -u
COMPAT_PARTS=
for file in "${SRCDIR:?}"/t/compat/*.txt; do
	part=$(basename "$file" .txt)
	case $part in
	amounts | engines | files | jobs | layout) ;;
	*) COMPAT_PARTS="$COMPAT_PARTS $part" ;;
	esac
done
export COMPAT_PARTS
exec sh "$SRCDIR/t/run/compat.sh" "$@"
