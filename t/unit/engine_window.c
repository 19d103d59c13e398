/* SPDX-License-Identifier: MIT */
/*
 * The mapping window, tried without mappings: the map callbacks here only write down what they were
 * asked for. What is tested is when the window moves, for one move too many makes it slow.
 */
#include "fio-like/window.h"

#include "t/test.h"

enum { PAGE = 4096, K = 1024, GUARDS_MAX = 4 };

/* Nobody looks behind an address, so the memory of offset N is simply this plus N. */
#define MEMORY	((uint64_t)1 << 44)

struct fake {
	struct fl_queue q;
	struct fl_host host;
	struct fl_file f;
	struct fl_window_kind kind;
	struct fl_window w;
	uint64_t counters[1 + FL_WINDOW_COUNTERS];	/* one before them: the index counts */
	int maps, unmaps, guards, unguards;
	int map_err, guard_err;				/* what the next call answers */
	uint64_t off, bytes;				/* of the last mapping */
};

static int fake_map(struct fl_queue *q, struct fl_file *f, uint64_t offset, uint64_t bytes,
		    void **addr)
{
	struct fake *x = q->priv;

	T_TRUE(f == &x->f);
	T_TRUE(bytes > 0);
	T_EQ(offset % x->kind.align, 0);
	T_EQ(x->maps, x->unmaps);		/* never two at once */
	if (x->map_err)
		return x->map_err;
	x->maps++;
	x->off = offset;
	x->bytes = bytes;
	*addr = (void *)(MEMORY + offset);
	return 0;
}

static void fake_unmap(struct fl_queue *q, struct fl_file *f, void *addr, uint64_t bytes)
{
	struct fake *x = q->priv;

	T_TRUE(f == &x->f);
	T_EQ((uint64_t)addr, MEMORY + x->off);
	T_EQ(bytes, x->bytes);
	T_EQ(x->guards, x->unguards);		/* guards end before mappings do */
	x->unmaps++;
}

static int fake_guard(struct fl_queue *q, void *addr, size_t len)
{
	struct fake *x = q->priv;

	T_EQ((uint64_t)addr, MEMORY + x->off);
	T_EQ(len, x->bytes);
	if (x->guard_err)
		return x->guard_err;
	x->guards++;
	return 0;
}

static void fake_unguard(struct fl_queue *q, void *addr, size_t len)
{
	struct fake *x = q->priv;

	T_EQ((uint64_t)addr, MEMORY + x->off);
	T_EQ(len, x->bytes);
	x->unguards++;
}

static struct fake *fake_new(uint64_t io_start, uint64_t io_bytes, uint64_t end, uint64_t window)
{
	struct fake *x = calloc(1, sizeof(*x));

	x->host = (struct fl_host){ .size = sizeof(x->host), .map_guard = fake_guard,
				    .map_unguard = fake_unguard };
	x->q = (struct fl_queue){ .size = sizeof(x->q), .host = &x->host, .priv = x,
				  .counters = x->counters };
	x->f = (struct fl_file){ .size = sizeof(x->f), .io_start = io_start, .io_bytes = io_bytes };
	x->kind = (struct fl_window_kind){ .align = PAGE, .map = fake_map, .unmap = fake_unmap };
	fl_window_init(&x->w, &x->q, &x->f, &x->kind, window, end, 1);
	return x;
}

static void fake_free(struct fake *x)
{
	fl_window_drop(&x->w);
	T_EQ(x->maps, x->unmaps);
	T_EQ(x->guards, x->unguards);
	free(x);
}

static uint64_t counter(const struct fake *x, int which)
{
	return x->counters[1 + which];
}

/* One request that must be served in full, at the address that belongs to it. */
static void touch(struct fake *x, uint64_t offset, uint64_t len)
{
	T_EQ(fl_window_need(&x->w, offset, len), len);
	T_TRUE(x->w.off <= offset && offset + len <= x->w.off + x->w.bytes);
	T_EQ((uint64_t)fl_window_at(&x->w, offset), MEMORY + offset);
}

static void pass(struct fake *x, uint64_t block)
{
	uint64_t end = x->f.io_start + x->f.io_bytes;

	for (uint64_t at = x->f.io_start; at < end; at += block)
		touch(x, at, end - at < block ? end - at : block);
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

TEST(last_block_of_the_file_moves_nothing)
{
	const uint64_t file = 7516192768, block = 131072, last = 7516061696;
	struct fake *x = fake_new(0, file, file, 0);

	T_EQ(last + block, file);
	touch(x, 0, block);
	touch(x, last, block);
	touch(x, 0, file);
	touch(x, last, block);
	T_EQ(counter(x, FL_WINDOW_MAPPINGS), 1);
	T_EQ(counter(x, FL_WINDOW_REMAPS), 0);
	T_EQ(counter(x, FL_WINDOW_BYTES), file);
	T_EQ(x->counters[0], 0);
	fake_free(x);
}

TEST(whole_file_is_one_mapping_for_any_pass)
{
	for (uint64_t block = 512; block <= 1024 * K; block *= 2) {
		struct fake *x = fake_new(0, 1024 * K, 1024 * K, 0);

		pass(x, block);
		pass(x, block);
		T_EQ(counter(x, FL_WINDOW_MAPPINGS), 1);
		T_EQ(counter(x, FL_WINDOW_REMAPS), 0);
		fake_free(x);
	}
}

TEST(sequential_pass_maps_each_window_once)
{
	static const uint64_t sizes[] = {
		1024 * K, 1024 * K - 512, 1024 * K + 512, 1000 * K, 64 * K
	};
	const uint64_t window = 64 * K;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (uint64_t block = 1; block <= window; block *= 2) {
			struct fake *x = fake_new(0, sizes[i], sizes[i], window);
			uint64_t windows = ceil_div(sizes[i], window);

			pass(x, block);
			T_EQ(counter(x, FL_WINDOW_MAPPINGS), windows);
			T_EQ(counter(x, FL_WINDOW_REMAPS), windows - 1);
			T_EQ(counter(x, FL_WINDOW_BYTES), sizes[i]);
			fake_free(x);
		}
}

TEST(blocks_that_are_no_power_of_two)
{
	const uint64_t window = 240 * K, file = 2400 * K + 7;

	for (uint64_t block = 1; block <= window; block++) {
		struct fake *x;

		if (window % block || block < 16)
			continue;
		x = fake_new(0, file, file, window);
		pass(x, block);
		T_EQ(counter(x, FL_WINDOW_MAPPINGS), ceil_div(file, window));
		fake_free(x);
	}
}

TEST(second_pass_begins_at_the_first_window_again)
{
	struct fake *x = fake_new(0, 256 * K, 256 * K, 64 * K);

	pass(x, 4 * K);
	pass(x, 4 * K);
	T_EQ(counter(x, FL_WINDOW_MAPPINGS), 8);
	T_EQ(counter(x, FL_WINDOW_REMAPS), 7);
	fake_free(x);
}

TEST(windows_begin_where_the_job_does)
{
	const uint64_t start = 3 * PAGE + 512, bytes = 640 * K, window = 64 * K;

	for (uint64_t block = 512; block <= window; block *= 2) {
		struct fake *x = fake_new(start, bytes, start + bytes + 5, window);

		pass(x, block);
		T_EQ(counter(x, FL_WINDOW_MAPPINGS), bytes / window);
		T_EQ(x->w.off % PAGE, 0);
		fake_free(x);
	}
}

TEST(random_order_moves_only_between_windows)
{
	const uint64_t window = 64 * K, block = 4 * K, windows = 16;
	struct fake *x = fake_new(0, windows * window, windows * window, window);
	uint64_t now = windows, moves = 0, at = 1;

	for (int i = 0; i < 20000; i++) {
		uint64_t offset;

		at = at * 6364136223846793005u + 1442695040888963407u;
		offset = (at >> 33) % (windows * window / block) * block;
		moves += offset / window != now;
		now = offset / window;
		touch(x, offset, block);
		T_EQ(x->w.off, now * window);
		T_EQ(x->w.bytes, window);
	}
	T_EQ(counter(x, FL_WINDOW_MAPPINGS), moves);
	fake_free(x);
}

TEST(block_across_two_windows_gets_one_of_its_own)
{
	struct fake *x = fake_new(0, 1024 * K, 1024 * K, 64 * K);

	touch(x, 60 * K, 6 * K);
	T_EQ(x->w.off, 60 * K);
	T_EQ(x->w.bytes, 64 * K);
	touch(x, 61 * K + 1, 63 * K - 1);	/* up to its very end */
	T_EQ(x->maps, 1);
	touch(x, 63 * K, 64 * K);		/* not at a page */
	T_EQ(x->w.off, 60 * K);
	T_EQ(x->w.bytes, 67 * K);
	T_EQ(x->maps, 2);
	fake_free(x);
}

TEST(block_larger_than_the_window)
{
	struct fake *x = fake_new(0, 1024 * K, 1024 * K, 16 * K);

	touch(x, 8 * K, 100 * K);
	T_EQ(x->w.off, 8 * K);
	T_EQ(x->w.bytes, 100 * K);
	touch(x, 1000 * K, 24 * K);
	T_EQ(x->w.bytes, 24 * K);
	fake_free(x);
}

TEST(end_of_the_target)
{
	struct fake *x = fake_new(0, 6144, 6144, 0);

	T_EQ(fl_window_need(&x->w, 4096, 4096), 2048);
	T_EQ(fl_window_need(&x->w, 6143, 4096), 1);
	T_EQ(fl_window_need(&x->w, 6144, 4096), 0);
	T_EQ(fl_window_need(&x->w, UINT64_MAX - 8, 4096), 0);
	T_EQ(fl_window_need(&x->w, 0, UINT64_MAX), 6144);
	T_EQ(x->maps, 1);
	T_EQ(x->bytes, 6144);
	fake_free(x);
}

TEST(outside_of_what_the_job_may_touch)
{
	struct fake *x = fake_new(64 * K, 64 * K, 256 * K, 0);

	touch(x, 64 * K, 64 * K);
	touch(x, 0, 4 * K);
	touch(x, 200 * K, 56 * K);
	T_EQ(x->maps, 3);
	fake_free(x);
}

TEST(nothing_known_about_the_range)
{
	struct fake *x = fake_new(0, 0, 64 * K, 0);

	touch(x, 0, 64 * K);
	T_EQ(x->maps, 1);
	T_EQ(x->bytes, 64 * K);
	fake_free(x);

	x = fake_new(0, 0, 0, 0);
	T_EQ(fl_window_need(&x->w, 0, 4096), 0);
	T_EQ(x->maps, 0);
	fake_free(x);
}

TEST(bound_of_a_window)
{
	const uint64_t file = 3 * FL_WINDOW_MAX;
	struct fake *x = fake_new(0, file, file, 0);

	for (uint64_t at = 0; at < file; at += FL_WINDOW_MAX / 4)
		touch(x, at, FL_WINDOW_MAX / 4);
	T_EQ(x->maps, 3);
	fake_free(x);
}

TEST(failures_leave_nothing_mapped)
{
	struct fake *x = fake_new(0, 256 * K, 256 * K, 64 * K);

	touch(x, 0, 4 * K);
	x->map_err = -ENOMEM;
	T_EQ(fl_window_need(&x->w, 64 * K, 4 * K), -ENOMEM);
	T_EQ(x->w.bytes, 0);
	T_EQ(x->unmaps, 1);
	x->map_err = 0;
	x->guard_err = -ENOMEM;
	T_EQ(fl_window_need(&x->w, 0, 4 * K), -ENOMEM);
	T_EQ(x->maps, 2);
	T_EQ(x->unmaps, 2);
	T_EQ(x->unguards, 1);
	x->guard_err = 0;
	touch(x, 0, 4 * K);
	T_EQ(counter(x, FL_WINDOW_MAPPINGS), 2);
	T_EQ(counter(x, FL_WINDOW_REMAPS), 1);
	fake_free(x);
}

/* ---- Every boundary of small windows ---------------------------------------------------------- */

enum { START_MAX = 5, BYTES_MAX = 14, BEHIND_MAX = 2, WINDOW_MAX = 9, LEN_MAX = 11 };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Where the rules of the header put the window for a request that the last one does not hold. */
static void rule(const struct fake *x, uint64_t offset, uint64_t len, uint64_t *from, uint64_t *to)
{
	const struct fl_window *w = &x->w;
	uint64_t lo = w->start, hi = w->start + w->size;

	while (offset >= hi) {
		lo = hi;
		hi += w->size;
	}
	if (offset < lo || offset + len > hi) {
		lo = offset;
		hi = offset + (len > w->size ? len : w->size);
	}
	*from = lo - lo % x->kind.align;
	*to = least(hi, w->end);
}

/* One request after whatever came before; all that may be seen of it is checked. */
static int small_request(struct fake *x, uint64_t offset, uint64_t len)
{
	struct fl_window *w = &x->w;
	uint64_t there = offset >= w->end ? 0 : least(len, w->end - offset), from, to;
	int held = w->bytes && offset >= w->off && offset + there <= w->off + w->bytes;
	uint64_t maps = counter(x, FL_WINDOW_MAPPINGS), was = w->off, bytes = w->bytes;
	int64_t got = fl_window_need(w, offset, len);

	maps = counter(x, FL_WINDOW_MAPPINGS) - maps;
	if (got != (int64_t)there)
		return 0;
	if (!there || held)		/* nothing to map, or nothing to move */
		return !maps && w->off == was && w->bytes == bytes;
	rule(x, offset, there, &from, &to);
	return maps == 1 && w->off == from && w->off + w->bytes == to && from <= offset &&
	       offset + there <= to && fl_window_at(w, offset) == (char *)MEMORY + offset;
}

/* All pairs of requests: the second finds the window wherever the first has left it. */
static int all_pairs(struct fake *x)
{
	uint64_t end = x->w.end;

	for (uint64_t a = 0; a <= end; a++)
		for (uint64_t la = 1; la <= LEN_MAX; la += 2)
			for (uint64_t b = 0; b <= end + 1; b++)
				for (uint64_t lb = 1; lb <= LEN_MAX; lb++) {
					fl_window_drop(&x->w);
					if (small_request(x, a, la) && small_request(x, b, lb))
						continue;
					printf("# start %llu, end %llu, window %llu, align %llu: "
					       "%llu + %llu, then %llu + %llu\n",
					       (unsigned long long)x->w.start,
					       (unsigned long long)end,
					       (unsigned long long)x->w.size,
					       (unsigned long long)x->kind.align,
					       (unsigned long long)a, (unsigned long long)la,
					       (unsigned long long)b, (unsigned long long)lb);
					return 0;
				}
	return 1;
}

TEST(small_windows_at_every_boundary)
{
	static const uint64_t aligns[] = { 1, 4 };

	for (uint64_t start = 0; start <= START_MAX; start += 1 + start / 2)
		for (uint64_t bytes = 1; bytes <= BYTES_MAX; bytes += 1 + bytes / 8)
			for (uint64_t behind = 0; behind <= BEHIND_MAX; behind += 2)
				for (uint64_t window = 0; window <= WINDOW_MAX; window++)
					for (int i = 0; i < 2; i++) {
						struct fake *x = fake_new(start, bytes,
									  start + bytes + behind,
									  window);

						x->kind.align = aligns[i];
						T_TRUE(all_pairs(x));
						fake_free(x);
					}
}

TEST(small_passes_map_each_window_once)
{
	for (uint64_t start = 0; start <= 7; start++)
		for (uint64_t bytes = 1; bytes <= 40; bytes++)
			for (uint64_t window = 1; window <= 12; window++)
				for (uint64_t block = 1; block <= window; block++) {
					struct fake *x;

					if (window % block)
						continue;
					x = fake_new(start, bytes, start + bytes, window);
					x->kind.align = 4;
					pass(x, block);
					T_EQ(counter(x, FL_WINDOW_MAPPINGS),
					     ceil_div(bytes, window));
					T_EQ(counter(x, FL_WINDOW_REMAPS),
					     ceil_div(bytes, window) - 1);
					fake_free(x);
				}
}
