/* SPDX-License-Identifier: MIT */
/* The findings as lines and as JSON, the grade as the last line and as exit status. */
#include "core/trust_verdict.h"
#include "core/reporter.h"

#include <string.h>

#define STATUS_DOUBTFUL	4
#define STATUS_INVALID	5

/* The finding stands for others too: same kind, other jobs of one name. */
struct folded {
	const struct trust_finding *worst;
	size_t jobs;
};

static const char *name_of(const struct observed *run, size_t job)
{
	return job == TRUST_RUN || !run->plan ? "" : run->plan->jobs[job].job->name;
}

static bool same(const struct observed *run, const struct trust_finding *a,
		 const struct trust_finding *b)
{
	return !strcmp(a->id, b->id) && (a->job == TRUST_RUN) == (b->job == TRUST_RUN) &&
	       !strcmp(name_of(run, a->job), name_of(run, b->job));
}

/* Is finding i the first of its kind? Then *f is all of it; clones of a job don't say it twice. */
static bool fold(const struct observed *run, size_t i, struct folded *f)
{
	const struct trust *t = run->trust;
	size_t before = TRUST_RUN;

	*f = (struct folded){ .worst = &t->list[i] };
	for (size_t k = 0; k < t->count; k++) {
		const struct trust_finding *one = &t->list[k];

		if (!same(run, one, &t->list[i]))
			continue;
		if (k < i)
			return false;
		f->jobs += one->job != before;
		before = one->job;
		if (one->severity > f->worst->severity)
			f->worst = one;
	}
	return true;
}

static void put_sentence(const struct observed *run, const struct folded *f, FILE *out)
{
	const struct trust_finding *w = f->worst;

	if (w->job != TRUST_RUN && run->plan->count > 1) {
		fputs("job ", out);
		reporter_text(name_of(run, w->job), out);
		if (f->jobs > 1)
			fprintf(out, " and %zu more of it", f->jobs - 1);
		fputs(": ", out);
	}
	reporter_text(w->text, out);
	if (w->fix[0]) {
		fputs(" (fix: ", out);
		reporter_text(w->fix, out);
		fputc(')', out);
	}
	fputc('\n', out);
}

void trust_verdict_text(const struct observed *run, FILE *out)
{
	const struct trust *t = run->trust;
	struct folded f, worst = { .worst = NULL };
	size_t kinds = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!fold(run, i, &f))
			continue;
		kinds++;
		if (!worst.worst || f.worst->severity > worst.worst->severity)
			worst = f;
	}
	for (size_t i = 0; i < t->count && (kinds > 1 || t->worst == TRUST_OK); i++) {
		if (!fold(run, i, &f))
			continue;
		fprintf(out, "finding: %s: %s: ", f.worst->severity == TRUST_OK ? "note" :
			trust_grade_name(f.worst->severity), f.worst->id);
		put_sentence(run, &f, out);
	}
	if (t->dropped)
		fprintf(out, "finding: note: dropped: %zu more findings\n", t->dropped);
	fprintf(out, "trust: %s", trust_grade_name(t->worst));
	if (t->worst == TRUST_OK || !worst.worst || worst.worst->severity < t->worst) {
		fputc('\n', out);
		return;
	}
	fputs(": ", out);
	put_sentence(run, &worst, out);
}

static void put_finding(const struct observed *run, const struct folded *f, struct json *doc)
{
	const struct trust_finding *w = f->worst;

	json_object(doc, NULL);
	json_str(doc, "id", w->id);
	json_str(doc, "severity", w->severity == TRUST_OK ? "note" :
		 trust_grade_name(w->severity));
	json_str(doc, "job", name_of(run, w->job));
	json_u64(doc, "jobs", w->job == TRUST_RUN ? 0 : f->jobs);
	json_str(doc, "text", w->text);
	json_object(doc, "evidence");
	for (unsigned i = 0; i < w->nr_numbers; i++)
		json_f64(doc, w->numbers[i].name, w->numbers[i].value);
	json_end(doc);
	json_str(doc, "fix", w->fix);
	json_end(doc);
}

void trust_verdict_json(const struct observed *run, struct json *doc)
{
	struct folded f;

	json_object(doc, "trust");
	json_str(doc, "grade", trust_grade_name(run->trust->worst));
	json_array(doc, "findings");
	for (size_t i = 0; i < run->trust->count; i++)
		if (fold(run, i, &f))
			put_finding(run, &f, doc);
	json_end(doc);
	json_u64(doc, "dropped", run->trust->dropped);
	json_end(doc);
}

int trust_verdict_status(const struct observed *run)
{
	switch (run->flags->strict ? run->trust->worst : TRUST_OK) {
	case TRUST_DOUBTFUL:
		return STATUS_DOUBTFUL;
	case TRUST_INVALID:
		return STATUS_INVALID;
	default:
		return 0;
	}
}
