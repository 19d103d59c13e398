/* SPDX-License-Identifier: MIT */
/* Block sizes: the options, and drawing one. */
#include "core/sizes.h"
#include "lib/units.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- bssplit --------------------------------------------------------------------------------- */

/* One `size/percent` of a list; the percent may be left out. */
static int parse_share(struct span text, struct size_share *out, struct parse_err *err)
{
	struct span rest = text, size, percent;
	int ret;

	span_next(&rest, "/", &size);
	out->percent = -1;
	ret = units_size(size, 1024, &out->bytes, NULL, err);
	if (ret)
		return ret;
	if (!out->bytes || out->bytes > SIZES_BYTES_MAX)
		return parse_fail(err, 0, "'%s' is no size of a block: 1 byte to 4 GiB",
				  parse_show(size).text);
	if (!span_next(&rest, "/", &percent) || !percent.len)
		return 0;
	ret = units_percent(percent, 100, &out->percent, err);
	if (!ret && rest.at)
		return parse_fail(err, 0, "'%s' has more than one '/'", parse_show(text).text);
	return ret;
}

/* Those without a percentage share what the others leave. */
static int settle_shares(struct size_split *s, struct parse_err *err)
{
	uint32_t open = 0;
	double sum = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->share[i].percent < 0)
			open++;
		else
			sum += s->share[i].percent;
	}
	if (sum > 100.0001 || (!open && fabs(sum - 100) > 0.0001))
		return parse_fail(err, 0, "the percentages add up to %g, not to 100", sum);
	for (uint32_t i = 0; i < s->count; i++)
		if (s->share[i].percent < 0)
			s->share[i].percent = (100 - sum) / open;
	return 0;
}

static int parse_list(struct span text, struct size_split *s, struct parse_err *err)
{
	struct span rest = text, one;
	int ret;

	memset(s, 0, sizeof(*s));
	while (span_next(&rest, ":", &one)) {
		if (s->count == SIZES_SPLIT_MAX)
			return parse_fail(err, 0, "more than %d sizes", SIZES_SPLIT_MAX);
		ret = parse_share(one, &s->share[s->count++], err);
		if (ret)
			return ret;
	}
	return settle_shares(s, err);
}

static int parse_splits(void *member, const char *text, char *why, size_t why_bytes)
{
	struct size_splits splits = *(struct size_splits *)member;
	struct span dirs[SPAN_DIRS];
	struct parse_err err;
	int ret = units_dirs(span_of(text), ",", dirs, &err);

	for (int d = 0; !ret && d < DIRS; d++)
		if (dirs[d].at)
			ret = parse_list(dirs[d], &splits.dir[d], &err);
	if (ret)
		snprintf(why, why_bytes, "bssplit=%s: %s; give size/percent:size/percent, as in "
			 "4k/60:64k/40", parse_show(span_of(text)).text, err.text);
	else
		*(struct size_splits *)member = splits;
	return ret;
}

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(member)	.offset = offsetof(struct sizes_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "bs", .alias = "blocksize", .type = OPT_SIZE_DIRS, AT(bs), .def = "4k",
	  .arg = OPT_ARG_DASH, .min = 1, .max = SIZES_BYTES_MAX, .unit = "bytes",
	  .help = "size of each I/O",
	  .more = "One size, or read,write,trim; a size left out keeps the default, the last one "
		  "given counts for those after it." },
	{ .name = "bsrange", .alias = "blocksize_range", .type = OPT_RANGE_DIRS, AT(bsrange),
	  .min = 1, .max = SIZES_BYTES_MAX, .unit = "bytes",
	  .help = "sizes chosen at random between two bounds",
	  .more = "Each size is a multiple of the lower bound, unless bs_unaligned is set. "
		  "Replaces bs." },
	{ .name = "bssplit", .type = OPT_CUSTOM, AT(split), .parse = parse_splits,
	  .unit = "size/percent:size/percent ..., per direction",
	  .help = "sizes chosen at random by weight",
	  .more = "Sizes without a percentage share what the others leave. Replaces bs and "
		  "bsrange." },
	{ .name = "bs_unaligned", .alias = "blocksize_unaligned", .type = FL_OPT_FLAG,
	  AT(unaligned),
	  .help = "with bsrange: any size between the bounds, not only multiples of the lower" },
	{ .name = "bs_is_seq_rand", .type = FL_OPT_FLAG, AT(by_order),
	  .help = "the sizes of reads are for sequential I/Os, those of writes for random ones",
	  .more = "Whatever their direction. In a random job, I/Os that continue the one before "
		  "(percentage_random, rw=randread:N) are sequential ones." },
	{ .name = "ba", .alias = "blockalign", .type = OPT_SIZE_DIRS, AT(align), .min = 1,
	  .max = SIZES_BYTES_MAX, .unit = "bytes",
	  .help = "boundary random offsets lie on; default: the smallest block",
	  .more = "Where it differs from the block size, blocks can overlap: offsets are then "
		  "drawn without a map, as with norandommap." },
};

const struct opt_table sizes_options = OPT_TABLE("Sizes", rows, 0);

/* bs_is_seq_rand: all directions take what reads or writes have. */
static void settle_by_order(struct sizes_conf *c, const struct sizes_need *need)
{
	int from = need->random ? DIR_WRITE : DIR_READ;
	struct sizes_conf as_given = *c;

	if (need->random && need->follows) {
		c->following.bs = c->bs.v[DIR_READ];
		c->following.range = c->bsrange.v[DIR_READ];
		c->following.split = c->split.dir[DIR_READ];
	}
	for (int d = 0; d < DIRS; d++) {
		c->bs.v[d] = as_given.bs.v[from];
		c->bsrange.v[d] = as_given.bsrange.v[from];
		c->split.dir[d] = as_given.split.dir[from];
	}
}

int sizes_check(struct sizes_conf *c, const struct sizes_need *need, char *why, size_t why_bytes)
{
	(void)why;
	(void)why_bytes;
	for (int d = 0; d < DIRS; d++) {
		struct range *r = &c->bsrange.v[d];

		if (r->lo > r->hi) {
			uint64_t lo = r->hi;

			r->hi = r->lo;
			r->lo = lo;
		}
	}
	if (c->by_order)
		settle_by_order(c, need);
	return 0;
}

struct range sizes_range(const struct sizes_conf *c, int dir)
{
	bool following = dir == SIZES_FOLLOWING;
	const struct size_split *s = following ? &c->following.split : &c->split.dir[dir];
	const struct range *range = following ? &c->following.range : &c->bsrange.v[dir];
	uint64_t bs = following ? c->following.bs : c->bs.v[dir];
	struct range r = { UINT64_MAX, 0 };

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->share[i].percent <= 0)
			continue;
		r.lo = fl_min(r.lo, s->share[i].bytes);
		r.hi = fl_max(r.hi, s->share[i].bytes);
	}
	if (s->count)
		return r;
	if (range->lo)
		return *range;
	return (struct range){ bs, bs };
}

uint64_t sizes_min(const struct sizes_conf *c, uint32_t dirs)
{
	uint64_t least = c->following.bs ? sizes_range(c, SIZES_FOLLOWING).lo : UINT64_MAX;

	for (int d = 0; d < DIRS; d++)
		if (dirs & 1u << d)
			least = fl_min(least, sizes_range(c, d).lo);
	return least;
}

uint64_t sizes_max(const struct sizes_conf *c, uint32_t dirs)
{
	uint64_t most = c->following.bs ? sizes_range(c, SIZES_FOLLOWING).hi : 0;

	for (int d = 0; d < DIRS; d++)
		if (dirs & 1u << d)
			most = fl_max(most, sizes_range(c, d).hi);
	return most;
}

void sizes_init(struct sizes *s, const struct sizes_conf *c)
{
	memset(s, 0, sizeof(*s));
	s->has_following = c->following.bs;
	for (int d = 0; d < DIRS + s->has_following; d++) {
		const struct size_split *split = d == SIZES_FOLLOWING ? &c->following.split :
						 &c->split.dir[d];
		struct range r = sizes_range(c, d);
		double sum = 0;

		s->dir[d].lo = r.lo;
		s->dir[d].hi = r.hi;
		s->dir[d].step = c->unaligned ? 1 : r.lo;
		s->dir[d].steps = (r.hi - r.lo) / s->dir[d].step + 1;
		s->dir[d].split = r.lo == r.hi ? 0 : split->count;
		for (uint32_t i = 0; i < split->count; i++) {
			sum += split->share[i].percent;
			s->dir[d].bytes[i] = split->share[i].bytes;
			s->dir[d].upto[i] = sum >= 99.9999 ? UINT64_MAX
							   : (uint64_t)(sum / 100 * 0x1p64);
		}
	}
}

uint64_t sizes_draw(const struct sizes *s, int dir, struct rand *r)
{
	uint64_t draw;
	uint32_t i = 0;

	if (s->dir[dir].lo == s->dir[dir].hi)
		return s->dir[dir].lo;
	if (s->dir[dir].split) {
		draw = rand_u64(r);
		while (i + 1 < s->dir[dir].split && draw >= s->dir[dir].upto[i])
			i++;
		return s->dir[dir].bytes[i];
	}
	return s->dir[dir].lo + rand_below(r, s->dir[dir].steps) * s->dir[dir].step;
}
