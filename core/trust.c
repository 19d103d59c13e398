/* SPDX-License-Identifier: MIT */
/* The list of findings. */
#include "core/trust.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place for one more; where there is none, one that is written over by the next. */
static struct trust_finding *place(struct trust *t)
{
	static struct trust_finding spare;
	struct trust_finding *more;

	if (t->count == TRUST_FINDINGS_MAX)
		goto full;
	/* A power of two is full: twice the room. */
	if (!(t->count & (t->count - 1))) {
		more = realloc(t->list, 2 * (t->count ? t->count : 1) * sizeof(*more));
		if (!more)
			goto full;
		t->list = more;
	}
	return &t->list[t->count++];
full:
	t->dropped++;
	return &spare;
}

/* Without memory for it a job's finding is one of the whole run. */
static void grade(struct trust *t, size_t job, enum trust_grade severity)
{
	t->worst = fl_max(t->worst, severity);
	if (job != TRUST_RUN && job >= t->nr_jobs) {
		size_t n = fl_max(2 * t->nr_jobs, job + 1);
		uint8_t *more = realloc(t->of_job, n);

		if (more) {
			memset(more + t->nr_jobs, TRUST_OK, n - t->nr_jobs);
			t->of_job = more;
			t->nr_jobs = n;
		}
	}
	if (job < t->nr_jobs)
		t->of_job[job] = (uint8_t)fl_max((enum trust_grade)t->of_job[job], severity);
	else
		t->of_run = fl_max(t->of_run, severity);
}

struct trust_finding *trust_add(struct trust *t, const char *id, enum trust_grade severity,
				size_t job, const char *fmt, ...)
{
	struct trust_finding *f = place(t);
	va_list ap;

	*f = (struct trust_finding){ .id = id, .severity = severity, .job = job };
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	grade(t, job, severity);
	return f;
}

struct trust_finding *trust_fix(struct trust_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->fix, sizeof(f->fix), fmt, ap);
	va_end(ap);
	return f;
}

struct trust_finding *trust_number(struct trust_finding *f, const char *name, double value)
{
	fl_assert(f->nr_numbers < TRUST_NUMBERS_MAX);
	f->numbers[f->nr_numbers++] = (struct trust_number){ name, value };
	return f;
}

enum trust_grade trust_grade_of(const struct trust *t, const size_t *members, size_t n)
{
	enum trust_grade worst = t->of_run;

	if (!members)
		return t->worst;
	for (size_t i = 0; i < n; i++)
		if (members[i] < t->nr_jobs)
			worst = fl_max(worst, (enum trust_grade)t->of_job[members[i]]);
	return worst;
}

const char *trust_grade_name(enum trust_grade grade)
{
	static const char *const names[] = {
		[TRUST_OK] = "ok", [TRUST_DOUBTFUL] = "doubtful", [TRUST_INVALID] = "INVALID",
	};

	return names[grade];
}

void trust_done(struct trust *t)
{
	free(t->list);
	free(t->of_job);
	*t = (struct trust){ 0 };
}
