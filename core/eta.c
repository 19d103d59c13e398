/* SPDX-License-Identifier: MIT */
/* By what is to be moved, or by the time that was set: whichever ends first. */
#include "core/eta.h"

double eta_job(const struct crew_job *j, double *left_s)
{
	const struct pace_conf *p = &j->plan->job->pace;
	const struct worker_block *b = j->block;
	double elapsed = (double)crew_elapsed_ns(j) / 1e9, done = 0;
	uint64_t bytes = 0;

	*left_s = -1;
	if (j->ended) {
		*left_s = 0;
		return 1;
	}
	for (int d = 0; d < DIRS; d++)
		bytes += b->dir[d].bytes;
	if (b->bytes_target && !p->time_based)
		done = fl_min((double)bytes / (double)b->bytes_target, 1.0);
	if (done > 0)
		*left_s = elapsed / done - elapsed;
	if (p->runtime_ns) {
		double limit = (double)p->runtime_ns / 1e9;
		double by_time = fl_min(elapsed / limit, 1.0);

		if (*left_s < 0 || limit - elapsed < *left_s)
			*left_s = fl_max(limit - elapsed, 0.0);
		done = fl_max(done, by_time);
	}
	return done;
}
