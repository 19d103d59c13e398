#!/bin/sh
# SPDX-License-Identifier: MIT
#
# keydiff.sh A B - the keys, with their types, that JSON document A has and B lacks.
#
# Elements of arrays stand for one another, and so do the members of what is a map rather than a
# record (percentile, bins). Prints one key a line; status 0 if there are none, 1 if there are, 2 on
# wrong usage or when a document is not valid. $TOOLS says where jsonq is.
set -u

[ $# -eq 2 ] || { echo 'usage: keydiff.sh A B' >&2; exit 2; }
jsonq=${TOOLS:-$(dirname "$0")}/jsonq
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

keys() { # keys FILE - its normalised keys, sorted
	"$jsonq" --keys "$1" >"$tmp/keys" || exit 2
	sed 's/\[[0-9][0-9]*\]/[]/g
		s/\.\(percentile\|bins\)\(\["[^"]*"\]\|\.[^ ]*\)/.\1[*]/' "$tmp/keys" |
		LC_ALL=C sort -u
}

keys "$1" >"$tmp/a"
keys "$2" >"$tmp/b"
LC_ALL=C comm -23 "$tmp/a" "$tmp/b" >"$tmp/lacking"
cat "$tmp/lacking"
[ ! -s "$tmp/lacking" ]
