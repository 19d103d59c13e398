/* SPDX-License-Identifier: MIT */
/* All checks, asked one after the other. */
#include "core/trust_checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct trust_check *const tables[] = {
	trust_on_files, trust_on_cache, trust_on_device, trust_on_load, trust_on_machine,
};

const struct trust_check *trust_check_at(size_t i)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct trust_check *c = tables[t]; c->id; c++)
			if (!i--)
				return c;
	return NULL;
}

bool trust_say(struct trust_finding *f, enum trust_grade severity, const char *fmt, ...)
{
	va_list ap;

	f->severity = severity;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return true;
}

static bool in(const struct settings *s, const char *option)
{
	for (size_t i = 0; i < s->count; i++)
		if (opt_same_name(s->list[i].name, option))
			return true;
	return false;
}

bool trust_set(const struct trust_scene *s, const struct trust_case *c, const char *option)
{
	return in(&c->plan->job->echo, option) || (s->jobs && in(&s->jobs->global_echo, option));
}

/* What there is of what a check may need. */
static unsigned has(const struct trust_case *c)
{
	const struct trust_facts *facts = c->facts;
	unsigned bits = 0;

	for (int i = 0; i < DIRS; i++)
		if (trust_dir_ios(c, i) && c->run_ns)
			bits |= TRUST_NEEDS_IO;
	if (bits && trust_dir_ios(c, DIR_READ))
		bits |= TRUST_NEEDS_READS;
	if (bits && trust_dir_ios(c, DIR_WRITE))
		bits |= TRUST_NEEDS_WRITES;
	if (facts->target != TRUST_TARGET_NONE)
		bits |= TRUST_NEEDS_TARGET;
	if (facts->disk >= 0)
		bits |= TRUST_NEEDS_DISK;
	if (c->block->storage_known)
		bits |= TRUST_NEEDS_STORAGE;
	if (!facts->memory)
		bits |= TRUST_NEEDS_MEDIUM;
	return bits;
}

static void take(struct trust *t, const struct trust_check *check, size_t job,
		 const struct trust_finding *f)
{
	struct trust_finding *to = trust_add(t, check->id, f->severity, job, "%s", f->text);

	trust_fix(to, "%s", f->fix[0] ? f->fix : check->fix);
	for (unsigned i = 0; i < f->nr_numbers; i++)
		trust_number(to, f->numbers[i].name, f->numbers[i].value);
}

/* A job that is no part of the result (stats=0) can only spoil it by failing. */
static bool is_judged(const struct trust_case *c, const struct trust_check *check)
{
	return c->plan->job->measure.stats || !strcmp(check->id, "failed");
}

void trust_check_all(const struct trust_scene *s, struct trust *t)
{
	const struct trust_check *check;

	for (size_t i = 0; (check = trust_check_at(i)); i++) {
		struct trust_finding f = { .id = check->id };

		if (check->of_run && check->of_run(s, &f))
			take(t, check, TRUST_RUN, &f);
		for (size_t k = 0; check->of_job && k < s->count; k++) {
			f = (struct trust_finding){ .id = check->id };
			if (is_judged(&s->cases[k], check) &&
			    !(check->needs & ~has(&s->cases[k])) &&
			    check->of_job(s, &s->cases[k], &f))
				take(t, check, k, &f);
		}
	}
}
