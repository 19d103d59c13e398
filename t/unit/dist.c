/* SPDX-License-Identifier: MIT */
/* Distributions of positions: what is drawn against what the formulas say, over the whole range. */
#include "t/test.h"

#include "lib/dist.h"

#define DRAWS	40000
#define BIG	(1ull << 40)

static struct rand source, draws;

static void seed(uint64_t s)
{
	rand_seed(&source, s, 1);
	rand_seed(&draws, s, 2);
}

/* A distribution whose ranks are the blocks, so that formulas can be checked. */
static struct dist_conf shape(enum dist_kind kind, double param)
{
	return (struct dist_conf){
		.kind = kind, .param = param, .in_order = true,
		.center = kind == DIST_NORMAL ? DIST_CENTER_DEFAULT : 0,
	};
}

#define ZETA_TERMS	1000
static double zeta_head[ZETA_TERMS + 1], zeta_theta;

/* zeta_begin - prepare the sums of this theta's first terms. */
static void zeta_begin(double theta)
{
	zeta_theta = theta;
	for (int k = 1; k <= ZETA_TERMS; k++)
		zeta_head[k] = zeta_head[k - 1] + pow(k, -theta);
}

/* zeta - the sum of k^-theta for 1 <= k <= n; far terms by the formula of Euler and Maclaurin. */
static double zeta(double n)
{
	double from = ZETA_TERMS, theta = zeta_theta, integral, ends;

	if (n <= from)
		return zeta_head[(int)n];
	integral = theta == 1 ? log(n / from) :
		   (pow(n, 1 - theta) - pow(from, 1 - theta)) / (1 - theta);
	ends = (pow(n, -theta) - pow(from, -theta)) / 2;
	return zeta_head[ZETA_TERMS] + integral + ends +
	       theta / 12 * (pow(from, -theta - 1) - pow(n, -theta - 1));
}

static double bell(double z)
{
	return erfc(-z * M_SQRT1_2) / 2;
}

static double zoned_cdf(const struct dist_conf *c, double at, double n)
{
	double sum = 0, from = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		double width = c->zones[i].size_percent / 100 * n;

		sum += c->zones[i].share / 100 * fl_max(fl_min((at - from) / width, 1.0), 0.0);
		from += width;
	}
	return sum;
}

/* P(block < at). */
static double cdf(const struct dist_conf *c, double at, double n)
{
	double sd = c->param / 100 * n, low, mean = (c->center >= 0 ? c->center : 0.5) * n;

	switch (c->kind) {
	case DIST_ZIPF:
		return zeta(at) / zeta(n);
	case DIST_PARETO:
		return pow(at / n, log(1 - c->param) / log(c->param));
	case DIST_NORMAL:
		low = bell((0 - mean) / sd);
		return (bell((at - mean) / sd) - low) / (bell((n - mean) / sd) - low);
	case DIST_ZONED:
		return zoned_cdf(c, at, n);
	default:
		return at / n;
	}
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * ks - Kolmogorov and Smirnov: the largest distance between the share of draws below a block and
 * its probability, times the root of the number of draws.
 */
static double ks(const struct dist_conf *c, uint64_t n)
{
	static uint64_t got[DRAWS];
	double worst = 0;
	struct dist d;

	T_EQ(dist_init(&d, c, n, 4096, &source), 0);
	for (int i = 0; i < DRAWS; i++) {
		got[i] = dist_draw(&d, &draws);
		T_TRUE(got[i] < n);
		/* Above 1/2 the last rank of pareto is the popular one; center 0 puts it first. */
		if (c->kind == DIST_PARETO && c->param > 0.5)
			got[i] = got[i] ? got[i] - 1 : n - 1;
	}
	dist_free(&d);
	qsort(got, DRAWS, sizeof(*got), by_size);
	for (int i = 0; i < DRAWS; i++) {
		if (i && got[i] == got[i - 1])
			continue;
		worst = fl_max(worst, fabs((double)i / DRAWS - cdf(c, got[i], n)));
		if (i)
			worst = fl_max(worst,
				       fabs((double)i / DRAWS - cdf(c, got[i - 1] + 1.0, n)));
	}
	return worst * sqrt(DRAWS);
}

/* check_shape - small and large ranges, several seeds; chance exceeds 2.2 once in 8000 times. */
static void check_shape(const struct dist_conf *c)
{
	static const uint64_t sizes[] = { 10, 1000, 123457, BIG };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		double sum = 0;

		for (uint64_t s = 1; s <= 3; s++) {
			double distance;

			seed(s * 1000 + i);
			distance = ks(c, sizes[i]);
			sum += distance;
			if (distance > 2.2)
				T_FAIL("kind %d, %g, n %llu, seed %llu: distance %g", (int)c->kind,
				       c->param, (unsigned long long)sizes[i],
				       (unsigned long long)s, distance);
		}
		T_TRUE(sum / 3 < 1.6);
	}
}

TEST(uniform)
{
	struct dist_conf c = shape(DIST_UNIFORM, 0);

	check_shape(&c);
}

TEST(zipf)
{
	static const double thetas[] = { 0, 0.5, 0.8, 1, 1.1, 1.2, 1.5, 2, 5, 50 };

	for (size_t i = 0; i < ARRAY_SIZE(thetas); i++) {
		struct dist_conf c = shape(DIST_ZIPF, thetas[i]);

		zeta_begin(thetas[i]);
		check_shape(&c);
	}
}

TEST(pareto)
{
	static const double hs[] = { 1e-9, 0.1, 0.2, 0.5, 0.51, 0.9, 0.99, 1 - 1e-9 };

	for (size_t i = 0; i < ARRAY_SIZE(hs); i++) {
		struct dist_conf c = shape(DIST_PARETO, hs[i]);

		check_shape(&c);
	}
}

TEST(normal)
{
	static const double devs[] = { 0.001, 1, 5, DIST_NORMAL_DEV, 15, 35, 99 };
	static const double centers[] = { DIST_CENTER_DEFAULT, 0, 0.25, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(devs); i++) {
		struct dist_conf c = shape(DIST_NORMAL, devs[i]);

		c.center = centers[i % ARRAY_SIZE(centers)];
		check_shape(&c);
	}
}

TEST(zoned)
{
	struct dist_zone manual[] = { { 60, 10, 0 }, { 30, 20, 0 }, { 8, 30, 0 }, { 2, 40, 0 } };
	struct dist_zone holes[] = { { 50, 10, 0 }, { 0, 40, 0 }, { 50, 50, 0 } };
	struct dist_conf c = { .kind = DIST_ZONED, .zones = manual, .count = 4 };
	uint64_t sizes[] = { 10, 1000, 10000000, BIG / 100 * 100 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		seed(i);
		c.zones = manual;
		c.count = 4;
		T_TRUE(ks(&c, sizes[i]) < 2.2);
		c.zones = holes;
		c.count = 3;
		T_TRUE(ks(&c, sizes[i]) < 2.2);
	}
}

TEST(zoned_abs_is_cut_at_the_end)
{
	struct dist_zone zones[] = { { 60, 0, 1 << 20 }, { 40, 0, 100 << 20 } };
	struct dist_conf c = { .kind = DIST_ZONED_ABS, .zones = zones, .count = 2 };
	int first = 0, above = 0;
	struct dist d;

	seed(1);
	T_EQ(dist_init(&d, &c, 1000, 4096, &source), 0);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t k = dist_draw(&d, &draws);

		T_TRUE(k < 1000);
		first += k < 256;
		above += k >= 628;
	}
	T_NEAR(first / (double)DRAWS, 0.6, 0.01);
	T_NEAR(above / (double)DRAWS, 0.2, 0.01);
	dist_free(&d);
	T_EQ(dist_init(&d, &c, 256, 4096, &source), -ERANGE);
	dist_free(&d);
	T_EQ(dist_init(&d, &c, 257, 4096, &source), 0);
	dist_free(&d);
}

/* The shares of the most popular ranks one by one, where a CDF alone would not see a bump. */
TEST(zipf_head_rank_by_rank)
{
	struct dist_conf c = shape(DIST_ZIPF, 1.2);
	double count[200] = { 0 }, chi = 0;
	struct dist d;

	seed(7);
	zeta_begin(1.2);
	T_EQ(dist_init(&d, &c, 1 << 20, 4096, &source), 0);
	for (int i = 0; i < 10 * DRAWS; i++) {
		uint64_t k = dist_draw(&d, &draws);

		if (k < 200)
			count[k]++;
	}
	for (int k = 0; k < 200; k++) {
		double expected = 10 * DRAWS * pow(k + 1, -1.2) / zeta(1 << 20);

		chi += (count[k] - expected) * (count[k] - expected) / expected;
	}
	T_NEAR((chi - 200) / sqrt(400), 0, 4);
	dist_free(&d);
}

TEST(ranks_are_spread_one_to_one)
{
	struct dist_conf c = { .kind = DIST_ZIPF, .param = 0.5, .center = DIST_CENTER_DEFAULT };
	static const uint64_t sizes[] = { 100, 70000 };

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		uint64_t n = sizes[s], misses = 0, close = 0;
		uint32_t *count = calloc(n, sizeof(*count));
		struct dist d;

		seed(s);
		T_EQ(dist_init(&d, &c, n, 4096, &source), 0);
		for (uint64_t i = 0; i < n * 50; i++)
			count[dist_draw(&d, &draws)]++;
		for (uint64_t k = 0; k < n; k++)
			misses += !count[k];
		T_EQ(misses, 0);
		for (uint64_t k = 0; k + 1 < n; k++)
			close += count[k] > 100 && count[k + 1] > 100;
		T_TRUE(close < n / 10);
		free(count);
		dist_free(&d);
	}
}

TEST(center_is_the_most_popular_block)
{
	static const struct dist_conf confs[] = {
		{ .kind = DIST_ZIPF, .param = 1.2 }, { .kind = DIST_PARETO, .param = 0.1 },
		{ .kind = DIST_PARETO, .param = 0.99 }, { .kind = DIST_NORMAL, .param = 0.5 },
		{ .kind = DIST_ZIPF, .param = 1.2, .in_order = true },
		{ .kind = DIST_PARETO, .param = 0.99, .in_order = true },
	};
	static const double centers[] = { 0, 0.25, 0.9995, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(confs) * ARRAY_SIZE(centers); i++) {
		struct dist_conf c = confs[i / ARRAY_SIZE(centers)];
		uint32_t count[1000] = { 0 }, top = 0, want;
		struct dist d;

		c.center = centers[i % ARRAY_SIZE(centers)];
		want = fl_min((uint32_t)(c.center * 1000), 999u);
		seed(i);
		T_EQ(dist_init(&d, &c, 1000, 4096, &source), 0);
		for (int k = 0; k < DRAWS; k++)
			count[dist_draw(&d, &draws)]++;
		for (uint32_t k = 1; k < 1000; k++)
			top = count[k] > count[top] ? k : top;
		if (c.kind == DIST_NORMAL)
			T_NEAR(top, want, 3);
		else
			T_EQ(top, want);
		dist_free(&d);
	}
}

TEST(draws_are_inside_and_repeat_by_seed)
{
	const struct dist_conf confs[] = {
		{ .kind = DIST_UNIFORM }, { .kind = DIST_ZIPF, .param = 0.9, .center = -1 },
		{ .kind = DIST_ZIPF, .param = 100, .center = 1 },
		{ .kind = DIST_PARETO, .param = 0.2, .center = -1 },
		{ .kind = DIST_PARETO, .param = 0.9, .center = 0.5, .in_order = true },
		{ .kind = DIST_NORMAL, .param = DIST_NORMAL_DEV_MIN, .center = -1 },
		{ .kind = DIST_NORMAL, .param = 35, .center = 1 },
		{ .kind = DIST_ZONED, .count = 3, .zones = (struct dist_zone []){
			{ 50, 1, 0 }, { 10, 0.001, 0 }, { 40, 98.999, 0 } } },
	};

	for (uint64_t i = 0; i < ARRAY_SIZE(confs) * 104; i++) {
		static const uint64_t more[] = { BIG, BIG + 1, PERMUTE_N_MAX, 65537 };
		uint64_t n = i % 104 < 100 ? i % 104 + 1 : more[i % 104 - 100];
		struct dist a, b;
		struct rand ra;

		seed(i);
		T_EQ(dist_init(&a, &confs[i / 104], n, 4096, &source), 0);
		seed(i);
		T_EQ(dist_init(&b, &confs[i / 104], n, 4096, &source), 0);
		ra = draws;
		for (int k = 0; k < 500; k++) {
			uint64_t block = dist_draw(&a, &ra);

			T_TRUE(block < n);
			T_EQ(block, dist_draw(&b, &draws));
		}
		dist_free(&a);
		dist_free(&b);
		dist_free(&b);
	}
}

TEST(sequence)
{
	struct dist_conf c = { .kind = DIST_SEQUENCE, .count = 3,
			       .sequence = (uint64_t []){ 0, 7, 2 } };
	static const uint64_t strided[] = { 0, 7, 2, 3, 2, 5, 6, 5, 0, 1, 0, 3, 4 };
	struct dist d;

	seed(1);
	T_EQ(dist_init(&d, &c, 8, 4096, &source), 0);
	for (int i = 0; i < 10; i++)
		T_EQ(dist_draw(&d, &draws), c.sequence[i % 3]);
	dist_rewind(&d);
	T_EQ(dist_draw(&d, &draws), 0);
	dist_free(&d);

	c.stride = true;
	T_EQ(dist_init(&d, &c, 8, 4096, &source), 0);
	for (int round = 0; round < 2; round++, dist_rewind(&d))
		for (size_t i = 0; i < ARRAY_SIZE(strided); i++)
			T_EQ(dist_draw(&d, &draws), strided[i]);
	dist_free(&d);
	T_EQ(dist_init(&d, &c, 7, 4096, &source), -ERANGE);
}

TEST(bounds_are_refused)
{
	struct dist_conf c = shape(DIST_ZIPF, 1.2);
	struct dist d;

	seed(1);
	T_EQ(dist_init(&d, &c, 0, 4096, &source), -EINVAL);
	dist_free(&d);
	T_EQ(dist_init(&d, &c, PERMUTE_N_MAX + 1, 4096, &source), -EINVAL);
	dist_free(&d);
}
