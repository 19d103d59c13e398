/* SPDX-License-Identifier: MIT */
/* The options of what is written, which unit comes next, and its bytes. */
#include "core/content.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define PERCENT	100u

static const struct fl_opt_value mode_names[] = {
	{ "repeat", CONTENT_REPEAT, "of the last block that was none" },
	{ "working_set", CONTENT_WORKING_SET,
	  "of any of the first blocks, as many as dedupe_working_set_percentage says" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct content_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "buffer_compress_percentage", .type = FL_OPT_U32, AT(compress), .max = PERCENT,
	  .unit = OPT_UNIT_PERCENT,
	  .help = "this share of what is written compresses to nothing",
	  .more = "Each chunk (buffer_compress_chunk) begins with random bytes and ends with "
		  "zeroes, or with buffer_pattern; a short pattern compresses as well. Below 100 "
		  "buffers are filled anew for each write, unless refill_buffers=0 is given. Of "
		  "blocks that are verified the end is zeroes." },
	{ .name = "buffer_compress_chunk", .type = FL_OPT_SIZE, AT(chunk), .def = "512",
	  .max = 1u << 30, .unit = "bytes",
	  .help = "how far it is from one random part of a block to the next; 0 is one per block" },
	{ .name = "dedupe_percentage", .type = FL_OPT_U32, AT(dedupe), .max = PERCENT,
	  .unit = OPT_UNIT_PERCENT,
	  .help = "this share of the blocks written is a copy of another one",
	  .more = "Of each hundred blocks exactly so many, in random order. A block is the least "
		  "the job writes: larger writes are made of several. Their content is random, or "
		  "as buffer_compress_percentage says." },
	{ .name = "dedupe_mode", .type = FL_OPT_ENUM, AT(mode), .def = "repeat",
	  .values = mode_names, .help = "of which block copies are made" },
	{ .name = "dedupe_working_set_percentage", .type = FL_OPT_U32, AT(working_set),
	  .max = PERCENT, .def = "5", .unit = OPT_UNIT_PERCENT,
	  .help = "share of the job's size that dedupe_mode=working_set takes copies of" },
	{ .name = "dedupe_global", .type = FL_OPT_BOOL, AT(global),
	  .help = "copies are also made of what other jobs with dedupe_global have written",
	  .more = "Of all these jobs alike; needs dedupe_mode=working_set." },
};

const struct opt_table content_options = OPT_TABLE("Content of buffers", rows, 0);

int content_check(const struct content_conf *c, const struct pattern *pattern, char *why,
		  size_t why_bytes)
{
	if (!c->dedupe)
		return 0;
	if (c->global && c->mode != CONTENT_WORKING_SET) {
		snprintf(why, why_bytes, "dedupe_global=1 needs dedupe_mode=working_set: the last "
			 "block of another job is not known");
		return -EINVAL;
	}
	if (c->mode == CONTENT_WORKING_SET && c->dedupe + c->working_set > PERCENT) {
		snprintf(why, why_bytes, "dedupe_percentage=%u: dedupe_working_set_percentage=%u "
			 "of the blocks are no copies, which leaves at most %u", c->dedupe,
			 c->working_set, PERCENT - c->working_set);
		return -EINVAL;
	}
	if (pattern && c->compress && pattern_moves(pattern)) {
		snprintf(why, why_bytes, "buffer_pattern: its %%o makes each block unlike all "
			 "others; leave it or dedupe_percentage=%u out", c->dedupe);
		return -EINVAL;
	}
	if (pattern && !c->compress) {
		snprintf(why, why_bytes, "buffer_pattern has no effect: with dedupe_percentage=%u "
			 "blocks are random; add buffer_compress_percentage= to have a part of "
			 "each be the pattern", c->dedupe);
		return 1;
	}
	return 0;
}

void content_init(struct content *c, const struct content_conf *conf,
		  const struct pattern *pattern, const struct content_use *use)
{
	bool shares = conf->global && use->shared;

	memset(c, 0, sizeof(*c));
	c->conf = conf;
	c->pattern = pattern;
	c->unit = use->unit;
	c->chunk = conf->chunk && conf->chunk < use->unit ? conf->chunk : use->unit;
	c->shared = shares ? use->shared : NULL;
	c->source = shares ? &use->shared->sources[use->number] : &c->own;
	c->source->key = rand_mix64(use->seed ^ 0xda942042e4dd58b5ull);
	c->source->set = fl_max(use->bytes / PERCENT * conf->working_set / use->unit, UINT64_C(1));
	atomic_store(&c->source->uniques, 0);
	rand_seed(&c->rand, use->seed, 2u << 20);
}

/* ---- Which unit comes next ------------------------------------------------------------------- */

/* Selection sampling: of what is left of the hundred, each is as likely as the other. */
static bool next_is_duplicate(struct content *c)
{
	bool dup;

	if (!c->conf->dedupe)
		return false;
	if (!c->left) {
		c->left = PERCENT;
		c->left_dups = c->conf->dedupe;
	}
	dup = rand_below(&c->rand, c->left) < c->left_dups;
	c->left--;
	c->left_dups -= dup;
	return dup;
}

/* Both are bijections of the number: no two units of a source are alike. */
static uint64_t seed_of(const struct content_source *s, uint64_t number)
{
	return rand_mix64(s->key + number);
}

static uint64_t uniques_of(const struct content_source *s)
{
	return atomic_load_explicit(&s->uniques, memory_order_acquire);
}

static uint64_t unique(struct content *c)
{
	uint64_t n = atomic_load_explicit(&c->source->uniques, memory_order_relaxed);

	atomic_store_explicit(&c->source->uniques, n + 1, memory_order_release);
	return seed_of(c->source, n);
}

/* Of which unit? Only of one that was made, so that copies of it are copies. */
static uint64_t duplicate(struct content *c)
{
	const struct content_source *s = c->source;
	uint64_t made;

	if (c->shared) {
		s = &c->shared->sources[rand_below(&c->rand, c->shared->count)];
		if (!uniques_of(s))
			s = c->source;
	}
	made = uniques_of(s);
	if (!made) {
		c->left_dups++;		/* later, then */
		return unique(c);
	}
	if (c->conf->mode == CONTENT_REPEAT)
		return seed_of(s, made - 1);
	return seed_of(s, rand_below(&c->rand, fl_min(made, s->set)));
}

/* ---- Its bytes ------------------------------------------------------------------------------- */

static void fill_fixed(const struct content *c, char *buf, uint64_t len, uint64_t offset)
{
	if (c->pattern)
		pattern_fill(c->pattern, buf, len, offset);
	else
		memset(buf, 0, len);
}

/* Chunk by chunk; what rounding takes from one the next ones get, so that the unit is exact. */
static void fill_chunks(const struct content *c, char *buf, uint64_t len, uint64_t seed,
			uint64_t offset)
{
	uint64_t fixed_before = 0;

	for (uint64_t at = 0; at < len;) {
		uint64_t n = fl_min(c->chunk, len - at);
		uint64_t fixed_so_far = (at + n) * c->conf->compress / PERCENT;
		uint64_t fixed = fl_min(fixed_so_far - fixed_before, n);

		rand_fill(&seed, buf + at, n - fixed);
		fill_fixed(c, buf + at + n - fixed, fixed, offset);
		fixed_before = fixed_so_far;
		at += n;
	}
}

void content_fill(struct content *c, void *buf, uint64_t len, uint64_t offset)
{
	char *to = buf;

	while (len) {
		uint64_t n = fl_min(c->unit, len);
		uint64_t seed = next_is_duplicate(c) ? duplicate(c) : unique(c);

		if (c->conf->compress)
			fill_chunks(c, to, n, seed, offset);
		else
			rand_fill(&seed, to, n);
		to += n;
		offset += n;
		len -= n;
	}
}
