/* SPDX-License-Identifier: MIT */
/* Filling, remembering, choosing. */
#include "core/verifier.h"
#include "os/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIM_STREAM	(5ull << 32)	/* of random numbers, plus that of the job */

static const struct verify_conf *conf_of(const struct verifier *v)
{
	return v->s.conf;
}

/* ---- Set up ---------------------------------------------------------------------------------- */

static int make_map(struct verifier *v, char *why, size_t why_bytes)
{
	const struct file_set *set = v->s.files;
	uint32_t unit = conf_of(v)->unit;
	uint64_t units = 0, most = 0;
	int err = 0;

	v->first = calloc((size_t)set->nr + 1, sizeof(*v->first));
	if (!v->first)
		return -ENOMEM;
	for (uint32_t i = 0; i < set->nr; i++) {
		units += (files_reach(set, i) + unit - 1) / unit;
		v->first[i + 1] = units;
		most = fl_max(most, set->plan[i].bytes % unit);
	}
	if (conf_of(v)->from_end && most) {
		snprintf(why, why_bytes, "with a negative step the I/Os count from the end of the "
			 "file, which is no multiple of %u bytes: verify cannot keep their blocks "
			 "apart; choose size accordingly", unit);
		return -EINVAL;
	}
	if (!conf_of(v)->writes)
		return 0;
	if (units > WRITEMAP_BLOCKS_MAX) {
		snprintf(why, why_bytes, "verify: %" PRIu64 " blocks of %u bytes are more than the "
			 "%llu it can keep apart; use larger blocks", units, unit,
			 (unsigned long long)WRITEMAP_BLOCKS_MAX);
		return -ERANGE;
	}
	v->map_bytes = writemap_bytes(fl_max(units, (uint64_t)1));
	v->map_memory = mem_reserve(v->map_bytes, &err);
	if (!v->map_memory)
		return err;
	writemap_init(&v->map, fl_max(units, (uint64_t)1), v->map_memory);
	return 0;
}

/* What waits to be checked, and to be trimmed. */
static int make_backlogs(struct verifier *v)
{
	const struct verify_conf *c = conf_of(v);
	int err = 0;

	if (c->backlog && !c->only)
		err = backlog_init(&v->to_check, c->backlog, c->backlog_batch);
	if (!err && c->trim_percentage && !v->s.state)
		err = backlog_init(&v->to_trim, c->trim_backlog, c->trim_backlog_batch);
	rand_seed(&v->rand, v->s.seed, TRIM_STREAM + v->s.job);
	return err;
}

int verifier_init(struct verifier *v, const struct verifier_setup *s, char *why, size_t why_bytes)
{
	const struct verify_conf *c = s->conf;
	const struct checker_setup cs = { c, s->files, s->seed, s->job };
	int err;

	*v = (struct verifier){ .s = *s };
	/* after an fsync the job went on, and whatever it wrote then may be there */
	v->more = s->state && c->state_file ? MARK_UNSURE : 0;
	err = checker_init(&v->checker, &cs, why, why_bytes);
	if (err)
		return err;
	snprintf(why, why_bytes, "no memory to remember what is written");
	v->marks = calloc(s->block_max / c->unit + 1, sizeof(*v->marks));
	err = v->marks ? make_map(v, why, why_bytes) : -ENOMEM;
	return err ? err : make_backlogs(v);
}

void verifier_free(struct verifier *v)
{
	checker_free(&v->checker);
	if (v->map_memory)
		mem_unreserve(v->map_memory, v->map_bytes);
	free(v->marks);
	free(v->first);
	backlog_free(&v->to_check);
	backlog_free(&v->to_trim);
	*v = (struct verifier){ 0 };
}

/* ---- What was written ------------------------------------------------------------------------ */

/* The unit in which a byte of a file lies. */
static uint64_t unit_of(const struct verifier *v, uint32_t file, uint64_t offset)
{
	return v->first[file] + (offset - v->s.files->plan[file].start) / conf_of(v)->unit;
}

static void set_units(struct verifier *v, uint32_t file, uint64_t offset, uint64_t len,
		      uint32_t mark)
{
	uint64_t unit = unit_of(v, file, offset);

	for (uint64_t at = 0; at < len; at += conf_of(v)->unit)
		writemap_set(&v->map, unit++, mark);
}

/* Nobody promised this write: it may be there, or what was there before, or parts of both. */
static void set_unsure(struct verifier *v, uint32_t file, uint64_t offset, uint64_t len)
{
	uint64_t unit = unit_of(v, file, offset);

	for (uint64_t at = 0; at < len; at += conf_of(v)->unit, unit++)
		writemap_set(&v->map, unit, writemap_get(&v->map, unit) | MARK_UNSURE);
}

/*
 * trim_percentage: some writes are to be trimmed. By a state that is loaded nobody knows whether
 * they have been already.
 */
static void choose_trim(struct verifier *v, const struct backlog_entry *e)
{
	if (rand_below(&v->rand, 100) >= conf_of(v)->trim_percentage)
		return;
	if (v->to_trim.ring)
		backlog_add(&v->to_trim, e);
	else
		set_units(v, e->file, e->offset, e->len, 0);
}

/* A write is handed out: its blocks are now of this number, or may be. */
static void remember(struct verifier *v, const struct workload_io *io, uint64_t number, bool sure)
{
	const struct backlog_entry e = { io->offset, (uint32_t)io->len, io->file, mark_of(number) };

	v->writes++;
	v->to_check.fresh = v->to_trim.fresh = true;
	if (unlikely(!sure))
		set_unsure(v, io->file, io->offset, io->len);
	else
		set_units(v, io->file, io->offset, io->len, e.mark | v->more);
	if (v->to_check.ring)
		backlog_add(&v->to_check, &e);
	if (unlikely(conf_of(v)->trim_percentage))
		choose_trim(v, &e);
}

/* A trim is handed out: what it leaves is known only where zeroes are promised. */
static void remember_trim(struct verifier *v, const struct workload_io *io)
{
	const struct backlog_entry e = {
		io->offset, (uint32_t)io->len, io->file, MARK_TRIMMED,
	};

	if (!v->map_memory)
		return;
	if (!verifier_trims_to_zero(v, io->file)) {
		set_units(v, io->file, io->offset, io->len, 0);
		return;
	}
	set_units(v, io->file, io->offset, io->len, MARK_TRIMMED);
	if (v->to_check.ring)
		backlog_add(&v->to_check, &e);
}

bool verifier_trims_to_zero(const struct verifier *v, uint32_t file)
{
	return conf_of(v)->trim_verify_zero && !v->s.state &&
	       (v->s.trims_read_zero || v->s.files->plan[file].type == FL_FILE_REGULAR);
}

void verifier_fill(struct verifier *v, void *buf, const struct workload_io *io, uint32_t slot)
{
	const struct verify_conf *c = conf_of(v);
	struct vblock b = verify_block(c, v->s.seed, v->s.job, io->file);
	struct vblock_id id = { .offset = io->offset };

	if (unlikely(io->op != FL_OP_WRITE)) {
		remember_trim(v, io);
		return;
	}
	id.time_ns = clock_now_ns();
	id.number = v->number = mark_next(v->number);
	remember(v, io, id.number, true);
	if (v->s.frontier)
		frontier_begin(v->s.frontier, slot, io->file, id.number);
	for (uint64_t at = 0; at < io->len; at += c->unit, id.offset += c->unit)
		if (checker_size(c, &b, io->len - at))
			vblock_fill(&b, &v->checker.sum, (char *)buf + at, &id);
}

void verifier_written(struct verifier *v, uint32_t slot, uint32_t file, int err)
{
	if (!v->s.frontier)
		return;
	if (err)
		frontier_failed(v->s.frontier, slot);
	else
		frontier_end(v->s.frontier, slot);
	if (v->s.synchronous && !err)
		verifier_synced(v, file, verifier_sync(v, file));
}

uint64_t verifier_sync(const struct verifier *v, uint32_t file)
{
	return v->s.frontier ? frontier_candidate(v->s.frontier, file) : 0;
}

void verifier_synced(struct verifier *v, uint32_t file, uint64_t promises)
{
	if (!v->s.frontier || !promises)
		return;
	frontier_promise(v->s.frontier, file, promises);
	if (v->s.promised)
		v->s.promised(v->s.ctx);
}

void verifier_lost(struct verifier *v, uint32_t file, uint64_t offset, uint64_t len)
{
	if (v->map_memory)
		set_units(v, file, offset, len, 0);
}

/* ---- What comes next ------------------------------------------------------------------------- */

/* Is this the mark of a write of the loop? What no write of it is known of is not to be read. */
static bool of_loop(const struct verifier *v, uint32_t mark)
{
	if (mark_is_write(mark))
		return mark_number(mark, v->number) > v->loop_number;
	return mark_is_trim(mark);
}

/* The next blocks of the map that one write of this loop has left, as one read. */
static bool next_check(struct verifier *v, struct workload_io *next)
{
	const struct verify_conf *c = conf_of(v);
	const struct file_plan *p;
	uint64_t unit, run = 1, most = v->s.block_max / c->unit;
	uint32_t mark, same;

	do {
		if (!writemap_next(&v->map, v->cursor, &unit, &mark))
			return false;
		v->cursor = unit + 1;
	} while (!of_loop(v, mark));
	while (unit >= v->first[v->file + 1])
		v->file++;
	while (run < most && unit + run < v->first[v->file + 1]) {
		same = writemap_get(&v->map, unit + run);
		if ((same ^ mark) & MARK_NUMBER)
			break;
		run++;
	}
	v->cursor = unit + run;
	p = &v->s.files->plan[v->file];
	*next = (struct workload_io){
		.op = FL_OP_READ, .file = v->file, .verify = true, .back = true,
		.offset = p->start + (unit - v->first[v->file]) * c->unit,
	};
	next->len = fl_min(run * c->unit,
			   p->start + files_reach(v->s.files, v->file) - next->offset);
	return true;
}

/* Of how many blocks of an entry is its mark still there? */
static uint64_t still_there(const struct verifier *v, const struct backlog_entry *e)
{
	uint64_t unit = unit_of(v, e->file, e->offset), found = 0;

	for (uint64_t at = 0; at < e->len; at += conf_of(v)->unit)
		found += (writemap_get(&v->map, unit++) & MARK_NUMBER) == e->mark;
	return found;
}

/* verify_backlog: what has been overwritten by now is not read: the later write is, in its turn. */
static bool next_backlog(struct verifier *v, struct workload_io *next)
{
	struct backlog_entry e;

	while (backlog_take(&v->to_check, &e)) {
		if (!still_there(v, &e))
			continue;
		*next = (struct workload_io){
			.op = FL_OP_READ, .file = e.file, .offset = e.offset, .len = e.len,
			.verify = true, .back = true,
		};
		return true;
	}
	return false;
}

void verifier_put_back(struct verifier *v, const struct workload_io *io)
{
	struct backlog_entry e = { io->offset, (uint32_t)io->len, io->file, 0 };

	if (!io->verify || !v->to_check.ring)
		return;
	e.mark = writemap_get(&v->map, unit_of(v, e.file, e.offset)) & MARK_NUMBER;
	backlog_add(&v->to_check, &e);
}

/* Of the writes that were chosen, one that no later write has touched. */
static bool next_trim(struct verifier *v, struct workload_io *next)
{
	uint32_t unit = conf_of(v)->unit;
	struct backlog_entry e;

	while (backlog_take(&v->to_trim, &e)) {
		if (still_there(v, &e) < (e.len + unit - 1) / unit)
			continue;
		*next = (struct workload_io){
			.op = FL_OP_TRIM, .file = e.file, .offset = e.offset, .len = e.len,
		};
		return true;
	}
	return false;
}

/* What is due between two writes: checks, then trims. */
static bool next_due(struct verifier *v, struct workload_io *next)
{
	if (v->to_check.ring && conf_of(v)->do_verify &&
	    backlog_due(&v->to_check, v->to_check.count)) {
		v->to_check.burst--;
		if (next_backlog(v, next))
			return true;
		v->to_check.burst = 0;
	}
	if (v->to_trim.ring && backlog_due(&v->to_trim, v->writes)) {
		v->to_trim.burst--;
		if (next_trim(v, next))
			return true;
		v->to_trim.burst = 0;
	}
	return false;
}

/* Does the state that was loaded say that this write must be there? */
static bool must_be_there(const struct verifier *v, uint32_t file, uint64_t number)
{
	if (!v->s.state)
		return true;
	if (conf_of(v)->policy == VERIFY_FSYNCED)
		return number <= vstate_promised(v->s.state, file);
	return !vstate_in_flight(v->s.state, number);
}

static void count_pretended(struct verifier *v, const struct workload_io *io)
{
	struct dir_stats *d = &v->s.block->dir[io->op];

	d->ios++;
	d->done_ios++;
	d->bytes += io->len;
}

/*
 * verify_only: a write or trim that is only remembered, as if it had been made. Returns false when
 * the state knows of no more writes.
 */
static bool pretend(struct verifier *v, const struct workload_io *io)
{
	uint64_t number = mark_next(v->number);

	if (io->op == FL_OP_TRIM) {
		remember_trim(v, io);
		count_pretended(v, io);
		return true;
	}
	if (v->s.state && v->number >= v->s.state->issued) {
		v->stopped = true;
		return false;
	}
	v->number = number;
	remember(v, io, number, must_be_there(v, io->file, number));
	count_pretended(v, io);
	return true;
}

/* As the workload chooses, with what is due in between; at the end of the pass, the trims left. */
void verifier_arrived(const struct verifier *v, struct workload_io *io)
{
	io->verify = conf_of(v)->reads && conf_of(v)->do_verify;
	io->back = false;
}

static bool choose(struct verifier *v, struct workload *wl, struct workload_io *next)
{
	if (unlikely(v->to_check.ring || v->to_trim.ring) && next_due(v, next))
		return true;
	if (workload_next(wl, next)) {
		verifier_arrived(v, next);
		return true;
	}
	return v->to_trim.ring && next_trim(v, next);
}

bool verifier_next(struct verifier *v, struct workload *wl, struct workload_io *next)
{
	if (v->checking)
		return v->to_check.ring ? next_backlog(v, next) : next_check(v, next);
	while (!v->stopped && choose(v, wl, next)) {
		if (!conf_of(v)->only || (next->op != FL_OP_WRITE && next->op != FL_OP_TRIM))
			return true;
		if (!pretend(v, next))
			break;
	}
	return false;
}

bool verifier_begin_check(struct verifier *v)
{
	const struct verify_conf *c = conf_of(v);

	if (!c->writes || !c->do_verify || v->number == v->loop_number)
		return false;
	v->checking = true;
	v->cursor = 0;
	v->file = 0;
	return true;
}

void verifier_end_check(struct verifier *v)
{
	v->checking = false;
	v->loop_number = v->number;
}

/* ---- Judging --------------------------------------------------------------------------------- */

void verifier_read(const struct verifier *v, struct checker_read *r, uint32_t *marks)
{
	uint64_t unit;

	r->marks = NULL;
	r->last = v->number;
	if (!v->map_memory)
		return;
	unit = unit_of(v, r->file, r->offset);
	r->marks = marks;
	for (uint64_t at = 0; at < r->len; at += conf_of(v)->unit)
		*marks++ = writemap_get(&v->map, unit++);
}

void verifier_judged(struct verifier *v, uint64_t blocks, uint64_t wrong)
{
	v->s.block->verify_blocks += blocks;
	v->s.block->verify_wrong += wrong;
}

int verifier_check(struct verifier *v, struct checker_read *r)
{
	int err;

	verifier_read(v, r, v->marks);
	err = checker_check(&v->checker, r);
	verifier_judged(v, v->checker.blocks, v->checker.wrong);
	return err;
}
