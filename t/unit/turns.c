/* SPDX-License-Identifier: MIT */
/* Whose turn it is: shares, runs, and files that are done. */
#include "core/turns.h"
#include "t/test.h"

enum { FILES_MAX = 64, DRAWS = 64000 };

static struct turns_conf conf;
static struct turns turns;
static uint32_t got[DRAWS];
static unsigned count[FILES_MAX];
static char why[512];

static int set(const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	struct fl_opt row;

	opt_row(&turns_options, 0, &row);
	opt_defaults(&turns_options, &conf, sizeof(conf));
	return opt_set(&row, &conf, value, &units, why, sizeof(why));
}

static void begin(const char *value, uint32_t files)
{
	T_TRUE(set(value) >= 0);
	T_EQ(turns_init(&turns, &conf, files, 7, 1), 0);
	turns_pass(&turns);
}

static void draw(uint32_t files, size_t n)
{
	memset(count, 0, sizeof(count));
	for (size_t i = 0; i < n; i++) {
		T_TRUE(turns_next(&turns, &got[i]));
		T_TRUE(got[i] < files);
		count[got[i]]++;
	}
}

static const char *first(size_t n)
{
	static char text[256];
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u", i ? " " : "", got[i]);
	return text;
}

TEST(round_robin)
{
	begin("roundrobin", 3);
	draw(3, 7);
	T_STR(first(7), "0 1 2 0 1 2 0");
	turns_free(&turns);
	begin("roundrobin:3", 3);
	draw(3, 11);
	T_STR(first(11), "0 0 0 1 1 1 2 2 2 0 0");
	turns_free(&turns);
}

TEST(sequential)
{
	begin("sequential", 3);
	draw(3, 5);
	T_STR(first(5), "0 0 0 0 0");
	turns_done(&turns, 0);
	draw(3, 4);
	T_STR(first(4), "1 1 1 1");
	turns_done(&turns, 1);
	turns_done(&turns, 2);
	T_TRUE(!turns_next(&turns, &got[0]));
	turns_pass(&turns);
	draw(3, 1);
	T_EQ(got[0], 0);
	turns_free(&turns);
}

TEST(random)
{
	begin("random", FILES_MAX);
	draw(FILES_MAX, DRAWS);
	for (int i = 0; i < FILES_MAX; i++)
		T_NEAR(count[i], DRAWS / FILES_MAX, 150);
	turns_free(&turns);
}

TEST(random_in_runs)
{
	begin("random:5", FILES_MAX);
	draw(FILES_MAX, DRAWS);
	for (size_t i = 0; i < DRAWS; i++)
		T_EQ(got[i], got[i / 5 * 5]);
	turns_free(&turns);
}

static int down(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/*
 * How many turns the n most frequent files have. The first of them is drawn, the others follow it.
 */
static unsigned top(uint32_t files, uint32_t n)
{
	uint32_t most = 0;
	unsigned sum = 0;

	for (uint32_t i = 1; i < files; i++)
		most = count[i] > count[most] ? i : most;
	T_TRUE(count[most] > count[(most + 1) % files]);
	T_TRUE(count[(most + 1) % files] > count[(most + 8) % files]);
	qsort(count, files, sizeof(count[0]), down);
	for (uint32_t i = 0; i < n; i++)
		sum += count[i];
	return sum;
}

TEST(distributions_in_runs)
{
	static const char *const kinds[] = {
		"zipf:1.1:8", "pareto:0.2:8", "normal:20:8", "gauss:20:8",
	};

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		begin(kinds[k], FILES_MAX);
		draw(FILES_MAX, DRAWS);
		for (size_t i = 0; i < DRAWS; i++)
			T_EQ(got[i], got[i / 8 * 8]);
		turns_free(&turns);
	}
}

TEST(zipf_and_pareto)
{
	static const char *const kinds[] = { "zipf:1.2", "pareto:0.2", "zipf", "pareto" };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		begin(kinds[k], FILES_MAX);
		draw(FILES_MAX, DRAWS);
		T_TRUE(top(FILES_MAX, FILES_MAX / 2) > DRAWS * 8 / 10);
		turns_free(&turns);
	}
	/* 1 - h of the turns for the first h of the files */
	begin("pareto:0.25", 16);
	draw(16, DRAWS);
	T_NEAR(top(16, 4), DRAWS * 3 / 4, 500);
	turns_free(&turns);
}

TEST(normal)
{
	static const char *const kinds[] = { "normal:10", "gauss:10" };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		unsigned middle = 0;

		begin(kinds[k], 50);
		draw(50, DRAWS);
		for (int i = 20; i < 30; i++)
			middle += count[i];
		T_NEAR(middle, DRAWS * 0.6827, 600);
		turns_free(&turns);
	}
}

TEST(files_that_are_done_pass_their_turn_on)
{
	static const char *const kinds[] = { "roundrobin", "random", "random:3", "zipf:1.1",
					     "normal:20", "sequential", "roundrobin:4" };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		bool done[40] = { false };

		begin(kinds[k], 40);
		for (uint32_t left = 40; left; left--) {
			uint32_t file;

			for (int i = 0; i < 50; i++) {
				T_TRUE(turns_next(&turns, &file));
				T_TRUE(!done[file]);
			}
			done[file] = true;
			turns_done(&turns, file);
		}
		T_TRUE(!turns_next(&turns, &got[0]));
		turns_pass(&turns);
		T_TRUE(turns_next(&turns, &got[0]));
		turns_free(&turns);
	}
}

TEST(one_file)
{
	static const char *const kinds[] = { "roundrobin:2", "random", "zipf:1.1", "sequential" };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		begin(kinds[k], 1);
		draw(1, 10);
		turns_done(&turns, 0);
		T_TRUE(!turns_next(&turns, &got[0]));
		turns_free(&turns);
	}
}

static void refuses(const char *value, const char *word)
{
	T_TRUE(set(value) < 0);
	if (!strstr(why, word))
		T_FAIL("%s: no '%s' in: %s", value, word, why);
}

TEST(what_is_refused)
{
	refuses("randum", "did you mean random?");
	refuses("", "the value is missing; write ");
	refuses("random:0", "");
	refuses("random:x", "the number of I/Os per turn");
	refuses("roundrobin:-1", "");
	refuses("zipf:-1", "");
	refuses("zipf:1.1:0", "the number of I/Os per turn");
	refuses("zipf:1.1:8:8", "the number of I/Os per turn");
	refuses("pareto:1", "");
	refuses("pareto:1.5", "");
	refuses("normal:101", "");
	refuses("gaussian", "must be one of");
	refuses("zipf:11111111111111111111111111111111111111111111111111", "too long");
}
