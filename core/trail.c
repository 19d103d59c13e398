/* SPDX-License-Identifier: MIT */
/* Dropping behind, fetching ahead. */
#define _GNU_SOURCE
#include "core/trail.h"
#include "os/file.h"
#include "os/mem.h"
#include "os/pagecache.h"

#include <fcntl.h>
#include <stdlib.h>

/* Advice is given for so much at a time: a fourth of the distance within these bounds. */
#define CHUNK_MIN	(UINT64_C(64) << 10)
#define CHUNK_MAX	(UINT64_C(1) << 20)
/* The cache may hold pages as one large piece that is dropped whole or not at all. */
#define FOLIO_MAX	(UINT64_C(2) << 20)

/* Where the job is in one file; all are offsets of bytes. */
struct track {
	uint64_t from;			/* all before it is dropped, or has been asked for */
	uint64_t started;		/* before it, what is dirty is on its way to storage */
	uint64_t top;			/* the end of the last I/O in order */
	bool begun, wrote;
};

struct trail {
	const struct file_set *set;
	struct worker_block *b;
	bool ahead;			/* willneed-ahead; else dontneed-behind */
	bool looked;			/* whether advice works has been looked at */
	uint64_t distance, chunk, page;
	struct track track[];		/* one per file */
};

struct trail *trail_new(const struct file_set *set, struct worker_block *b)
{
	uint64_t distance = set->conf->advice_distance;
	struct trail *t = calloc(1, sizeof(*t) + set->nr * sizeof(t->track[0]));

	if (!t)
		return NULL;
	t->set = set;
	t->b = b;
	t->ahead = set->conf->advice == FILES_ADVICE_AHEAD;
	t->distance = distance;
	t->chunk = fl_min(fl_max(distance / 4, CHUNK_MIN), CHUNK_MAX);
	t->page = mem_page_size();
	return t;
}

void trail_free(struct trail *t)
{
	free(t);
}

/* Once: has the kernel done what it was asked for? Mapped pages, for one, it keeps. */
static void look(struct trail *t, int fd, uint64_t from, uint64_t to)
{
	struct pagecache seen;

	if (t->looked)
		return;
	t->looked = true;
	if (pagecache_look(fd, from, to - from, &seen) || seen.cached <= seen.seen / 2)
		return;
	stats_note(t->b, "fadvise_hint=dontneed-behind: %llu of %llu pages stayed in the page "
		   "cache; what is mapped, or in use elsewhere, cannot be dropped",
		   (unsigned long long)seen.cached, (unsigned long long)seen.seen);
}

/* Drops [k->from, to), with a little of what lies before it. */
static void drop(struct trail *t, struct track *k, int fd, uint64_t to)
{
	uint64_t first = k->from > FOLIO_MAX ? k->from - FOLIO_MAX : 0;

	if (k->wrote) {
		sync_file_range(fd, (off_t)k->started, (off_t)(k->top - k->started),
				SYNC_FILE_RANGE_WRITE);
		sync_file_range(fd, (off_t)k->from, (off_t)(to - k->from),
				SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				SYNC_FILE_RANGE_WAIT_AFTER);
		k->started = k->top;
	}
	file_advise(fd, first, to - first, FILE_ADVISE_DONTNEED);
	look(t, fd, k->from, to);
	t->b->trail_bytes += to - k->from;
	k->from = to;
}

static void fetch(struct trail *t, struct track *k, int fd, uint64_t to)
{
	file_advise(fd, k->from, to - k->from, FILE_ADVISE_WILLNEED);
	t->b->trail_bytes += to - k->from;
	k->from = to;
}

/* Advice up to here, if that is further than it has come. */
static void advise(struct trail *t, struct track *k, const struct fl_file *f, uint64_t to)
{
	uint64_t begun = clock_now_ns();

	if (to <= k->from)
		return;
	if (f->fd < 0) {
		stats_note(t->b, "fadvise_hint: this engine opens no descriptor that advice could "
			   "be given for");
		k->from = to;
		return;
	}
	if (t->ahead)
		fetch(t, k, f->fd, to);
	else
		drop(t, k, f->fd, to);
	t->b->trail_ns += clock_now_ns() - begun;
}

static void go_ahead(struct trail *t, struct track *k, const struct fl_file *f)
{
	uint64_t end = f->io_start + f->io_bytes, to = fl_min(k->top + t->distance, end);

	if (to == end || to >= k->from + t->chunk)
		advise(t, k, f, to);
}

static void go_behind(struct trail *t, struct track *k, const struct fl_file *f)
{
	if (k->top >= k->from + t->distance + t->chunk)
		advise(t, k, f, (k->top - t->distance) & ~(t->page - 1));
}

/* Back at the start; what the last pass has left behind it is behind us, too. */
static void new_pass(struct trail *t, struct track *k, const struct fl_file *f, uint64_t offset,
		     uint64_t end)
{
	if (k->begun && !t->ahead)
		advise(t, k, f, k->top);
	*k = (struct track){
		.begun = true, .from = t->ahead ? end : offset, .started = offset, .top = end,
	};
}

void trail_done(struct trail *t, const struct fl_file *f, uint32_t op, uint64_t offset,
		uint64_t len)
{
	struct track *k = &t->track[f->index];
	uint64_t end = offset + len;

	if (op > FL_OP_WRITE || (t->ahead && op != FL_OP_READ))
		return;
	/* I/Os may end out of order; so far back is another pass. */
	if (!k->begun || (offset < k->top && k->top - offset > t->distance + FOLIO_MAX))
		new_pass(t, k, f, offset, end);
	k->wrote |= op == FL_OP_WRITE;
	k->top = fl_max(k->top, end);
	if (t->ahead)
		go_ahead(t, k, f);
	else
		go_behind(t, k, f);
}
