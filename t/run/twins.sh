#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The job files of t/twins through fio and through fio-like: json, json+ and terse have the same
# keys, columns and types in the same order, and the same values wherever a job leaves no choice.
# t/tools/twins compares; a line '; twins: OPTION' in a job file tells it what may differ, and
# '; needs ENGINE' names an engine that may be missing.

. "$SRCDIR/t/shell.sh"
FIO=${FIO:-fio}

command -v "$FIO" >/dev/null || {
	echo "fio is not installed, so there is nothing to compare with (apt-get install fio)"
	exit 77
}

both() { # both JOBFILE - its results by fio and by ours, in directories of their own
	rm -rf theirs ours && mkdir theirs ours
	(cd theirs && timeout 30 "$FIO" --output-format=json+,terse "$1" 2>/dev/null) >theirs.out &
	(cd ours && timeout 30 "$fio" --output-format=json+,terse "$1" 2>../err) >ours.out
	(cd ours && timeout 30 "$fio" --output-format=json "$1" 2>/dev/null) >ours.plain
	wait
	local side
	for side in theirs ours; do
		sed -n '/^{$/,/^}$/p' $side.out >$side.json
		grep '^3;' $side.out >$side.terse
	done
}

twins() { # twins WHAT KIND OPTION... THEIRS OURS
	local what=$1
	shift
	if "$TOOLS/twins" "$@" >differences 2>&1 && [ -s "${*: -1}" ]; then ok; else
		not_ok "$what" differences err
	fi
}

for file in "$SRCDIR"/t/twins/*.fio; do
	name=$(basename "$file" .fio)
	engine=$(sed -n 's/^; needs //p' "$file")
	if [ -n "$engine" ] && ! "$fio" --enghelp="$engine" >/dev/null 2>&1; then
		echo "# $name: there is no engine $engine here"
		continue
	fi
	mapfile -t options < <(sed -n 's/^; twins: //p' "$file")
	both "$file"
	twins "$name: json+" json "${options[@]}" theirs.json ours.json
	twins "$name: json" json --plain "${options[@]}" theirs.json ours.plain
	twins "$name: terse" terse "${options[@]}" theirs.terse ours.terse
done

finish
