#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dictionary.sh PROGRAM - the words of job files and command lines, asked of the program itself, in
# the form that libFuzzer and AFL take for a dictionary: options, flags, engines and their options,
# and what lines are made of.

program=$1

engines=$("$program" --enghelp 2>/dev/null | sed -n 's/^  \([a-z_0-9-]*\)  .*/\1/p')
options() { # options HELP-TEXT: the names at the beginnings of its lines
	sed -n 's/^  \([a-z][A-Za-z0-9_, -]*[a-z0-9_]\)   *.*/\1/p' | tr -d ' ' | tr ',' '\n'
}
{
	"$program" --cmdhelp | options | sed 's/.*/&=/'
	for engine in $engines; do
		printf 'ioengine=%s\n' "$engine"
		"$program" --enghelp="$engine" 2>/dev/null | options | sed 's/.*/&=/'
	done
	"$program" --help | grep -o -- '--[a-z][a-z-]*'
	# shellcheck disable=SC2016
	printf '%s\n' '[global]' '[j]' 'include ' '${HOME}' '${A:-b}' '$pagesize' '$ncpus' \
		'$mb_memory' '--name=' '--complete'
} | LC_ALL=C sort -u | sed 's/.*/"&"/'
# shellcheck disable=SC1003
printf '"\\%s"\n' x00 x0a
