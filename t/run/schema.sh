#!/bin/bash
# SPDX-License-Identifier: MIT
#
# doc/result.schema.json holds for every result of the test suite: t/shell.sh looks at each. Here,
# that it is JSON, that the rarer parts of a result keep it, and that what breaks it is noticed.

. "$SRCDIR/t/shell.sh"
schema=$SRCDIR/doc/result.schema.json

check 'the schema is JSON' "$jsonq" "$schema"

# ---- What is rare --------------------------------------------------------------------------------

null=(--ioengine=null --size=1m)
some() { # some ARGUMENT... - run() looks at the result
	run "$fio" "$@"
	check "$*: a document" [ -s out ]
}
some --output-format=json+ --name=a "${null[@]}" --rw=randrw --numjobs=3 --group_reporting \
	--iodepth=4 --slat_percentiles=1 --lat_percentiles=1 --percentile_list=100:0.5:50
some --output-format=json+ --name=a "${null[@]}" --rw=randrw --unified_rw_reporting=both --fsync=2
some --output-format=json --name=a "${null[@]}" --rw=randrw --unified_rw_reporting=1 --fsync=2
some --output-format=json --name=a "${null[@]}" --null_fail_one_in=9 --continue_on_error=all \
	'--description=what "it" is'
some --output-format=json --name=e --filename=/dev/full --rw=write --size=4k
some --output-format=json --name=d --rw=write --size=64k --nrfiles=3 --verify=crc32c
some --output-format=json --confidence --name=d "${null[@]}" --time_based --runtime=300ms
some --output-format=json --create_only=1 --name=c --size=4k
some --output-format=jsonl,json+ --status-interval=100ms --name=d "${null[@]}" --time_based \
	--runtime=250ms --name=e --rw=write --size=64k --fsync=1
same 'dumps and lines: all looked at' "$("$jsonq" --all out 2>&1)" ''

# Each member of our own objects is described in the schema: whoever adds one adds that, too.
full=(--output-format=json --confidence --env=full --name=a --rw=randrw --size=256k --filename=full
	--fsync=8 --write_lat_log=log --verify=crc32c '--expect=read.iops>0; trust>=INVALID')
run "$fio" "${full[@]}"
"$TOOLS/valid" --described "$schema#/\$defs/document" out |
	sed -n 's/^\(.*fio-like\.[a-z_]*\): the schema knows no such key/\1/p' >undescribed
check 'a result that has much' [ $status = 0 ]
same 'what doc/result.schema.json does not describe' "$(cat undescribed)" ''

# ---- What is wrong -------------------------------------------------------------------------------

run "$fio" --output-format=json+ --name=a --rw=randrw --size=256k --filename=d --fsync=4
cp out good
broken() { # broken WHAT SAYS SED-EXPRESSION...
	local what=$1 says=$2
	shift 2
	sed "$@" good >bad
	check "$what: the document changed" [ -n "$(cmp good bad 2>&1)" ]
	check "$what: it is JSON still" "$jsonq" bad
	check "$what: noticed" [ "$("$TOOLS/valid" "$schema" bad >why 2>&1; echo $?)" = 1 ]
	says "$what" "$says" why
}
broken 'a key more' 'jobs\[0\].write.io_mbytes: the schema knows no such key' \
	-e '/"write" : {/,/}/s/"io_kbytes" : .*/&\n"io_mbytes" : 1,/'
broken 'a key less' 'jobs\[0\]: "elapsed" is missing' -e '/"elapsed"/d'
broken 'a count with a point' 'total_ios: "integer" expected' -e 's/"total_ios" : [0-9]*/&.0/'
broken 'a rate without one' 'iops: [0-9]* is written without a point' \
	-e 's/\("iops" : [0-9]*\)\.[0-9]*/\1/'
broken 'a text for a number' 'groupid: "integer" expected' -e 's/"groupid" : 0/"groupid" : "0"/'
broken 'a number below 0' 'majf: -1 is below 0' -e '/"job_runtime"/,$s/"majf" : 0/"majf" : -1/'
broken 'bins that do not add up' 'samples in the bins of' -e 's/\("[0-9]*" : \)[0-9]*$/\17777777/'
broken 'a mean above the maximum' 'mean 1e+12, max' -e 's/"mean" : [1-9][0-9.]*/"mean" : 1e12/'
broken 'percentiles that fall' 'percentile 95.000000 is 1, not in' \
	-e 's/"95.000000" : [1-9][0-9]*/"95.000000" : 1/'
broken 'another program' 'fio version: .* does not match' -e 's/-like-//'
broken 'no direction' 'anyOf: nearest: jobs\[0\]: "trim" is missing' -e 's/"trim" : {/"trin" : {/'
broken 'a line inside a document' 'jobs\[0\].type: it must not be there' \
	-e 's/"jobname"/"type" : "job", &/'

# Our own objects may have more in them.
sed 's/"final" : true/&, "news" : [1, {"a" : null}]/' good >more
check 'our own may grow' "$TOOLS/valid" "$schema" more
: >empty
check 'nothing is no result' [ "$("$TOOLS/valid" "$schema" empty >why; echo $?)" = 1 ]
echo '{ "widht": 1 }' >strange
check 'a word it does not know' [ "$("$TOOLS/valid" strange good 2>why; echo $?)" = 2 ]

finish
