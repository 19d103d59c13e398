#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Two hundred runs of what job files are made of, drawn by a seed: fifty that end well, fifty in
# which I/O fails, fifty that are refused, fifty that a signal ends at any moment. Stdout is one
# document that keeps the schema, or with jsonl lines that add up; a refused run prints nothing.
# Then where nothing can be written: what can be, is complete.

. "$SRCDIR/t/shell.sh"

RANDOM=${SEED:-20101}
draw() { # draw WORD... - one of them, in $drawn
	drawn=${*:RANDOM % $# + 1:1}
}

# Arguments of one to three jobs, in $args. None takes long.
make_jobs() {
	local n=$((RANDOM % 3 + 1)) i
	args=(--size=64k)
	for i in 1 2 3 4; do
		draw '' '' --group_reporting --thread --randrepeat=0 --lat_percentiles=1 \
			--slat_percentiles=1 --clat_percentiles=0 --gtod_reduce=1 --disable_clat=1 \
			--percentile_list=50:99:99.99 --unified_rw_reporting=both \
			--unified_rw_reporting=1 --bwavgtime=10 --continue_on_error=all \
			'--description=a "b" \ c' --disk_util=0 --cache_stats=0
		[ -z "$drawn" ] || args+=("$drawn")
	done
	for ((i = 0; i < n; i++)); do
		draw null null null psync sync mmap pvsync
		args+=("--name=j$i" "--ioengine=$drawn")
		draw read write randread randwrite rw randrw randrw
		args+=("--rw=$drawn")
		draw 1 1 2 4 16
		args+=("--iodepth=$drawn")
		draw 4k 4k 512 1k-8k 16k
		case $drawn in *-*) args+=("--bsrange=$drawn") ;; *) args+=("--bs=$drawn") ;; esac
		draw '' '' --numjobs=3 --fsync=4 --loops=3 --stonewall --new_group --nrfiles=3 \
			--bs_unaligned=1 --number_ios=5 --thinktime=10 --startdelay=10ms
		[ -z "$drawn" ] || args+=("$drawn")
	done
}
draw_format() {
	draw json json json+ jsonl
	format=$drawn
}
looks_right() { # looks_right WHAT - stdout of a run that was not refused
	if [ "$format" = jsonl ]; then
		if "$TOOLS/sums" out >why 2>&1 && keeps_schema "$1" out; then ok; else
			not_ok "$1: lines" why err
		fi
	else
		document "$1" out
	fi
}

for ((turn = 0; turn < 50; turn++)); do
	make_jobs
	draw_format
	what="well $turn: --output-format=$format ${args[*]}"
	rm -f j*
	run "$fio" --output-format=$format "${args[@]}"
	same "$what: status" $status 0
	looks_right "$what"

	make_jobs
	draw_format
	draw '--ioengine=null --null_fail_one_in=3' '--filename=/dev/full --rw=write' \
		'--ioengine=null --null_fail_one_in=1 --null_error=ENOSPC --iodepth=8' \
		'--ioengine=psync --rw=write --filesize=1m --fill_device=0 --filename=/dev/full' \
		'--ioengine=null --max_latency=1ns'
	what="fails $turn: --output-format=$format ${args[*]} --name=bad $drawn"
	rm -f j* bad*
	run "$fio" --output-format=$format "${args[@]}" --name=bad --continue_on_error=none $drawn
	check "$what: status" [ $status = 1 ]
	check "$what: says so" [ -s err ]
	looks_right "$what"

	make_jobs
	draw --rw=raed --bs=4kx --iodepth=-1 --no_such=1 --ioengine=nll --percentile_list=101 \
		--filename= --nrfiles=0 --directory=none/such --readonly --unified_rw_reporting=3 \
		'--size=10 --bs=4k --name=late' --numjobs=x '--ioengine=null --null_delay=x' \
		--rwmixread=200 --significant_figures=11
	[ "$drawn" != --readonly ] || args+=(--rw=write)
	what="refused $turn: ${args[*]} $drawn"
	rm -f j*
	run "$fio" --output-format=json "${args[@]}" $drawn
	check "$what: status" [ $status = 1 ]
	same "$what: no document" "$(wc -c <out)" 0
	check "$what: says why" [ -s err ]
	check "$what: no files" [ -z "$(ls j* 2>/dev/null)" ]
done

# ---- Interrupted ---------------------------------------------------------------------------------

has_handlers() { # has_handlers PID - SIGINT is caught, or the process is gone
	local mask
	mask=$(sed -n 's/^SigCgt:.*\(.\)$/\1/p' "/proc/$1/status" 2>/dev/null)
	[ -z "$mask" ] || [ $((0x$mask >> 1 & 1)) = 1 ]
}
for ((turn = 0; turn < 50; turn++)); do
	make_jobs
	draw_format
	draw INT TERM
	signal=$drawn
	draw 0 0.002 0.01 0.03 0.06
	what="SIG$signal $turn after $drawn s: --output-format=$format ${args[*]}"
	rm -f j*
	"$fio" --output-format=$format --status-interval=60 "${args[@]}" --time_based --runtime=30 \
		--thinktime=20 >out 2>err &
	pid=$!
	soon has_handlers $pid
	sleep $drawn
	kill -$signal $pid 2>/dev/null
	wait $pid
	status=$?
	# A job of a few I/Os may have been faster.
	check "$what: status $status" [ $status = 0 -o $status = $((128 + $(kill -l $signal))) ]
	looks_right "$what"
done

# ---- Nowhere to write ----------------------------------------------------------------------------

job=(--name=a --ioengine=null --size=256k --rw=randrw)
whole() { # whole WHAT - log and metrics of $job
	same "$1: the log" "$(cat log_clat.1.log | wc -l)" 64
	check "$1: the metrics" grep -q '^fio_like_running 0$' m.prom
	rm -f log_* m.prom
}
also=(--write_lat_log=log --metrics-file=m.prom)
run "$fio" "${job[@]}" "${also[@]}" --output=/dev/full --output-format=json
same 'full disk: status' $status 1
same 'full disk' "$(cat err)" \
	'fio-like: the results could not be written to /dev/full: No space left on device'
whole 'full disk'
{ "$fio" "${job[@]}" "${also[@]}" --output-format=json 2>err; echo $? >status; } | head -c 10 >got
same 'the reader leaves: what it got' "$(head -n 1 got)" '{'
whole 'the reader leaves'
{ "$fio" "${job[@]}" "${also[@]}" --output-format=json,normal 2>err; echo $? >status; } | :
same 'no reader: status' "$(cat status)" 1
same 'no reader' "$(cat err)" \
	'fio-like: the results could not be written to standard output: Broken pipe'
whole 'no reader'
for where in none/such/file . ''; do
	run "$fio" "${job[@]}" "${also[@]}" --output="$where"
	same "--output=$where: status" $status 1
	check "--output=$where: said" [ -s err ]
	check "--output=$where: nothing has begun" [ ! -e log_clat.1.log ]
done
run "$fio" "${job[@]}" --write_lat_log=none/such/log --metrics-file=m.prom --output-format=json
same 'no folder for the log: status' $status 1
says 'no folder for the log' 'none/such/log_.*: No such file or directory' err
document 'no folder for the log' out
same 'no folder for the log: all I/Os' "$(($(json out 'jobs[0].read.total_ios') +
	$(json out 'jobs[0].write.total_ios')))" 64
if [ "$(id -u)" != 0 ]; then
	mkdir locked
	chmod a-w locked
	run "$fio" "${job[@]}" --output=locked/file
	same 'a locked folder: status' $status 1
	says 'a locked folder' 'locked/file.*Permission denied' err
fi

finish
