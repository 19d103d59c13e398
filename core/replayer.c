/* SPDX-License-Identifier: MIT */
/* From the entries of a log to the I/Os of a worker, and their times. */
#include "core/replayer.h"
#include "fio-like/engine.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Opening and closing, as the log says ---------------------------------------------------- */

/* Devices stay open from beginning to end: that is what keeps others off them. */
static bool may_close(const struct replayer *r, uint32_t file)
{
	return !r->s.beside && r->s.files->files[file].f.type == FL_FILE_REGULAR;
}

static void file_failed(struct replayer *r, uint32_t file, const char *what, int err)
{
	r->err = err;
	snprintf(r->why, sizeof(r->why), "%s file %s, as the log says: %s", what,
		 r->facts.files[file].name, strerror(-err));
}

/* One that has I/Os in flight is closed when they are back, or stays open among many such. */
static void close_file(struct replayer *r, uint32_t file)
{
	int err = openset_close(r->s.files, file);

	if (err != -EBUSY) {
		if (err)
			file_failed(r, file, "closing", err);
	} else if (r->nr_closing < REPLAYER_CLOSING_MAX) {
		r->closing[r->nr_closing++] = file;
	}
}

static void close_idle(struct replayer *r)
{
	uint32_t n = r->nr_closing;

	r->nr_closing = 0;
	for (uint32_t i = 0; i < n; i++)
		close_file(r, r->closing[i]);
}

/* Has room to be made for it first, it is opened by the I/O that needs it. */
static void open_file(struct replayer *r, uint32_t file)
{
	struct openset *files = r->s.files;
	int err = 0;

	for (uint32_t i = 0; i < r->nr_closing; i++)
		if (r->closing[i] == file)
			r->closing[i] = r->closing[--r->nr_closing];
	if (!files->files[file].open)
		err = openset_open(files, file);
	if (err && err != -EBUSY)
		file_failed(r, file, "opening", err);
}

/* ---- What comes next ------------------------------------------------------------------------- */

/* The log is not what it was when it was looked through. */
static void changed(struct replayer *r)
{
	r->err = -ESTALE;
	snprintf(r->why, sizeof(r->why), "%s:%llu: the log has changed since the job was planned",
		 r->log.path, (unsigned long long)r->log.line);
}

static bool as_planned(const struct replayer *r, const struct replay_entry *e, uint32_t file)
{
	const struct replay_file *f = &r->facts.files[file];

	if (e->action > IOLOG_TRIM)
		return true;
	return f->dirs & 1u << e->action && e->offset + e->len <= f->end &&
	       (e->action == IOLOG_TRIM || e->len <= r->facts.len_max);
}

static void put(const struct replayer *r, const struct replay_entry *e, uint32_t file,
		struct workload_io *next)
{
	static const uint32_t ops[] = {
		[IOLOG_READ] = FL_OP_READ, [IOLOG_WRITE] = FL_OP_WRITE,
		[IOLOG_TRIM] = FL_OP_TRIM, [IOLOG_SYNC] = FL_OP_SYNC,
		[IOLOG_DATASYNC] = FL_OP_DATASYNC, [IOLOG_SYNC_RANGE] = FL_OP_SYNC_RANGE,
	};

	*next = (struct workload_io){ .op = ops[e->action], .file = file };
	if (e->action == IOLOG_SYNC || e->action == IOLOG_DATASYNC)
		return;		/* logs have some number there that means nothing */
	next->offset = e->offset;
	next->len = e->len;
	if (e->action == IOLOG_SYNC_RANGE)
		next->arg = r->s.range_flags;
}

/* What is no I/O. */
static void follow(struct replayer *r, const struct replay_entry *e, uint32_t file)
{
	if (e->action == IOLOG_OPEN && may_close(r, file))
		open_file(r, file);
	else if (e->action == IOLOG_CLOSE && may_close(r, file))
		close_file(r, file);
}

bool replayer_next(struct replayer *r, struct workload_io *next)
{
	struct replay_entry e;
	int64_t file;
	int ret = 0;

	if (unlikely(r->nr_closing))
		close_idle(r);
	while (!r->err && r->ios_left) {
		ret = replay_log_next(&r->log, &e, r->why, sizeof(r->why));
		if (ret <= 0)
			break;
		file = replay_facts_find(&r->facts, &e);
		if (unlikely(file < 0 || !as_planned(r, &e, (uint32_t)file))) {
			changed(r);
			break;
		}
		if (iolog_is_io(e.action)) {
			put(r, &e, (uint32_t)file, next);
			r->due = r->begun + clock_ns_to_ticks(e.at_ns);
			r->ios_left -= e.action <= IOLOG_TRIM;
			return true;
		}
		follow(r, &e, (uint32_t)file);
	}
	if (ret < 0)
		r->err = ret;
	return false;
}

bool replayer_pass(struct replayer *r)
{
	if (r->err || !r->ios_left || (!r->loops_left && !r->s.time_based))
		return false;
	r->loops_left -= r->loops_left > 0;
	replay_log_rewind(&r->log);
	r->begun = r->due = clock_ticks();
	return true;
}

/* ---- When ------------------------------------------------------------------------------------ */

struct due_part {
	struct gate_part part;
	const struct replayer *r;
};

static enum gate_says ask_due(struct gate_part *p, struct gate_ask *a)
{
	const struct replayer *r = container_of(p, struct due_part, part)->r;

	if (a->now >= r->due)
		return GATE_OPEN;
	a->until = fl_min(a->until, r->due);
	return GATE_SHUT;
}

static void start_due(struct gate_part *p, const struct workload_io *io, uint64_t now,
		      uint64_t *intended)
{
	(void)io;
	(void)now;
	*intended = container_of(p, struct due_part, part)->r->due;
}

static void free_due(struct gate_part *p)
{
	free(container_of(p, struct due_part, part));
}

static const struct gate_ops due_ops = { .ask = ask_due, .start = start_due, .free = free_due };

struct gate_part *replayer_part(struct replayer *r, int *err)
{
	struct due_part *p;

	if (r->s.logs->conf->no_stall)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p) {
		*err = -ENOMEM;
		return NULL;
	}
	*p = (struct due_part){ .part = { .ops = &due_ops, .look_at = UINT64_MAX }, .r = r };
	return &p->part;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

int replayer_init(struct replayer *r, const struct replayer_setup *s)
{
	const struct replay_source *source = replay_of(s->logs, s->clone);

	*r = (struct replayer){
		.s = *s, .facts = source->facts, .loops_left = s->loops ? s->loops : 1,
		.ios_left = s->ios_max ? s->ios_max : UINT64_MAX,
	};
	r->err = replay_log_open(&r->log, source->path, source->fd, !s->logs->conf->chunked,
				 &s->logs->change, r->why, sizeof(r->why));
	for (uint32_t i = 0; !r->err && i < r->facts.nr; i++)
		if (r->facts.files[i].opens && may_close(r, i))
			close_file(r, i);
	return r->err;
}

void replayer_free(struct replayer *r)
{
	if (r)
		replay_log_free(&r->log);
}
