/* SPDX-License-Identifier: MIT */
/* The options of the workload: rows, the postfix of rw=, and the checks across rows. */
#include "core/workload.h"
#include "lib/nearest.h"
#include "lib/units.h"

#include <errno.h>
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
	return "none";
}

static int parse_postfix(struct rw_conf *rw, const char *text, char *why, size_t why_bytes)
{
	bool back = *text == '-';
	struct parse_err err = { .text = "" };
	uint64_t n = 0;

	if (units_size(span_of(text + back), 1024, &n, NULL, &err) || n > INT64_MAX ||
	    (back && rw->bits & RW_RANDOM)) {
		snprintf(why, why_bytes, "'%s' after the colon is neither %s", text,
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
	struct rw_conf *rw = member;
	size_t len = strcspn(text, ":");
	char word[32];

	*rw = (struct rw_conf){ 0 };
	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	for (const struct fl_opt_value *v = rw_names; v->name; v++)
		if (!strcmp(v->name, word))
			rw->bits = (uint32_t)v->value;
	if (!rw->bits || len >= sizeof(word)) {
		const char *near = nearest_name(word, rw_name, ARRAY_SIZE(rw_names) - 1, NULL);

		snprintf(why, why_bytes, "'%s' is not a way to read or write; it must be one of read, "
			 "write, trim, randread, randwrite, randtrim, rw, randrw, trimwrite, "
			 "randtrimwrite%s%s%s", word, near ? " (did you mean " : "",
			 near ? near : "", near ? "?)" : "");
		return -EINVAL;
	}
	return text[len] == ':' ? parse_postfix(rw, text + len + 1, why, why_bytes) : 0;
}

#define AT(member)	.offset = offsetof(struct workload_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "rw", .alias = "readwrite", .type = OPT_CUSTOM, AT(rw), .def = "read",
	  .parse = parse_rw, .values = rw_names, .help = "what to do, and in which order",
	  .more = "A number after a colon modifies it. Sequential: bytes to skip after each I/O "
		  "(read:8k; negative goes backwards). Random: how many I/Os follow each other from "
		  "each random offset (randread:4)." },
	{ .name = "bs", .alias = "blocksize", .type = OPT_SIZE_DIRS, AT(bs), .def = "4k",
	  .arg = OPT_ARG_DASH, .min = 1, .max = 1ull << 32, .unit = "bytes",
	  .help = "size of each I/O",
	  .more = "One size, or read,write,trim; a size left out keeps the default, the last one given "
		  "counts for those after it." },
	{ .name = "bsrange", .alias = "blocksize_range", .type = OPT_RANGE_DIRS, AT(bsrange),
	  .min = 1, .max = 1ull << 32, .unit = "bytes",
	  .help = "sizes chosen at random between two bounds",
	  .more = "Each size is a multiple of the lower bound. Replaces bs." },
	{ .name = "rwmixread", .type = FL_OPT_U32, AT(mix_read), .max = 100, .def = "50",
	  .unit = "%", .help = "share of reads in a mixed workload" },
	{ .name = "rwmixwrite", .type = FL_OPT_U32, AT(mix_write), .max = 100, .def = "50",
	  .unit = "%", .help = "share of writes in a mixed workload",
	  .more = "If it and rwmixread do not add up to 100, the one given last counts." },
	{ .name = "io_size", .alias = "io_limit", .type = OPT_AMOUNT, AT(io_size), .arg = 100,
	  .unit = "bytes", .help = "how many bytes to move in all",
	  .more = "Default: as many as size. Less ends the job early; more goes over the files again. "
		  "A percentage is taken of size." },
	{ .name = "number_ios", .type = FL_OPT_U64, AT(number_ios),
	  .help = "end the job after this many I/Os; 0 is no limit",
	  .more = "Syncs do not count. All passes together." },
	{ .name = "loops", .type = FL_OPT_U64, AT(loops), .max = UINT32_MAX, .def = "1",
	  .help = "how often to go over the files" },
	{ .name = "norandommap", .type = FL_OPT_FLAG, AT(norandommap),
	  .help = "draw random offsets without regard to earlier ones",
	  .more = "Some blocks come twice in a pass, some never. Without it each comes exactly once." },
	{ .name = "randrepeat", .alias = "allrandrepeat", .type = FL_OPT_BOOL, AT(randrepeat),
	  .def = "1", .help = "the same random numbers on every run" },
	{ .name = "randseed", .type = FL_OPT_U64, AT(randseed), .def = "20061",
	  .help = "seed of all random numbers; a different one, a different order" },
	{ .name = "fsync", .type = FL_OPT_U64, AT(fsync_every),
	  .help = "fsync the file after every so many writes; 0 is never" },
	{ .name = "fdatasync", .type = FL_OPT_U64, AT(fdatasync_every),
	  .help = "fdatasync the file after every so many writes; 0 is never" },
};

const struct opt_table workload_options = OPT_TABLE("Workload", rows, 0);

struct range workload_block_range(const struct workload_conf *c, int dir)
{
	if (c->bsrange.v[dir].lo)
		return c->bsrange.v[dir];
	return (struct range){ c->bs.v[dir], c->bs.v[dir] };
}

uint64_t workload_block_min(const struct workload_conf *c)
{
	uint64_t least = UINT64_MAX;

	for (int d = 0; d < DIRS; d++)
		if (c->rw.bits & 1u << d)
			least = fl_min(least, workload_block_range(c, d).lo);
	return least;
}

uint64_t workload_block_max(const struct workload_conf *c)
{
	uint64_t most = 0;

	for (int d = 0; d < DIRS; d++)
		if (c->rw.bits & 1u << d)
			most = fl_max(most, workload_block_range(c, d).hi);
	return most;
}

int workload_check(struct workload_conf *c, char *why, size_t why_bytes)
{
	for (int d = 0; d < DIRS; d++) {
		struct range *r = &c->bsrange.v[d];

		if (r->lo > r->hi) {
			uint64_t lo = r->hi;

			r->hi = r->lo;
			r->lo = lo;
		}
	}
	if (c->fsync_every && c->fdatasync_every && c->fsync_every == c->fdatasync_every) {
		snprintf(why, why_bytes, "fsync=%llu and fdatasync=%llu: every sync would be both; "
			 "give one of them", (unsigned long long)c->fsync_every,
			 (unsigned long long)c->fdatasync_every);
		return -EINVAL;
	}
	return 0;
}
