#!/bin/bash
# SPDX-License-Identifier: MIT
#
# README alone: its job file, its commands, its engine, as they stand there; and what is said to one
# who mistypes a name on the way.

. "$SRCDIR/t/shell.sh"

block() { # block KIND - the first piece of code of this kind
	awk -v kind="^\`\`\`$1$" '$0 ~ kind { on = 1; next } /^```/ { if (on) exit } on' \
		"$SRCDIR/README.md"
}

block ini >first.ini
sed -i 's/^runtime=.*/runtime=100ms/; s/^size=.*/size=1m/' first.ini
check 'README has a job file' [ -s first.ini ]
for command in $(sed -n 's,^    \./fio-like \(.*first.ini\)$,\1,p' "$SRCDIR/README.md" |
	tr ' ' '+'); do
	"$fio" ${command//+/ } >out 2>err || not_ok "fio-like ${command//+/ }" err
	check "$command: says something" [ -s out ]
done
says 'explained' '^  size  *1m  *\[global\]  first.ini:4$' <("$fio" --explain first.ini)

block c >tiny.c
$CC -shared -fPIC -I"$SRCDIR/include" tiny.c -o tiny.so 2>err || not_ok 'its engine' err
run "$fio" --name=a --ioengine=./tiny.so --size=1m
same 'its engine at work' $status 0
run "$fio" --engine-test ./tiny.so
same 'its engine keeps the rules' $status 0

for flag in $(grep -o '^    \./fio-like --[a-z-]*' "$SRCDIR/README.md" | grep -o -e '--.*'); do
	"$fio" --help | grep -q -e "$flag" || [ "$flag" = --name ] || not_ok "README: $flag"
done

# ---- Mistakes on the way -------------------------------------------------------------------------

mistake() { # mistake WHAT PATTERN ARGUMENT...
	local what=$1 pattern=$2
	shift 2
	run "$fio" "$@"
	same "$what: status" $status 1
	says "$what" "$pattern" err
}
mistake 'a mistyped job file' "'frist.ini': No such file or directory; did you mean 'first.ini'?" \
	frist.ini
mistake 'in a folder' "did you mean './first.ini'?" ./first.in
mistake 'nothing near' "'zzz': No such file or directory$" zzz
mistake 'nothing to do' 'name a job file, or begin a job with --name=JOB'
mistake 'a part of a name' "did you mean 'io_uring'?" --name=a --size=1m --ioengine=uring
mistake 'more than a name' "did you mean 'io_uring'?" --name=a --size=1m --ioengine=liburing
mistake 'a plugin without its path' 'write ./tiny.so or' --name=a --size=1m --ioengine=tiny.so
printf 'rw=read\n' >m.ini
mistake 'no section' 'write \[NAME\] above it, or \[global\] for all jobs' m.ini
printf '[a]\nrw=read\n' >m.ini
mistake 'no size' 'say how much with size=' m.ini
printf '[a]\nrw=radnread\n' >m.ini
mistake 'a word' 'did you mean randread?' m.ini
printf '[a]\niodepht=4\n' >m.ini
mistake 'an option' "did you mean 'iodepth'?" m.ini

finish
