/* SPDX-License-Identifier: MIT */
/*
 * An engine that uses nearly everything version 1.0 of the interface has. It is compiled against
 * the header of each version since, and has to load and work in every later program: so nothing
 * newer may ever be used here.
 *
 * Requests are carried out in commit(), oldest first, and wait in a ring until they are asked for.
 */
#include <errno.h>
#include <fio-like/engine.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OP_NOTHING = FL_OP_CUSTOM };

struct kept_conf {
	const char *text;
	uint64_t size, time_ns, u64;
	int64_t i64;
	double ratio;
	uint32_t flag, boolean, u32, word;
};

static const struct fl_opt_value words[] = {
	{ "first", 1, "the first" }, { "second", 2, "the second" }, { NULL, 0, NULL },
};

#define ROW(type_, member, ...)							\
	{ .name = "kept_" #member, .type = FL_OPT_##type_, .help = "one of each kind",	\
	  .offset = offsetof(struct kept_conf, member), __VA_ARGS__ }

static const struct fl_opt opts[] = {
	ROW(STR, text, .def = "words"), ROW(SIZE, size, .def = "64k", .unit = "bytes"),
	ROW(TIME, time_ns, .def_unit_ns = 1000, .def = "5"),
	ROW(U64, u64, .min = 1, .max = 9, .def = "3"),
	ROW(I64, i64, .def = "-7"), ROW(DOUBLE, ratio, .def = "0.5"), ROW(FLAG, flag),
	ROW(BOOL, boolean, .def = "1"), ROW(U32, u32, .alias = "kept_u", .more = "And more."),
	ROW(ENUM, word, .values = words, .def = "second"),
};

static const struct fl_counter counters[] = {
	{ "kept_taken", NULL, "requests taken", FL_MERGE_SUM },
	{ "kept_deepest", "requests", "most in the ring", FL_MERGE_MAX },
};
static const struct fl_histogram histograms[] = { { "kept_io", "the call alone" } };
static const struct fl_op_name ops[] = { { OP_NOTHING, "nothing" } };

struct kept {
	uint64_t taken, deepest;
	uint32_t first, done, queued;	/* in the ring: done, and behind them queued */
	struct fl_req *ring[];
};

static int kept_probe(const struct fl_host *host, char *why, size_t why_bytes)
{
	if (!FL_HAS(host, stack_close)) {
		snprintf(why, why_bytes, "fio-like %s is older than this plugin", host->version);
		return -ENOSYS;
	}
	return 0;
}

static int kept_process_init(const struct fl_host *host, void **process)
{
	*process = (void *)host;
	return FL_HAS(host, stack_close) ? 0 : -ENOSYS;
}

static void kept_process_exit(void *process)
{
	(void)process;
}

/* The options hold what their rows say, or the wish of a user: never anything else. */
static int conf_ok(const struct kept_conf *c)
{
	return c->text && c->u64 >= 1 && c->u64 <= 9 && c->flag < 2 && c->boolean < 2 &&
	       (c->word == 1 || c->word == 2) && c->i64 == -7 && c->ratio == 0.5 &&
	       c->time_ns == 5000;
}

static int kept_open(struct fl_queue *q)
{
	if (!FL_HAS(q, poll_fd) || q->process != (void *)q->host || !conf_ok(q->opts))
		return q->host->fail(q, -EINVAL, "%s: not as version 1.0 has it", q->engine->name);
	q->priv = q->host->alloc(sizeof(struct kept) + q->depth * sizeof(struct fl_req *), 64);
	return q->priv ? 0 : -ENOMEM;
}

static void kept_close(struct fl_queue *q)
{
	q->host->free(q->priv);
}

static int kept_buffers_alloc(struct fl_queue *q, uint64_t bytes, uint64_t align, void **buffers)
{
	*buffers = q->host->alloc(bytes, align);
	return *buffers ? 0 : -ENOMEM;
}

static void kept_buffers_free(struct fl_queue *q, void *buffers)
{
	q->host->free(buffers);
}

static int kept_buffers_ready(struct fl_queue *q)
{
	return q->buffers && q->buffer_stride ? 0 : -EINVAL;
}

static int kept_prep(struct fl_queue *q, struct fl_req *req)
{
	if (req->slot >= q->depth || req->file->index >= q->job->files)
		return -EINVAL;
	req->priv = q;
	return 0;
}

static int kept_queue(struct fl_queue *q, struct fl_req *req)
{
	struct kept *k = q->priv;

	if (req->priv != q)
		return -EFAULT;
	k->ring[(k->first + k->done + k->queued++) % q->depth] = req;
	k->taken++;
	if (k->done + k->queued > k->deepest)
		k->deepest = k->done + k->queued;
	return FL_PENDING;
}

static int64_t do_io(const struct fl_req *req)
{
	ssize_t n = 0;

	if (req->op == FL_OP_READ)
		n = pread(req->file->fd, req->buf, req->len, (off_t)req->offset);
	else if (req->op == FL_OP_WRITE)
		n = pwrite(req->file->fd, req->buf, req->len, (off_t)req->offset);
	else if (req->op == FL_OP_SYNC || req->op == FL_OP_DATASYNC)
		n = fsync(req->file->fd);
	return n < 0 ? -errno : n;
}

static int kept_commit(struct fl_queue *q)
{
	struct kept *k = q->priv;
	int n = (int)k->queued;

	for (; k->queued; k->queued--, k->done++) {
		struct fl_req *req = k->ring[(k->first + k->done) % q->depth];
		uint64_t start_ns = q->host->now_ns();

		req->res = do_io(req);
		q->host->observe(q, 0, q->host->now_ns() - start_ns);
	}
	return n;
}

static int kept_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			 struct fl_req **done)
{
	struct kept *k = q->priv;
	uint32_t n = 0;

	(void)min;
	(void)timeout_ns;
	for (; n < max && k->done; n++, k->done--)
		done[n] = k->ring[k->first++ % q->depth];
	return (int)n;
}

static int kept_cancel(struct fl_queue *q, struct fl_req *req)
{
	q->host->log(q, FL_LOG_DEBUG, "request %u is as good as done", req->slot);
	return 0;
}

static void kept_counters(struct fl_queue *q)
{
	const struct kept *k = q->priv;

	q->counters[0] = k->taken;
	q->counters[1] = k->deepest;
}

static const struct fl_engine kept = {
	FL_ENGINE_HEAD, .name = "kept", .help = "everything that version 1.0 has", .version = "1.0",
	.caps = FL_CAP_LAYOUT, FL_ENGINE_OPTS(struct kept_conf, opts),
	FL_ENGINE_COUNTERS(counters), .histograms = histograms, .nr_histograms = 1,
	.histogram_size = sizeof(histograms[0]), .ops = ops, .nr_ops = 1, .op_size = sizeof(ops[0]),
	.probe = kept_probe, .process_init = kept_process_init, .process_exit = kept_process_exit,
	.open = kept_open, .close = kept_close, .buffers_alloc = kept_buffers_alloc,
	.buffers_free = kept_buffers_free, .buffers_ready = kept_buffers_ready, .prep = kept_prep,
	.queue = kept_queue, .commit = kept_commit, .complete = kept_complete,
	.cancel = kept_cancel, .counters = kept_counters,
};

FL_ENGINE_EXPORT(&kept);
