#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Engines from outside: built by one cc line against installed headers, found by name and by path,
# put through the contract suite. And engines that are broken in one way each: every one of them has
# to end in a sentence that tells its author what is wrong.

set -eu
passed=0
failed=0

check() { # check WHAT EXPECTED-STATUS PATTERN COMMAND...
	what=$1 want=$2 pattern=$3
	shift 3
	status=0
	"$@" >out 2>&1 || status=$?
	if [ $status -eq "$want" ] && grep -q -- "$pattern" out; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $what: status $status, wanted $want and '$pattern'"
		cat out
	fi
}

# ---- Build, out of the tree ----------------------------------------------------------------------

mkdir -p prefix/include engines abi
cp -r "$SRCDIR/include/fio-like" prefix/include/
build() { # build SOURCE SO
	$CC -shared -fPIC ${SANFLAGS-} -Wall -Wextra -Werror -I prefix/include "$1" -o "$2" -pthread
}
cp "$SRCDIR/examples/engines/ram.c" ram.c
build ram.c engines/ram.so
for source in "$SRCDIR"/t/abi/*.c "$SRCDIR/examples/engines/stack.c"; do
	build "$source" "abi/$(basename "$source" .c).so"
done
contract() {
	"$TOOLS/contract" "$@"
}

# ---- Found ---------------------------------------------------------------------------------------

check 'by path' 0 ' 0 failed' contract engines/ram.so
check 'by path, external:' 0 ' 0 failed' contract "external:$PWD/engines/ram.so" --only=byte
check 'with options' 0 ' 0 failed' contract engines/ram.so --opts=ram_size=2m --only=byte
check 'by path and name' 0 'honest: every request' contract abi/liar.so:honest
export FIO_LIKE_ENGINE_PATH="$PWD/nowhere:$PWD/engines"
check 'by name' 0 ' 0 failed' contract ram
export FIO_LIKE_ENGINE_PATH="$PWD/abi"
check 'by name, in a file of another' 0 ' 0 failed' contract honest
unset FIO_LIKE_ENGINE_PATH
check 'not in the current directory' 1 'write ./ram.so or external:ram.so' contract ram.so
cp engines/ram.so ram.so
for path in "" : :: nowhere::; do
	FIO_LIKE_ENGINE_PATH=$path check "nor by an empty part of $path" 1 \
		"no engine is called .ram." contract ram
done
rm ram.so
cp engines/ram.so mine.so
check 'external: with a bare name' 0 ' 0 failed' contract external:mine.so --only=byte
check 'no such file' 1 'cannot read the engine ./none.so' contract ./none.so
check 'no such engine' 1 "did you mean 'psync'" contract psnyc
check 'an engine of fio' 1 "fio engine 'rbd' is not supported by fio-like yet" contract rbd
check 'an option it has not' 1 "engine 'ram' has no option 'size'" contract ./mine.so --opts=size=1

# ---- Other versions ------------------------------------------------------------------------------

check 'older minor version' 0 ' 0 failed' contract abi/old_minor.so
check 'newer minor version' 0 ' 0 failed' contract abi/new_minor.so --opts=speed=7:other=2
check 'other major version' 1 'version 2 of the engine interface, and this fio-like has version 1' \
	contract abi/other_major.so

# ---- Other shapes --------------------------------------------------------------------------------

check 'stacked, synchronous below' 0 ' 0 failed' contract abi/stack.so
check 'stacked, asynchronous below' 0 ' 0 failed' contract abi/stack.so --opts=stack_below=vsync
check 'stacked twice' 0 ' 0 failed' contract abi/stack.so --only=byte \
	"--opts=stack_below=abi/stack.so:stack_opts=stack_below=mmap"
check 'stacked on nothing' 1 "no engine is called 'nothing'" contract abi/stack.so \
	--opts=stack_below=nothing
check 'stacked for ever' 1 'more than 8 engines on top of each other' contract abi/stack.so \
	--only=byte "--opts=stack_below=abi/stack.so:stack_opts=$(
		o=stack_below=psync
		for i in 1 2 3 4 5 6 7; do
			o="stack_below=abi/stack.so:stack_opts=$o"
			o=$(printf '%s' "$o" | sed 's/[\\:]/\\&/g')
		done
		printf '%s' "$o")"

# ---- Broken --------------------------------------------------------------------------------------

check 'crash when loaded' 1 'crash_load.so does not survive being loaded' contract abi/crash_load.so
check 'crash in queue()' 1 'the engine crashed in queue(): its process was lost' contract \
	abi/crash_queue.so
check 'malformed rows' 1 "option 'bad_place' lies at bytes 8 to 16 of a conf struct that has 4" \
	contract abi/bad_rows.so
echo 'int nothing;' >empty.c
$CC -shared -fPIC -o empty.so empty.c
check 'no engine' 1 "exports no symbol 'fl_engines'" contract ./empty.so
echo 'int ioengine;' >theirs.c
$CC -shared -fPIC -o theirs.so theirs.c
check 'an engine for fio' 1 'is an engine for fio itself' contract ./theirs.so
echo 'no object' >text.so
check 'no object' 1 'cannot load the engine' contract ./text.so

liar() {
	check "$1" 1 "$2" contract "abi/liar.so:$1"
}
liar generous 'bytes were moved, but the request was for'
liar positive 'queue() answered 5; it may answer'
liar too_many 'returned 2 requests where at most 1'
liar too_few 'but min was'
liar twice 'which was not in flight: it had come back already'
ASAN_OPTIONS=${ASAN_OPTIONS-}:log_path=$PWD/forgetful.said liar forgetful 'not freed'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
