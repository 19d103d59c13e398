/* SPDX-License-Identifier: MIT */
/*
 * The promises of operations that few engines have: those on names and sizes, which move no bytes,
 * and appends, which answer where they landed.
 */
#define _GNU_SOURCE
#include "core/contract_cases.h"

#include <errno.h>

/* One operation on the file as a whole. */
static int64_t ask(struct rig *r, uint32_t op)
{
	return rig_io(r, op, 0, 0, 0);
}

static void want(struct rig *r, uint32_t op, int64_t res, const char *what)
{
	int64_t have = ask(r, op);

	if (have != res)
		contract_fail("%s answered res = %lld, not %lld", what, (long long)have,
			      (long long)res);
}

static void stat_tells_the_size(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .file_bytes = 65536 });
	want(&r, FL_OP_STAT, 0, "FL_OP_STAT of a file that is there");
	if (r.reqs[0].res2 != r.file_bytes)
		contract_fail("FL_OP_STAT of a file of %llu bytes answered res2 = %llu",
			      (unsigned long long)r.file_bytes, (unsigned long long)r.reqs[0].res2);
	rig_close(&r);
}

static void names_come_and_go(struct contract *c)
{
	struct rig r;

	if (!engine_can(c->engine, FL_OP_CREATE) || !engine_can(c->engine, FL_OP_UNLINK))
		contract_skip("the engine does not both create and unlink");
	rig_open(&r, c, &(struct rig_spec){ .file_bytes = 65536 });
	for (int i = 0; i < 20; i++) {
		want(&r, FL_OP_UNLINK, 0, "FL_OP_UNLINK of a file that is there");
		want(&r, FL_OP_UNLINK, -ENOENT, "FL_OP_UNLINK of a file that is gone");
		want(&r, FL_OP_STAT, -ENOENT, "FL_OP_STAT of a file that is gone");
		want(&r, FL_OP_CREATE, 0, "FL_OP_CREATE of a file that is gone");
		want(&r, FL_OP_STAT, 0, "FL_OP_STAT of a file that was created");
		if (r.reqs[0].res2)
			contract_fail("a file that was created has %llu bytes by FL_OP_STAT",
				      (unsigned long long)r.reqs[0].res2);
	}
	rig_close(&r);
}

/* All slots append at once: each must land at a place of its own, without gaps. */
static void appends_land_somewhere(struct contract *c)
{
	uint64_t first = UINT64_MAX, last = 0;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .file_bytes = 65536 });
	for (uint32_t slot = 0; slot < r.depth; slot++) {
		rig_fill(&r, slot, FL_OP_APPEND, 0, 0, CONTRACT_BLOCK);
		stamp_fill(rig_buf(&r, slot), CONTRACT_BLOCK, 0, 0, 100 + slot);
		rig_start(&r, slot);
	}
	rig_wait_all(&r);
	for (uint32_t slot = 0; slot < r.depth; slot++) {
		const struct fl_req *req = &r.reqs[slot];

		if (req->res != CONTRACT_BLOCK)
			contract_fail("an append of %u bytes answered res = %lld", CONTRACT_BLOCK,
				      (long long)req->res);
		first = fl_min(first, req->res2);
		last = fl_max(last, req->res2);
	}
	if (last - first != (uint64_t)(r.depth - 1) * CONTRACT_BLOCK)
		contract_fail("%u appends of %u bytes landed between %llu and %llu: some share a "
			      "place, or there are gaps", r.depth, CONTRACT_BLOCK,
			      (unsigned long long)first, (unsigned long long)last);
	for (uint32_t slot = 0; engine_can(c->engine, FL_OP_READ) && slot < r.depth; slot++) {
		uint64_t at = r.reqs[slot].res2;

		rig_io(&r, FL_OP_READ, 0, at, CONTRACT_BLOCK);
		stamp_check(rig_buf(&r, 0), CONTRACT_BLOCK, 0, 0, 100 + slot);
	}
	rig_close(&r);
}

static const struct contract_case cases[] = {
	{ "stat tells the size", "FL_OP_STAT answers res = 0 and the size as res2",
	  stat_tells_the_size, CASE_FILES | CASE_STATS },
	{ "names come and go", "FL_OP_CREATE and FL_OP_UNLINK make and remove the target, and "
	  "-ENOENT is what is not there", names_come_and_go, CASE_OWN_FILES | CASE_STATS },
	{ "appends land somewhere", "FL_OP_APPEND answers its bytes, and as res2 the offset they "
	  "landed at", appends_land_somewhere, CASE_FILES | CASE_APPENDS },
};

const struct contract_list contract_more = { cases, ARRAY_SIZE(cases) };
