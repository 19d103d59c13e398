/* SPDX-License-Identifier: MIT */
/* First come, first served, in the order of the jobs. */
#include "core/claim.h"
#include "core/targets.h"

#include <stdlib.h>

/* The devices that jobs write to which run now or come earlier in the wave. */
struct seen {
	const struct safety_conf *conf;	/* of the job that is looked at */
	dev_t *list;
	size_t count;
	bool free;			/* none of the job's devices was seen before */
};

static int see(void *ctx, const char *path, dev_t device)
{
	struct seen *s = ctx;
	dev_t *more;

	(void)path;
	/* Where others are known to be, to ask for it would be to fail. */
	if (s->conf->allow_mounted || safety_allows(s->conf, device))
		s->free = false;
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i] == device) {
			s->free = false;
			return 0;
		}
	more = realloc(s->list, (s->count + 1) * sizeof(*more));
	if (!more) {
		s->free = false;
		return 0;
	}
	s->list = more;
	s->list[s->count++] = device;
	return 0;
}

static void look(struct seen *s, const struct crew_job *j)
{
	s->conf = &j->plan->job->safety;
	s->free = true;
	targets_each(j->plan, see, s);
}

void claim_decide(struct crew *crew, uint32_t wave)
{
	struct seen seen = { 0 };

	for (size_t i = 0; i < crew->count; i++)
		if (crew_running(&crew->jobs[i]) && crew->jobs[i].setup.wave != wave)
			look(&seen, &crew->jobs[i]);
	for (size_t i = 0; i < crew->count; i++) {
		struct crew_job *j = &crew->jobs[i];

		if (j->setup.wave != wave)
			continue;
		look(&seen, j);
		j->setup.claim = seen.free;
	}
	free(seen.list);
}
