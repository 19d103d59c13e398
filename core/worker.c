/* SPDX-License-Identifier: MIT */
/* What the loops share: short answers, and saying what failed. */
#include "core/worker.h"
#include "os/cpu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

typedef unsigned long long ull;

const char *worker_op_name(uint32_t op)
{
	static const char *const names[] = { "read", "write", "trim", "fsync", "fdatasync" };

	return op < ARRAY_SIZE(names) ? names[op] : "operation";
}

/* "write of 4096 bytes at offset 0 of FILE" */
static const char *describe(const struct worker *w, const struct fl_req *req, uint64_t done,
			    char *text, size_t n)
{
	char name[FILES_NAME_BYTES];

	files_name(w->setup->files, req->file->index, name);
	if (req->op < DIRS)
		snprintf(text, n, "%s of %llu bytes at offset %llu of %s", worker_op_name(req->op),
			 (ull)(req->len + done), (ull)(req->offset - done), name);
	else
		snprintf(text, n, "%s of %s", worker_op_name(req->op), name);
	return text;
}

bool worker_next_other(struct worker *w, struct workload_io *next)
{
	return w->source == SOURCE_REPLAY ? replayer_next(w->replay, next) :
	       verifier_next(w->verify, &w->wl, next);
}

bool worker_io_error(struct worker *w, const struct fl_req *req, uint64_t done, int err)
{
	bool fatal = faults_fatal(&w->job->faults, req->op, -err);
	char what[FILES_NAME_BYTES + 128], why[HOST_WHY_BYTES];

	if (w->setup->lives)
		lifetimes_done(w->setup->lives, req->file->index, req->op, req->offset, req->len,
			       false);
	if (files_full(&w->job->files, req->op, err)) {
		w->b->dir[req->op].bytes += done;
		return true;		/* the end that was asked for */
	}
	describe(w, req, done, what, sizeof(what));
	host_explain(&w->hq, err, why, sizeof(why));
	w->b->errors++;
	if (req->op < DIRS)
		w->b->dir[req->op].errors++;
	if (fatal) {
		stats_fail(w->b, -err, "%s: %s", what, why);
		return true;
	}
	stats_error(w->b, -err, "%s: %s", what, why);
	if (w->job->faults.dump)
		stats_note(w->b, "%s: %s", what, why);
	return false;
}

void worker_open_error(struct worker *w, const struct fl_req *req, int err)
{
	char what[FILES_NAME_BYTES + 128], why[HOST_WHY_BYTES];

	stats_fail(w->b, -err, "%s: %s", describe(w, req, 0, what, sizeof(what)),
		   host_explain(&w->hq, err, why, sizeof(why)));
}

void worker_slow(struct worker *w, const struct io *io, uint64_t now, int err)
{
	const struct slow_io slow = {
		/* one that failed may not have come so far as to be issued */
		.start = io->start, .issue = fl_max(io->issue, io->start), .end = now,
		.offset = io->req.offset - io->moved, .len = io->want,
		.file = io->req.file->index, .depth = fl_max(io->depth, 1u),
		.cpu = cpu_current(), .error = err,
	};

	stats_slow(w->b, io->req.op, &slow);
}

void worker_too_slow(struct worker *w, const struct io *io, uint64_t ns)
{
	char what[FILES_NAME_BYTES + 128];

	stats_fail(w->b, ETIMEDOUT, "%s took %llu ns, more than max_latency allows (%llu ns)",
		   describe(w, &io->req, io->moved, what, sizeof(what)), (ull)ns,
		   (ull)w->job->faults.max_latency_ns.v[io->req.op]);
}

int worker_broken(struct worker *w, const char *fmt, ...)
{
	char rule[WORKER_TEXT_BYTES / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rule, sizeof(rule), fmt, ap);
	va_end(ap);
	stats_fail(w->b, EPROTO, "engine %s breaks a rule of engine.h: %s",
		   w->job->engine->ops.name, rule);
	return -EPROTO;
}

void worker_queue_error(struct worker *w, int err)
{
	char why[HOST_WHY_BYTES];

	stats_fail(w->b, -err, "engine %s failed with %u I/Os in flight: %s",
		   w->job->engine->ops.name, w->in_flight,
		   host_explain(&w->hq, err, why, sizeof(why)));
}

#define LOOK_NS		100000000	/* how often a wait looks at the stop flag */

void worker_log(struct worker *w, const struct io *io, uint64_t end)
{
	const struct fl_req *req = &io->req;
	struct log_io l = {
		.end = end, .start = io->start, .issue = io->issue,
		.offset = req->offset - io->moved,
		.what = log_what(io->want, req->op, req->prio ? req->prio : w->log->prio),
	};

	log_ring_put(w->log, 0, &l);
	log_ring_publish(w->log, 1);
}

void worker_log_wait(struct worker *w)
{
	while (!log_ring_room(w->log) && !atomic_load_explicit(&w->b->stop, memory_order_relaxed))
		log_ring_wait(w->log, LOOK_NS);
}

void worker_gate_done(struct worker *w, const struct io *io, uint64_t now, int err)
{
	const struct workload_io what = {
		.op = io->req.op, .file = io->req.file->index,
		.offset = io->req.offset - io->moved, .len = io->want,
	};
	const struct gate_done done = {
		.io = &what, .now = now, .lat = w->timed ? now - io->start : 0, .err = err,
	};
	/* As workload_io.back was, which no slot carries: that would cost those without a gate. */
	bool back = io->verify && w->job->verify.writes;

	if (w->gate && !back)
		gate_done(w->gate, &done);
	if (io->intended && !back && w->timed && !err && io->req.op < DIRS)
		lat_add(&w->b->dir[io->req.op].intended, clock_ns(now - io->intended));
}

bool worker_short(struct worker *w, struct io *io, int *err)
{
	uint64_t got = (uint64_t)io->req.res;

	*err = 0;
	if (got > io->req.len) {
		*err = worker_broken(w, "%llu bytes moved by a request for %llu", (ull)got,
				     (ull)io->req.len);
		return false;
	}
	if (got == io->req.len)
		return false;
	w->b->dir[io->req.op].short_ios += io->moved == 0;
	if (!got) {
		/* Nothing moved, no error: a file ends that should go on, or the device is full. */
		if (io->req.op != FL_OP_READ) {
			*err = -ENOSPC;
		} else {
			w->hq.q.host->fail(&w->hq.q, -EIO, "the file ends here; it was to "
					   "hold %llu bytes", (ull)io->req.file->bytes);
			*err = -EIO;
		}
		return false;
	}
	io->moved += got;
	io->req.offset += got;
	io->req.len -= got;
	io->req.buf = (char *)io->req.buf + got;
	return true;
}
