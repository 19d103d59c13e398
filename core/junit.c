/* SPDX-License-Identifier: MIT */
/* JUnit's XML, by hand: five kinds of elements need no library. */
#include "core/junit.h"

#include "core/expect_measure.h"
#include "lib/printable.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* What a suite amounts to. */
struct tally {
	size_t tests, failures, errors;
};

/*
 * Text in an attribute or between tags. Control characters, which XML cannot hold in any form, and
 * what is no UTF-8 become '?'; so do U+FFFE and U+FFFF, which it forbids.
 */
static void put_text(const char *text, size_t len, FILE *out)
{
	static const struct {
		char c;
		const char *escape;
	} escapes[] = {
		{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" },
		{ '\'', "&apos;" },
	};

	for (size_t i = 0; i < len;) {
		size_t bytes = printable_length(text + i, len - i);
		const char *escape = NULL;

		for (size_t k = 0; k < ARRAY_SIZE(escapes); k++)
			if (text[i] == escapes[k].c)
				escape = escapes[k].escape;
		if (bytes == 3 && !memcmp(text + i, "\xef\xbf", 2) &&
		    (unsigned char)text[i + 2] >= 0xbe)
			bytes = 0;
		if (escape)
			fputs(escape, out);
		else if (bytes)
			fwrite(text + i, 1, bytes, out);
		else
			fputc('?', out);
		i += fl_max(bytes, (size_t)1);
	}
}

static void put_attr(const char *name, const char *value, size_t len, FILE *out)
{
	fprintf(out, " %s=\"", name);
	put_text(value, len, out);
	fputc('"', out);
}

static void put_string(const char *name, const char *value, FILE *out)
{
	put_attr(name, value, strlen(value), out);
}

static double seconds(const struct result_job *j)
{
	return (double)j->wall_ms / 1000;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void put_case(const char *suite, const char *name, size_t len, double time_s, FILE *out)
{
	fputs("    <testcase", out);
	put_string("classname", suite, out);
	put_attr("name", name, len, out);
	fprintf(out, " time=\"%.3f\">\n", time_s);
}

static void put_job_case(const struct result_job *j, FILE *out)
{
	static const char name[] = "runs without an error";
	const char *why = j->error_text && *j->error_text ? j->error_text : strerror(j->error);

	put_case(j->name, name, strlen(name), seconds(j), out);
	if (j->error) {
		fputs("      <error", out);
		put_string("message", why, out);
		put_string("type", strerror(j->error), out);
		fputs("/>\n", out);
	}
	fputs("    </testcase>\n", out);
}

static void put_outcome(const char *suite, const struct expect_outcome *o, struct num_style style,
			double time_s, FILE *out)
{
	char words[160];

	expect_words(o, style, words, sizeof(words));
	put_case(suite, o->e->text.at, o->e->text.len, time_s, out);
	if (!o->holds) {
		fputs("      <failure", out);
		put_string("message", words, out);
		fputs(" type=\"expect\"/>\n", out);
	}
	fputs("      <system-out>", out);
	put_text(words, strlen(words), out);
	fputs("</system-out>\n    </testcase>\n", out);
}

/* ---- Suites ---------------------------------------------------------------------------------- */

static void put_tally(const struct tally *t, double time_s, FILE *out)
{
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\"", t->tests,
		t->failures, t->errors, time_s);
}

static void put_suite(const char *name, const struct tally *t, double time_s, uint64_t wall_ms,
		      FILE *out)
{
	time_t at = (time_t)(wall_ms / 1000);
	char stamp[32] = "";
	struct tm tm;

	fputs("  <testsuite", out);
	put_string("name", name, out);
	put_tally(t, time_s, out);
	fputs(" skipped=\"0\"", out);
	if (gmtime_r(&at, &tm) && strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm))
		put_string("timestamp", stamp, out);
	fputs(">\n", out);
}

static bool is_of(const struct expect_outcome *o, bool group, size_t i)
{
	return o->e->group == group && (group ? o->group : o->job) == i;
}

static struct tally tally_of(const struct expect_outcome *list, size_t count, bool group, size_t at)
{
	struct tally t = { 0 };

	for (size_t i = 0; i < count; i++) {
		t.tests += is_of(&list[i], group, at);
		t.failures += is_of(&list[i], group, at) && !list[i].holds;
	}
	return t;
}

static void put_job(const struct result *r, size_t at, const struct expect_outcome *list,
		    size_t count, FILE *out)
{
	const struct result_job *j = &r->jobs[at];
	struct tally t = tally_of(list, count, false, at);

	t.tests++;
	t.errors = j->error != 0;
	put_suite(j->name, &t, seconds(j), j->start_wall_ms ? j->start_wall_ms : r->wall_ms, out);
	put_job_case(j, out);
	for (size_t i = 0; i < count; i++)
		if (is_of(&list[i], false, at))
			put_outcome(j->name, &list[i], j->style, seconds(j), out);
	fputs("  </testsuite>\n", out);
}

static void put_group(const struct result *r, size_t at, const struct expect_outcome *list,
		      size_t count, FILE *out)
{
	const struct result_group *g = &r->groups[at];
	struct tally t = tally_of(list, count, true, at);
	char name[32];

	if (!t.tests)
		return;
	snprintf(name, sizeof(name), "group %d", g->id);
	put_suite(name, &t, 0, r->wall_ms, out);
	for (size_t i = 0; i < count; i++)
		if (is_of(&list[i], true, at))
			put_outcome(name, &list[i], g->style, 0, out);
	fputs("  </testsuite>\n", out);
}

int junit_write(const struct result *r, const struct expect_outcome *list, size_t count, FILE *out)
{
	struct tally t = { .tests = count + r->nr_jobs };
	double longest_s = 0;

	for (size_t i = 0; i < count; i++)
		t.failures += !list[i].holds;
	for (size_t i = 0; i < r->nr_jobs; i++) {
		t.errors += r->jobs[i].error != 0;
		longest_s = fl_max(longest_s, seconds(&r->jobs[i]));
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fio-like\"", out);
	put_tally(&t, longest_s, out);
	fputs(">\n", out);
	for (size_t i = 0; i < r->nr_jobs; i++)
		put_job(r, i, list, count, out);
	for (size_t i = 0; i < r->nr_groups; i++)
		put_group(r, i, list, count, out);
	fputs("</testsuites>\n", out);
	errno = 0;
	return fflush(out) || ferror(out) ? -(errno ? errno : EIO) : 0;
}
