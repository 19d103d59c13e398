/* SPDX-License-Identifier: MIT */
/*
 * The I/O buffers of a worker: where they lie, and what is in them when they are written.
 *
 * They are allocated, aligned and touched before the clock starts. The default alignment is a page:
 * a destination off by 16 bytes makes the kernel's copy two to three times slower on current
 * CPUs, and that would be our cost in the user's numbers.
 */
#ifndef CORE_BUFFER_H
#define CORE_BUFFER_H

#include "core/content.h"
#include "core/opt.h"
#include "lib/pattern.h"
#include "lib/rand.h"
#include "os/mem.h"

struct iomem_conf {
	uint32_t kind;			/* enum mem_kind */
	const char *path;		/* of the mmap kinds, or NULL */
};

struct buffer_conf {
	struct iomem_conf mem;
	uint64_t align;			/* bytes; 0: a page */
	uint64_t hugepage_bytes;
	uint32_t zero;
	uint32_t refill;
	uint32_t scramble;
	const struct pattern *pattern;	/* or NULL; goes before zero */
	struct content_conf content;	/* goes before both */
	/* What these come to for each write; buffer_check() finds it out. */
	bool fills;			/* filled anew */
	bool scrambles;			/* changed in a few places */
};

extern const struct opt_table buffer_options;

/*
 * iomem_shared - is what I/O puts into the buffers put into the file of mem=KIND:PATH, too?
 * iomem_harms - would they change that file, if it is there already: its bytes, or its size?
 */
bool iomem_shared(const struct iomem_conf *m);
bool iomem_harms(const struct iomem_conf *m);

/*
 * buffer_pattern - compile the text of an option that takes a pattern. The result lives to the end
 * of the run. Main thread. Returns 0, 1 with a note in why, or -EINVAL with what is wrong there.
 */
int buffer_pattern(const char *text, const struct pattern **out, char *why, size_t why_bytes);

/* What buffer_check() must know besides the settings. */
struct buffer_facts {
	bool reads;			/* the job reads, too: buffers don't keep what they had */
	bool scramble_asked;		/* scramble_buffers was: it counts with zero_buffers */
	bool refill_asked;		/* refill_buffers was: 0 counts with compression */
};

/*
 * buffer_check - settle what happens before each write. Returns 0, 1 with a note in why, or -EINVAL
 * with a sentence there.
 */
int buffer_check(struct buffer_conf *c, const struct buffer_facts *facts, char *why,
		 size_t why_bytes);

/* The buffers of one worker. */
struct buffers {
	char *base;
	uint64_t stride;		/* from one buffer to the next */
	const struct buffer_conf *conf;
	struct mem_buf mem;
	uint32_t count;
	struct rand rand;
	struct content content;		/* of conf->content; unused where that is not on */
};

struct buffers_want {
	uint64_t bytes;			/* of each, at least */
	uint32_t count;
	void *base;			/* of count x buffers_stride() bytes; NULL: allocated */
	struct content_use content;
};

/*
 * buffers_alloc - buffers filled as the job asks. conf must outlive them. Returns 0, or -errno with
 * a sentence in why.
 */
int buffers_alloc(struct buffers *b, const struct buffer_conf *conf,
		  const struct buffers_want *want, char *why, size_t why_bytes);
void buffers_free(struct buffers *b);

/* buffers_stride - bytes from one buffer to the next for blocks of this size. */
uint64_t buffers_stride(const struct buffer_conf *conf, uint64_t bytes);

/* buffers_at - the buffer of a slot. */
fl_inline void *buffers_at(const struct buffers *b, uint32_t slot)
{
	return b->base + slot * b->stride;
}

/* buffer_random - fill len bytes with random numbers. */
void buffer_random(struct rand *r, void *buf, size_t len);

/*
 * buffers_prepare - make buf what a write of len bytes at offset is to carry: content to compress
 * or deduplicate; new random data (refill), the pattern with this offset in it, the pattern or
 * zeroes where a read may have replaced them; or the old data with a few words changed per 512
 * bytes (scramble), so that devices that look for repeated blocks find none. Call only where
 * buffers_active() says so. Not part of any latency.
 */
void buffers_prepare(struct buffers *b, void *buf, uint64_t len, uint64_t offset);

/* buffers_active - does buffers_prepare() do anything for this job? */
bool buffers_active(const struct buffer_conf *conf);

#endif
