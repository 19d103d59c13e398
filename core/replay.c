/* SPDX-License-Identifier: MIT */
/* The logs of a job: opened, looked through, and made into settings. */
#include "core/replay.h"
#include "core/files.h"
#include "core/replay_stream.h"
#include "core/workload.h"
#include "lib/grow.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Opening --------------------------------------------------------------------------------- */

/* Returns 0, or -errno with a sentence in why. */
static int add_source(struct replay_source **list, uint32_t *nr, const char *path,
		      const char *redirect, char *why, size_t why_bytes)
{
	struct replay_source *more = grow(*list, *nr, sizeof(*more)), *s;

	if (!more)
		return -ENOMEM;
	*list = more;
	s = &more[(*nr)++];
	*s = (struct replay_source){ .path = strdup(path), .fd = -1 };
	if (!s->path || replay_facts_init(&s->facts, redirect)) {
		snprintf(why, why_bytes, "no memory for the logs of read_iolog");
		return -ENOMEM;
	}
	return 0;
}

static void free_sources(struct replay_source *list, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (list[i].fd >= 0)
			close(list[i].fd);
		replay_facts_free(&list[i].facts);
		free(list[i].path);
	}
	free(list);
}

/* Open one, and add what it holds to these facts. */
static int look_through(const struct replay_logs *logs, struct replay_source *s,
			struct replay_facts *facts, uint64_t times, char *why, size_t why_bytes)
{
	struct replay_log log = { 0 };
	int err;

	s->fd = replay_stream_open(s->path, why, why_bytes);
	if (s->fd < 0)
		return s->fd;
	err = replay_log_open(&log, s->path, s->fd, false, &logs->change, why, why_bytes);
	if (!err && logs->parts && log.version) {
		snprintf(why, why_bytes, "%s: it is an iolog; merge_blktrace_file merges only "
			 "traces of blkparse -d", s->path);
		err = -EINVAL;
	}
	if (!err)
		err = replay_facts_gather(facts, &log, times, why, why_bytes);
	replay_log_free(&log);
	return err;
}

/* The sources that so many clones use; to merge, all of them. */
static int add_sources(struct replay_logs *logs, uint32_t clones, char *why, size_t why_bytes)
{
	const struct replay_conf *c = logs->conf;
	struct span rest = span_of(c->logs);
	struct strbuf name = STRBUF_INIT;
	int err = 0;

	while (!err && (c->merge_file || logs->nr < clones) && span_next_name(&rest, &name)) {
		if (c->merge_file)
			err = add_source(&logs->parts, &logs->nr_parts, strbuf_str(&name), NULL,
					 why, why_bytes);
		else
			err = add_source(&logs->list, &logs->nr, strbuf_str(&name), c->redirect,
					 why, why_bytes);
	}
	if (!err && c->merge_file)
		err = add_source(&logs->list, &logs->nr, c->merge_file, c->redirect, why,
				 why_bytes);
	strbuf_free(&name);
	return err;
}

static int look_through_all(struct replay_logs *logs, char *why, size_t why_bytes)
{
	const struct replay_numbers *times = &logs->conf->merge_times;
	int err = 0;

	for (uint32_t i = 0; !err && i < logs->nr_parts; i++)
		err = look_through(logs, &logs->parts[i], &logs->list[0].facts,
				   times->nr ? (uint64_t)times->v[i] : 1, why, why_bytes);
	for (uint32_t i = 0; !err && !logs->nr_parts && i < logs->nr; i++)
		err = look_through(logs, &logs->list[i], &logs->list[i].facts, 1, why, why_bytes);
	return err;
}

int replay_load(struct replay_logs **logs, const struct replay_conf *c, uint32_t clones, char *why,
		size_t why_bytes)
{
	struct replay_logs *l = *logs = calloc(1, sizeof(*l));
	int err;

	if (!l) {
		snprintf(why, why_bytes, "no memory for the logs of read_iolog");
		return -ENOMEM;
	}
	l->conf = c;
	l->change = (struct replay_change){
		.scale = c->scale, .align = c->align, .time_percent = c->time_percent,
		.skip = c->skip,
	};
	err = add_sources(l, clones, why, why_bytes);
	if (!err)
		err = look_through_all(l, why, why_bytes);
	for (uint32_t i = 0; !err && i < l->nr; i++) {
		const struct replay_facts *f = &l->list[i].facts;

		if (f->dirs || f->syncs)
			continue;
		snprintf(why, why_bytes, "%s: there is no I/O in it%s", l->list[i].path,
			 c->skip ? " that replay_skip leaves" : "");
		err = -EINVAL;
	}
	return err;
}

void replay_logs_free(struct replay_logs *logs)
{
	if (!logs)
		return;
	free_sources(logs->list, logs->nr);
	free_sources(logs->parts, logs->nr_parts);
	free(logs);
}

/* ---- What follows from them ------------------------------------------------------------------ */

struct replay_source *replay_of(const struct replay_logs *logs, uint32_t clone)
{
	return &logs->list[clone % logs->nr];
}

static void range_of(struct range *r, uint64_t lo, uint64_t hi)
{
	if (!hi)
		return;
	r->hi = fl_max(r->hi, hi);
	r->lo = r->lo ? fl_min(r->lo, lo) : lo;
}

void replay_settle(const struct replay_logs *logs, struct workload_conf *w)
{
	struct range data = { 0 };
	uint32_t dirs = 0;

	for (uint32_t i = 0; i < logs->nr; i++) {
		dirs |= logs->list[i].facts.dirs;
		range_of(&data, logs->list[i].facts.len_min, logs->list[i].facts.len_max);
	}
	if (!data.hi)
		data.lo = data.hi = w->sizes.bs.v[DIR_READ];	/* trims and syncs have no data */
	w->rw = (struct rw_conf){ .bits = dirs ? dirs : RW_READ };
	w->sizes = (struct sizes_conf){ .unaligned = true };
	for (int d = 0; d < DIRS; d++) {
		w->sizes.bs.v[d] = data.hi;
		w->sizes.bsrange.v[d] = data;
	}
	w->io_size = (struct amount){ 0 };
	w->fsync_every = w->fdatasync_every = 0;
	w->range_sync.every = 0;
	w->order.norandommap = true;
	if (w->zones.mode == ZONES_STRIDED)
		w->zones.mode = ZONES_NONE;
}

uint64_t replay_memory(const struct replay_logs *logs, const struct replay_source *s)
{
	/* One that is still to be merged has no size yet. */
	return replay_log_room(s->fd, !logs->conf->chunked && s->fd >= 0);
}

uint64_t replay_bytes(const struct replay_facts *f)
{
	return f->bytes[DIR_READ] + f->bytes[DIR_WRITE] + f->bytes[DIR_TRIM];
}

struct files_given *replay_given(const struct replay_logs *logs, uint32_t clone, uint32_t depth)
{
	const struct replay_facts *f = &replay_of(logs, clone)->facts;
	struct files_given *given = calloc(f->nr, sizeof(*given));

	for (uint32_t i = 0; given && i < f->nr; i++)
		given[i] = (struct files_given){
			.name = f->files[i].name, .dirs = f->files[i].dirs,
			.end = f->files[i].end,
			/* In flight together, a read may be faster than the write before it. */
			.needs = depth > 1 ? f->files[i].read_end : f->files[i].lacks_end,
		};
	return given;
}
