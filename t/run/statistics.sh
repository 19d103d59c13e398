#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the result says of its own worth: percentiles that so few samples cannot carry, intervals of
# confidence, and the three bandwidths of a group.

. "$SRCDIR/t/shell.sh"

# ---- Marks -------------------------------------------------------------------------------------

table() { # the percentiles of the file out, one a line: PERCENT VALUE MARK
	grep -o '[0-9.]*th=\[ *[0-9]*\]\**' out | sed -E 's/th=\[ */ /; s/\]/ /'
}

thousand=(--name=a --ioengine=null --rw=randread --bs=4k --size=4m)
run "$fio" "${thousand[@]}" --output-format=normal,json
sed -n '/^{$/,/^}$/p' out >doc
table >list
same '17 percentiles are read as ever' "$(wc -l <list)" 17
same 'those that 1024 samples cannot carry' \
	"$(awk '$3 == "*" { print $1 }' list | tr '\n' ' ')" '99.90 99.95 99.99 '
same 'one line says what the mark means' \
	"$(grep -c '^     \* too few of the 1024 samples lie beyond it to tell$' out)" 1
stat='jobs[0].fio-like.statistics'
clat="$stat.read.clat_ns.percentile"
for p in 99.000000 99.500000; do
	same "$p is carried" "$(json doc "$clat[\"$p\"].carried")" true
done
for p in 99.900000 99.950000 99.990000; do
	same "$p is not carried" "$(json doc "$clat[\"$p\"].carried")" false
	same "$p has no upper bound" "$(json doc "$clat[\"$p\"]" | grep -c '"high"')" 0
done
same 'fio has no key for it' "$(json doc 'jobs[0].read' | grep -c carried)" 0
for p in 1 50 90 99 99.5; do
	key=$(printf '%.6f' "$p")
	value=$(json doc "jobs[0].read.clat_ns.percentile[\"$key\"]")
	same "$p: the same value twice" "$(json doc "$clat[\"$key\"].value")" "$value"
	between "$p: in its interval" "$value" "$(json doc "$clat[\"$key\"].low")" \
		"$(json doc "$clat[\"$key\"].high")"
done

run "$fio" "${thousand[@]}" --percentile_list=0:50:100 --confidence=99
says 'no mark where none is due' '100th=\[ *[0-9]*\]$' out
check 'and no line about it' [ "$(grep -c 'too few of' out)" = 0 ]

# ---- Intervals ---------------------------------------------------------------------------------

timed=(--ioengine=null --size=1t --time_based)
run "$fio" "${timed[@]}" --name=a --null_delay=2ms --runtime=1300ms --output-format=normal,json \
	--confidence=90
sed -n '/^{$/,/^}$/p' out >doc
same 'the confidence asked for' "$(json doc "$stat.confidence")" 90.000000
low=$(json doc "$stat.read.iops.low") high=$(json doc "$stat.read.iops.high")
between 'the interval holds its mean' "$(json doc "$stat.read.iops.mean")" "$low" "$high"
between 'batches' "$(json doc "$stat.read.iops.batches")" 4 13
says 'the interval in text' '^  confidence   : 90%, read: IOPS lies between ' out
says 'percentiles in text' '^     clat percentiles lie between (usec):$' out
says 'no bound is no number' '99.99%=[0-9]*\.\.$' out
same 'still 17 percentiles are read' "$(table | wc -l)" 17

run "$fio" "${timed[@]}" --name=a --runtime=50ms --confidence
says 'a run that is too short says so' '^  confidence   : 95%, read: the run was too short' out
run "$fio" "${timed[@]}" --name=a --runtime=50ms
same 'no intervals in text unless asked for' "$(grep -c confidence out)" 0

for bad in 49 100 99.99999 -5 x 95x; do
	run "$fio" --confidence=$bad "${thousand[@]}"
	same "--confidence=$bad: status" $status 1
	says "--confidence=$bad" "--confidence=$bad: error: " err
done

# ---- Groups ------------------------------------------------------------------------------------

# 500 MiB/s for 0.6 s beside 8 MiB/s for 1.5 s.
run "$fio" "${timed[@]}" --name=fast --bs=1m --null_delay=2ms --runtime=600ms \
	--name=slow --bs=16k --null_delay=2ms --runtime=1500ms --output-format=normal,json
sed -n '/^{$/,/^}$/p' out >doc
of() { # of KEY - of the group
	json doc "fio-like.groups[0].read.$1"
}
fast=$(json doc 'jobs[0].read.io_bytes') slow=$(json doc 'jobs[1].read.io_bytes')
fast_ms=$(json doc 'jobs[0].read.runtime') slow_ms=$(json doc 'jobs[1].read.runtime')
sum() {
	awk "BEGIN { printf \"%.0f\", $1 }" </dev/null
}
same 'workers' "$(of workers)" 2
says "fio's figure stays" "^   READ: bw=$(awk -v b="$(of bw_bytes)" \
	'BEGIN { printf "%.0f", b / 1048576 }' </dev/null)MiB/s" out
same "fio's figure" "$(of bw_bytes)" "$(sum "int(($fast + $slow) * 1000 / $slow_ms)")"
between 'all at work: as long as the first one ran' "$(of all_at_work_seconds)" \
	"$(awk "BEGIN { print ($fast_ms - 30) / 1000 }" </dev/null)" \
	"$(awk "BEGIN { print ($fast_ms + 1) / 1000 }" </dev/null)"
# What the slow one moved meanwhile is its share of the time, but for how evenly it got its CPU.
moved=$(sum "$(of all_at_work_bw_bytes) * $(of all_at_work_seconds) - $fast")
part=$(sum "$slow * $(of all_at_work_seconds) * 1000 / $slow_ms")
between 'all at work: what both moved' "$moved" "$(sum "$part / 2 - 1048576")" \
	"$(sum "$part * 2 + 1048576")"
between "to the last one's end" "$(of to_last_end_bw_bytes)" \
	"$(sum "($fast + $slow) * 1000 / ($slow_ms + 30)")" \
	"$(sum "($fast + $slow) * 1000 / ($slow_ms - 1)")"
min=$(of worker_bw_bytes_min) max=$(of worker_bw_bytes_max)
between 'the slowest worker' "$min" "$(sum "$slow * 1000 / ($slow_ms + 1)")" \
	"$(sum "$slow * 1000 / ($slow_ms - 1)")"
between 'the fastest worker' "$max" "$(sum "$fast * 1000 / ($fast_ms + 1)")" \
	"$(sum "$fast * 1000 / ($fast_ms - 1)")"
between 'the median' "$(of worker_bw_bytes_median)" "$(sum "($min + $max) / 2 - 1")" \
	"$(sum "($min + $max) / 2 + 1")"
says 'in text' '^         all at work: [0-9.]*MiB/s ([0-9.]*MB/s) for [56][0-9]*msec; to the last' out
says 'the spread in text' '^         2 workers: min=[0-9.]*[KM]iB/s, median=[0-9.]*MiB/s, max=' out

run "$fio" "${timed[@]}" --name=a --runtime=100ms
same 'of a single worker there is nothing to add' "$(grep -c 'all at work' out)" 0
run "$fio" "${timed[@]}" --runtime=100ms --name=a --name=b --stonewall --output-format=json
same 'each group has its own' "$(json out fio-like.groups | grep -c groupid)" 2

# ---- Directions as one -------------------------------------------------------------------------

mixed=("${timed[@]}" --rw=randrw --runtime=1s --null_delay=1ms)
ab=(--name=a --name=b)
run "$fio" "${mixed[@]}" --unified_rw_reporting=mixed "${ab[@]}" \
	--output-format=normal,json --confidence
sed -n '/^{$/,/^}$/p' out >doc
same 'mixed: status' $status 0
same 'mixed: workers' "$(json doc 'fio-like.groups[0].mixed.workers')" 2
both=$(sum "$(json doc 'jobs[0].mixed.bw_bytes') + $(json doc 'jobs[1].mixed.bw_bytes')")
between 'mixed: both at work' "$(json doc 'fio-like.groups[0].mixed.all_at_work_bw_bytes')" \
	"$(sum "$both * 0.8")" "$(sum "$both * 1.2")"
same 'mixed: an interval' "$(json doc 'jobs[0].fio-like.statistics.mixed.iops.batches' | wc -l)" 1
says 'mixed: in text' '^  confidence   : 95%, mixed: IOPS lies' out
run "$fio" "${mixed[@]}" --unified_rw_reporting=both "${ab[@]}" --output-format=json
same 'both: all three' "$(json out 'fio-like.groups[0]' | grep -c '"workers"')" 3
run "$fio" "${mixed[@]}" --group_reporting "${ab[@]}" --output-format=json
same 'reported together: an interval of the sum' \
	"$(json out 'jobs[0].fio-like.statistics.write.iops.mean' | wc -l)" 1

finish
