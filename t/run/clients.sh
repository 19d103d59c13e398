#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs that drive fio and read what it wrote: each part does what one of them does, with the
# same flags, job texts, keys and columns, and the same demands on what it reads. None of their
# code is here.
#
# Options that are not there yet are left out, and named.

. "$SRCDIR/t/shell.sh"

has() { # has OPTION|--FLAG - is it there? Says so if not.
	case $1 in
	--*) "$fio" --help | grep -q -e " $1[= ]" ;;
	*) "$fio" --cmdhelp="$1" >/dev/null 2>&1 ;;
	esac && return
	echo "# without $1: it is not there"
	return 1
}
if_has() { # if_has OPTION=VALUE - prints it as a line of a job file
	if has "${1%%=*}" >&2; then echo "$1"; fi
} 2>/dev/null

first_object() { # first_object FILE - what stands between the first { and the last }
	sed -n '/^{/,$p' "$1" | sed '/^}/q'
}
is() { # is WHAT TYPE PATTERN VALUE
	if printf '%s\n' "$4" | grep -qE "$3"; then ok; else not_ok "$1: '$4' is no $2"; fi
}
integer() { is "$1" integer '^-?[0-9]+$' "$2"; }
float() { is "$1" float '^-?[0-9]+\.[0-9]+$' "$2"; }
number() { is "$1" number '^-?[0-9]+(\.[0-9]+)?$' "$2"; }

types() { # types WHAT DOCUMENT <<PATH TYPE... - every path is there with its type, as decoders want
	"$jsonq" --keys "$2" >keys 2>err || { not_ok "$1" err; return; }
	local path type
	while read -r path type; do
		if grep -qxF "$path $type" keys; then ok; else
			not_ok "$1: $path is no $type: $(grep -F "$path " keys | head -n 1)"
		fi
	done
}

head -c 1m /dev/urandom >data

# ---- fio-plot's bench_fio ------------------------------------------------------------------------

bench_fio() {
	local out=logs/randrw-iodepth-4-numjobs-2 kind f
	mkdir logs
	cp data odd:name
	"$fio" --version >version
	says 'bench_fio: the version it asks for' 'fio-3' version
	cat >bench.fio <<-END
		[FIOJOB]
		filename=$PWD/odd\\:name
		ioengine=psync
		rw=randrw
		size=100%%
		bs=4k
		iodepth=4
		numjobs=2
		rwmixread=75
		runtime=1
		loops=1
		time_based=1
		direct=0
		invalidate=1
		log_avg_msec=100
		write_bw_log=$out
		write_lat_log=$out
		write_iops_log=$out

	END
	run "$fio" --output-format=json --output=bench.json bench.fio
	same 'bench_fio: status' $status 0
	check 'bench_fio: not a byte on stderr' [ ! -s err ]
	document 'bench_fio' bench.json
	same 'bench_fio: the escaped colon' "$(ls -d odd*)" odd:name
	for key in 'fio version' jobs; do
		check "bench_fio: $key" json bench.json "$key" >/dev/null
	done
	for key in rw iodepth numjobs; do
		same "bench_fio: $key" "$(json bench.json "jobs[0].job options.$key")" \
			"$(sed -n "s/^$key=//p" bench.fio)"
	done
	for dir in read write; do
		for key in bw iops iops_stddev lat_ns.mean lat_ns.stddev; do
			number "bench_fio: $dir.$key" "$(json bench.json "jobs[0].$dir.$key")"
		done
	done
	same 'bench_fio: buckets' "$(for unit in ns us ms; do
		"$jsonq" --len bench.json "jobs[0].latency_$unit"
	done | paste -sd' ')" '10 10 12'
	number 'bench_fio: usr_cpu' "$(json bench.json 'jobs[0].usr_cpu')"
	number 'bench_fio: sys_cpu' "$(json bench.json 'jobs[0].sys_cpu')"
	# Logs by MODE-iodepth-D-numjobs-N; of each line the first three columns.
	for kind in bw iops lat clat; do
		same "bench_fio: $kind logs" "$(ls logs | grep -cE \
			"^randrw-iodepth-4-numjobs-2_$kind.*\.log\$")" 2
		for f in "$out"_$kind.*.log; do
			check "bench_fio: $f has lines" [ -s "$f" ]
			same "bench_fio: $f" "$(awk -F', ' 'NF < 3 || $1 !~ /^[0-9]+$/ ||
				$2 !~ /^[0-9]+$/ || $3 !~ /^[01]$/' "$f")" ''
		done
	done
	# The precondition run.
	run "$fio" --output-format=json --output=pre.json --name=p --filename=plain --rw=write \
		--size=1m --buffered=1 --randrepeat=0 --norandommap=1 --refill_buffers=1 --loops=2
	same 'bench_fio: precondition' "$(json pre.json 'jobs[0].write.io_bytes')" $((2 << 20))
}

# ---- kbench --------------------------------------------------------------------------------------

kbench() {
	local flags=()
	mkdir -p kb/common
	printf 'verify=0\nrandrepeat=0\nioengine=psync\nruntime=0.6s\nramp_time=0s\ntime_based=1\n' \
		>kb/common/base.fio
	cat >kb/iops.fio <<-'END'
		[global]
		include common/base.fio
		[rand-read-iops]
		stonewall=1
		readwrite=randread
		[rand-write-iops]
		stonewall=1
		readwrite=randwrite
		[seq-read-iops]
		stonewall=1
		readwrite=read
		[seq-write-iops]
		stonewall=1
		readwrite=write
	END
	if has --idle-prof; then flags+=(--idle-prof=percpu); fi
	run "$fio" kb/iops.fio "${flags[@]}" --filename=data --size=1m --output-format=json \
		--output=./temp
	same 'kbench: status' $status 0
	document 'kbench' temp
	same 'kbench: in the order of the file' "$(for i in 0 1 2 3; do
		json temp "jobs[$i].jobname"
	done | paste -sd' ')" 'rand-read-iops rand-write-iops seq-read-iops seq-write-iops'
	for at in 0.read 1.write 2.read 3.write; do
		for key in iops_mean bw_mean lat_ns.mean; do
			value=$(json temp "jobs[${at%.*}].${at#*.}.$key" | cut -d. -f1)
			integer "kbench: $at.$key cut at the point" "$value"
			check "kbench: $at.$key there were samples" [ "$value" -gt 0 ]
		done
	done
	[ ${#flags[@]} = 0 ] || float 'kbench: idleness' "$(json temp cpu_idleness.system)"
	types 'kbench exporter' temp <<-'END'
		timestamp int
		time string
		fio version string
		global options.filename string
		global options.size string
		jobs[0].jobname string
		jobs[0].error int
		jobs[0].elapsed int
		jobs[0].job_runtime int
		jobs[0].latency_depth int
		jobs[0].read.total_ios int
		jobs[0].read.bw_mean float
		jobs[0].read.iops_mean float
		jobs[0].read.lat_ns.mean float
	END
}

# ---- ezfio ---------------------------------------------------------------------------------------

ezfio() {
	local major
	"$fio" -v >v
	"$fio" --version >version
	same 'ezfio: -v and --version' "$(cat v)" "$(cat version)"
	major=$(cut -d- -f2 version)
	is 'ezfio: a version that is one number' number '^[0-9]+\.[0-9]+$' "$major"
	"$fio" --help >help
	says 'ezfio: json+' 'json+' help
	{
		cat <<-END
			[test-$PWD/data]
			readwrite=randrw
			rwmixwrite=30
			bs=4096
			invalidate=1
			end_fsync=0
			group_reporting=1
			direct=0
			filename=$PWD/data
			size=1M
			time_based=1
			runtime=1
			ioengine=null
			numjobs=2
			iodepth=4
			norandommap=1
			randrepeat=0
			thread=1
			exitall=1
			random_generator=lfsr
			write_iops_log=ez
			write_lat_log=ez
			log_avg_msec=100
			log_unix_epoch=0
		END
		if has buffer_compress_percentage >&2; then echo buffer_compress_percentage=50; fi
	} >ez.fio 2>/dev/null
	run "$fio" ez.fio --output-format=json+
	same 'ezfio: status' $status 0
	first_object out >doc
	document 'ezfio' doc
	for dir in read write; do
		n=$(json doc "jobs[0].$dir.clat_ns.N")
		check "ezfio: $dir has samples" [ "$n" -gt 0 ]
		same "ezfio: $dir, bins of all I/Os" "$("$jsonq" --keys doc |
			sed -n "s/^\(jobs\[0\].$dir.clat_ns.bins\.[0-9]*\) int/\1/p" |
			xargs "$jsonq" doc | awk '{ s += $1 } END { print s }')" \
			"$(json doc "jobs[0].$dir.total_ios")"
		number "ezfio: $dir.lat_ns.mean" "$(json doc "jobs[0].$dir.lat_ns.mean")"
	done
	for log in iops clat slat; do
		check "ezfio: ${log} log" [ -n "$(ls ez_$log.*log 2>/dev/null)" ]
		same "ezfio: $log: time, value, direction" "$(cat ez_$log.*log |
			awk -F', *' '$1 !~ /^[0-9]+$/ || $2 !~ /^[0-9]+$/ || $3 !~ /^[01]$/')" ''
	done
	check 'ezfio: writes in the log' grep -q '^[0-9]*, [0-9]*, 1,' ez_clat.1.log
}

# ---- cbt -----------------------------------------------------------------------------------------

cbt() {
	local rate=()
	if has rate_iops; then rate=(--rate_iops=100000); fi
	mkdir cbt
	# One process per job; global options first, the logs behind the name.
	"$fio" --ioengine=psync --direct=0 --bs=4096B --rw=randrw --rwmixread=60 --rwmixwrite=40 \
		--norandommap --size=1M --numjobs=2 --runtime=1 --time_based --ramp_time=0 \
		--iodepth=4 --end_fsync=0 --random_distribution=random "${rate[@]}" --filename=data \
		--name=cbt/fio_0 --write_iops_log=cbt/out --write_bw_log=cbt/out \
		--write_lat_log=cbt/out --log_avg_msec=101 --output-format=json,normal >cbt/output \
		2>cbt/err
	same 'cbt: status' $? 0
	# JSON: from behind the line with "Starting" to the first blank one.
	awk '/Starting/ { on = 1; next } on && /^$/ { exit } on' cbt/output >cbt/json
	document 'cbt: between Starting and the blank line' cbt/json
	same 'cbt: bs, its last letter cut off' "$(json cbt/json 'global options.bs' |
		sed 's/.$//')" 4096
	for key in iodepth rw numjobs runtime rwmixread; do
		check "cbt: global option $key" [ -n "$(json cbt/json "global options.$key")" ]
	done
	for dir in read write; do
		for key in io_bytes bw_bytes total_ios; do
			integer "cbt: $dir.$key" "$(json cbt/json "jobs[0].$dir.$key")"
		done
		for key in iops clat_ns.mean clat_ns.stddev; do
			float "cbt: $dir.$key" "$(json cbt/json "jobs[0].$dir.$key")"
		done
		for p in 50 95 99 99.5 99.9 99.95 99.99; do
			integer "cbt: $dir, percentile $p" "$(json cbt/json "jobs[0].$dir.clat_ns.\
percentile[\"$(printf %.6f $p)\"]")"
		done
	done
	check 'cbt: logs' [ -s cbt/out_bw.1.log ]
	# fio_objectstore_tools: json+ in a file.
	run "$fio" --alloc-size 100000 --output cbt/plus --output-format json+ --name=a \
		--ioengine=null --rw=read --size=1m
	same 'cbt objectstore: status' $status 0
	first_object cbt/plus >doc
	for key in iops_min iops_max clat_ns.min clat_ns.max slat_ns.min slat_ns.max; do
		integer "cbt objectstore: $key" "$(json doc "jobs[0].read.$key")"
	done
	# crimson: single dashes, and the averages out of the text.
	run "$fio" -ioengine=null -direct=1 -iodepth=4 -rw=randwrite -bs=4k -numjobs=1 -runtime=1 \
		-group_reporting -name=fio -time_based=1 -norandommap -size=1m \
		--eta-newline=500ms --eta=always
	same 'cbt crimson: status' $status 0
	for word in lat bw iops; do
		number "cbt crimson: the average of $word" "$(awk -v word=$word '$1 == word' out |
			sed -n 's/.*avg= *\([0-9.]*\),.*/\1/p' | head -n 1)"
	done
}

# ---- diskplorer ----------------------------------------------------------------------------------

diskplorer() {
	local pace=
	if has rate_process; then pace='rate_process=poisson'; fi
	cat >dp.fio <<-END
		[global]
		    runtime=1s
		    time_based=1
		    ramp_time=0
		    filename=$PWD/data
		    direct=0
		    group_reporting
		    ioengine=psync
		    size=1m
		    random_generator=tausworthe64
		    randrepeat=0
		    thread
		[prepare]
		readwrite=write
		blocksize=64KB
		[job(r_idx=1,w_idx=2,write_bw=3,r_iops=4).1]
		readwrite=randread
		blocksize=512
		iodepth=4
		stonewall
		new_group
		$pace
		[job(r_idx=1,w_idx=2,write_bw=3,r_iops=4).2]
		readwrite=write
		blocksize=128KB
	END
	run "$fio" --output-format=json+ --output dp.json dp.fio
	same 'diskplorer: status' $status 0
	document 'diskplorer' dp.json
	same 'diskplorer: a job for each group' "$("$jsonq" --len dp.json jobs)" 2
	same 'diskplorer: named after the first' "$(json dp.json 'jobs[1].jobname')" \
		'job(r_idx=1,w_idx=2,write_bw=3,r_iops=4).1'
	integer 'diskplorer: bandwidth of writes' "$(json dp.json 'jobs[0].write.bw_bytes')"
	float 'diskplorer: both directions' "$(json dp.json 'jobs[1].read.iops')"
	check 'diskplorer: of both jobs' [ "$(json dp.json 'jobs[1].write.total_ios')" -gt 0 ]
	for p in 50 95 99 99.9; do
		integer "diskplorer: percentile $p" "$(json dp.json "jobs[1].read.clat_ns.percentile\
[\"$(printf %.6f $p)\"]")"
	done
}

# ---- kubestr -------------------------------------------------------------------------------------

kubestr() {
	mkdir ks
	cat >ks.fio <<-'END'
		[global]
		randrepeat=0
		verify=0
		ioengine=psync
		direct=0
		gtod_reduce=1
		[job1]
		name=read_iops
		bs=4K
		iodepth=64
		size=1M
		readwrite=randread
		time_based
		ramp_time=0s
		runtime=1s
		[job2]
		name=write_bw
		bs=128k
		iodepth=64
		size=1M
		readwrite=randwrite
		time_based
		ramp_time=0s
		runtime=1s
	END
	run "$fio" --directory ks ks.fio --output-format=json
	same 'kubestr: status' $status 0
	check 'kubestr: stderr is empty' [ ! -s err ]
	document 'kubestr: stdout is the document' out
	same 'kubestr: name=' "$(json out 'jobs[0].jobname')" read_iops
	{
		echo 'fio version string
timestamp int
timestamp_ms int
time string'
		for key in directory randrepeat verify ioengine direct gtod_reduce; do
			echo "global options.$key string"
		done
		for key in groupid error eta elapsed job_runtime ctx majf minf latency_depth \
			latency_target latency_window; do
			echo "jobs[1].$key int"
		done
		for key in usr_cpu sys_cpu latency_percentile; do echo "jobs[1].$key float"; done
		for key in name bs iodepth size rw ramp_time runtime; do
			echo "jobs[1].job options.$key string"
		done
		for dir in read write trim; do
			for key in io_bytes io_kbytes bw_bytes bw runtime total_ios short_ios \
				drop_ios bw_min bw_max bw_samples iops_min iops_max iops_samples; do
				echo "jobs[1].$dir.$key int"
			done
			for key in iops bw_agg bw_mean bw_dev iops_mean iops_stddev; do
				echo "jobs[1].$dir.$key float"
			done
			for lat in slat_ns clat_ns lat_ns; do
				for key in min max N; do echo "jobs[1].$dir.$lat.$key int"; done
				for key in mean stddev; do
					echo "jobs[1].$dir.$lat.$key float"
				done
			done
		done
		for key in iodepth_level.1 iodepth_level.32 iodepth_submit.4 iodepth_complete.0 \
			latency_ns.2 latency_us.1000 latency_ms.2000; do
			echo "jobs[1].$key float"
		done
		if "$jsonq" out 'disk_util[0].name' >/dev/null 2>&1; then
			for key in read_ios write_ios read_merges write_merges read_ticks \
				write_ticks in_queue; do
				echo "disk_util[0].$key int"
			done
			echo 'disk_util[0].util float'
		fi
	} >wanted
	types 'kubestr' out <wanted
	# int32 for some, and what is printed only where something moved.
	for key in ctx majf minf job_runtime latency_depth; do
		between "kubestr: $key fits" "$(json out "jobs[0].$key")" 0 2147483647
	done
	check 'kubestr: something moved' [ "$(json out 'jobs[0].read.bw')" -gt 0 ]
	same 'kubestr: nothing moved there' "$(json out 'jobs[0].write.bw')" 0
}

# ---- Test suites of file systems -----------------------------------------------------------------

xfstests() {
	same 'xfstests: a version to compare' "$("$fio" -v | cut -d- -f2)" 3.42
	"$fio" --enghelp >engines
	for engine in psync mmap null; do
		check "xfstests: engine $engine" grep -qw $engine engines
	done
	printf '[a]\nioengine=psync\nrw=write\nsize=64k\n' >x.fio
	check 'xfstests: a job file that can run' \
		"$fio" --warnings-fatal --showcmd x.fio --alloc-size=131072 >shown
	printf '[a]\nno_such_option=1\n' >bad.fio
	check 'xfstests: one that cannot' \
		[ "$("$fio" --warnings-fatal --showcmd bad.fio >/dev/null 2>&1; echo $?)" != 0 ]
	run "$fio" --ignore_error=,EIO x.fio --output=x.out
	same 'xfstests: status' $status 0
	"$fio" --name=full --filename=/dev/full --rw=write --size=64k >both 2>&1
	says 'xfstests: no space' 'No space left on device' both
	run "$fio" --output-format=json x.fio
	for key in io_bytes bw iops lat_ns.mean lat_ns.N; do
		number "xfstests perf: write.$key" "$(json out "jobs[0].write.$key")"
	done
}

zfs_suite() {
	run "$fio" --ioengine=psync --parse-only
	same 'zfs: is the engine there' $status 0
	run "$fio" --ioengine=no_such --parse-only
	check 'zfs: that one is not' [ $status != 0 ]
	printf '[job]\nfilename=${FILE_NAME}\nrw=${RW}\nsize=64k\nnumjobs=${JOBS}\n' >z.fio
	run env FILE_NAME="$PWD/zdata" RW=write JOBS=2 "$fio" --output-format=json --output=z.json \
		z.fio
	same 'zfs: status' $status 0
	same 'zfs: from the environment' "$("$jsonq" --len z.json jobs)" 2
	run "$fio" --rw write --sync 1 --name=s --size 64k --filename=zdata --minimal
	same 'zfs: values parted by blanks' $status 0
	same 'zfs: --minimal' "$(cut -d';' -f1,3,5 out)" '3;s;0'
	if has --aux-path; then
		mkdir aux
		run "$fio" --aux-path=aux --name=v --rw=write --size=64k --verify=crc32c \
			--filename=zdata --verify_state_save=1
		check 'zfs: state in --aux-path' [ -n "$(ls aux/local-*-verify.state 2>/dev/null)" ]
	fi
}

for client in bench_fio kbench ezfio cbt diskplorer kubestr xfstests zfs_suite; do
	$client
done
finish
