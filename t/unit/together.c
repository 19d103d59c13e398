/* SPDX-License-Identifier: MIT */
/*
 * Jobs whose counters are set by hand, looked at by the two that watch counters over time: what
 * they make of them is known exactly.
 */
#include "core/series.h"
#include "core/together.h"

#include "t/test.h"

#define S	1000000000ull
#define MS	1000000ull
#define MIB	(1ull << 20)

enum { JOBS = 4 };

static struct job jobs[JOBS];
static struct plan_job plan_jobs[JOBS];
static struct plan plan = { .jobs = plan_jobs, .count = JOBS };
static struct crew_job crew_jobs[JOBS];
static struct crew crew = { .jobs = crew_jobs };

/* So many readers in one group, none of which has begun. */
static void make_crew(size_t n)
{
	clock_init(CLOCK_USE_AUTO);
	plan.count = crew.count = n;
	for (size_t i = 0; i < n; i++) {
		jobs[i].measure.stats = 1;
		jobs[i].workload.rw.bits = RW_READ;
		plan_jobs[i] = (struct plan_job){ .job = &jobs[i], .number = (uint32_t)i };
		crew_jobs[i].plan = &plan_jobs[i];
		crew_jobs[i].block = calloc(1, sizeof(struct worker_block));
		crew_jobs[i].started = true;
		stats_init(crew_jobs[i].block);
	}
}

static void begin(size_t i, uint64_t at_ns)
{
	crew_jobs[i].block->start_ns = at_ns;
	atomic_store(&crew_jobs[i].block->state, WORKER_RUN);
}

/* A job that moves so many bytes a second from its start to its end. */
static void go_to(size_t i, uint64_t now_ns, uint64_t bw, uint64_t end_ns)
{
	struct worker_block *b = crew_jobs[i].block;
	uint64_t to = now_ns < end_ns ? now_ns : end_ns;

	if (to <= b->start_ns || !b->start_ns)
		return;
	b->dir[DIR_READ].bytes = (uint64_t)((double)bw * (double)(to - b->start_ns) / 1e9 + 0.5);
	b->dir[DIR_READ].done_ios = b->dir[DIR_READ].bytes / 4096;
	if (now_ns < end_ns)
		return;
	b->end_ns = end_ns;
	atomic_store(&b->state, WORKER_DONE);
	crew_jobs[i].ended = true;
}

/* The case that the figures are there for: 1130 MiB/s for 1 s beside 10 MiB/s for 11 s. */
TEST(two_jobs_that_end_apart)
{
	struct together t;
	struct result_together f;

	make_crew(2);
	T_EQ(together_init(&t, &plan), 0);
	begin(0, 1 * S);
	begin(1, 1 * S);
	for (uint64_t now = 1 * S + 70 * MS; now < 13 * S; now += 130 * MS) {
		go_to(0, now, 1130 * MIB, 2 * S);
		go_to(1, now, 10 * MIB, 12 * S);
		together_look(&t, &crew, now);
	}
	T_TRUE(together_figures(&t, &crew, 0, RW_READ, 13 * S, &f));
	T_EQ(f.workers, 2);
	T_EQ(f.all_ns, 1 * S);
	T_NEAR(f.all_bw, 1140.0 * MIB, 2);
	T_EQ(f.whole_ns, 11 * S);
	T_NEAR(f.whole_bw, (1130.0 + 110) / 11 * MIB, 2);
	T_NEAR(f.min_bw, 10.0 * MIB, 1);
	T_NEAR(f.median_bw, 570.0 * MIB, 1);
	T_NEAR(f.max_bw, 1130.0 * MIB, 1);
	T_TRUE(!together_figures(&t, &crew, 0, RW_WRITE, 13 * S, &f));
	T_TRUE(!together_figures(&t, &crew, 1, RW_READ, 13 * S, &f));
	together_free(&t);
}

/* The window opens with the last one's start, between two looks, and closes with the first end. */
TEST(starts_and_ends_between_looks)
{
	struct together t;
	struct result_together f;

	make_crew(3);
	T_EQ(together_init(&t, &plan), 0);
	begin(0, 1 * S);
	for (uint64_t now = 1 * S; now < 10 * S; now += 100 * MS) {
		if (now == 3 * S)
			begin(1, 3 * S - 40 * MS);
		if (now == 4 * S)
			begin(2, 4 * S - 30 * MS);
		go_to(0, now, 100 * MIB, 8 * S + 50 * MS);
		go_to(1, now, 20 * MIB, 6 * S + 25 * MS);
		go_to(2, now, 7 * MIB, 9 * S + 1);
		together_look(&t, &crew, now);
		if (now == 5 * S) {	/* a status dump: so far */
			T_TRUE(together_figures(&t, &crew, 0, RW_READ, now, &f));
			T_EQ(f.all_ns, 1030 * MS);
			T_NEAR(f.all_bw, 127.0 * MIB, 4);
			T_EQ(f.whole_ns, 4 * S);
		}
	}
	T_TRUE(together_figures(&t, &crew, 0, RW_READ, 10 * S, &f));
	T_EQ(f.workers, 3);
	T_EQ(f.all_ns, 2055 * MS);
	T_NEAR(f.all_bw, 127.0 * MIB, 4);
	T_EQ(f.whole_ns, 8 * S + 1);
	T_NEAR(f.median_bw, 20.0 * MIB, 1);
	together_free(&t);
}

TEST(jobs_that_were_never_at_work_at_once)
{
	struct together t;
	struct result_together f;

	make_crew(2);
	T_EQ(together_init(&t, &plan), 0);
	begin(0, 1 * S);
	go_to(0, 2 * S, MIB, 2 * S);
	together_look(&t, &crew, 2 * S);
	begin(1, 3 * S);
	go_to(1, 4 * S, MIB, 4 * S);
	together_look(&t, &crew, 4 * S);
	T_TRUE(together_figures(&t, &crew, 0, RW_READ, 5 * S, &f));
	T_EQ(f.all_ns, 0);
	T_NEAR(f.all_bw, 0, 0);
	T_EQ(f.whole_ns, 3 * S);
	T_NEAR(f.whole_bw, 2.0 / 3 * MIB, 1);
	together_free(&t);
}

/* A job that failed before it began, and one that is to be left out, are not waited for. */
TEST(jobs_that_do_not_count)
{
	struct together t;
	struct result_together f;

	make_crew(4);
	crew_jobs[1].ended = true;
	jobs[2].measure.stats = 0;
	T_EQ(together_init(&t, &plan), 0);
	begin(0, 1 * S);
	begin(2, 1 * S);
	begin(3, 1 * S);
	for (uint64_t now = 1 * S; now < 4 * S; now += 100 * MS) {
		go_to(0, now, 10 * MIB, 3 * S);
		go_to(2, now, 1000 * MIB, 1 * S + 500 * MS);
		go_to(3, now, 30 * MIB, 3 * S);
		together_look(&t, &crew, now);
	}
	T_TRUE(together_figures(&t, &crew, 0, RW_READ, 4 * S, &f));
	T_EQ(f.workers, 2);
	T_EQ(f.all_ns, 2 * S);
	T_NEAR(f.all_bw, 40.0 * MIB, 2);
	together_free(&t);
}

/* What a ramp counted is forgotten: it is no part of the window, nor of the line to its start. */
TEST(a_ramp_is_not_counted)
{
	struct together t;
	struct result_together f;

	make_crew(1);
	T_EQ(together_init(&t, &plan), 0);
	crew_jobs[0].block->start_ns = 1 * S;
	atomic_store(&crew_jobs[0].block->state, WORKER_RAMP);
	crew_jobs[0].block->dir[DIR_READ].bytes = 500 * MIB;
	together_look(&t, &crew, 2 * S - 10 * MS);
	begin(0, 2 * S);
	go_to(0, 2 * S + 50 * MS, 10 * MIB, 3 * S);
	together_look(&t, &crew, 2 * S + 50 * MS);
	go_to(0, 3 * S, 10 * MIB, 3 * S);
	together_look(&t, &crew, 3 * S);
	T_TRUE(together_figures(&t, &crew, 0, RW_READ, 4 * S, &f));
	T_EQ(f.all_ns, 1 * S);
	T_NEAR(f.all_bw, 10.0 * MIB, 1);
	together_free(&t);
}

/* ---- Series ---------------------------------------------------------------------------------- */

static void run_series(struct series *s, uint64_t seconds)
{
	T_EQ(series_init(s, crew.count), 0);
	begin(0, 1 * S);
	for (uint64_t now = 1 * S; now < (1 + seconds) * S; now += 50 * MS) {
		if (now == 1 * S + 200 * MS)
			begin(1, now);
		go_to(0, now, 4096 * 1000, 100000 * S);
		go_to(1, now, 4096 * 50, 100000 * S);
		series_look(s, &crew, now);
	}
}

TEST(rates_of_one_job_and_of_both)
{
	static const size_t both[] = { 0, 1 };
	struct interval_mean mean;
	struct series s;
	uint64_t span_ns;

	make_crew(2);
	run_series(&s, 5);
	T_TRUE(series_iops(&s, both, 1, RW_READ, 0.95, &mean, &span_ns));
	T_NEAR(mean.mean, 1000, 1);
	T_EQ(span_ns, SERIES_SPAN_NS);
	T_TRUE(series_iops(&s, both, 2, RW_READ, 0.95, &mean, &span_ns));
	T_NEAR(mean.mean, 1050, 1);
	T_TRUE(mean.low <= 1050 && mean.high >= 1050);
	T_TRUE(series_iops(&s, both, 2, RW_WRITE, 0.95, &mean, &span_ns));
	T_NEAR(mean.mean, 0, 0);
	series_free(&s);
}

/* The room stays the same, and the numbers too. */
TEST(a_long_run_is_thinned)
{
	static const size_t both[] = { 0, 1 };
	struct interval_mean mean;
	struct series s;
	uint64_t span_ns;

	make_crew(2);
	run_series(&s, 1000);
	T_TRUE(s.points <= SERIES_POINTS && s.points >= SERIES_POINTS / 2 - 1);
	T_TRUE(series_iops(&s, both, 2, RW_READ, 0.95, &mean, &span_ns));
	T_NEAR(mean.mean, 1050, 0.5);
	T_EQ(span_ns, 64 * SERIES_SPAN_NS);
	for (size_t p = 1; p < s.points; p++)
		T_TRUE(s.at_ns[p] - s.at_ns[p - 1] >= span_ns / 2);
	series_free(&s);
}

/* Only while all of them are counted: not before the start, not in a ramp, not behind the end. */
TEST(rates_only_while_all_are_at_work)
{
	static const size_t both[] = { 0, 1 };
	struct interval_mean mean;
	struct series s;
	uint64_t span_ns;

	make_crew(2);
	T_EQ(series_init(&s, 2), 0);
	begin(0, 1 * S);
	begin(1, 3 * S);
	for (uint64_t now = 1 * S; now < 9 * S; now += 100 * MS) {
		atomic_store(&crew_jobs[1].block->state, now < 3 * S ? WORKER_RAMP : WORKER_RUN);
		go_to(0, now, 4096 * (now < 3 * S ? 10 : 1000), 100 * S);
		go_to(1, now, 4096 * 500, 4 * S);
		series_look(&s, &crew, now);
	}
	T_TRUE(series_iops(&s, both, 2, RW_READ, 0.95, &mean, &span_ns));
	T_EQ(mean.batches, 9);		/* 10 points from 3.0 s to 3.9 s */
	T_NEAR(mean.mean, 1500, 1);
	series_free(&s);
}
