/* SPDX-License-Identifier: MIT */
/*
 * The list of slow I/Os against sorting them all, with a reader beside the writer, and with a writer
 * that is killed; and the samples of what went on around them.
 */
#include "core/slow.h"
#include "core/around.h"
#include "core/stats.h"
#include "lib/rand.h"

#include "t/test.h"

#include <sched.h>

/* All that is in an entry follows from its start and end: a torn one shows. */
static struct slow_io make_io(uint64_t start, uint64_t ticks)
{
	return (struct slow_io){
		.start = start, .issue = start + ticks / 2, .end = start + ticks,
		.offset = start * 7 + ticks, .len = ticks ^ start, .file = (uint32_t)(ticks * 3),
		.depth = (uint32_t)start, .cpu = (int32_t)(start & 0xffff),
	};
}

static bool is_whole(const struct slow_io *io)
{
	struct slow_io want = make_io(io->start, io->end - io->start);

	return !memcmp(&want, io, sizeof(want));
}

static int down(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What is kept, as latencies, the longest first. */
static size_t kept(const struct slow_list *l, uint64_t out[SLOW_KEPT])
{
	struct slow_io io[SLOW_KEPT];
	size_t n = slow_read(l, io);

	for (size_t i = 0; i < n; i++) {
		T_TRUE(is_whole(&io[i]));
		out[i] = slow_ticks(&io[i]);
	}
	qsort(out, n, sizeof(*out), down);
	return n;
}

static void check_top(const struct slow_list *l, const uint64_t *ticks, size_t n)
{
	uint64_t *all = malloc((n ? n : 1) * sizeof(*all)), got[SLOW_KEPT];
	size_t want = n < SLOW_KEPT ? n : SLOW_KEPT;

	memcpy(all, ticks, n * sizeof(*all));
	qsort(all, n, sizeof(*all), down);
	T_EQ(kept(l, got), want);
	for (size_t i = 0; i < want; i++)
		T_EQ(got[i], all[i]);
	free(all);
}

TEST(nothing_and_little)
{
	struct slow_list l = { 0 };
	struct slow_io out[SLOW_KEPT], io = make_io(5, 0);
	uint64_t ticks[3] = { 9, 3, 7 };

	T_EQ(slow_read(&l, out), 0);
	T_EQ(slow_add(&l, &io), 0);	/* what took no time is none of the slow ones */
	T_EQ(slow_read(&l, out), 0);
	for (uint64_t i = 0; i < 3; i++) {
		io = make_io(10 * i + 1, ticks[i]);
		T_EQ(slow_add(&l, &io), 0);
		check_top(&l, ticks, i + 1);
	}
}

/* In any order, also ones that only grow, with a look at the floor first as the loops have it. */
TEST(it_is_the_top_of_all)
{
	enum { N = 3000 };
	static uint64_t ticks[N];
	struct rand r;

	rand_seed(&r, 3, 0);
	for (int order = 0; order < 40; order++) {
		struct slow_list l = { 0 };
		uint64_t floor = 0, calls = 0;

		for (uint64_t i = 0; i < N; i++) {
			struct slow_io io;

			ticks[i] = order == 0 ? i + 1 : order == 1 ? N - i :
				   1 + rand_below(&r, order < 20 ? 1u << 30 : 50);
			io = make_io(1000 * i + 1, ticks[i]);
			if (ticks[i] <= floor)
				continue;
			floor = slow_add(&l, &io);
			calls++;
		}
		check_top(&l, ticks, N);
		if (order > 1)
			T_TRUE(calls < 400);	/* 32 x (1 + ln(3000 / 32)) is 177 */
	}
}

TEST(the_same_is_not_kept_twice)
{
	struct slow_list l = { 0 };
	uint64_t ticks[50];

	for (int twice = 0; twice < 2; twice++)
		for (uint64_t i = 0; i < 50; i++) {
			struct slow_io io = make_io(100 * i + 1, ticks[i] = 10 + i % 45);

			slow_add(&l, &io);
		}
	check_top(&l, ticks, 50);
}

TEST(reset_forgets)
{
	struct slow_list l = { 0 };
	struct slow_io out[SLOW_KEPT], io;
	uint64_t tick = 4;

	for (uint64_t i = 1; i < 100; i++) {
		io = make_io(i, 1000 + i);
		slow_add(&l, &io);
	}
	slow_reset(&l);
	T_EQ(slow_read(&l, out), 0);
	io = make_io(1, tick);
	T_EQ(slow_add(&l, &io), 0);
	check_top(&l, &tick, 1);
}

/* ---- Two processes ------------------------------------------------------------------------------ */

struct shared {
	struct slow_list list;
	_Atomic uint64_t added;		/* calls of slow_add() that have returned */
};

/* Latencies mostly grow, so that nearly every one gets in. */
static uint64_t nth_ticks(uint64_t i)
{
	return 1000 + i * 4 + rand_mix64(i) % 64;
}

static struct shared *start_writer(pid_t *pid)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(s != MAP_FAILED);
	*pid = fork();
	if (*pid)
		return s;
	for (uint64_t i = 0;; i++) {
		struct slow_io io = make_io(i + 1, nth_ticks(i));

		slow_add(&s->list, &io);
		atomic_store(&s->added, i + 1);
	}
}

TEST(a_reader_beside_the_writer_sees_whole_entries)
{
	pid_t pid;
	struct shared *s = start_writer(&pid);

	for (int i = 0; i < 20000; i++) {
		uint64_t ticks[SLOW_KEPT], before = atomic_load(&s->added);
		size_t n = kept(&s->list, ticks);

		T_TRUE(n >= (before < SLOW_KEPT ? before : SLOW_KEPT));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* It has all that were added, and maybe the one that was being added. */
TEST(a_killed_writer_loses_none)
{
	for (int round = 0; round < 150; round++) {
		pid_t pid;
		struct shared *s = start_writer(&pid);
		uint64_t added, *ticks, got[SLOW_KEPT];
		bool same = true, more = true;
		size_t n;

		while (atomic_load(&s->added) < (uint64_t)(40 + 97 * round))
			sched_yield();	/* the writer needs a CPU, too */
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		added = atomic_load(&s->added);
		ticks = malloc((added + 1) * sizeof(*ticks));
		for (uint64_t i = 0; i <= added; i++)
			ticks[i] = nth_ticks(i);
		n = kept(&s->list, got);
		T_EQ(n, SLOW_KEPT);
		qsort(ticks, added, sizeof(*ticks), down);
		same = !memcmp(ticks, got, sizeof(got));
		ticks[added] = nth_ticks(added);
		qsort(ticks, added + 1, sizeof(*ticks), down);
		more = !memcmp(ticks, got, sizeof(got));
		T_TRUE(same || more);
		free(ticks);
		munmap(s, sizeof(*s));
	}
}

/* ---- A batch of the plain loop --------------------------------------------------------------- */

/* I/Os of a chain take 10 ticks, but for one. */
static struct worker_block *make_chain(uint32_t n, uint32_t slow, enum stats_form form)
{
	static struct worker_block blocks[3];
	static unsigned used;
	struct worker_block *b = &blocks[used++];
	struct stats_batch *bt = &b->batch;

	clock_init(CLOCK_USE_GETTIME);
	stats_init(b);
	bt->form = form;
	bt->dirs = 1u << DIR_WRITE;
	bt->len = 4096;
	bt->start[0] = 1000;
	for (uint32_t i = 0; i < n; i++) {
		bt->start[i + 1] = bt->start[i] + (i == slow ? 5000 : 10);
		bt->issue[i] = bt->start[i] + 3;
		bt->offset[i] = 4096ull * (n - i);
	}
	bt->n = n;
	return b;
}

static void check_chain(struct worker_block *b, uint32_t n, uint32_t slow, uint64_t slat, bool cpu)
{
	struct slow_io out[SLOW_KEPT];
	size_t count = slow_read(&b->slow[DIR_WRITE], out), found = 0;

	T_EQ(count, SLOW_KEPT);
	for (size_t i = 0; i < count; i++) {
		T_EQ(out[i].len, 4096);
		T_EQ(out[i].depth, 1);
		T_EQ(out[i].issue - out[i].start, slat);
		T_TRUE(cpu ? out[i].cpu >= 0 : out[i].cpu == SLOW_CPU_UNKNOWN);
		if (slow_ticks(&out[i]) != 5000)
			continue;
		found++;
		T_EQ(out[i].offset, 4096ull * (n - slow));
		T_EQ(out[i].start, 1000 + 10 * slow);
	}
	T_EQ(found, 1);
	T_EQ(slow_read(&b->slow[DIR_READ], out), 0);
}

TEST(offset_and_stamps_come_out_of_the_batch)
{
	struct worker_block *b = make_chain(60, 41, STATS_CHAIN);

	stats_count(b);
	T_EQ(b->dir[DIR_WRITE].slow_floor, 10);
	check_chain(b, 60, 41, 0, true);
	b = make_chain(60, 7, STATS_CHAIN_PREP);
	stats_count(b);
	check_chain(b, 60, 7, 3, true);
}

/* Whoever counts for a dead worker does not know where it ran, and finds none that is new. */
TEST(a_batch_is_rescued_once)
{
	struct worker_block *b = make_chain(60, 41, STATS_CHAIN), *whole = make_chain(60, 41, 0);

	stats_rescue(b);
	check_chain(b, 60, 41, 0, false);
	memcpy(whole, make_chain(60, 41, STATS_CHAIN), sizeof(*whole));
	stats_count(whole);
	whole->batch.n = 60;		/* killed when all but the emptying was done */
	stats_rescue(whole);
	check_chain(whole, 60, 41, 0, true);
}

TEST(the_end_of_a_ramp_forgets)
{
	struct worker_block *b = make_chain(60, 41, STATS_CHAIN);
	struct slow_io out[SLOW_KEPT], io = make_io(1, 99);

	stats_count(b);
	stats_slow(b, DIRS, &io);	/* a sync */
	T_EQ(slow_read(&b->slow_sync, out), 1);
	stats_reset(b);
	T_EQ(slow_read(&b->slow[DIR_WRITE], out), 0);
	T_EQ(slow_read(&b->slow_sync, out), 0);
	T_EQ(b->dir[DIR_WRITE].slow_floor, 0);
}

/* ---- Around ------------------------------------------------------------------------------------ */

#define S	1000000000ull

static void make_around(struct around *a, size_t n)
{
	static struct disks none;

	T_EQ(around_init(a, &none, 0), 0);
	T_EQ(a->count, 0);
	for (size_t i = 0; i < n; i++)
		a->list[i] = (struct around_sample){
			.from_ns = i * S, .to_ns = (i + 1) * S, .steal_ticks = 1, .all_ticks = 100,
			.throttled_us = 5, .dirty_bytes = 1000 - i % 7, .writeback_bytes = i,
		};
	a->count = n;
}

TEST(samples_of_a_time_are_added_up)
{
	struct around a;
	struct around_sample sum;

	make_around(&a, 10);
	T_TRUE(around_sum(&a, (struct around_time){ 2 * S + 5, 2 * S + 7 }, &sum));
	T_EQ(sum.from_ns, 2 * S);
	T_EQ(sum.to_ns, 3 * S);
	T_EQ(sum.steal_ticks, 1);
	T_TRUE(around_sum(&a, (struct around_time){ 2 * S + 5, 5 * S + 7 }, &sum));
	T_EQ(sum.from_ns, 2 * S);
	T_EQ(sum.to_ns, 6 * S);
	T_EQ(sum.all_ticks, 400);
	T_EQ(sum.throttled_us, 20);
	T_EQ(sum.dirty_bytes, 998);
	T_EQ(sum.writeback_bytes, 5);
	T_TRUE(!around_sum(&a, (struct around_time){ 10 * S, 11 * S }, &sum));
	around_free(&a);
}

TEST(full_samples_are_thinned_to_the_needed)
{
	const struct around_time needed[] = {
		{ 3 * S + 1, 3 * S + 2 }, { 700 * S - 1, 702 * S + 1 }, { 9999 * S, 99999 * S },
	};
	struct around a;
	struct around_sample sum;

	make_around(&a, AROUND_MAX);
	T_TRUE(around_full(&a));
	around_thin(&a, needed, 3);
	T_EQ(a.count, 5);
	T_TRUE(around_sum(&a, needed[0], &sum));
	T_EQ(sum.from_ns, 3 * S);
	T_TRUE(around_sum(&a, needed[1], &sum));
	T_EQ(sum.from_ns, 699 * S);
	T_EQ(sum.to_ns, 703 * S);
	T_TRUE(!around_sum(&a, needed[2], &sum));
	around_free(&a);
}

TEST(where_all_are_needed_the_oldest_go)
{
	const struct around_time all = { 0, AROUND_MAX * S };
	struct around a;

	make_around(&a, AROUND_MAX);
	around_thin(&a, &all, 1);
	T_EQ(a.count, AROUND_MAX / 2);
	T_EQ(a.list[0].from_ns, AROUND_MAX / 2 * S);
	T_EQ(a.list[a.count - 1].to_ns, AROUND_MAX * S);
	around_look(&a, (AROUND_MAX + 1) * S);
	T_EQ(a.count, AROUND_MAX / 2 + 1);
	around_free(&a);
}
