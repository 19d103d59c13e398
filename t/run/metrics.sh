#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --metrics-file: text in the format of Prometheus, whole at any moment, with the counts of the
# result at its end.

. "$SRCDIR/t/shell.sh"

null=(--ioengine=null --size=1m)

sound() { # sound WHAT FILE - the rules of the format, and those of a histogram
	awk '
		function wrong(why) { print FNR ": " why ": " $0; bad = 1 }
		/^# HELP / {
			name = $3
			if (seen[name]++)
				wrong("twice")
			next
		}
		/^# TYPE / {
			if ($3 != name)
				wrong("not behind its HELP")
			kind = $4
			next
		}
		!/^[a-z_]+(\{[a-z_]+="([^"\\]|\\.)*"(,[a-z_]+="([^"\\]|\\.)*")*\})? [0-9.]+$/ {
			wrong("no sample")
			next
		}
		{
			metric = $1
			sub(/\{.*/, "", metric)
			base = metric
			if (kind == "histogram")
				sub(/_(bucket|sum|count)$/, "", base)
			if (base != name)
				wrong("not behind its HELP")
			if (base ~ /_total$/ && kind != "counter")
				wrong("a total is a counter")
			value = $NF + 0
			if (metric ~ /_bucket$/) {
				if (value < last)
					wrong("falls")
				last = $0 ~ /le="\+Inf"/ ? 0 : value
				if ($0 ~ /le="\+Inf"/)
					all = value
			}
			if (metric ~ /_count$/ && value != all)
				wrong("count")
			n++
		}
		END { exit bad || n < 3 }' "$2" >why
	if [ $? = 0 ]; then ok; else not_ok "$1" why; fi
}
metric() { # metric FILE NAME [LABEL] - the sum of its samples with that label
	awk -v name="^fio_like_$2[{ ]" -v label="${3-}" '
		$0 ~ name && index($0, label) { sum += $NF }
		END { printf "%.0f\n", sum }' "$1"
}

run "$fio" --output-format=json --metrics-file=m.prom --name='a"\b' "${null[@]}" --rw=randrw \
	--name=b --rw=write --size=64k --fsync=4 --numjobs=2
same 'status' $status 0
document 'stdout' out
check 'stderr is empty' [ ! -s err ]
sound 'the end' m.prom
same 'it has ended' "$(metric m.prom running)" 0
same 'bytes' "$(metric m.prom bytes_total 'number="0"')" 1048576
same 'I/Os of the clones' "$(metric m.prom ios_total 'job="b"')" 32
same 'reads' "$(metric m.prom ios_total 'direction="read"')" "$(json out 'jobs[0].read.total_ios')"
same 'samples' "$(metric m.prom latency_seconds_count 'direction="read"')" \
	"$(json out 'jobs[0].read.clat_ns.N')"
check 'nothing else is left' [ "$(echo m.prom*)" = m.prom ]

run "$fio" --metrics-file=m.prom --name=e --filename=/dev/full --rw=write --size=4k
same 'a failed run: status' $status 1
sound 'a failed run' m.prom
same 'a failed run: errno' "$(metric m.prom job_error)" 28

# While it runs, a reader never sees a part of it.
"$fio" --output-format=json --metrics-file=live.prom --name=a "${null[@]}" --rw=read --numjobs=20 \
	--time_based --runtime=2500ms --thinktime=1ms >out 2>err &
pid=$!
soon [ -s live.prom ]
reads=0
while [ "$(metric live.prom running)" = 1 ] && [ $reads -lt 300 ]; do
	cat live.prom >seen
	sound "read $reads" seen
	last=$(metric seen ios_total)
	reads=$((reads + 1))
	[ "$failed" = 0 ] || break
	sleep 0.02
done
wait $pid
same 'live: status' $? 0
check 'live: it was read' [ $reads -gt 10 ]
check 'live: it moved' [ "$last" -gt 0 ]
check 'live: the end has more' [ "$(metric live.prom ios_total)" -ge "$last" ]
sound 'live: the end' live.prom

# ---- Nowhere to write ----------------------------------------------------------------------------

refused() { # refused FILE REASON
	run "$fio" --metrics-file="$1" --name=a --filename=data --size=64k --rw=write
	same "$1: status" $status 1
	says "$1" "--metrics-file=$1: the file can't be written: $2" err
	check "$1: nothing has begun" [ ! -e data ]
}
refused none/such 'No such file or directory'
refused /dev/null 'it is no regular file'
refused . 'it is no regular file'
ln -s none/such nowhere
refused nowhere 'No such file or directory'
run "$fio" --metrics-file= --name=a "${null[@]}"
says 'no name' 'metrics-file=: error: the name of a file is expected' err

echo old >target
ln -s target link
run "$fio" --metrics-file=link --name=a "${null[@]}"
check 'a link stays one' [ -h link ]
sound 'a link leads there' target

mkdir gone
"$fio" --output-format=json --metrics-file=gone/m --name=a "${null[@]}" --rw=read --time_based \
	--runtime=1500ms >out 2>err &
pid=$!
soon [ -s gone/m ]
rm -r gone
wait $pid
same 'the folder goes: status' $? 1
document 'the folder goes' out
says 'the folder goes' '^fio-like: --metrics-file=gone/m: the file could not be written: No such' err

finish
