#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fuzzers of t/fuzz, under ASan and UBSan by libFuzzer, one after the other. FUZZ_SECONDS: so long
# each (20 minutes). An input that breaks one is printed in base64.

set -u
seconds=${FUZZ_SECONDS:-1200}
grep -q '^FUZZ_CC := .' "$BUILDDIR/config.mk" || {
	echo 'no clang with libFuzzer was found by configure'
	exit 77
}
make -C "$BUILDDIR" -j2 fuzz >log 2>&1 || { tail -n 20 log; exit 1; }

passed=0 failed=0
for name in $(cd "$SRCDIR/t/fuzz" && ls ./*.c | sed 's,^\./,,; s,\.c$,,' | grep -v '^main$'); do
	if sh "$SRCDIR/t/fuzz/run.sh" "$name" "$seconds"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $name"
	fi
done
echo "$passed passed, $failed failed"
exit $((failed > 0))
