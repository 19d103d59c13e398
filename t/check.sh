#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs tests, two at a time (CHECK_AT_ONCE), and counts. 'make check' calls it with the environment that tests
# may use: FIO_LIKE, SRCDIR, BUILDDIR, TOOLS, CC.
#
#	check.sh KINDS SECONDS [WORD...]
#
# KINDS, joined by commas:	unit	programs t/unit/NAME of the build
#				run, long, soak	scripts t/KIND/NAME.sh of the source tree
#				fuzz	replay of t/fuzz/corpus/NAME by t/replay/NAME
# With words, only tests whose name (as run/layers) contains one of them.
#
# A test is a program that exits 0, or 77 when it cannot run here (its last line says why). Every
# test has a directory of its own, which is its working directory and its TMPDIR, removed
# afterwards. One line per test; a test that counts ('N passed, N failed') adds its count to the
# total. What a failed test printed is shown; of others the lines that begin with '| ', which are
# tables. Scripts whose name begins with 'serial-' run last and alone.
#
# What a sanitizer says of any process of a test, however deep and wherever its output goes, fails
# the test. A test that makes it speak on purpose adds log_path=stderr to its options.
#
# With CHECK_VALGRIND=1 unit tests run under valgrind: an invalid access, a branch on what was never
# written, or memory that nobody can reach any more, in any process, fails the test.

set -u
: "${SRCDIR:?}" "${BUILDDIR:?}"
LC_ALL=C
export LC_ALL

# ---- One test: check.sh --one RESULTS SECONDS KIND/NAME ------------------------------------------

# Prints the numbers of the last 'N passed, N failed[, N skipped]' line of a log.
counts() {
	sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)*$/\1 \2 \4/p' \
		"$1" | tail -n 1
}

# Why a test was skipped: its last line; a unit test names its cases, with a reason each.
skip_reason() {
	why=$(sed -n 's/^ok [0-9]* - \(.*\) # SKIP \(.*\)/\1: \2/p' "$1" | paste -s -d ';')
	[ -n "$why" ] || why=$(grep . "$1" | tail -n 1)
	printf '%s' "$why"
}

run_test() { # in the scratch directory; the exit status is the test's
	kind=${1%%/*}
	name=${1#*/}
	case $kind in
	unit)
		set -- "$BUILDDIR/t/unit/$name"
		# What handlers of faults come back to are registers: they have to be right.
		[ -z "${CHECK_VALGRIND-}" ] || set -- env T_EMULATED=1 T_TIMEOUT="$seconds" \
			valgrind --log-file="$log.memcheck.%p" --error-exitcode=99 \
			--leak-check=full --show-leak-kinds=definite \
			--errors-for-leak-kinds=definite \
			--vex-iropt-register-updates=allregs-at-mem-access "$@"
		;;
	fuzz) set -- "$BUILDDIR/t/replay/$name" "$SRCDIR/t/fuzz/corpus/$name" ;;
	*)
		set -- "$SRCDIR/t/$kind/$name.sh"
		case $(head -n 1 "$1") in
		*bash*) set -- bash "$1" ;;
		*) set -- sh "$1" ;;
		esac
		;;
	esac
	timeout -k 5 "$seconds" "$@" </dev/null
}

# The reports of what looked on: all that a sanitizer has written, and of valgrind those with errors.
reports() {
	find "$results" -name "${log##*/}.said.*" -size +0
	grep -l '^==[0-9]*== ERROR SUMMARY: [1-9]' "$log".memcheck.* 2>/dev/null
}

one() {
	results=$1 seconds=$2 test=$3
	log=$results/$(echo "$test" | tr / .).log
	scratch=$(mktemp -d "$results/scratch-XXXXXX") || exit 1
	if [ -n "${SANFLAGS-}" ]; then
		ASAN_OPTIONS=${ASAN_OPTIONS-}:log_path=$log.said
		TSAN_OPTIONS=${TSAN_OPTIONS-}:log_path=$log.said
		export ASAN_OPTIONS TSAN_OPTIONS
	fi
	start=$(date +%s%N)
	(
		cd "$scratch" && TMPDIR=$scratch && export TMPDIR && run_test "$test"
	) >"$log" 2>&1
	status=$?
	ms=$((($(date +%s%N) - start) / 1000000))
	rm -rf "$scratch"
	set -- $(counts "$log")
	passed=${1-} failed=${2-0} skipped=${3:-0}
	case $status in
	0) [ -n "$passed" ] || passed=1 ;;
	77) [ -n "$passed" ] || skipped=1 ;;
	*) [ "$failed" != 0 ] || failed=1 ;;
	esac
	for report in $(reports); do
		failed=$((failed + 1))
		head -n 60 "$report" >>"$log"
	done
	rm -f "$log".memcheck.*
	passed=${passed:-0}
	echo "$passed $failed $skipped" >"$log.count"
	note=
	word=ok
	[ "$passed" -gt 1 ] && note=", $passed passed"
	[ "$skipped" -gt 0 ] && note="$note, $skipped skipped: $(skip_reason "$log")"
	[ "$passed" = 0 ] && [ "$skipped" -gt 0 ] && word=skip
	if [ "$failed" -gt 0 ]; then
		word=FAILED
		[ "$status" = 124 ] && note="$note, stopped after $seconds s"
		[ "$status" = 137 ] && note="$note, killed"
	fi
	text=$(printf '%-6s %s (%d.%02d s%s)' $word "$test" $((ms / 1000)) \
		$((ms % 1000 / 10)) "$note")
	# One write, so that the lines of two tests do not mix.
	if [ $word = FAILED ]; then
		printf '%s\n%s\n' "$text" "$(tail -n 200 "$log" | sed 's/^/    | /')"
	else
		table=$(sed -n 's/^| /    | /p' "$log")
		printf '%s\n' "$text${table:+
$table}"
	fi
}

if [ "${1-}" = --one ]; then
	shift
	one "$@"
	exit 0
fi

# ---- All of them ---------------------------------------------------------------------------------

kinds=$1
seconds=$2
shift 2
words=$*

wanted() {
	[ -n "$words" ] || return 0
	for word in $words; do
		case $1 in
		*"$word"*) return 0 ;;
		esac
	done
	return 1
}

names() { # the tests of one kind, as KIND/NAME
	case $1 in
	unit) (cd "$SRCDIR/t/unit" 2>/dev/null && ls ./*.c 2>/dev/null) ;;
	fuzz) (cd "$SRCDIR/t/fuzz" 2>/dev/null && ls ./*.c 2>/dev/null | grep -v '/main\.c$') ;;
	*) (cd "$SRCDIR/t/$1" 2>/dev/null && ls ./*.sh 2>/dev/null) ;;
	esac | sed "s,^\./\(.*\)\.[a-z]*\$,$1/\1,"
}

results=$(mktemp -d "${TMPDIR:-/tmp}/fio-like-check-XXXXXX") || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 1' HUP INT TERM
# A test that builds something is not part of the make that runs the tests.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES MAKE_TERMOUT MAKE_TERMERR
unset FL_CONFIGURE_ARGS DESTDIR FIO_LIKE_ENGINE_PATH

for kind in $(echo "$kinds" | tr ',' ' '); do
	for test in $(names "$kind"); do
		wanted "$test" && echo "$test"
	done
done >"$results/tests"

at_once() { # at_once N - run the tests named on standard input
	xargs -r -n 1 -P "$1" sh "$SRCDIR/t/check.sh" --one "$results" "$seconds"
}

grep -v '/serial-' "$results/tests" | at_once "${CHECK_AT_ONCE:-2}"
grep '/serial-' "$results/tests" | at_once 1

# On a machine that others use too, a test of times or signals can fail for their sake. Where asked
# for (CHECK_AGAIN=1), what failed has a second try, alone, and that one counts; the first is shown
# above.
if [ -n "${CHECK_AGAIN-}" ]; then
	while read -r test; do
		count=$results/$(echo "$test" | tr / .).log.count
		[ -f "$count" ] && [ "$(cut -d ' ' -f 2 "$count")" != 0 ] && echo "$test"
	done <"$results/tests" >"$results/again"
	[ ! -s "$results/again" ] || echo "once more, alone: $(tr '\n' ' ' <"$results/again")"
	at_once 1 <"$results/again"
fi

# A test that left no count was killed together with its runner: that is a failure too.
total=$(wc -l <"$results/tests")
counted=$(find "$results" -name '*.count' | wc -l)
find "$results" -name '*.count' -exec cat {} + | awk -v lost=$((total - counted)) '
	{ passed += $1; failed += $2; skipped += $3 }
	END {
		failed += lost
		printf "%d passed, %d failed", passed, failed
		if (skipped)
			printf ", %d skipped", skipped
		printf "\n"
		exit failed > 0
	}'
