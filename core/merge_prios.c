/* SPDX-License-Identifier: MIT */
/*
 * One sum per priority: first that of the jobs, then those of single requests in their order as
 * numbers, class, hint, level.
 */
#include "core/merge_prios.h"

#include "core/latsum.h"
#include "os/cpu.h"

#include <stdlib.h>
#include <string.h>

#define PRIO_LEVEL(prio)	((prio) & CPU_IO_LEVEL_MAX)
#define PRIO_HINT(prio)		((prio) >> 3 & CPU_IO_HINT_MAX)
#define PRIO_CLASS(prio)	((prio) >> 13)

struct sum {
	uint32_t prio;
	bool own;			/* of a job */
	struct latsum lat;
};

struct sums {
	struct sum *list;
	size_t count, room;
};

static struct sum *sum_of(struct sums *s, uint32_t prio)
{
	size_t i = 0;

	while (i < s->count && s->list[i].prio != prio)
		i++;
	if (i < s->count)
		return &s->list[i];
	if (s->count == s->room) {
		size_t room = s->room ? s->room * 2 : 8;
		struct sum *list = realloc(s->list, room * sizeof(*list));

		if (!list)
			return NULL;
		s->list = list;
		s->room = room;
	}
	s->list[s->count].prio = prio;
	s->list[s->count].own = false;
	latsum_begin(&s->list[s->count].lat);
	return &s->list[s->count++];
}

static void add_job(struct sums *s, const struct crew_job *j, int op)
{
	const struct prios *p = j->setup.prios;
	uint32_t n = atomic_load_explicit(&p->count[op], memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t prio = p->prio[op][i];
		struct sum *sum = sum_of(s, prio ? prio : proc_ioprio(&j->plan->job->proc));

		if (!sum)
			continue;
		sum->own |= !prio;
		latsum_add(&sum->lat, &p->lat[op][i]);
	}
}

static int by_prio(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->own != y->own)
		return y->own - x->own;
	return (x->prio > y->prio) - (x->prio < y->prio);
}

/* All sums end in the result; those without a sample, and one that is alone, are left out. */
static void put(struct result_dir *out, struct sums *s, bool percentiles)
{
	out->prios = calloc(s->count ? s->count : 1, sizeof(*out->prios));
	for (size_t i = 0; i < s->count; i++) {
		struct result_prio one = {
			.prioclass = PRIO_CLASS(s->list[i].prio),
			.level = PRIO_LEVEL(s->list[i].prio), .hint = PRIO_HINT(s->list[i].prio),
		};

		latsum_end(&s->list[i].lat, &one.lat);
		one.lat.percentiles = percentiles;
		if (out->prios && one.lat.n)
			out->prios[out->nr_prios++] = one;
		else
			latsum_free(&one.lat);
	}
	if (out->nr_prios < 2)
		merge_prios_free(out);
}

void merge_prios(struct result_dir *out, const struct crew_job *const *jobs, size_t count,
		 int first, int last)
{
	const struct measure_conf *m = &jobs[0]->plan->job->measure;
	struct sums s = { 0 };

	for (size_t k = 0; k < count; k++)
		for (int op = first; jobs[k]->setup.prios && op <= last && op <= DIR_WRITE; op++)
			add_job(&s, jobs[k], op);
	if (!s.count)
		return;
	qsort(s.list, s.count, sizeof(*s.list), by_prio);
	out->prios_total = m->lat_percentiles;
	put(out, &s, m->clat_percentiles || m->lat_percentiles);
	free(s.list);
}

void merge_prios_free(struct result_dir *d)
{
	for (size_t i = 0; i < d->nr_prios; i++)
		latsum_free(&d->prios[i].lat);
	free(d->prios);
	d->prios = NULL;
	d->nr_prios = 0;
}
