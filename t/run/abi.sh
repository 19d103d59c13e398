#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The engine interface keeps its word. t/abi/engine-VERSION.h is the header of each minor version as
# it was released: a plugin compiled against any of them loads here and keeps the contract. And
# t/abi/layout-VERSION.h says where each member lay: nothing of it may move, in this version or in
# any after it. The check itself is checked with headers in which something did.

. "$SRCDIR/t/shell.sh"

header=$SRCDIR/include/fio-like/engine.h
number() { # number MACRO HEADER
	sed -n "s/^#define $1[[:space:]]*\([0-9]*\)\$/\1/p" "$2"
}
version=$(number FL_ABI_MAJOR "$header").$(number FL_ABI_MINOR "$header")
check "the header of version $version is kept" [ -f "$SRCDIR/t/abi/engine-$version.h" ]

# ---- Plugins of all versions ---------------------------------------------------------------------

for kept in "$SRCDIR"/t/abi/engine-*.h; do
	v=${kept##*/engine-}
	v=${v%.h}
	same "$v: the version it says" \
		"$(number FL_ABI_MAJOR "$kept").$(number FL_ABI_MINOR "$kept")" "$v"
	mkdir -p "inc-$v/fio-like"
	cp "$kept" "inc-$v/fio-like/engine.h"
	check "$v: plugin builds" $CC -shared -fPIC -Wall -Wextra -Werror ${SANFLAGS-} -I "inc-$v" \
		"$SRCDIR/t/abi/kept.c" -o "kept-$v.so"
	run "$fio" --engine-test "./kept-$v.so"
	same "$v: contract" "$status" 0
	says "$v: contract" ' 0 failed' out
	run "$fio" --name=a --ioengine="./kept-$v.so" --rw=randrw --size=256k --iodepth=4 \
		--output-format=json --kept_size=8k --kept_word=first
	same "$v: a job" "$status" 0
	same "$v: its counter" "$(json out 'jobs[0].fio-like.engine.counters.kept_taken')" 64
done

# ---- Nothing moves -------------------------------------------------------------------------------

if [ "$(getconf LONG_BIT)" = 64 ]; then
	cat >layout.c <<'END'
#include <fio-like/engine.h>
#define SIZE(s, n) _Static_assert(sizeof(struct s) >= n, #s " has become smaller");
#define MEMBER(s, m, at, n) \
	_Static_assert(offsetof(struct s, m) == at, #s "." #m " has moved"); \
	_Static_assert(sizeof(((struct s *)0)->m) == n, #s "." #m " has another size");
#define VALUE(name, n) _Static_assert(name == n, #name " means something else now");
#include LAYOUT
END
	lies() { # lies VERSION INCLUDE-DIR - is all where this version has it?
		$CC -std=gnu11 -fsyntax-only -I "$2" "-DLAYOUT=\"$SRCDIR/t/abi/layout-$1.h\"" \
			layout.c 2>why
	}
	for layout in "$SRCDIR"/t/abi/layout-*.h; do
		v=${layout##*/layout-}
		v=${v%.h}
		lies "$v" "$SRCDIR/include" && ok || not_ok "the layout of $v" why
		lies "$v" "inc-$v" && ok || not_ok "the layout of $v in its own header" why
	done

	changed() { # changed SED-SCRIPT - makes new/fio-like/engine.h
		mkdir -p new/fio-like
		sed "$1" "$header" >new/fio-like/engine.h
		! cmp -s "$header" new/fio-like/engine.h
	}
	moves() { # moves WHAT SED-SCRIPT COMPLAINT
		check "$1: a change" changed "$2"
		if lies 1.0 new; then not_ok "$1: not noticed"; else says "$1" "$3" why; fi
	}
	moves 'a member amid others' 's/^\tvoid \*buf;/\tvoid *intruder, *buf;/' \
		'fl_req.buf has moved'
	moves 'a hook amid others' \
		's/^\tint (\*open)(struct fl_queue \*q);/\tint (*early)(void);\n&/' \
		'fl_engine.open has moved'
	moves 'a wider member' 's/^\tuint32_t prio;/\tuint64_t prio;/' \
		'fl_req.prio has another size'
	moves 'a member that is gone' 's/^\tint32_t poll_fd;.*//' 'fl_queue'
	moves 'another number' 's/^\(\tFL_OP_TRIM[[:space:]]*=\) 2/\1 20/' \
		'FL_OP_TRIM means something else now'
	check 'a hook behind all others: a change' changed \
		's/^\t\/\* append only: .*/\tint (*later)(struct fl_queue *q);/'
	lies 1.0 new && ok || not_ok 'a hook behind all others is allowed' why
fi

finish
