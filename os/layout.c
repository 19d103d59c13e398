/* SPDX-License-Identifier: MIT */
/* Laying out files: size, space, and real bytes. */
#define _GNU_SOURCE 1
#include "os/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base.h"
#include "os/extents.h"
#include "os/file.h"
#include "os/mem.h"

static const char *how_name(enum layout_alloc how)
{
	static const char *const names[] = {
		[LAYOUT_NONE] = "none", [LAYOUT_NATIVE] = "native", [LAYOUT_POSIX] = "posix",
		[LAYOUT_KEEP] = "keep", [LAYOUT_TRUNCATE] = "truncate",
	};

	return names[how];
}

/* Errors that only say "not with this file system (or device)". */
static int error_is_inability(int err)
{
	return err == -EOPNOTSUPP || err == -ENOSYS || err == -EINVAL || err == -ENODEV ||
	       err == -ESPIPE;
}

/* Space already there is kept, so asking from 0 is right for a file that only grows. */
static int allocate_native(int fd, int mode, uint64_t size_bytes)
{
	int err;

	do {
		err = fallocate(fd, mode, 0, (off_t)size_bytes) < 0 ? -errno : 0;
	} while (err == -EINTR);
	return err;
}

static int allocate_posix(int fd, uint64_t size_bytes)
{
	int err;

	do {
		err = -posix_fallocate(fd, 0, (off_t)size_bytes);
	} while (err == -EINTR);
	return err;
}

static int allocate_truncate(int fd, uint64_t size_bytes)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size >= size_bytes)
		return 0;
	return layout_truncate(fd, size_bytes);
}

int layout_allocate(int fd, enum layout_alloc how, uint64_t size_bytes, char *note,
		    size_t note_size)
{
	int err = 0;

	if (!size_bytes)
		return 0;
	switch (how) {
	case LAYOUT_NONE:
		break;
	case LAYOUT_NATIVE:
		err = allocate_native(fd, 0, size_bytes);
		break;
	case LAYOUT_POSIX:
		err = allocate_posix(fd, size_bytes);
		break;
	case LAYOUT_KEEP:
		err = allocate_native(fd, FALLOC_FL_KEEP_SIZE, size_bytes);
		break;
	case LAYOUT_TRUNCATE:
		err = allocate_truncate(fd, size_bytes);
		break;
	}
	if (!error_is_inability(err))
		return err;
	snprintf(note, note_size, "no space was reserved: fallocate=%s is not possible here (%s)",
		 how_name(how), strerror(-err));
	return 1;
}

static int fill_pieces(int fd, uint64_t offset, uint64_t bytes, const struct layout_source *source,
		       char *data)
{
	uint64_t done = 0;

	while (done < bytes) {
		size_t piece = (size_t)fl_min(bytes - done, (uint64_t)LAYOUT_PIECE_BYTES);
		int err;

		source->fill(source->ctx, data, offset + done, piece);
		err = file_write_all(fd, data, piece, offset + done);
		if (err)
			return err;
		done += piece;
		err = source->progress ? source->progress(source->ctx, done) : 0;
		if (err)
			return err;
	}
	return 0;
}

int layout_fill(int fd, uint64_t offset_bytes, uint64_t bytes, const struct layout_source *source)
{
	struct mem_want want = { .kind = MEM_MMAP, .bytes = LAYOUT_PIECE_BYTES };
	struct mem_buf buf;
	char reason[128];
	int err;

	if (source->buffer)
		return fill_pieces(fd, offset_bytes, bytes, source, source->buffer);
	err = mem_buf_alloc(&buf, &want, reason, sizeof(reason));
	if (err)
		return err;
	err = fill_pieces(fd, offset_bytes, bytes, source, buf.data);
	mem_buf_free(&buf);
	return err;
}

/* ---- What holds no data ---------------------------------------------------------------------- */

#define GAPS	64u			/* mended at a time */

struct gaps {
	uint64_t bytes;			/* of all of them */
	unsigned int n;
	struct {
		uint64_t offset, bytes;
	} gap[GAPS];
};

static void add_gap(void *ctx, const struct extent *e)
{
	struct gaps *g = ctx;

	if (e->kind == EXTENT_DATA)
		return;
	g->bytes += e->bytes;
	if (g->n < GAPS) {
		g->gap[g->n].offset = e->offset;
		g->gap[g->n++].bytes = e->bytes;
	}
}

uint64_t layout_lacking(const char *path, uint64_t offset_bytes, uint64_t bytes)
{
	int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOATIME, 0, NULL);
	struct gaps g = { .n = 0 };

	if (fd < 0)
		return 0;
	extents_each(fd, offset_bytes, bytes, UINT32_MAX, add_gap, &g);
	close(fd);
	return g.bytes;
}

/* Each gap is a fill of its own, and progress is told of all of them together. */
struct mending {
	const struct layout_source *source;
	uint64_t before;		/* bytes of the gaps that are done */
};

static void mend_piece(void *ctx, void *data, uint64_t offset_bytes, size_t bytes)
{
	const struct mending *m = ctx;

	m->source->fill(m->source->ctx, data, offset_bytes, bytes);
}

static int mend_progress(void *ctx, uint64_t done_bytes)
{
	const struct mending *m = ctx;

	return m->source->progress ? m->source->progress(m->source->ctx, m->before + done_bytes)
				   : 0;
}

int layout_mend(int fd, uint64_t offset_bytes, uint64_t bytes, const struct layout_source *source)
{
	struct mending m = { .source = source };
	struct layout_source each = { mend_piece, mend_progress, &m, source->buffer };
	uint64_t at = offset_bytes, end = offset_bytes + bytes;
	int err = layout_sync(fd);	/* now the map says exactly where there is data */

	while (!err && at < end) {
		struct gaps g = { .n = 0 };
		int64_t told = extents_each(fd, at, end - at, GAPS, add_gap, &g);

		if (told <= 0)
			return told == -EOPNOTSUPP ? 0 : (int)told;
		for (unsigned int i = 0; !err && i < g.n; i++) {
			err = layout_fill(fd, g.gap[i].offset, g.gap[i].bytes, &each);
			m.before += g.gap[i].bytes;
		}
		at = g.n == GAPS ? g.gap[GAPS - 1].offset + g.gap[GAPS - 1].bytes
				 : at + (uint64_t)told;
	}
	return err;
}

int layout_truncate(int fd, uint64_t size_bytes)
{
	int err;

	do {
		err = ftruncate(fd, (off_t)size_bytes) < 0 ? -errno : 0;
	} while (err == -EINTR);
	return err;
}

int layout_sync(int fd)
{
	int err;

	do {
		err = fsync(fd) < 0 ? -errno : 0;
	} while (err == -EINTR);
	return err;
}
