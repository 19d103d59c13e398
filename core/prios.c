/* SPDX-License-Identifier: MIT */
/* Counting by priority. There are few in a job, and a list of them is searched. */
#include "core/prios.h"
#include "os/mem.h"

#include <string.h>

/* An option of the engine that was set; NULL: it was not, or there is none of that name. */
static const char *engine_text(const struct job *job, const char *name)
{
	const struct opt_table *rows = &job->engine->opts;
	struct fl_opt row;
	int i = opt_find(rows, name);

	if (i < 0)
		return NULL;
	opt_row(rows, (size_t)i, &row);
	if (row.type != FL_OPT_STR)
		return NULL;
	return *(const char *const *)((const char *)job->engine_opts + row.offset);
}

bool prios_wanted(const struct job *job)
{
	const struct measure_conf *m = &job->measure;

	if (m->lat_percentiles ? m->disable_lat : m->disable_clat)
		return false;
	return engine_text(job, "cmdprio_percentage") || engine_text(job, "cmdprio_bssplit");
}

struct prios *prios_new(const struct job *job, int *err)
{
	struct prios *p = mem_shared(sizeof(*p), err);

	if (p)
		p->total = job->measure.lat_percentiles;
	return p;
}

void prios_free(struct prios *p)
{
	mem_shared_free(p, sizeof(*p));
}

void prios_add(struct prios *p, uint32_t op, uint32_t prio, uint64_t ns)
{
	uint32_t n = atomic_load_explicit(&p->count[op], memory_order_relaxed), i = 0;

	while (i < n && p->prio[op][i] != prio)
		i++;
	if (i == PRIOS_MAX)
		i--;		/* an engine with more of them than options could name */
	if (i == n) {
		p->prio[op][i] = prio;
		moments_reset(&p->lat[op][i].m);
		atomic_store_explicit(&p->count[op], n + 1, memory_order_release);
	}
	lat_add(&p->lat[op][i], ns);
}

void prios_reset(struct prios *p)
{
	for (int op = 0; op < 2; op++) {
		uint32_t n = atomic_exchange(&p->count[op], 0);

		memset(p->lat[op], 0, n * sizeof(p->lat[op][0]));
	}
}
