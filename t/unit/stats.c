/* SPDX-License-Identifier: MIT */
/*
 * Batches of I/Os in memory that two processes share: however the one that counts them is killed,
 * the other comes to the same numbers as if it had not been.
 */
#include "core/latsum.h"
#include "core/stats.h"
#include "os/mem.h"
#include "t/test.h"

#include <sched.h>
#include <time.h>

#define ROUNDS 100

static struct worker_block *block;

static void make_block(void)
{
	int err = 0;

	block = mem_shared(sizeof(*block), &err);
	T_TRUE(block != NULL);
	stats_init(block);
}

/* The i-th I/O of a story that both processes know. */
static struct stats_sample sample(uint64_t i)
{
	return (struct stats_sample){
		.slat = 100 + i % 977, .clat = 1000 + i * 7919 % 1000003, .bytes = 512 << i % 3,
		.dir = i % 5 == 0,
	};
}

/* ---- What must have been counted ------------------------------------------------------------- */

static struct dir_stats want[DIRS];

static void want_nothing(void)
{
	memset(want, 0, sizeof(want));
	for (int d = 0; d < DIRS; d++)
		for (int k = 0; k < STATS_KINDS; k++)
			moments_reset(&want[d].kind[k].m);
}

static void same_kind(const struct lat_stat *got, const struct lat_stat *wanted)
{
	T_EQ(got->m.min, wanted->m.min);
	T_EQ(got->m.max, wanted->m.max);
	T_EQ(got->m.sum, wanted->m.sum);
	T_TRUE(got->m.sumsq == wanted->m.sumsq);
	T_MEM(got->bins, wanted->bins, sizeof(got->bins));
}

static void same_all(void)
{
	for (int d = 0; d < DIRS; d++) {
		T_EQ(block->dir[d].ios, want[d].ios);
		T_EQ(block->dir[d].done_ios, want[d].done_ios);
		T_EQ(block->dir[d].bytes, want[d].bytes);
		for (int k = 0; k < STATS_KINDS; k++)
			same_kind(&block->dir[d].kind[k], &want[d].kind[k]);
	}
}

static void want_samples(uint64_t count)
{
	want_nothing();
	for (uint64_t i = 0; i < count; i++) {
		struct stats_sample s = sample(i);
		struct dir_stats *d = &want[s.dir];

		d->done_ios++;
		d->bytes += s.bytes;
		lat_add(&d->slat, s.slat);
		lat_add(&d->clat, s.clat);
		lat_add(&d->lat, s.slat + s.clat);
	}
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void add_samples(uint64_t from, uint64_t to)
{
	block->batch.form = STATS_SAMPLES;
	for (uint64_t i = from; i < to; i++) {
		struct stats_sample s = sample(i);

		if (stats_sample(block, s.dir, s.bytes, s.slat, s.clat))
			stats_count(block);
	}
}

TEST(samples_are_counted)
{
	make_block();
	add_samples(0, 1000);
	stats_count(block);
	want_samples(1000);
	same_all();
}

/* No count of I/Os or bytes is narrower than 64 bits, nor one of its bins. */
TEST(counts_pass_32_bits)
{
	const uint64_t before = UINT32_MAX - 10, len = 1ull << 32;
	struct stats_sample s = { .slat = 0, .clat = 0, .bytes = len, .dir = DIR_READ };
	const uint32_t bin = hist_index(0);
	struct result_lat out;
	struct latsum sum;
	struct dir_stats *d;

	make_block();
	d = &block->dir[DIR_READ];
	d->ios = d->done_ios = d->clat.bins[bin] = d->slat.bins[bin] = d->lat.bins[bin] = before;
	d->bytes = before * len;
	block->batch.form = STATS_SAMPLES;
	for (int i = 0; i < 20; i++)
		stats_sample(block, s.dir, s.bytes, s.slat, s.clat);
	stats_count(block);
	T_EQ(d->done_ios, before + 20);
	T_EQ(d->bytes, (before + 20) * len);
	T_EQ(d->clat.bins[bin], before + 20);
	latsum_begin(&sum);
	latsum_add(&sum, &d->clat);
	latsum_add(&sum, &d->clat);
	latsum_end(&sum, &out);
	T_EQ(out.n, 2 * (before + 20));
	latsum_free(&out);
}

TEST(a_batch_that_was_not_begun_is_counted)
{
	make_block();
	add_samples(0, STATS_BATCH + 10);
	stats_rescue(block);
	want_samples(STATS_BATCH + 10);
	same_all();
	stats_rescue(block);	/* and once only */
	same_all();
}

/* A child does this until it is killed, at some moment within a millisecond. */
static void kill_in(void (*work)(void))
{
	pid_t pid = fork();
	struct timespec nap = { 0, rand() % 400000 };

	T_TRUE(pid >= 0);
	if (!pid)
		work();
	while (!__atomic_load_n(&block->batch.n, __ATOMIC_ACQUIRE))
		sched_yield();
	nanosleep(&nap, NULL);
	T_EQ(kill(pid, SIGKILL), 0);
	T_EQ(waitpid(pid, NULL, 0), pid);
}

static void samples_for_ever(void)
{
	add_samples(0, UINT64_MAX);
}

TEST(killed_while_counting_samples)
{
	unsigned in_the_middle = 0;

	make_block();
	for (int round = 0; round < ROUNDS; round++) {
		memset(block, 0, sizeof(*block));
		stats_init(block);
		kill_in(samples_for_ever);
		in_the_middle += block->batch.counting && block->batch.n;
		stats_rescue(block);
		want_samples(block->dir[0].done_ios + block->dir[1].done_ios);
		same_all();
	}
	T_TRUE(in_the_middle > 0);
}

/* ---- Chains ---------------------------------------------------------------------------------- */

static void chains_for_ever(void)
{
	struct stats_batch *bt = &block->batch;

	bt->form = STATS_CHAIN_PREP;
	bt->dirs = 1u << DIR_WRITE;
	bt->len = 4096;
	for (uint64_t i = 0; ; i++) {
		struct stats_sample s = sample(i);

		bt->issue[bt->n] = bt->start[bt->n] + s.slat;
		bt->start[bt->n + 1] = bt->issue[bt->n] + s.clat;
		__atomic_store_n(&bt->n, bt->n + 1, __ATOMIC_RELEASE);
		if (bt->n == STATS_BATCH)
			stats_count(block);
	}
}

static void want_chain(uint64_t count)
{
	struct dir_stats *d = &want[DIR_WRITE];

	want_nothing();
	d->ios = d->done_ios = count;
	d->bytes = count * 4096;
	for (uint64_t i = 0; i < count; i++) {
		struct stats_sample s = sample(i);

		lat_add(&d->clat, s.clat);
		lat_add(&d->lat, s.slat + s.clat);
	}
}

TEST(killed_while_counting_chains)
{
	make_block();
	for (int round = 0; round < ROUNDS; round++) {
		memset(block, 0, sizeof(*block));
		stats_init(block);
		kill_in(chains_for_ever);
		stats_rescue(block);
		want_chain(block->dir[DIR_WRITE].done_ios);
		same_all();
	}
}
