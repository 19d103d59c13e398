#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The public headers stand alone: each compiles by itself, as C and as C++, with every warning on,
# and a plugin made of nothing but the header links with no symbol left open.

set -eu
warn='-Wall -Wextra -pedantic -Werror'
headers=$(cd "$SRCDIR/include" && ls fio-like/*.h)
# These are for engines that are there only with their library.
without() { # without HEADER OURS
	echo "#include <$1>" | $CC -E -o /dev/null - 2>/dev/null ||
		headers=$(echo "$headers" | grep -v "/$2\$")
}
without liburing.h 'uring\.h'
without libpmem.h 'pmem\.h'

for header in $headers; do
	echo "#include \"$header\"" >alone.c
	echo "#include \"$header\"" >>alone.c
	for std in gnu11 c99; do
		# The others use system headers that want more than bare C99.
		[ $std = c99 ] && [ "$header" != fio-like/engine.h ] && continue
		$CC -std=$std $warn -fsyntax-only -I "$SRCDIR/include" alone.c
	done
done

cat >plugin.c <<'END'
#include "fio-like/engine.h"

static int tiny_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	req->res = (int64_t)req->len;
	return FL_DONE;
}

static struct fl_engine tiny_make(void)
{
	struct fl_engine e = { };

	e.abi_major = FL_ABI_MAJOR;
	e.size = sizeof(e);
	e.name = "tiny";
	e.queue = tiny_queue;
	return e;
}

static const struct fl_engine tiny = TINY;

FL_ENGINE_EXPORT(&tiny);
END
# Only what the header promises may be visible, whatever the compiler's default is.
shows_one_symbol() {
	nm -D --defined-only "$1" | awk '$3 !~ /^_/ { print $3 }' >symbols
	[ "$(cat symbols)" = fl_engines ] || { echo "$1 exports:"; cat symbols; exit 1; }
}
sed '/tiny_make/,/^}/d; s/TINY/{ FL_ENGINE_HEAD, .name = "tiny", .queue = tiny_queue }/' plugin.c \
	>c.c
$CC -std=gnu11 $warn ${SANFLAGS-} -shared -fPIC -fvisibility=hidden -I "$SRCDIR/include" -o c.so c.c
shows_one_symbol c.so

if ! command -v g++ >/dev/null; then
	echo 'g++ is not installed: the headers were compiled as C only'
	exit 77
fi
for header in $headers; do
	for std in c++11 c++20; do
		echo "#include \"$header\"" | g++ -std=$std $warn -fsyntax-only \
			-I "$SRCDIR/include" -x c++ -
	done
done
sed 's/TINY/tiny_make()/' plugin.c >cpp.cc
g++ -std=c++20 $warn -shared -fPIC -fvisibility=hidden -Wl,-z,defs -I "$SRCDIR/include" -o cpp.so \
	cpp.cc
shows_one_symbol cpp.so
