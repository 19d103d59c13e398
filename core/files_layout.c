/* SPDX-License-Identifier: MIT */
/*
 * Making files as planned. One buffer serves all of them: a mapping per file would cost more than
 * the small files it is for.
 */
#define _GNU_SOURCE
#include "core/files.h"
#include "core/buffer.h"
#include "fio-like/engine.h"
#include "lib/numfmt.h"
#include "os/file.h"
#include "os/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

void files_wanted(const struct file_set *set, uint32_t *files, uint64_t *bytes)
{
	char name[FILES_NAME_BYTES];
	struct file_place place;
	bool fill = false;

	*files = 0;
	*bytes = 0;
	for (uint32_t i = 0; i < set->nr; i++) {
		const struct file_plan *p = &set->plan[i];

		*files += p->layout != FILES_KEEP;
		fill |= p->layout == FILES_FILL;
		if (p->layout == FILES_MEND)
			*bytes += p->bytes;	/* at most */
		else if (p->layout != FILES_KEEP)
			*bytes += p->size - fl_min(p->have, p->size);
	}
	if (fill && !file_place(files_name(set, 0, name), &place))
		*bytes = fl_min(*bytes, place.free_bytes);
}

/* ---- Is there room for it? ------------------------------------------------------------------- */

#define PLACES_MAX	16	/* file systems that one job is looked at on */

/* What layout takes of a file system. */
struct taking {
	struct file_place place;
	uint64_t bytes;
	uint32_t file;			/* one of those that lie there */
};

/* Space that layout really takes: not that of holes, and not of what ends with the device. */
static uint64_t takes(const struct files_conf *c, const struct file_plan *p)
{
	bool reserves = c->fallocate != LAYOUT_NONE && c->fallocate != LAYOUT_TRUNCATE;

	if (p->type != FL_FILE_REGULAR || p->have >= p->size)
		return 0;
	if (p->layout == FILES_WRITE || (p->layout == FILES_ALLOCATE && reserves))
		return p->size - p->have;
	return 0;
}

/* The entry of a file's place; NULL where it cannot be told, or there are too many. */
static struct taking *taking_of(const struct file_set *set, uint32_t i, struct taking *list,
				uint32_t *count)
{
	char name[FILES_NAME_BYTES];
	struct file_place place;

	/* Made names lie side by side: one answer is enough for a million of them. */
	if (!set->names.list && *count)
		return &list[0];
	if (file_place(files_name(set, i, name), &place))
		return NULL;
	for (uint32_t k = 0; k < *count; k++)
		if (list[k].place.device == place.device)
			return &list[k];
	if (*count == PLACES_MAX)
		return NULL;
	list[*count] = (struct taking){ .place = place, .file = i };
	return &list[(*count)++];
}

int files_room(const struct file_set *set, char *why, size_t why_bytes)
{
	const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };
	struct taking list[PLACES_MAX];
	char name[FILES_NAME_BYTES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < set->nr; i++) {
		uint64_t bytes = takes(set->conf, &set->plan[i]);
		struct taking *t = bytes ? taking_of(set, i, list, &count) : NULL;

		if (t)
			t->bytes += bytes;
	}
	for (uint32_t k = 0; k < count; k++) {
		if (list[k].bytes <= list[k].place.free_bytes)
			continue;
		snprintf(why, why_bytes, "laying out its files takes %s, and where %.300s lies "
			 "only %s are free; lower size, or choose another place with directory=",
			 num_bytes(list[k].bytes, style).s, files_name(set, list[k].file, name),
			 num_bytes(list[k].place.free_bytes, style).s);
		return -ENOSPC;
	}
	return 0;
}

/* ---- Making them ----------------------------------------------------------------------------- */

/* What layout_fill() is told about one file. */
struct filling {
	struct layout_source source;
	struct rand rand;
	uint64_t told;
	int (*progress)(void *ctx, uint64_t bytes);
	void *ctx;
};

static void fill_piece(void *ctx, void *data, uint64_t offset_bytes, size_t bytes)
{
	struct filling *f = ctx;

	(void)offset_bytes;
	buffer_random(&f->rand, data, bytes);
}

static int piece_done(void *ctx, uint64_t done_bytes)
{
	struct filling *f = ctx;
	uint64_t more = done_bytes - f->told;

	f->told = done_bytes;
	return f->progress ? f->progress(f->ctx, more) : 0;
}

/* fill_device: a full device is an end like any other; the plan shrinks to what was reached. */
static int fill_up(struct file_plan *p, int fd, struct filling *f)
{
	int err = layout_fill(fd, p->have, p->size - p->have, &f->source);
	struct stat st;

	if (err != -ENOSPC && err != -EDQUOT)
		return err;
	if (fstat(fd, &st))
		return -errno;
	p->size = (uint64_t)st.st_size;
	p->bytes = p->size > p->start ? p->size - p->start : 0;
	return 0;
}

/* overwrite=1: what the job will meet of an old file has data, too. */
static int mend(const struct file_set *set, struct file_plan *p, int fd, struct filling *f)
{
	uint64_t end = fl_min(p->start + p->bytes, p->have);
	int err = 0;

	f->told = 0;
	if (set->conf->overwrite && end > p->start)
		err = layout_mend(fd, p->start, end - p->start, &f->source);
	f->told = 0;
	return err;
}

static int make_file(const struct file_set *set, struct file_plan *p, int fd, struct filling *f,
		     char *note, size_t note_bytes)
{
	int err = p->layout == FILES_FILL || p->layout == FILES_MEND ? 0 :
		  layout_allocate(fd, set->conf->fallocate, p->size, note, note_bytes);

	if (err < 0)
		return err;
	/* Mapping engines need the size even where no space was reserved. */
	if (p->layout == FILES_ALLOCATE)
		return set->full_size ? layout_truncate(fd, p->size) : 0;
	err = mend(set, p, fd, f);
	if (!err && p->layout != FILES_MEND)
		err = p->layout == FILES_FILL ? fill_up(p, fd, f) :
		      layout_fill(fd, p->have, p->size - p->have, &f->source);
	if (!err && set->conf->create_fsync)
		err = layout_sync(fd);
	return err;
}

/* Opens a file to be laid out, and makes the folders above it. Returns a descriptor or -errno. */
static int create(const char *name)
{
	const int flags = O_RDWR | O_CREAT | O_CLOEXEC;
	int fd = open(name, flags, 0644), err;

	if (fd >= 0 || errno != ENOENT)
		return fd >= 0 ? fd : -errno;
	err = file_make_parents(name);
	if (err)
		return err;
	fd = open(name, flags, 0644);
	return fd >= 0 ? fd : -errno;
}

static int make_all(struct file_set *set, struct filling *f, char *note, size_t note_bytes,
		    char *why, size_t why_bytes)
{
	char name[FILES_NAME_BYTES];
	int err = 0;

	set->bytes = 0;
	for (uint32_t i = 0; !err && i < set->nr; i++) {
		struct file_plan *p = &set->plan[i];
		int fd;

		if (p->layout != FILES_KEEP && p->type == FL_FILE_REGULAR) {
			fd = create(files_name(set, i, name));
			err = fl_min(fd, 0);
			if (!err) {
				err = make_file(set, p, fd, f, note, note_bytes);
				close(fd);
			}
			if (err)
				snprintf(why, why_bytes, "laying out file %s (%llu bytes): %s%s",
					 name, (ull)p->size, strerror(-err),
					 err == -ENOSPC ? "; lower size, or choose another place "
					 "with directory=" : "");
		}
		set->bytes += p->bytes;
	}
	if (!err && !set->bytes) {
		snprintf(why, why_bytes, "the device was full before its files could get any "
			 "bytes");
		err = -ENOSPC;
	}
	return err;
}

int files_layout(struct file_set *set, uint64_t seed, int (*progress)(void *ctx, uint64_t bytes),
		 void *ctx, char *note, size_t note_bytes, char *why, size_t why_bytes)
{
	struct filling f = { .progress = progress, .ctx = ctx };
	struct mem_want want = { .kind = MEM_MMAP, .bytes = LAYOUT_PIECE_BYTES };
	struct mem_buf buf;
	char reason[128];
	int err = mem_buf_alloc(&buf, &want, reason, sizeof(reason));

	note[0] = '\0';
	if (err) {
		snprintf(why, why_bytes, "laying out files: %s", reason);
		return err;
	}
	rand_seed(&f.rand, seed, (2ull << 32) + set->names.clone);
	f.source = (struct layout_source){ fill_piece, piece_done, &f, buf.data };
	err = make_all(set, &f, note, note_bytes, why, why_bytes);
	mem_buf_free(&buf);
	return err;
}

static int make_anew(const char *name, uint64_t size)
{
	int fd = create(name), err;

	if (fd < 0)
		return fd;
	err = layout_truncate(fd, size);
	close(fd);
	return err;
}

int files_unlink(const struct file_set *set, bool anew)
{
	char name[FILES_NAME_BYTES];
	int first = 0;

	for (uint32_t i = 0; i < set->nr; i++) {
		const struct file_plan *p = &set->plan[i];
		int err;

		if (p->type != FL_FILE_REGULAR)
			continue;
		err = file_unlink(files_name(set, i, name));
		if ((!err || err == -ENOENT) && anew && set->full_size)
			err = make_anew(name, p->size);
		if (err && err != -ENOENT && !first)
			first = err;
	}
	return first;
}
