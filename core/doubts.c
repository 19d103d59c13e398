/* SPDX-License-Identifier: MIT */
/* Asks the checks, and what they have in common. */
#include "core/doubts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct doubt_check *const tables[] = {
	doubts_on_idle, doubts_on_cache, doubts_on_target, doubts_on_course,
};

const struct doubt_check *doubts_check_at(size_t i)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct doubt_check *check = tables[t]; check->id; check++)
			if (!i--)
				return check;
	return NULL;
}

/* The needs that a job meets. */
static unsigned int has(const struct doubt_case *c)
{
	const struct doubt_facts *f = c->facts;
	uint32_t bits = c->job->workload.rw.bits;
	bool target = f->target != DOUBT_TARGET_NONE;
	bool unaligned = c->job->engine->ops.caps & FL_CAP_UNALIGNED;	/* maps: O_DIRECT is moot */

	return (bits & RW_READ ? DOUBT_NEEDS_READS : 0) |
	       (bits & RW_WRITE ? DOUBT_NEEDS_WRITES : 0) |
	       (bits & RW_RANDOM ? DOUBT_NEEDS_RANDOM : DOUBT_NEEDS_SEQUENTIAL) |
	       (target ? DOUBT_NEEDS_TARGET : 0) |
	       (target && !f->memory ? DOUBT_NEEDS_MEDIUM : 0) |
	       (target && f->disk_known ? DOUBT_NEEDS_DISK : 0) |
	       (c->n > 1 ? DOUBT_NEEDS_CLONES : 0) |
	       (target && !c->job->files.direct ? DOUBT_NEEDS_BUFFERED : 0) |
	       (target && c->job->files.direct && !unaligned ? DOUBT_NEEDS_DIRECT : 0);
}

void doubts_find(const struct doubt_case *c, void (*fn)(void *ctx, const struct doubt *d),
		 void *ctx)
{
	const struct doubt_check *check;
	unsigned int met = has(c);

	if (c->job->files.create_only)
		return;		/* there is no I/O to be doubted */
	for (size_t i = 0; (check = doubts_check_at(i)); i++) {
		struct doubt d = { .id = check->id, .option = check->option };

		if (check->fix)
			doubt_fix(&d, "%s", check->fix);
		if ((check->needs & met) == check->needs && check->find(c, &d))
			fn(ctx, &d);
	}
}

bool doubt_say(struct doubt *d, enum doubt_grade grade, const char *fmt, ...)
{
	va_list ap;

	d->grade = grade;
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof(d->text), fmt, ap);
	va_end(ap);
	return true;
}

void doubt_fix(struct doubt *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->fix, sizeof(d->fix), fmt, ap);
	va_end(ap);
}

bool doubt_given(const struct doubt_case *c, const char *option)
{
	struct fl_opt row;
	const char *engine = c->job->engine->ops.name;

	return !job_option(NULL, option, engine, &row) && section_given(c->section, &row);
}
