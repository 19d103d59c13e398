/* SPDX-License-Identifier: MIT */
/* The options of the workload: rows, the postfix of rw=, and the checks across rows. */
#define _GNU_SOURCE
#include "core/workload.h"
#include "lib/nearest.h"
#include "lib/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fl_opt_value rw_names[] = {
	{ "read", RW_READ, "sequential reads" },
	{ "write", RW_WRITE, "sequential writes" },
	{ "trim", RW_TRIM, "sequential trims" },
	{ "randread", RW_READ | RW_RANDOM, "reads in random order" },
	{ "randwrite", RW_WRITE | RW_RANDOM, "writes in random order" },
	{ "randtrim", RW_TRIM | RW_RANDOM, "trims in random order" },
	{ "rw", RW_READ | RW_WRITE, "reads and writes, each sequential" },
	{ "readwrite", RW_READ | RW_WRITE, "the same as rw" },
	{ "randrw", RW_READ | RW_WRITE | RW_RANDOM, "reads and writes in random order" },
	{ "trimwrite", RW_TRIM | RW_WRITE | RW_TRIM_WRITE, "each block is trimmed, then written" },
	{ "randtrimwrite", RW_TRIM | RW_WRITE | RW_TRIM_WRITE | RW_RANDOM,
	  "the same in random order" },
	{ NULL, 0, NULL },
};

static const char *rw_name(void *ctx, size_t i)
{
	(void)ctx;
	return rw_names[i].name;
}

const char *workload_rw_name(uint32_t bits)
{
	for (const struct fl_opt_value *v = rw_names; v->name; v++)
		if (v->value == bits)
			return v->name;
	/* only logs (read_iolog) mix them like this */
	return !(bits & RW_TRIM) ? "none" : bits & RW_READ && bits & RW_WRITE ? "rwtrim" :
	       bits & RW_READ ? "readtrim" : "writetrim";
}

static int parse_postfix(struct rw_conf *rw, const char *text, char *why, size_t why_bytes)
{
	bool back = *text == '-';
	struct parse_err err = { .text = "" };
	uint64_t n = 0;

	if (units_size(span_of(text + back), 1024, &n, NULL, &err) || n > INT64_MAX ||
	    (back && rw->bits & RW_RANDOM)) {
		snprintf(why, why_bytes, "'%s' after the colon is not %s", text,
			 rw->bits & RW_RANDOM ? "a number of I/Os per offset (randread:4)"
					      : "a number of bytes to skip (read:8k, read:-8k)");
		return -EINVAL;
	}
	if (rw->bits & RW_RANDOM)
		rw->run = n;
	else
		rw->step = back ? -(int64_t)n : (int64_t)n;
	return 0;
}

static int parse_rw(void *member, const char *text, char *why, size_t why_bytes)
{
	struct rw_conf rw = { 0 };
	size_t len = strcspn(text, ":");
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	for (const struct fl_opt_value *v = rw_names; v->name; v++)
		if (!strcmp(v->name, word))
			rw.bits = (uint32_t)v->value;
	if (!rw.bits || len >= sizeof(word)) {
		const char *near = nearest_name(word, rw_name, ARRAY_SIZE(rw_names) - 1, NULL);

		snprintf(why, why_bytes, "'%s' is not a way to read or write; it must be one of "
			 "read, write, trim, randread, randwrite, randtrim, rw, randrw, trimwrite, "
			 "randtrimwrite%s%s%s", word, near ? " (did you mean " : "",
			 near ? near : "", near ? "?)" : "");
		return -EINVAL;
	}
	if (text[len] == ':' && parse_postfix(&rw, text + len + 1, why, why_bytes))
		return -EINVAL;
	*(struct rw_conf *)member = rw;
	return 0;
}

static const struct fl_opt_value sequencer_names[] = {
	{ "sequential", 0, "they follow each other" },
	{ "identical", 1, "they have the same offset" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value range_flags[] = {
	{ "wait_before", SYNC_FILE_RANGE_WAIT_BEFORE, NULL },
	{ "write", SYNC_FILE_RANGE_WRITE, NULL },
	{ "wait_after", SYNC_FILE_RANGE_WAIT_AFTER, NULL },
	{ NULL, 0, NULL },
};

/* "wait_before,write:8" */
static int parse_range_sync(void *member, const char *text, char *why, size_t why_bytes)
{
	struct range_sync_conf c = { 0 };
	const char *colon = strrchr(text, ':');
	struct span rest = { text, colon ? (size_t)(colon - text) : 0 }, word;
	struct parse_err err;

	while (colon && rest.len && span_next(&rest, ",", &word)) {
		const struct fl_opt_value *v = range_flags;

		while (v->name && !span_is(word, v->name))
			v++;
		if (!v->name)
			colon = NULL;
		else
			c.flags |= (uint32_t)v->value;
	}
	if (!colon || !c.flags ||
	    units_uint(span_of(colon + 1), 1024, 1, UINT32_MAX, &c.every, NULL, &err)) {
		snprintf(why, why_bytes, "sync_file_range=%s: it must be flags:N, as in write:8 or "
			 "wait_before,write:8; flags are wait_before, write, wait_after",
			 parse_show(span_of(text)).text);
		return -EINVAL;
	}
	*(struct range_sync_conf *)member = c;
	return 0;
}

#define AT(member)	.offset = offsetof(struct workload_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "rw", .alias = "readwrite", .type = OPT_CUSTOM, AT(rw), .def = "read",
	  .parse = parse_rw, .values = rw_names, .help = "what to do, and in which order",
	  .more = "A number after a colon modifies it. Sequential: bytes to skip after each I/O "
		  "(read:8k; negative goes backwards). Random: how many I/Os follow each other "
		  "from each random offset (randread:4)." },
	{ .name = "rw_sequencer", .type = FL_OPT_ENUM, AT(identical), .def = "sequential",
	  .values = sequencer_names, .help = "what the N I/Os of rw=rand*:N do" },
	{ .name = "rwmixread", .type = FL_OPT_U32, AT(mix_read), .max = 100, .def = "50",
	  .unit = "%", .help = "share of reads in a mixed workload" },
	{ .name = "rwmixwrite", .type = FL_OPT_U32, AT(mix_write), .max = 100, .def = "50",
	  .unit = "%", .help = "share of writes in a mixed workload",
	  .more = "If it and rwmixread do not add up to 100, the one given last counts." },
	{ .name = "io_size", .alias = "io_limit", .type = OPT_AMOUNT, AT(io_size), .arg = 100,
	  .unit = "bytes", .help = "how many bytes to move in all",
	  .more = "Default: as many as size. Less ends the job early; more goes over the files "
		  "again. A percentage is taken of size." },
	{ .name = "number_ios", .type = FL_OPT_U64, AT(number_ios),
	  .help = "end the job after this many I/Os; 0 is no limit",
	  .more = "Syncs do not count. All passes together." },
	{ .name = "loops", .type = FL_OPT_U64, AT(loops), .max = UINT32_MAX, .def = "1",
	  .help = "how often to go over the files" },
	{ .name = "randrepeat", .alias = "allrandrepeat", .type = FL_OPT_BOOL, AT(randrepeat),
	  .def = "1", .help = "the same random numbers on every run",
	  .more = "0: others each time, unless randseed is given." },
	{ .name = "randseed", .type = FL_OPT_U64, AT(randseed), .def = "20061",
	  .help = "seed of all random numbers; a different one, a different order" },
	{ .name = "fsync", .type = FL_OPT_U64, AT(fsync_every),
	  .help = "fsync the file after every so many writes; 0 is never",
	  .more = "The sync comes before the next write, so none follows the last one; end_fsync=1 "
		  "adds it." },
	{ .name = "fdatasync", .type = FL_OPT_U64, AT(fdatasync_every),
	  .help = "fdatasync the file after every so many writes; 0 is never" },
	{ .name = "sync_file_range", .type = OPT_CUSTOM, AT(range_sync), .parse = parse_range_sync,
	  .unit = "flags:N, flags joined by ','",
	  .help = "sync_file_range(2) over what was written, after every N writes",
	  .more = "Flags: wait_before, write, wait_after." },
	{ .name = "write_barrier", .type = OPT_NO_EFFECT,
	  .help = "Linux has no barrier writes since 2.6.37; use fsync=N" },
};

const struct opt_table workload_options = OPT_TABLE("Workload", rows, 0);

struct range workload_block_range(const struct workload_conf *c, int dir)
{
	return sizes_range(&c->sizes, dir);
}

uint64_t workload_block_min(const struct workload_conf *c)
{
	return sizes_min(&c->sizes, c->rw.bits & RW_DIRS);
}

uint64_t workload_block_max(const struct workload_conf *c)
{
	return sizes_max(&c->sizes, c->rw.bits & RW_DIRS);
}

static int check_zbd(const struct workload_conf *c, char *why, size_t why_bytes)
{
	const struct zbd_need need = {
		.dirs = c->rw.bits & RW_DIRS, .random = c->rw.bits & RW_RANDOM,
		.trims_first = c->rw.bits & RW_TRIM_WRITE, .steps = c->rw.step,
	};

	return zbd_check(&c->zbd, &c->zones, &need, why, why_bytes);
}

static int check_sprandom(const struct workload_conf *c, char *why, size_t why_bytes)
{
	if (c->rw.bits != (RW_WRITE | RW_RANDOM) || c->rw.run > 1)
		snprintf(why, why_bytes, "sprandom=1 needs rw=randwrite: it writes, and nothing "
			 "else");
	else if (workload_block_min(c) != workload_block_max(c))
		snprintf(why, why_bytes, "sprandom=1 needs one block size; give bs=, not bsrange= "
			 "or bssplit=");
	else if (c->zones.mode != ZONES_NONE)
		snprintf(why, why_bytes, "sprandom=1 does not go with zonemode=: it is about "
			 "drives that hide their zones");
	else
		return 0;
	return -EINVAL;
}

/* Do some I/Os of a random job continue the one before? */
static bool follows(const struct workload_conf *c)
{
	bool some = c->rw.run > 1 && !c->identical;

	for (int d = 0; d < DIRS; d++)
		some |= c->rw.bits & 1u << d && c->order.percent.v[d] < 100;
	return some;
}

int workload_check(struct workload_conf *c, char *why, size_t why_bytes)
{
	const struct sizes_need sizes = {
		.random = c->rw.bits & RW_RANDOM, .follows = follows(c),
	};
	struct zones_use zones = {
		.random = c->rw.bits & RW_RANDOM, .backwards = c->rw.step < 0,
	};
	int err = sizes_check(&c->sizes, &sizes, why, why_bytes);

	if (!err)
		err = order_check(&c->order, why, why_bytes);
	if (!err && c->order.spr.on)
		err = check_sprandom(c, why, why_bytes);
	zones.block_min = workload_block_min(c);
	if (!err)
		err = zones_check(&c->zones, &zones, why, why_bytes);
	if (!err)
		err = check_zbd(c, why, why_bytes);
	if (err)
		return err;
	if (c->part_bytes && c->part_bytes < zones.block_min) {
		snprintf(why, why_bytes, "size=%llu: with filesize= it is how much of the files a "
			 "loop goes over, and a block alone has %llu bytes",
			 (unsigned long long)c->part_bytes, (unsigned long long)zones.block_min);
		return -EINVAL;
	}
	if (c->fsync_every && c->fdatasync_every && c->fsync_every == c->fdatasync_every) {
		snprintf(why, why_bytes, "fsync=%llu and fdatasync=%llu: every sync would be both; "
			 "give one of them", (unsigned long long)c->fsync_every,
			 (unsigned long long)c->fdatasync_every);
		return -EINVAL;
	}
	return 0;
}
