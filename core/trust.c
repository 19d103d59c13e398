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

struct trust_finding *trust_add(struct trust *t, const char *id, enum trust_grade severity,
				size_t job, const char *fmt, ...)
{
	struct trust_finding *f = place(t);
	va_list ap;

	*f = (struct trust_finding){ .id = id, .severity = severity, .job = job };
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	t->worst = fl_max(t->worst, severity);
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

static bool is_one_of(size_t job, const size_t *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (members[i] == job)
			return true;
	return job == TRUST_RUN;
}

enum trust_grade trust_grade_of(const struct trust *t, const size_t *members, size_t n)
{
	enum trust_grade grade = TRUST_OK;

	if (!members || t->dropped)
		return t->worst;
	for (size_t i = 0; i < t->count; i++)
		if (t->list[i].severity > grade && is_one_of(t->list[i].job, members, n))
			grade = t->list[i].severity;
	return grade;
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
	*t = (struct trust){ 0 };
}
