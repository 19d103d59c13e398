/* SPDX-License-Identifier: MIT */
/*
 * What it costs to keep the slowest I/Os: a batch of the plain loop is counted with the comparison
 * that every I/O pays for, and without it, in turns; then what the long way costs those that take
 * it, and how many of so many I/Os do.
 *
 *	slow [ROUNDS [IOS]]
 *
 * The latencies are those of a device that takes 100 us, with a tail. The share is that of an I/O
 * by null, 25 ns: the least that an I/O can cost with a clock reading in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "lib/rand.h"

/*
 * The same source once more under other names, without the comparison: it is the only thing in it
 * that is said to be unlikely.
 */
#pragma push_macro("unlikely")
#undef unlikely
#define unlikely(x)	(0)
#define stats_init	without_init
#define stats_reset	without_reset
#define stats_slow	without_slow
#define stats_count	without_count
#define stats_rescue	without_rescue
#define stats_log	without_log
#define stats_log_dead	without_log_dead
#define stats_fail	without_fail
#define stats_error	without_error
#define stats_note	without_note
#define stats_stacked	without_stacked
#include "core/stats.c"
#undef stats_init
#undef stats_count
#pragma pop_macro("unlikely")

void stats_init(struct worker_block *block);
void stats_count(struct worker_block *block);

#define NULL_IO_NS	25.0
#define ARM_IOS		(STATS_BATCH * 1024)

static struct worker_block *b;

static void fill(struct rand *r)
{
	struct stats_batch *bt = &b->batch;

	bt->form = STATS_CHAIN;
	bt->dirs = 1u << DIR_READ;
	bt->len = 4096;
	bt->start[0] = 1;
	for (uint32_t i = 0; i < STATS_BATCH; i++) {
		uint64_t ticks = 200000 + rand_below(r, 100000);

		if (!rand_below(r, 1000))
			ticks *= 1 + rand_below(r, 100);
		bt->start[i + 1] = bt->start[i] + ticks;
		bt->offset[i] = 4096 * rand_below(r, 1 << 20);
	}
}

static void count_without(void)
{
	without_count(b);
}

static void count_with(void)
{
	stats_count(b);
}

/* ns per I/O */
static double arm(void (*count)(void), uint64_t ios)
{
	uint64_t began = clock_ticks();

	for (uint64_t i = 0; i < ios; i += STATS_BATCH) {
		b->batch.n = STATS_BATCH;
		count();
	}
	return (double)clock_ns(clock_ticks() - began) / (double)ios;
}

static int up(const void *x, const void *y)
{
	double a = *(const double *)x, c = *(const double *)y;

	return (a > c) - (a < c);
}

/* On a machine with other things to do the fast ones are the undisturbed ones. */
static double low_tenth(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), up);
	return v[n / 10];
}

/* The long way, for I/Os each of which is slower than all before. */
static double long_way(uint64_t n)
{
	struct slow_list *l = calloc(1, sizeof(*l));
	uint64_t began = clock_ticks();

	for (uint64_t i = 1; i <= n; i++) {
		struct slow_io io = { .start = i, .issue = i, .end = 3 * i };

		slow_add(l, &io);
	}
	began = clock_ticks() - began;
	free(l);
	return (double)clock_ns(began) / (double)n;
}

static uint64_t taken(struct rand *r, uint64_t n)
{
	struct slow_list *l = calloc(1, sizeof(*l));
	uint64_t floor = 0, calls = 0;

	for (uint64_t i = 1; i <= n; i++) {
		struct slow_io io = { .start = i, .issue = i };

		io.end = i + 200000 + rand_below(r, 1 << 30);
		if (io.end - io.start <= floor)
			continue;
		floor = slow_add(l, &io);
		calls++;
	}
	free(l);
	return calls;
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? (size_t)atoll(argv[1]) : 501;
	uint64_t ios = argc > 2 ? (uint64_t)atoll(argv[2]) : 1000000;
	double *with = calloc(rounds + 1, sizeof(*with)), *without = calloc(rounds + 1, sizeof(*with));
	double ns_with, ns_without;
	struct rand r;

	if (!rounds || !ios || !with || !without) {
		fprintf(stderr, "usage: slow [ROUNDS [IOS]]\n");
		return 2;
	}
	clock_init(CLOCK_USE_AUTO);
	rand_seed(&r, 1, 0);
	b = aligned_alloc(64, (sizeof(*b) + 63) & ~63ul);
	memset(b, 0, sizeof(*b));
	stats_init(b);
	fill(&r);
	b->dir[DIR_READ].slow_floor = UINT64_MAX;	/* as it is for nearly all I/Os of a run */
	for (size_t i = 0; i < rounds; i++) {
		if (i % 2)
			without[i] = arm(count_without, ARM_IOS);
		with[i] = arm(count_with, ARM_IOS);
		if (!(i % 2))
			without[i] = arm(count_without, ARM_IOS);
	}
	ns_with = low_tenth(with, rounds);
	ns_without = low_tenth(without, rounds);
	printf("counting an I/O: %.2f ns, without the comparison %.2f ns: %+.2f ns, "
	       "%+.1f%% of an I/O by null\n", ns_with, ns_without, ns_with - ns_without,
	       (ns_with - ns_without) / NULL_IO_NS * 100);
	printf("the long way into the list: %.0f ns\n", long_way(ios));
	for (uint64_t n = 1000; n <= ios; n *= 1000)
		printf("of %llu I/Os take it: %llu\n", (unsigned long long)n,
		       (unsigned long long)taken(&r, n));
	free(b);
	free(with);
	free(without);
	return 0;
}
