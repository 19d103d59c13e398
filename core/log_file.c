/* SPDX-License-Identifier: MIT */
/* Creating, appending, and what to do when a disk is full. */
#define _GNU_SOURCE
#include "core/log_file.h"
#include "os/file.h"
#include "os/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Last of all: who sees the error reads ->bytes, which does not change any more. */
static void fail(struct log_file *f, int err)
{
	atomic_store(&f->error, err);
}

static void close_file(struct log_files *set, struct log_file *f)
{
	if (f->fd < 0)
		return;
	if (close(f->fd) && !f->error)
		fail(f, errno);
	f->fd = -1;
	set->open -= !f->keeps_open;
}

/* Keep the descriptor, or do without until the next write. */
static void put_away(struct log_files *set, struct log_file *f)
{
	if (!f->keeps_open && set->open > set->open_max)
		close_file(set, f);
}

static void open_file(struct log_files *set, struct log_file *f, int flags)
{
	f->fd = output_open(f->path, O_APPEND | flags);
	if (f->fd < 0)
		fail(f, -f->fd);
	else
		set->open += !f->keeps_open;
}

static void create(struct log_files *set, struct log_file *f)
{
	struct file_facts facts;

	open_file(set, f, O_CREAT | O_TRUNC);
	if (f->fd < 0)
		return;
	if (!file_facts_fd(f->fd, &facts) && facts.type != FILE_REGULAR) {
		f->keeps_open = true;
		set->open--;
	}
	put_away(set, f);
}

static struct log_file *find_shared(const struct log_files *set, const char *path)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->list[i]->shared && !strcmp(set->list[i]->path, path))
			return set->list[i];
	return NULL;
}

struct log_file *log_files_add(struct log_files *set, const char *path, bool shared,
			       size_t chunk_bytes)
{
	struct log_file *f = shared ? find_shared(set, path) : NULL;

	if (f)
		return f;
	if (set->count == set->room) {
		set->room = set->room ? 2 * set->room : 16;
		set->list = reallocarray(set->list, set->room, sizeof(*set->list));
		fl_assert(set->list);
	}
	f = calloc(1, sizeof(*f));
	fl_assert(f);
	*f = (struct log_file){
		.path = strdup(path), .shared = shared, .compressed = chunk_bytes, .fd = -1,
		.chunk_full = chunk_bytes,
	};
	fl_assert(f->path);
	if (chunk_bytes && !set->zip)
		set->zip = zip_new();
	set->list[set->count++] = f;
	create(set, f);
	if (chunk_bytes && !set->zip)
		fail(f, ENOMEM);
	return f;
}

void log_files_close(struct log_files *set)
{
	for (size_t i = 0; i < set->count; i++)
		close_file(set, set->list[i]);
}

void log_files_free(struct log_files *set)
{
	for (size_t i = 0; i < set->count; i++) {
		fl_assert(set->list[i]->fd < 0);
		free(set->list[i]->chunk);
		free(set->list[i]->path);
		free(set->list[i]);
	}
	free(set->list);
	zip_free(set->zip);
	memset(set, 0, sizeof(*set));
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The disk is full in the middle of a line: the file ends before it. */
static void cut(struct log_file *f, const char *bytes, size_t written)
{
	const char *last = f->compressed ? NULL : memrchr(bytes, '\n', written);
	size_t whole = last ? (size_t)(last + 1 - bytes) : 0;

	f->bytes += whole;
	if (!f->keeps_open && whole < written && ftruncate(f->fd, (off_t)f->bytes))
		f->bytes += written - whole;	/* then it ends with half a line */
}

/* Returns 0 or -errno, which the caller tells fail() when it is through with the file. */
static int write_all(void *ctx, const void *bytes, size_t n)
{
	struct log_file *f = ctx;
	size_t done = 0;

	while (done < n) {
		ssize_t got = write(f->fd, (const char *)bytes + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int err = got ? -errno : -EIO;

			cut(f, bytes, done);
			return err;
		}
		done += (size_t)got;
	}
	f->bytes += n;
	return 0;
}

static bool ready(struct log_files *set, struct log_file *f)
{
	if (f->error)
		return false;
	if (f->fd < 0)
		open_file(set, f, 0);
	return f->fd >= 0;
}

static void write_stream(struct log_files *set, struct log_file *f)
{
	uint64_t before = f->bytes;
	int err;

	if (!ready(set, f))
		return;
	err = zip_stream(set->zip, f->chunk, f->chunk_bytes, write_all, f);
	if (err && !f->keeps_open && !ftruncate(f->fd, (off_t)before))
		f->bytes = before;	/* whole streams only */
	if (err)
		fail(f, -err);
	f->chunk_bytes = 0;
	put_away(set, f);
}

static bool chunk_reserve(struct log_file *f, size_t n)
{
	size_t want = fl_max(f->chunk_bytes + n, 2 * f->chunk_room);
	char *bigger;

	if (f->chunk_bytes + n <= f->chunk_room)
		return true;
	bigger = realloc(f->chunk, want);
	if (!bigger) {
		fail(f, ENOMEM);
		return false;
	}
	f->chunk = bigger;
	f->chunk_room = want;
	return true;
}

void log_file_write(struct log_files *set, struct log_file *f, const char *bytes, size_t n)
{
	if (!f->compressed) {
		if (n && ready(set, f)) {
			int err = write_all(f, bytes, n);

			if (err)
				fail(f, -err);
			put_away(set, f);
		}
		return;
	}
	if (f->error || !chunk_reserve(f, n))
		return;
	memcpy(f->chunk + f->chunk_bytes, bytes, n);
	f->chunk_bytes += n;
	if (f->chunk_bytes >= f->chunk_full)
		write_stream(set, f);	/* no record lies across two streams: fio needs that */
}

void log_file_end(struct log_files *set, struct log_file *f)
{
	if (f->compressed && (f->chunk_bytes || (!f->bytes && !f->shared)))
		write_stream(set, f);
	if (!f->shared)
		close_file(set, f);
}
