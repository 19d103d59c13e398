#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the option cases of this folder; README.md says what they are.
#
#	cases.sh SIDES [WORD...]
#
# SIDES, joined by commas: ours, fio, ignoring. With words, only the cases of options with such a
# name (for an engine's own: io_uring/hipri), or of files with such a name (files.txt).
# OPTIONS_TIMES=1 tells how long each case took.

set -u
: "${SRCDIR:?}" "${BUILDDIR:?}" "${TOOLS:?}" "${FIO_LIKE:?}"
export LC_ALL=C
here=$SRCDIR/t/options
FIO=${FIO:-fio}

# ---- One case: cases.sh --one SIDES FILE ---------------------------------------------------------

note() { # note NAME - what the case says of itself: 'NAME: the rest'
	sed -n "s/^$1: *//p" "$case" | head -n 1
}

# Does Debian's fio have the option? Its lists name an alias under the proper name only.
fio_has() {
	theirs=$(note fio-name)
	theirs=${theirs:-$name}
	grep -q -x -e "$(echo "$theirs" | tr - _)" names || {
		case $theirs in */*) return 1 ;; esac
		! "$FIO" --cmdhelp="$theirs" 2>&1 | grep -q 'No such command'
	}
}

attempt() { # attempt SIDE - status of the case; its trace is in FILE.SIDE.log
	dir=$case.$1.dir
	mkdir "$dir"
	case $1 in
	ours) program=$FIO_LIKE ;;
	fio) program=$(command -v "$FIO") ;;
	ignoring) program=$BUILDDIR/obj/ignoring/fio-like ;;
	esac
	ignore=
	[ "$1" != ignoring ] || ignore=${name#*/}
	(
		cd "$dir" || exit 99
		SIDE=$1 PROG=$program FIO_LIKE_IGNORE=$ignore FIO_LIKE_ENGINE_PATH=$BUILDDIR/engines
		export SIDE PROG FIO_LIKE_IGNORE FIO_LIKE_ENGINE_PATH TOOLS SRCDIR
		exec timeout -k 2 ${SANFLAGS:+1}80 sh -e -u -x -c '. "$0"; . "$1"' "$here/helpers.sh" "$case.sh"
	) >"$case.$1.log" 2>&1
	status=$?
	[ ! -f "$dir/reason" ] || cp "$dir/reason" "$case.reason"
	rm -rf "$dir"
	return $status
}

wrong() { # wrong SIDE SENTENCE
	{
		echo "not ok: $title: $2"
		grep -v '^+* *\(: *\)*$' "$case.$1.log" | tail -n 15 | cut -c 1-300 | sed 's/^/    | /'
	} >"$case.$1.text"
	cat "$case.$1.text"
	echo 0 1 0
}

one_side() {
	case $1 in
	fio)
		fio_has || { echo 0 0 0; return; }
		[ -z "$(note not-fio)" ] || { echo 0 0 0; return; }
		;;
	esac
	attempt "$1"
	status=$?
	if [ $status = 77 ]; then
		echo "# $title: skipped ($1): $(cat "$case.reason")"
		echo 0 0 1
	elif [ "$1" = ignoring ]; then
		[ $status != 0 ] || { wrong "$1" 'passes although the option is ignored'; return; }
		echo 1 0 0
	elif [ $status != 0 ]; then
		wrong "$1" "$1: status $status"
	else
		echo 1 0 0
	fi
}

one() {
	sides=$1
	case=$2
	name=$(head -n 1 "$case" | cut -d ' ' -f 1)
	title=$(head -n 1 "$case")
	sed '1d; /^\(not-fio\|fio-name\|elsewhere\):/d' "$case" >"$case.sh"
	elsewhere=$(note elsewhere)
	if [ -n "$elsewhere" ]; then
		script=${elsewhere%%:*}
		if [ -f "$SRCDIR/$script" ] && grep -q -e "${name#*/}" "$SRCDIR/$script"; then
			echo 1 0 0
		else
			echo "not ok: $title: $script is not there, or does not name the option"
			echo 0 1 0
		fi
		return
	fi
	if ! grep -q '[^[:space:]]' "$case.sh"; then
		echo "not ok: $title: there is nothing in it"
		echo 0 1 0
		return
	fi
	for side in $(echo "$sides" | tr , ' '); do
		from=$(date +%s%N)
		one_side "$side"
		[ -z "${OPTIONS_TIMES-}" ] ||
			echo "# $title: $side: $((($(date +%s%N) - from) / 1000000)) ms"
	done
}

if [ "${1-}" = --one ]; then
	cd "$(dirname "$3")" || exit 1
	one "$2" "$3"
	exit 0
fi

# ---- All of them ---------------------------------------------------------------------------------

sides=$1
shift
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fio-like-options-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

[ -x "$FIO_LIKE" ] || { echo "there is no program $FIO_LIKE"; exit 1; }
case ,$sides, in
*,ignoring,*)
	[ -x "$BUILDDIR/obj/ignoring/fio-like" ] || {
		echo "there is no obj/ignoring/fio-like: make test-programs"
		exit 1
	}
	;;
esac
case ,$sides, in
*,fio,*)
	case $("$FIO" --version 2>/dev/null) in
	fio-3*) ;;
	*) echo "# fio 3 is not installed: nothing is compared with it"
		sides=$(echo ",$sides," | sed 's/,fio,/,/; s/^,//; s/,$//') ;;
	esac
	;;
esac
case ,$sides, in
*,fio,*)
	{
		"$FIO" --cmdhelp=all | sed -n 's/^ *\([a-z0-9_-]*\) *:.*/\1/p'
		for engine in sync psync vsync pvsync pvsync2 mmap libaio io_uring null libpmem \
			dev-dax; do
			"$FIO" --enghelp=$engine 2>/dev/null |
				sed -n "s,^ *\([a-z0-9_-]*\) *:.*,$engine/\1,p"
		done
	} | tr - _ >"$scratch/names"
	;;
esac

# A file for each case: its title, its notes, its lines.
for list in "$here"/*.txt; do
	awk -v scratch="$scratch" -v list="$(basename "$list" .txt)" '
		/^[a-z0-9]/ {
			if (out)
				close(out)
			out = sprintf("%s/%s.%04d", scratch, list, NR)
			printf "%s [%s.txt:%d]\n", $0, list, NR >out
			next
		}
		out && /^\t/ { print substr($0, 2) >out }' "$list"
done
wanted() { # wanted FILE
	[ -n "$words" ] || return 0
	title=$(head -n 1 "$1")
	for word in $words; do
		case $title in *"$word"*) return 0 ;; esac
	done
	return 1
}
words=$*
for case in "$scratch"/*.[0-9][0-9][0-9][0-9]; do
	wanted "$case" && printf '%s\0' "$case"
done | xargs -0 -r -n 1 -P 2 sh "$here/cases.sh" --one "$sides" >"$scratch/log"

grep -v '^[0-9]* [0-9]* [0-9]*$' "$scratch/log"
awk '
	/^[0-9]+ [0-9]+ [0-9]+$/ { passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed", passed, failed
		if (skipped)
			printf ", %d skipped", skipped
		printf "\n"
		exit failed > 0 || passed + skipped == 0
	}' "$scratch/log"
