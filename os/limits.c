/* SPDX-License-Identifier: MIT */
/* Limits of control groups: each level of the tree has its own, and the smallest counts. */
#define _GNU_SOURCE 1
#include "os/limits.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "os/groups.h"
#include "os/sys.h"

#define NO_LIMIT	(1ull << 60)	/* v1 says 2^63 less a page where there is none */

/* A controller, where this process finds it. */
struct group {
	bool known, v2;
	struct groups at;
};

static void find(const char *root, const char *controller, struct group *g)
{
	g->known = groups_of(root, controller, &g->at);
	g->v2 = g->known && g->at.version == 2;
}

struct level {
	const char *file;
	void (*fn)(void *ctx, const char *text);
	void *ctx;
};

static void read_level(void *ctx, const char *folder)
{
	const struct level *l = ctx;
	char path[2 * PATH_MAX], text[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, l->file);
	if (sys_read_text(path, text, sizeof(text)) > 0)
		l->fn(l->ctx, text);
}

/* Calls fn with the text of a file of each level, from the process upwards. */
static void each_level(const struct group *g, const char *file,
		       void (*fn)(void *ctx, const char *text), void *ctx)
{
	struct level l = { file, fn, ctx };

	if (g->known)
		groups_up(&g->at, read_level, &l);
}

static void take_least(void *ctx, const char *text)
{
	uint64_t *least = ctx, v;

	if (*text < '0' || *text > '9')
		return;
	v = strtoull(text, NULL, 10);
	*least = fl_min(*least, v);
}

static void add_least(const struct group *g, const char *file, const char *name,
		      unsigned int flags, struct facts *f)
{
	uint64_t least = UINT64_MAX;

	each_level(g, file, take_least, &least);
	if (least < NO_LIMIT)
		facts_u64(f, name, least, flags);
}

/* "100000 100000" or "max 100000": microseconds of CPU time per period. */
static void take_quota(void *ctx, const char *text)
{
	double quota, period, *least = ctx;

	if (sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0)
		*least = fmin(*least, quota / period);
}

/* Version 1 has the two numbers in two files, and -1 for no limit. */
static void take_quota_v1(void *ctx, const char *folder)
{
	char path[2 * PATH_MAX], text[32];
	double quota, *least = ctx;
	uint64_t period;

	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
	if (sys_read_text(path, text, sizeof(text)) <= 0)
		return;
	quota = strtod(text, NULL);
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
	if (quota > 0 && !sys_read_u64(path, &period) && period)
		*least = fmin(*least, quota / (double)period);
}

/* Lines of several devices, "259:0 rbps=1048576 wiops=100" or "259:0 1048576", joined by "; ". */
struct lines {
	struct strbuf text;
	const char *what;
};

static void take_lines(void *ctx, const char *text)
{
	struct lines *l = ctx;

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len)
			strbuf_printf(&l->text, "%s%.*s%s", l->text.len ? "; " : "", (int)len, text,
				      l->what);
		text += len + (text[len] == '\n');
	}
}

static void add_lines(const struct group *g, const char *file, const char *what, struct lines *l)
{
	l->what = what;
	each_level(g, file, take_lines, l);
}

static void io_limits(const struct group *g, struct facts *f)
{
	static const char *const v1[][2] = {
		{ "blkio.throttle.read_bps_device", " read bytes/s" },
		{ "blkio.throttle.write_bps_device", " written bytes/s" },
		{ "blkio.throttle.read_iops_device", " reads/s" },
		{ "blkio.throttle.write_iops_device", " writes/s" },
	};
	struct lines l = { STRBUF_INIT, "" };

	if (g->v2)
		add_lines(g, "io.max", "", &l);
	for (size_t i = 0; !g->v2 && i < ARRAY_SIZE(v1); i++)
		add_lines(g, v1[i][0], v1[i][1], &l);
	facts_text(f, "io_max", strbuf_str(&l.text), 0);
	strbuf_clear(&l.text);
	if (g->v2)
		add_lines(g, "io.latency", "", &l);
	facts_text(f, "io_latency", strbuf_str(&l.text), 0);
	strbuf_free(&l.text);
}

static void memory(const struct group *g, struct facts *f)
{
	if (!g->known)
		return;
	facts_u64(f, "version", g->v2 ? 2 : 1, 0);
	facts_text(f, "path", g->at.name, FACT_ID);
	add_least(g, g->v2 ? "memory.max" : "memory.limit_in_bytes", "memory_bytes", 0, f);
	add_least(g, g->v2 ? "memory.high" : "memory.soft_limit_in_bytes", "memory_high_bytes", 0,
		  f);
	add_least(g, g->v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes",
		  g->v2 ? "swap_bytes" : "memory_and_swap_bytes", FACT_DETAIL, f);
}

static void take_first(void *ctx, const char *text)
{
	char *first = ctx;

	if (!first[0])
		snprintf(first, 256, "%s", text);
}

static void details(const char *root, struct group *g, struct facts *f)
{
	char text[256] = "";

	find(root, "cpuset", g);
	each_level(g, g->v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus", take_first, text);
	facts_text(f, "cpuset", text, FACT_DETAIL);
	find(root, "pids", g);
	add_least(g, "pids.max", "processes", FACT_DETAIL, f);
}

static void cgroup(const char *root, struct facts *f)
{
	size_t mark = facts_enter(f, "cgroup");
	double cpus = INFINITY;
	struct group g;

	find(root, "memory", &g);
	memory(&g, f);
	find(root, "cpu", &g);
	if (g.known && !g.v2)
		groups_up(&g.at, take_quota_v1, &cpus);
	else
		each_level(&g, "cpu.max", take_quota, &cpus);
	if (isfinite(cpus))
		facts_real(f, "cpus", cpus, 0);
	find(root, "blkio", &g);
	io_limits(&g, f);
	if (!(f->without & FACT_DETAIL))
		details(root, &g, f);
	facts_leave(f, mark);
}

static void own(struct facts *f)
{
	static const struct {
		const char *name;
		__rlimit_resource_t which;
	} limits[] = {
		{ "open_files", RLIMIT_NOFILE }, { "locked_bytes", RLIMIT_MEMLOCK },
		{ "address_space_bytes", RLIMIT_AS }, { "file_size_bytes", RLIMIT_FSIZE },
		{ "cpu_seconds", RLIMIT_CPU },
	};
	size_t mark = facts_enter(f, "process");
	struct rlimit r;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (!getrlimit(limits[i].which, &r) && r.rlim_cur != RLIM_INFINITY)
			facts_u64(f, limits[i].name, r.rlim_cur, FACT_DETAIL);
	facts_leave(f, mark);
}

void limits_facts(const char *root, struct facts *f)
{
	size_t mark = facts_enter(f, "limits");

	cgroup(root, f);
	own(f);
	facts_leave(f, mark);
}
