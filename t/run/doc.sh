#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The generated parts of the manual are what the tables say today, the man page is free of troff
# errors, and no paper points to a file that is not there.

set -eu
status=0

absent=$(sed -n 's/^ENGINES_ABSENT *:= *//p' "$BUILDDIR/config.mk")
gen() {
	"$TOOLS/gendoc" --engines="$BUILDDIR/engines" "$@"
}

for paper in options.md fio-like.1; do
	[ -z "$absent" ] || continue
	case $paper in
	options.md) gen options "$SRCDIR/t/options" >new ;;
	fio-like.1) gen man "$SRCDIR/doc/fio-like.1.in" >new ;;
	esac
	if ! diff -u "$SRCDIR/doc/$paper" new >diff; then
		echo "doc/$paper is stale: run 'make doc'"
		head -40 diff
		status=1
	fi
done

# Whoever adds an option adds a case: t/options/README.md.
if [ -z "$absent" ] && grep '\*\*no case\*\*' "$SRCDIR/doc/options.md" >untested; then
	echo 'these options have no case in t/options:'
	cut -c 1-60 untested
	status=1
fi

if command -v groff >/dev/null; then
	groff -man -Tascii -wall "$SRCDIR/doc/fio-like.1" 2>complaints >/dev/null
	if [ -s complaints ]; then
		echo 'doc/fio-like.1:'
		head complaints
		status=1
	fi
fi

# Two lines longer than mandoc's taste are nobody's loss; what it calls a warning is.
if command -v mandoc >/dev/null; then
	if ! mandoc -Tlint -Wwarning "$SRCDIR/doc/fio-like.1" >complaints; then
		head complaints
		status=1
	fi
fi

# [text](target) of every paper; targets outside of the tree and places within a page are skipped.
for paper in "$SRCDIR"/*.md "$SRCDIR"/doc/*.md "$SRCDIR"/examples/*.md; do
	[ -f "$paper" ] || continue
	targets=$(grep -o "](\([^)#]*\)" "$paper" | sed "s/^](//" | grep -v "^https\{0,1\}:") ||
		continue
	for target in $targets; do
		[ -e "$(dirname "$paper")/$target" ] || {
			echo "$paper points to $target, which is not there"
			status=1
		}
	done
done

# Job files shown in the papers are good ones.
for paper in "$SRCDIR"/README.md "$SRCDIR"/doc/*.md; do
	awk '/^```ini/ { n++; out = sprintf("job%d.ini", n); printf "" >out; next }
	     /^```/ { out = "" }
	     out { print >out }' "$paper"
	for job in job*.ini; do
		[ -f "$job" ] || continue
		"$FIO_LIKE" --parse-only "$job" 2>complaints || {
			echo "$paper: a job file in it is refused:"
			cat "$job" complaints
			status=1
		}
		rm "$job"
	done
done

if [ "$status" = 0 ] && [ -n "$absent" ]; then
	echo "engines that could not be built here would be missing: $absent"
	exit 77
fi
exit $status
