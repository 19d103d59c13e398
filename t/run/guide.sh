#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The guide to writing an engine does what it says: its files are compiled and its commands are run,
# as a reader would do it, against an installed header. Engines must pass the test they end with.

. "$SRCDIR/t/shell.sh"

guide=$SRCDIR/doc/engine-writing.md

# ```c blocks are files, named by their first line; ```sh blocks are commands, in their order.
awk '/^```c$/ { code = 1; next }
     /^```sh$/ { cmd = 1; next }
     /^```/ { code = cmd = 0; out = ""; next }
     code == 1 { out = $2; code = 2 }
     code == 2 { print >out }
     cmd { print >"commands" }' "$guide"
check 'the guide has three files' [ "$(echo ./*.c | wc -w)" = 3 ]
check 'the guide has commands' [ "$(grep -c . commands)" -ge 9 ]

mkdir -p bin include
cp -r "$SRCDIR/include/fio-like" include/
printf '#!/bin/sh\nexec "%s" "$@"\n' "$fio" >bin/fio-like
# With the PATH of before: a compiler cache looks there for the compiler, and must not find this.
printf '#!/bin/sh\nPATH="%s" exec %s "$@" -Wall -Wextra -Werror\n' "$PATH" \
	"$(command -v ${CC%% *}) ${SANFLAGS-}" >bin/cc
printf '#!/bin/sh\n[ "$*" = "--cflags fio-like" ] && echo "-I%s"\n' "$PWD/include" >bin/pkg-config
chmod +x bin/*
PATH=$PWD/bin:$PATH

while read -r line; do
	run sh -c "$line"
	if [ "$status" = 0 ]; then ok; else not_ok "$line: status $status" out err; fi
	case $line in
	*--engine-test*)
		says "$line" ', 0 failed, ' out
		check "$line: cases ran" [ "$(grep -c '^ok' out)" -gt 30 ]
		;;
	esac
done <commands

# The rules shown as an example are rules that the test has.
run "$fio" --engine-test ./later.so
grep '^    not ok .* - mine: ' "$guide" | sed 's/.* - mine: //' | while read -r name; do
	grep -q "^ok [0-9]* - later: $name\$" out ||
		echo "the guide shows a case '$name', which is not there"
done >missing
check 'cases that the guide shows are there' [ ! -s missing ]

finish
