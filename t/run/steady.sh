#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Steady state: the window holds what the group did, the figures follow from exactly the data that
# is printed, who has attained it ends with all of its group, and the shape is fio's.

. "$SRCDIR/t/shell.sh"
FIO=${FIO:-fio}

# Would run for a minute; whoever ends before has been ended. Samples come ten times as often.
long=(--ioengine=null --rw=randread --size=1m --thinktime=200us --time_based --runtime=60
	--steadystate_check_interval=100ms)
as_json=(--output-format=json)

go() { # go OUT ARGUMENT... - in the background, all at once
	local out=$1
	shift
	{ timeout -k 5 30 "$fio" "${as_json[@]}" "$@" >$out 2>$out.err || echo "status $?" >>$out.err; } &
}

go dev --name=a "${long[@]}" --steadystate=iops:90% --steadystate_duration=600ms
go slope --name=a "${long[@]}" --ss=bw_slope:60% --ss_dur=500ms
go absolute --name=a "${long[@]}" --ss=bw:1g --ss_dur=400ms
go lat --name=a "${long[@]}" --ss=lat:1s --ss_dur=300ms
go never --name=a "${long[@]}" --runtime=800ms --ss=iops:0 --ss_dur=400ms
go short --name=a "${long[@]}" --runtime=450ms --ss=iops:90% --ss_dur=1
go ramp --name=a "${long[@]}" --runtime=300ms --ss=iops:90% --ss_dur=300ms --steadystate_ramp_time=1h
go group --name=a "${long[@]}" --ss=iops:90% --ss_dur=400ms --numjobs=2 --group_reporting \
	--name=b "${long[@]}" --new_group --group_reporting=0 --ss=iops_slope:0 --ss_dur=400ms --runtime=900ms
go late --name=a "${long[@]}" --ss=iops:95% --ss_dur=300ms --group_reporting \
	--name=b "${long[@]}" --ss=iops:95% --ss_dur=300ms --group_reporting --startdelay=1
go default --name=a "${long[@]}" --runtime=300ms --ss_dur=200ms
{ "$fio" --output-format=normal --name=a "${long[@]}" --ss=iops_slope:95% --ss_dur=300ms; } >normal 2>&1 &
{ "$FIO" --output-format=json,normal --name=a "${long[@]:0:6}" --ss=iops_slope:95% --ss_dur=2; } >fio 2>&1 &
wait

for d in dev slope absolute lat never short ramp group late default; do
	check "$d: went well" [ ! -s $d.err ]
	document "$d" $d
done
of() { # of FILE PATH
	json "$1" "jobs[0].steadystate.$2"
}
ended() { # ended FILE JOB - before its time
	between "$1: job $2 was ended" "$(json "$1" "jobs[$2].job_runtime")" 1 55000
	same "$1: job $2 without an error" "$(json "$1" "jobs[$2].error")" 0
}
list() { # list FILE SERIES - the samples in a line
	local i=0 v
	while v=$(json "$1" "jobs[0].steadystate.data.$2[$i]" 2>/dev/null); do
		echo "$v"
		i=$((i + 1))
	done
}

# ---- Figures follow from the data ----------------------------------------------------------------

figures() { # figures FILE SERIES - "COUNT MEAN DEVIATION SLOPE" by our own arithmetic
	list "$1" "$2" | awk '{ y[NR - 1] = $1; sum += $1 }
		END { mean = sum / NR
			for (i = 0; i < NR; i++) {
				d = y[i] - mean; d = d < 0 ? -d : d; if (d > dev) dev = d
				xy += i * y[i]; x += i; xx += i * i
			}
			printf "%d %d %.6f %.6f\n", NR, mean, dev, (NR * xy - x * sum) / (NR * xx - x * x) }'
}
agrees() { # agrees FILE SERIES SAMPLES
	local n mean dev slope
	read -r n mean dev slope <<<"$(figures "$1" "$2")"
	same "$1: samples" "$n" "$3"
	same "$1: mean" "$(of "$1" data.${2}_mean)" "$mean"
	between "$1: deviation" "$(of "$1" max_deviation)" "$(add "$dev" -0.01)" "$(add "$dev" 0.01)"
	between "$1: slope" "$(of "$1" slope)" "$(add "$slope" -0.01)" "$(add "$slope" 0.01)"
}
add() {
	awk "BEGIN { printf \"%.6f\", $1 + $2 }"
}
agrees dev iops 6
agrees slope bw 5
agrees absolute bw 4
agrees lat lat 3
agrees never iops 4
agrees group iops 4

# ---- Who ends ------------------------------------------------------------------------------------

for d in dev slope absolute lat; do
	same "$d: attained" "$(of $d attained)" 1
	ended $d 0
done
share=$(awk -v d="$(of dev max_deviation)" -v m="$(of dev data.iops_mean)" \
	'BEGIN { printf "%.3f", 100 * d / m }')
between 'dev: criterion' "$(of dev criterion | tr -d %)" "$(add "$share" -0.1)" "$(add "$share" 0.1)"
same 'dev: what was asked for' "$(of dev ss)" 'iops:90.000000%'
same 'absolute: what was asked for' "$(of absolute ss)" 'bw:1073741824.000000'
same 'lat: what was asked for' "$(of lat ss)" 'lat:1000000000.000000'
check 'lat: samples are latencies' [ "$(of lat 'data.lat[2]')" -gt 0 ]
same 'absolute: criterion is the deviation' "$(of absolute criterion)" "$(of absolute max_deviation)"

same 'never: attained' "$(of never attained)" 0
between 'never: its own end' "$(json never jobs[0].job_runtime)" 800 55000
same 'short: attained' "$(of short attained)" 0
same 'short: as long as a full one' "$(list short iops | wc -l)" 10
check 'short: the oldest first' [ "$(of short 'data.iops[0]')" -gt 0 ]
same 'short: what is not there yet is 0' "$(of short 'data.iops[9]')" 0
same 'short: nothing was judged' "$(of short criterion)" '0.000000%'
same 'ramp: nothing was sampled' "$(list ramp iops | paste -sd' ')" '0 0 0'
same 'ramp: attained' "$(of ramp attained)" 0
same 'default: the criterion' "$(of default ss)" 'iops_slope:0.010000%'

# A group is one: its samples are sums, and all of it ends. Others go on.
same 'group: one object' "$(of group attained)" 1
ended group 0
single=$(json group jobs[1].read.iops)
between 'group: the samples are sums' "$(of group data.iops_mean)" \
	"$(awk "BEGIN { print $single * 1.2 }")" 1e9
same 'group: the other group' "$(json group jobs[1].steadystate.attained)" 0
between 'group: to its own end' "$(json group jobs[1].job_runtime)" 900 55000

# Nothing is judged until the last of the group is at work.
same 'late: attained' "$(of late attained)" 1
between 'late: both were at work' "$(json late 'jobs[0].job_runtime')" 1200 100000

# ---- As fio writes it ----------------------------------------------------------------------------

keys() { # keys FILE - of the object, in order
	sed -n '/^      "steadystate" : {/,/^      }/s/^ *\("[a-z_]*" : [^ 0-9-]*\).*/\1/p' "$1" |
		sed 's/ : "[a-z].*/ : text/; s/ : ".*/ : text/'
}
check 'fio: it attained its steady state' grep -q '"attained" : 1' fio
same 'the keys of fio' "$(keys dev)" "$(keys fio)"
line='^  steadystate  : attained=yes, bw=[0-9.]*[KMG]iB/s ([0-9.]*[kMG]B/s), iops=[0-9.kM]*,'
says 'fio: its line' "$line iops slope=-*[0-9.]*%\$" fio
says 'our line' "$line iops slope=-*[0-9.]*%\$" normal

# ---- What is refused, and what is remarked on ----------------------------------------------------

refused() { # refused PATTERN ARGUMENT...
	local pattern=$1
	shift
	run "$fio" --name=a --ioengine=null --rw=read --size=4k "$@"
	same "$*: status" $status 1
	says "$*" "$pattern" err
}
refused "steadystate=iops: the limit is missing, as in iops:5%" --ss=iops --ss_dur=2
refused "did you mean 'iops_slope'" --ss=iops_slop:5% --ss_dur=2
refused "steadystate=bw:fast" --ss=bw:fast --ss_dur=2
refused 'no sample fits' --ss=iops:5% --ss_dur=500ms
refused 'more than 1000000 samples' --ss=iops:5% --ss_dur=10d --ss_interval=100ms
refused 'steadystate_check_interval' --ss=iops:5% --ss_dur=2 --ss_interval=1ms
refused 'no latency is measured' --ss=lat:5% --ss_dur=2 --gtod_reduce=1
run "$fio" "${as_json[@]}" --name=a --ioengine=null --rw=read --size=4k --ss=iops:5%
same 'without a window: status' $status 0
says 'without a window: a note' 'no effect without steadystate_duration' out
check 'without a window: no object' [ -z "$(json out jobs[0].steadystate 2>/dev/null)" ]
finish
