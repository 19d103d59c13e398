/* SPDX-License-Identifier: MIT */
/*
 * null: moves nothing and succeeds at once. What it takes is the runner's own cost.
 *
 * With options it is the opposite: a device that fails, comes up short, is slow, stalls, is full,
 * never answers or answers out of order, each at a given rate. All chance comes from the job's
 * seed, so that it happens in the same way every time, and how the runner deals with bad devices
 * can be tried without one.
 *
 * Synchronous at depth 1, asynchronous above. Reads leave the buffer as it was.
 *
 * Delays hardly need sorting: a request is due a fixed time after it came, and a stall moves what
 * is due within it to its end. So due times run forwards, and a ring holds them in order; only
 * those of null_slow are overtaken in it.
 */
#define _GNU_SOURCE 1
#include "fio-like/engine.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

struct null_conf {
	uint64_t delay_ns;
	uint64_t stall_ns;
	uint64_t stall_every_ns;
	uint64_t slow_ns;
	uint32_t slow_one_in;
	uint32_t error;
	uint32_t fail_one_in;
	uint32_t short_one_in;
	uint32_t full_one_in;
	uint32_t hang_one_in;
	uint32_t reorder;
};

static const struct fl_opt_value null_errors[] = {
	{ "EIO", EIO, "input/output error" },
	{ "ENOSPC", ENOSPC, "no space left" },
	{ "EAGAIN", EAGAIN, "would have to wait" },
	{ "EINTR", EINTR, "interrupted" },
	{ "EINVAL", EINVAL, "invalid argument" },
	{ "EACCES", EACCES, "not allowed" },
	{ "ENODEV", ENODEV, "the device is gone" },
	{ "EBUSY", EBUSY, "busy" },
	{ "EROFS", EROFS, "read-only" },
	{ "EDQUOT", EDQUOT, "over quota" },
	{ "EILSEQ", EILSEQ, "a checksum is wrong" },
	{ "ETIMEDOUT", ETIMEDOUT, "timed out" },
	{ "EREMOTEIO", EREMOTEIO, "error of the target" },
	{ .name = NULL },
};

#define ONE_IN(option, member_, help_, more_)						\
	{ .name = option, .type = FL_OPT_U32, .offset = offsetof(struct null_conf, member_),	\
	  .unit = "requests", .help = help_, .more = more_ }
#define MICROSECONDS(option, member_, help_, more_)					\
	{ .name = option, .type = FL_OPT_TIME, .offset = offsetof(struct null_conf, member_),	\
	  .def_unit_ns = 1000, .help = help_, .more = more_ }

static const struct fl_opt null_opts[] = {
	ONE_IN("null_fail_one_in", fail_one_in, "end one in so many requests with an error",
	       "Which ones is up to the job's seed. 0 is never, 1 is always."),
	{
		.name = "null_error", .type = FL_OPT_ENUM, .values = null_errors, .def = "EIO",
		.offset = offsetof(struct null_conf, error),
		.help = "the error of null_fail_one_in",
	},
	ONE_IN("null_short_one_in", short_one_in, "move half of one in so many reads and writes",
	       "Half is rounded down to 512 bytes where that leaves any."),
	ONE_IN("null_full_one_in", full_one_in, "refuse one in so many requests: the queue is full",
	       "Needs iodepth above 1. A queue that holds nothing is never full."),
	ONE_IN("null_hang_one_in", hang_one_in, "never answer one in so many requests",
	       "They come back when the runner, told to stop, cancels what is in flight. Needs "
	       "iodepth above 1."),
	MICROSECONDS("null_delay", delay_ns, "how long each request takes",
		     "The last 60 us are waited for by spinning, "
		     "so that short delays are exact."),
	ONE_IN("null_slow_one_in", slow_one_in, "let one in so many requests take null_slow longer",
	       "Which ones is up to the job's seed; --debug=engine tells them."),
	{
		.name = "null_slow", .type = FL_OPT_TIME, .def_unit_ns = 1000, .def = "10ms",
		.offset = offsetof(struct null_conf, slow_ns),
		.help = "how much longer those of null_slow_one_in take",
	},
	MICROSECONDS("null_stall", stall_ns, "stop answering for so long every null_stall_every",
		     "What would be done within a stall is done at its end. The first stall comes "
		     "one null_stall_every after the start."),
	{
		.name = "null_stall_every", .type = FL_OPT_TIME,
		.offset = offsetof(struct null_conf, stall_every_ns), .min = 100000,
		.max = 3600ull * 1000000000, .def_unit_ns = 1000, .def = "1s",
		.help = "from the start of one stall to that of the next",
	}, {
		.name = "null_reorder", .type = FL_OPT_FLAG,
		.offset = offsetof(struct null_conf, reorder),
		.help = "hand back what is done in random order", .more = "Needs iodepth above 1.",
	},
};

enum {
	COUNT_ERRORS, COUNT_SHORTS, COUNT_FULLS, COUNT_STALLED, COUNT_SLOW, COUNT_HUNG, COUNT_DEPTH
};

static const struct fl_counter null_counters[] = {
	[COUNT_ERRORS] = { .name = "injected_errors", .help = "requests ended with null_error" },
	[COUNT_SHORTS] = { .name = "injected_shorts", .help = "reads and writes cut in half" },
	[COUNT_FULLS] = { .name = "injected_fulls", .help = "times the queue said it was full" },
	[COUNT_STALLED] = { .name = "stalled_requests", .help = "requests held back by a stall" },
	[COUNT_SLOW] = { .name = "slow_requests", .help = "requests that took null_slow longer" },
	[COUNT_HUNG] = { .name = "hung_requests", .help = "requests that were never answered" },
	[COUNT_DEPTH] = { .name = "depth_max", .unit = "requests", .merge = FL_MERGE_MAX,
			  .help = "the most requests that were in flight at once" },
};

struct null {
	bool plain;			/* no options: nothing but the ring is in use */
	bool sync;
	bool timed;			/* requests have due times */
	uint32_t mask;			/* slots of the ring - 1 */
	uint32_t head, tail;		/* of the ring; they only grow */
	uint32_t bag_count;
	uint32_t nr_hung;
	struct fl_req **ring;		/* in the order of queue() */
	uint64_t *due_ns;		/* one for each slot of the ring */
	struct fl_req **bag;		/* null_reorder: what is due, drawn at random */
	struct fl_req **hung;		/* by slot, or NULL: waits for cancel() alone */
	/* of 2^32, what draw() is compared with */
	uint64_t fail_below, short_below, full_below, hang_below, slow_below;
	uint64_t random;
	uint64_t stall_next_ns;		/* the clock at the start of the coming stall */
	const struct null_conf *conf;
};

/* ---- Chance ---------------------------------------------------------------------------------- */

/* Steele, Lea, Flood: SplitMix64 (OOPSLA 2014). The upper half is as good as any 32 bits of it. */
static uint32_t draw(struct null *n)
{
	uint64_t z = n->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) >> 32;
}

static uint64_t one_in(uint32_t count)
{
	return count ? (1ull << 32) / count : 0;
}

/* Says whether this is one of them. Draws only if there can be any. */
static bool strikes(struct null *n, uint64_t below)
{
	return below && draw(n) < below;
}

/* The result of a request, on a device with faults. */
static void settle(struct fl_queue *q, struct null *n, struct fl_req *req)
{
	uint64_t half = req->len / 2;

	req->res = req->op <= FL_OP_TRIM ? (int64_t)req->len : 0;
	if (strikes(n, n->fail_below)) {
		req->res = -(int64_t)n->conf->error;
		q->counters[COUNT_ERRORS]++;
	} else if (req->op <= FL_OP_WRITE && half && strikes(n, n->short_below)) {
		req->res = half < 512 ? half : half & ~511ull;
		q->counters[COUNT_SHORTS]++;
	}
}

/* ---- Time ------------------------------------------------------------------------------------ */

enum { SPIN_NS = 60000 };		/* the timer slack of Linux, and a little */

/*
 * Waits until the clock says until_ns: sleeps as long as that can be trusted, and spins the rest.
 * A signal ends the sleep early, and false says so.
 */
static bool wait_until(const struct fl_host *host, uint64_t until_ns)
{
	uint64_t now_ns;

	while ((now_ns = host->now_ns()) < until_ns) {
		uint64_t left_ns = until_ns - now_ns;
		struct timespec nap;

		if (left_ns <= SPIN_NS)
			continue;
		left_ns -= SPIN_NS;
		nap = (struct timespec){ left_ns / 1000000000, left_ns % 1000000000 };
		if (nanosleep(&nap, NULL))
			return false;
	}
	return true;
}

/* Is this request one of the slow ones? */
static bool is_slow(struct fl_queue *q, struct null *n, const struct fl_req *req)
{
	if (!strikes(n, n->slow_below))
		return false;
	q->counters[COUNT_SLOW]++;
	q->host->log(q, FL_LOG_DEBUG, "slow: operation %u at offset %llu", req->op,
		     (unsigned long long)req->offset);
	return true;
}

/* When a request that comes now is due. */
static uint64_t due_at(struct fl_queue *q, struct null *n, const struct fl_req *req)
{
	bool slow = is_slow(q, n, req);
	uint64_t due_ns = q->host->now_ns() + n->conf->delay_ns + (slow ? n->conf->slow_ns : 0);
	uint64_t stall_ns = n->stall_next_ns;

	if (!n->conf->stall_ns)
		return due_ns;
	while (due_ns >= stall_ns + n->conf->stall_ns)
		stall_ns += n->conf->stall_every_ns;
	if (!slow)		/* those that come next may be due before it */
		n->stall_next_ns = stall_ns;
	if (due_ns < stall_ns)
		return due_ns;
	q->counters[COUNT_STALLED]++;
	return stall_ns + n->conf->stall_ns;
}

/* ---- The queue ------------------------------------------------------------------------------- */

static int null_check(struct fl_queue *q, const struct null_conf *conf)
{
	if (conf->stall_ns && conf->stall_ns >= conf->stall_every_ns)
		return q->host->fail(q, -EINVAL, "null_stall must be shorter than "
				     "null_stall_every");
	if (conf->full_one_in == 1)
		return q->host->fail(q, -EINVAL, "null_full_one_in=1 is a queue that is always "
				     "full: take 2 or more");
	if (q->depth == 1 && (conf->full_one_in || conf->hang_one_in || conf->reorder))
		return q->host->fail(q, -EINVAL, "%s needs iodepth above 1: at depth 1 null is "
				     "synchronous", conf->reorder ? "null_reorder" :
				     conf->full_one_in ? "null_full_one_in" : "null_hang_one_in");
	return 0;
}

static int null_open(struct fl_queue *q)
{
	const struct null_conf *conf = q->opts;
	int err = null_check(q, conf);
	size_t slots = 1;
	struct null *n;

	if (err)
		return err;
	while (slots < q->depth)
		slots *= 2;
	n = q->host->alloc(sizeof(*n) + slots * (3 * sizeof(*n->ring) + sizeof(*n->due_ns)), 64);
	if (!n)
		return -ENOMEM;
	n->due_ns = (uint64_t *)(n + 1);
	n->ring = (struct fl_req **)(n->due_ns + slots);
	n->bag = n->ring + slots;
	n->hung = n->bag + slots;
	n->mask = slots - 1;
	n->conf = conf;
	n->random = q->job->seed;
	n->fail_below = one_in(conf->fail_one_in);
	n->short_below = one_in(conf->short_one_in);
	n->full_below = one_in(conf->full_one_in);
	n->hang_below = one_in(conf->hang_one_in);
	n->sync = q->depth == 1;
	n->slow_below = conf->slow_ns ? one_in(conf->slow_one_in) : 0;
	n->timed = conf->delay_ns || conf->stall_ns || n->slow_below;
	n->plain = !(n->timed || n->fail_below || n->short_below || n->full_below ||
		     n->hang_below || conf->reorder);
	if (n->timed)
		n->stall_next_ns = q->host->now_ns() + conf->stall_every_ns;
	q->priv = n;
	q->flags = n->sync ? FL_QUEUE_SYNC : 0;
	return 0;
}

static void null_close(struct fl_queue *q)
{
	q->host->free(q->priv);
}

static inline uint32_t in_flight(const struct null *n)
{
	return n->tail - n->head + n->bag_count + n->nr_hung;
}

/* One more is in flight. */
static inline void count_depth(struct fl_queue *q, const struct null *n)
{
	uint64_t depth = in_flight(n);

	if (__builtin_expect(depth > q->counters[COUNT_DEPTH], 0))
		q->counters[COUNT_DEPTH] = depth;
}

static inline void keep(struct fl_queue *q, struct null *n, struct fl_req *req)
{
	n->ring[n->tail++ & n->mask] = req;
	count_depth(q, n);
}

/* Behind all that are due before it, or at the same time. */
static void keep_until(struct fl_queue *q, struct null *n, struct fl_req *req, uint64_t due_ns)
{
	uint32_t at = n->tail++;

	for (; at != n->head && n->due_ns[(at - 1) & n->mask] > due_ns; at--) {
		n->due_ns[at & n->mask] = n->due_ns[(at - 1) & n->mask];
		n->ring[at & n->mask] = n->ring[(at - 1) & n->mask];
	}
	n->due_ns[at & n->mask] = due_ns;
	n->ring[at & n->mask] = req;
	count_depth(q, n);
}

static void hang(struct fl_queue *q, struct null *n, struct fl_req *req)
{
	n->hung[req->slot] = req;
	n->nr_hung++;
	q->counters[COUNT_HUNG]++;
	count_depth(q, n);
}

__attribute__((noinline))
static int queue_faulty(struct fl_queue *q, struct null *n, struct fl_req *req)
{
	if (in_flight(n) && strikes(n, n->full_below)) {
		q->counters[COUNT_FULLS]++;
		return -EAGAIN;
	}
	if (strikes(n, n->hang_below)) {
		hang(q, n, req);
		return FL_PENDING;
	}
	settle(q, n, req);
	if (!n->sync) {
		if (n->timed)
			keep_until(q, n, req, due_at(q, n, req));
		else
			keep(q, n, req);
		return FL_PENDING;
	}
	q->counters[COUNT_DEPTH] = 1;
	if (n->timed) {
		uint64_t due_ns = due_at(q, n, req);

		while (!wait_until(q->host, due_ns))
			;		/* a synchronous device finishes what it has begun */
	}
	return FL_DONE;
}

static int null_queue(struct fl_queue *q, struct fl_req *req)
{
	struct null *n = q->priv;

	if (!n->plain)
		return queue_faulty(q, n, req);
	req->res = req->op <= FL_OP_TRIM ? (int64_t)req->len : 0;
	if (n->sync) {
		q->counters[COUNT_DEPTH] = 1;
		return FL_DONE;
	}
	keep(q, n, req);
	return FL_PENDING;
}

/* ---- Handing back ---------------------------------------------------------------------------- */

static bool head_is_due(const struct null *n, uint64_t now_ns)
{
	return n->head != n->tail && (!n->timed || n->due_ns[n->head & n->mask] <= now_ns);
}

/* All that is due goes into the bag, and from there at random into done. */
static uint32_t take_shuffled(struct null *n, uint64_t now_ns, uint32_t max, struct fl_req **done)
{
	uint32_t count = 0;

	while (head_is_due(n, now_ns))
		n->bag[n->bag_count++] = n->ring[n->head++ & n->mask];
	while (count < max && n->bag_count) {
		uint32_t pick = (uint64_t)draw(n) * n->bag_count >> 32;

		done[count++] = n->bag[pick];
		n->bag[pick] = n->bag[--n->bag_count];
	}
	return count;
}

static uint32_t take_in_order(struct null *n, uint64_t now_ns, uint32_t max, struct fl_req **done)
{
	uint32_t count = 0;

	while (count < max && head_is_due(n, now_ns))
		done[count++] = n->ring[n->head++ & n->mask];
	return count;
}

__attribute__((noinline))
static int complete_faulty(struct fl_queue *q, struct null *n, uint32_t min, uint32_t max,
			   int64_t timeout_ns, struct fl_req **done)
{
	uint64_t now_ns = n->timed || n->nr_hung ? q->host->now_ns() : 0;
	uint64_t limit_ns = timeout_ns < 0 ? UINT64_MAX : now_ns + timeout_ns;
	uint32_t count = 0;

	for (;;) {
		uint64_t due_ns = limit_ns;

		count += (n->conf->reorder ? take_shuffled : take_in_order)(n, now_ns, max - count,
									    done + count);
		if (count >= min || now_ns >= limit_ns || (n->head == n->tail && !n->nr_hung))
			return count;
		if (n->head != n->tail)
			due_ns = n->due_ns[n->head & n->mask];
		if (!wait_until(q->host, due_ns < limit_ns ? due_ns : limit_ns))
			return count;
		now_ns = q->host->now_ns();
	}
}

static int null_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			 struct fl_req **done)
{
	struct null *n = q->priv;
	uint32_t count = 0;

	if (!n->plain)
		return complete_faulty(q, n, min, max, timeout_ns, done);
	while (count < max && n->head != n->tail)
		done[count++] = n->ring[n->head++ & n->mask];
	return count;
}

/* Those that hang come back behind what is in the ring; what is late stays late. */
static int null_cancel(struct fl_queue *q, struct fl_req *req)
{
	struct null *n = q->priv;
	uint64_t due_ns = n->timed ? q->host->now_ns() : 0;

	if (n->hung[req->slot] != req)
		return n->timed ? -EALREADY : 0;
	n->hung[req->slot] = NULL;
	n->nr_hung--;
	if (n->timed && n->head != n->tail)
		due_ns = n->due_ns[(n->tail - 1) & n->mask];
	n->due_ns[n->tail & n->mask] = due_ns;
	req->res = -ECANCELED;
	n->ring[n->tail++ & n->mask] = req;
	return 0;
}

static const struct fl_engine null_engine = {
	FL_ENGINE_HEAD, .name = "null", .help = "moves nothing; on request, a device with faults",
	.caps = FL_CAP_NO_FILES,
	FL_ENGINE_OPTS(struct null_conf, null_opts), FL_ENGINE_COUNTERS(null_counters),
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_WRITE | 1u << FL_OP_TRIM |
			 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC | 1u << FL_OP_SYNC_RANGE,
	.open = null_open, .close = null_close, .queue = null_queue, .complete = null_complete,
	.cancel = null_cancel,
};

FL_ENGINE_EXPORT(&null_engine);
