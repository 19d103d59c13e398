/* SPDX-License-Identifier: MIT */
/* Counters by engine. The names of those below come from the worker, who alone has met them. */
#include "core/merge_engines.h"

#include "core/latsum.h"

#include <stdlib.h>
#include <string.h>

/* v: of one job, which had `before` when counting began. first: of the first job of that engine. */
static void add(uint64_t *sum, uint32_t merge, uint64_t v, uint64_t before, bool first)
{
	if (merge == FL_MERGE_MAX)
		*sum = fl_max(*sum, v);
	else if (merge == FL_MERGE_MIN)
		*sum = first ? v : fl_min(*sum, v);
	else
		*sum += v - before;
}

/* ------------------------------------------------------------------ engines of jobs */

static void add_job(struct result_engine *to, const struct crew_job *c)
{
	const struct engine *e = c->plan->job->engine;
	const struct worker_block *b = c->block;

	to->nr_counters = fl_min(e->ops.nr_counters, (uint32_t)HOST_COUNTERS_MAX);
	for (uint32_t i = 0; i < to->nr_counters; i++) {
		struct result_counter *sum = &to->counters[i];
		struct fl_counter row;

		engine_counter(e, i, &row);
		sum->name = row.name;
		sum->unit = row.unit;
		sum->help = row.help;
		add(&sum->value, row.merge, b->counters[i], b->counters_before[i], !to->jobs);
	}
	to->jobs++;
}

static void add_observed(struct result_engine *to, const struct engine *e,
			 const struct crew_job *const *jobs, size_t count)
{
	to->nr_observed = fl_min(e->ops.nr_histograms, (uint32_t)HOST_HISTOGRAMS_MAX);
	for (uint32_t i = 0; i < to->nr_observed; i++) {
		struct fl_histogram row;
		struct latsum sum;

		engine_histogram(e, i, &row);
		to->observed[i].name = row.name;
		to->observed[i].help = row.help;
		latsum_begin(&sum);
		for (size_t k = 0; k < count; k++)
			if (jobs[k]->plan->job->engine == e)
				latsum_add(&sum, &jobs[k]->block->observed[i]);
		latsum_end(&sum, &to->observed[i].lat);
		to->observed[i].lat.percentiles = true;
	}
}

/* ------------------------------------------------------------------ others than the first */

/* That engine among the others, as one of its own (above NULL) or below another; made if new. */
static struct result_engine *other(struct result_job *j, const char *name, const char *above)
{
	struct result_engine *list;

	for (size_t i = 0; i < j->nr_others; i++) {
		const char *its = j->others[i].above;

		if (!strcmp(j->others[i].name, name) && !above == !its &&
		    (!above || !strcmp(above, its)))
			return &j->others[i];
	}
	list = realloc(j->others, (j->nr_others + 1) * sizeof(*list));
	if (!list)
		return NULL;
	j->others = list;
	list[j->nr_others] = (struct result_engine){ .name = name, .above = above };
	return &list[j->nr_others++];
}

static void add_below(struct result_job *j, const struct crew_job *c)
{
	const struct worker_block *b = c->block;
	uint32_t n = atomic_load(&b->nr_stacked);

	for (uint32_t k = 0; k < n; k++) {
		const struct stacked_counters *s = &b->stacked[k];
		struct result_engine *to = other(j, s->engine, c->plan->job->engine->ops.name);

		for (uint32_t i = 0; to && i < s->nr; i++) {
			to->counters[i].name = s->row[i].name;
			add(&to->counters[i].value, s->row[i].merge, s->counters[i], s->before[i],
			    !to->jobs);
		}
		if (!to)
			return;
		to->nr_counters = s->nr;
		to->jobs++;
	}
}

void merge_engines(struct result_job *j, const struct crew_job *const *jobs, size_t count)
{
	const struct engine *first = jobs[0]->plan->job->engine;

	j->engine.name = first->ops.name;
	j->engine.origin = first->origin;
	for (size_t k = 0; k < count; k++) {
		const struct engine *e = jobs[k]->plan->job->engine;
		struct result_engine *to = &j->engine;

		if (e != first)
			to = other(j, e->ops.name, NULL);
		if (!to)
			continue;
		to->origin = e->origin;
		add_job(to, jobs[k]);
		if (to->jobs == 1)
			add_observed(to, e, jobs, count);
		add_below(j, jobs[k]);
	}
}

static void free_observed(struct result_engine *e)
{
	for (size_t i = 0; i < e->nr_observed; i++)
		latsum_free(&e->observed[i].lat);
}

void merge_engines_free(struct result_job *j)
{
	free_observed(&j->engine);
	for (size_t i = 0; i < j->nr_others; i++)
		free_observed(&j->others[i]);
	free(j->others);
}
