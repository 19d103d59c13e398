/* SPDX-License-Identifier: MIT */
/* The schedule of a rated job, in clock_ticks(). */
#include "core/gate_rate.h"
#include "lib/arrivals.h"
#include "os/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static const struct fl_opt_value processes[] = {
	{ "linear", 0, "at a steady pace" },
	{ "poisson", 1, "by chance, as from many users who know nothing of each other" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct rate_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "rate", .type = OPT_SIZE_DIRS, AT(bytes),
	  .unit = "bytes per second, for read,write,trim",
	  .help = "start I/Os at this rate: never faster, and later ones catch up",
	  .more = "One number holds for each direction; 1m,500k gives writes and trims their own; "
		  "1m, and ,500k bound one direction alone. Reports of such jobs have latency "
		  "from the intended start of each I/O beside latency from the actual one. Where "
		  "the device falls behind, I/Os start as fast as it lets them until they are on "
		  "schedule again. In mixed workloads a rate goes before rwmixread." },
	{ .name = "rate_iops", .type = OPT_SIZE_DIRS, AT(ios),
	  .unit = "I/Os per second, for read,write,trim",
	  .help = "as rate, by the number of I/Os",
	  .more = "With blocks of several sizes it counts in the smallest: one of twice the size "
		  "is followed by twice the gap." },
	{ .name = "rate_process", .type = FL_OPT_ENUM, AT(poisson), .def = "linear",
	  .values = processes, .help = "how the I/Os of a rate are spread over time" },
	{ .name = "rate_ignore_thinktime", .type = FL_OPT_BOOL, AT(ignore_thinktime),
	  .help = "do not catch up with what a rate would have started during thinktime" },
};

const struct opt_table rate_options = OPT_TABLE("Rates", rows, 0);

int rate_check(const struct rate_conf *c, char *why, size_t why_bytes)
{
	bool bytes = false, ios = false;

	for (int d = 0; d < DIRS; d++) {
		bytes |= c->bytes.v[d];
		ios |= c->ios.v[d];
	}
	if (bytes && ios) {
		snprintf(why, why_bytes, "rate_iops and rate exclude each other; give one of them");
		return -EINVAL;
	}
	if (bytes || ios || (!c->poisson && !c->ignore_thinktime))
		return 0;
	snprintf(why, why_bytes, "%s has no effect without rate or rate_iops",
		 c->poisson ? "rate_process=poisson" : "rate_ignore_thinktime");
	return 1;
}

uint32_t rate_dirs(const struct rate_conf *c)
{
	return per_dir_bits(&c->bytes, &c->ios);
}

/* rate_iops counts in blocks of the smallest size. */
uint64_t rate_bytes(const struct rate_conf *c, const struct workload_conf *workload, int dir)
{
	uint64_t block = fl_max(workload_block_range(workload, dir).lo, 1ull);

	if (c->bytes.v[dir])
		return c->bytes.v[dir];
	return c->ios.v[dir] > UINT64_MAX / block ? UINT64_MAX : c->ios.v[dir] * block;
}

/* ---- The part -------------------------------------------------------------------------------- */

struct rate_part {
	struct gate_part part;
	uint32_t dirs;			/* that have a rate, a bit each */
	bool ignore_thinktime;
	struct {
		struct arrivals arrivals;
		uint64_t begun;		/* they count from here */
		uint64_t next;		/* when the next one is due */
	} of[DIRS];
};

static struct rate_part *of(struct gate_part *p)
{
	return container_of(p, struct rate_part, part);
}

static void find_next(struct rate_part *r, int d)
{
	r->of[d].next = r->of[d].begun + clock_ns_to_ticks(arrivals_next_ns(&r->of[d].arrivals));
}

static void rate_begin(struct gate_part *p, uint64_t now)
{
	struct rate_part *r = of(p);

	for (int d = 0; d < DIRS; d++) {
		r->of[d].begun = now;
		find_next(r, d);
	}
}

static uint32_t rate_steer(struct gate_part *p, uint32_t dirs, uint64_t now)
{
	const struct rate_part *r = of(p);
	uint32_t due = 0, first = 0;
	uint64_t at = UINT64_MAX;

	for (int d = 0; d < DIRS; d++) {
		if (!(dirs & 1u << d))
			continue;
		if (!(r->dirs & 1u << d) || r->of[d].next <= now)
			due |= 1u << d;
		else if (r->of[d].next < at) {
			at = r->of[d].next;
			first = 1u << d;
		}
	}
	return due ? due : first;
}

static bool is_rated(const struct rate_part *r, const struct workload_io *io)
{
	return io->op < DIRS && r->dirs & 1u << io->op;
}

static enum gate_says rate_ask(struct gate_part *p, struct gate_ask *a)
{
	const struct rate_part *r = of(p);

	if (!is_rated(r, a->io) || r->of[a->io->op].next <= a->now)
		return GATE_OPEN;
	a->until = fl_min(a->until, r->of[a->io->op].next);
	return GATE_SHUT;
}

static void rate_start(struct gate_part *p, const struct workload_io *io, uint64_t now,
		       uint64_t *intended)
{
	struct rate_part *r = of(p);

	(void)now;
	if (!is_rated(r, io))
		return;
	*intended = r->of[io->op].next;
	arrivals_take(&r->of[io->op].arrivals, io->len);
	find_next(r, (int)io->op);
}

/*
 * The schedule goes on in a pause, unless it is to stand still: then what has come due in it is
 * forgotten, and what was due before it still is.
 */
static void rate_pause(struct gate_part *p, uint64_t now, uint64_t ticks, bool busy)
{
	struct rate_part *r = of(p);

	for (int d = 0; d < DIRS && (busy || r->ignore_thinktime); d++) {
		uint64_t late = now > r->of[d].next ? now - r->of[d].next : 0;

		r->of[d].begun += fl_min(late, ticks);
		find_next(r, d);
	}
}

static void rate_free(struct gate_part *p)
{
	free(of(p));
}

static const struct gate_ops rate_ops = {
	.begin = rate_begin, .steer = rate_steer, .ask = rate_ask, .start = rate_start,
	.pause = rate_pause, .free = rate_free,
};

struct gate_part *gate_rate_new(const struct rate_setup *s)
{
	struct rate_part *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->part = (struct gate_part){ .ops = &rate_ops, .look_at = UINT64_MAX };
	r->dirs = rate_dirs(s->conf);
	r->ignore_thinktime = s->conf->ignore_thinktime;
	for (int d = 0; d < DIRS; d++) {
		if (r->dirs & 1u << d)
			arrivals_init(&r->of[d].arrivals, rate_bytes(s->conf, s->workload, d),
				      workload_block_range(s->workload, d).lo, s->conf->poisson,
				      s->seed, (4ull << 32) + s->number * 4ull + (uint64_t)d);
	}
	return &r->part;
}
