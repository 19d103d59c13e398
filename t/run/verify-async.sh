#!/bin/bash
# SPDX-License-Identifier: MIT
#
# verify_async: what is read is judged by threads of its own, and told, counted and ended with as
# without them.

. "$SRCDIR/t/shell.sh"

out() { # out PATH - of the last document
	json out "jobs[0].$1"
}
go() { # go STATUS ARGUMENT...
	run_to "$1" "$fio" --output-format=json --name=a --filename=f --size=512k --bs=4k "${@:2}"
}
damage() { # damage BYTE... - each becomes another
	local was at
	for at; do
		was=$(od -An -tu1 -j"$at" -N1 f)
		printf "\\x$(printf %x $((was ^ 64)))" | dd of=f bs=1 seek="$at" conv=notrunc 2>dd.err
	done
}

# ---- Clean, with every engine at every depth --------------------------------------------------

for engine in psync vsync mmap stdio io_uring libaio; do
	"$fio" --enghelp=$engine >eng 2>&1 || { echo "# skipped: no engine $engine"; continue; }
	for how in '--iodepth=1 --rw=write' '--iodepth=7 --rw=randwrite --thread' \
		   '--iodepth=32 --rw=randwrite --norandommap --verify_backlog=5' \
		   '--iodepth=4 --rw=randwrite --bsrange=4k-32k --loops=2' \
		   '--iodepth=8 --rw=randread'; do
		[ "$how" = '--iodepth=8 --rw=randread' ] || rm -f f
		[ -e f ] || case $how in *randread) go 0 --verify=sha1 --rw=write ;; esac
		go 0 --ioengine=$engine --verify=sha1 --verify_async=3 $how
		same "$engine $how" "$(out fio-like.verify.wrong)" 0
		check "$engine $how: some" [ "$(out fio-like.verify.blocks)" -ge 60 ]
	done
done

# ---- As without -------------------------------------------------------------------------------

result() { # result ARGUMENT... - all that has to be the same, sentences in any order
	go "$@" --verify=md5
	for value in error read.total_ios write.total_ios fio-like.verify.blocks \
		     fio-like.verify.wrong fio-like.errors; do
		echo "$value $(out $value)"
	done
	sed -n 's/.*verify: \(file [^:]*\):.*/\1/p' err | sort -u
}
for engine in psync io_uring; do
	rm -f f
	go 0 --verify=md5 --rw=write
	damage 5000 50000 400000
	for how in --rw=read '--rw=read --continue_on_error=verify' '--rw=read --loops=2' \
		   '--rw=write --verify_only' '--rw=write --verify_only --numjobs=1 --thread'; do
		wanted=1
		[ "$how" != "${how%=verify}" ] && wanted=0
		for threads in 0 1 4; do
			result $wanted --ioengine=$engine --iodepth=16 $how \
				--verify_async=$threads >got.$threads
		done
		check "$engine $how: 1 thread" diff got.0 got.1
		# which of them is told as the first one is open
		check "$engine $how: 4 threads" diff <(grep -v ^file got.0) <(grep -v ^file got.4)
		grep -q '^fio-like.verify.wrong [36]$' got.0 || not_ok "$engine $how" got.0
	done
	go 1 --verify=md5 --rw=read --verify_async=2 --verify_fatal=1 --ioengine=$engine
	between "$engine: the first ends it" "$(out read.total_ios)" 2 40
done

# ---- No verdict is lost -----------------------------------------------------------------------

rm -f f
go 0 --verify=sha512 --rw=write --size=8m --bs=1m
damage $((8 * 1048576 - 100))
go 1 --verify=sha512 --rw=read --size=8m --bs=1m --verify_async=4 --iodepth=4 --ioengine=io_uring
same 'the last block' "$(out fio-like.verify.wrong)" 1
for engine in psync io_uring; do
	"$fio" --output-format=json --name=a --filename=f --size=8m --bs=4k --rw=randread --time_based \
		--runtime=30 --norandommap --verify=sha512 --verify_async=2 --iodepth=16 \
		--ioengine=$engine --output=out 2>err &
	sleep 0.4
	kill -INT $!
	wait $!
	document "$engine: stopped" out
	same "$engine: each read has been judged" "$(out fio-like.verify.blocks)" \
		"$(out read.total_ios)"
done

# ---- The threads ------------------------------------------------------------------------------

cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
"$fio" --name=a --filename=f --size=8m --bs=4k --rw=randread --time_based --runtime=30 \
	--verify=sha512 --verify_async=3 --verify_async_cpus="$cpu" >out 2>err &
pid=$!
judges() { # the CPUs of all threads of the worker
	for child in $(children $pid); do
		cat /proc/$child/task/*/status 2>/dev/null
	done | sed -n 's/^Cpus_allowed_list:[^0-9]*//p'
}
# ThreadSanitizer has threads of its own
case ${SANFLAGS-} in
*thread*) four() { [ "$(judges | wc -l)" -ge 4 ]; } ;;
*) four() { [ "$(judges | wc -l)" = 4 ]; } ;;
esac
check 'three threads and the worker' soon four
check 'on their CPU' [ "$(judges | grep -cx "$cpu")" -ge 3 ]
kill -INT $pid
wait $pid
go 1 --verify=md5 --rw=read --verify_async=2 --verify_async_cpus=4095
says 'no such CPU' 'verify_async_cpus' err
go 1 --verify=md5 --rw=read --verify_async=1000
says 'too many' 'verify_async=1000' err
finish
