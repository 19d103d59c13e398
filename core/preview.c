/* SPDX-License-Identifier: MIT */
/* The plan, the checks that refuse, the checks that doubt: the same as a run has. */
#include "core/preview.h"
#include "core/safety_watch.h"
#include "core/verify_shared.h"
#include "lib/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES	512

/* Those that look at the plan of a run and at nothing else. */
static const struct observer *const refusing[] = { &safety_observer, &verify_shared };

static void ask_observers(struct preview *p, const struct cli_flags *flags, const struct jobs *jobs)
{
	const struct observed run = { .flags = flags, .jobs = jobs, .plan = &p->plan };

	for (size_t i = 0; i < ARRAY_SIZE(refusing); i++) {
		const struct observer *o = refusing[i];
		void *self = calloc(1, fl_max(o->state_bytes, (size_t)1));

		fl_assert(self);
		o->begin(self, &run, p->refusals);
		if (o->done)
			o->done(self);
		free(self);
	}
}

/* The clones of a section follow each other. */
static void find_clones(struct preview *p, const struct spec *spec, const struct jobs *jobs)
{
	size_t at = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct preview_job *j = &p->jobs[i];

		j->section = &spec->sections[i];
		j->job = &jobs->list[i];
		j->clones = &p->plan.jobs[at];
		j->planned = true;
		for (; at < p->plan.count && p->plan.jobs[at].job == j->job; at++) {
			j->n++;
			j->planned &= !p->plan.jobs[at].failed;
		}
	}
}

static void check_room(struct preview *p, const struct preview_job *j)
{
	char why[WHY_BYTES];

	if (j->planned && j->outlook.layout_bytes &&
	    files_room(&j->clones[0].files, why, sizeof(why)))
		diag_error(p->refusals, &j->job->at, "job %s: %s", j->job->name, why);
}

static void add_doubt(void *ctx, const struct doubt *d)
{
	struct preview_job *j = ctx;

	j->doubts = grow(j->doubts, j->nr_doubts, sizeof(*j->doubts));
	fl_assert(j->doubts);
	j->doubts[j->nr_doubts++] = *d;
}

static void look_at(struct preview *p, struct preview_job *j, uint64_t *steps)
{
	struct doubt_case c = {
		.machine = &p->machine, .section = j->section, .job = j->job, .plan = &p->plan,
		.clones = j->clones, .n = j->n, .planned = j->planned, .facts = &j->facts,
		.outlook = &j->outlook,
	};

	doubt_facts_look(&j->facts, &j->clones[0], j->planned);
	if (j->planned)
		outlook_make(&j->outlook, j->clones, j->n, j->facts.sync, steps);
	check_room(p, j);
	doubts_find(&c, add_doubt, j);
}

void preview_make(struct preview *p, const struct cli_flags *flags, const struct spec *spec,
		  const struct jobs *jobs, uint64_t steps)
{
	bool planned = true;

	*p = (struct preview){ .refusals = diag_new(false) };
	diag_plain(p->refusals);
	doubt_machine_look(&p->machine);
	plan_make(&p->plan, jobs, p->refusals);
	if (!p->plan.count)
		return;
	p->count = jobs->count;
	p->jobs = calloc(p->count, sizeof(*p->jobs));
	fl_assert(p->jobs);
	find_clones(p, spec, jobs);
	for (size_t i = 0; i < p->count; i++) {
		look_at(p, &p->jobs[i], &steps);
		planned &= p->jobs[i].planned;
	}
	if (planned)
		ask_observers(p, flags, jobs);
}

void preview_free(struct preview *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->jobs[i].doubts);
	free(p->jobs);
	plan_free(&p->plan);
	diag_free(p->refusals);
}

struct origin preview_origin(const struct preview_job *j, const struct doubt *d)
{
	const struct setting *s = NULL;
	struct fl_opt row;

	if (d->option && !job_option(NULL, d->option, j->job->engine->ops.name, &row))
		s = section_given(j->section, &row);
	return s ? setting_value_at(s) : j->job->at;
}

static void note_doubt(const struct preview_job *j, const struct doubt *d, struct diag *diag)
{
	struct origin at = preview_origin(j, d);

	if (d->grade == DOUBT_DOUBTFUL)
		diag_note(diag, &at, "job %s: %s%s%s", j->job->name, d->text,
			  d->fix[0] ? "; better: " : "", d->fix);
}

void preview_note(const struct preview *p, struct diag *diag)
{
	for (size_t i = 0; i < diag_complaints(p->refusals); i++)
		diag_note(diag, NULL, "%s (the run would be refused)",
			  diag_complaint(p->refusals, i));
	for (size_t i = 0; i < diag_notes(p->refusals); i++)
		diag_remark(diag, NULL, "%s", diag_note_text(p->refusals, i));
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < p->jobs[i].nr_doubts; k++)
			note_doubt(&p->jobs[i], &p->jobs[i].doubts[k], diag);
}
