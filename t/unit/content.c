/* SPDX-License-Identifier: MIT */
/* Content that compresses and repeats: how much of it, and that a duplicate is one. */
#include "t/test.h"

#include "core/content.h"
#include "lib/zip.h"

#include <errno.h>
#include <stdlib.h>

#define UNIT	4096
#define UNITS	2000

static struct content_conf conf;
static char why[256];

static struct content_use use_of(uint64_t seed)
{
	return (struct content_use){ .unit = UNIT, .bytes = UNITS * UNIT, .seed = seed };
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, UNIT);
}

static size_t distinct(char *data, size_t len)
{
	size_t n = 0;

	qsort(data, len / UNIT, UNIT, compare);
	for (size_t at = 0; at < len; at += UNIT)
		n += !at || memcmp(data + at - UNIT, data + at, UNIT);
	return n;
}

static int count(void *ctx, const void *bytes, size_t n)
{
	size_t *sum = ctx;

	(void)bytes;
	*sum += n;
	return 0;
}

static double compressed_percent(struct zip *z, const char *data, size_t len, size_t piece)
{
	size_t sum = 0;

	for (size_t at = 0; at < len; at += piece)
		T_EQ(zip_stream(z, data + at, fl_min(piece, len - at), count, &sum), 0);
	return 100.0 * (double)sum / (double)len;
}

static char *make(const struct content_use *use, const struct pattern *p, size_t len, size_t each)
{
	char *data = malloc(len);
	struct content c;

	content_init(&c, &conf, p, use);
	for (size_t at = 0; at < len; at += each)
		content_fill(&c, data + at, fl_min(each, len - at), at);
	return data;
}

TEST(so_much_of_it_compresses)
{
	static const uint32_t percents[] = { 1, 10, 33, 50, 75, 90, 99 };
	static const uint64_t units[] = { 4096, 16384, 131072 };
	static const uint64_t chunks[] = { 0, 512, 1000, 4096, 65536 };
	const size_t len = 256 << 10, piece = 128 << 10;
	struct zip *z = zip_new();

	if (!zip_here())
		SKIP("built without zlib");
	for (size_t u = 0; u < ARRAY_SIZE(units); u++)
		for (size_t k = 0; k < ARRAY_SIZE(chunks); k++)
			for (size_t p = 0; p < ARRAY_SIZE(percents); p++) {
				struct content_use use = use_of(1);
				char *data;

				use.unit = units[u];
				conf = (struct content_conf){ .compress = percents[p],
							      .chunk = chunks[k] };
				data = make(&use, NULL, len, units[u]);
				T_NEAR(compressed_percent(z, data, len, piece),
				       100.0 - percents[p], 2);
				free(data);
			}
	zip_free(z);
}

TEST(the_fixed_part_is_the_pattern)
{
	unsigned char bytes[] = "fixed";
	const struct pattern p = { .bytes = bytes, .len = 5 };
	struct content_use use = use_of(1);
	char *data;

	conf = (struct content_conf){ .compress = 25, .chunk = 400 };
	data = make(&use, &p, UNIT, UNIT);
	for (size_t at = 0; at + 400 <= UNIT; at += 400)
		T_TRUE(!memcmp(data + at + 300, "fixedfixedfixed", 15) &&
		       memcmp(data + at, "fixed", 5));
	free(data);

	conf.compress = 100;
	data = make(&use, &p, UNIT, UNIT);
	for (size_t i = 0; i + 400 <= UNIT; i++)
		T_EQ(data[i], "fixed"[i % 400 % 5]);
	free(data);
}

TEST(so_many_are_duplicates)
{
	static const uint32_t percents[] = { 0, 1, 30, 50, 95, 99, 100 };

	for (size_t p = 0; p < ARRAY_SIZE(percents); p++)
		for (unsigned mode = CONTENT_REPEAT; mode <= CONTENT_WORKING_SET; mode++)
			for (size_t each = UNIT; each <= 4 * UNIT; each *= 4) {
				struct content_use use = use_of(p);
				char *data;

				conf = (struct content_conf){ .dedupe = percents[p], .mode = mode,
							      .compress = 10, .chunk = 512,
							      .working_set = 5 };
				data = make(&use, NULL, UNITS * UNIT, each);
				/* all of them copies: of one that is none */
				T_EQ(distinct(data, UNITS * UNIT),
				     fl_max(UNITS * (100 - percents[p]) / 100, 1u));
				free(data);
			}
}

TEST(copies_come_from_the_working_set)
{
	struct content_use use = use_of(7);
	struct content c;
	char *set, buf[UNIT];
	bool seen[20] = { false };
	size_t copies = 0, of_set = 0, drawn = 0;

	/* without copies: what the first 20 blocks will be, which are the working set */
	conf = (struct content_conf){ .working_set = 1 };
	set = make(&use, NULL, 20 * UNIT, UNIT);
	conf.dedupe = 40;
	conf.mode = CONTENT_WORKING_SET;
	content_init(&c, &conf, NULL, &use);
	for (size_t i = 0; i < UNITS; i++) {
		uint64_t before = c.own.uniques;

		content_fill(&c, buf, UNIT, 0);
		if (c.own.uniques != before)
			continue;
		copies++;
		for (size_t k = 0; k < 20; k++)
			if (!memcmp(buf, set + k * UNIT, UNIT)) {
				of_set++;
				seen[k] = true;
			}
	}
	for (size_t k = 0; k < 20; k++)
		drawn += seen[k];
	T_EQ(copies, UNITS * 40 / 100);
	T_EQ(of_set, copies);
	T_EQ(drawn, 20);
	free(set);
}

TEST(jobs_share_their_sets)
{
	struct content_shared *shared = calloc(1, content_shared_bytes(3));
	char *all = malloc(2 * UNITS * UNIT), *half = all + UNITS * UNIT;
	struct content_use use[2];
	struct content c[2];

	shared->count = 3;		/* the third never begins */
	conf = (struct content_conf){ .dedupe = 50, .mode = CONTENT_WORKING_SET,
				      .working_set = 5, .global = 1 };
	for (size_t j = 0; j < 2; j++) {
		use[j] = use_of(j);
		use[j].shared = shared;
		use[j].number = j;
		content_init(&c[j], &conf, NULL, &use[j]);
	}
	for (size_t i = 0; i < UNITS; i++) {
		content_fill(&c[0], all + i * UNIT, UNIT, 0);
		content_fill(&c[1], half + i * UNIT, UNIT, 0);
	}
	/* a third of the copies is of the other job's blocks: each alone has more that differ */
	T_TRUE(distinct(half, UNITS * UNIT) > UNITS / 2 + 20);
	T_EQ(distinct(all, 2 * UNITS * UNIT), UNITS);
	free(all);
	free(shared);
}

TEST(jobs_that_share_nothing_have_no_block_in_common)
{
	char *all = malloc(2 * UNITS * UNIT);

	conf = (struct content_conf){ .dedupe = 50 };
	for (size_t j = 0; j < 2; j++) {
		struct content_use use = use_of(j);
		char *data = make(&use, NULL, UNITS * UNIT, UNIT);

		memcpy(all + j * UNITS * UNIT, data, UNITS * UNIT);
		free(data);
	}
	T_EQ(distinct(all, 2 * UNITS * UNIT), UNITS);
	free(all);
}

TEST(what_cannot_be)
{
	unsigned char bytes[8] = "";
	const size_t offsets[1] = { 0 };
	const struct pattern moving = { .bytes = bytes, .len = 8, .offsets = 1,
					.offsets_at = offsets };

	conf = (struct content_conf){ .dedupe = 60, .mode = CONTENT_WORKING_SET,
				      .working_set = 41 };
	T_EQ(content_check(&conf, NULL, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "at most 59") != NULL);
	conf.working_set = 40;
	T_EQ(content_check(&conf, NULL, why, sizeof(why)), 0);
	conf.global = 1;
	T_EQ(content_check(&conf, NULL, why, sizeof(why)), 0);
	conf.mode = CONTENT_REPEAT;
	T_EQ(content_check(&conf, NULL, why, sizeof(why)), -EINVAL);
	conf.global = 0;
	T_EQ(content_check(&conf, &moving, why, sizeof(why)), 1);
	conf.compress = 10;
	T_EQ(content_check(&conf, &moving, why, sizeof(why)), -EINVAL);
	conf.dedupe = 0;
	T_EQ(content_check(&conf, &moving, why, sizeof(why)), 0);
}
