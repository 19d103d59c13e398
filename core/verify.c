/* SPDX-License-Identifier: MIT */
/* The options of verify, and the size of block they come to. */
#include "core/verify.h"
#include "core/buffer.h"
#include "core/proc.h"
#include "lib/nearest.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define JUDGES_MAX	256

typedef unsigned long long ull;

static const struct {
	const char *name;
	enum verify_mode mode;
} modes[] = {
	{ "0", VERIFY_NONE }, { "none", VERIFY_NONE }, { "meta", VERIFY_META },
	{ "pattern", VERIFY_PATTERN }, { "pattern_hdr", VERIFY_PATTERN_HDR },
	{ "null", VERIFY_NULL },
};

/* Names that stand for a kind in job files of today. */
static const struct {
	const char *name, *kind;
} aliases[] = {
	{ "crc32c-intel", "crc32c" }, { "crc32c-arm64", "crc32c" },
};

static const char *all_names(void *ctx, size_t i)
{
	size_t sums = checksum_count();

	(void)ctx;
	return i < sums ? checksum_at(i)->name : modes[i - sums].name;
}

static int refuse_kind(const char *text, char *why, size_t why_bytes)
{
	size_t count = checksum_count() + ARRAY_SIZE(modes);
	const char *near = nearest_name(text, all_names, count, NULL);
	size_t at = (size_t)snprintf(why, why_bytes, "'%s' is no kind of verify%s%s%s; there are",
				     text, near ? " (did you mean " : "", near ? near : "",
				     near ? "?)" : "");

	for (size_t i = 0; i < count && at < why_bytes; i++)
		at += (size_t)snprintf(why + at, why_bytes - at, " %s", all_names(NULL, i));
	return -EINVAL;
}

static int parse_kind(void *member, const char *text, char *why, size_t why_bytes)
{
	struct verify_kind *k = member;
	const struct checksum_kind *sum;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(modes[i].name, text))
			continue;
		*k = (struct verify_kind){ .mode = modes[i].mode };
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].name, text))
			text = aliases[i].kind;
	sum = checksum_by_name(text);
	if (!sum)
		return refuse_kind(text, why, why_bytes);
	if (sum->package) {
		snprintf(why, why_bytes, "verify=%s needs a library that was not there when this "
			 "program was built: install the package %s, then configure and build "
			 "again", text, sum->package);
		return -EINVAL;
	}
	*k = (struct verify_kind){ .mode = VERIFY_SUM, .sum = sum };
	return 0;
}

static int parse_pattern(void *member, const char *text, char *why, size_t why_bytes)
{
	return buffer_pattern(text, member, why, why_bytes);
}

static const struct fl_opt_value policies[] = {
	{ "completed", VERIFY_COMPLETED, "all that had completed" },
	{ "fsynced", VERIFY_FSYNCED, "only what had completed before an fsync that succeeded" },
	{ NULL, 0, NULL },
};

/* For help and completion; parse_kind() knows what this build has of them. */
static const struct fl_opt_value kind_words[] = {
	{ "md5", 0, "128 bits" }, { "crc64", 0, "64 bits" },
	{ "crc32c", 0, "32 bits, by an instruction of the CPU where it has one: the fastest" },
	{ "crc32", 0, "32 bits" }, { "crc16", 0, "16 bits" }, { "crc7", 0, "7 bits" },
	{ "xxhash", 0, "32 bits, fast on every CPU" },
	{ "sha512", 0, "512 bits" }, { "sha256", 0, "256 bits" }, { "sha1", 0, "160 bits" },
	{ "sha3-224", 0, "224 bits" }, { "sha3-256", 0, "256 bits" },
	{ "sha3-384", 0, "384 bits" }, { "sha3-512", 0, "512 bits" },
	{ "meta", 0, "the header alone" },
	{ "pattern", 0, "the bytes of verify_pattern alone, without a header" },
	{ "pattern_hdr", 0, "the bytes of verify_pattern behind a header" },
	{ "null", 0, "nothing is checked" }, { "none", 0, "no verify" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct verify_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "verify", .type = OPT_CUSTOM, AT(kind), .parse = parse_kind, .def = "none",
	  .values = kind_words,
	  .unit = "a checksum, or meta, pattern, pattern_hdr, null, none",
	  .help = "write data that can be checked, and check it when it is read",
	  .more = "Each block carries a header that names it and the write that made it; "
		  "doc/verify-format.md has the bytes. A job that writes reads back what it wrote "
		  "when it has written; a job that only reads checks what it finds against "
		  "itself. A wrong block is told with its file, offset, the first wrong byte, and "
		  "what became of it: stale, misplaced, torn, zeros, damaged, noise." },
	{ .name = "do_verify", .type = FL_OPT_BOOL, AT(do_verify), .def = "1",
	  .help = "read back what was written; 0: only write it so that it can be checked" },
	{ .name = "verify_interval", .type = FL_OPT_SIZE, AT(interval), .max = VBLOCK_BYTES_MAX,
	  .unit = "bytes", .help = "a header every so many bytes; default: one per I/O",
	  .more = "Larger than an I/O means the I/O. Where it does not divide the sizes and "
		  "places of all I/Os, the largest size that divides all of them is taken." },
	{ .name = "verify_offset", .type = FL_OPT_SIZE, AT(header_at), .max = VBLOCK_BYTES_MAX,
	  .unit = "bytes", .help = "where in a block its header is" },
	{ .name = "verify_pattern", .type = OPT_CUSTOM, AT(pattern), .parse = parse_pattern,
	  .unit = "as buffer_pattern",
	  .help = "fill blocks with these bytes instead of such that name the block" },
	{ .name = "verify_pattern_interval", .type = FL_OPT_SIZE, AT(pattern_interval),
	  .max = VBLOCK_BYTES_MAX, .unit = "bytes",
	  .help = "begin the pattern anew every so many bytes; %o then is the place of the piece" },
	{ .name = "verify_fatal", .type = FL_OPT_BOOL, AT(fatal), .def = "0",
	  .help = "end the job at the first wrong block; 0: check the others too" },
	{ .name = "verify_dump", .type = FL_OPT_BOOL, AT(dump), .def = "0",
	  .help = "write a wrong block, and what it should be, to files",
	  .more = "FILE.OFFSET.received and FILE.OFFSET.expected in the current directory." },
	{ .name = "verify_backlog", .type = FL_OPT_U64, AT(backlog), .max = UINT32_MAX,
	  .unit = "writes", .help = "check after so many writes, not only at the end" },
	{ .name = "verify_backlog_batch", .type = FL_OPT_U64, AT(backlog_batch),
	  .max = UINT32_MAX, .unit = "writes",
	  .help = "check so many of them then; default: as many as verify_backlog",
	  .more = "What is not checked then is at the end: each write is checked once." },
	{ .name = "verify_only", .type = FL_OPT_FLAG, AT(only),
	  .help = "write nothing, but check what the same job wrote before" },
	{ .name = "verify_write_sequence", .type = FL_OPT_BOOL, AT(write_sequence), .def = "1",
	  .help = "check that a block is of the write it should be of",
	  .more = "That is known of what the job wrote itself." },
	{ .name = "verify_header_seed", .type = FL_OPT_BOOL, AT(header_seed), .def = "1",
	  .help = "check that a block is of this job, with this seed",
	  .more = "A job that only reads does not know who wrote; it does not check this." },
	{ .name = "verify_state_save", .type = FL_OPT_BOOL, AT(state_save), .def = "1",
	  .help = "keep how far the writes had come, when the job ends in whatever way",
	  .more = "In local-JOB-NUMBER-verify.state, in the current directory or --aux-path." },
	{ .name = "verify_state_load", .type = FL_OPT_BOOL, AT(state_load), .def = "0",
	  .help = "with verify_only: check only what that state says had been written" },
	{ .name = "verify_policy", .type = FL_OPT_ENUM, AT(policy), .def = "completed",
	  .values = policies,
	  .help = "which writes must be there, by a state that is loaded",
	  .more = "completed is for a job that was killed, fsynced for a machine that lost "
		  "power. What was written later may be there or not, or in part; only an older "
		  "version or another block in its place is wrong." },
	{ .name = "verify_state_file", .type = FL_OPT_STR, AT(state_file), .unit = "path",
	  .help = "add the state to this file after each fsync; load it from there",
	  .more = "On another disk, or a console: it has to survive what the job's files do not. "
		  "The last whole record counts. The time it takes is part of no latency." },
	{ .name = "verify_async", .type = FL_OPT_U32, AT(async), .max = JUDGES_MAX, .def = "0",
	  .unit = "threads", .help = "check what is read in so many threads beside the job's own",
	  .more = "The job goes on reading meanwhile, with iodepth I/Os in flight as before, of "
		  "synchronous engines too. They are worth it where the checksum takes longer "
		  "than the device. Errors are told and counted as without." },
	{ .name = "verify_async_cpus", .type = OPT_CUSTOM, AT(async_cpus),
	  .parse = proc_parse_cpus, .unit = "list of CPUs, as in 0-3,5",
	  .help = "CPUs that these threads may run on; default: those of the job" },
	{ .name = "trim_percentage", .type = FL_OPT_U32, AT(trim_percentage), .max = 100,
	  .def = "0", .unit = "percent", .help = "trim so many of the writes again, by chance",
	  .more = "Files by punching holes; devices by discarding, or as trim_method says. Not "
		  "what has been overwritten by then. They are counted as trims." },
	{ .name = "trim_verify_zero", .type = FL_OPT_BOOL, AT(trim_verify_zero), .def = "1",
	  .help = "check that what was trimmed reads as zeroes",
	  .more = "Where that is promised: holes of regular files, and devices with "
		  "trim_method=punch or zeroout. A note tells where it is not, and 0 checks "
		  "nothing of what was trimmed." },
	{ .name = "trim_backlog", .type = FL_OPT_U64, AT(trim_backlog), .max = UINT32_MAX,
	  .unit = "writes", .help = "trim after so many writes; default: when all are made" },
	{ .name = "trim_backlog_batch", .type = FL_OPT_U64, AT(trim_backlog_batch),
	  .max = UINT32_MAX, .unit = "writes",
	  .help = "trim so many of them then; default: all that are to be trimmed",
	  .more = "The others later, at the end of a pass over the files at the latest." },
	{ .name = "experimental_verify", .type = OPT_NO_EFFECT,
	  .help = "what was written is known without going through the job again" },
};

const struct opt_table verify_options = OPT_TABLE("Verify", rows, 0);

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The largest number that divides every size, and every place, of the I/Os of this direction. */
static uint64_t grain(const struct workload_conf *w, int dir)
{
	struct sizes sizes;
	uint64_t unit, step = (uint64_t)(w->rw.step < 0 ? -w->rw.step : w->rw.step);

	sizes_init(&sizes, &w->sizes);
	unit = gcd(sizes.dir[dir].lo, sizes.dir[dir].steps > 1 ? sizes.dir[dir].step : 0);
	for (uint32_t i = 0; i < sizes.dir[dir].split; i++)
		unit = gcd(unit, sizes.dir[dir].bytes[i]);
	return gcd(gcd(unit, step), w->sizes.align.v[dir]);
}

/* Largest divisor of `whole` that is no larger than `most`. */
static uint64_t divisor(uint64_t whole, uint64_t most)
{
	for (uint64_t parts = (whole + most - 1) / most; parts <= whole; parts++)
		if (whole % parts == 0)
			return whole / parts;
	return 1;
}

/* Can two writes of one pass overlap, or what is checked meanwhile overlap one? */
static bool can_overlap(const struct verify_conf *c, const struct workload_conf *w)
{
	const struct dist_confs *dist = &w->order.dist;
	uint64_t percent = w->order.percent.v[DIR_WRITE];

	if (c->backlog || c->trim_percentage || w->rw.bits & RW_TRIM || w->rw.step || w->identical)
		return true;
	if (!(w->rw.bits & RW_RANDOM))
		return false;
	return w->order.norandommap || w->rw.run > 1 || w->sizes.align.v[DIR_WRITE] ||
	       dist->dir[dist->per_dir ? DIR_WRITE : 0].kind || (percent && percent != 100);
}

uint32_t verify_least(const struct verify_conf *c)
{
	if (c->kind.mode == VERIFY_PATTERN || c->kind.mode == VERIFY_NULL)
		return 1;
	return (uint32_t)c->header_at + vblock_header_bytes(c->kind.sum);
}

static int settle_unit(struct verify_conf *c, const struct workload_conf *w, char *why,
		       size_t why_bytes)
{
	/* the write behind a trim is as long as that */
	int dir = w->rw.bits & RW_TRIM ? DIR_TRIM : c->writes ? DIR_WRITE : DIR_READ;
	uint64_t block = grain(w, dir), unit = block, need = verify_least(c);

	if (c->interval && c->interval < unit)
		unit = unit % c->interval ? divisor(unit, c->interval) : c->interval;
	if (unit < need && block >= need && !c->header_at)
		unit = block;
	if (unit > VBLOCK_BYTES_MAX) {
		snprintf(why, why_bytes, "verify_interval: a block can have at most %u bytes; the "
			 "I/Os have %llu: give a smaller one that divides them", VBLOCK_BYTES_MAX,
			 (ull)unit);
		return -EINVAL;
	}
	c->unit = (uint32_t)unit;
	if (unit >= need)
		return 0;
	snprintf(why, why_bytes, "verify: sizes and places of the I/Os have only %llu bytes as a "
		 "common measure, and a block with its header needs %llu%s: use sizes that are "
		 "multiples of a larger one%s", (ull)block, (ull)need,
		 c->header_at ? " (verify_offset counts)" : "",
		 w->sizes.unaligned ? ", without bs_unaligned" : "");
	return -EINVAL;
}

/* What is verified has content of its own: only zeroes have a place in it. */
static int settle_content(struct verify_conf *c, const struct verify_need *need, char *why,
			  size_t why_bytes)
{
	c->compress = c->pattern ? 0 : need->compress;
	if (c->writes && need->dedupe)
		snprintf(why, why_bytes, "dedupe_percentage has no effect: blocks that verify "
			 "checks say where they belong, so that no two are alike");
	else if (c->writes && need->compress && c->pattern)
		snprintf(why, why_bytes, "buffer_compress_percentage has no effect: blocks are "
			 "filled with verify_pattern");
	else
		return 0;
	return 1;
}

/* Options of trims where nothing is trimmed. Returns 0, or 1 with a note. */
static int note_trims(struct verify_conf *c, char *why, size_t why_bytes)
{
	if (c->trim_percentage && !(verify_on(c) && c->writes)) {
		snprintf(why, why_bytes, "trim_percentage has no effect: it trims what a job has "
			 "written that verifies, with verify= and a rw= that writes");
		c->trim_percentage = 0;
		return 1;
	}
	if (c->trim_percentage || !(c->trim_backlog || c->trim_backlog_batch))
		return 0;
	snprintf(why, why_bytes, "trim_backlog has no effect without trim_percentage: it says when "
		 "to trim, not what");
	return 1;
}

int verify_check(struct verify_conf *c, const struct verify_need *need, char *why,
		 size_t why_bytes)
{
	const struct workload_conf *w = need->workload;
	int err;

	c->writes = w->rw.bits & RW_WRITE;
	c->reads = (w->rw.bits & RW_DIRS) == RW_READ;
	if (!verify_on(c))
		return note_trims(c, why, why_bytes);
	if ((c->kind.mode == VERIFY_PATTERN || c->kind.mode == VERIFY_PATTERN_HDR) &&
	    !c->pattern) {
		snprintf(why, why_bytes, "verify=%s needs the bytes: give verify_pattern=",
			 c->kind.mode == VERIFY_PATTERN ? "pattern" : "pattern_hdr");
		return -EINVAL;
	}
	if (need->replay) {
		snprintf(why, why_bytes, "verify does not go together with read_iolog: the I/Os of "
			 "a log have any sizes and places, so that nobody knows which block is to "
			 "be where");
		return -EINVAL;
	}
	if (need->offload && (c->backlog || c->only || c->trim_percentage)) {
		snprintf(why, why_bytes, "io_submit_mode=offload does not go together with %s",
			 c->only ? "verify_only" : c->backlog ? "verify_backlog" :
			 "trim_percentage");
		return -EINVAL;
	}
	if (c->trim_percentage && c->writes && !need->can_trim) {
		snprintf(why, why_bytes, "trim_percentage: engine %s cannot trim; --enghelp=ENGINE "
			 "tells which can", need->engine);
		return -EINVAL;
	}
	if (c->state_load && !c->only) {
		snprintf(why, why_bytes, "verify_state_load=1 needs verify_only=1: the job is gone "
			 "through again as far as the state says, without writing");
		return -EINVAL;
	}
	if (c->only && need->time_based && !c->state_load) {
		snprintf(why, why_bytes, "verify_only: a job with time_based does not know how far "
			 "it had come; add verify_state_load=1");
		return -EINVAL;
	}
	if (!c->writes && !c->reads) {
		snprintf(why, why_bytes, "verify has no effect: rw=%s writes nothing that could be "
			 "checked", workload_rw_name(w->rw.bits));
		c->kind.mode = VERIFY_NONE;
		return 1;
	}
	if (settle_unit(c, w, why, why_bytes))
		return -EINVAL;
	c->trims_read_zero = need->trims_read_zero;
	c->from_end = w->rw.step < 0;
	c->overlaps = c->writes && can_overlap(c, w);
	if (c->only && !c->do_verify) {
		snprintf(why, why_bytes, "verify_only has no effect with do_verify=0: nothing is "
			 "written, and nothing is checked");
		return 1;
	}
	err = settle_content(c, need, why, why_bytes);
	return err ? err : note_trims(c, why, why_bytes);
}

struct vblock verify_block(const struct verify_conf *c, uint64_t seed, uint32_t number,
			   uint32_t file)
{
	struct vblock b = {
		.bytes = c->unit, .header_at = (uint32_t)c->header_at,
		.header = c->kind.mode != VERIFY_PATTERN && c->kind.mode != VERIFY_NULL,
		.sum = c->kind.sum, .pattern = c->pattern,
		.compare = c->kind.mode == VERIFY_PATTERN || c->kind.mode == VERIFY_PATTERN_HDR,
		.pattern_bytes = (uint32_t)c->pattern_interval,
		.zeroes = (uint32_t)((uint64_t)c->unit * c->compress / 100),
		.key = rand_mix64(seed + (file + 1) * 0x9e3779b97f4a7c15ull), .job = number,
	};

	return b;
}
