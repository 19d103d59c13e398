/* SPDX-License-Identifier: MIT */
/* Rings of logs, alone and with two threads; their files; names; samples of rates. */
#include "t/test.h"

#include "core/log.h"
#include "core/log_file.h"
#include "core/log_ring.h"
#include "core/measure.h"
#include "core/rates.h"
#include "lib/logfmt.h"
#include "os/clock.h"

#include <pthread.h>
#include <sys/stat.h>

/* ---- Rings ----------------------------------------------------------------------------------- */

#define ENTRIES	1024u

static struct log_bell bell;

static struct log_ring *ring_new(uint64_t entries, uint32_t depth, uint64_t window_ns)
{
	struct log_ring *r = aligned_alloc(4096, log_ring_bytes(entries));

	clock_init(CLOCK_USE_AUTO);
	memset(r, 0, log_ring_bytes(entries));
	log_ring_init(r, &bell, entries, depth, window_ns);
	log_ring_start(r, 0, UINT64_MAX);
	return r;
}

static void put(struct log_ring *r, uint64_t offset)
{
	const struct log_io io = { .offset = offset };

	log_ring_put(r, 0, &io);
	log_ring_publish(r, 1);
}

TEST(a_ring_gives_back_what_was_put)
{
	struct log_ring *r = ring_new(ENTRIES, 1, 0);
	uint64_t next = 0, seen = 0;

	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 37; i++) {
			T_TRUE(log_ring_room(r));
			put(r, next++);
		}
		T_EQ(log_ring_ready(r), 37);
		for (uint64_t i = 0; i < 37; i++)
			T_EQ(log_ring_at(r, i)->io.offset, seen + i);
		log_ring_drop(r, 37);
		seen += 37;
		T_EQ(log_ring_ready(r), 0);
	}
	free(r);
}

TEST(a_batch_is_seen_when_it_is_published)
{
	struct log_ring *r = ring_new(ENTRIES, 1, 0);
	const struct log_io io = { .offset = 7 };

	for (uint32_t i = 0; i < LOG_BATCH_MAX; i++)
		log_ring_put(r, i, &io);
	T_EQ(log_ring_ready(r), 0);
	log_ring_publish(r, LOG_BATCH_MAX);
	T_EQ(log_ring_ready(r), LOG_BATCH_MAX);
	free(r);
}

TEST(there_is_room_for_all_that_are_in_flight)
{
	struct log_ring *r = ring_new(ENTRIES, 200, 0);
	uint64_t n = 0;

	while (log_ring_room(r)) {
		put(r, n++);
		T_TRUE(n < ENTRIES);
	}
	T_EQ(n, ENTRIES - 200 + 1);
	T_EQ(r->waits, 1);
	for (int i = 0; i < 199; i++)
		put(r, n++);		/* those that were in flight */
	T_TRUE(!log_ring_room(r));
	T_EQ(r->waits, 1);		/* still the same */
	log_ring_drop(r, 200);
	T_TRUE(log_ring_room(r));
	T_EQ(r->wait_since, 0);
	T_TRUE(r->wait_ns > 0);
	free(r);
}

TEST(what_is_packed_comes_back)
{
	uint64_t what = log_what(1ull << 32, 2, 0xffff);

	T_EQ(log_what_bytes(what), 1ull << 32);
	T_EQ(log_what_dir(what), 2);
	T_EQ(log_what_prio(what), 0xffff);
}

#define IN_THREADS	200000u

static void *produce(void *arg)
{
	struct log_ring *r = arg;

	for (uint64_t i = 0; i < IN_THREADS; i++) {
		while (!log_ring_room(r))
			log_ring_wait(r, 1000000000);
		put(r, i);
	}
	return NULL;
}

TEST(two_threads_lose_nothing)
{
	struct log_ring *r = ring_new(ENTRIES, 1, 0);
	uint64_t seen = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, produce, r);
	while (seen < IN_THREADS) {
		uint32_t rung = atomic_load(&bell.rung);
		uint64_t n = log_ring_ready(r);

		for (uint64_t i = 0; i < n; i++)
			T_EQ(log_ring_at(r, i)->io.offset, seen++);
		log_ring_drop(r, n);
		if (!n)
			log_bell_wait(&bell, rung, 1000000);
	}
	pthread_join(thread, NULL);
	T_EQ(log_ring_ready(r), 0);
	free(r);
}

static void gather(struct log_ring *r, uint64_t at_ns, uint32_t dir, uint64_t clat_ns)
{
	uint64_t end = clock_scale.base_ticks + clock_ns_to_ticks(at_ns) + 1;
	const struct log_io io = {
		.end = end, .issue = end - clock_ns_to_ticks(clat_ns),
		.start = end - clock_ns_to_ticks(2 * clat_ns), .what = log_what(4096, dir, 0),
	};

	log_ring_put(r, 0, &io);
}

TEST(windows_end_in_time)
{
	struct log_ring *r = ring_new(ENTRIES, 1, 1000000);
	const struct log_window *w;

	gather(r, 100000, 0, 1000);
	gather(r, 900000, 0, 3000);
	gather(r, 950000, 1, 5000);
	T_EQ(log_ring_ready(r), 0);
	gather(r, 5500000, 0, 100000);	/* the first behind a stall */
	T_EQ(log_ring_ready(r), 6);	/* two directions, three latencies */
	w = &log_ring_at(r, 2)->window;
	T_EQ(w->what, DIRS);		/* clat, reads */
	T_EQ(w->end, 1000000);
	T_EQ(w->sum.n, 2);
	T_NEAR((double)w->sum.sum, 4000, 4);
	T_NEAR((double)w->sum.max, 3000, 2);
	T_EQ(r->window_next, 6000000);
	T_EQ(r->sum[1][0].n, 1);
	free(r);
}

TEST(a_window_without_room_goes_on)
{
	struct log_ring *r = ring_new(ENTRIES, 1, 1000);
	uint64_t n = 0, seen = 0;

	for (uint64_t i = 1; i <= 2000; i++, n++)
		gather(r, i * 1000, 0, 10);
	T_TRUE(log_ring_ready(r) > ENTRIES - LOG_WINDOW_ENTRIES - 1);
	T_TRUE(log_ring_room(r));
	for (uint64_t i = 0; i < log_ring_ready(r); i++)
		if (log_ring_at(r, i)->window.what == DIRS)
			seen += log_ring_at(r, i)->window.sum.n;
	T_EQ(seen + r->sum[1][0].n, n);
	free(r);
}

TEST(the_last_window_ends_with_the_job)
{
	struct log_ring *r = ring_new(ENTRIES, 1, 1000000);

	log_ring_start(r, 0, 2000000);
	gather(r, 1500000, 0, 10);
	gather(r, 2000001, 0, 10);
	T_EQ(log_ring_ready(r), 0);
	T_EQ(r->sum[0][0].n, 2);
	free(r);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static char folder[] = "/tmp/logs-XXXXXX";
static char path[128];

static const char *in_folder(const char *name)
{
	static bool made;

	if (!made)
		T_TRUE(mkdtemp(folder));
	made = true;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static uint64_t size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) ? UINT64_MAX : (uint64_t)st.st_size;
}

static void remove_folder(void)
{
	T_EQ(rmdir(folder), 0);
}

TEST(many_files_need_few_descriptors)
{
	struct log_files set = { .open_max = 32 };
	struct log_file *f[200];
	char name[32];

	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "x%d", i);
		f[i] = log_files_add(&set, in_folder(name), false, 0);
		T_EQ(f[i]->error, 0);
	}
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 200; i++)
			log_file_write(&set, f[i], "line\n", 5);
	T_TRUE(set.open < 40);
	for (int i = 0; i < 200; i++) {
		log_file_end(&set, f[i]);
		T_EQ(size_of(f[i]->path), 15);
		T_EQ(unlink(f[i]->path), 0);
	}
	T_EQ(set.open, 0);
	log_files_close(&set);
	log_files_free(&set);
	remove_folder();
}

TEST(shared_files_are_one)
{
	struct log_files set = { .open_max = 32 };
	struct log_file *a = log_files_add(&set, in_folder("s"), true, 0);

	T_TRUE(log_files_add(&set, in_folder("s"), true, 0) == a);
	T_TRUE(log_files_add(&set, in_folder("t"), true, 0) != a);
	T_EQ(set.count, 2);
	unlink(in_folder("s"));
	unlink(in_folder("t"));
	log_files_close(&set);
	log_files_free(&set);
	remove_folder();
}

TEST(a_file_that_cannot_be)
{
	struct log_files set = { .open_max = 32 };
	struct log_file *f = log_files_add(&set, "/none/of/these", false, 0);

	T_EQ(f->error, ENOENT);
	log_file_write(&set, f, "line\n", 5);
	log_file_end(&set, f);
	log_files_close(&set);
	log_files_free(&set);
	set = (struct log_files){ .open_max = 32 };
	f = log_files_add(&set, "/dev/full", false, 0);
	T_EQ(f->error, 0);
	log_file_write(&set, f, "line\n", 5);
	T_EQ(f->error, ENOSPC);
	T_EQ(f->bytes, 0);
	log_file_end(&set, f);
	log_files_close(&set);
	log_files_free(&set);
}

TEST(compressed_in_pieces)
{
	struct log_files set = { .open_max = 32 };
	struct log_file *f = log_files_add(&set, in_folder("z"), false, 1000);
	uint64_t before;

	if (!zip_here())
		SKIP("built without zlib");
	for (int i = 0; i < 9; i++)
		log_file_write(&set, f, "0123456789\n", 11);
	T_EQ(size_of(f->path), 0);
	for (int i = 0; i < 90; i++)
		log_file_write(&set, f, "0123456789\n", 11);
	before = size_of(f->path);
	T_TRUE(before > 0 && before < 100);
	log_file_end(&set, f);
	T_TRUE(size_of(f->path) > before);
	unlink(f->path);
	log_files_close(&set);
	log_files_free(&set);
	remove_folder();
}

/* ---- Names and settings ---------------------------------------------------------------------- */

static const char *name_of(const struct log_conf *c, enum log_kind kind, const char *job)
{
	static char text[LOG_PATH_BYTES];

	log_path(c, kind, job, 3, text);
	return text;
}

TEST(names)
{
	struct log_conf c = { .bw = "x", .lat = "", .hist = "d/y", .per_job = 1 };

	T_STR(name_of(&c, LOG_BW, "j"), "x_bw.3.log");
	T_STR(name_of(&c, LOG_CLAT, "j"), "j_clat.3.log");
	T_STR(name_of(&c, LOG_SLAT, "/dev/sda"), "_dev_sda_slat.3.log");
	T_STR(name_of(&c, LOG_HIST, "j"), "d/y_clat_hist.3.log");
	c.per_job = 0;
	c.compressed = 1;
	T_STR(name_of(&c, LOG_LAT, "a b"), "a b_lat.log.fz");
}

static struct log_conf checked(struct log_conf c, struct measure_conf m, int want)
{
	char why[256] = "";

	if (m.gtod_reduce)
		m.disable_lat = m.disable_clat = m.disable_slat = m.disable_bw = 1;
	T_EQ(log_check(&c, &m, why, sizeof(why)), want);
	T_EQ(!*why, !want);
	return c;
}

TEST(what_is_logged)
{
	const struct measure_conf all = { 0 }, none = { .gtod_reduce = 1 };
	const struct measure_conf no_clat = { .disable_clat = 1 };
	struct log_conf c;

	c = checked((struct log_conf){ 0 }, all, 0);
	T_TRUE(!log_any(&c) && !log_each(&c) && !log_windows(&c));
	c = checked((struct log_conf){ .lat = "" }, all, 0);
	T_TRUE(log_any(&c) && log_each(&c) && !log_windows(&c));
	c = checked((struct log_conf){ .lat = "", .window_ms = 10 }, all, 0);
	T_TRUE(!log_each(&c) && log_windows(&c));
	c = checked((struct log_conf){ .bw = "", .window_ms = 10 }, all, 0);
	T_TRUE(log_any(&c) && !log_each(&c) && !log_windows(&c));
	c = checked((struct log_conf){ .bw = "" }, none, 1);
	T_TRUE(log_any(&c) && !log_each(&c));
	c = checked((struct log_conf){ .lat = "" }, no_clat, 0);
	T_TRUE(!c.wanted[LOG_CLAT] && c.wanted[LOG_LAT]);
	c = checked((struct log_conf){ .hist = "", .hist_ms = 1 }, all, 0);
	T_TRUE(log_any(&c) && !log_each(&c));
	checked((struct log_conf){ .hist = "" }, all, 1);
	checked((struct log_conf){ .issue = 1, .lat = "" }, all, -EINVAL);
	checked((struct log_conf){ .epoch_clock = 77 }, all, -EINVAL);
}

TEST(the_shorter_interval_counts)
{
	struct log_conf c = checked((struct log_conf){ .bw = "", .window_ms = 100 },
				    (struct measure_conf){ 0 }, 0);

	T_EQ(log_interval_ms(&c, true, 500), 100);
	T_EQ(log_interval_ms(&c, true, 50), 50);
	T_EQ(log_interval_ms(&c, false, 500), 500);	/* has no log */
	c.window_ms = 0;
	T_EQ(log_interval_ms(&c, true, 500), 500);
}

TEST(columns)
{
	const struct log_conf c = { .offset = 1, .prio = 1, .issue = 1, .value = LOG_VALUE_BOTH };
	struct log_conf windows = c;

	T_EQ(log_columns(&c), LOGFMT_OFFSET | LOGFMT_PRIO | LOGFMT_ISSUE);
	windows.window_ms = 1;
	T_EQ(log_columns(&windows),
	     LOGFMT_OFFSET | LOGFMT_PRIO | LOGFMT_ISSUE | LOGFMT_LARGEST);
}

/* ---- Samples --------------------------------------------------------------------------------- */

#define MS	1000000ull

TEST(samples_do_not_drift)
{
	struct worker_block *b = calloc(1, sizeof(*b));
	struct rate_watch w = { .interval_ns = 100 * MS };
	double v[DIRS + 1];

	b->start_ns = 1000 * MS;
	b->dir[DIR_READ].done_ios = 50;
	T_TRUE(!rate_sample(&w, RATE_IOS, b, 1099 * MS, false, v));
	T_TRUE(rate_sample(&w, RATE_IOS, b, 1110 * MS, false, v));	/* late */
	T_NEAR(v[DIR_READ], 50 / 0.110, 0.01);
	T_EQ(w.due_ns, 1200 * MS);
	b->dir[DIR_WRITE].done_ios = 9;
	T_TRUE(rate_sample(&w, RATE_IOS, b, 1200 * MS, false, v));
	T_NEAR(v[DIR_READ], 0, 0.01);
	T_NEAR(v[DIRS], 9 / 0.090, 0.01);
	T_TRUE(rate_sample(&w, RATE_IOS, b, 1555 * MS, false, v));	/* very late */
	T_EQ(w.due_ns, 1600 * MS);
	free(b);
}

TEST(what_is_left_at_the_end)
{
	struct worker_block *b = calloc(1, sizeof(*b));
	struct rate_watch w = { .interval_ns = 100 * MS }, first = w;
	double v[DIRS + 1];

	b->start_ns = 1000 * MS;
	b->dir[DIR_READ].bytes = 4096;
	T_TRUE(rate_sample(&w, RATE_BYTES, b, 1100 * MS, false, v));
	T_TRUE(!rate_sample(&w, RATE_BYTES, b, 1149 * MS, true, v));
	T_TRUE(rate_sample(&w, RATE_BYTES, b, 1151 * MS, true, v));
	/* All there was is a sample, however short. */
	T_TRUE(rate_sample(&first, RATE_BYTES, b, 1001 * MS, true, v));
	T_NEAR(v[DIR_READ], 4096000, 1);
	free(b);
}

TEST(a_ramp_is_forgotten)
{
	struct worker_block *b = calloc(1, sizeof(*b));
	struct rate_watch w = { .interval_ns = 100 * MS };
	double v[DIRS + 1];

	b->start_ns = 1000 * MS;
	b->dir[DIR_READ].done_ios = 1000;
	T_TRUE(rate_sample(&w, RATE_IOS, b, 1100 * MS, false, v));
	b->start_ns = 2000 * MS;
	b->dir[DIR_READ].done_ios = 10;
	atomic_store(&b->epoch, 1);
	T_TRUE(!rate_sample(&w, RATE_IOS, b, 2050 * MS, false, v));
	T_TRUE(rate_sample(&w, RATE_IOS, b, 2100 * MS, false, v));
	T_NEAR(v[DIR_READ], 100, 0.01);
	free(b);
}
