#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The slowest I/Os: the null engine delays some by its seed and tells which, and these must be the
# ones that the result lists; each with its place, its stamps, its depth; also when the worker dies.

. "$SRCDIR/t/shell.sh"

delayed() { # delayed OPERATION - offsets that the engine told on stderr, in order of size
	sed -n "s/.*slow: operation $1 at offset //p" err | sort -n
}

listed() { # listed DIRECTION LEAST_NS - offsets in the result whose I/O took so long at least
	local i n
	n=$("$jsonq" --len out "jobs[0].fio-like.slowest.$1" 2>/dev/null) || n=0
	for ((i = 0; i < n; i++)); do
		"$jsonq" out "jobs[0].fio-like.slowest.$1[$i].lat_ns" \
			"jobs[0].fio-like.slowest.$1[$i].offset" | tr '\n' ' '
		echo
	done | awk -v least="$2" '$1 >= least { print $2 }' | sort -n
}

# ---- Exactly those -------------------------------------------------------------------------------

exact() { # exact NAME LEAST_NS ARGUMENT... - a job whose delayed I/Os are fewer than 32
	local name=$1 least=$2 op
	shift 2
	run "$fio" --name=a --ioengine=null --null_slow=60ms --debug=engine --output-format=json "$@"
	same "$name: status" $status 0
	for op in read:0 write:1; do
		delayed ${op#*:} >want
		[ -s want ] || continue
		check "$name: few enough" [ "$(wc -l <want)" -le 32 ]
		listed ${op%:*} "$least" >got
		if cmp -s want got; then ok; else
			not_ok "$name: the listed ${op%:*}s are the delayed" want got
		fi
	done
	check "$name: some were delayed" [ "$(grep -c 'slow: operation' err)" -gt 4 ]
}
# A loaded machine is late, but not by 60 ms: what is not delayed takes less.
exact 'one at a time' 60000000 --rw=randread --size=16m --null_slow_one_in=300
delayed 0 >first
exact 'again' 60000000 --rw=randread --size=16m --null_slow_one_in=300
delayed 0 >second
check 'the same seed delays the same' cmp -s first second
exact 'another seed' 60000000 --rw=randread --size=16m --null_slow_one_in=300 --randseed=5
delayed 0 >second
check 'another seed delays others' [ "$(cat first)" != "$(cat second)" ]
exact 'both directions' 60000000 --rw=randrw --size=16m --null_slow_one_in=250
exact 'sizes of many kinds' 60000000 --rw=randread --bsrange=512-64k --size=64m \
	--null_slow_one_in=200
exact 'sixteen in flight' 60000000 --rw=randread --size=16m --iodepth=16 --null_slow_one_in=300
exact 'sixteen in flight, both' 60000000 --rw=randrw --size=16m --iodepth=16 \
	--null_slow_one_in=250 --iodepth_batch=4
exact 'offload' 60000000 --rw=randread --size=1m --iodepth=64 --io_submit_mode=offload \
	--null_slow_one_in=30
exact 'threads' 60000000 --rw=randread --size=16m --thread --null_slow_one_in=300
exact 'with fsync' 60000000 --rw=write --size=8m --fsync=1000 --null_slow_one_in=300

# ---- What is told of one ---------------------------------------------------------------------------

run "$fio" --name=a --ioengine=null --rw=randrw --bs=8k --size=64m --iodepth=4 \
	--output-format=normal,json --null_delay=20us
sed -n '/^{$/,/^}$/p' out >doc
one() { # one MEMBER - of the slowest read
	json doc "jobs[0].fio-like.slowest.read[0].$1"
}
same '32 of each direction' "$("$jsonq" --len doc 'jobs[0].fio-like.slowest.read') $(
	"$jsonq" --len doc 'jobs[0].fio-like.slowest.write')" '32 32'
same 'no syncs, no list of them' "$(json doc 'jobs[0].fio-like.slowest' | grep -c sync)" 0
same 'the first one is the maximum' "$(one lat_ns)" "$(json doc 'jobs[0].read.lat_ns.max')"
order=$(for ((i = 0; i < 32; i++)); do json doc "jobs[0].fio-like.slowest.read[$i].lat_ns"; done)
same 'the slowest first' "$order" "$(echo "$order" | sort -nr)"
between 'start to complete is the latency' \
	"$(($(one complete_ns) - $(one start_ns) - $(one lat_ns)))" -1 1
between 'issue lies between' "$(one issue_ns)" "$(one start_ns)" "$(one complete_ns)"
between 'it began after the job did' "$(one start_ns)" 0 \
	"$(($(json doc 'jobs[0].job_runtime') * 1000000 + 1000000))"
between 'wall clock' "$(one wall_ms)" "$(json doc 'jobs[0].job_start')" \
	"$(json doc timestamp_ms)"
same 'length' "$(one length)" 8192
same 'an offset of a block' "$(($(one offset) % 8192))" 0
between 'depth' "$(one depth)" 1 4
between 'cpu' "$(one cpu)" 0 "$(($(getconf _NPROCESSORS_CONF) - 1))"
same 'file' "$(one file)" a.0.0
around="jobs[0].fio-like.slowest.around[$(one around)]"
between 'what went on around: how long' "$(json doc "$around.seconds")" 0 30
between 'what went on around: steal' "$(json doc "$around.steal_percent")" 0 100
between 'what went on around: dirty' "$(json doc "$around.dirty_bytes")" 0 1e15
same 'three of each in text' "$(grep -c '^  slowest      : read of ' out) $(
	grep -c '^  slowest      : write of ' out)" '3 3'
says 'in text' '^  slowest      : read of [0-9.]*[num]s at [0-9.]*s (20[-0-9]* [0-9:.]*), a.0.0 off' out

many=(--name=a --ioengine=null --rw=read --size=4m)
run "$fio" "${many[@]}" --slowest=32
same '--slowest=32' "$(grep -c '^  slowest      :' out)" 32
run "$fio" "${many[@]}" --slowest=0
same '--slowest=0' "$(grep -c '^  slowest      :' out)" 0
run "$fio" "${many[@]}" --slowest=33
same '--slowest=33' $status 1
run "$fio" "${many[@]}" --gtod_reduce=1 --output-format=json
same 'no clock, no list' "$(json out 'jobs[0].fio-like.slowest' | tr -d ' \n')" '{}'

# ---- Files, syncs, disks ---------------------------------------------------------------------------

run "$fio" --name=b --rw=write --bs=64k --size=2m --nrfiles=2 --fsync=8 --output-format=json
f='jobs[0].fio-like.slowest'
same 'syncs' "$("$jsonq" --len out "$f.sync")" "$(json out 'jobs[0].sync.total_ios')"
same 'all 32 writes' "$("$jsonq" --len out "$f.write")" 32
for ((i = 0; i < 32; i++)); do
	json out "$f.write[$i].file"
	json out "$f.write[$i].offset"
done | paste - - | sort -u >places
same 'each of its own place' "$(wc -l <places)" 32
same 'in both files' "$(cut -f 1 places | sort -u | tr '\n' ' ')" 'b.0.0 b.0.1 '
same 'a sync has no offset' "$(json out "$f.sync[0]" | grep -c '"offset"')" 0

# ---- Failures, groups, ramps -----------------------------------------------------------------------

run "$fio" --name=a --ioengine=null --rw=read --size=1m --null_fail_one_in=1 \
	--continue_on_error=all --null_slow_one_in=25 --null_slow=60ms --debug=engine \
	--output-format=json
delayed 0 >want
listed read 60000000 >got
check 'failed ones are listed, too' cmp -s want got
same 'with their error' "$(json out "$f" | grep -c '"error" : 5')" 32
run "$fio" --ioengine=null --rw=read --size=4m --group_reporting --output-format=json \
	--name=a --null_slow_one_in=200 --null_slow=60ms --name=b
check 'of a group: the slowest of all' [ "$(json out "$f.read[0].worker")" = 0 ]
check 'of a group: both are looked at' [ "$("$jsonq" --len out "$f.read")" = 32 ]
run "$fio" --name=a --ioengine=null --rw=read --size=1t --time_based --ramp_time=200ms \
	--runtime=100ms --null_stall=80ms --null_stall_every=150ms --output-format=json
between 'what a ramp had is forgotten' "$(json out "$f.read[0].complete_ns")" 0 400000000

# ---- A worker that dies ------------------------------------------------------------------------------

killed() { # killed NAME ARGUMENT... - while I/O 300 or so is being waited for
	local name=$1 pid worker
	shift
	"$fio" --name=a --ioengine=null --rw=randread --size=1t --time_based --runtime=20 \
		--null_slow=100ms --debug=engine --output-format=json "$@" >out 2>err &
	pid=$!
	soon grep -q 'slow: operation' err
	sleep 0.5
	! tsan || sleep 2	# it makes few I/Os in that time
	worker=$(children $pid)
	check "$name: there is a worker" [ -n "$worker" ]
	kill -9 $worker
	wait $pid
	delayed 0 >want
	listed read 100000000 >got
	# The last ones had begun, and were not back yet: so many as can be in flight.
	check "$name: some were slow" [ "$(wc -l <got)" -ge 2 ]
	same "$name: nothing but delayed ones" "$(comm -13 <(sort want) <(sort got))" ''
	between "$name: all of them but those in flight" \
		"$(($(wc -l <want) - $(wc -l <got)))" 0 "${in_flight:-1}"
}
killed 'one at a time' --null_slow_one_in=100000 --size=1g --norandommap
in_flight=8 killed 'eight in flight' --null_slow_one_in=100000 --iodepth=8 --size=1g --norandommap

finish
