#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Whatever a device does, the totals add up: what was issued is what was completed and what failed,
# the bytes are those of the completed ones, each of which has one latency, in one bin. And a worker
# killed in mid-run costs what it had in flight, no more: of what came back nothing is lost, not a
# bin, whatever it was doing when it died.

. "$SRCDIR/t/shell.sh"

out() { # out PATH
	json out "$1"
}
engine_counter() { # engine_counter NAME
	out "jobs[0].fio-like.engine.counters.$1"
}
both() { # both KEY - of reads and writes
	echo $(($(out "jobs[0].read.$1") + $(out "jobs[0].write.$1")))
}
errors() {
	out 'jobs[0].fio-like.errors'
}
bins() { # bins KIND - how many latencies of this kind lie in bins
	awk -v kind="\"$1\"" '
		$1 == kind { here = 1 }
		here && $1 == "\"bins\"" { on = 1; next }
		on && /}/ { on = here = 0 }
		on { sub(",", "", $3); sum += $3 }
		END { print sum + 0 }' out
}
shares() { # shares WHAT KEY - what is there at all is 0.1 at least
	awk -v key="\"$2\"" '
		$1 == key { on = 1; next }
		on && /}/ { exit }
		on { sub(",", "", $3); sum += $3; lifted += $3 + 0 == 0.1 ? 0.1 : 0 }
		END { exit !(sum > 99.999 && sum < 100.001 + lifted) }' out
	check "$1: $2 adds up" [ $? = 0 ]
}
# go STATUS OPTION... - one job, or several as one, of 4096 bytes each I/O.
go() {
	local wanted=$1
	shift
	run "$fio" --output-format=json+ --group_reporting --name=a --bs=4k "$@"
	same "status of $*" $status "$wanted"
}
# add_up WHAT LOST - issued, completed and failed I/Os. LOST: so many of those issued may be neither,
# which were in flight when the worker died.
add_up() {
	local what=$1 lost=$2 issued completed bad
	issued=$(both total_ios)
	completed=$(both clat_ns.N)
	bad=$(errors)
	between "$what: issued ($issued) less completed ($completed) and failed ($bad)" \
		$((issued - completed - bad)) 0 "$lost"
	same "$what: bytes" "$(both io_bytes)" $((completed * 4096))
	for kind in slat_ns lat_ns; do
		same "$what: $kind" "$(both $kind.N)" "$completed"
	done
	same "$what: bins" "$(bins clat_ns)" "$completed"
	for key in iodepth_level iodepth_submit iodepth_complete; do
		shares "$what" $key
	done
}
exact() { # exact WHAT - nothing is lost
	add_up "$1" 0
}
null=(--ioengine=null --rw=randrw --size=200m)

# ---- One in a thousand ---------------------------------------------------------------------------

for how in '' --thread '--numjobs=2 --size=100m' --iodepth_batch=all \
	'--iodepth_batch=8 --iodepth_low=3'; do
	go 0 "${null[@]}" --iodepth=32 --null_fail_one_in=1000 --continue_on_error=all $how
	exact "1 in 1000 $how"
	same "1 in 1000 $how: issued" "$(both total_ios)" 51200
	same "1 in 1000 $how: errors" "$(errors)" "$(engine_counter injected_errors)"
	between "1 in 1000 $how: share" "$(errors)" 20 90
	same "1 in 1000 $how: depth" "$(engine_counter depth_max)" 32
done

# ---- Storms --------------------------------------------------------------------------------------

storm=("${null[@]}" --size=40m --null_full_one_in=2 --null_short_one_in=3 --null_reorder=1)
for depth in 2 8 64; do
	for how in '' --iodepth_batch=all '--iodepth_batch=4 --iodepth_batch_complete_min=2' \
		'--null_delay=20us' '--null_delay=20us --null_stall=2ms --null_stall_every=10ms' \
		'--null_fail_one_in=50 --continue_on_error=all --null_delay=5us --thread'; do
		go 0 "${storm[@]}" --iodepth=$depth $how
		exact "storm at $depth $how"
		same "storm at $depth $how: issued" "$(both total_ios)" 10240
		between "storm at $depth $how: depth" "$(engine_counter depth_max)" 2 $depth
		check "storm at $depth $how: full" [ "$(engine_counter injected_fulls)" -gt 1000 ]
		check "storm at $depth $how: short" [ "$(engine_counter injected_shorts)" -gt 1000 ]
	done
done

# ---- Slow and deep -------------------------------------------------------------------------------

for batch in 1 all; do
	go 0 "${null[@]}" --size=80m --iodepth=1024 --iodepth_batch=$batch --null_delay=10ms
	exact "10 ms at 1024, batch $batch"
	same "10 ms at 1024, batch $batch: issued" "$(both total_ios)" 20480
	same "10 ms at 1024, batch $batch: depth" "$(engine_counter depth_max)" 1024
	between "10 ms at 1024, batch $batch: fastest" "$(out 'jobs[0].read.lat_ns.min')" 10000000 \
		30000000
	between "10 ms at 1024, batch $batch: runtime" "$(out 'jobs[0].read.runtime')" 195 3000
done
go 0 "${null[@]}" --iodepth=1024 --null_delay=10ms --time_based --runtime=300ms
exact '10 ms at 1024, ended by time'

# ---- Killed --------------------------------------------------------------------------------------

head -c 4m /dev/urandom >data
engines=null
for engine in io_uring libaio; do
	! has_engine $engine || engines="$engines $engine"
done

# The process that does the I/O is the one with the most CPU time, of those the run started.
worker_of() { # worker_of PID - once it has begun
	local pid
	for pid in $(descendants "$1"); do
		awk -v pid="$pid" '$14 + $15 > 5 { print $14 + $15, pid }' "/proc/$pid/stat" \
			2>/dev/null
	done | sort -n | sed -n '$s/.* //p'
}
descendants() { # descendants PID
	local pid
	for pid in $(children "$1"); do
		echo "$pid"
		descendants "$pid"
	done
}
begun() {
	[ -n "$(worker_of "$main")" ]
}
for engine in $engines; do
	"$fio" --output-format=json+ --name=a --bs=4k --ioengine="$engine" --filename=data \
		--rw=randread --size=4m --time_based --runtime=20 --iodepth=32 >out 2>err &
	main=$!
	soon begun || not_ok "killed, $engine: it never began"
	kill -KILL "$(worker_of $main)"
	status=0
	wait $main || status=$?
	same "killed, $engine: status" $status 1
	document "killed, $engine" out
	says "killed, $engine" '[Kk]ill' err
	check "killed, $engine: something was measured" [ "$(both total_ios)" -gt 100 ]
	add_up "killed, $engine" 32
done

# ---- A device that fails -------------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! command -v losetup >/dev/null || ! losetup -f >/dev/null 2>&1; then
	echo '# no loop devices without root: their errors are not tried'
	finish
fi
truncate -s 8m disk
dev=$(losetup -f --show disk) || { echo '# losetup failed'; finish; }
exec 9<"$dev"
losetup -d "$dev"	# when descriptor 9 is closed
truncate -s 6m disk
for engine in $engines; do
	[ "$engine" != null ] || continue
	for how in '--rw=randread' '--rw=randread --direct=1' \
		'--rw=randread --direct=1 --iodepth_batch=all' \
		'--rw=read --direct=1 --iodepth_batch=8'; do
		go 0 --ioengine="$engine" --filename="$dev" --size=8m --iodepth=32 \
			--continue_on_error=all $how
		exact "loop, $engine $how"
		same "loop, $engine $how: issued" "$(both total_ios)" 2048
		same "loop, $engine $how: errors" "$(errors)" 512
		same "loop, $engine $how: depth" "$(engine_counter depth_max)" 32
	done
done
exec 9<&-
finish
