# SPDX-License-Identifier: MIT
#
# What the benchmarks that judge have in common; sourced, not run. A round runs each arm once, one
# after the other, and begins with another arm every time; an arm appends its numbers, one line per
# round, to a file of its own. A ratio is the median of the ratios within the rounds, so that a
# machine which grows slower or faster in between moves it little.
#
#	BENCH_DIR	where files are made (/var/tmp)
#	BENCH_ROUNDS	rounds (11)		BENCH_MS	length of one arm (1000)
#	BENCH_JUDGE	yes (default): every bar passes or fails; no: the tables alone
#	FIO		the other program (fio); without it only the floor is compared with

LC_ALL=C
export LC_ALL
: "${FIO_LIKE:?}" "${BUILDDIR:?}" "${TOOLS:?}"
rounds=${BENCH_ROUNDS:-11} ms=${BENCH_MS:-1000} judge=${BENCH_JUDGE:-yes}
seconds=$(awk "BEGIN { print $ms / 1000 }")
fio=$(command -v "${FIO:-fio}" || true)
arms='floor fio-like fio'
passed=0 failed=0

dir=$(mktemp -d "${BENCH_DIR:-/var/tmp}/fio-like-bench-XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

if [ -z "$fio" ]; then
	arms='floor fio-like'
	echo 'skip: the arms of fio: it is not installed'
fi

next_arms() { # another one begins
	arms="${arms#* } ${arms%% *}"
}

# in_rounds COMMAND WORK...: `COMMAND ARM WORK` for each of them, round after round
in_rounds() {
	command=$1 round=0
	shift
	while [ $round -lt "$rounds" ]; do
		for work; do
			for arm in $arms; do
				"$command" "$arm" "$work"
			done
		done
		next_arms
		round=$((round + 1))
	done
}

make_file() { # make_file NAME MIB: of random bytes
	dd if=/dev/urandom of="$1" bs=1M count="$2" 2>"$dir/said" || { cat "$dir/said"; exit 1; }
	sync "$1"
}

# Pages that nobody has used for a while may have been taken back, so every arm reads all of them.
warm() { # warm FILE
	cat "$1" >/dev/null
}

run_quietly() { # run_quietly COMMAND...: what it says is shown if it fails
	"$@" >"$dir/said" 2>&1 || { cat "$dir/said" >&2; exit 1; }
}

machine() {
	echo "$(uname -m), Linux $(uname -r), $("$FIO_LIKE" --version)${fio:+, $("$fio" --version)}"
}

# ---- Numbers ----------------------------------------------------------------------------------

median() { # median FACTOR FORMAT: of standard input
	sort -n | awk -v factor="$1" -v format="$2" '
		{ v[NR] = $1 }
		END { printf format, factor * (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

middle() { # middle WORK ARM COLUMN FACTOR FORMAT: the median of a column, "-" without numbers
	[ -f "$dir/$1.$2" ] || { printf -- -; return; }
	awk -v c="$3" '{ print $c }' "$dir/$1.$2" | median "$4" "$5"
}

rate() { # rate WORK ARM: thousands of I/Os per second
	middle "$1" "$2" 1 0.001 '%.0f'
}

ratio() { # ratio WORK ARM BASE
	[ -f "$dir/$1.$2" ] && [ -f "$dir/$1.$3" ] || { printf -- -; return; }
	paste "$dir/$1.$2" "$dir/$1.$3" |
		awk '{ print($(NF / 2 + 1) > 0 ? $1 / $(NF / 2 + 1) : 0) }' |
		median 1 '%.3f'
}

# User time is looked at by a timer: one round has too few looks for a ratio of its own.
user_ratio() { # user_ratio WORK ARM BASE: of the means of all rounds
	[ -f "$dir/$1.$2" ] && [ -f "$dir/$1.$3" ] || { printf -- -; return; }
	paste "$dir/$1.$2" "$dir/$1.$3" |
		awk '{ ours += $2; base += $(NF / 2 + 2) }
			END { printf("%.3f", base > 0 ? ours / base : 0) }'
}

mean() { # mean WORK ARM COLUMN, "-" without numbers
	[ -f "$dir/$1.$2" ] || { printf -- -; return; }
	awk -v c="$3" '{ sum += $c } END { printf "%.0f", sum / NR }' "$dir/$1.$2"
}

bar() { # bar WHAT VALUE at-least|below|at-most LIMIT
	[ "$judge" = yes ] || return 0
	[ "$2" != - ] || { echo "skip: $1: there is no fio to compare with"; return 0; }
	if awk -v v="$2" -v how="$3" -v limit="$4" 'BEGIN {
		exit !(how == "below" ? v < limit : how == "at-most" ? v <= limit : v >= limit)
	}'
	then
		passed=$((passed + 1))
		echo "ok: $1: $2, $3 $4"
	else
		failed=$((failed + 1))
		echo "MISSED: $1: $2 is not $3 $4"
	fi
}

finish() { # the count, and the exit status
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
