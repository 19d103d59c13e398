/* SPDX-License-Identifier: MIT */
/* Making, entering, reporting and removing the group of memory_limit. */
#define _GNU_SOURCE
#include "core/memlimit_run.h"
#include "lib/numfmt.h"
#include "os/file.h"
#include "os/keeper.h"
#include "os/memgroup.h"
#include "os/sig.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define REMOVE_MS	10000	/* so long for the group's last processes to be gone */

struct memlimit {
	uint64_t bytes;			/* in force; 0: no limit was asked for */
	struct cgroup group;
	struct keeper keeper;
	struct memgroup_facts facts;
};

static int clean(void *ctx)
{
	const struct memlimit *m = ctx;

	return cgroup_remove(&m->group, REMOVE_MS);
}

/* jobs_parse() has seen to it that all jobs agree. */
static int begin(void *self, const struct observed *run, struct diag *diag)
{
	struct memlimit *m = self;
	uint64_t wanted = run->jobs->count ? run->jobs->list[0].memlimit.bytes : 0;
	char why[1024];
	int err;

	if (!wanted)
		return 0;
	m->bytes = wanted;
	err = memgroup_make(&m->group, &m->bytes, why, sizeof(why));
	if (err) {
		diag_error(diag, NULL, "memory_limit=%" PRIu64 ": %s", wanted, why);
		return err;
	}
	err = keeper_start(&m->keeper, clean, m);
	if (err)
		diag_error(diag, NULL, "memory_limit=%" PRIu64 ": no process can be started that "
			   "removes the control group: %s", wanted, strerror(-err));
	return err;
}

static int enter(const void *self, char *why, size_t why_bytes)
{
	const struct memlimit *m = self;
	int err = m->group.version ? cgroup_enter(&m->group) : 0;

	if (err)
		snprintf(why, why_bytes, "memory_limit: the worker could not enter control group "
			 "%.200s: %s", m->group.path, strerror(-err));
	return err;
}

static void drop_files(const struct file_set *set)
{
	char name[FILES_NAME_BYTES];

	for (uint32_t i = 0; i < set->nr && !sig_stops(); i++) {
		uint8_t type = set->plan[i].type;
		int fd;

		if (type != FL_FILE_REGULAR && type != FL_FILE_BLOCK)
			continue;
		fd = file_open(files_name(set, i, name), O_RDONLY | O_NONBLOCK | O_NOATIME, 0,
			       NULL);
		if (fd < 0)
			continue;
		file_invalidate(fd, type == FL_FILE_BLOCK ? FILE_BLOCK : FILE_REGULAR, 0, 0, true);
		close(fd);
	}
}

/* Pages that are in the cache from before belong to somebody else, and the limit is not theirs. */
static void ready(void *self, const struct observed *run)
{
	const struct memlimit *m = self;

	for (size_t i = 0; m->bytes && i < run->plan->count; i++) {
		const struct plan_job *pj = &run->plan->jobs[i];

		if (!(pj->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES)))
			drop_files(&pj->files);
	}
}

static void look(void *self, const struct observed *run)
{
	struct memlimit *m = self;

	(void)run;
	if (m->group.version)
		memgroup_look(&m->group, &m->facts);
}

static void tick(void *self, const struct observed *run, uint64_t now_ns)
{
	(void)now_ns;
	look(self, run);
}

static void run_text(const void *self, const struct result *r, FILE *out)
{
	const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };
	const struct memlimit *m = self;

	(void)r;
	if (!m->bytes)
		return;
	fprintf(out, "Memory limit: %s, peak=%s, reclaims=%" PRIu64 ", killed=%" PRIu64
		" (cgroup version %d, %s)\n", num_bytes(m->bytes, style).s,
		num_bytes(m->facts.peak_bytes, style).s, m->facts.reclaims, m->facts.kills,
		m->group.version, m->group.path);
	if (m->facts.kills)
		fprintf(out, "note: memory_limit was too little: the kernel ended %" PRIu64
			" process%s for want of memory\n", m->facts.kills,
			m->facts.kills == 1 ? "" : "es");
}

static void run_json(const void *self, const struct result *r, struct json *doc)
{
	const struct memlimit *m = self;

	(void)r;
	if (!m->bytes)
		return;
	json_object(doc, "memory_limit");
	json_u64(doc, "bytes", m->bytes);
	json_u64(doc, "peak_bytes", m->facts.peak_bytes);
	json_u64(doc, "reclaims", m->facts.reclaims);
	json_u64(doc, "killed", m->facts.kills);
	json_i64(doc, "cgroup_version", m->group.version);
	json_str(doc, "cgroup", m->group.path);
	json_end(doc);
}

static void done(void *self)
{
	struct memlimit *m = self;
	int err;

	if (!m->group.version)
		return;
	err = m->keeper.pid ? keeper_finish(&m->keeper) : -ESRCH;
	if (err)
		err = clean(m);
	if (err)
		diag_say(stderr, "fio-like: control group %s could not be removed: %s",
			 m->group.path, strerror(-err));
}

const struct observer memlimit_observer = {
	.name = "memlimit", .state_bytes = sizeof(struct memlimit),
	.begin = begin, .enter = enter, .ready = ready, .tick = tick, .finish = look,
	.run_text = run_text, .run_json = run_json, .done = done,
};
