# SPDX-License-Identifier: MIT
#
# What whole-program tests share: to be sourced by bash scripts, as in `. "$SRCDIR/t/shell.sh"`.
#
# Each check counts as passed or failed and the script goes on; `finish` prints the count and exits.
# The output of the last run is in the files out and err, its exit status in $status. Nothing here
# changes the current directory, which the runner made for this test alone.

set -u
[ ! . -ef "${SRCDIR:?}" ] || { echo 'start it in a folder of its own: it leaves files behind'; exit 1; }
passed=0
failed=0
fio=${FIO_LIKE:?}
jsonq=${TOOLS:?}/jsonq

ok() { # ok WHAT
	passed=$((passed + 1))
}

not_ok() { # not_ok WHAT [FILE...] - with what is in these files
	local file
	failed=$((failed + 1))
	echo "not ok: $1"
	shift
	for file; do
		[ -s "$file" ] || continue
		echo "  $file:"
		head -c 2000 "$file" | sed 's/^/    /'
		echo
	done
}

check() { # check WHAT COMMAND... - the command says whether it is so
	local what=$1
	shift
	if "$@"; then ok; else not_ok "$what ($*)"; fi
}

same() { # same WHAT GOT WANTED
	if [ "$2" = "$3" ]; then ok; else not_ok "$1: '$2', not '$3'"; fi
}

between() { # between WHAT GOT LOW HIGH - whole numbers or fractions
	if awk -v v="$2" -v lo="$3" -v hi="$4" 'BEGIN { exit !(v != "" && v >= lo && v <= hi) }' \
		</dev/null; then ok; else not_ok "$1: '$2' is not in $3..$4"; fi
}

strace() { # no leak checker works under it
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 command strace "$@"
}

run() { # run COMMAND... - with a limit of 30 s; a result on its stdout must keep our schema
	[ "$1" != strace ] || local -x ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
	status=0
	timeout -k 5 30 "$@" >out 2>err || status=$?
	case $(head -c 2 out) in
	$'{\n' | '{"') keeps_schema "$*" out ;;
	esac
}

run_to() { # run_to STATUS COMMAND... - a run that must end with this status
	local wanted=$1
	shift
	run "$@"
	[ $status = "$wanted" ] || not_ok "status $status, not $wanted, of: $*" err
}

has_engine() { # has_engine NAME - jobs with it run here; that one does not is said
	if timeout -k 5 30 "$fio" --name=probe --ioengine="$1" --size=4k --filename=probe \
		>/dev/null 2>&1; then
		rm -f probe
		return
	fi
	echo "# not here: $1"
	return 1
}

not_on_tmpfs() { # for scripts about the page cache: there its pages are the files
	[ "$(stat -f -c %T .)" = tmpfs ] || return 0
	echo 'this folder is on a tmpfs: its pages are the files'
	exit 77
}

keeps_schema() { # keeps_schema WHAT FILE - every document in it
	if "$TOOLS/valid" "$SRCDIR/doc/result.schema.json" "$2" >violations 2>&1; then ok; else
		not_ok "$1: not what doc/result.schema.json says" violations
	fi
}

says() { # says WHAT PATTERN FILE... - a basic regular expression
	local what=$1 pattern=$2
	shift 2
	if grep -q -e "$pattern" "$@"; then ok; else not_ok "$what: no '$pattern'" "$@"; fi
}

json() { # json FILE PATH - prints the value
	"$jsonq" "$1" "$2"
}

document() { # document WHAT FILE - one JSON document and nothing else
	if [ "$(head -n 1 "$2")" = '{' ] && [ "$(tail -n 1 "$2")" = '}' ] &&
		"$jsonq" "$2" 2>>err; then
		keeps_schema "$1" "$2"
	else
		not_ok "$1: not one document" "$2" err
	fi
}

tsan() { # is the program built with ThreadSanitizer?
	case ${SANFLAGS-} in
	*thread*) ;;
	*) return 1 ;;
	esac
}

soon() { # soon COMMAND... - until the command succeeds; gives up after 10 s
	local turns=500
	until "$@"; do
		[ $((turns -= 1)) -gt 0 ] || return 1
		sleep 0.02
	done
}

gone() { # gone PID... - none of these processes is there, zombies aside
	local pid
	for pid; do
		! grep -q '^State:.[^ZX]' "/proc/$pid/status" 2>/dev/null || return 1
	done
}

children() { # children PID - the processes it started
	cat "/proc/$1/task/"*/children 2>/dev/null
}

finish() {
	echo "$passed passed, $failed failed"
	exit $((failed > 0))
}
