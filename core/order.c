/* SPDX-License-Identifier: MIT */
/* Random orders: options, and the kinds that are not inline. */
#include "core/order.h"
#include "lib/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFTEN_TABLE_MAX	1024u	/* blocks of an order that begins anew all the time */

/* The lists of a distribution move to memory that lives as long as the settings. */
static void keep_lists(struct dist_conf *c)
{
	if (c->zones)
		c->zones = opt_keep_bytes(c->zones, c->count * sizeof(*c->zones));
	if (c->sequence)
		c->sequence = opt_keep_bytes(c->sequence, c->count * sizeof(*c->sequence));
}

static int parse_dist(void *member, const char *text, char *why, size_t why_bytes)
{
	struct dist_confs *confs = member, parsed;
	struct parse_err err = { .text = "no memory" };
	int ret = dist_parse(span_of(text), 1024, &parsed, &err);

	if (ret) {
		snprintf(why, why_bytes, "random_distribution=%s: %s",
			 parse_show(span_of(text)).text, err.text);
		return ret;
	}
	*confs = parsed;
	container_of(confs, struct order_conf, dist)->dist_text = opt_keep(text);
	for (int d = 0; d < DIRS; d++)
		keep_lists(&confs->dir[d]);
	dist_confs_free(&parsed);
	return 0;
}

/* Three percentages, for reads, writes and trims. */
static int parse_percents(void *member, const char *text, char *why, size_t why_bytes)
{
	struct per_dir percents = *(struct per_dir *)member;
	struct span dirs[SPAN_DIRS];
	struct parse_err err;
	double percent;
	int ret = units_dirs(span_of(text), ",", dirs, &err);

	for (int d = 0; !ret && d < DIRS; d++) {
		if (!dirs[d].at)
			continue;
		ret = units_percent(dirs[d], 100, &percent, &err);
		if (!ret)
			percents.v[d] = (uint64_t)percent;
	}
	if (ret)
		snprintf(why, why_bytes, "percentage_random=%s: %s; give 0 to 100, or "
			 "read,write,trim", parse_show(span_of(text)).text, err.text);
	else
		*(struct per_dir *)member = percents;
	return ret;
}

static const struct fl_opt_value generators[] = {
	{ "tausworthe", ORDER_TAUSWORTHE, "the order of norandommap decides" },
	{ "tausworthe64", ORDER_TAUSWORTHE64, "the same; all offsets have 64 bits anyway" },
	{ "lfsr", ORDER_LFSR, "each block once per pass, even with norandommap" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value kinds[] = {
	{ "random", DIST_UNIFORM, "every block equally likely" },
	{ "zipf", DIST_ZIPF, "few blocks very often: zipf:THETA[:CENTER]" },
	{ "pareto", DIST_PARETO, "the same after another law: pareto:H[:CENTER]" },
	{ "normal", DIST_NORMAL, "a bell: normal:DEVIATION[:CENTER], percent of the file" },
	{ "zoned", DIST_ZONED, "shares of I/Os for parts of the file: zoned:60/10:30/20:10/70" },
	{ "zoned_abs", DIST_ZONED_ABS, "the same with sizes in bytes: zoned_abs:95/100m:5/1g" },
	{ "sequence", DIST_SEQUENCE, "these blocks in turn: sequence:0,7,3" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct order_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "norandommap", .type = FL_OPT_FLAG, AT(norandommap),
	  .help = "draw random offsets without regard to earlier ones",
	  .more = "Some blocks come twice in a pass, some never. Without it "
		  "each comes exactly once." },
	{ .name = "softrandommap", .type = FL_OPT_BOOL, AT(soft),
	  .help = "where that needs a map that is too large: as with norandommap",
	  .more = "Blocks of varying size need a map of the file, of 128 MiB at most. Without "
		  "this a job that needs more is refused. Not of jobs that verify." },
	{ .name = "random_distribution", .type = OPT_CUSTOM, AT(dist), .parse = parse_dist,
	  .values = kinds, .def = "random", .unit = "kind, or kind:numbers",
	  .help = "how random offsets are spread over the file",
	  .more = "Any but random draws without regard to earlier offsets, as norandommap does." },
	{ .name = "random_sequence_stride", .type = FL_OPT_BOOL, AT(stride),
	  .help = "sequence: after each round the block numbers grow by their count" },
	{ .name = "random_generator", .type = FL_OPT_ENUM, AT(generator), .def = "tausworthe",
	  .values = generators, .help = "where random offsets come from",
	  .more = "There is one generator here, xoshiro256**; the names keep what they promise." },
	{ .name = "percentage_random", .type = OPT_CUSTOM, AT(percent), .parse = parse_percents,
	  .def = "100", .unit = "0 to 100, per direction",
	  .help = "share of random I/Os in a random job; the others follow the one before" },
	{ .name = "sprandom", .type = FL_OPT_BOOL, AT(spr.on),
	  .help = "write so that an empty SSD is in the steady state of random writes at the end",
	  .more = "One pass over its physical capacity, size x (1 + spr_op), instead of many over "
		  "the logical one: each block is written in random order, and of each region as "
		  "many a second time as would be invalid there after endless random writes. Trim "
		  "the drive before. Needs rw=randwrite and one block size." },
	{ .name = "spr_num_regions", .type = FL_OPT_U32, AT(spr.regions), .def = "100", .min = 2,
	  .max = SPRANDOM_REGIONS_MAX,
	  .help = "sprandom: regions that physical capacity is cut into",
	  .more = "More are more exact and need less memory: 16 bytes per block of a region at "
		  "most." },
	{ .name = "spr_op", .type = FL_OPT_DOUBLE, AT(spr.op), .def = "0.15", .max = 1,
	  .unit = "more than 0, less than 1",
	  .help = "sprandom: over-provisioning, flash that is not offered by flash that is" },
	{ .name = "spr_cache_size", .type = FL_OPT_SIZE, AT(spr.cache), .max = INT64_MAX,
	  .unit = "bytes", .help = "sprandom: write cache of the drive",
	  .more = "At least so much lies between a write and its rewrite, or the first never "
		  "reaches the flash: there are fewer, larger regions if need be." },
};

const struct opt_table order_options = OPT_TABLE("Random order", rows, 0);

static int check_sprandom(const struct order_conf *c, char *why, size_t why_bytes)
{
	if (!(c->spr.op > 0) || c->spr.op >= 1)
		snprintf(why, why_bytes, "spr_op=%g must be more than 0 and less than 1",
			 c->spr.op);
	else if (c->norandommap)
		snprintf(why, why_bytes, "norandommap: sprandom=1 needs an order without repeats");
	else if (c->dist.dir[DIR_WRITE].kind != DIST_UNIFORM)
		snprintf(why, why_bytes, "random_distribution: with sprandom=1 every block is "
			 "equally likely; leave out one of them");
	else if (c->percent.v[DIR_WRITE] < 100)
		snprintf(why, why_bytes, "percentage_random=%u: sprandom=1 needs random writes "
			 "alone", (unsigned)c->percent.v[DIR_WRITE]);
	else
		return 0;
	return -EINVAL;
}

int order_check(struct order_conf *c, char *why, size_t why_bytes)
{
	for (int d = 0; d < DIRS; d++) {
		if (c->stride && c->dist.dir[d].kind == DIST_SEQUENCE)
			c->dist.dir[d].stride = true;
		else if (c->stride && !d) {
			snprintf(why, why_bytes, "random_sequence_stride=1 needs "
				 "random_distribution=sequence:...");
			return -EINVAL;
		}
	}
	if (c->generator == ORDER_LFSR)
		c->norandommap = 0;
	return c->spr.on ? check_sprandom(c, why, why_bytes) : 0;
}

enum order_kind order_kind(const struct order_conf *c, const struct order_need *need)
{
	for (int d = 0; d < DIRS; d++)
		if (c->dist.dir[d].kind != DIST_UNIFORM)
			return ORDER_DIST;
	if (c->spr.on)
		return ORDER_SPRANDOM;
	if (c->norandommap || need->overlap)
		return ORDER_FREE;
	return need->fixed ? ORDER_PERMUTED : need->fixed_each ? ORDER_EACH : ORDER_MAP;
}

uint64_t order_map_bytes(const struct order_conf *c, const struct order_need *need, uint64_t bytes)
{
	return order_kind(c, need) == ORDER_MAP ? blockmap_bytes(bytes / need->unit[0]) : 0;
}

void order_init(struct order *o, const struct order_conf *c, const struct order_need *need)
{
	memset(o, 0, sizeof(*o));
	o->conf = c;
	o->kind = order_kind(c, need);
	o->often = need->often;
	memcpy(o->unit, need->unit, sizeof(o->unit));
	rand_seed(&o->rand, need->seed, need->stream);
	rand_seed(&o->rand_percent, need->seed, need->stream + (1ull << 40));
	o->key = rand_mix64(need->seed + rand_mix64(need->stream));
}

static void free_dist(struct order_dist *d)
{
	for (int i = 0; i < DIRS; i++)
		dist_free(&d->dir[i]);
	free(d);
}

void order_free(struct order *o)
{
	while (o->dists) {
		struct order_dist *d = o->dists;

		o->dists = d->next;
		free_dist(d);
	}
}

/* The distributions over a file of so many bytes: made, or found. */
static int find_dist(struct order *o, uint64_t bytes, struct order_dist **out)
{
	struct order_dist *d = o->dists;
	int err = 0;

	while (d && d->bytes != bytes)
		d = d->next;
	*out = d;
	if (d)
		return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->bytes = bytes;
	for (int i = 0; !err && i < DIRS; i++)
		err = dist_init(&d->dir[i], &o->conf->dist.dir[o->conf->dist.per_dir ? i : 0],
				fl_max(bytes / o->unit[i], 1u),
				o->unit[i], &o->rand);
	if (err) {
		free_dist(d);
		return err;
	}
	d->next = o->dists;
	o->dists = d;
	*out = d;
	return 0;
}

static uint64_t pass_key(const struct order *o, uint32_t index, uint64_t pass)
{
	return rand_mix64(o->key + index + (pass << 32));
}

/* A table is the better shuffle, and costs a moment for every entry when it is shuffled anew. */
static int init_perm(const struct order *o, struct permute *p, uint64_t blocks, uint64_t key)
{
	if (o->often && blocks > OFTEN_TABLE_MAX)
		return permute_init_feistel(p, blocks, key);
	return permute_init(p, blocks, key);
}

/* The permutations of a file, as many as the kind has; none where there is nothing to permute. */
static int init_perms(struct order *o, struct order_file *f, uint32_t index)
{
	uint32_t count = o->kind == ORDER_EACH ? DIRS : 1;
	int err = 0;

	if (count == 1 && f->blocks[0] < 2)
		return 0;
	f->perms = calloc(count, sizeof(*f->perms));
	if (!f->perms)
		return -ENOMEM;
	f->nr_perms = count;
	for (uint32_t d = 0; !err && d < count; d++)
		if (f->blocks[d])
			err = init_perm(o, &f->perms[d], f->blocks[d],
					pass_key(o, index * count + d, 0));
	return err;
}

static int init_sprandom(struct order *o, struct order_file *f, uint32_t index)
{
	const struct sprandom_conf c = {
		.blocks = f->blocks[0], .regions = o->conf->spr.regions, .op = o->conf->spr.op,
		.apart = o->conf->spr.cache / o->unit[0],
	};
	int err = init_perms(o, f, index);

	f->spr = err ? NULL : calloc(1, sizeof(*f->spr));
	if (!f->spr)
		return err ? err : -ENOMEM;
	return sprandom_init(f->spr, &c, pass_key(o, index, 0), 1);
}

uint64_t order_amount(const struct order *o, const struct order_file *f, uint64_t bytes)
{
	return f->spr ? f->spr->total * o->unit[0] : bytes;
}

int order_file_init(struct order *o, struct order_file *f, uint64_t bytes, uint32_t index)
{
	uint64_t any = 0;

	memset(f, 0, sizeof(*f));
	for (int d = 0; d < DIRS; d++)
		any |= f->blocks[d] = bytes / o->unit[d];
	if (!any)
		return 0;
	switch (o->kind) {
	case ORDER_PERMUTED:
	case ORDER_EACH:
		return init_perms(o, f, index);
	case ORDER_MAP:
		f->map = blockmap_new(f->blocks[0]);
		return f->map ? 0 : -ENOMEM;
	case ORDER_DIST:
		return find_dist(o, bytes, &f->dist);
	case ORDER_SPRANDOM:
		return init_sprandom(o, f, index);
	default:
		return 0;
	}
}

int order_fits(const struct order_conf *c, const struct order_need *need, uint64_t bytes)
{
	struct order_file f;
	struct order o;
	int err;

	if (order_kind(c, need) != ORDER_DIST && !c->spr.on)
		return 0;
	order_init(&o, c, need);
	err = order_file_init(&o, &f, bytes, 0);
	order_file_free(&f);
	order_free(&o);
	return err;
}

void order_file_free(struct order_file *f)
{
	for (uint32_t d = 0; d < f->nr_perms; d++)
		permute_free(&f->perms[d]);
	free(f->perms);
	if (f->spr)
		sprandom_free(f->spr);
	free(f->spr);
	blockmap_free(f->map);
	memset(f, 0, sizeof(*f));
}

void order_pass(struct order *o, struct order_file *f, uint32_t index, uint64_t pass)
{
	memset(f->drawn, 0, sizeof(f->drawn));
	if (f->spr)
		sprandom_begin(f->spr, pass);
	if (!pass)
		return;
	for (uint32_t d = 0; d < f->nr_perms; d++)
		if (f->perms[d].n)
			permute_rekey(&f->perms[d], pass_key(o, index * f->nr_perms + d, pass));
	for (int d = 0; f->dist && d < DIRS; d++)
		dist_rewind(&f->dist->dir[d]);
	if (f->map)
		blockmap_reset(f->map);
}

uint64_t order_general(struct order *o, struct order_file *f, int dir)
{
	uint64_t nth;

	switch (o->kind) {
	case ORDER_EACH:
		if (f->drawn[dir] >= f->blocks[dir])
			return ORDER_NONE;
		return permute_at(&f->perms[dir], f->drawn[dir]++);
	case ORDER_MAP:
		if (!blockmap_left(f->map))
			return ORDER_NONE;
		return blockmap_next_free(f->map, rand_below(&o->rand, f->blocks[0]));
	case ORDER_DIST:
		return f->dist ? dist_draw(&f->dist->dir[dir], &o->rand) : ORDER_NONE;
	case ORDER_SPRANDOM:
		if (!f->spr || !sprandom_next(f->spr, &nth))
			return ORDER_NONE;
		return permute_at(f->perms, nth);
	default:
		return ORDER_NONE;	/* no block at all */
	}
}

uint64_t order_use(struct order *o, struct order_file *f, uint64_t block, uint64_t count)
{
	uint64_t used;

	if (o->kind != ORDER_MAP)
		return count;
	used = blockmap_set_range(f->map, block, count);
	return fl_max(used, 1u);
}

bool order_random_now(struct order *o, int dir)
{
	uint64_t percent = o->conf->percent.v[dir];

	return percent >= 100 || rand_below(&o->rand_percent, 100) < percent;
}
