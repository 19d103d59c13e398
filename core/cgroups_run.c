/* SPDX-License-Identifier: MIT */
/* A list of groups, made and taken away. */
#define _GNU_SOURCE
#include "core/cgroups_run.h"
#include "os/iogroup.h"
#include "os/keeper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REMOVE_MS	5000	/* so long for the last processes to leave */

struct cgroups {
	struct cgroup *made;		/* to be taken away; owned */
	size_t count;
	struct keeper keeper;
};

static int clean(void *ctx)
{
	const struct cgroups *c = ctx;
	int first = 0;

	/* those made later may lie in earlier ones */
	for (size_t i = c->count; i > 0; i--) {
		int err = cgroup_remove_empty(&c->made[i - 1], REMOVE_MS);

		first = first ? first : err;
	}
	return first;
}

static int refuse(const struct job *job, int err, const char *what, const char *why,
		  struct diag *diag)
{
	diag_error(diag, &job->at, "job %s: %s: %s", job->name, what, why);
	return err;
}

static int make_one(struct cgroups *c, const struct job *job, struct diag *diag)
{
	const struct cgroups_conf *conf = &job->cgroups;
	char what[128], why[1024] = "";
	struct cgroup *g = &c->made[c->count];
	bool made;
	int err;

	snprintf(what, sizeof(what), "cgroup=%.100s", conf->name);
	err = cgroup_named(g, IOGROUP_CONTROLLER, conf->name, true, &made, why, sizeof(why));
	if (err)
		return refuse(job, err, what, why, diag);
	if (made && !conf->keep)
		c->count++;
	if (g->version == 2 && job->proc.thread)
		return refuse(job, -EOPNOTSUPP, what, "threads cannot be in a group of their own "
			      "(version 2 of control groups); leave thread out", diag);
	if (g->version == 2 && job->memlimit.bytes)
		return refuse(job, -EOPNOTSUPP, what, "memory_limit has a group of its own, and in "
			      "version 2 a process is in one group; leave one of them out", diag);
	err = conf->weight ? iogroup_weight(g, conf->weight, why, sizeof(why)) : 0;
	snprintf(what, sizeof(what), "cgroup_weight=%u", conf->weight);
	return err ? refuse(job, err, what, why, diag) : 0;
}

static int begin(void *self, const struct observed *run, struct diag *diag)
{
	struct cgroups *c = self;
	int err = 0;

	c->made = calloc(run->jobs->count ? run->jobs->count : 1, sizeof(*c->made));
	if (!c->made)
		return -ENOMEM;
	for (size_t i = 0; i < run->jobs->count && !err; i++)
		if (run->jobs->list[i].cgroups.name)
			err = make_one(c, &run->jobs->list[i], diag);
	if (!err && c->count) {
		err = keeper_start(&c->keeper, clean, c);
		if (err)
			diag_error(diag, NULL, "cgroup: no process can be started that removes the "
				   "control groups: %s", strerror(-err));
	}
	return err;
}

static void done(void *self)
{
	struct cgroups *c = self;
	int err = c->keeper.pid ? keeper_finish(&c->keeper) : -ESRCH;

	if (err == -ESRCH)
		err = clean(c);
	if (err)
		diag_say(stderr, "fio-like: a control group of the run could not be removed: %s%s",
			 strerror(-err), err == -EBUSY ? "; somebody else is in it" : "");
	free(c->made);
}

const struct observer cgroups_observer = {
	.name = "cgroups", .state_bytes = sizeof(struct cgroups), .begin = begin, .done = done,
};
