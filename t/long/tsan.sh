#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Jobs as threads of one process, in a build that finds data races: workers beside each other, each
# with a generator of arrivals, the board by which they serialize overlaps, or threads that judge what
# is read. First it is seen that a race is found at all.

. "$SRCDIR/t/shell.sh"

last() { # last WHY - skip all
	echo "$1"
	exit 77
}

echo 'int main(void) { return 0; }' >try.c
${CC:-cc} -fsanitize=thread -o try try.c 2>/dev/null && ./try 2>/dev/null ||
	last 'no program runs with -fsanitize=thread here'

mkdir build
(cd build && "$SRCDIR/configure" CC="${CC:-cc}" --enable-tsan && make -j2) >log 2>&1 || {
	tail -n 30 log
	not_ok 'a build with --enable-tsan'
	finish
}
fio=$PWD/build/fio-like
export TSAN_OPTIONS=exitcode=66

race_free() { # race_free WHAT - the last run
	if grep -q ThreadSanitizer out err; then not_ok "$1: a race" err; else ok; fi
}

# clean WHAT ARGUMENT... - eight threads, a second, no race
clean() {
	local what=$1
	shift
	run "$fio" --output-format=json --name=a --thread --numjobs=8 --group_reporting --bs=4k \
		--size=4m --time_based --runtime=1 "$@"
	same "$what: status" $status 0
	race_free "$what"
	check "$what: did something" [ "$(($(json out 'jobs[0].read.total_ios') +
		$(json out 'jobs[0].write.total_ios')))" -gt 100 ]
}

# ---- A race is found -----------------------------------------------------------------------------

cat >racy.c <<'END'
#include "fio-like/engine.h"

static uint64_t everybodys;

static int racy_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	everybodys++;
	req->res = (int64_t)req->len;
	return FL_DONE;
}

static const struct fl_engine racy = {
	FL_ENGINE_HEAD, .name = "racy", .caps = FL_CAP_NO_FILES, .queue = racy_queue,
};

FL_ENGINE_EXPORT(&racy);
END
check 'a racy engine builds' ${CC:-cc} -shared -fPIC -g -fsanitize=thread -I "$SRCDIR/include" \
	racy.c -o racy.so
run "$fio" --name=a --thread --numjobs=8 --ioengine=./racy.so --rw=read --size=4m --bs=4k \
	--time_based --runtime=1
says 'a race is found' 'ThreadSanitizer: data race' err
says 'and where' 'racy_queue' err

# ---- There are none ------------------------------------------------------------------------------

head -c 4m /dev/urandom >data
modes=('' --io_submit_mode=offload --serialize_overlap=1
	'--io_submit_mode=offload --serialize_overlap=1')
for engine in null io_uring libaio psync mmap; do
	run "$fio" --name=probe --ioengine=$engine --size=4k --filename=data --rw=read
	[ $status = 0 ] || { echo "# not here: $engine"; continue; }
	for mode in "${modes[@]}"; do
		for rw in randread randrw; do
			clean "$engine $rw $mode" --ioengine=$engine --filename=data --rw=$rw \
				--iodepth=8 $mode
		done
	done
	clean "$engine, batches" --ioengine=$engine --filename=data --rw=randrw --iodepth=32 \
		--iodepth_batch=all --io_submit_mode=offload
	clean "$engine, direct" --ioengine=$engine --filename=data --rw=randwrite --direct=1 \
		--iodepth=8 --io_submit_mode=offload --serialize_overlap=1
	clean "$engine, pauses" --ioengine=$engine --filename=data --rw=randread --iodepth=4 \
		--thinktime=100us --io_submit_mode=offload
	[ $engine != null ] || continue
	clean "$engine, verify_async" --ioengine=$engine --rw=randwrite --iodepth=8 --norandommap \
		--verify=xxhash --verify_async=2 --verify_backlog=16 --trim_percentage=20 \
		--trim_backlog=9
	run "$fio" --name=v --thread --numjobs=4 --bs=4k --size=2m --rw=randwrite --loops=2 \
		--ioengine=$engine --iodepth=8 --verify=sha256 --verify_async=3
	same "$engine, verify_async: status" $status 0
	race_free "$engine, verify_async, loops"
done
clean 'null, faults' --ioengine=null --rw=randrw --iodepth=16 --null_full_one_in=3 \
	--null_short_one_in=5 --null_reorder=1 --null_delay=20us --io_submit_mode=offload \
	--serialize_overlap=1
clean 'a ramp' --ioengine=null --rw=randread --iodepth=8 --ramp_time=200ms --io_submit_mode=offload

# Requests that come home by threads of the engine.
for engine in poster kv; do
	check "$engine builds" ${CC:-cc} -shared -fPIC -g -fsanitize=thread -I "$SRCDIR/include" \
		"$SRCDIR/t/engines/$engine.c" -o $engine.so -pthread
	clean "$engine" --ioengine=./$engine.so --rw=randrw --iodepth=8 --size=1m
	clean "$engine, offload" --ioengine=./$engine.so --rw=randrw --iodepth=8 --size=1m \
		--io_submit_mode=offload --serialize_overlap=1
done

# ---- An end in the middle ------------------------------------------------------------------------

for mode in "${modes[@]}"; do
	"$fio" --output-format=json --name=a --thread --numjobs=8 --ioengine=null --rw=randrw \
		--iodepth=8 --size=4m --time_based --runtime=60 --null_hang_one_in=1000 $mode \
		>out 2>err &
	pid=$!
	sleep 1
	kill -INT $pid
	sleep 0.5
	kill -INT $pid
	status=0
	wait $pid || status=$?
	same "stopped $mode: status" $status 130
	race_free "stopped $mode"
done
finish
