#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fuzzers of t/fuzz, under ASan and UBSan by libFuzzer, each from its corpus on. FUZZ_SECONDS: so
# long for all of them together (an hour). An input that breaks one is printed in base64.

set -u
seconds=${FUZZ_SECONDS:-3600}
grep -q '^FUZZ_CC := .' "$BUILDDIR/config.mk" || {
	echo 'no clang with libFuzzer was found by configure'
	exit 77
}
make -C "$BUILDDIR" -j2 fuzz >log 2>&1 || { tail -n 20 log; exit 1; }

names=$(cd "$SRCDIR/t/fuzz" && ls ./*.c | sed 's,^\./,,; s,\.c$,,' | grep -v '^main$')
each=$((seconds / $(echo "$names" | wc -w) + 1))
passed=0 failed=0
for name in $names; do
	mkdir -p "new/$name" found
	if "$BUILDDIR/t/fuzz/$name" -max_total_time=$each -timeout=10 -rss_limit_mb=2048 \
		-max_len=8192 -artifact_prefix="found/$name-" "new/$name" \
		"$SRCDIR/t/fuzz/corpus/$name" >"$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "# $name: $(tail -n 1 "$name.log")"
		continue
	fi
	failed=$((failed + 1))
	echo "not ok: $name"
	tail -n 60 "$name.log"
	for input in found/"$name"-*; do
		[ -f "$input" ] && echo "$input:" && base64 "$input"
	done
done
echo "$passed passed, $failed failed"
exit $((failed > 0))
