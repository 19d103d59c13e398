/* SPDX-License-Identifier: MIT */
/* The promises about depth: each request back exactly once, not too many, not too late. */
#define _GNU_SOURCE
#include "core/contract_cases.h"

#include "os/clock.h"

#include <errno.h>
#include <poll.h>

#define SOON_NS		2000000000ull	/* far longer than an answer without a wait */

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
			check_reads(&r, rig_reap(&r, 1 + (uint32_t)next % r.in_flight, r.depth,
						 CONTRACT_WAIT_NS));
	}
	rig_close(&r);
}

static void data_of_a_full_queue(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	if (c->engine->ops.caps & FL_CAP_NO_FILES || !engine_can(c->engine, FL_OP_WRITE))
		contract_skip("the engine keeps no data");
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
		uint32_t n = rig_reap(&r, 1, 1, CONTRACT_WAIT_NS);

		if (n > 1)
			contract_fail("complete() returned %u requests but max was 1", n);
		if (!n)
			contract_fail("complete() returned 0 requests with %u in flight and min 1",
				      r.in_flight);
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
		uint32_t sent = fill_queue(&r, &next), n;

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
	static const int64_t waits_ns[] = { 0, 1000000, 50000000 };
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_async(&r);
	for (size_t i = 0; i < ARRAY_SIZE(waits_ns); i++) {
		uint64_t start_ns = clock_gettime_ns(), took_ns;
		uint32_t n = rig_reap(&r, waits_ns[i] ? 1 : 0, r.depth, waits_ns[i]);

		took_ns = clock_gettime_ns() - start_ns;
		if (n)
			contract_fail("complete() returned %u requests with none in flight", n);
		if (took_ns > (uint64_t)waits_ns[i] + SOON_NS)
			contract_fail("complete() took %llu ms where at most %lld were allowed",
				      (unsigned long long)took_ns / 1000000,
				      (long long)waits_ns[i] / 1000000);
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
			rig_reap(&r, 1, 1, CONTRACT_WAIT_NS);
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
		int answer = r.busy[slot] ? c->engine->ops.cancel(&r.hq.q, &r.reqs[slot]) : 0;

		if (answer > 0)
			contract_fail("cancel() answered %d; 0 or -errno was expected", answer);
	}
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
	{ "every request comes back once", every_request_comes_back_once, 0 },
	{ "depth 1 works", depth_1_works, 0 },
	{ "data of a full queue", data_of_a_full_queue, 0 },
	{ "complete keeps to max", complete_keeps_to_max, 0 },
	{ "complete waits for min", complete_waits_for_min, 0 },
	{ "complete keeps to its time", complete_keeps_to_its_time, 0 },
	{ "complete without waiting", complete_without_waiting, 0 },
	{ "slots are used again", slots_are_used_again, 0 },
	{ "closing with requests in flight", closing_with_requests_in_flight, 0 },
	{ "cancelled requests come back", cancelled_requests_come_back, 0 },
	{ "poll_fd tells", poll_fd_tells, 0 },
};

const struct contract_list contract_async = { cases, ARRAY_SIZE(cases) };
