#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh NAME SECONDS - one fuzzer, from its corpus on, in the current directory: what it finds new
# goes to new/NAME, and inputs that break it to found/, which are printed in base64 too. Those that
# read job files and command lines get the words of the program. Prints one line if all went well.
# Needs SRCDIR and BUILDDIR.

set -u
name=$1 seconds=$2
mkdir -p "new/$name" found
set -- "new/$name"
[ -d "$SRCDIR/t/fuzz/corpus/$name" ] && set -- "$@" "$SRCDIR/t/fuzz/corpus/$name"
case $name in
cli | ini | job | spec)
	sh "$SRCDIR/t/fuzz/dictionary.sh" "$BUILDDIR/fio-like" >"$name.words"
	set -- -dict="$name.words" "$@"
	;;
esac
if "$BUILDDIR/t/fuzz/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
	-max_len=8192 -artifact_prefix="found/$name-" "$@" >"$name.log" 2>&1; then
	echo "# $name, $seconds s: $(sed -n 's/^#\([0-9]*\)[ \t]*DONE */\1 executions, /p' "$name.log")"
	exit 0
fi
tail -n 60 "$name.log"
for input in found/"$name"-*; do
	[ -f "$input" ] && echo "input $input:" && base64 "$input"
done
exit 1
