/* SPDX-License-Identifier: MIT */
/* The options for failed I/Os. */
#define _GNU_SOURCE
#include "core/faults.h"
#include "fio-like/engine.h"
#include "lib/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct fl_opt_value go_on_names[] = {
	{ "none", 0, "the first error ends the job" },
	{ "read", FAULTS_READ, "go on after failed reads" },
	{ "write", FAULTS_WRITE, "go on after failed writes, trims and syncs" },
	{ "io", FAULTS_READ | FAULTS_WRITE, "both" },
	{ "verify", FAULTS_VERIFY, "go on after failed verifies" },
	{ "all", FAULTS_READ | FAULTS_WRITE | FAULTS_VERIFY, "all of them" },
	{ "0", 0, "none" },
	{ "1", FAULTS_READ | FAULTS_WRITE | FAULTS_VERIFY, "all" },
	{ NULL, 0, NULL },
};

/* A name as in errno(3), or a number. */
static int parse_errno(struct span text, int *out, struct parse_err *err)
{
	uint64_t n;

	for (int e = 1; e < 134; e++) {
		const char *name = strerrorname_np(e);

		if (name && span_is(text, name)) {
			*out = e;
			return 0;
		}
	}
	if (units_uint(text, 1024, 1, 4095, &n, NULL, err))
		return parse_fail(err, 0, "'%s' is no errno; give a name (EIO) or a number",
				  parse_show(text).text);
	*out = (int)n;
	return 0;
}

static int parse_kind(struct span text, struct faults_ignored *ig, int kind, struct parse_err *err)
{
	struct span rest = text, one;
	int ret;

	ig->count[kind] = 0;
	while (span_next(&rest, ":", &one)) {
		if (ig->count[kind] == FAULTS_IGNORED_MAX)
			return parse_fail(err, 0, "more than %d errors", FAULTS_IGNORED_MAX);
		ret = parse_errno(one, &ig->err[kind][ig->count[kind]++], err);
		if (ret)
			return ret;
	}
	return 0;
}

static int parse_ignored(void *member, const char *text, char *why, size_t why_bytes)
{
	struct faults_ignored ignored = { 0 };
	struct span rest = span_of(text), one;
	struct parse_err err = { .text = "" };
	int ret = 0;

	for (int kind = 0; !ret && span_next(&rest, ",", &one); kind++) {
		if (kind == 3)
			ret = parse_fail(&err, 0, "more than three lists");
		else if (one.len)
			ret = parse_kind(one, &ignored, kind, &err);
	}
	if (ret)
		snprintf(why, why_bytes, "ignore_error=%s: %s; lists for read,write,verify, as in "
			 "EIO,ENOSPC:EDQUOT", parse_show(span_of(text)).text, err.text);
	else
		*(struct faults_ignored *)member = ignored;
	return ret;
}

static int parse_limits(void *member, const char *text, char *why, size_t why_bytes)
{
	struct per_dir limits = *(struct per_dir *)member;
	struct span dirs[SPAN_DIRS];
	struct parse_err err;
	int ret = units_dirs(span_of(text), ",", dirs, &err);

	for (int d = 0; !ret && d < DIRS; d++)
		if (dirs[d].at)
			ret = units_time(dirs[d], UNITS_US, &limits.v[d], &err);
	if (ret)
		snprintf(why, why_bytes, "max_latency=%s: %s; give a time, or read,write,trim",
			 parse_show(span_of(text)).text, err.text);
	else
		*(struct per_dir *)member = limits;
	return ret;
}

#define AT(member)	.offset = offsetof(struct faults_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "continue_on_error", .type = FL_OPT_ENUM, AT(go_on), .def = "none",
	  .values = go_on_names, .help = "which failed I/Os do not end the job",
	  .more = "EIO of the device, and EILSEQ of a failed verify; ignore_error names others. "
		  "Errors are counted, the first is named in the report, and the "
		  "exit status stays 0." },
	{ .name = "ignore_error", .type = OPT_CUSTOM, AT(ignored), .parse = parse_ignored,
	  .unit = "errnos for read,write,verify; ':' between several",
	  .help = "errors that do not end the job, in place of those of continue_on_error",
	  .more = "A list that is given is all that counts for its direction: "
		  "EIO must be in it, too." },
	{ .name = "error_dump", .type = FL_OPT_BOOL, AT(dump), .def = "1",
	  .help = "note errors that do not end the job, too" },
	{ .name = "max_latency", .type = OPT_CUSTOM, AT(max_latency_ns), .parse = parse_limits,
	  .unit = "time, per direction; a bare number is us",
	  .help = "end the job with ETIMEDOUT when an I/O takes longer" },
};

const struct opt_table faults_options = OPT_TABLE("Errors", rows, 0);

/* kind: which of the three lists; bit: of continue_on_error. */
static bool fatal(const struct faults_conf *c, int kind, uint32_t bit, int err)
{
	for (uint32_t i = 0; i < c->ignored.count[kind]; i++)
		if (c->ignored.err[kind][i] == err)
			return false;
	if (c->ignored.count[kind])
		return true;
	if (err != EIO && err != EILSEQ)
		return true;
	return !(c->go_on & bit);
}

bool faults_fatal(const struct faults_conf *c, uint32_t op, int err)
{
	return op == FL_OP_READ ? fatal(c, 0, FAULTS_READ, err) : fatal(c, 1, FAULTS_WRITE, err);
}

bool faults_fatal_verify(const struct faults_conf *c)
{
	return fatal(c, 2, FAULTS_VERIFY, EILSEQ);
}

bool faults_any_limit(const struct faults_conf *c)
{
	return c->max_latency_ns.v[0] || c->max_latency_ns.v[1] || c->max_latency_ns.v[2];
}

bool faults_go_on(const struct faults_conf *c)
{
	return c->go_on || c->ignored.count[0] || c->ignored.count[1] || c->ignored.count[2];
}
