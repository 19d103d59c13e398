#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Workers that die: of an engine's crash, of its exit(), of a kill from outside. Each costs its own
# job (as a thread: the jobs of the thread host), never the report nor the others; what had been
# measured is in the report, and stderr says once what happened.

. "$SRCDIR/t/shell.sh"
# In a build with sanitizers the signal is to do what it does in any other.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:handle_segv=0 UBSAN_OPTIONS=${UBSAN_OPTIONS-}:handle_segv=0
export TSAN_OPTIONS=${TSAN_OPTIONS-}:handle_segv=0

cat >dying.c <<'END'
/* Ends its process after so many requests, in one of several ways. */
#include <fio-like/engine.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

enum { BY_SIGNAL, BY_EXIT, BY_STACK };

struct conf {
	uint64_t after;
	uint32_t way;
};

static uint64_t served;

static uint64_t dive(volatile uint64_t depth)
{
	volatile char room[4096] = { (char)depth };

	return dive(depth + 1) + (uint64_t)room[depth % sizeof(room)];
}

static int dying_queue(struct fl_queue *q, struct fl_req *req)
{
	const struct conf *c = q->opts;

	if (c->after && ++served > c->after) {
		if (c->way == BY_EXIT)
			exit(3);
		if (c->way == BY_STACK)
			return (int)dive(1);
		raise(SIGSEGV);
	}
	nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	req->res = (int64_t)req->len;
	return FL_DONE;
}

static int dying_open(struct fl_queue *q)
{
	q->flags |= FL_QUEUE_SYNC;
	return 0;
}

static const struct fl_opt_value ways[] = {
	{ "signal", BY_SIGNAL, "raise(SIGSEGV)" },
	{ "exit", BY_EXIT, "exit(3)" },
	{ "stack", BY_STACK, "endless recursion" },
	{ NULL, 0, NULL },
};

static const struct fl_opt options[] = {
	{ .name = "after", .type = FL_OPT_U64, .offset = offsetof(struct conf, after),
	  .help = "requests served before; 0 is no end" },
	{ .name = "way", .type = FL_OPT_ENUM, .offset = offsetof(struct conf, way),
	  .values = ways, .help = "how it ends" },
};

static const struct fl_engine dying = {
	FL_ENGINE_HEAD, .name = "dying", .help = "dies", .caps = FL_CAP_NO_FILES,
	FL_ENGINE_OPTS(struct conf, options),
	.open = dying_open, .queue = dying_queue,
};

FL_ENGINE_EXPORT(&dying);
END
$CC -shared -fPIC -O0 ${SANFLAGS-} -I"$SRCDIR/include" dying.c -o dying.so 2>cc.err ||
	{ not_ok 'the engine compiles' cc.err; finish; }

engine=(--ioengine=./dying.so)
lasting=(--rw=read --size=1m --time_based --runtime=1)

ios() { # ios JOB
	json out "jobs[$1].read.total_ios"
}

# A job that dies beside one that does not: dies NAME WORDS ARGUMENT...
dies() {
	local what=$1 words=$2
	shift 2
	run "$fio" --output-format=json --name=dying "${engine[@]}" "${lasting[@]}" "$@" \
		--name=other "${engine[@]}" "${lasting[@]}"
	same "$what: status" $status 1
	document "$what" out
	between "$what: measured, perhaps with the one in flight" "$(ios 0)" 500 501
	same "$what: those that ended" "$(json out 'jobs[0].read.clat_ns.N')" 500
	check "$what: a runtime" [ "$(json out 'jobs[0].read.runtime')" -gt 40 ]
	check "$what: failed" [ "$(json out 'jobs[0].error')" -gt 0 ]
	check "$what: the other went on" [ "$(ios 1)" -gt 1000 ]
	same "$what: the other is well" "$(json out 'jobs[1].error')" 0
	same "$what: said once" "$(grep -c '^fio-like: job dying: ' err)" 1
	says "$what: in words" "^fio-like: job dying: .*$words" err
}

dies 'a crash' 'signal 11 (Segmentation fault)' --after=500 --way=signal
dies 'exit()' 'exited with status 3' --after=500 --way=exit
dies 'stack' 'signal 11 (Segmentation fault)' --after=500 --way=stack

# ---- Threads -----------------------------------------------------------------------------------

run "$fio" --output-format=json --thread=1 --name=dying "${engine[@]}" "${lasting[@]}" --after=500 \
	--name=beside "${engine[@]}" "${lasting[@]}" \
	--name=other --thread=0 "${engine[@]}" "${lasting[@]}"
same 'threads: status' $status 1
document 'threads' out
for i in 0 1; do
	check "threads: job $i failed" [ "$(json out "jobs[$i].error")" -gt 0 ]
	check "threads: job $i has measured" [ "$(ios $i)" -gt 50 ]
done
same 'threads: a process is not touched' "$(json out 'jobs[2].error')" 0
check 'threads: a process went on' [ "$(ios 2)" -gt 1000 ]
same 'threads: said' "$(grep -c 'Segmentation fault' err)" 2

# ---- Later jobs --------------------------------------------------------------------------------

run "$fio" --output-format=json --name=dying "${engine[@]}" "${lasting[@]}" --after=5 \
	--name=later --stonewall "${engine[@]}" "${lasting[@]}" --runtime=200ms
same 'later: status' $status 1
check 'later: it ran' [ "$(ios 1)" -gt 100 ]

# ---- From outside ------------------------------------------------------------------------------

null=(--ioengine=null --rw=read --size=1m --time_based --runtime=60 --thinktime=1ms)
two_workers() {
	[ "$(children $pid | wc -w)" = 2 ]
}

"$fio" --output-format=json --name=a "${null[@]}" --runtime=1 --name=b "${null[@]}" --runtime=1 \
	>out 2>err &
pid=$!
soon two_workers
sleep 0.4
kill -KILL "$(children $pid | cut -d' ' -f2)"
wait $pid
same 'killed: status' $? 1
document 'killed' out
same 'killed: the first went on' "$(json out 'jobs[0].error')" 0
check 'killed: the second had measured' [ "$(ios 1)" -gt 50 ]
between 'killed: its runtime' "$(json out 'jobs[1].read.runtime')" 200 800
says 'killed: in words' '^fio-like: job b: the worker .*signal 9 (Killed)' err

# The parent is killed: nobody stays behind.
("$fio" --output-format=json --name=a "${null[@]}" --name=b "${null[@]}" --thread >out 2>err &
	echo $! >pid; wait) 2>/dev/null &
soon [ -s pid ]
pid=$(cat pid)
soon two_workers
workers=$(children $pid)
kill -KILL $pid
soon gone $workers || not_ok "parent killed: workers left behind: $workers"
check 'parent killed: no worker is left' gone $workers

# ---- No process to be had ----------------------------------------------------------------------

# The limit counts all processes of a user, so this user has to be one of our own.
limited() {
	setpriv --reuid=64123 --clear-groups bash -c 'ulimit -u 2; exec "$0" "$@"' "$@"
}
# By its descriptor, since the way to it may be closed to others.
cp "$fio" fio-copy && chmod 755 fio-copy && exec 7<fio-copy
if [ "$(id -u)" = 0 ] && limited /proc/self/fd/7 --version >/dev/null 2>&1; then
	status=0
	limited /proc/self/fd/7 --output-format=json --numjobs=3 --name=a "${null[@]}" \
		--runtime=300ms >out 2>err || status=$?
	same 'no process: status' $status 1
	document 'no process' out
	same 'no process: errno' "$(json out 'jobs[2].error')" 11
	same 'no process: the first ran' "$(json out 'jobs[0].error')" 0
	says 'no process: in words' \
		'job a: the worker process could not be started: Resource temporarily' err
else
	echo 'not tried: a limit of processes needs root and setpriv'
fi

finish
