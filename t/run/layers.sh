#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The arrows between the rooms of the source point one way, nothing is longer or wider than it may
# be, and the checker that says so sees it when that is not so.

set -eu
sh "$SRCDIR/t/layers.sh" --strict

mkdir tree && cd tree
mkdir -p lib os core engines include/fio-like
echo '#include "lib/b.h"' >lib/a.h
echo '#include "lib/a.h"' >lib/b.c
: >lib/b.h
echo '#include "core/up.h"' >os/up.c
: >core/up.h
echo '#include "lib/a.h"' >engines/null.c
: >include/fio-like/engine.h
echo '#include "nowhere.h"' >core/lost.c
seq 801 | sed 's/.*/;/' >core/long.c
if find . -name '*.[ch]' | sed 's,^\./,,' | sort | "$TOOLS/layers" . >out; then
	echo 'the checker found nothing in a tree that breaks every rule'
	exit 1
fi
for want in 'circle of includes: lib/a -> lib/b -> lib/a' 'os/up.c:1: error' \
	'engines/null.c:1: error: must not' 'engines/null.c:1: error: this engine' \
	'core/lost.c:1: error' 'core/long.c:801: error'; do
	grep -q -- "$want" out || { echo "the checker missed: $want"; cat out; exit 1; }
done
