#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Logs lose nothing and say what the result says: all I/Os, their latencies, by engine, in processes
# and threads, by windows and as histograms, compressed, with a writer that is too slow, with files
# that cannot be written, and when the worker or the run comes to an early end.

. "$SRCDIR/t/shell.sh"

lines() { # lines FILE
	if [ -f "$1" ]; then grep -c '' "$1"; else echo none; fi
}

# log_run ARGUMENT... - no logs from before; the document is in the file out
log_run() {
	rm -f ./*.log ./*.fz
	run "$fio" --output-format=json "$@"
}

# column FILE N - one column of a log
column() {
	awk -F ', ' -v n="$2" '{ print $n }' "$1"
}

# statistics FILE [DIR] - N, smallest, largest, mean of the values of a direction
statistics() {
	awk -F ', ' -v dir="${2:-0}" '
		$3 == dir {
			if (!n++ || $2 < min) min = $2
			if ($2 > max) max = $2
			sum += $2
		}
		END { printf "%d %d %d %.3f\n", n, min, max, n ? sum / n : 0 }' "$1"
}

# percentiles FILE PERCENT... - by nearest rank
percentiles() {
	local file=$1
	shift
	column "$file" 2 | sort -n | awk -v list="$*" '
		{ v[NR] = $1 }
		END {
			n = split(list, p, " ")
			for (i = 1; i <= n; i++) {
				rank = p[i] / 100 * NR
				k = int(rank)
				if (rank - k > 1e-9 || !k) k++
				print v[k]
			}
		}'
}

in_document() { # in_document PATH - the same of a latency object
	"$jsonq" out "$1.N" "$1.min" "$1.max" "$1.mean" | awk '
		NR < 4 { printf "%s ", $0 } NR == 4 { printf "%.3f\n", $0 }'
}

# agrees WHAT FILE PATH - a per-I/O log and a latency object of the document say the same
agrees() {
	local what=$1 file=$2 path=$3 list='1 50 90 99 99.9' p
	set --
	for p in $list; do
		set -- "$@" "$path.percentile[\"$(printf %.6f "$p")\"]"
	done
	same "$what: N, min, max, mean" "$(statistics "$file")" \
		"$(in_document "$path")"
	percentiles "$file" $list >mine
	"$jsonq" out "$@" >theirs
	# The middle of a bucket is within 1/128 of whatever is in it.
	paste -d ' ' mine theirs >pairs
	check "$what: percentiles" awk '
		{ d = $1 - $2; if (d < 0) d = -d; if (NF != 2 || d > $1 / 128 + 1) exit 1 }
		END { exit NR != 5 }' pairs
}

# ---- Every I/O -----------------------------------------------------------------------------------

log_run --name=j --rw=randread --size=4m --write_lat_log=x --write_bw_log=x --write_iops_log=x \
	--log_offset=1 --lat_percentiles=1
agrees 'psync, clat' x_clat.1.log 'jobs[0].read.clat_ns'
agrees 'psync, lat' x_lat.1.log 'jobs[0].read.lat_ns'
same 'synchronous: no slat' "$(lines x_slat.1.log)" 0
same 'a log of bandwidth: lines' "$(lines x_bw.1.log)" 1024
same 'a log of IOPS: lines' "$(grep -c ', 1, 0, 4096, ' x_iops.1.log)" 1024
same 'every offset once' "$(column x_clat.1.log 5 | sort -n | uniq | awk '
	$1 == (NR - 1) * 4096 { n++ } END { print n }')" 1024
check 'time moves on' sort -c -n -s -k 1,1 <(column x_clat.1.log 1)
paste -d ' ' <(column x_bw.1.log 2) <(column x_clat.1.log 2) >pairs
check 'bandwidth of an I/O is size / clat' awk '
	$2 && $1 != int(4096 * 1000000 / $2) { exit 1 }' pairs
same 'entries in the result' "$(json out 'jobs[0].fio-like.log.entries')" 1024

for engine in null libaio io_uring; do
	[ "$engine" = null ] || "$fio" --enghelp="$engine" >/dev/null 2>&1 || continue
	log_run --name=j --filename=data --ioengine=$engine --iodepth=8 --rw=randread --size=4m \
		--write_lat_log=x --slat_percentiles=1 --lat_percentiles=1
	if [ "$status" != 0 ]; then
		echo "skip: $engine: $(head -n 1 err)"
		continue
	fi
	for kind in slat clat lat; do
		agrees "$engine, $kind" x_$kind.1.log "jobs[0].read.${kind}_ns"
	done
	paste -d ' ' <(column x_slat.1.log 2) <(column x_clat.1.log 2) \
		<(column x_lat.1.log 2) >pairs
	# Each of the three is rounded down by itself.
	check "$engine: lat = slat + clat" awk '
		{ d = $3 - $1 - $2; if (d < 0 || d > 1) exit 1 }' pairs
done

# The loop for everything, and the one with a prep hook.
log_run --name=j --rw=randrw --bsrange=4k-16k --size=4m --write_lat_log=x
for dir in 0 1; do
	name=$([ $dir = 0 ] && echo read || echo write)
	same "mixed: $name" "$(statistics x_clat.1.log $dir | cut -d ' ' -f 1)" \
		"$(json out "jobs[0].$name.total_ios")"
	same "mixed: bytes, $name" "$(awk -F ', ' -v d=$dir '$3 == d { s += $4 } END { print s }' \
		x_clat.1.log)" "$(json out "jobs[0].$name.io_bytes")"
done
log_run --name=j --filename=data --ioengine=mmap --rw=randread --size=4m --write_lat_log=x \
	--lat_percentiles=1 --log_offset=1
agrees 'mmap, clat' x_clat.1.log 'jobs[0].read.clat_ns'
agrees 'mmap, lat' x_lat.1.log 'jobs[0].read.lat_ns'
same 'mmap: every offset once' "$(column x_clat.1.log 5 | sort -u | wc -l)" 1024
log_run --name=j --filename=data --rw=randread --size=4m --write_lat_log=x --fsync=2 \
	--io_submit_mode=offload
agrees 'offload' x_clat.1.log 'jobs[0].read.clat_ns'
log_run --name=j --rw=write --size=64k --fsync=4 --write_iops_log=x
same 'syncs are not logged' "$(lines x_iops.1.log)" 16
log_run --name=j --ioengine=null --rw=read --size=1g --loops=3 --number_ios=1000 --write_lat_log=x
same 'passes' "$(lines x_lat.1.log)" "$(json out 'jobs[0].read.total_ios')"
log_run --name=j --ioengine=null --rw=read --size=1g --ramp_time=200ms --runtime=100ms \
	--time_based --thinktime=100us --write_lat_log=x
same 'a ramp is not logged' "$(lines x_lat.1.log)" "$(json out 'jobs[0].read.total_ios')"
check 'time begins after it' [ "$(tail -n 1 x_lat.1.log | cut -d , -f 1)" -lt 200 ]

log_run --name=j --rw=read --filename=data --size=4m --max_latency=1ns --write_lat_log=x
same 'one that is too slow is logged' "$(lines x_lat.1.log)" \
	"$(json out 'jobs[0].read.total_ios')"

# ---- Names ---------------------------------------------------------------------------------------

log_run --ioengine=null --size=64k --rw=read --name=a --numjobs=2 --write_lat_log \
	--name=b --thread --write_bw_log=y --name=/c/d --write_iops_log
same 'names' "$(echo *.log)" "_c_d_iops.4.log a_clat.1.log a_clat.2.log a_lat.1.log a_lat.2.log $(
	)a_slat.1.log a_slat.2.log y_bw.3.log"
log_run --ioengine=null --size=1m --rw=read --name=a --numjobs=4 --thread --write_lat_log=s \
	--per_job_logs=0
same 'a shared log' "$(grep -c '^[0-9]*, [0-9]*, 0, 4096, 0$' s_lat.log)" 1024
log_run --ioengine=null --size=1m --rw=read --name=a --write_lat_log=s --per_job_logs=0
same 'a shared log begins anew' "$(lines s_lat.log)" 256

# ---- Columns and times ---------------------------------------------------------------------------

log_run --name=j --ioengine=null --iodepth=2 --rw=write --size=64k --write_lat_log=x \
	--log_offset=1 --log_issue_time=1 --log_time_unit=ns --log_prio=1
same 'columns' "$(awk -F ', ' '{ print NF }' x_clat.1.log | sort -u)" 7
paste -d ' ' <(column x_clat.1.log 1) <(column x_clat.1.log 7) <(column x_clat.1.log 2) >pairs
check 'issued + clat = completed' awk '
	{ d = $1 - $2 - $3; if (d < 0 || d > 3) exit 1 }' pairs
same 'issue in slat' "$(column x_slat.1.log 7)" "$(column x_clat.1.log 7)"
same 'none in lat' "$(column x_lat.1.log 7 | sort -u)" 0

before=$(date +%s%3N)
log_run --name=j --ioengine=null --rw=read --size=4k --write_lat_log=x --log_unix_epoch=1
between 'seconds since 1970' "$(column x_lat.1.log 1)" $((before - 1)) $(($(date +%s%3N) + 1))
log_run --name=j --ioengine=null --rw=read --size=4k --write_lat_log=x --log_alternate_epoch=1 \
	--log_alternate_epoch_clock_id=7
uptime=$(awk '{ printf "%d", $1 * 1000 }' /proc/uptime)
between 'time since boot' "$(column x_lat.1.log 1)" $((uptime - 60000)) $((uptime + 1000))

# ---- Windows -------------------------------------------------------------------------------------

log_run --name=j --ioengine=null --rw=randrw --size=1g --time_based --runtime=600ms \
	--thinktime=200us --write_lat_log=x --write_bw_log=x --write_iops_log=x --log_avg_msec=100
for kind in clat lat bw iops; do
	for dir in 0 1; do
		same "windows: $kind, $dir" "$(grep -c "^[0-9]*, [0-9]*, $dir, 0, 0$" \
			x_$kind.1.log)" 6
	done
done
same 'windows of latencies end in time' \
	"$(column x_lat.1.log 1 | sort -nu | head -n 5 | paste -sd ' ')" '100 200 300 400 500'
for dir in read write; do
	# A line's rate, over the time since the line before, sums to all there was.
	awk -F ', ' -v dir="$([ $dir = read ] && echo 0 || echo 1)" '
		$3 == dir { sum += $2 * ($1 - last) / 1000; last = $1 }
		END { print sum }' x_iops.1.log >sum
	json out "jobs[0].$dir.total_ios" >>sum
	between "windows: all I/Os, $dir" \
		"$(awk 'NR == 1 { sum = $1 } END { print sum / $1 }' sum)" 0.97 1.03
done
log_run --name=j --ioengine=null --rw=read --size=1g --time_based --runtime=300ms \
	--thinktime=1ms --write_lat_log=x --write_bw_log=x --log_avg_msec=100 \
	--log_window_value=both --log_offset=1 --lat_percentiles=1
same 'average and largest' "$(awk -F ', ' '{ print NF, ($3 >= $2) }' x_lat.1.log x_bw.1.log |
	sort -u)" '7 1'
same 'the largest of all' "$(column x_lat.1.log 3 | sort -n | tail -n 1)" \
	"$(json out 'jobs[0].read.lat_ns.max')"
log_run --name=j --ioengine=null --rw=read --size=64k --write_lat_log=x --write_bw_log=x \
	--write_iops_log=x --log_avg_msec=10000
same 'shorter than a window' "$(lines x_lat.1.log) $(lines x_bw.1.log) $(lines x_iops.1.log)" \
	'1 1 1'
log_run --name=j --ioengine=null --rw=read --size=8k --thinktime=600ms --thinktime_blocks=1 \
	--write_iops_log=x --log_avg_msec=100
check 'a stall is a line of 0' grep -q '^[0-9]*, 0, 0, 0, 0$' x_iops.1.log
log_run --name=j --ioengine=null --rw=read --size=1g --time_based --runtime=500ms \
	--bwavgtime=100 --write_bw_log=x --log_avg_msec=200
same 'bwavgtime, if it is shorter' "$(lines x_bw.1.log)" 5
check 'and in the result' [ "$(json out 'jobs[0].read.bw_samples')" -ge 3 ]
log_run --bandwidth-log --name=j --ioengine=null --rw=read --size=1g --time_based \
	--runtime=700ms --bwavgtime=200 --numjobs=2
same 'bandwidth of all' "$(lines agg-read_bw.log) $(lines agg-write_bw.log)" '3 3'
same 'bandwidth of all: trims' "$(column agg-trim_bw.log 2 | sort -u)" 0

# ---- Histograms ----------------------------------------------------------------------------------

log_run --name=j --ioengine=null --rw=randrw --size=1g --time_based --runtime=350ms \
	--thinktime=50us --write_hist_log=x --log_hist_msec=100 --output-format=json+
for dir in read write; do
	d=$([ $dir = read ] && echo 0 || echo 1)
	same "histograms: lines, $dir" "$(awk -F ', ' -v d=$d '
		$2 == d && $3 == 4096 && NF == 1859' x_clat_hist.1.log | wc -l)" 4
	same "histograms: N, $dir" "$(awk -F ', ' -v d=$d '
		$2 == d { for (i = 4; i <= NF; i++) n += $i } END { print n }' \
		x_clat_hist.1.log)" "$(json out "jobs[0].$dir.total_ios")"
done
# Bin i of the log is the bucket of the same number in the document.
awk -F ', ' '
	$2 == 0 { for (i = 4; i <= NF; i++) n[i - 4] += $i }
	END {
		for (i = 0; i < 1856; i++) {
			shift = i < 128 ? 0 : int(i / 64) - 1
			value = (i - shift * 64) * 2 ^ shift + int(2 ^ shift / 2)
			if (n[i]) printf "%d %d\n", value, n[i]
		}
	}' x_clat_hist.1.log >mine
"$jsonq" out 'jobs[0].read.clat_ns.bins' | tr -d '{}" \n' | tr ',:' '\n ' | sort -n >theirs
echo >>theirs
same 'histograms: bins' "$(cat mine)" "$(grep . theirs)"
log_run --name=j --ioengine=null --rw=read --size=1m --write_hist_log=x --log_hist_msec=10000 \
	--log_hist_coarseness=6
same 'coarse histograms' "$(awk -F ', ' '
	{ for (i = 4; i <= NF; i++) n += $i; print NF, n }' x_clat_hist.1.log)" '32 256'

# ---- Compressed ----------------------------------------------------------------------------------

log_run --name=j --ioengine=null --iodepth=4 --rw=randwrite --size=8m --write_lat_log=x \
	--write_bw_log=x --log_offset=1 --log_store_compressed=1 --write_hist_log=x \
	--log_hist_msec=1 --log_prio=1
same 'compressed: names' "$(echo *.log*)" \
	'x_bw.1.log.fz x_clat.1.log.fz x_clat_hist.1.log.fz x_lat.1.log.fz x_slat.1.log.fz'
for kind in slat clat lat; do
	"$fio" --inflate-log=x_$kind.1.log.fz >$kind.text
	same "compressed, $kind" \
		"$(grep -c '^[0-9]*, [0-9]*, 1, 4096, [0-9]*, 0x0000$' $kind.text)" 2048
	same "compressed: N, min, max, mean of $kind" "$(statistics $kind.text 1)" \
		"$(in_document "jobs[0].write.${kind}_ns")"
done
"$fio" --inflate-log=x_clat_hist.1.log.fz >hist.text
same 'compressed histograms' "$(awk -F ', ' '{ for (i = 4; i <= NF; i++) n += $i }
	END { print NF, n }' hist.text)" '1859 2048'
check 'smaller' [ "$(stat -c %s x_clat.1.log.fz)" -lt 30000 ]
if command -v fio >/dev/null && [ "$(fio --version)" = fio-3.33 ]; then
	check 'fio reads ours' cmp -s <(fio --inflate-log=x_clat.1.log.fz) clat.text
	mkdir theirs.d
	# fio 3.33 loses its way now and then when it compresses logs
	for _ in 1 2 3 4 5; do
		[ ! -s theirs.d/x_lat.1.log.fz ] || break
		(cd theirs.d && rm -f x_* && fio --name=j --ioengine=null --rw=write --size=1m --write_lat_log=x \
			--log_offset=1 --log_prio=1 --log_store_compressed=1 --output=/dev/null) 2>err
	done
	check 'we read those of fio' cmp -s <("$fio" --inflate-log=theirs.d/x_lat.1.log.fz) \
		<(fio --inflate-log=theirs.d/x_lat.1.log.fz)
	same 'all of it' "$("$fio" --inflate-log=theirs.d/x_lat.1.log.fz | wc -l)" 256
fi
head -c 1000 x_clat.1.log.fz >cut.fz
run "$fio" --inflate-log=cut.fz
same 'a log cut short: status' "$status" 1
says 'a log cut short' 'cut.fz: the file ends in the middle of what is compressed' err
run "$fio" --inflate-log=pairs
says 'no compressed log' 'pairs: this is no compressed log' err
run "$fio" --inflate-log=none.fz
says 'no log' 'none.fz: No such file' err

# ---- What cannot be written ----------------------------------------------------------------------

log_run --name=j --ioengine=null --rw=read --size=1m --write_lat_log=none/x --write_iops_log=x
same 'no such folder: status' "$status" 1
says 'no such folder' '^fio-like: log none/x_clat.1.log: No such file or directory; it is not' err
document 'no such folder' out
same 'no such folder: the result' "$(json out 'jobs[0].read.total_ios')" 256
says 'no such folder: a note' 'log none/x_clat.1.log is incomplete: No such file' out
same 'no such folder: other logs' "$(lines x_iops.1.log)" 256

rm -f ./*.log
ln -s /dev/full x_clat.1.log
run "$fio" --output-format=json --name=j --ioengine=null --rw=read --size=32m --write_lat_log=x
same 'full: status' "$status" 1
same 'full: once on stderr' "$(cat err)" \
	'fio-like: log x_clat.1.log: No space left on device; it is not written'
document 'full' out
same 'full: the result' "$(json out 'jobs[0].read.total_ios')" 8192
same 'full: other logs' "$(lines x_lat.1.log)" 8192

if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=256k none small 2>/dev/null; then
	log_run --name=j --ioengine=null --rw=read --size=256m --write_lat_log=small/x \
		--write_iops_log=x
	same 'a small disk: status' "$status" 1
	says 'a small disk' 'small/x_clat.1.log: No space left on device; what comes is not' err
	same 'a small disk: whole lines' "$(grep -vc '^[0-9]*, [0-9]*, 0, 4096, 0$' \
		small/x_clat.1.log)" 0
	same 'a small disk: the last one is whole' "$(tail -c 1 small/x_clat.1.log)" ''
	same 'a small disk: other logs' "$(lines x_iops.1.log)" 65536
	umount small
else
	echo 'skip: a small disk: no root, or no tmpfs'
fi

# ---- A writer that is too slow -------------------------------------------------------------------

# A reader that sleeps first holds everything up; no latency may contain that.
nap=0.7
tsan && nap=2		# it takes longer to fill a ring
for how in '--ioengine=null' '--ioengine=null --iodepth=4' \
	'--ioengine=psync --filename=data --thinktime=1us'; do
	rm -f ./*.log
	mkfifo x_lat.1.log
	(sleep $nap; exec grep -c '') <x_lat.1.log >count &
	run "$fio" --output-format=json --name=j $how --rw=read --size=4m --loops=100 \
		--number_ios=20000 --write_lat_log=x --log_entries=1024
	wait $!
	same "slow, $how: status" "$status" 0
	same "slow, $how: nothing is lost" "$(cat count) $(lines x_clat.1.log)" \
		"$(json out 'jobs[0].read.total_ios') $(json out 'jobs[0].read.total_ios')"
	check "slow, $how: waits are counted" \
		[ "$(json out 'jobs[0].fio-like.log.waits')" -gt 0 ]
	says "slow, $how: and noted" 'the logs could not be written as fast as I/Os ended' out
	check "slow, $how: no latency contains them" awk \
		-v wait="$(json out 'jobs[0].fio-like.log.wait_seconds')" \
		-v most="$(json out 'jobs[0].read.lat_ns.max')" \
		'BEGIN { exit !(most / 1e9 < wait / 2) }' </dev/null
done

# ---- Early ends ----------------------------------------------------------------------------------

busy() { # busy LOG - something is in it
	[ -s "$1" ]
}

begin() { # begin ARGUMENT... - in the background; its process is $pid
	rm -f ./*.log
	"$fio" --output-format=json --name=j --ioengine=null --rw=read --size=1g --time_based \
		--runtime=60 "$@" >out 2>err &
	pid=$!
}

begin --thinktime=10us --write_lat_log=x
soon busy x_lat.1.log
kill -KILL $(children $pid)
wait $pid
same 'a killed worker: status' $? 1
document 'a killed worker' out
same 'a killed worker: all until then' "$(lines x_lat.1.log) $(lines x_clat.1.log)" \
	"$(json out 'jobs[0].read.total_ios') $(json out 'jobs[0].read.total_ios')"
says 'a killed worker: whole lines' '^[0-9]*, [0-9]*, 0, 4096, 0$' <(tail -n 1 x_lat.1.log)

begin --write_lat_log=x		# the loop that counts and logs by batches
soon busy x_lat.1.log
kill -KILL $(children $pid)
wait $pid
same 'a killed worker, in a batch' "$(lines x_lat.1.log)" "$(json out 'jobs[0].read.total_ios')"

begin --thinktime=10us --write_lat_log=x --write_iops_log=x --write_hist_log=x \
	--log_avg_msec=100 --log_hist_msec=100
soon busy x_lat.1.log
kill -KILL $(children $pid)
wait $pid
same 'a killed worker: histograms' "$(awk -F ', ' '
	{ for (i = 4; i <= NF; i++) n += $i } END { print n }' x_clat_hist.1.log)" \
	"$(json out 'jobs[0].read.total_ios')"
check 'a killed worker: windows' [ "$(lines x_lat.1.log)" -ge 2 ]

for signal in INT TERM; do
	begin --write_lat_log=x --numjobs=2 --group_reporting
	soon busy x_lat.2.log
	kill -$signal $pid
	wait $pid
	check "SIG$signal: status" [ $? -gt 128 ]
	same "SIG$signal: nothing is lost" "$(cat x_lat.?.log | wc -l)" \
		"$(json out 'jobs[0].read.total_ios')"
done

# A reader that never reads: the second signal ends it all the same.
rm -f ./*.log
mkfifo x_lat.1.log
sleep 60 <x_lat.1.log &
reader=$!
rm -f out
"$fio" --output-format=json --name=j --ioengine=null --rw=read --size=1g --time_based \
	--runtime=60 --write_lat_log=x >out 2>err &
pid=$!
soon grep -q ^State:.S /proc/$pid/status
sleep 0.5
kill -INT $pid
sleep 0.2
kill -INT $pid
check 'a stuck log and two signals' soon gone $pid
kill $reader
document 'a stuck log' out
says 'a stuck log' 'the logs are not complete' err
wait

# ---- Memory --------------------------------------------------------------------------------------

begin --write_lat_log=x --write_bw_log=x --write_iops_log=x
soon busy x_lat.1.log
sleep 0.3
peak=$(cat /proc/$pid/status $(children $pid | sed 's,[0-9]*,/proc/&/status,') |
	awk '/^VmHWM/ { kib += $2 } END { print kib }')
kill -INT $pid
wait $pid
[ -n "${SANFLAGS:-}" ] || between 'resident, KiB' "$peak" 1 65536

# ---- Options -------------------------------------------------------------------------------------

refused() { # refused PATTERN ARGUMENT...
	local pattern=$1
	shift
	run "$fio" --parse-only --name=j --ioengine=null --size=4k "$@"
	same "refused: $*" "$status" 1
	says "refused: $*" "$pattern" err
}
refused 'log_hist_coarseness=7: .*0 to 6' --log_hist_coarseness=7
refused 'log_entries=5: .*1024' --log_entries=5
refused 'log_compression=1: .*1k' --log_compression=1
refused 'log_window_value.*avg' --log_max_value=2
refused 'log_time_unit=days: .*ms' --log_time_unit=days
refused 'log_alternate_epoch_clock_id=77: this kernel has no clock' \
	--log_alternate_epoch=1 --log_alternate_epoch_clock_id=77
refused 'log_issue_time=1 needs write_lat_log and log_offset' --log_issue_time=1 --write_lat_log=x
refused 'log_compression_cpus' --log_compression_cpus=4095

noted() { # noted PATTERN ARGUMENT...
	local pattern=$1
	shift
	log_run --name=j --ioengine=null --size=4k "$@"
	same "noted: $*" "$status" 0
	says "noted: $*" "$pattern" out
}
noted 'log_hist_msec has no effect without write_hist_log' --log_hist_msec=100
noted 'stays empty without log_hist_msec' --write_hist_log=x
noted 'gtod_reduce=1 leaves the log empty' --gtod_reduce=1 --write_bw_log=x
noted 'log_compression has no effect without log_store' --write_bw_log=x --log_compression=64k
log_run --name=j --ioengine=null --size=4k --write_bw_log=x --log_compression_cpus=0 \
	--log_store_compressed=1
same 'CPUs for the writer' "$status" 0

finish
