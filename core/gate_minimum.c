/* SPDX-License-Identifier: MIT */
/* Looking at a worker's counters once in a rate_cycle, by itself: it knows them to the last I/O. */
#include "core/gate_minimum.h"
#include "os/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* A job has so long to get going before its first cycle begins, as it has in fio. */
#define SETTLE_NS	2000000000ull

#define AT(member)	.offset = offsetof(struct minimum_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "rate_min", .alias = "ratemin", .type = OPT_SIZE_DIRS, AT(bytes),
	  .unit = "bytes per second, for read,write,trim",
	  .help = "end the job with EIO when it is slower than this",
	  .more = "Looked at over each rate_cycle, the first of which begins two seconds after the "
		  "job, or after its ramp." },
	{ .name = "rate_iops_min", .type = OPT_SIZE_DIRS, AT(ios),
	  .unit = "I/Os per second, for read,write,trim",
	  .help = "as rate_min, by the number of I/Os" },
	{ .name = "rate_cycle", .alias = "ratecycle", .type = FL_OPT_U64, AT(cycle_ms),
	  .min = 1, .max = 1ull << 31, .def = "1000", .unit = "ms",
	  .help = "over how long rate_min and rate_iops_min are looked at" },
};

const struct opt_table minimum_options = OPT_TABLE("Minimum rates", rows, 0);

int minimum_check(const struct minimum_conf *c, const struct rate_conf *rate, char *why,
		  size_t why_bytes)
{
	static const char *const names[DIRS] = { "reads", "writes", "trims" };

	for (int d = 0; d < DIRS; d++) {
		bool ios = rate->ios.v[d] && c->ios.v[d] > rate->ios.v[d];

		if (!ios && !(rate->bytes.v[d] && c->bytes.v[d] > rate->bytes.v[d]))
			continue;
		snprintf(why, why_bytes, "%s is more than %s allows for %s",
			 ios ? "rate_iops_min" : "rate_min", ios ? "rate_iops" : "rate", names[d]);
		return -EINVAL;
	}
	return 0;
}

uint32_t minimum_dirs(const struct minimum_conf *c)
{
	return per_dir_bits(&c->bytes, &c->ios);
}

/* ---- The part -------------------------------------------------------------------------------- */

struct minimum_part {
	struct gate_part part;
	const struct minimum_conf *conf;
	struct worker_block *b;
	uint32_t dirs;
	bool ramp;
	uint64_t since;			/* this cycle began; 0: the first has not */
	uint64_t bytes[DIRS], ios[DIRS];	/* of the block, then */
};

static struct minimum_part *of(struct gate_part *p)
{
	return container_of(p, struct minimum_part, part);
}

static void begin_cycle(struct minimum_part *m, uint64_t now)
{
	for (int d = 0; d < DIRS; d++) {
		m->bytes[d] = m->b->dir[d].bytes;
		m->ios[d] = m->b->dir[d].done_ios;
	}
	m->since = now;
	m->part.look_at = now + clock_ns_to_ticks(m->conf->cycle_ms * 1000000);
}

static void settle(struct minimum_part *m, uint64_t now)
{
	m->since = 0;
	m->part.look_at = now + clock_ns_to_ticks(SETTLE_NS);
}

static void minimum_begin(struct gate_part *p, uint64_t now)
{
	if (!of(p)->ramp)
		settle(of(p), now);
}

static void minimum_anew(struct gate_part *p, uint64_t now)
{
	settle(of(p), now);
}

static void minimum_pause(struct gate_part *p, uint64_t now, uint64_t ticks, bool busy)
{
	(void)ticks;
	if (busy)
		settle(of(p), now);
}

/* Is this direction below its minimum? Then the job has failed. */
static bool is_below(const struct minimum_part *m, int d, uint64_t ns)
{
	static const char *const names[DIRS] = { "reads", "writes", "trims" };
	unsigned long long min_bytes = m->conf->bytes.v[d], min_ios = m->conf->ios.v[d];
	double seconds = (double)ns / 1e9;
	double bytes = (double)(m->b->dir[d].bytes - m->bytes[d]) / seconds;
	double ios = (double)(m->b->dir[d].done_ios - m->ios[d]) / seconds;

	if (min_bytes && bytes < (double)min_bytes)
		stats_fail(m->b, EIO, "rate_min=%llu not met: got %.0f bytes/s of %s over %llu ms",
			   min_bytes, bytes, names[d], (unsigned long long)(ns / 1000000));
	else if (min_ios && ios < (double)min_ios)
		stats_fail(m->b, EIO, "rate_iops_min=%llu not met: got %.1f IOPS of %s over "
			   "%llu ms", min_ios, ios, names[d], (unsigned long long)(ns / 1000000));
	else
		return false;
	return true;
}

static enum gate_says minimum_look(struct gate_part *p, uint64_t now)
{
	struct minimum_part *m = of(p);

	stats_count(m->b);
	for (int d = 0; m->since && d < DIRS; d++)
		if (m->dirs & 1u << d && is_below(m, d, clock_ns(now - m->since)))
			return GATE_END;
	begin_cycle(m, now);
	return GATE_OPEN;
}

static void minimum_free(struct gate_part *p)
{
	free(of(p));
}

static const struct gate_ops minimum_ops = {
	.begin = minimum_begin, .anew = minimum_anew, .pause = minimum_pause,
	.look = minimum_look, .free = minimum_free,
};

struct gate_part *gate_minimum_new(const struct minimum_conf *c, struct worker_block *b,
				   uint32_t dirs, bool ramp)
{
	struct minimum_part *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->part = (struct gate_part){ .ops = &minimum_ops, .look_at = UINT64_MAX };
	m->conf = c;
	m->b = b;
	m->dirs = dirs & minimum_dirs(c);
	m->ramp = ramp;
	return &m->part;
}
