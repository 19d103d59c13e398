#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The live line: on a terminal it is there, fits, and goes away; elsewhere there is none.

. "$SRCDIR/t/shell.sh"

if ! command -v script >/dev/null; then
	echo 'needs script, of util-linux'
	exit 77
fi

job=(--name=a --ioengine=null --rw=randread --size=1m --time_based --runtime=2500ms --thinktime=1ms)

on_terminal() { # on_terminal ARGUMENT... - what its terminal of 80 columns saw is in the file seen
	printf '%q ' "$fio" "$@" >command
	timeout 20 script -qec "stty cols 80 rows 24; $(cat command) >out; echo status \$?" seen \
		</dev/null >/dev/null 2>&1
	tr '\r' '\n' <seen >lines
}

# jobs are many, so that the line would be too long
on_terminal --output-format=json --numjobs=6 "${job[@]}"
says 'status' 'status 0' lines
document 'terminal: stdout' out
says 'the line' \
	"^Jobs: 6 (f=[0-9]*): \[r(6)\]\[[0-9.]*%\]\[r=[0-9.]*[KMG]iB/s\]\[r=[0-9.k]* IOPS\]\
\[p99=[0-9.]*[a-z]*\]\[eta" \
	lines
between 'it moves once a second' "$(grep -c '^Jobs: ' lines)" 2 3
same 'it fits' "$(grep '^Jobs: ' lines | awk 'length > 79' | wc -l)" 0
# Blanks wipe it, the last thing before our own line.
grep -v -e '^Script' -e '^$' lines | grep -B1 '^status' | head -n 1 >before
check 'it is wiped' grep -q '^ *$' before
check 'no line feed in it' [ "$(grep -c 'Jobs: ' seen)" -le 1 ]

on_terminal --output-format=json --eta=never "${job[@]}" --runtime=1500ms
check '--eta=never' [ "$(grep -c Jobs: seen)" = 0 ]
on_terminal --output-format=json --eta-newline=1 "${job[@]}"
check '--eta-newline' [ "$(grep -c Jobs: seen)" -ge 2 ]

run "$fio" "${job[@]}" --runtime=1500ms
check 'no terminal: nothing on stderr' [ ! -s err ]
check 'no terminal: nothing on stdout' [ "$(grep -c Jobs: out)" = 0 ]
run "$fio" --eta=always "${job[@]}" --runtime=1500ms
says '--eta=always' '^Jobs: 1 ' err
run "$fio" --eta=always --eta-interval=250ms "${job[@]}" --runtime=1100ms
check '--eta-interval: more often' [ "$(grep -c '^Jobs: 1 ' err)" -ge 2 ]
run "$fio" --eta-interval=100ms "${job[@]}"
same '--eta-interval: too often' $status 1
check '--eta=always: no carriage return' [ "$(tr -dc '\r' <err | wc -c)" = 0 ]

finish
