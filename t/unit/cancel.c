/* SPDX-License-Identifier: MIT */
/* A device that does not answer: when its requests are cancelled, and which. */
#include "core/cancel.h"
#include "t/test.h"

#define SLOTS 4
#define SECOND 1000000000ull

static struct worker w;
static struct worker_block block;
static struct io ios[SLOTS];
static struct cancel c;
static unsigned cancelled;		/* bit per slot */
static int answer;			/* of cancel() */

static int note_cancel(struct fl_queue *q, struct fl_req *req)
{
	T_TRUE(q == &w.hq.q);
	T_TRUE(!(cancelled & 1u << req->slot));
	cancelled |= 1u << req->slot;
	return answer;
}

static struct fl_engine engine = { FL_ENGINE_HEAD, .name = "t", .cancel = note_cancel };

/* Slot 0 is free, slot 1 is held by the runner, 2 and 3 are in flight. */
static void begin(uint32_t stop)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		ios[i].req.slot = i;
	w = (struct worker){
		.b = &block, .ios = ios, .slots = SLOTS, .free = &ios[0], .in_flight = 2,
		.hq.q.engine = &engine,
	};
	atomic_store(&block.stop, stop);
}

/* As if that much time had passed since the last answer. */
static bool look_after(uint64_t ns)
{
	c.quiet_since = clock_ticks() - clock_ns_to_ticks(ns);
	return cancel_look(&c, &w, &ios[1], false);
}

TEST(after_its_time_a_device_has_a_minute)
{
	begin(0);
	T_TRUE(look_after(50 * SECOND));
	T_EQ(cancelled, 0);
	T_TRUE(look_after(61 * SECOND));
	T_EQ(cancelled, 1u << 2 | 1u << 3);
	T_TRUE(look_after(600 * SECOND));	/* once; and waits on, whatever comes of it */
}

TEST(after_a_signal_it_has_seconds)
{
	begin(1);
	T_TRUE(look_after(8 * SECOND));
	T_EQ(cancelled, 0);
	T_TRUE(look_after(11 * SECOND));
	T_EQ(cancelled, 1u << 2 | 1u << 3);
	T_EQ(c.coming, 2);
}

TEST(an_answer_begins_the_wait_anew)
{
	begin(1);
	c.quiet_since = clock_ticks() - clock_ns_to_ticks(9 * SECOND);
	T_TRUE(cancel_look(&c, &w, &ios[1], true));
	T_TRUE(cancel_look(&c, &w, &ios[1], false));
	T_EQ(cancelled, 0);
}

TEST(after_a_second_signal_none)
{
	begin(2);
	T_TRUE(look_after(0));			/* what is cancelled is waited for ... */
	T_EQ(cancelled, 1u << 2 | 1u << 3);
	c.asked -= clock_ns_to_ticks(2 * SECOND);
	T_TRUE(!look_after(0));			/* ... but not for ever */
}

TEST(what_cannot_be_hurried_is_left)
{
	answer = -EALREADY;
	begin(2);
	T_TRUE(!look_after(0));
	T_EQ(cancelled, 1u << 2 | 1u << 3);
	T_EQ(c.coming, 0);
}

TEST(an_engine_without_cancel_is_left)
{
	engine.cancel = NULL;
	begin(2);
	T_TRUE(!look_after(0));
}
