/* SPDX-License-Identifier: MIT */
/*
 * Zones: the options all kinds of them share, and the walk of zonemode=strided.
 *
 * Strided zones are nothing the device knows of. A job works on one window of its file until
 * zonesize bytes have moved, then the window moves on by zonerange + zoneskip bytes: to the end of
 * the file, and back to the job's offset. So a few gigabytes sample a whole disk from its outer to
 * its inner tracks.
 */
#ifndef CORE_ZONES_H
#define CORE_ZONES_H

#include "core/opt.h"

enum zones_mode { ZONES_NONE, ZONES_STRIDED, ZONES_ZBD };

struct zones_conf {
	uint32_t mode;			/* enum zones_mode */
	uint64_t size;			/* zonesize, bytes; 0: not given */
	uint64_t range;			/* zonerange, bytes; strided only */
	struct amount skip;		/* zoneskip */
	uint64_t capacity;		/* zonecapacity, bytes; zbd only */
};

extern const struct opt_table zones_options;

/* What of the rest of a job matters to its zones. */
struct zones_use {
	uint64_t block_min;		/* bytes */
	bool random;
	bool backwards;			/* rw=X:-N */
};

/*
 * zones_check - bounds that need more than one row; fills in what follows from others. 0, or
 * -EINVAL with a sentence in why, or 1 with a note.
 */
int zones_check(struct zones_conf *c, const struct zones_use *use, char *why, size_t why_bytes);

/*
 * zones_settle - a number of zones (size=5z) becomes bytes where zonesize says how large one is; it
 * stays where a device will. 0, or -EINVAL with a sentence in why: there are no zones.
 */
int zones_settle(const struct zones_conf *c, const char *option, struct amount *a, char *why,
		 size_t why_bytes);

/* The window of one file. All in bytes from the job's offset on. */
struct window {
	uint64_t lo, hi;		/* where it is */
	uint64_t end;			/* no window reaches beyond */
	uint64_t moved;			/* by I/Os since it came there */
};

/* window_whole - without zones: everything, for ever. */
fl_inline void window_whole(struct window *win, uint64_t bytes)
{
	*win = (struct window){ .hi = bytes, .end = bytes };
}

/* window_begin - the first zone of a pass over a file that has so many bytes behind the offset. */
void window_begin(struct window *win, const struct zones_conf *c, uint64_t bytes);

/*
 * window_turn - before each I/O: moves on when the zone has had its share. Returns whether it did.
 */
fl_inline bool window_turn(struct window *win, const struct zones_conf *c)
{
	uint64_t lo;

	if (likely(win->moved < c->size))
		return false;
	lo = win->lo + c->range + c->skip.bytes;
	if (lo >= win->end)
		lo = 0;
	win->lo = lo;
	win->hi = fl_min(lo + c->range, win->end);
	win->moved = 0;
	return true;
}

/* window_is_cut - does the file end before the zone does? */
fl_inline bool window_is_cut(const struct window *win, const struct zones_conf *c)
{
	return win->hi - win->lo < c->range;
}

#endif
