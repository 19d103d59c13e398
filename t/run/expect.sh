#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Expectations from the job file to the exit status: what holds and what is missed, in every format,
# and in XML; and what is refused before anything runs.

. "$SRCDIR/t/shell.sh"

null=(--ioengine=null --size=4m)

# ---- A job file as in the manual -----------------------------------------------------------------

cat >job.fio <<'END'
[global]
ioengine=null
size=4m
[a]
rw=randrw
expect=read.clat.p99<2s; write.iops>=5; trust>=invalid # a comment
[b]
rw=read
expect="read.bytes=4m; read.ios=1024;group.read.ios>1024"
[c]
rw=write
fsync=64
expect=sync.ios=15, sync.lat.max<10s, errors=0
END
run "$fio" job.fio --output-format=normal,json
same 'all hold: status' $status 0
same 'all hold: a line each' "$(grep -c '^  expect       : PASS ' out)" 8
says 'with the value' '^  expect       : PASS read.bytes=4m: 4096KiB$' out
says 'and of the group' '^expect, group 0: PASS group.read.ios>1024: 1[0-9]*$' out
check 'stderr is empty' [ ! -s err ]
sed -n '/^{$/,/^}$/p' out >doc
document 'with expectations' doc
same 'JSON: passed' "$(json doc fio-like.expect.passed)" 9
same 'JSON: missed' "$(json doc fio-like.expect.missed)" 0
e='jobs[1].fio-like.expect[0]'
same 'JSON: the text' "$(json doc "$e.text")" 'read.bytes=4m'
same 'JSON: it holds' "$(json doc "$e.holds")" true
same 'JSON: measured' "$(json doc "$e.measured")" 4194304.000000
same 'JSON: unit' "$(json doc "$e.unit")" bytes
same 'JSON: a percentile tells its samples' \
	"$(json doc 'jobs[0].fio-like.expect[0].carried')" true
same 'JSON: of the group' "$(json doc 'fio-like.expect.groups[0].expect[0].holds')" true

# ---- Both sides of limits ------------------------------------------------------------------------

# What a job of 1024 reads by 4 KiB counts, and what that much takes.
limit() { # limit QUANTITY VALUE LESS MORE - exact value, and the next ones on both sides
	local q=$1 v=$2 less=$3 more=$4 e
	for e in "$q=$v" "$q<=$v" "$q>=$v" "$q<$more" "$q>$less" "$q!=$more"; do
		run "$fio" "${null[@]}" --rw=read --name=a --expect="$e"
		same "$e" $status 0
	done
	for e in "$q!=$v" "$q<$v" "$q>$v" "$q>=$more" "$q<=$less" "$q=$more"; do
		run "$fio" "${null[@]}" --rw=read --name=a --expect="$e"
		same "$e" $status 3
		says "$e" "expect.*: FAIL $e: " out
		says "$e: on stderr" '^fio-like: 1 of 1 expectations missed$' err
	done
}
limit read.ios 1024 1023 1025
limit read.bytes 4m 4194303 4194305
limit group.read.bytes 4096k 4095k 4097k

timed=(--ioengine=null --size=1t --null_delay=5ms --time_based --runtime=300ms)
missed() { # missed EXPECTATION ARGUMENT... - status 3
	local e=$1
	shift
	run "$fio" "${timed[@]}" --name=a --expect="$e" "$@"
	same "$e: status" $status 3
}
kept() {
	local e=$1
	shift
	run "$fio" "${timed[@]}" --name=a --expect="$e" "$@"
	same "$e: status" $status 0
}
# Slower than it can be, on any machine; and what no delay of 5 ms can be faster than.
kept 'read.clat.min>=5ms; read.clat.p1>4900us; read.iops<=200; read.bw<=800KiB/s; runtime>=300ms'
missed 'read.clat.min<5ms'
missed 'read.clat.p1<4900us'
missed 'read.iops>200'
missed 'read.bw>800KiB/s'
missed 'runtime<300ms'
missed 'cpu>10000%'
missed 'read.clat.p99<5ms;read.ios>0'
same 'one of two' "$(grep -c PASS out) $(grep -c FAIL out)" '1 1'
missed 'sync.lat.p50<1s'
says 'what was not measured' ': nothing of it was measured$' out
missed 'read.clat.p99.99<1ms'
says 'few samples are told' 'FAIL read.clat.p99.99<1ms: .*ms (of [0-9]* samples, too few to tell)$' out

# ---- Groups, clones, other formats ---------------------------------------------------------------

run "$fio" "${null[@]}" --numjobs=3 --rw=read --name=a --expect='group.read.ios=3072;read.ios=1024'
same 'a group: status' $status 0
same 'a group has one line' "$(grep -c '^expect, group 0: PASS' out)" 1
same 'each clone has one' "$(grep -c '^  expect       : PASS' out)" 3
run "$fio" "${null[@]}" --numjobs=3 --rw=read --group_reporting --name=a --expect='read.ios=3072'
same 'reported as one: status' $status 0
same 'reported as one: one line' "$(grep -c PASS out)" 1
run "$fio" "${null[@]}" --rw=read --group_reporting --name=a --expect='read.ios=2048' \
	--name=b --expect='read.ios<5'
same 'reported as one, each with its own: status' $status 3
same 'reported as one, each with its own' "$(grep -o 'PASS\|FAIL' out | tr '\n' ' ')" 'PASS FAIL '
for format in terse json json+; do
	run "$fio" "${null[@]}" --rw=read --name=a --expect='read.ios=1' --output-format=$format
	same "$format: status" $status 3
	says "$format: on stderr" '^fio-like: 1 of 1 expectations missed$' err
done
run "$fio" "${null[@]}" --rw=read --name=a --expect='read.ios>0' --null_fail_one_in=10
same 'a failed job is worse than a missed expectation' $status 1

# The grade of the run, whatever this file system makes of it: holes are read, data is left dirty.
for job in '--rw=read --fallocate=truncate' '--rw=write'; do
	for grade in ok doubtful invalid; do
		rm -f w.0.0
		run "$fio" --name=w --size=4m $job --expect="trust=$grade" --output-format=json
		is=$(json out fio-like.trust.grade)
		wanted=$([ "${is,,}" = $grade ] && echo 0 || echo 3)
		same "$job: trust=$grade where it is $is" $status "$wanted"
		same "$job: measured is $is" "$(json out 'jobs[0].fio-like.expect[0].measured')" \
			"${is,,}"
	done
done

# ---- JUnit ---------------------------------------------------------------------------------------

cat >odd.fio <<'END'
[a<b>&"c"]
ioengine=null
size=1m
rw=read
expect=read.ios>=1;read.ios<5
[plain]
ioengine=null
size=1m
rw=read
null_fail_one_in=5
expect=group.read.ios>9999999
END
run "$fio" odd.fio --junit=j.xml --name=$'x\x01\xfe' --ioengine=null --size=1m
says 'the declaration' '^<?xml version="1.0" encoding="UTF-8"?>$' j.xml
says 'counts' '<testsuites name="fio-like" tests="6" failures="2" errors="1" time="' j.xml
says 'escaped' '<testsuite name="a&lt;b&gt;&amp;&quot;c&quot;" tests="3" failures="1"' j.xml
says 'an expectation that held' '<testcase .* name="read.ios&gt;=1" time="' j.xml
says 'one that was missed' '<failure message="256" type="expect"/>' j.xml
says 'a job that failed' '<error message="[^"]*read of 4096 bytes[^"]*" type="Input/output error"/>' \
	j.xml
says 'the group' '<testsuite name="group [0-9]*" tests="1" failures="1" errors="0"' j.xml
same 'no control characters, no broken UTF-8' \
	"$(LC_ALL=C tr -d '\n\40-\176' <j.xml | wc -c)" 0
if command -v xmllint >/dev/null; then
	check 'well-formed' xmllint --noout j.xml
fi
run "$fio" "${null[@]}" --name=a --junit=missing/j.xml
same 'no such directory: status' $status 1
says 'no such directory' '--junit=missing/j.xml: the file can.t be written: ' err
check 'no such directory: nothing ran' [ "$(grep -c '^a: (groupid' out)" = 0 ]
if [ -c /dev/full ]; then
	run "$fio" "${null[@]}" --name=a --junit=/dev/full
	same 'a full device: status' $status 1
	says 'a full device' 'junit=/dev/full could not be written: No space left' err
fi

# ---- Refused before anything runs ----------------------------------------------------------------

refused() { # refused PATTERN ARGUMENT...
	local pattern=$1
	shift
	run "$fio" "${null[@]}" "$@"
	same "$*: status" $status 1
	says "$*" "$pattern" err
	check "$*: nothing ran" [ ! -s out ]
}
refused "expect: character 6: there is no 'clatt' here; did you mean 'clat'?" \
	--name=a --expect='read.clatt.p99<2ms'
refused 'expect: character 1: the job does not write' --name=a --rw=read --expect='write.iops>1'
refused 'expect: character 11: the job does not read' --name=a --rw=write \
	--expect='errors=0; read.iops>1'
refused 'expect: character 1: this latency is not measured' --name=a --gtod_reduce=1 \
	--expect='read.clat.p99<1s'
refused 'left out of the results' --name=a --stats=0 --expect='errors=0'
refused "a unit is missing behind '2'" --name=a --expect='read.clat.p99<2'
refused 'expect: character 1: an expectation is missing' --name=a --expect=' '
printf '[a]\nioengine=null\nsize=1m\n  expect = errors=0; read.clatt.p99<2ms\n' >bad.fio
run "$fio" bad.fio
says 'file, line and column' '^bad.fio:4:27: error: job a: expect: character 16: ' err
same 'the caret' "$(grep -n '\^' err | head -n 1 | sed 's/.*:\( *\)^/\1/' | wc -c)" 31
printf '[a]\nioengine=null\nsize=1m\nexpect=errors=0 ; words\n' >bad.fio
run "$fio" bad.fio
says 'a ; begins no comment here' "there is no 'words' here, but read, write" err

finish
