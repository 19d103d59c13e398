/* SPDX-License-Identifier: MIT */
/* The option of expectations, and what is known to be in vain before the run. */
#include "core/expect.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

static const struct fl_opt rows[] = {
	{ .name = "expect", .type = FL_OPT_STR, .offset = offsetof(struct expect_conf, text),
	  .unit = "QUANTITY < VALUE; ...", .help = "what must hold of the result: else the exit "
	  "status is 3",
	  .more = "As in expect=read.clat.p99<2ms; write.iops>=50k; trust=ok. With group. in front "
		  "of a quantity it is that of all jobs of the group. A line of the result says of "
		  "each whether it holds; --junit=FILE writes them for a CI. doc/expect.md has the "
		  "quantities." },
};

const struct opt_table expect_options = OPT_TABLE("Expectations", rows, 0);

bool expect_keeps_semicolon(struct span name)
{
	return span_is(name, rows[0].name);
}

static bool is_measured(const struct expectation *e, const struct expect_use *use)
{
	return e->latency == EXPECT_SLAT ? use->has_slat :
	       e->latency == EXPECT_CLAT ? use->has_clat : use->has_lat;
}

static bool has_no_start(const struct expectation *e, const struct expect_use *use)
{
	uint32_t dirs = e->place == EXPECT_MIXED ? use->dirs : 1u << e->place;

	return e->latency == EXPECT_INTENDED && !(use->intended & dirs);
}

static bool is_latency(const struct expectation *e)
{
	return e->what >= EXPECT_MIN && e->what <= EXPECT_PERCENTILE;
}

/* Why this one can never hold, in words; NULL: it can. Of a group other jobs have a say, too. */
static const char *in_vain(const struct expectation *e, const struct expect_use *use)
{
	static const char *const missing[] = {
		[EXPECT_READ] = "the job does not read", [EXPECT_WRITE] = "the job does not write",
		[EXPECT_TRIM] = "the job does not trim",
	};

	if (e->group)
		return NULL;
	if (e->place <= EXPECT_TRIM && !(use->dirs & 1u << e->place))
		return missing[e->place];
	if (is_latency(e) && e->place != EXPECT_SYNC && !is_measured(e, use))
		return "this latency is not measured: gtod_reduce or a disable_ option is set";
	if (is_latency(e) && e->place != EXPECT_SYNC && has_no_start(e, use))
		return "without a rate I/Os have no intended start";
	return NULL;
}

/* Job files know quotes only where a comment could begin, and leave them where they are. */
static struct span without_quotes(struct span text)
{
	bool quoted = text.len > 1 && (text.at[0] == '"' || text.at[0] == '\'') &&
		      text.at[text.len - 1] == text.at[0];

	return quoted ? (struct span){ text.at + 1, text.len - 2 } : text;
}

static int fail(char *why, size_t why_bytes, int at, const char *text)
{
	snprintf(why, why_bytes, "expect: character %d: %s", at + 1, text);
	return -EINVAL;
}

int expect_check(struct expect_conf *c, const struct expect_use *use, char *why, size_t why_bytes,
		 int *col)
{
	struct expectation list[EXPECT_MAX];
	struct parse_err err;
	struct span text;

	*col = 0;
	if (!c->text)
		return 0;
	text = without_quotes(span_of(c->text));
	if (expect_parse(text, use->kb_base, list, &c->count, &err)) {
		parse_fail_shift(&err, (size_t)(text.at - c->text));
		*col = err.col;
		return fail(why, why_bytes, err.col, err.text);
	}
	if (!use->reported) {
		snprintf(why, why_bytes, "expect: the job is left out of the results (stats=0)");
		return -EINVAL;
	}
	for (size_t i = 0; i < c->count; i++) {
		const char *vain = in_vain(&list[i], use);

		*col = (int)(list[i].text.at - c->text);
		if (vain)
			return fail(why, why_bytes, *col, vain);
	}
	c->list = opt_keep_bytes(list, c->count * sizeof(list[0]));
	return 0;
}
