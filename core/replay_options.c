/* SPDX-License-Identifier: MIT */
/* The options of read_iolog. */
#include "core/replay.h"
#include "lib/strbuf.h"
#include "lib/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#define PERCENT_MAX	1000000
#define TIMES_MAX	1000000

/* The kinds of I/O that replay_skip can leave out. */
static const struct fl_opt_value skip_names[] = {
	{ "read", 1u << IOLOG_READ, NULL },
	{ "write", 1u << IOLOG_WRITE, NULL },
	{ "trim", 1u << IOLOG_TRIM, NULL },
	{ "sync", 1u << IOLOG_SYNC | 1u << IOLOG_DATASYNC | 1u << IOLOG_SYNC_RANGE, NULL },
	{ NULL, 0, NULL },
};

static int parse_skip(void *member, const char *text, char *why, size_t why_bytes)
{
	uint32_t skip = 0;
	struct span rest = span_of(text), word;

	while (span_next(&rest, ",", &word)) {
		const struct fl_opt_value *v = skip_names;

		while (v->name && !span_is(word, v->name))
			v++;
		if (!v->name) {
			snprintf(why, why_bytes, "replay_skip=%s: '%s' must be read, write, trim "
				 "or sync; several are separated by ','", text,
				 parse_show(word).text);
			return -EINVAL;
		}
		skip |= (uint32_t)v->value;
	}
	*(uint32_t *)member = skip;
	return 0;
}

static int parse_align(void *member, const char *text, char *why, size_t why_bytes)
{
	struct parse_err err;
	uint64_t align;

	if (units_size(span_of(text), 1024, &align, NULL, &err) || align & (align - 1) ||
	    align > INT64_MAX) {
		snprintf(why, why_bytes, "replay_align=%s: it must be a power of two, as in 4k, or "
			 "0", parse_show(span_of(text)).text);
		return -EINVAL;
	}
	*(uint64_t *)member = align;
	return 0;
}

/* "50:100" */
static int parse_numbers(struct replay_numbers *list, const char *option, const char *text,
			 double max, bool whole, char *why, size_t why_bytes)
{
	double v[REPLAY_LOGS_MAX];
	struct span rest = span_of(text), word;
	struct parse_err err;
	uint32_t n = 0;

	while (span_next(&rest, ":", &word)) {
		if (n == REPLAY_LOGS_MAX || units_double(word, 0, max, &v[n], &err) || v[n] <= 0 ||
		    (whole && v[n] != (double)(uint64_t)v[n])) {
			snprintf(why, why_bytes, "%s=%s: '%s' must be a %snumber above 0, up to "
				 "%.0f; one for each log, separated by ':'", option,
				 parse_show(span_of(text)).text, parse_show(word).text,
				 whole ? "whole " : "", max);
			return -EINVAL;
		}
		n++;
	}
	list->nr = n;
	list->v = opt_keep_bytes(v, n * sizeof(*v));
	return 0;
}

static int parse_percents(void *member, const char *text, char *why, size_t why_bytes)
{
	return parse_numbers(member, "merge_blktrace_scalars", text, PERCENT_MAX, false, why,
			     why_bytes);
}

static int parse_times(void *member, const char *text, char *why, size_t why_bytes)
{
	return parse_numbers(member, "merge_blktrace_iters", text, TIMES_MAX, true, why,
			     why_bytes);
}

#define AT(member)	.offset = offsetof(struct replay_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "read_iolog", .type = OPT_STR_LIST, AT(logs),
	  .unit = "file, '-', or a UNIX socket",
	  .help = "do the I/O of a log: an iolog (version 2 or 3), or a trace of blkparse -d",
	  .more = "What the log holds takes the place of rw, bs, size and filename. Several, "
		  "separated by ':', are given to the clones of the job in turn. '-' is standard "
		  "input; what comes through a pipe or socket is taken to its end first. "
		  "See doc/iologs.md." },
	{ .name = "read_iolog_chunked", .type = FL_OPT_BOOL, AT(chunked),
	  .help = "read the log piece by piece as the job goes, not into memory before it begins",
	  .more = "Memory then does not depend on its length." },
	{ .name = "replay_no_stall", .type = FL_OPT_BOOL, AT(no_stall),
	  .help = "do not wait for the times in the log: one I/O after the other, at full speed" },
	{ .name = "replay_redirect", .type = FL_OPT_STR, AT(redirect), .unit = "file or device",
	  .help = "do all I/O of the log to this file or device, whatever it names" },
	{ .name = "replay_scale", .type = FL_OPT_U64, AT(scale), .def = "1", .max = INT64_MAX,
	  .help = "divide offsets by this; 0 is 1",
	  .more = "Best together with replay_align: what is divided may lie anywhere." },
	{ .name = "replay_align", .type = OPT_CUSTOM, AT(align), .parse = parse_align,
	  .unit = "bytes, a power of two",
	  .help = "round offsets down to multiples of this; 0 leaves them",
	  .more = "Lengths of traces are rounded up to it." },
	{ .name = "replay_time_scale", .type = FL_OPT_U32, AT(time_percent), .def = "100",
	  .min = 1, .unit = "%",
	  .help = "speed in percent: 50 replays half as fast as it was, 200 twice as fast" },
	{ .name = "replay_skip", .type = OPT_CUSTOM, AT(skip), .parse = parse_skip,
	  .unit = "list of read, write, trim, sync",
	  .help = "leave out these kinds of I/O" },
	{ .name = "merge_blktrace_file", .type = FL_OPT_STR, AT(merge_file),
	  .help = "merge the traces of read_iolog by time into this file, then replay it",
	  .more = "So that several traces run in one order that stays the same." },
	{ .name = "merge_blktrace_scalars", .type = OPT_CUSTOM, AT(merge_percent),
	  .parse = parse_percents, .unit = "percent for each trace, separated by ':'",
	  .help = "what becomes of the times of each trace: 50 ends in half the time" },
	{ .name = "merge_blktrace_iters", .type = OPT_CUSTOM, AT(merge_times),
	  .parse = parse_times, .unit = "number for each trace, separated by ':'",
	  .help = "how often each trace is gone through" },
};

const struct opt_table replay_options = OPT_TABLE("Replay", rows, 0);

const char *replay_replaced(size_t i)
{
	static const char *const names[] = {
		"rw", "readwrite", "bs", "blocksize", "bsrange", "blocksize_range", "bssplit", "ba",
		"size", "filesize", "io_size", "filename", "opendir", "nrfiles", "offset",
		"rwmixread", "rwmixwrite", "random_distribution", "percentage_random", "zonemode",
		"fsync", "fdatasync", "file_service_type",
	};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

/* How many names are in a ':' list? */
static uint32_t count_names(const char *list)
{
	struct span rest = span_of(list);
	struct strbuf name = STRBUF_INIT;
	uint32_t n = 0;

	while (span_next_name(&rest, &name))
		n++;
	strbuf_free(&name);
	return n;
}

static int check_merge(const struct replay_conf *c, char *why, size_t why_bytes)
{
	const struct {
		const char *option;
		const struct replay_numbers *n;
	} lists[] = {
		{ "merge_blktrace_scalars", &c->merge_percent },
		{ "merge_blktrace_iters", &c->merge_times },
	};
	uint32_t logs = count_names(c->logs);

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!lists[i].n->nr)
			continue;
		if (!c->merge_file) {
			snprintf(why, why_bytes, "%s has no effect without merge_blktrace_file",
				 lists[i].option);
			return 1;
		}
		if (lists[i].n->nr != logs) {
			snprintf(why, why_bytes, "%s has %u numbers, and read_iolog %u logs; give "
				 "one for each", lists[i].option, lists[i].n->nr, logs);
			return -EINVAL;
		}
	}
	return 0;
}

int replay_check(const struct replay_conf *c, char *why, size_t why_bytes)
{
	const char *idle = c->merge_file ? "merge_blktrace_file" : c->redirect ? "replay_redirect" :
			   c->no_stall ? "replay_no_stall" : c->skip ? "replay_skip" :
			   c->chunked ? "read_iolog_chunked" : NULL;
	uint32_t logs;

	if (c->logs) {
		logs = count_names(c->logs);
		if (logs && logs <= REPLAY_LOGS_MAX)
			return check_merge(c, why, why_bytes);
		snprintf(why, why_bytes, "read_iolog=%.100s names %s; expected is the name of a "
			 "log, or up to %d of them separated by ':'", c->logs,
			 logs ? "too many" : "none", REPLAY_LOGS_MAX);
		return -EINVAL;
	}
	if (!idle)
		return 0;
	snprintf(why, why_bytes, "%s has no effect without read_iolog", idle);
	return 1;
}
