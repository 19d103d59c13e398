/* SPDX-License-Identifier: MIT */
/* Facts of before, facts of after, and what lies between. The words of it are in another file. */
#include "core/environment.h"
#include "core/environment_targets.h"
#include "core/environment_text.h"
#include "core/resolved.h"
#include "os/hostfacts.h"
#include "os/libs.h"
#include "os/limits.h"
#include "os/sys.h"
#include "os/sysfacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS_SHORT	64	/* so many are told of unless all is wanted */

struct environment {
	enum cli_env level;
	bool redact, ready;
	struct env_targets *targets;
	struct facts before, still, workers, changed;
	size_t nr_workers, nr_changed;
	const struct observed *run;
	struct facts all;		/* as it goes into a result */
};

/*
 * Values of parameters that tell of no machine or person: what may stand in a result that strangers
 * read. On the command line of the kernel, and among mount options.
 */
static const char *const harmless[] = {
	"mitigations", "isolcpus", "nohz_full", "nohz", "rcu_nocbs", "irqaffinity", "preempt",
	"transparent_hugepage", "hugepages", "hugepagesz", "default_hugepagesz", "numa_balancing",
	"intel_pstate", "amd_pstate", "cpufreq.", "cpuidle.", "intel_idle.", "processor.",
	"cpuidle_haltpoll.", "haltpoll.", "idle", "clocksource", "tsc", "nmi_watchdog",
	"intel_iommu", "amd_iommu", "iommu", "iommu.", "pcie_aspm", "pcie_aspm.", "nvme.",
	"nvme_core.", "scsi_mod.", "virtio_blk.", "dm_mod.", "elevator", "nosmt", "maxcpus",
	"nr_cpus", "mem", "memmap", "swiotlb", "psi", "skew_tick", "rcupdate.", "rcutree.",
	"threadirqs", "selinux", "apparmor", "audit", "init_on_alloc", "init_on_free",
	"page_poison", "slub_debug", "zswap.", "systemd.unified_cgroup_hierarchy",
	"data", "commit", "errors", "barrier", "stripe", "journal_async_commit", "logbufs",
	"logbsize", "sunit", "swidth", "allocsize", "compress", "compress-force", "space_cache",
	"ssd", "discard", "size", "nr_inodes", "huge", "mpol", "vers", "nfsvers", "proto", "sec",
	"rsize", "wsize", "timeo", "retrans", "nconnect", "local_lock", "lookupcache", "cache",
	"dax", "max_read", "relatime", "background_gc", "active_logs", "alloc_mode", "fsync_mode",
	"compress_algorithm", "resuid", "resgid", "mode", "xino", "redirect_dir", "metacopy",
	NULL,
};

/* Changes that move numbers, by the end of their names. */
static const char *const weighty[] = {
	"cpu.governor", "cpu.mhz_max", "cpu.boost", "cpu.no_turbo", "cpu.online",
	"device.scheduler", "device.nr_requests", "device.write_cache", "device.read_ahead_bytes",
	"device.read_only", "device.state", "device.raid_degraded", "device.raid_action",
	"device.cache_mode", "device.link_speed", "device.link_width", "filesystem.options",
	"filesystem.fs_options", "limits.cgroup.memory_bytes", "limits.cgroup.memory_high_bytes",
	"limits.cgroup.cpus", "limits.cgroup.io_max",
};

/* ---- Gathering ------------------------------------------------------------------------------- */

/* What may be different at the end. */
static void look(const struct environment *e, struct facts *f)
{
	hostfacts_add("", f);
	limits_facts("", f);
	env_targets_add(e->targets, f);
}

static void add_engines(const struct plan *plan, struct facts *f)
{
	const struct engine *seen[16];
	size_t count = 0;

	for (size_t i = 0; i < plan->count && count < ARRAY_SIZE(seen); i++) {
		const struct engine *e = plan->jobs[i].job->engine;
		size_t at = 0, mark;

		while (at < count && seen[at] != e)
			at++;
		if (at < count)
			continue;
		mark = facts_enter(f, "engines.%zu", count);
		seen[count++] = e;
		facts_text(f, "name", e->ops.name, 0);
		facts_text(f, "version", e->ops.version, 0);
		facts_text(f, "origin", e->origin, strchr(e->origin, '/') ? FACT_ID : 0);
		facts_leave(f, mark);
	}
}

static void add_jobs(const struct jobs *jobs, struct facts *f)
{
	for (size_t i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->list[i];
		size_t mark = facts_enter(f, "jobs.%zu", i);

		facts_text(f, "name", job->name, FACT_DETAIL);
		facts_u64(f, "clones", job->proc.numjobs, FACT_DETAIL);
		resolved_facts(jobs, job, FACT_DETAIL, f);
		facts_leave(f, mark);
	}
}

/* What stays as it is. */
static void look_once(const struct observed *run, struct facts *f)
{
	add_engines(run->plan, f);
	if (run->flags->env != CLI_ENV_FULL)
		return;
	libs_facts(FACT_DETAIL, f);
	add_jobs(run->jobs, f);
}

static void on_ready(void *self, const struct observed *run)
{
	struct environment *e = self;

	e->level = run->flags->env;
	e->redact = run->flags->env_redact;
	if (e->level == CLI_ENV_NONE)
		return;
	e->targets = calloc(1, sizeof(*e->targets));
	fl_assert(e->targets);
	e->run = run;
	if (e->level == CLI_ENV_SHORT)
		e->before.without = e->still.without = FACT_DETAIL;
	env_targets_find(e->targets, run->plan);
	look(e, &e->before);
	look_once(run, &e->still);
	e->ready = true;
}

/* A worker has found its place, and its seed. */
static int on_may_go(void *self, const struct observed *run, size_t job, char *why,
		     size_t why_bytes)
{
	struct environment *e = self;
	const struct worker_block *b = run->crew->jobs[job].block;
	char path[64], text[4096], cpus[512], nodes[128];
	size_t mark;

	(void)why;
	(void)why_bytes;
	if (!e->ready || (e->level == CLI_ENV_SHORT && e->nr_workers == WORKERS_SHORT))
		return 0;
	mark = facts_enter(&e->workers, "workers.%zu", e->nr_workers++);
	facts_text(&e->workers, "job", run->plan->jobs[job].job->name, 0);
	facts_u64(&e->workers, "number", run->plan->jobs[job].number, 0);
	facts_u64(&e->workers, "seed", b->seed, 0);
	snprintf(path, sizeof(path), "/proc/%d/status", b->pid);
	if (sys_read_text(path, text, sizeof(text)) > 0) {
		if (sysfacts_line(text, "Cpus_allowed_list", cpus, sizeof(cpus))) {
			facts_text(&e->workers, "cpus", cpus, 0);
			facts_text(&e->workers, "nodes",
				   hostfacts_nodes("", cpus, nodes, sizeof(nodes)), 0);
		}
		if (sysfacts_line(text, "Mems_allowed_list", nodes, sizeof(nodes)))
			facts_text(&e->workers, "memory_nodes", nodes, 0);
	}
	facts_leave(&e->workers, mark);
	return 0;
}

/* ---- Changes --------------------------------------------------------------------------------- */

static bool is_weighty(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(weighty); i++) {
		size_t n = strlen(weighty[i]);

		if (len >= n && !strcmp(name + len - n, weighty[i]))
			return true;
	}
	return false;
}

static void note_change(void *ctx, const struct fact *was, const struct fact *now)
{
	struct environment *e = ctx;
	const struct fact *either = now ? now : was;
	unsigned int flags = either->flags & (FACT_ID | FACT_WORDS | FACT_OPTIONS);
	size_t mark = facts_enter(&e->changed, "changed.%zu", e->nr_changed++);

	facts_text(&e->changed, "what", either->name, 0);
	facts_text(&e->changed, "before", was ? was->text : "nothing", was ? flags : 0);
	facts_text(&e->changed, "after", now ? now->text : "nothing", now ? flags : 0);
	facts_leave(&e->changed, mark);
	if (is_weighty(either->name) && !(e->redact && flags))
		trust_fix(trust_add(e->run->trust, "environment-changed", TRUST_DOUBTFUL, TRUST_RUN,
				    "%s changed from %.50s to %.50s during the run", either->name,
				    was ? was->text : "nothing", now ? now->text : "nothing"),
			  "measure again, and keep it as it is");
}

static void on_finish(void *self, const struct observed *run)
{
	struct environment *e = self;
	struct facts after = { 0 };

	(void)run;
	if (!e->ready)
		return;
	after.without = e->before.without;
	look(e, &after);
	facts_compare(&e->before, &after, note_change, e);
	facts_free(&after);
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Put together anew for each result: a status dump has what is known by then. */
static void on_fill(void *self, const struct observed *run, struct result *r)
{
	struct environment *e = self;

	(void)run;
	(void)r;
	if (!e->ready)
		return;
	facts_free(&e->all);
	facts_append(&e->all, &e->before);
	facts_append(&e->all, &e->still);
	facts_append(&e->all, &e->workers);
	facts_append(&e->all, &e->changed);
	if (e->redact)
		facts_redact(&e->all, harmless);
}

static void run_text(const void *self, const struct result *r, FILE *out)
{
	const struct environment *e = self;

	(void)r;
	if (e->ready)
		environment_text(&e->all, e->level == CLI_ENV_FULL, out);
}

static void run_json(const void *self, const struct result *r, struct json *doc)
{
	const struct environment *e = self;

	(void)r;
	if (!e->ready)
		return;
	json_object(doc, "environment");
	facts_json(&e->all, 0, doc);
	json_end(doc);
}

static void on_done(void *self)
{
	struct environment *e = self;

	if (e->targets)
		env_targets_free(e->targets);
	free(e->targets);
	facts_free(&e->before);
	facts_free(&e->still);
	facts_free(&e->workers);
	facts_free(&e->changed);
	facts_free(&e->all);
}

const struct observer environment_observer = {
	.name = "environment",
	.state_bytes = sizeof(struct environment),
	.ready = on_ready,
	.may_go = on_may_go,
	.finish = on_finish,
	.fill = on_fill,
	.run_text = run_text,
	.run_json = run_json,
	.done = on_done,
};
