/* SPDX-License-Identifier: MIT */
/* One word per block: the state in its upper bits, the number of trims below. */
#include "core/lifetimes.h"
#include "os/mem.h"

#include <errno.h>
#include <stdlib.h>

#define STATE_SHIFT	29
#define TRIMS_MAX	((1u << STATE_SHIFT) - 1)

const char *const lifetime_names[LIFETIMES] = {
	[LIFETIME_UNWRITTEN] = "unwritten", [LIFETIME_TRIMMED] = "trimmed",
	[LIFETIME_WRITTEN] = "written", [LIFETIME_TRIM_FAILURE] = "trim failure",
	[LIFETIME_WRITE_FAILURE] = "write failure",
};

bool lifetimes_wanted(const struct job *job)
{
	return job->measure.block_errors && job->workload.rw.bits & RW_TRIM;
}

struct lifetimes *lifetimes_new(const struct job *job, const struct file_set *files, int *err)
{
	struct lifetimes *l = calloc(1, sizeof(*l));

	*err = -ENOMEM;
	if (!l)
		return NULL;
	l->files = files;
	l->unit = workload_block_range(&job->workload, DIR_TRIM).lo;
	l->first = calloc(files->nr ? files->nr : 1, sizeof(*l->first));
	for (uint32_t i = 0; l->first && i < files->nr; i++) {
		l->first[i] = l->blocks;
		l->blocks += (files_reach(files, i) + l->unit - 1) / l->unit;
	}
	if (l->first && l->blocks > LIFETIMES_BLOCKS_MAX)
		*err = -EFBIG;
	else if (l->first)
		l->state = mem_shared((l->blocks + 1) * sizeof(*l->state), err);
	if (l->state)
		return l;
	lifetimes_free(l);
	return NULL;
}

void lifetimes_free(struct lifetimes *l)
{
	if (!l)
		return;
	mem_shared_free(l->state, (l->blocks + 1) * sizeof(*l->state));
	free(l->first);
	free(l);
}

static void end_one(uint32_t *state, bool trim, bool ok)
{
	uint32_t trims = *state & TRIMS_MAX, now = *state >> STATE_SHIFT;

	if (now >= LIFETIME_TRIM_FAILURE)
		return;
	if (ok && trim && trims < TRIMS_MAX)
		trims++;
	if (trim)
		now = ok ? LIFETIME_TRIMMED : LIFETIME_TRIM_FAILURE;
	else
		now = ok ? LIFETIME_WRITTEN : LIFETIME_WRITE_FAILURE;
	*state = now << STATE_SHIFT | trims;
}

void lifetimes_done(struct lifetimes *l, uint32_t file, uint32_t op, uint64_t offset, uint64_t len,
		    bool ok)
{
	const struct file_plan *plan = &l->files->plan[file];
	uint64_t at = offset - plan->start, block, last;

	if ((op != FL_OP_WRITE && op != FL_OP_TRIM) || offset < plan->start || !len)
		return;
	block = l->first[file] + at / l->unit;
	last = l->first[file] + (at + len - 1) / l->unit;
	for (; block <= last && block < l->blocks; block++)
		end_one(&l->state[block], op == FL_OP_TRIM, ok);
}

void lifetimes_add(struct lifetimes_sum *sum, const struct lifetimes *l)
{
	for (uint64_t i = 0; i < l->blocks; i++) {
		uint32_t state = l->state[i] >> STATE_SHIFT;
		uint64_t trims = l->state[i] & TRIMS_MAX;
		bool first = sum->states[LIFETIME_TRIMMED] + sum->states[LIFETIME_WRITTEN] +
			     sum->states[LIFETIME_TRIM_FAILURE] +
			     sum->states[LIFETIME_WRITE_FAILURE] == 0;

		sum->states[state]++;
		if (state == LIFETIME_UNWRITTEN)
			continue;
		hist_add(&sum->trims, trims);
		sum->least = first ? trims : fl_min(sum->least, trims);
		sum->most = fl_max(sum->most, trims);
	}
}
