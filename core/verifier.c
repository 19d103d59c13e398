/* SPDX-License-Identifier: MIT */
/* Filling, remembering, choosing, judging. */
#include "core/verifier.h"
#include "core/verify_dump.h"
#include "os/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM	256u	/* of the ring */

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

int verifier_init(struct verifier *v, const struct verifier_setup *s, char *why, size_t why_bytes)
{
	const struct verify_conf *c = s->conf;
	int err;

	*v = (struct verifier){ .s = *s };
	snprintf(why, why_bytes, "no memory to remember what is written");
	v->any_key = c->reads || !c->header_seed;
	v->any_number = c->reads || !c->write_sequence;
	v->scratch = malloc(c->unit);
	err = v->scratch ? make_map(v, why, why_bytes) : -ENOMEM;
	if (!err && c->kind.sum) {
		err = checksum_open(&v->sum, c->kind.sum);
		if (err == -ENOTSUP)
			snprintf(why, why_bytes, "verify=%s: libcrypto refuses it on this machine; "
				 "use another checksum", c->kind.sum->name);
	}
	if (!err && c->backlog && !c->only) {
		v->ring_room = FIRST_ROOM;
		v->ring = calloc(v->ring_room, sizeof(*v->ring));
		err = v->ring ? 0 : -ENOMEM;
	}
	return err;
}

void verifier_free(struct verifier *v)
{
	if (v->sum.kind)
		checksum_close(&v->sum);
	if (v->map_memory)
		mem_unreserve(v->map_memory, v->map_bytes);
	free(v->first);
	free(v->ring);
	free(v->scratch);
	*v = (struct verifier){ 0 };
}

/* ---- What was written ------------------------------------------------------------------------ */

/* The unit in which a byte of a file lies. */
static uint64_t unit_of(const struct verifier *v, uint32_t file, uint64_t offset)
{
	return v->first[file] + (offset - v->s.files->plan[file].start) / conf_of(v)->unit;
}

/*
 * What the map keeps of a number: its low 31 bits, never 0, and whether a later write to the block
 * may be there instead, as the state of a run that ended in the middle says.
 */
#define MAP_NUMBER	0x7fffffffu
#define MAP_UNSURE	0x80000000u

/* The last number with these bits; there are never two of them 2^31 writes apart in one map. */
static uint64_t whole_number(const struct verifier *v, uint32_t mark)
{
	uint64_t number = (v->number & ~(uint64_t)MAP_NUMBER) | (mark & MAP_NUMBER);

	return number > v->number ? number - MAP_NUMBER - 1 : number;
}

static uint64_t next_number(struct verifier *v)
{
	if (!(++v->number & MAP_NUMBER))
		v->number++;
	return v->number;
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
		writemap_set(&v->map, unit, writemap_get(&v->map, unit) | MAP_UNSURE);
}

static void ring_add(struct verifier *v, const struct verifier_entry *e)
{
	if (v->ring_count == v->ring_room) {
		struct verifier_entry *more = calloc(2 * v->ring_room, sizeof(*more));

		fl_assert(more);
		for (uint64_t i = 0; i < v->ring_count; i++)
			more[i] = v->ring[(v->ring_head + i) % v->ring_room];
		free(v->ring);
		v->ring = more;
		v->ring_head = 0;
		v->ring_room *= 2;
	}
	v->ring[(v->ring_head + v->ring_count++) % v->ring_room] = *e;
	v->last_was_write = true;
}

/* A write is handed out: its blocks are now of this number. */
static void remember(struct verifier *v, const struct workload_io *io, uint64_t number)
{
	struct verifier_entry e = { io->offset, (uint32_t)io->len, io->file, number };

	set_units(v, io->file, io->offset, io->len, (uint32_t)number & MAP_NUMBER);
	if (v->ring)
		ring_add(v, &e);
}

/*
 * Only the block that ends with the file can be shorter than the others. False: it has no room for
 * a header, so nothing is known of it.
 */
static bool size_block(const struct verifier *v, struct vblock *b, uint64_t left)
{
	const struct verify_conf *c = conf_of(v);

	b->bytes = (uint32_t)fl_min((uint64_t)c->unit, left);
	return b->bytes == c->unit || b->bytes >= verify_least(c);
}

void verifier_fill(struct verifier *v, void *buf, const struct workload_io *io, uint32_t slot)
{
	const struct verify_conf *c = conf_of(v);
	struct vblock b = verify_block(c, v->s.seed, v->s.job, io->file);
	struct vblock_id id = {
		.offset = io->offset, .number = next_number(v), .time_ns = clock_now_ns(),
	};

	remember(v, io, id.number);
	if (v->s.frontier)
		frontier_begin(v->s.frontier, slot, io->file, id.number);
	for (uint64_t at = 0; at < io->len; at += c->unit, id.offset += c->unit)
		if (size_block(v, &b, io->len - at))
			vblock_fill(&b, &v->sum, (char *)buf + at, &id);
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
	return mark & MAP_NUMBER && whole_number(v, mark) > v->loop_number;
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
		if ((same ^ mark) & MAP_NUMBER)
			break;
		run++;
	}
	v->cursor = unit + run;
	p = &v->s.files->plan[v->file];
	*next = (struct workload_io){
		.op = FL_OP_READ, .file = v->file, .verify = true,
		.offset = p->start + (unit - v->first[v->file]) * c->unit,
	};
	next->len = fl_min(run * c->unit,
			   p->start + files_reach(v->s.files, v->file) - next->offset);
	return true;
}

/* Has anything of this write not been overwritten by a later one? That one is checked itself. */
static bool still_there(const struct verifier *v, const struct verifier_entry *e)
{
	uint64_t unit = unit_of(v, e->file, e->offset);

	for (uint64_t at = 0; at < e->len; at += conf_of(v)->unit)
		if (whole_number(v, writemap_get(&v->map, unit++)) == e->number)
			return true;
	return false;
}

static bool next_backlog(struct verifier *v, struct workload_io *next)
{
	while (v->ring_count) {
		struct verifier_entry e = v->ring[v->ring_head];

		v->ring_head = (v->ring_head + 1) % v->ring_room;
		v->ring_count--;
		if (!still_there(v, &e))
			continue;
		*next = (struct workload_io){
			.op = FL_OP_READ, .file = e.file, .offset = e.offset, .len = e.len,
			.verify = true,
		};
		return true;
	}
	return false;
}

/* verify_backlog: is it time to check what waits? */
static bool backlog_due(struct verifier *v)
{
	const struct verify_conf *c = conf_of(v);

	if (!v->burst && v->last_was_write && v->ring_count &&
	    v->ring_count % c->backlog == 0) {
		v->burst = c->backlog_batch ? c->backlog_batch : v->ring_count;
		v->last_was_write = false;
	}
	return v->burst;
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

/*
 * verify_only: a write that is only remembered, as if it had been made. Returns false when the
 * state knows of no more writes.
 */
static bool pretend(struct verifier *v, const struct workload_io *io)
{
	struct dir_stats *d = &v->s.block->dir[DIR_WRITE];
	uint64_t number;

	if (v->s.state && v->number >= v->s.state->issued) {
		v->stopped = true;
		return false;
	}
	number = next_number(v);
	if (must_be_there(v, io->file, number))
		remember(v, io, number);
	else
		set_unsure(v, io->file, io->offset, io->len);
	d->ios++;
	d->done_ios++;
	d->bytes += io->len;
	return true;
}

bool verifier_next(struct verifier *v, struct workload *wl, struct workload_io *next)
{
	const struct verify_conf *c = conf_of(v);

	if (v->checking)
		return v->ring ? next_backlog(v, next) : next_check(v, next);
	if (v->ring && c->do_verify && backlog_due(v)) {
		v->burst--;
		if (next_backlog(v, next))
			return true;
		v->burst = 0;
	}
	while (!v->stopped && workload_next(wl, next)) {
		next->verify = c->reads && c->do_verify;
		if (next->op == FL_OP_TRIM)	/* what was written there is gone */
			verifier_lost(v, next->file, next->offset, next->len);
		if (!c->only || next->op != FL_OP_WRITE)
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

/* The sentence about a wrong block; and its images, where they are wanted. */
static void tell(struct verifier *v, const struct vblock *b, const void *buf, uint32_t file,
		 const struct vblock_id *id, enum vblock_wrong wrong)
{
	char name[FILES_NAME_BYTES], cause[160];
	struct vblock_diagnosis d;

	vblock_diagnose(b, &v->sum, buf, id, v->scratch, &d);
	files_name(v->s.files, file, name);
	snprintf(v->why, sizeof(v->why), "verify: file %s, offset %" PRIu64 ", length %u: %s; "
		 "first wrong byte %u (0x%02x, not 0x%02x); %s", name, id->offset, b->bytes,
		 vblock_wrong_text(wrong), d.first, d.found, d.expected,
		 vblock_tell(&d, id, cause, sizeof(cause)));
	if (conf_of(v)->dump)
		verify_dump(name, id->offset, buf, v->scratch, b->bytes);
}

/*
 * A block that a later write may have replaced, or was about to when the run ended. Only what no
 * such write can have made is wrong: an older version, or another block.
 */
static bool excused(struct verifier *v, const struct vblock *b, const void *buf,
		    const struct vblock_id *id)
{
	struct vblock_id any = { .offset = id->offset }, found;
	struct vblock_diagnosis d;
	uint64_t key;

	if (!vblock_check(b, &v->sum, buf, &any, v->any_key) &&
	    vblock_header_id(b, buf, &found, &key))
		return found.number > id->number;
	vblock_diagnose(b, &v->sum, buf, id, v->scratch, &d);
	return d.cause != VBLOCK_STALE && d.cause != VBLOCK_MISPLACED && d.cause != VBLOCK_FOREIGN;
}

int verifier_check(struct verifier *v, const void *buf, uint32_t file, uint64_t offset,
		   uint64_t len)
{
	const struct verify_conf *c = conf_of(v);
	struct vblock b = verify_block(c, v->s.seed, v->s.job, file);
	uint64_t unit = unit_of(v, file, offset);
	int err = 0;

	for (uint64_t at = 0; at < len; at += c->unit, unit++) {
		struct vblock_id id = { .offset = offset + at };
		uint32_t mark = v->map_memory ? writemap_get(&v->map, unit) : 0;
		const char *block = (const char *)buf + at;
		enum vblock_wrong wrong;

		if ((v->map_memory && !(mark & MAP_NUMBER)) || !size_block(v, &b, len - at))
			continue;	/* nobody knows */
		if (!v->any_number)
			id.number = whole_number(v, mark);
		wrong = vblock_check(&b, &v->sum, block, &id, v->any_key);
		v->s.block->verify_blocks++;
		if (likely(!wrong) || (mark & MAP_UNSURE && excused(v, &b, block, &id)))
			continue;
		v->s.block->verify_wrong++;
		if (!err)
			tell(v, &b, block, file, &id, wrong);
		err = -EILSEQ;
	}
	return err;
}
