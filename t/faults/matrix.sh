#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The fault matrix: every engine under every fault. The run must end in bounded time, its report be
# complete and true for what happened, its exit status right, and nothing left behind.
#
#	matrix.sh [FAULT|FAULT.ENGINE]...	all, or only these
#
#	FAULT_ENGINES="psync mmap"	the columns
#	FAULT_SLOTS=4			cells at a time
#	FAULT_STALL=30			seconds a device does not answer
#	FAULT_THREADS=yes		jobs are threads instead of processes
#	FAULT_SETS="device process"	the files of the rows, beside this one; guest is for the virtual
#					machine of t/vm, and the one that can do without a compiler
#
# A cell is right, wrong (with what was), or none (with the reason). The faults are in device.sh and
# process.sh, in the order of the rows.

set -u
here=$(cd "$(dirname "$0")" && pwd -P)
: "${SRCDIR:?}" "${BUILDDIR:?}" "${TOOLS:?}" "${FIO_LIKE:?}"
export LC_ALL=C

# ---- One cell: matrix.sh --cell FAULT ENGINE -----------------------------------------------------

if [ "${1-}" = --cell ]; then
	fault=$2 engine=$3
	cell=$fault.$engine
	mkdir -p "$cell" && cd "$cell" || exit 1
	chmod 755 .
	echo 'wrong: it was killed' >verdict
	(
		unset FAULT_CELL
		. "$here/lib.sh"
		for set in $FAULT_SETS; do
			. "$here/$set.sh"
		done
		engine_args "$engine"
		"fault_$fault" "$engine"
	) >log 2>&1 </dev/null
	sed -i '1{/^wrong: it was killed$/d}' verdict
	[ -s verdict ] || echo right >verdict
	exit 0
fi

# ---- All of them ---------------------------------------------------------------------------------

engines=${FAULT_ENGINES:-sync psync vsync pvsync pvsync2 stdio mmap io_uring libaio libpmem null}
export FAULT_SETS=${FAULT_SETS:-device process} FAULT_THREADS=${FAULT_THREADS:-no}
faults=$(for set in $FAULT_SETS; do
	sed -n 's/^fault_\([a-z0-9_]*\)() {$/\1/p' "$here/$set.sh"
done | grep -v -x clock)

build() {
	"${CC:-cc}" -O1 -fPIC -shared -I"$SRCDIR/include" "$SRCDIR/examples/engines/stack.c" -o stack.so &&
		"${CC:-cc}" -O1 -fPIC -shared "$here/clock.c" -o clock.so &&
		"${CC:-cc}" -O1 "$here/eater.c" -o eater
}
[ "$FAULT_SETS" = guest ] || build || exit 1
mkdir -p copy/engines
cp "$FIO_LIKE" copy/fio-like
cp "$BUILDDIR"/engines/*.so copy/engines/ 2>/dev/null
chmod -R a+rX .
export FAULT_STACK=$PWD/stack.so FAULT_CLOCK=$PWD/clock.so FAULT_EATER=$PWD/eater
export FAULT_COPY=$PWD/copy

usable=
for engine in $engines; do
	# a character device of persistent memory is made for each cell
	if [ "$engine" = dev-dax ] || "$FIO_LIKE" --name=probe --ioengine="$engine" --size=4k \
		--rw=write --directory=. >probe.out 2>probe.err; then
		usable="$usable $engine"
	else
		echo "no $engine here: $(head -n 1 probe.err)"
	fi
done
rm -f probe*

wanted() {
	[ -n "$words" ] || return 0
	local word
	for word in $words; do
		case $1 in "$word" | "$word".*) return 0 ;; esac
	done
	return 1
}

words=$*
for fault in $faults; do
	for engine in $usable; do
		wanted "$fault.$engine" && echo "$fault $engine"
	done
done >cells
# One that is killed must not keep the others from running.
xargs -n 2 -P "${FAULT_SLOTS:-4}" bash -c 'bash "$0" --cell "$@" || :' "$here/matrix.sh" <cells

# ---- The table -----------------------------------------------------------------------------------

printf '\n%-18s' fault
printf ' %8s' $usable
printf '\n'
tried=0 right=0
for fault in $faults; do
	grep -q "^$fault " cells || continue
	printf '%-18s' "$fault"
	for engine in $usable; do
		word=
		case $(head -n 1 "$fault.$engine/verdict" 2>/dev/null) in
		right*) word=right tried=$((tried + 1)) right=$((right + 1)) ;;
		none*) word=- ;;
		'') grep -q "^$fault $engine$" cells && word=LOST tried=$((tried + 1)) ;;
		*) word=WRONG tried=$((tried + 1)) ;;
		esac
		printf ' %8s' "$word"
	done
	printf '\n'
done
echo
echo 'Where a fault cannot come to an engine:'
grep -h '^none' ./*/verdict 2>/dev/null | sort | uniq -c | sed 's/none: //'
grep '^wrong' ./*/verdict | sed 's,^\./\([^/]*\)/verdict:wrong,\1,'
echo "$tried cells tried, $right right"
echo "$right passed, $((tried - right)) failed"
[ "$right" = "$tried" ] && [ "$tried" -gt 0 ]
