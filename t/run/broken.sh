#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Ten engines that break one rule each, and one that breaks none: --engine-test finds each of them
# out and names the rule, in words that its author would understand. What is not broken passes.

. "$SRCDIR/t/shell.sh"

broken() { # broken ENGINE WORDS-OF-THE-RULE WHAT-WAS-SEEN [OPTION...]
	local engine=$1 rule=$2 seen=$3
	shift 3
	$CC -shared -fPIC -Wall -Wextra -Werror ${SANFLAGS-} -I "$SRCDIR/include" \
		"$SRCDIR/t/broken/$engine.c" -o "$engine.so" || { not_ok "$engine: build"; return; }
	run "$fio" --engine-test "./$engine.so" "$@"
	same "$engine: exit status" "$status" 1
	says "$engine: the rule" "^#   the rule: .*$rule" out
	says "$engine: what was seen" "^#   but here: .*$seen" out
	says "$engine: the last line" '^[0-9]* passed, [1-9][0-9]* failed, [0-9]* skipped$' out
	says "$engine: what is not broken passes" '^ok ' out
	check "$engine: nothing on stderr" [ ! -s err ]
}

broken loses 'comes back exactly once' 'did not come back within 5 s: the one of slot .* was lost' \
	--only=once
broken twice 'comes back exactly once' 'handed back request .*, which was not in flight'
broken positive 'an error is res = -errno, never errno' 'errno EBADF without its minus'
broken greedy 'complete() hands back at most max' 'returned [0-9]* requests where at most 1 were'
broken sleeper 'complete() waits at most timeout_ns' 'a timeout of 1 ms returned after [0-9]* ms'
broken miscounts 'res is the number of bytes moved' \
	'reading 1 bytes at 512: res should be 1 and is 0'
broken corrupts 'a read brings the bytes of its offset' 'should be 0x.., as it was written, but 0x'
# What a sanitizer says of it is no fault of this test.
ASAN_OPTIONS=${ASAN_OPTIONS-}:log_path=$PWD/leaks.said broken leaks 'close() gives back all that open() took' 'not freed'
broken touches 'not touched afterwards' 'after the request had been handed back'
broken crashes 'a hook neither crashes nor hangs' 'the engine crashed in close()'

$CC -shared -fPIC ${SANFLAGS-} -I "$SRCDIR/include" "$SRCDIR/t/broken/honest.c" -o honest.so
run "$fio" --engine-test ./honest.so
same 'honest: exit status' "$status" 0
says 'honest: nothing failed' '^[0-9]* passed, 0 failed, ' out

# ---- The flags -----------------------------------------------------------------------------------

run "$fio" --engine-test=./honest.so --depth=3 --filename="$PWD/target" --only=byte
same 'with a target that is not there: exit status' "$status" 0
says 'with a target that is not there' '^ok 2 - honest: byte counts$' out
check 'it is gone afterwards' [ ! -e target ]
head -c 100 /dev/zero >short
run "$fio" --engine-test ./honest.so --filename short --only 'byte counts'
says 'a target that is too short' "SKIP 'short' has 100 bytes; 1048576 are needed" out
run "$fio" --engine-test null --opts=null_delay=2s:null_dela=1
same 'a wrong option: exit status' "$status" 1
says 'a wrong option' "engine 'null' has no option 'null_dela'" out
run "$fio" --engine-test ./nothing.so
says 'no such plugin' 'cannot read the engine ./nothing.so' out
refused() { # refused WHAT PATTERN ARGUMENT...
	local what=$1 pattern=$2
	shift 2
	run "$fio" "$@"
	same "$what: exit status" "$status" 1
	says "$what" "$pattern" err
}
refused 'a job beside it' 'runs no job, and --name begins one' --engine-test=null --name=a
refused 'a job file beside it' "takes no job file: 'a.fio'" --engine-test=null a.fio
refused 'an option of jobs' '--bs=4k: error: --engine-test runs no job' --engine-test=null --bs=4k
refused '--depth without it' 'there is no --engine-test' --depth=3 --name=a
refused '--depth=0' 'command line: --depth=0: error' --engine-test=null --depth=0

finish
