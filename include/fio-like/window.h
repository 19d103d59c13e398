/* SPDX-License-Identifier: MIT */
/*
 * fio-like/window.h - the part of a file that is mapped at the moment.
 *
 * Engines that work through a mapping (mmap, libpmem, dev-dax) cannot always map a whole target.
 * They map a window of it and move the window when a request lies outside. All of that is here,
 * once, because one wrong comparison in it costs a factor of four: a request that ends exactly
 * where the window ends lies INSIDE (offset + len <= off + bytes), and must not move anything.
 *
 * Windows lie side by side from the first byte the job may touch: [start, start + size), and so on.
 * So a sequential pass maps ceil(io_bytes / size) times for any block size that divides the window.
 * A block that lies across two windows gets one that begins with it. Where memory can be mapped
 * only from a multiple of something, the window begins a little earlier.
 *
 * An engine keeps one fl_window per open file (fio-like/mapped.h does, for engines that copy):
 *
 *	file_open	fl_window_init()
 *	prep		n = fl_window_need(w, offset, len), memory at fl_window_at(w, offset)
 *	file_close	fl_window_drop()
 *
 * Header only; may be included from C++. Not to be shared between threads.
 */
#ifndef FIO_LIKE_WINDOW_H
#define FIO_LIKE_WINDOW_H

#include "fio-like/engine.h"

#include <errno.h>
#include <sys/mman.h>

#ifdef __cplusplus
extern "C" {
#endif

/* FL_WINDOW_MAX - a larger window is never mapped, so that several files find room; bytes. */
#define FL_WINDOW_MAX	(sizeof(void *) > 4 ? (uint64_t)1 << 40 : (uint64_t)1 << 28)

/* FL_OPT_ROW_MAP_WINDOW(conf) - the row for a member `uint64_t map_window` of the engine's conf. */
#define FL_OPT_ROW_MAP_WINDOW(conf)							\
	{										\
		.name = "map_window", .type = FL_OPT_SIZE,				\
		.offset = offsetof(conf, map_window), .max = FL_WINDOW_MAX,		\
		.help = "map so much of a file at a time",				\
		.more = "0 maps all that the job may touch, up to 1 TiB (256 MiB on 32-bit "	\
			"machines). A request outside of the window moves it, which the "	\
			"counter remaps counts.",					\
	}

/* Counters of a window, side by side in the engine's rows: FL_WINDOW_COUNTER_ROWS. */
enum { FL_WINDOW_MAPPINGS, FL_WINDOW_REMAPS, FL_WINDOW_BYTES, FL_WINDOW_COUNTERS };

#define FL_WINDOW_COUNTER_ROWS								\
	{ .name = "mappings", .help = "windows mapped" },				\
	{ .name = "remaps", .help = "windows mapped in place of another of the same file" },	\
	{ .name = "mapped_bytes", .unit = "bytes", .help = "sum of the sizes of all mappings" }

/* struct fl_window_kind - how a range of a file becomes memory. Const, one per way of doing it. */
struct fl_window_kind {
	uint64_t align;			/* a power of two: where a mapping can begin, bytes */
	/*
	 * map - make [offset, offset + bytes) of f memory. offset is a multiple of align; bytes
	 *       need not be: a kind that maps whole multiples only rounds up, here and in unmap.
	 * Returns 0 with *addr, or -errno with nothing left.
	 */
	int (*map)(struct fl_queue *q, struct fl_file *f, uint64_t offset, uint64_t bytes,
		   void **addr);
	/* unmap - take it back, with the same bytes. NULL: munmap(2). */
	void (*unmap)(struct fl_queue *q, struct fl_file *f, void *addr, uint64_t bytes);
};

/* struct fl_window - belongs to the engine; only off, bytes and addr are of interest outside. */
struct fl_window {
	uint64_t off;			/* the window is [off, off + bytes) of the file */
	uint64_t bytes;			/* 0: nothing is mapped */
	char *addr;			/* where off is in memory */
	uint64_t start;			/* of the first window */
	uint64_t end;			/* of the target: nothing is mapped past it */
	uint64_t size;			/* of a window */
	struct fl_queue *q;
	struct fl_file *f;
	const struct fl_window_kind *kind;
	uint32_t counter;		/* index of FL_WINDOW_MAPPINGS in q->counters */
	uint32_t moved;			/* this file had a window before */
};

/*
 * fl_window_init - a window on f in which nothing is mapped yet.
 * map_window: size of windows, bytes; 0: all the job may touch, at most FL_WINDOW_MAX.
 * end:        size of the target, bytes.
 * counter:    index of the first of FL_WINDOW_COUNTERS counters.
 * q, f, kind: lent until fl_window_drop().
 */
static inline void fl_window_init(struct fl_window *w, struct fl_queue *q, struct fl_file *f,
				  const struct fl_window_kind *kind, uint64_t map_window,
				  uint64_t end, uint32_t counter)
{
	uint64_t io_end = f->io_start + f->io_bytes;

	w->off = w->bytes = 0;
	w->addr = NULL;
	w->start = f->io_start;
	w->end = end;
	w->size = map_window;
	if (!w->size)
		w->size = (f->io_bytes && io_end < end ? io_end : end) - w->start;
	if (!w->size || w->size > FL_WINDOW_MAX)
		w->size = FL_WINDOW_MAX;
	w->q = q;
	w->f = f;
	w->kind = kind;
	w->counter = counter;
	w->moved = 0;
}

/* fl_window_holds - does the window hold [offset, offset + len)? No sum here can overflow. */
static inline int fl_window_holds(const struct fl_window *w, uint64_t offset, uint64_t len)
{
	uint64_t from = offset - w->off;	/* huge if the request begins before the window */

	return from <= w->bytes && len <= w->bytes - from;
}

/* fl_window_at - the memory of a byte that the window holds. */
static inline char *fl_window_at(const struct fl_window *w, uint64_t offset)
{
	return w->addr + (offset - w->off);
}

/* fl_window_unmap - give a mapping back, by the way of its kind. */
static inline void fl_window_unmap(const struct fl_window *w, void *addr, uint64_t bytes)
{
	if (w->kind->unmap)
		w->kind->unmap(w->q, w->f, addr, bytes);
	else
		munmap(addr, (size_t)bytes);
}

/* fl_window_drop - unmap, so that nothing is mapped. Does nothing where that is so already. */
static inline void fl_window_drop(struct fl_window *w)
{
	if (!w->bytes)
		return;
	w->q->host->map_unguard(w->q, w->addr, (size_t)w->bytes);
	fl_window_unmap(w, w->addr, w->bytes);
	w->off = w->bytes = 0;
	w->addr = NULL;
}

/* fl_window_place - the window for [offset, offset + len), which does not reach past w->end. */
static inline void fl_window_place(const struct fl_window *w, uint64_t offset, uint64_t len,
				   uint64_t *off, uint64_t *bytes)
{
	uint64_t from = offset, to;

	if (offset >= w->start)
		from -= (offset - w->start) % w->size;
	if (offset < w->start || offset + len > from + w->size)
		from = offset;		/* it lies across two */
	to = from + (len > w->size ? len : w->size);
	if (to > w->end)
		to = w->end;
	from &= ~(w->kind->align - 1);
	*off = from;
	*bytes = to - from;
}

/* fl_window_move - map the window that holds [offset, offset + len). Returns 0 or -errno. */
static inline int fl_window_move(struct fl_window *w, uint64_t offset, uint64_t len)
{
	uint64_t *counters = w->q->counters + w->counter;
	uint64_t off, bytes;
	void *addr;
	int err;

	fl_window_drop(w);
	fl_window_place(w, offset, len, &off, &bytes);
	err = w->kind->map(w->q, w->f, off, bytes, &addr);
	if (err)
		return err;
	err = w->q->host->map_guard(w->q, addr, (size_t)bytes);
	if (err) {
		fl_window_unmap(w, addr, bytes);
		return err;
	}
	w->off = off;
	w->bytes = bytes;
	w->addr = (char *)addr;
	counters[FL_WINDOW_MAPPINGS]++;
	counters[FL_WINDOW_REMAPS] += w->moved;
	counters[FL_WINDOW_BYTES] += bytes;
	w->moved = 1;
	return 0;
}

/* fl_window_miss - the rest of fl_window_need(), for a request outside of the window. */
#ifdef __GNUC__
__attribute__((noinline, cold, unused))
#endif
static int64_t fl_window_miss(struct fl_window *w, uint64_t offset, uint64_t len)
{
	int err;

	if (offset >= w->end)
		return 0;
	if (len > w->end - offset)
		len = w->end - offset;
	if (fl_window_holds(w, offset, len))
		return (int64_t)len;
	err = fl_window_move(w, offset, len);
	return err ? err : (int64_t)len;
}

/*
 * fl_window_need - see to it that [offset, offset + len) is mapped.
 * Returns how many of the len bytes are there: all of them, fewer at the end of the target, 0 past
 * it; or -errno, and then nothing is mapped. What fl_window_at() said before holds no longer.
 */
static inline int64_t fl_window_need(struct fl_window *w, uint64_t offset, uint64_t len)
{
	if (fl_window_holds(w, offset, len))
		return (int64_t)len;
	return fl_window_miss(w, offset, len);
}

#ifdef __cplusplus
}
#endif
#endif
