/* SPDX-License-Identifier: MIT */
/* Time: which settings go together, when a pause is due, how long it is. */
#include "core/pace.h"
#include "os/clock.h"
#include "t/test.h"

#define MS 1000000ull

static struct pace_conf conf;
static char why[512];

static int set(const char *name, const char *value)
{
	const struct opt_units units = { .kb_base = 1024 };
	int i = opt_find(&pace_options, name);
	struct fl_opt row;

	T_TRUE(i >= 0);
	opt_row(&pace_options, (size_t)i, &row);
	return opt_set(&row, &conf, value, &units, why, sizeof(why));
}

/* "name=value name=value"; returns what pace_check says. */
static int check(const char *text)
{
	char *words = strdup(text), *rest = words, *word;

	opt_defaults(&pace_options, &conf, sizeof(conf));
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (*word)
			T_TRUE(set(word, value) >= 0);
	}
	free(words);
	return pace_check(&conf, why, sizeof(why));
}

TEST(units)
{
	T_EQ(check("runtime=2 ramp_time=500ms thinktime=100 thinktime_iotime=3"), 0);
	T_EQ(conf.runtime_ns, 2000 * MS);
	T_EQ(conf.ramp_ns, 500 * MS);
	T_EQ(conf.think_ns, 100000);
	T_EQ(conf.think_iotime_ns, 3000 * MS);
	T_EQ(check("timeout=1m"), 0);
	T_EQ(conf.runtime_ns, 60000 * MS);
}

TEST(start_delay)
{
	T_EQ(check("startdelay=3"), 0);
	T_EQ(conf.start_delay_ns.lo, 3000 * MS);
	T_EQ(conf.start_delay_ns.hi, 3000 * MS);
	T_EQ(check("startdelay=100ms-200ms"), 0);
	T_EQ(conf.start_delay_ns.lo, 100 * MS);
	T_EQ(conf.start_delay_ns.hi, 200 * MS);
	T_EQ(check("startdelay=2-1"), 0);
	T_EQ(conf.start_delay_ns.lo, 1000 * MS);
	T_EQ(conf.start_delay_ns.hi, 2000 * MS);
}

TEST(what_does_not_go_together)
{
	T_EQ(check("thinktime=1 thinktime_spin=2"), -EINVAL);
	T_TRUE(strstr(why, "thinktime_spin"));
	T_EQ(check("thinktime_iotime=1"), -EINVAL);
	T_EQ(check("thinktime_blocks_type=issue"), -EINVAL);
	T_EQ(check("time_based"), 1);
	T_TRUE(strstr(why, "runtime"));
	T_EQ(conf.time_based, 0);
	T_EQ(check("time_based runtime=1"), 0);
	T_EQ(conf.time_based, 1);
}

TEST(pauses_by_count)
{
	struct pace_think t;
	int due = 0;

	T_EQ(check("thinktime=1"), 0);
	T_EQ(conf.think_blocks, 1);
	pace_think_begin(&conf, &t);
	T_TRUE(pace_think_due(&conf, &t, 1));
	T_EQ(check("thinktime=1 thinktime_blocks=4"), 0);
	for (int round = 0; round < 3; round++) {
		pace_think_begin(&conf, &t);
		for (int i = 0; i < 4; i++)
			due += pace_think_due(&conf, &t, 1);
		T_EQ(due, round + 1);
	}
}

TEST(what_came_back_before_a_pause_counts_for_the_next)
{
	struct pace_think t;

	T_EQ(check("thinktime=1 thinktime_blocks=4"), 0);
	pace_think_begin(&conf, &t);
	pace_think_ahead(&conf, &t, 7);
	T_TRUE(pace_think_due(&conf, &t, 1));
	/* Nothing is to be counted where no pause has been. */
	pace_think_ahead(&conf, &t, 3);
	T_EQ(t.ios_left, 0);
}

TEST(pauses_by_time)
{
	struct pace_think t;
	uint64_t start;

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	T_EQ(check("thinktime=1 thinktime_iotime=20ms"), 0);
	T_EQ(conf.think_blocks, 0);
	pace_think_begin(&conf, &t);
	start = clock_now_ns();
	while (!pace_think_due(&conf, &t, 1))
		;
	T_TRUE(clock_now_ns() - start > 19 * MS);
	/* Whichever comes first. */
	T_EQ(check("thinktime=1 thinktime_iotime=1h thinktime_blocks=3"), 0);
	pace_think_begin(&conf, &t);
	T_TRUE(!pace_think_due(&conf, &t, 1));
	T_TRUE(!pace_think_due(&conf, &t, 1));
	T_TRUE(pace_think_due(&conf, &t, 1));
}

/* One pause, after one I/O. Returns how long it took, ns. */
static uint64_t pause_once(_Atomic uint32_t *stop)
{
	uint64_t start = clock_now_ns();
	struct pace_think t;

	pace_think_begin(&conf, &t);
	T_TRUE(pace_think_due(&conf, &t, 1));
	pace_think(&conf, &t, 1, UINT64_MAX, stop);
	return clock_now_ns() - start;
}

TEST(length_of_a_pause)
{
	_Atomic uint32_t stop = 0;
	uint64_t took;

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	T_EQ(check("thinktime=20ms"), 0);
	took = pause_once(&stop);
	T_TRUE(took >= 20 * MS && took < 500 * MS);
	T_EQ(check("thinktime=20ms thinktime_spin=10ms"), 0);
	took = pause_once(&stop);
	T_TRUE(took >= 20 * MS && took < 500 * MS);
}

TEST(cycles_after_each_io)
{
	_Atomic uint32_t stop = 0;
	struct pace_think t;
	uint64_t cycles;

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	T_EQ(check(""), 0);
	T_TRUE(!pace_thinks(&conf));
	T_EQ(check("thinkcycles=2000000"), 0);
	T_TRUE(pace_thinks(&conf));
	pace_think_begin(&conf, &t);
	T_TRUE(!pace_think_due(&conf, &t, 0));
	T_TRUE(pace_think_due(&conf, &t, 3));
	cycles = pace_think(&conf, &t, 3, UINT64_MAX, &stop);
	T_TRUE(cycles >= 6000000 - 10);
	/* They are no pause, and come between two of them, too. */
	T_EQ(check("thinkcycles=1000 thinktime=1h thinktime_blocks=2"), 0);
	pace_think_begin(&conf, &t);
	T_TRUE(pace_think_due(&conf, &t, 1));
	T_TRUE(clock_ns(pace_think(&conf, &t, 1, UINT64_MAX, &stop)) < 1000 * MS);
	T_TRUE(pace_think_due(&conf, &t, 1));
	T_TRUE(t.due);
}

TEST(stopped_while_waiting)
{
	_Atomic uint32_t stop = 1;
	uint64_t start;

	T_EQ(clock_init(CLOCK_USE_AUTO), 0);
	T_EQ(check("thinktime=1h thinktime_spin=30m"), 0);
	start = clock_now_ns();
	pause_once(&stop);
	pace_sleep_until(start + 3600000 * MS, &stop);
	T_TRUE(clock_now_ns() - start < 1000 * MS);
}
