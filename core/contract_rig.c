/* SPDX-License-Identifier: MIT */
/* The rig: everything an engine answers is compared with what engine.h says it may answer. */
#define _GNU_SOURCE
#include "core/contract_rig.h"

#include "os/clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERRNO_MAX	4095
#define STATUS_FAILED	1
#define STATUS_SKIPPED	77

/* The rules that every case keeps an eye on, whatever else it is about. */
static const char rule_once[] = "every request that queue() takes comes back exactly once, by "
				"FL_DONE or by complete()";
static const char rule_members[] = "of a request the engine writes res, res2 and priv only";
static const char rule_res[] = "res is the number of bytes moved, at most len, or -errno";
static const char rule_queue[] = "queue() answers FL_DONE, FL_PENDING, -EAGAIN while something is "
				 "in flight, or another -errno when the queue is dead";
static const char rule_commit[] = "commit() answers how many requests it told about since the "
				  "last time";
static const char rule_min[] = "complete() hands back fewer than min only after its timeout";
static const char rule_max[] = "complete() hands back at most max requests";

static struct contract_report *report_at;

void contract_begin(struct contract_report *report)
{
	report_at = report;
}

void contract_hook(const char *hook)
{
	__atomic_store_n(&report_at->hook, hook, __ATOMIC_RELAXED);
}

/* A case may have several threads: the first that has something to say ends it. */
fl_printf(2, 0)
static void say(const char *rule, const char *fmt, va_list ap)
{
	static atomic_flag spoken = ATOMIC_FLAG_INIT;

	while (atomic_flag_test_and_set(&spoken))
		pause();
	report_at->rule = rule;
	vsnprintf(report_at->words, CONTRACT_WORDS_BYTES, fmt, ap);
}

void contract_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, fmt, ap);
	va_end(ap);
	_exit(STATUS_FAILED);
}

void contract_broke(const char *rule, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(rule, fmt, ap);
	va_end(ap);
	_exit(STATUS_FAILED);
}

void contract_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, fmt, ap);
	va_end(ap);
	_exit(STATUS_SKIPPED);
}

/* ---- The pattern ----------------------------------------------------------------------------- */

/* One byte per place: a multiplicative hash of the 8 byte word it lies in (Knuth, TAOCP 3, 6.4). */
static unsigned char stamp_byte(uint32_t file, uint64_t at, uint32_t generation)
{
	uint64_t word = (at / 8 + 1) * 0x9e3779b97f4a7c15ull;

	word ^= (file * 31ull + generation + 1) * 0xbf58476d1ce4e5b9ull;
	word ^= word >> 29;
	return (unsigned char)(word >> (at % 8 * 8));
}

void stamp_fill(void *buf, uint64_t len, uint32_t file, uint64_t offset, uint32_t generation)
{
	for (uint64_t i = 0; i < len; i++)
		((unsigned char *)buf)[i] = stamp_byte(file, offset + i, generation);
}

void stamp_check(const void *buf, uint64_t len, uint32_t file, uint64_t offset,
		 uint32_t generation)
{
	for (uint64_t i = 0; i < len; i++) {
		unsigned char have = ((const unsigned char *)buf)[i];
		unsigned char want = stamp_byte(file, offset + i, generation);

		if (have != want)
			contract_fail("byte %llu of file %u should be 0x%02x, as it was written, "
				      "but 0x%02x was read (byte %llu of the request of %llu bytes "
				      "at %llu)", (unsigned long long)(offset + i), file, want,
				      have, (unsigned long long)i, (unsigned long long)len,
				      (unsigned long long)offset);
	}
}

/* ---- Requests -------------------------------------------------------------------------------- */

bool rig_sync(const struct rig *r)
{
	return r->hq.q.flags & FL_QUEUE_SYNC;
}

void rig_need_data(const struct rig *r)
{
	if (r->no_data)
		contract_skip(r->c->engine->ops.caps & FL_CAP_NO_FILES ?
			      "the engine has no targets" :
			      "its reads leave the buffer as it was: where the bytes go only the "
			      "engine knows");
}

void rig_check(const struct rig *r, const void *buf, uint64_t len, uint32_t file, uint64_t offset,
	       uint32_t generation)
{
	if (!r->no_data)
		stamp_check(buf, len, file, offset, generation);
}

void rig_need_async(struct rig *r)
{
	if (rig_sync(r))
		contract_skip("the engine is synchronous with these options");
}

const char *rig_why(struct rig *r, int err)
{
	static _Thread_local char text[HOST_WHY_BYTES + 64];

	return host_explain(&r->hq, err, text, sizeof(text));
}

void *rig_buf(struct rig *r, uint32_t slot)
{
	return r->buffers + slot * r->stride;
}

struct fl_req *rig_fill(struct rig *r, uint32_t slot, uint32_t op, uint32_t file, uint64_t offset,
			uint64_t len)
{
	struct fl_req *req = &r->reqs[slot];
	void *priv = req->priv;

	fl_assert(!r->busy[slot] && file < r->file_count);
	*req = (struct fl_req){
		.size = sizeof(*req), .op = op, .offset = offset, .len = len,
		.buf = rig_buf(r, slot), .file = &r->files[file], .slot = slot, .priv = priv,
	};
	return req;
}

/* The request is the runner's again: nothing but res, res2 and priv may have changed. */
static void check_back(struct rig *r, const struct fl_req *req, const char *from)
{
	struct fl_req want = r->sent[req->slot];

	want.res = req->res;
	want.res2 = req->res2;
	want.priv = req->priv;
	if (memcmp(&want, req, sizeof(want)))
		contract_broke(rule_members, "%s handed back request %u with other members changed",
			       from, req->slot);
	if (req->res > (int64_t)req->len && req->op <= FL_OP_TRIM)
		contract_broke(rule_res, "%s says that %lld bytes were moved, but the request was "
			       "for %llu", from, (long long)req->res,
			       (unsigned long long)req->len);
	if (req->res < -ERRNO_MAX)
		contract_broke(rule_res, "%s says res = %lld, which is no bytes and no -errno",
			       from, (long long)req->res);
}

/* What queue() answers in the end: a full queue is committed and drained until there is room. */
static int queue_until_taken(struct rig *r, struct fl_req *req)
{
	int answer;

	do {
		contract_hook("queue()");
		answer = r->c->engine->ops.queue(&r->hq.q, req);
		contract_hook(NULL);
		if (answer != -EAGAIN)
			return answer;
		if (rig_sync(r))
			contract_broke(rule_queue, "queue() of a synchronous queue answered "
				       "-EAGAIN: there is nothing in flight that could make room");
		check_back(r, req, "queue()");
		if (!r->in_flight)
			contract_broke(rule_queue, "queue() answered -EAGAIN with nothing in "
				       "flight");
		rig_commit(r);
	} while (rig_reap(r, 1, r->depth, CONTRACT_WAIT_NS));
	return answer;
}

bool rig_start(struct rig *r, uint32_t slot)
{
	const struct fl_engine *e = &r->c->engine->ops;
	struct fl_req *req = &r->reqs[slot];
	int answer;

	r->sent[slot] = *req;
	contract_hook("prep()");
	answer = e->prep ? e->prep(&r->hq.q, req) : 0;
	contract_hook(NULL);
	if (answer < 0) {
		req->res = answer;
		check_back(r, req, "prep()");
		return false;
	}
	answer = queue_until_taken(r, req);
	if (answer == FL_PENDING) {
		if (rig_sync(r))
			contract_broke(rule_queue, "queue() answered FL_PENDING on a queue whose "
				       "open() set FL_QUEUE_SYNC");
		r->busy[slot] = true;
		r->in_flight++;
		r->untold++;
	} else if (answer == FL_DONE) {
		check_back(r, req, "queue()");
	} else {
		contract_broke(rule_queue, "queue() answered %d; it may answer FL_DONE (%d), "
			       "FL_PENDING (%d) or -errno, and an I/O that fails is FL_DONE with "
			       "res = -errno%s%s", answer, FL_DONE, FL_PENDING,
			       answer < 0 ? ": " : "", answer < 0 ? rig_why(r, answer) : "");
	}
	return answer == FL_PENDING;
}

void rig_commit(struct rig *r)
{
	const struct fl_engine *e = &r->c->engine->ops;

	if (!e->commit)
		r->untold = 0;
	while (r->untold) {
		int n;

		contract_hook("commit()");
		n = e->commit(&r->hq.q);
		contract_hook(NULL);
		if (n < 0)
			contract_fail("commit() failed: %s", rig_why(r, n));
		if ((uint32_t)n > r->untold)
			contract_broke(rule_commit, "commit() told the kernel about %d requests, "
				       "but only %u were queued since the last time", n, r->untold);
		r->untold -= (uint32_t)n;
		if (!r->untold)
			return;
		if (r->in_flight == r->untold && !n)
			contract_broke(rule_commit, "commit() makes no progress, though nothing "
				       "else is in flight");
		if (r->in_flight > r->untold)
			rig_reap(r, 1, r->depth, CONTRACT_WAIT_NS);
	}
}

uint32_t rig_reap(struct rig *r, uint32_t min, uint32_t max, int64_t timeout_ns)
{
	int n;

	memset(r->done, 0, r->depth * sizeof(*r->done));
	contract_hook("complete()");
	n = host_complete(&r->hq, min, max, timeout_ns, r->done);
	contract_hook(NULL);
	if (n == -EPROTO)
		contract_broke(rule_max, "%s", rig_why(r, n));
	if (n < 0)
		contract_fail("complete() failed: %s", rig_why(r, n));
	for (int i = 0; i < n; i++) {
		struct fl_req *req = r->done[i];
		uint32_t slot = (uint32_t)(req - r->reqs);

		if (req < r->reqs || req >= r->reqs + r->depth)
			contract_broke(rule_once, "complete() handed back %p, which is no request "
				       "of this queue", (void *)req);
		if (!r->busy[slot])
			contract_broke(rule_once, "complete() handed back request %u, which was "
				       "not in flight: it had come back already", slot);
		check_back(r, req, "complete()");
		r->busy[slot] = false;
		r->in_flight--;
	}
	return (uint32_t)n;
}

/* The lowest slot in flight: a name for what was lost. */
static uint32_t first_busy(const struct rig *r)
{
	uint32_t slot = 0;

	while (slot + 1 < r->depth && !r->busy[slot])
		slot++;
	return slot;
}

uint32_t rig_reap_min(struct rig *r, uint32_t min, uint32_t max)
{
	uint64_t start_ns = clock_gettime_ns();
	uint32_t n = rig_reap(r, min, max, CONTRACT_WAIT_NS), slot;
	uint64_t took_ms = (clock_gettime_ns() - start_ns) / 1000000;

	if (n >= min)
		return n;
	if (took_ms < CONTRACT_WAIT_NS / 2000000)
		contract_broke(rule_min, "complete() returned %u requests after %llu ms, but min "
			       "was %u and the timeout %lld ms", n, (unsigned long long)took_ms,
			       min, CONTRACT_WAIT_NS / 1000000);
	slot = first_busy(r);
	contract_broke(rule_once, "%u requests did not come back within %lld s: the one of slot %u "
		       "(operation %u, %llu bytes at %llu) was lost", r->in_flight,
		       CONTRACT_WAIT_NS / 1000000000, slot, r->reqs[slot].op,
		       (unsigned long long)r->reqs[slot].len,
		       (unsigned long long)r->reqs[slot].offset);
}

void rig_wait_all(struct rig *r)
{
	rig_commit(r);
	while (r->in_flight)
		rig_reap_min(r, 1, r->depth);
}

int64_t rig_io(struct rig *r, uint32_t op, uint32_t file, uint64_t offset, uint64_t len)
{
	rig_fill(r, 0, op, file, offset, len);
	if (rig_start(r, 0))
		rig_wait_all(r);
	return r->reqs[0].res;
}
