#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What reads the source without running it: clang-tidy (.clang-tidy says which checks and why) and
# cppcheck (t/cppcheck.txt). Files named as arguments, from the top of the source, are read instead
# of all. Two files at a time.

set -u
cd "${SRCDIR:?}" || exit 1
passed=0 failed=0 skipped=0

files=("$@")
if [ $# = 0 ]; then
	files=(lib/*.c os/*.c core/*.c main.c examples/engines/*.c)
	absent=$(sed -n 's/^ENGINES_ABSENT := *//p' "${BUILDDIR:?}/config.mk")
	for engine in engines/*.c; do
		case " $absent " in
		*" $(basename "$engine" .c) "*)
			echo "skipped: $engine was not built, its library is not here"
			skipped=$((skipped + 1))
			;;
		*) files+=("$engine") ;;
		esac
	done
fi
flags=(-std=gnu11 -I"${BUILDDIR:?}" -I. -Iinclude)
log=$(mktemp -d "${TMPDIR:-/tmp}/fio-like-lint-XXXXXX") || exit 1
trap 'rm -rf "$log"' EXIT

# judge NAME HOW-MANY - what a tool said is in $log/NAME; nothing is right.
judge() {
	if [ -s "$log/$1" ]; then
		cat "$log/$1"
		failed=$((failed + $(grep -c '' "$log/$1")))
		echo "not ok: $1"
	else
		passed=$((passed + $2))
		echo "ok: $1, $2 files"
	fi
}

if command -v clang-tidy >/dev/null; then
	printf '%s\n' "${files[@]}" | xargs -P 2 -n 8 bash -c \
		'clang-tidy --quiet "$@" -- '"${flags[*]@Q}"' 2>&1' _ >"$log/full"
	status=$?
	grep -E ': (error|warning): ' "$log/full" | sort -u >"$log/clang-tidy"
	# without a remark it has failed for a reason of its own
	[ $status = 0 ] || [ -s "$log/clang-tidy" ] ||
		{ tail -n 20 "$log/full"; echo "clang-tidy: status $status"; } >"$log/clang-tidy"
	judge clang-tidy ${#files[@]}
else
	echo 'skipped: clang-tidy is not installed (./configure --install-deps=vm brings it)'
	skipped=$((skipped + 1))
fi
if command -v cppcheck >/dev/null; then
	cppcheck --quiet -j 2 --std=c11 "${flags[@]:1}" --enable=warning,performance,portability \
		--suppressions-list=t/cppcheck.txt --template='{file}:{line}: {id}: {message}' \
		"${files[@]}" >>"$log/cppcheck" 2>&1 || echo "cppcheck ends with $?" >>"$log/cppcheck"
	judge cppcheck ${#files[@]}
else
	echo 'skipped: cppcheck is not installed (./configure --install-deps=vm brings it)'
	skipped=$((skipped + 1))
fi

printf '%d passed, %d failed' "$passed" "$failed"
[ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
printf '\n'
[ "$failed" = 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 77
