# SPDX-License-Identifier: MIT
#
# What option cases may use, sourced by cases.sh in front of each of them; README.md lists it. The
# first check that does not hold ends the case.

fail() { # fail SENTENCE
	echo "$*" >&2
	exit 1
}

skip() { # skip REASON - this case cannot run here
	echo "$*" >reason
	exit 77
}

# ---- Running it ----------------------------------------------------------------------------------

start() { # start ARGUMENT... - status, and the files out, err and doc (the JSON document alone)
	status=0
	timeout -k 2 20 "$PROG" "$@" --output-format=json >out 2>err || status=$?
	sed -n '/^{/,$p' out >doc
}

run() { # run ARGUMENT... - must succeed
	start "$@"
	[ "$status" = 0 ] || { cat err out >&2; fail "status $status of: $*"; }
}

fails() { # fails ARGUMENT... - must be refused or fail, and not by a crash or a hang
	start "$@"
	[ "$status" != 0 ] || fail "did not fail: $*"
	[ "$status" -lt 124 ] || fail "status $status of: $*"
}

normal() { # normal ARGUMENT... - must succeed; its text for people is in out
	status=0
	timeout -k 2 20 "$PROG" "$@" >out 2>err || status=$?
	[ "$status" = 0 ] || { cat err out >&2; fail "status $status of: $*"; }
}

# trace CALLS ARGUMENT... - run under strace -f -e trace=CALLS; what it saw is in calls. $raw are
# calls whose arguments are to be shown as numbers.
trace() {
	command -v strace >/dev/null || skip 'strace is not installed'
	status=0
	names=$1
	shift
	export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"	# it does not work under strace
	timeout -k 2 30 strace -f -qq -y -o calls -e trace="$names" ${raw:+-e raw="$raw"} \
		"$PROG" \
		"$@" --output-format=json >out 2>err || status=$?
	sed -n '/^{/,$p' out >doc
	[ "$status" = 0 ] || { cat err out >&2; fail "status $status of: $*"; }
}

# sqes ARGUMENT... - run, must succeed; the requests it handed to io_uring are in sqes, a line each,
# as the kernel's trace has them: 'opcode READ, flags 0x10'. Skips without root and that trace.
sqes() {
	as_root
	unshare -m sh -c '
		mount -t tracefs none /sys/kernel/tracing &&
			[ -e /sys/kernel/tracing/events/io_uring/io_uring_submit_req ]' 2>/dev/null ||
		skip 'the kernel has no trace of io_uring'
	status=0
	unshare -m sh -e -c '
		mount -t tracefs none /sys/kernel/tracing
		t=/sys/kernel/tracing/instances/option-case-$$
		mkdir "$t"
		trap "rmdir $t" EXIT
		echo 1 >"$t/options/event-fork"
		echo 1 >"$t/events/io_uring/io_uring_submit_req/enable"
		sh -e -c "echo \$\$ >$t/set_event_pid; exec \"\$@\"" sh "$@" >out 2>err
		grep -o "opcode.*" "$t/trace" >sqes
	' sh timeout -k 2 20 "$PROG" "$@" --output-format=json || status=$?
	sed -n '/^{/,$p' out >doc
	[ "$status" = 0 ] || { cat err out >&2; fail "status $status of: $*"; }
}

took() { # took COMMAND... - the command's milliseconds are in $ms
	from=$(date +%s%N)
	"$@"
	ms=$((($(date +%s%N) - from) / 1000000))
}

order() { # order ARGUMENT... - run; the I/Os in order, as 'r 4096 OFFSET' lines, are in ios
	run "$@" --write_lat_log=order --log_offset=1
	awk -F ', *' '{ split("r w t", d, " "); print d[$3 + 1], $4, $5 }' order_lat.1.log >ios
	rm order_*
}

# ---- Asking what happened ------------------------------------------------------------------------

json() { # json PATH... - of the document
	"$TOOLS/jsonq" doc "$@"
}

job() { # job PATH - of the first job
	"$TOOLS/jsonq" doc "jobs[0].$1"
}

jobs() { # how many there are in the document
	"$TOOLS/jsonq" --len doc jobs
}

ios() { # ios [read|write|trim] - I/Os of the first job
	job "${1:-read}.total_ios"
}

moved() { # moved [read|write|trim] - bytes of the first job
	job "${1:-read}.io_bytes"
}

calls() { # calls PATTERN - lines of the trace that match an extended regular expression
	grep -c -E -e "$1" calls || :
}

bytes() { # bytes FILE - its size
	stat -c %s "$1"
}

blocks() { # blocks FILE - 512-byte blocks it occupies
	stat -c %b "$1"
}

files() { # files [PATTERN] - how many there are
	find . -type f -name "${1:-*.*.*}" | wc -l
}

same_bytes() { # same_bytes FILE FILE
	cmp -s "$1" "$2"
}

differ() { # differ FILE FILE
	! cmp -s "$1" "$2" || fail "$1 and $2 are the same"
}

hexes() { # hexes FILE OFFSET COUNT - bytes as hexadecimal digits
	od -A n -t x1 -v -j "$2" -N "$3" "$1" | tr -d ' \n'
}

# ---- Checks --------------------------------------------------------------------------------------

is() { # is GOT WANTED
	[ $# = 2 ] || fail "is: $# values: $*"
	[ "$1" = "$2" ] || fail "'$1' is not '$2'"
}

isnt() { # isnt GOT OTHER
	[ $# = 2 ] || fail "isnt: $# values: $*"
	[ "$1" != "$2" ] || fail "it is '$1'"
}

between() { # between GOT LOW HIGH - whole numbers or fractions
	[ $# = 3 ] || fail "between: $# values: $*"
	awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN { exit !(v != "" && v + 0 >= lo && v + 0 <= hi) }' ||
		fail "'$1' is not in $2..$3"
}

says() { # says PATTERN FILE... - extended regular expression
	grep -q -E -e "$@" || fail "no match of '$1' in $2: $(head -c 500 "$2")"
}

silent() { # silent PATTERN FILE... - no line matches
	! grep -q -E -e "$@" || fail "'$1' in $2: $(grep -E -e "$@" | head -n 3)"
}

# no_sanitizer - skips the case in a build with one, which stands between the program and libc.
no_sanitizer() {
	[ -z "${SANFLAGS-}" ] || skip 'built with a sanitizer'
}

as_root() {
	[ "$(id -u)" = 0 ] || skip 'needs root'
}

device() { # device BYTES - an empty loop device as $DEV, its file as $DISK; gone after the case
	as_root
	command -v losetup >/dev/null || skip 'losetup is not installed'
	DISK=$PWD/disk.img
	truncate -s "$1" "$DISK"
	DEV=$(losetup -f --show "$DISK" 2>/dev/null) || skip 'there are no loop devices'
	# It detaches itself when the last one closes it, which is this shell, however it ends.
	exec 9<"$DEV"
	losetup -d "$DEV"
}

engine() { # engine NAME - works here
	case $SIDE in
	fio) "$PROG" --enghelp="$1" >/dev/null 2>&1 || skip "fio has no engine $1" ;;
	*) "$PROG" --enghelp="$1" 2>/dev/null | grep -q '^  works *yes' || skip "no engine $1 here" ;;
	esac
}
