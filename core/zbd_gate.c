/* SPDX-License-Identifier: MIT */
/* Where each I/O of a worker goes. */
#include "core/zbd_gate.h"
#include "core/zbd_share.h"
#include "core/zbd_trim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

/* What came of an attempt. */
enum found {
	FOUND,
	LATER,				/* not before something has changed */
	NOTHING,			/* there is no zone for it */
	FULL,				/* this zone is */
	LIMIT,				/* as many are open as may be */
	BROKEN,				/* the device has failed, in words */
};

/* One file. Directions have a place each, used by sequential jobs. */
struct place {
	uint64_t pass;			/* of the workload, in which it is */
	uint32_t zone;
	uint64_t pos;			/* in it: of reads, and in conventional zones */
	bool entered;			/* nothing has been written to it in this visit */
	bool wrapped;
};

struct zbd_file {
	const struct zbd_part *part;
	int fd;				/* for commands; -1 */
	uint64_t writes_left;		/* zone_reset_frequency: until the next reset */
	uint64_t *passes;		/* keep: of each zone, the last pass that wrote to it */
	struct place place[DIRS];
};

struct zbd_gate {
	struct gate_part part;
	struct worker *w;
	struct zbd_share *s;
	const struct zbd_conf *conf;
	const struct zones_conf *zones;
	bool random;
	bool keep;			/* verify: what is written must stay until it is checked */
	bool mixed;			/* reads that find nothing may be writes */
	bool one_write;			/* a zone has one in flight at most */
	uint64_t least[DIRS];		/* smallest block */
	struct rand rand;
	struct zbd *held;		/* whose zone we own, or NULL */
	uint32_t held_zone;
	uint64_t held_at;		/* offset of its I/O */
	uint64_t idle_bytes;		/* that found no place since the last that did */
	bool told;
	struct zbd_file files[];
};

static struct zbd_gate *gate_of(struct gate_part *p)
{
	return container_of(p, struct zbd_gate, part);
}

static enum found broken(struct zbd_gate *g, const struct zbd *d, uint32_t zone, const char *what,
			 int err)
{
	stats_fail(g->w->b, -err, "%s: the zone at %llu cannot be %s: %s", d->path,
		   (ull)zbd_start(d, zone), what, strerror(-err));
	return BROKEN;
}

static void release(struct zbd_gate *g)
{
	if (g->held)
		zbd_give(g->held, g->held_zone);
	g->held = NULL;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static enum found reset(struct zbd_gate *g, struct zbd_file *f, uint32_t zone)
{
	struct zbd *d = f->part->dev;
	int err = 0;

	if (d->real)
		err = zoned_reset(f->fd, zbd_start(d, zone), d->zones[zone].length);
	if (err)
		return broken(g, d, zone, "reset", err);
	zbd_emptied(d, zone);
	g->s->resets++;
	if (g->keep)
		verifier_lost(g->w->verify, (uint32_t)(f - g->files), zbd_start(d, zone),
			      d->zones[zone].length);
	return FOUND;
}

static enum found finish(struct zbd_gate *g, struct zbd_file *f, uint32_t zone)
{
	struct zbd *d = f->part->dev;
	int err = 0;

	if (d->real)
		err = zoned_finish(f->fd, zbd_start(d, zone), d->zones[zone].length);
	if (err)
		return broken(g, d, zone, "finished", err);
	zbd_finished(d, zone);
	g->s->finishes++;
	return FULL;
}

/*
 * The device says where the zone is to be written. A write may have stopped in the middle of a
 * block: the rest becomes zeroes, so that blocks keep their places. A zone that failed here before
 * is given up.
 */
static enum found ask_device(struct zbd_gate *g, struct zbd_file *f, uint32_t zone)
{
	struct zbd *d = f->part->dev;
	struct zbd_zone *z = &d->zones[zone];
	uint64_t start = zbd_start(d, zone), block = g->least[DIR_WRITE], odd;
	struct zoned_zone now;
	int n = zoned_report(f->fd, start, &now, 1);

	if (n <= 0)
		return broken(g, d, zone, "asked for", n ? n : -EIO);
	if (now.state == ZONED_OFFLINE || now.state == ZONED_READONLY) {
		z->kind = now.state == ZONED_OFFLINE ? ZBD_OFFLINE : ZBD_READONLY;
		zbd_found(d, zone, 0);
		zbd_close(d, zone);
		return FULL;
	}
	odd = now.wp % block;
	if (odd && now.wp < z->capacity) {
		odd = fl_min(block - odd, z->capacity - now.wp);
		if (!zoned_zero(f->fd, start + now.wp, odd))
			now.wp += odd;
	}
	zbd_found(d, zone, now.wp);
	g->s->recovered++;
	if (z->failed == now.wp + 1 && !zbd_full(z))
		return finish(g, f, zone);
	z->failed = now.wp + 1;
	return zbd_full(z) ? FULL : FOUND;
}

/* ---- Writes ---------------------------------------------------------------------------------- */

/* Is it time to reset a zone although it has room? */
static bool reset_is_due(struct zbd_gate *g, struct zbd_file *f)
{
	const struct zbd_part *p = f->part;
	double range = (double)(p->last - p->first) * (double)p->dev->zone_bytes;

	if (!(g->conf->reset_often > 0) || g->keep ||
	    (double)atomic_load(&p->dev->data) < range * g->conf->reset_above)
		return false;
	if (--f->writes_left)
		return false;
	f->writes_left = (uint64_t)(1 / g->conf->reset_often + 0.5);
	return true;
}

/* The zone is ours, and is to be emptied. */
static enum found empty(struct zbd_gate *g, struct zbd_file *f, uint32_t zone)
{
	struct zbd *d = f->part->dev;

	if (!zbd_full(&d->zones[zone]))
		return reset(g, f, zone);
	if (!zbd_may_open(d, zone, g->s->me, g->conf->job_max_open))
		return LIMIT;
	zbd_close(d, zone);
	return reset(g, f, zone);
}

/*
 * May what is in the zone be lost? What a verifying job has written must stay until the pass is
 * over, and it writes no zone that holds anything else: so it empties each once per pass.
 */
static bool may_empty(const struct zbd_gate *g, const struct zbd_file *f, uint32_t zone)
{
	return !g->keep || f->passes[zone] != g->w->wl.pass;
}

/* The zone is ours: what is to be done before it can be written. */
static enum found prepare(struct zbd_gate *g, struct zbd_file *f, uint32_t zone, bool anew)
{
	struct zbd *d = f->part->dev;
	struct zbd_zone *z = &d->zones[zone];
	bool idle = atomic_load(&z->writes) <= 0, due;
	enum found found = FOUND;
	uint64_t left;

	if (atomic_load(&z->stale)) {
		found = idle ? ask_device(g, f, zone) : LATER;
		if (found == FULL && anew)
			found = z->kind == ZBD_SEQUENTIAL ? FOUND : FULL;
	}
	if (found != FOUND)
		return found;
	anew = anew && may_empty(g, f, zone);
	if (zbd_full(z) && !anew)
		return FULL;
	due = zbd_full(z) || (zbd_wp(z) && g->keep && anew) ||
	      (zbd_wp(z) && idle && reset_is_due(g, f));
	if (due)
		found = idle ? empty(g, f, zone) : LATER;
	if (found != FOUND)
		return found;
	left = z->capacity - zbd_wp(z);
	if (left < g->least[DIR_WRITE] && !(g->conf->remainder && left >= d->sector)) {
		if (left == z->capacity)
			return NOTHING;		/* such a zone holds no block at all */
		return idle ? finish(g, f, zone) : LATER;
	}
	return zbd_open(d, zone, g->s->me, g->conf->job_max_open) == ZBD_OK ? FOUND : LIMIT;
}

/*
 * Somebody's write to the zone is in flight, and the engine may start one handed to it later
 * before it. We wait until it has ended, and are first then if it is another's.
 */
static bool must_wait(const struct zbd_gate *g, const struct zbd_file *f, uint32_t zone)
{
	struct zbd *d = f->part->dev;

	if (!g->one_write || !d->real || atomic_load(&d->zones[zone].writes) <= 0)
		return false;
	if (!atomic_load(&f->part->mine[zone]))
		zbd_want(d, zone, g->s->me);
	return true;
}

/* Write to this zone; anew: it may be reset for that. */
static enum found write_to(struct zbd_gate *g, struct zbd_file *f, uint32_t zone, bool anew,
			   struct workload_io *io)
{
	struct zbd *d = f->part->dev;
	struct zbd_zone *z = &d->zones[zone];
	uint64_t left, block = g->least[DIR_WRITE];
	enum found found;

	if (z->kind != ZBD_SEQUENTIAL)
		return FULL;
	if (must_wait(g, f, zone) || !zbd_take(d, zone, g->s->me))
		return LATER;
	found = must_wait(g, f, zone) ? LATER : prepare(g, f, zone, anew);
	if (found != FOUND) {
		zbd_give(d, zone);
		return found;
	}
	left = z->capacity - zbd_wp(z);
	if (io->len > left)
		io->len = left >= block ? left - left % block : left - left % d->sector;
	io->offset = zbd_start(d, zone) + zbd_wp(z);
	atomic_fetch_add(&f->part->mine[zone], 1);
	atomic_fetch_add(&z->writes, 1);
	zbd_advance(d, zone, io->len);
	if (g->keep)
		f->passes[zone] = g->w->wl.pass;
	g->held = d;
	g->held_zone = zone;
	g->held_at = io->offset;
	return FOUND;
}

/* As it fell, but within the zone. */
static enum found write_anywhere(const struct zbd_gate *g, const struct zbd_file *f, uint32_t zone,
				 struct workload_io *io)
{
	const struct zbd *d = f->part->dev;
	uint64_t end = zbd_start(d, zone) + d->zones[zone].length;

	if (d->zones[zone].length < g->least[io->op])
		return NOTHING;
	if (end - io->offset < g->least[io->op])
		io->offset = end - g->least[io->op];
	io->len = fl_min(io->len, end - io->offset);
	return FOUND;
}

/* The next zone that can be written, after a reset if need be. */
static enum found next_writable(struct zbd_gate *g, struct zbd_file *f, uint32_t *zone)
{
	const struct zbd_part *p = f->part;

	for (uint32_t n = p->last - p->first; n; n--) {
		const struct zbd_zone *z = &p->dev->zones[*zone];

		if (z->kind == ZBD_CONVENTIONAL ||
		    (z->kind == ZBD_SEQUENTIAL && (!zbd_full(z) || may_empty(g, f, *zone))))
			return FOUND;
		*zone = *zone + 1 < p->last ? *zone + 1 : p->first;
	}
	return NOTHING;
}

/* What jobs that have ended left open, where we do not write: closed, so that there is room. */
static bool make_room(struct zbd_gate *g, struct zbd_file *f)
{
	const struct zbd_part *p = f->part;
	int64_t zone = zbd_abandoned(p->dev, p->first, p->last);

	if (zone < 0 || !zbd_take(p->dev, (uint32_t)zone, g->s->me))
		return false;
	if (p->dev->real)
		zoned_shut(f->fd, zbd_start(p->dev, (uint32_t)zone),
			   p->dev->zones[zone].length);
	zbd_put_off(p->dev, (uint32_t)zone);
	zbd_give(p->dev, (uint32_t)zone);
	return true;
}

/* Too many are open: one of those it is, or a zone that others have left half full. */
static enum found write_to_open(struct zbd_gate *g, struct zbd_file *f, struct workload_io *io)
{
	const struct zbd_part *p = f->part;
	uint32_t own = g->conf->job_max_open ? g->s->me : ZBD_NOBODY;
	uint64_t start = rand_below(&g->rand, ZBD_OPEN_MAX);
	int64_t zone = zbd_pick(p->dev, p->first, p->last, start, own);

	if (zone < 0 && own)
		zone = zbd_pick(p->dev, p->first, p->last, start, ZBD_NOBODY);
	if (zone >= 0)
		return write_to(g, f, (uint32_t)zone, false, io);
	for (uint32_t i = p->first; i < p->last; i++) {
		const struct zbd_zone *z = &p->dev->zones[i];

		if (z->kind == ZBD_SEQUENTIAL && zbd_wp(z) && !zbd_full(z) &&
		    zbd_may_open(p->dev, i, g->s->me, g->conf->job_max_open))
			return write_to(g, f, i, false, io);
	}
	if (make_room(g, f) || !zbd_is_stuck(p->dev))
		return LATER;
	stats_fail(g->w->b, EBUSY, "%s: %u zones are written in part, none of them one of the "
		   "job's, and it cannot have more than %u; finish or reset some (blkzone)",
		   p->dev->path, p->dev->nr_active, p->dev->max_active);
	return BROKEN;
}

static enum found write_random(struct zbd_gate *g, struct zbd_file *f, struct workload_io *io)
{
	const struct zbd *d = f->part->dev;
	uint32_t fell = zbd_at(d, io->offset), zone = fell;
	enum found found = next_writable(g, f, &zone);

	if (found != FOUND)
		return found;
	if (d->zones[zone].kind == ZBD_CONVENTIONAL) {
		io->offset += zbd_start(d, zone) - zbd_start(d, fell);
		return write_anywhere(g, f, zone, io);
	}
	found = write_to(g, f, zone, true, io);
	if (found == LIMIT)
		found = write_to_open(g, f, io);
	/* Full or taken since we looked: that has been told, so the next question comes at once. */
	return found == FULL || found == LIMIT ? LATER : found;
}

/* ---- Sequential places ----------------------------------------------------------------------- */

/* On to the next zone. False: there is none. */
static bool step(const struct zbd_gate *g, const struct zbd_part *p, struct place *at)
{
	uint64_t skip = g->random ? 0 : g->zones->skip.bytes / p->dev->zone_bytes;

	at->pos = 0;
	at->entered = true;
	at->zone = (uint32_t)fl_min(at->zone + 1 + skip, (uint64_t)UINT32_MAX);
	if (at->zone < p->last)
		return true;
	at->zone = p->first;
	/* With gaps a pass goes on from the beginning: there is more to do than zones to go to. */
	if (skip && !at->wrapped) {
		at->wrapped = true;
		return true;
	}
	at->zone = p->last;
	return false;
}

/* Where a sequential job is; each pass begins with the first zone. */
static struct place *place_of(const struct zbd_gate *g, struct zbd_file *f, int dir)
{
	struct place *at = &f->place[dir];
	uint64_t pass = g->w->wl.pass;

	if (at->pass != pass)
		*at = (struct place){ .pass = pass, .entered = true, .zone = f->part->first };
	return at;
}

static enum found write_next(struct zbd_gate *g, struct zbd_file *f, struct workload_io *io)
{
	const struct zbd_part *p = f->part;
	struct place *at = place_of(g, f, DIR_WRITE);
	enum found found = FULL;

	while (found == FULL && at->zone < p->last) {
		const struct zbd_zone *z = &p->dev->zones[at->zone];

		if (z->kind == ZBD_CONVENTIONAL && z->length - at->pos >= g->least[DIR_WRITE]) {
			io->offset = zbd_start(p->dev, at->zone) + at->pos;
			io->len = fl_min(io->len, z->length - at->pos);
			at->pos += io->len;
			found = FOUND;
			break;
		}
		if (z->kind == ZBD_SEQUENTIAL)
			found = write_to(g, f, at->zone, at->entered || g->keep, io);
		if (found == FULL && !step(g, p, at))
			return NOTHING;
	}
	if (found == LIMIT)
		found = write_to_open(g, f, io);
	else if (found == FOUND)
		at->entered = at->wrapped = false;
	return found == FULL ? at->zone < p->last ? LATER : NOTHING : found;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

static uint64_t readable(const struct zbd_gate *g, const struct zbd_zone *z)
{
	if (g->conf->read_beyond && z->kind != ZBD_OFFLINE)
		return z->kind == ZBD_CONVENTIONAL ? z->length : z->capacity;
	return zbd_has_data(z);
}

/* The next zone that holds a block, in a circle. */
static bool next_with_data(const struct zbd_gate *g, const struct zbd_part *p, uint64_t least,
			   uint32_t *zone)
{
	uint32_t from = *zone, end = p->last;

	for (int round = 0; round < 2; round++, end = *zone, from = p->first) {
		for (uint32_t i = from; i < end; i++) {
			i = g->conf->read_beyond ? i : zbd_next_readable(p->dev, i, end);
			if (i < end && readable(g, &p->dev->zones[i]) >= least) {
				*zone = i;
				return true;
			}
		}
	}
	return false;
}

static enum found read_random(struct zbd_gate *g, struct zbd_file *f, struct workload_io *io)
{
	const struct zbd_part *p = f->part;
	uint32_t zone = zbd_at(p->dev, io->offset);
	uint64_t least = g->least[DIR_READ], in = io->offset - zbd_start(p->dev, zone), there;

	if (!next_with_data(g, p, least, &zone))
		return NOTHING;
	there = readable(g, &p->dev->zones[zone]);
	if (in + least > there)
		in = rand_below(&g->rand, there / least) * least;
	io->offset = zbd_start(p->dev, zone) + in;
	io->len = fl_min(io->len, there - in);
	return FOUND;
}

static enum found read_next(struct zbd_gate *g, struct zbd_file *f, struct workload_io *io)
{
	const struct zbd_part *p = f->part;
	struct place *at = place_of(g, f, DIR_READ);
	uint64_t least = g->least[DIR_READ];

	while (at->zone < p->last) {
		uint64_t there = readable(g, &p->dev->zones[at->zone]);

		if (at->pos + least <= there) {
			io->offset = zbd_start(p->dev, at->zone) + at->pos;
			io->len = fl_min(io->len, there - at->pos);
			at->pos += io->len;
			at->wrapped = false;
			return FOUND;
		}
		if (!step(g, p, at))
			break;
	}
	return NOTHING;
}

/* ---- Trims ----------------------------------------------------------------------------------- */

static bool next_to_reset(const struct zbd_part *p, uint32_t from, uint32_t end, uint32_t *zone)
{
	for (uint32_t i = from; i < end; i++) {
		i = zbd_next_readable(p->dev, i, end);
		if (i < end && p->dev->zones[i].kind == ZBD_SEQUENTIAL) {
			*zone = i;
			return true;
		}
	}
	return false;
}

static enum found trim(struct zbd_gate *g, struct zbd_file *f, struct workload_io *io)
{
	const struct zbd_part *p = f->part;
	uint32_t fell = zbd_at(p->dev, io->offset), from = fell, zone = fell;
	struct zbd *d = p->dev;

	if (!g->random)
		from = place_of(g, f, DIR_TRIM)->zone;
	if (!next_to_reset(p, from, p->last, &zone) &&
	    !(g->random && next_to_reset(p, p->first, from, &zone)))
		return NOTHING;
	if (!zbd_take(d, zone, g->s->me))
		return LATER;
	if (atomic_load(&d->zones[zone].writes) > 0 || !zbd_wp(&d->zones[zone])) {
		zbd_give(d, zone);
		return LATER;
	}
	f->place[DIR_TRIM].zone = zone + 1;
	io->offset = zbd_start(d, zone);
	io->len = d->zones[zone].length;
	g->held = d;
	g->held_zone = zone;
	g->held_at = io->offset;
	return FOUND;
}

static int reset_for_trim(struct gate_part *part, struct fl_req *req)
{
	struct zbd_gate *g = gate_of(part);
	struct zbd_file *f = &g->files[req->file->index];

	fl_assert(g->held && req->offset == g->held_at);
	zbd_close(g->held, g->held_zone);
	req->res = reset(g, f, g->held_zone) == FOUND ? (int64_t)req->len : -EIO;
	return FL_DONE;
}

/* ---- The part -------------------------------------------------------------------------------- */

static enum found place(struct zbd_gate *g, struct zbd_file *f, struct workload_io *io)
{
	enum found found;

	switch (io->op) {
	case FL_OP_WRITE:
		return g->random ? write_random(g, f, io) : write_next(g, f, io);
	case FL_OP_TRIM:
		return trim(g, f, io);
	default:
		break;
	}
	found = g->random ? read_random(g, f, io) : read_next(g, f, io);
	if (found != NOTHING || !g->mixed)
		return found;
	/* Nothing can be read yet: the mix begins with what makes that change. */
	io->op = FL_OP_WRITE;
	return place(g, f, io);
}

/* An I/O without a place. A job of which none has one ends: it would do nothing for ever. */
static enum gate_says no_place(struct zbd_gate *g, const struct zbd *d,
			       const struct workload_io *io)
{
	g->s->dropped++;
	g->idle_bytes += io->len;
	if (!g->told && io->op == FL_OP_READ)
		stats_note(g->w->b, "zonemode=zbd: %s has no data left to read; reads go to what "
			   "has been written, read_beyond_wp=1 reads all", d->path);
	g->told = true;
	return g->idle_bytes > g->w->wl.total_bytes && !g->w->in_flight ? GATE_END : GATE_DROP;
}

/* What is counted towards size is what it has become. */
static void count(struct zbd_gate *g, const struct workload_io *chosen, uint64_t placed)
{
	struct workload *wl = &g->w->wl;

	wl->pass_bytes += placed - chosen->len;
	if (!g->random)
		wl->files[chosen->file].pos[wl->simple ? 0 : chosen->op] += placed - chosen->len;
}

static enum gate_says on_ask(struct gate_part *p, struct gate_ask *a)
{
	struct zbd_gate *g = gate_of(p);
	struct workload_io io = *a->io;
	struct zbd_file *f = &g->files[io.file];
	struct zbd *d = f->part->dev;
	uint32_t seen;

	release(g);
	/* What is read back of the job's own writes is where it is. */
	if (io.op >= DIRS || !d || io.back)
		return GATE_OPEN;
	seen = atomic_load(&d->changed);
	switch (place(g, f, &io)) {
	case FOUND:
		count(g, a->io, io.len);
		*a->io = io;
		g->idle_bytes = 0;
		return GATE_OPEN;
	case NOTHING:
		return no_place(g, d, &io);
	case BROKEN:
		return GATE_END;
	default:
		break;
	}
	g->s->waits++;
	atomic_store(&d->waiting, 1);
	a->word = &d->changed;
	a->seen = seen;
	return GATE_SHUT;
}

static void on_done(struct gate_part *p, const struct gate_done *done)
{
	struct zbd_gate *g = gate_of(p);
	struct zbd_file *f = &g->files[done->io->file];
	struct zbd *d = f->part->dev;
	uint32_t zone = d ? zbd_at(d, done->io->offset) : 0;

	if (done->io->op >= DIRS || done->io->op == FL_OP_READ || !d)
		return;
	if (g->held == d && g->held_at == done->io->offset)
		release(g);
	if (done->io->op != FL_OP_WRITE || d->zones[zone].kind == ZBD_CONVENTIONAL)
		return;
	atomic_fetch_sub(&f->part->mine[zone], 1);
	zbd_ended(d, zone, done->err && d->real && g->conf->recover);
}

static void on_anew(struct gate_part *p, uint64_t now)
{
	struct zbd_share *s = gate_of(p)->s;

	(void)now;
	s->resets = s->finishes = s->recovered = s->waits = s->dropped = 0;
}

static void on_free(struct gate_part *p)
{
	struct zbd_gate *g = gate_of(p);

	release(g);
	for (uint32_t i = 0; i < g->s->nr; i++) {
		struct zbd_part *part = &g->s->part[i];

		zoned_close(g->files[i].fd);
		free(g->files[i].passes);
		if (part->dev)
			zbd_forget(part->dev, g->s->me, part->mine);
	}
	free(g);
}

static const struct gate_ops ops = {
	.reads_back = true, .anew = on_anew, .ask = on_ask, .done = on_done, .free = on_free,
};

/* Commands need a descriptor that may write. */
static int open_all(struct zbd_gate *g)
{
	bool changes = g->w->job->workload.rw.bits & (RW_WRITE | RW_TRIM);

	for (uint32_t i = 0; i < g->s->nr; i++)
		g->files[i].fd = -1;

	for (uint32_t i = 0; i < g->s->nr; i++) {
		struct zbd_file *f = &g->files[i];

		f->part = &g->s->part[i];
		f->writes_left = g->conf->reset_often > 0
			? (uint64_t)(1 / g->conf->reset_often + 0.5) : 0;
		if (g->keep && f->part->dev)
			f->passes = calloc(f->part->dev->nr, sizeof(*f->passes));
		if (g->keep && f->part->dev && !f->passes)
			return -ENOMEM;
		if (!f->part->dev || !f->part->dev->real || !changes)
			continue;
		f->fd = zoned_open(f->part->dev->path, true);
		if (f->fd < 0) {
			stats_fail(g->w->b, -f->fd, "%s cannot be opened for zone commands: %s",
				   f->part->dev->path, strerror(-f->fd));
			return f->fd;
		}
	}
	return 0;
}

struct gate_part *zbd_gate_new(struct worker *w, int *err)
{
	const struct workload_conf *c = &w->job->workload;
	struct zbd_share *s = w->setup->zones;
	struct zbd_gate *g;

	if (!s)
		return NULL;
	g = calloc(1, sizeof(*g) + s->nr * sizeof(g->files[0]));
	*err = g ? 0 : -ENOMEM;
	if (!g)
		return NULL;
	g->part.ops = &ops;
	g->w = w;
	g->s = s;
	g->conf = &c->zbd;
	g->zones = &c->zones;
	g->random = c->rw.bits & RW_RANDOM;
	g->mixed = (c->rw.bits & RW_DIRS) == (RW_READ | RW_WRITE);
	g->keep = verify_on(&w->job->verify) && w->job->verify.writes;
	/* io_uring hands what would wait for room to a thread, and starts those after it. */
	g->one_write = !w->sync && !(w->job->engine->ops.caps & FL_CAP_ORDERED);
	rand_seed(&g->rand, w->seed, (5ull << 32) + w->setup->number);
	for (int d = 0; d < DIRS; d++)
		g->least[d] = workload_block_range(c, d).lo;
	*err = open_all(g);
	if (*err) {
		on_free(&g->part);
		return NULL;
	}
	zbd_trim_by(&w->hq, &g->part, reset_for_trim);
	return &g->part;
}
