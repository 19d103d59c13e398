# SPDX-License-Identifier: MIT
#
# Large numbers of everything: that what is told of them is complete and true, and what they take.
# To be sourced behind t/shell.sh; t/long/scale.sh and t/soak/scale.sh say how large. Each function
# is a case; scale_table prints what they came to, beside FIO (fio), where it can do the same and
# theirs=yes asks for it.

watch=$BUILDDIR/t/bench/watch
clock=$PWD/clock.so
theirs=${theirs:-no}
other=$(command -v "${FIO:-fio}" || true)
case ${SANFLAGS-} in
'') sanitized=no ;;
*) sanitized=yes ;;
esac

# ---- Running, and the table --------------------------------------------------------------------

# went WANTED COMMAND... - with this exit status, leaving no process: took total processes largest
# parent worker, times in s, memory in MiB
went() {
	local wanted=$1
	shift
	status=0
	rm -f result
	"$watch" peak "$@" >watched 2>said || status=$?
	read -r took total processes largest parent worker left <watched
	same "status of $*" "$status" "$wanted"
	[ "$status" = "$wanted" ] || head -n 5 said
	same "processes left by $*" "$left" 0
}

# beside COMMAND... - what the other program needs for it: $beside
beside() {
	local took mib processes largest
	beside=-
	[ "$theirs" = yes ] && [ -n "$other" ] || return 0
	if "$watch" 0 timeout 900 "$other" "$@" --output=theirs >theirs.watched 2>theirs.said; then
		read -r took mib processes largest <theirs.watched
		beside="$took s, $largest MiB"
	elif [ $? = 124 ]; then
		beside='not done after 900 s'
	else
		beside=$(grep -m 1 '[a-z]' theirs.said | cut -c 1-60)
		beside="ends: ${beside:-its result has an error}"
	fi
	rm -f theirs
}

row() { # row CASE ASKED CAME - of the last run
	printf '%s|%s|%s|%s|%s|%s|%s|%s\n' "$1" "$2" "$3" "$parent" "$worker" "$total" "$took" \
		"$beside" >>table
	beside=-
}
beside=-

scale_table() {
	echo
	{
		echo 'case|asked|came|parent MiB|worker MiB|all MiB|s|fio'
		cat table
	} | awk -F '|' '
		{
			for (i = 1; i <= NF; i++) {
				cell[NR, i] = $i
				if (length($i) > width[i])
					width[i] = length($i)
			}
		}
		END {
			for (n = 1; n <= NR; n++) {
				for (i = 1; i <= 8; i++)
					printf i < 4 || i == 8 ? "%-*s  " : "%*s  ", width[i],
						cell[n, i]
				print ""
			}
		}' | sed 's/ *$//; s/^/| /'
	echo
}

# MiB of resident memory at most; a sanitizer's own is not counted.
below() { # below WHAT MIB LIMIT
	[ $sanitized = yes ] || between "$1: MiB" "$2" 0 "$3"
}

# sums WHAT WORD=NUMBER... - of all jobs of the result, as tally tells them
sums() {
	local what=$1 pair
	shift
	"$TOOLS/tally" result >tallied 2>untrue || not_ok "$what: unsound jobs" untrue
	for pair; do
		same "$what: ${pair%=*}" "$(sed -n "s/^${pair%=*} //p" tallied)" "${pair#*=}"
	done
}

# ---- Many jobs ---------------------------------------------------------------------------------

# In normal output: so many results with so many I/Os in all, and groups of so many MiB.
text_says() { # text_says WHAT RESULTS IOS MIB-OF-EACH-GROUP...
	local what=$1 results=$2 ios=$3 told wanted
	shift 3
	same "$what: results" "$(grep -c '^[^ ].*: (groupid=.*: err= 0: ' result)" "$results"
	same "$what: I/Os" "$(awk '/issued rwts: total=/ { sub(".*total=", ""); n += $0 + 0 }
		END { print n + 0 }' result)" "$ios"
	same "$what: groups" "$(grep -c '^Run status group' result)" $#
	told=$(awk 'match($0, "READ: .* io=[0-9.]*[KMGT]iB") {
			v = substr($0, RSTART, RLENGTH)
			sub(".* io=", "", v)
			print v * (v ~ "G" ? 1024 : v ~ "K" ? 1 / 1024 : 1)
		}' result)
	for wanted; do
		between "$what: MiB of a group" "${told%%$'\n'*}" \
			"$(awk "BEGIN { print $wanted * .995 }")" \
			"$(awk "BEGIN { print $wanted * 1.005 }")"
		told=${told#*$'\n'}
	done
}

# scale_clones THREADS|PROCESSES JOBS - numjobs
scale_clones() {
	local how=$1 jobs=$2 ios what
	local args=(--name=clone --numjobs="$2" --ioengine=null --rw=read --size=1m --bs=4k)
	[ "$how" = processes ] || args+=(--thread=1)
	ios=$((jobs * 256))
	what="$jobs clones as $how"

	went 0 "$fio" "${args[@]}" --output-format=json --output=result
	sums "$what" jobs="$jobs" names=1 workers="$jobs" errors=0 untrue=0 read_ios=$ios \
		read_bytes=$((ios * 4096)) read_least=256 read_most=256 write_ios=0
	below "$what, for a job" "$(awk "BEGIN { print $largest / $jobs }")" 0.4
	beside "${args[@]}" --output-format=json
	row "clones as $how, json" "$jobs jobs" "$(sed -n 's/^jobs //p' tallied) true"
	went 0 "$fio" "${args[@]}" --output-format=json --output=result --group_reporting
	sums "$what in a group" jobs=1 names=1 workers="$jobs" errors=0 untrue=0 read_ios=$ios \
		read_bytes=$((ios * 4096))
	row "clones as $how, grouped" "$jobs jobs" "$(sed -n 's/^workers //p' tallied) in 1"
	went 0 "$fio" "${args[@]}" --output=result
	text_says "$what, as text" "$jobs" $ios "$jobs"
	row "clones as $how, text" "$jobs jobs" "$(grep -c groupid= result) results"
	went 0 "$fio" "${args[@]}" --output=result --group_reporting
	text_says "$what in a group, as text" 1 $ios "$jobs"
}

# scale_sections THREADS|PROCESSES JOBS - each with a section of its own, in ten groups; job i does
# i % 100 + 1 I/Os
scale_sections() {
	local how=$1 jobs=$2 ios what group=$(($2 / 10)) mib=() g
	what="$jobs sections as $how"
	{
		printf '[global]\nioengine=null\nrw=read\nbs=4k\nsize=1m\n'
		[ "$how" = processes ] || echo thread=1
		awk -v jobs="$jobs" -v group=$group 'BEGIN {
			for (i = 0; i < jobs; i++) {
				print "[s" i "]\nnumber_ios=" i % 100 + 1
				if (i && i % group == 0)
					print "new_group"
			}
		}'
	} >sections.fio
	ios=$(awk -v jobs="$jobs" 'BEGIN {
		for (i = 0; i < jobs; i++)
			n += i % 100 + 1
		print n
	}')
	for ((g = 0; g < 10; g++)); do
		mib+=("$(awk -v from=$((g * group)) -v to=$(((g + 1) * group)) 'BEGIN {
			for (i = from; i < to; i++)
				n += i % 100 + 1
			print n / 256
		}')")
	done

	went 0 "$fio" sections.fio --output-format=json --output=result
	sums "$what" jobs="$jobs" names="$jobs" workers="$jobs" errors=0 untrue=0 read_ios="$ios" \
		read_bytes=$((ios * 4096)) read_least=1 read_most=100
	beside sections.fio --output-format=json
	row "sections as $how, json" "$jobs jobs" "$(sed -n 's/^names //p' tallied) true"
	"$jsonq" result 'jobs[0].read.total_ios' "jobs[$((jobs - 1))].read.total_ios" \
		"jobs[$((jobs - 1))].jobname" "jobs[$((jobs - 1))].groupid" >last
	same "$what: first and last" "$(tr '\n' ' ' <last)" \
		"1 $(((jobs - 1) % 100 + 1)) s$((jobs - 1)) 9 "
	went 0 "$fio" sections.fio --output=result
	text_says "$what, as text" "$jobs" "$ios" "${mib[@]}"
	row "sections as $how, text" "$jobs jobs" "$(grep -c '^Run status' result) groups"
}

# ---- Many files --------------------------------------------------------------------------------

# files_left - how many there are in the folder of the case
files_left() {
	find "$many" -type f | wc -l
}

# scale_files FILES - made, used and removed, and stopped while they are made
scale_files() {
	local files=$1 what pid turns=6000 args here rw
	what="$files files"
	# in memory, where there is room: of inodes and of pages
	here=/dev/shm
	[ "$(df --output=iavail $here 2>/dev/null | tail -n 1)" -gt $((files + 1000)) ] &&
		[ "$(df --output=avail -k $here | tail -n 1)" -gt $((files * 5)) ] || here=$PWD
	many=$(mktemp -d "$here/fio-like-scale-XXXXXX")
	trap 'rm -rf "$many"' EXIT
	args=(--name=many --directory="$many" --nrfiles="$files" --filesize=4k --bs=4k
		--openfiles=100 --output-format=json)

	for rw in write read; do
		went 0 "$fio" "${args[@]}" --rw=rand$rw --unlink=1 --output=result
		sums "$what, rand$rw" jobs=1 errors=0 untrue=0 ${rw}_ios="$files" \
			${rw}_bytes=$((files * 4096))
		same "$what: left after rand$rw" "$(files_left)" 0
		below "$what: a thousand" "$(awk "BEGIN { print ($largest - 16) * 1000 / $files }")" \
			0.5
		[ $rw = read ] ||
			beside "${args[@]}" --rw=rand$rw --unlink=1 --alloc-size=4000000
		find "$many" -type f -delete
		row "files, rand$rw, unlink" "$what" "$(awk "BEGIN {
			printf \"%.0f B of memory each\", $largest * 1048576 / $files }")"
	done

	# Stopped in the middle of the layout. What was laid out stays, or goes with unlink.
	rm -f result
	"$watch" peak "$fio" "${args[@]}" --rw=randread --output=result >watched 2>said &
	pid=$!
	until [ "$(files_left)" -gt $((files / 20)) ] || [ $((turns -= 1)) = 0 ]; do
		sleep 0.02
	done
	kill -INT $pid
	status=0
	wait $pid || status=$?
	read -r took total processes largest parent worker left <watched
	same "$what, SIGINT in the layout: status" $status 130
	same "$what, SIGINT in the layout: left" "$left" 0
	document "$what, SIGINT in the layout" result
	same "$what, SIGINT in the layout: I/Os" "$(json result 'jobs[0].read.total_ios')" 0
	between "$what, SIGINT in the layout: files" "$(files_left)" $((files / 20)) $((files - 1))
	row 'files, SIGINT in layout' "$what" "$(files_left) laid out"
	rm -rf "$many"
	trap - EXIT
}

# ---- A large file ------------------------------------------------------------------------------

# scale_sparse TIB IOS FOLDER - so many of its blocks, none twice
scale_sparse() {
	local tib=$1 ios=$2 folder=$3 what args engine=psync rest large
	what="$tib TiB on $(stat -f -c %T "$folder")"
	large=$(mktemp "$folder/fio-like-scale-XXXXXX")
	trap 'rm -f "$large"' EXIT
	truncate -s "${tib}T" "$large" 2>truncated ||
		{ echo "# no file of $what: $(cat truncated)"; rm -f "$large"; return; }
	"$fio" --name=probe --ioengine=io_uring --filename="$large" --rw=read --bs=4k --number_ios=1 \
		>probe 2>&1 && engine=io_uring
	args=(--name=large --filename="$large" --bs=4k --ioengine=$engine --number_ios="$ios"
		--output-format=json --output=result)

	went 0 "$fio" "${args[@]}" --rw=randread --iodepth=16 --write_lat_log=large --log_offset=1
	sums "$what" jobs=1 errors=0 untrue=0 read_ios="$ios" read_bytes=$((ios * 4096))
	same "$what: blocks met twice" "$(awk -F ', ' '{ print $5 }' large_lat.1.log | sort |
		uniq -d | wc -l)" 0
	same "$what: blocks met" "$(wc -l <large_lat.1.log)" "$ios"
	between "$what: their middle, of it" "$(awk -F ', ' -v all="$tib" '{ sum += $5 }
		END { print sum / NR / all / 2 ^ 40 }' large_lat.1.log)" 0.48 0.52
	below "$what, read" "$largest" 64
	row 'sparse file, randread' "$what" "$ios blocks, 0 twice"
	rm -f large_*.log

	# written here and there, and read back
	for rest in '' '--verify_backlog=1000' '--norandommap=1'; do
		ios=$((ios < 20000 ? ios : 20000))
		args[4]=--number_ios=$ios
		truncate -s 0 "$large"
		truncate -s "${tib}T" "$large"
		went 0 "$fio" "${args[@]}" --rw=randwrite --iodepth=16 --verify=crc32c $rest
		same "$what, verified $rest: writes" "$(json result 'jobs[0].write.total_ios')" $ios
		same "$what, verified $rest: reads" "$(json result 'jobs[0].read.total_ios')" $ios
		same "$what, verified $rest: error" "$(json result 'jobs[0].error')" 0
		below "$what, verified $rest" "$largest" 64
		row "sparse file, verify $rest" "$what" "$ios blocks checked"
	done

	# A map of used blocks is for sizes that vary. What would be too large is refused at once.
	went 1 "$fio" "${args[@]}" --rw=randread --bsrange=4k-8k
	says "$what, map too large" 'need a map of [0-9]* MiB, more than' said
	below "$what, map too large" "$largest" 64
	row 'sparse file, 4k-8k, map' "$what" 'refused, says why'
	went 0 "$fio" "${args[@]}" --rw=randread --bsrange=4k-8k --softrandommap=1
	below "$what, softrandommap" "$largest" 64
	same "$what, softrandommap" "$(json result 'jobs[0].read.total_ios')" $ios
	row 'sparse file, 4k-8k, softrandommap' "$what" "$ios blocks"
	went 0 "$fio" "${args[@]}" --rw=randread --bsrange=32k-64k
	below "$what, map of 33 MiB" "$largest" 64
	same "$what, map" "$(json result 'jobs[0].read.total_ios')" $ios
	row 'sparse file, 32k-64k, map' "$what" "$ios blocks"
	rm -f "$large"
	trap - EXIT
}

# ---- Deep queues -------------------------------------------------------------------------------

# scale_depth IOS - with 65536 of them in flight
scale_depth() {
	local ios=$1 args engine depth
	args=(--name=deep --rw=randread --bs=512 --iodepth=65536 --output-format=json)
	for how in '' '--iodepth_batch=all' '--null_reorder=1'; do
		went 0 "$fio" "${args[@]}" --ioengine=null --size=$((ios * 512)) $how --output=result
		sums "depth $how" jobs=1 errors=0 untrue=0 read_ios="$ios" read_bytes=$((ios * 512))
		depth=$(json result 'jobs[0].fio-like.engine.counters.depth_max')
		same "depth $how: in flight" "$depth" 65536
		below "depth $how" "$largest" 320	# a page of buffer for each
		[ -n "$how" ] || beside "${args[@]}" --ioengine=null --size=$((ios * 512))
		row "null $how" 'iodepth 65536' "$depth in flight"
	done
	head -c $((65536 * 1024)) /dev/zero >data
	# It runs, or a sentence says what the limit is and where it lies.
	for engine in io_uring libaio; do
		"$watch" peak "$fio" "${args[@]}" --ioengine=$engine --filename=data \
			--output=result >watched 2>said
		read -r took total processes largest parent worker left <watched
		if [ -s result ] && [ "$(json result 'jobs[0].error')" = 0 ]; then
			sums "depth of $engine" errors=0 untrue=0 read_ios=131072
			depth=$(json result 'jobs[0].fio-like.engine.counters.depth_max')
			same "depth of $engine: in flight" "$depth" 65536
			came="$depth in flight"
		else
			says "depth of $engine: refused" 'iodepth\|aio-max-nr\|memlock\|install' said
			came='refused, says why'
		fi
		beside "${args[@]}" --ioengine=$engine --filename=data
		row "$engine" 'iodepth 65536' "$came"
	done
	rm -f data
}

# ---- Counters ----------------------------------------------------------------------------------

# All bins of a log of histograms.
logged() {
	awk -F ', ' '{ for (i = 4; i <= NF; i++) n += $i } END { printf "%.0f", n }' "$1"
}

metric() { # metric NAME - of reads
	awk -v name="fio_like_$1{" 'index($0, name) == 1 && /read/ { print $NF }' metrics
}

# scale_counts IOS - all that counts them tells the same: as many I/Os of 64 KiB
scale_counts() {
	local ios=$1 bytes=$(($1 * 65536)) how name args
	for how in '' '--iodepth=32'; do
		args=(--name=c --ioengine=null --rw=randread --bs=64k --size=1t --io_size=$bytes)
		went 0 "$fio" "${args[@]}" $how --output-format=json+ --output=result \
			--write_hist_log=c --log_hist_msec=1000 --metrics-file=metrics \
			--write_iops_log=c --write_bw_log=c --log_avg_msec=1000
		name="$ios I/Os $how"
		sums "$name" jobs=1 errors=0 untrue=0 read_ios="$ios" read_bytes=$bytes
		same "$name: in the log of histograms" "$(logged c_clat_hist.1.log)" "$ios"
		same "$name: in the metrics" "$(metric ios_total)" "$ios"
		same "$name: bytes in the metrics" "$(metric bytes_total)" $bytes
		same "$name: latencies in the metrics" \
			"$(awk '/^fio_like_latency_seconds_count.*read.*"clat"/ { print $NF }' metrics)" \
			"$ios"
		# Rates times the times between them: a line is rounded to a ms and one I/O.
		between "$name: in the log of IOPS" "$(awk -F ', ' -v all="$ios" '
			{ n += $2 * ($1 - last) / 1000; last = $1 }
			END { print n / all }' c_iops.1.log)" \
			"$(awk -F ', ' -v ms="$(json result 'jobs[0].read.runtime')" '
				{ last = $1 }
				END { print .99 * (last < ms ? last / ms : 1) - 2 / ms }' \
				c_iops.1.log)" 1.01
		row "counters $how" "$ios I/Os" "$(json result 'jobs[0].read.total_ios') everywhere"
	done
	# A line for each.
	ios=$((ios / 100))
	went 0 "$fio" --name=c --ioengine=null --rw=randread --bs=64k --size=1t \
		--io_size=$((ios * 65536)) --output-format=json+ --output=result --write_lat_log=c
	sums "$ios I/Os logged" read_ios=$ios untrue=0
	awk -F ', ' '
		{ sum += $2; back += $1 < last; last = $1; if (NR == 1 || $2 < least) least = $2
			if ($2 > most) most = $2 }
		END { printf "%d %d %d %d %.6f\n", NR, back, least, most, sum / NR }' c_clat.1.log >sum
	same "$ios I/Os logged: lines, back in time, least, most, mean" "$(cat sum)" \
		"$ios 0 $("$jsonq" result 'jobs[0].read.clat_ns.min' 'jobs[0].read.clat_ns.max' \
			'jobs[0].read.clat_ns.mean' | tr '\n' ' ' | sed 's/ $//')"
	row 'counters, log of each' "$ios I/Os" "$(wc -l <c_clat.1.log) lines, same mean"
	rm -f c_*.log
}

# ---- Long times --------------------------------------------------------------------------------

# of_last PATH - of the only job, in the last of the reports
of_last() {
	"$jsonq" --all result "jobs[0].$1" | tail -n 1
}

# scale_hours HOURS RATE WINDOW-MS - a run of so many hours by a clock that is so many times as fast
scale_hours() {
	local hours=$1 rate=$2 window=$3 ms=$(($1 * 3600000)) what windows log kind n last
	local -A total=([ios]=total_ios [bytes]=io_bytes)
	what="$hours hours"
	windows=$((ms / window))
	if [ $sanitized = yes ] || ! ${CC:-cc} -O1 -fPIC -shared -o "$clock" \
		"$SRCDIR/t/faults/clock.c" -ldl 2>said; then
		echo '# no clock of our own can be preloaded here'
		return
	fi
	went 0 env LD_PRELOAD="$clock" FAULT_CLOCK_RATE="$rate" "$fio" \
		--clocksource=clock_gettime --name=l --ioengine=null --rw=randrw --size=1g \
		--time_based --runtime="${hours}h" --rate_iops=1,1 --bwavgtime="$window" \
		--iopsavgtime="$window" --write_bw_log=l --write_iops_log=l --write_lat_log=l \
		--write_hist_log=l --log_avg_msec="$window" --log_hist_msec="$window" \
		--status-interval=$((hours / 8))h --metrics-file=metrics --eta=always \
		--output-format=json --output=result
	"$jsonq" --all result 'jobs[0].read.runtime' 'jobs[0].read.total_ios' \
		'jobs[0].read.clat_ns.N' 'jobs[0].elapsed' 'jobs[0].eta' |
		paste -d ' ' - - - - - >dumps
	between "$what: reports" "$(wc -l <dumps)" 7 9
	# A step of the fast clock is what the machine takes for a moment: some seconds here.
	last=$(tail -n 1 dumps | cut -d ' ' -f 1)
	between "$what: runtime" "$last" $ms $((ms + ms / 100 + rate * 200))
	between "$what: I/Os" "$(tail -n 1 dumps | cut -d ' ' -f 2)" \
		$((rate > 5000 ? 1 : ms * 95 / 100000)) \
		$((last / 1000 + 2))
	same "$what: I/Os and latencies" "$(awk '$2 < $3 { n++ } END { print n + 0 }' dumps)" 0
	same "$what: elapsed" "$(awk '{ d = $4 - $1 / 1000 } d < -2 || d > 100 + $4 / 50 { n++ }
		END { print n + 0 }' dumps)" 0
	same "$what: time to go" "$(awk -v all=$((ms / 1000)) '
		{ d = all - $1 / 1000 - $5 } d < -all / 20 || d > all / 20 { n++ }
		END { print n + 0 }' dumps)" 0
	for log in l_bw l_iops l_clat l_lat l_clat_hist; do
		# no line is behind the end or before the one above it, and none is missing by much
		awk -F ', ' -v column=$([ $log = l_clat_hist ] && echo 2 || echo 3) '
			{ back += $1 < last[$column]; last[$column] = $1; n[$column]++ }
			END { print back + 0, n[0], n[1], last[0], last[1] }' $log.1.log >lines
		read -r back n0 n1 last0 last1 <lines
		same "$what, $log: back in time" "$back" 0
		for n in $n0 $n1; do
			between "$what, $log: lines" "$n" $((windows * 9 / 10)) $((windows + 2))
		done
		for n in $last0 $last1; do
			between "$what, $log: the last" "$n" $((last - last / 20)) $((last + 1))
		done
	done
	for kind in ios bytes; do
		same "$what: $kind in the metrics" "$(metric ${kind}_total)" "$(of_last read.${total[$kind]})"
	done
	same "$what: in the log of histograms" "$(logged l_clat_hist.1.log)" \
		$(($(of_last read.total_ios) + $(of_last write.total_ios)))
	below "$what" "$largest" 48
	same "$what: strange times to go" "$(tr '\r' '\n' <said | grep -c 'eta -\|eta [0-9]\{5,\}')" 0
	row 'time' "$what, x $rate" "$((last / 1000)) s, $n0 windows"
	rm -f l_*.log
}


# scale_steady RATE - by that clock, ten minutes of ramp and half an hour of steady state in a run
scale_steady() {
	[ -f "$clock" ] || return 0
	went 0 env LD_PRELOAD="$clock" FAULT_CLOCK_RATE="$1" "$fio" \
		--clocksource=clock_gettime --name=s --ioengine=null --rw=randread --size=1g \
		--time_based --runtime=8h --rate_iops=100 --ss=iops_slope:1% --ss_dur=30m \
		--ss_ramp=10m \
		--output-format=json --output=result
	same 'steady state: attained' "$(json result 'jobs[0].steadystate.attained')" 1
	between 'steady state: runtime' "$(json result 'jobs[0].read.runtime')" 2400000 4800000
	row 'steady state' "8 hours, x $1" "attained in $(json result 'jobs[0].read.runtime') ms"
}
