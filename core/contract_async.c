/* SPDX-License-Identifier: MIT */
/* The promises about depth: each request back exactly once, not too many, not too late. */
#define _GNU_SOURCE
#include "core/contract_cases.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define LATE_NS		250000000ull	/* how much later than its time complete() may return */
#define MARK		0xa7
#define LATE_TRIES	3		/* so often in a row: once it may be the machine */

/* A scrambled walk over the blocks of the file. */
static uint64_t block_at(const struct rig *r, uint64_t i)
{
	uint64_t blocks = fl_min(r->file_bytes, CONTRACT_FILE_BYTES) / CONTRACT_BLOCK;

	return i * 37 % blocks * CONTRACT_BLOCK;
}

/* Starts reads in all slots that are free. Returns how many are in flight. */
static uint32_t fill_queue(struct rig *r, uint64_t *next)
{
	for (uint32_t slot = 0; slot < r->depth; slot++) {
		if (r->busy[slot])
			continue;
		rig_fill(r, slot, FL_OP_READ, 0, block_at(r, (*next)++), CONTRACT_BLOCK);
		rig_start(r, slot);
	}
	return r->in_flight;
}

static void check_reads(struct rig *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_req *req = r->done[i];

		if (req->res != CONTRACT_BLOCK)
			contract_fail("a read of %u bytes at %llu came back with res = %lld",
				      CONTRACT_BLOCK, (unsigned long long)req->offset,
				      (long long)req->res);
	}
}

/* The rig itself sees to it that nothing comes back twice, or that was never sent. */
static void every_request_comes_back_once(struct contract *c)
{
	uint64_t next = 0;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	while (next < 2000) {
		if (!fill_queue(&r, &next))
			continue;
		rig_commit(&r);
		if (r.in_flight)
			check_reads(&r, rig_reap_min(&r, 1 + (uint32_t)next % r.in_flight,
						     r.depth));
	}
	rig_close(&r);
}

static void data_of_a_full_queue(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	rig_need_data(&r);
	for (uint64_t round = 0; round < 50; round++) {
		for (uint32_t slot = 0; slot < r.depth; slot++) {
			struct fl_req *req = rig_fill(&r, slot, FL_OP_READ, 0,
						      block_at(&r, round * r.depth + slot),
						      CONTRACT_BLOCK);

			((char *)req->buf)[0] ^= 1;
			rig_start(&r, slot);
		}
		rig_wait_all(&r);
		for (uint32_t slot = 0; slot < r.depth; slot++)
			stamp_check(rig_buf(&r, slot), CONTRACT_BLOCK, 0, r.reqs[slot].offset, 0);
	}
	rig_close(&r);
}

/* Each slot has a block of its own; all are in flight at once, then all are read back. */
static void writes_of_a_full_queue(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	for (uint32_t slot = 0; slot < r.depth; slot++) {
		uint64_t at = block_at(&r, slot);

		rig_fill(&r, slot, FL_OP_WRITE, 0, at, CONTRACT_BLOCK);
		stamp_fill(rig_buf(&r, slot), CONTRACT_BLOCK, 0, at, 6);
		rig_start(&r, slot);
	}
	rig_wait_all(&r);
	for (uint32_t slot = 0; slot < r.depth; slot++) {
		uint64_t at = block_at(&r, slot);

		if (r.reqs[slot].res != CONTRACT_BLOCK)
			contract_fail("a write of %u bytes came back with res = %lld",
				      CONTRACT_BLOCK, (long long)r.reqs[slot].res);
		rig_io(&r, FL_OP_READ, 0, at, CONTRACT_BLOCK);
		stamp_check(rig_buf(&r, 0), CONTRACT_BLOCK, 0, at, 6);
	}
	rig_close(&r);
}

static void check_mark(struct rig *r, uint32_t slot, uint64_t from)
{
	for (uint64_t i = from; i < r->stride; i++)
		if (((unsigned char *)rig_buf(r, slot))[i] != MARK)
			contract_fail("byte %llu of the buffer of slot %u was written to after the "
				      "request had been handed back", (unsigned long long)i, slot);
}

/*
 * What has come back is the runner's: it may hold the data of the next write. Every other slot is
 * taken out of use with a mark in its buffer, while the others go on.
 */
static void returned_buffers_are_left_alone(struct contract *c)
{
	uint64_t next = 0;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	for (uint32_t round = 0; round < 10; round++) {
		fill_queue(&r, &next);
		rig_wait_all(&r);
		for (uint32_t slot = 0; slot < r.depth; slot++)
			memset(rig_buf(&r, slot), MARK, r.stride);
		for (uint32_t i = 0; i < 20 && r.depth > 1; i++) {
			rig_fill(&r, 1, FL_OP_READ, 0, block_at(&r, next++), CONTRACT_BLOCK);
			if (rig_start(&r, 1))
				rig_wait_all(&r);
		}
		for (uint32_t slot = 0; slot < r.depth; slot++)
			check_mark(&r, slot, slot == 1 ? CONTRACT_BLOCK : 0);
	}
	rig_close(&r);
}

static void depth_1_works(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .depth = 1 });
	for (uint64_t i = 0; i < 200; i++)
		if (rig_io(&r, FL_OP_READ, 0, block_at(&r, i), CONTRACT_BLOCK) != CONTRACT_BLOCK)
			contract_fail("a read at depth 1 answered res = %lld",
				      (long long)r.reqs[0].res);
	rig_close(&r);
}

static void complete_keeps_to_max(struct contract *c)
{
	uint64_t next = 0;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .depth = 4 });
	rig_need_async(&r);
	fill_queue(&r, &next);
	rig_commit(&r);
	while (r.in_flight) {
		if (rig_reap_min(&r, 1, 1) > 1)
			contract_fail("complete() returned more requests than max, which was 1");
		if (r.done[1])
			contract_fail("complete() wrote to done[1], but max was 1");
	}
	rig_close(&r);
}

static void complete_waits_for_min(struct contract *c)
{
	uint64_t next = 0;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	for (uint32_t round = 0; round < 20; round++) {
		uint32_t sent, n;

		fill_queue(&r, &next);
		rig_commit(&r);
		if (!r.in_flight)
			continue;
		sent = r.in_flight;
		n = rig_reap(&r, sent, sent, -1);
		if (n != sent)
			contract_fail("complete() returned %u requests, but min was %u and there "
				      "is no time limit", n, sent);
	}
	rig_close(&r);
}

/* Called with nothing to wait for: the time limit is all that ends the call. */
static void complete_keeps_to_its_time(struct contract *c)
{
	static const struct { uint32_t min; int64_t timeout_ns; } waits[] = {
		{ 0, 0 }, { 1, 0 }, { 1, 1000000 }, { 1, 50000000 }, { 2, 50000000 },
	};
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .depth = fl_max(c->depth, 2u) });
	rig_need_async(&r);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		uint64_t took_ns = UINT64_MAX;

		for (int k = 0; k < LATE_TRIES; k++) {
			uint64_t start_ns = clock_gettime_ns();
			uint32_t n = rig_reap(&r, waits[i].min, r.depth, waits[i].timeout_ns);

			took_ns = fl_min(took_ns, clock_gettime_ns() - start_ns);
			if (n)
				contract_fail("complete() returned %u requests with none in flight",
					      n);
			if (took_ns <= (uint64_t)waits[i].timeout_ns + LATE_NS)
				break;
		}
		if (took_ns > (uint64_t)waits[i].timeout_ns + LATE_NS)
			contract_fail("complete() with nothing in flight, min %u and a timeout of "
				      "%lld ms returned after %llu ms", waits[i].min,
				      (long long)waits[i].timeout_ns / 1000000,
				      (unsigned long long)took_ns / 1000000);
	}
	rig_close(&r);
}

static void complete_without_waiting(struct contract *c)
{
	uint64_t next = 0, until_ns;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	fill_queue(&r, &next);
	rig_commit(&r);
	until_ns = clock_gettime_ns() + CONTRACT_WAIT_NS;
	while (r.in_flight) {
		rig_reap(&r, 0, r.depth, 0);
		if (clock_gettime_ns() > until_ns)
			contract_fail("%u requests did not come back from complete() that does not "
				      "wait", r.in_flight);
	}
	rig_close(&r);
}

/* More than fits is not offered by the runner; slots that came back can be used at once. */
static void slots_are_used_again(struct contract *c)
{
	uint64_t next = 0;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	for (uint32_t i = 0; i < 1000; i++) {
		fill_queue(&r, &next);
		rig_commit(&r);
		if (r.in_flight > r.depth)
			contract_fail("%u requests are in flight at a depth of %u", r.in_flight,
				      r.depth);
		if (r.in_flight)
			rig_reap_min(&r, 1, 1);
	}
	rig_close(&r);
}

static void closing_with_requests_in_flight(struct contract *c)
{
	struct rig r;

	for (uint32_t round = 0; round < 5; round++) {
		uint64_t next = 0;

		rig_open(&r, c, &(struct rig_spec){ 0 });
		rig_need_async(&r);
		fill_queue(&r, &next);
		if (round & 1)
			rig_commit(&r);
		rig_drop(&r);
	}
}

static void cancelled_requests_come_back(struct contract *c)
{
	uint64_t next = 0;
	struct rig r;

	if (!c->engine->ops.cancel)
		contract_skip("it has no cancel() hook");
	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	fill_queue(&r, &next);
	rig_commit(&r);
	for (uint32_t slot = 0; slot < r.depth; slot++) {
		int answer;

		if (!r.busy[slot])
			continue;
		contract_hook("cancel()");
		answer = c->engine->ops.cancel(&r.hq.q, &r.reqs[slot]);
		contract_hook(NULL);
		if (answer > 0)
			contract_fail("cancel() answered %d; 0 or -errno was expected", answer);
	}
	rig_wait_all(&r);
	for (uint32_t slot = 0; slot < r.depth; slot++)
		if (r.reqs[slot].res != CONTRACT_BLOCK && r.reqs[slot].res >= 0)
			contract_fail("a read that was cancelled came back with res = %lld; all "
				      "its bytes or -ECANCELED were expected",
				      (long long)r.reqs[slot].res);
	rig_close(&r);
}

static void poll_fd_tells(struct contract *c)
{
	uint64_t next = 0;
	struct pollfd p = { .events = POLLIN };
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	p.fd = r.hq.q.poll_fd;
	if (p.fd < 0)
		contract_skip("open() sets no poll_fd");
	fill_queue(&r, &next);
	rig_commit(&r);
	if (r.in_flight && poll(&p, 1, 3000) != 1)
		contract_fail("poll_fd did not become readable, though %u requests are in flight",
			      r.in_flight);
	if (r.in_flight && !rig_reap(&r, 0, r.depth, 0))
		contract_fail("poll_fd is readable, but complete() has nothing");
	rig_close(&r);
}

static const struct contract_case cases[] = {
	{ "every request comes back once", "every request that queue() takes comes back exactly "
	  "once, by FL_DONE or by complete()", every_request_comes_back_once, CASE_READS },
	{ "depth 1 works", "a queue of depth 1 works", depth_1_works, CASE_READS },
	{ "data of a full queue", "requests in flight together each get their own bytes",
	  data_of_a_full_queue, CASE_READS },
	{ "writes of a full queue", "requests in flight together each write their own bytes",
	  writes_of_a_full_queue, CASE_FILES | CASE_READS | CASE_WRITES },
	{ "returned buffers are left alone", "a buffer is lent until its request is handed back, "
	  "and not touched afterwards", returned_buffers_are_left_alone, CASE_READS },
	{ "complete keeps to max", "complete() hands back at most max requests",
	  complete_keeps_to_max, CASE_READS },
	{ "complete waits for min", "complete() hands back fewer than min only after its timeout",
	  complete_waits_for_min, CASE_READS },
	{ "complete keeps to its time", "complete() waits at most timeout_ns; 0 means not at all",
	  complete_keeps_to_its_time, 0 },
	{ "complete without waiting", "what is done comes out of complete() without a wait too",
	  complete_without_waiting, CASE_READS },
	{ "slots are used again", "the slot of a request that is back takes the next one at once",
	  slots_are_used_again, CASE_READS },
	{ "closing with requests in flight", "close() ends what is in flight, and afterwards no "
	  "buffer is touched", closing_with_requests_in_flight, CASE_READS },
	{ "cancelled requests come back", "a request that cancel() was called for still comes back "
	  "by complete()", cancelled_requests_come_back, CASE_READS },
	{ "poll_fd tells", "poll_fd is readable when complete() has something", poll_fd_tells,
	  CASE_READS },
};

const struct contract_list contract_async = { cases, ARRAY_SIZE(cases) };
