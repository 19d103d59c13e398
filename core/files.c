/* SPDX-License-Identifier: MIT */
/*
 * Planning and laying out the files of a job.
 *
 * Sizes follow the rules job files were written for: size is shared equally among the files, filesize
 * is each file's own (or drawn from a range), neither means what exists.
 */
#define _GNU_SOURCE
#include "core/files.h"
#include "core/buffer.h"
#include "core/debug.h"
#include "fio-like/engine.h"
#include "lib/span.h"
#include "lib/strbuf.h"
#include "os/file.h"
#include "os/inuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long ull;

const char *files_name(const struct file_set *set, uint32_t i, char *buf)
{
	if (set->names)
		snprintf(buf, FILES_NAME_BYTES, "%s%s", set->names[i][0] == '/' ? "" : set->dir,
			 set->names[i]);
	else
		snprintf(buf, FILES_NAME_BYTES, "%s%s.%u.%u", set->dir, set->job, set->clone, i);
	return buf;
}

/* Cut a ':' list with "\:" for a colon. Returns the number of names; *names is the caller's. */
static uint32_t split_names(const char *list, char ***names)
{
	struct span rest = span_of(list);
	struct strbuf one = { 0 };
	uint32_t n = 0;

	*names = NULL;
	while (span_next_name(&rest, &one)) {
		char **more = realloc(*names, (n + 1) * sizeof(*more));

		if (!more)
			break;
		*names = more;
		(*names)[n++] = strdup(one.text);
	}
	strbuf_free(&one);
	return n;
}

static void free_names(char **names, uint32_t n)
{
	for (uint32_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

/* The folder of this clone: clones take turns for generated names; named files lie in the first. */
static int choose_dir(struct file_set *set, char *why, size_t why_bytes)
{
	const char *list = set->conf->directory;
	struct file_facts facts;
	char **dirs;
	uint32_t n;
	const char *dir;
	int err = 0;

	set->dir = strdup("");
	if (!list || !set->dir)
		return set->dir ? 0 : -ENOMEM;
	n = split_names(list, &dirs);
	if (!n) {
		snprintf(why, why_bytes, "directory=%s: names no folder", list);
		return -EINVAL;
	}
	dir = dirs[set->names ? 0 : set->clone % n];
	err = file_facts(dir, &facts);
	if (err || facts.type != FILE_DIRECTORY) {
		snprintf(why, why_bytes, "directory=%s: %s; create it first, or name another", dir,
			 err ? strerror(-err) : facts.type == FILE_MISSING ? "there is no such folder"
			 : "it is no folder");
		err = err ? err : facts.type == FILE_MISSING ? -ENOENT : -ENOTDIR;
	} else {
		free(set->dir);
		if (asprintf(&set->dir, "%s/", dir) < 0) {
			set->dir = NULL;
			err = -ENOMEM;
		}
	}
	free_names(dirs, n);
	return err;
}

static int plan_names(struct file_set *set, char *why, size_t why_bytes)
{
	const struct files_conf *c = set->conf;
	int err;

	set->nr = c->nrfiles;
	if (c->filename) {
		set->nr = split_names(c->filename, &set->names);
		if (!set->nr) {
			snprintf(why, why_bytes, "filename=%s: names no file", c->filename);
			return -EINVAL;
		}
	}
	err = choose_dir(set, why, why_bytes);
	if (err)
		return err;
	set->plan = calloc(set->nr, sizeof(*set->plan));
	return set->plan ? 0 : -ENOMEM;
}

static int facts_error(const char *name, int err, char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "file %s: %s", name, strerror(-err));
	return err;
}

/* What is there now: type and size. A missing file is a regular one of 0 bytes. */
static int look(const char *name, const struct files_need *need, struct file_plan *p, bool *exists,
		char *why, size_t why_bytes)
{
	struct file_facts facts;
	int err;

	if (need->size_of) {
		p->type = need->names ? FL_FILE_NAME : FL_FILE_REGULAR;
		err = need->size_of(need->ctx, name, &p->have);
		*exists = err == 0;
		if (!err || err == -ENOENT)
			return 0;
		return facts_error(name, err, why, why_bytes);
	}
	err = file_facts(name, &facts);
	if (err)
		return facts_error(name, err, why, why_bytes);
	*exists = facts.type != FILE_MISSING;
	p->have = facts.size_bytes;
	switch (facts.type) {
	case FILE_BLOCK:
		p->type = FL_FILE_BLOCK;
		break;
	case FILE_CHAR:
		p->type = FL_FILE_CHAR;
		break;
	case FILE_FIFO:
		p->type = FL_FILE_PIPE;
		break;
	case FILE_DIRECTORY:
	case FILE_OTHER:
		snprintf(why, why_bytes, "filename=%s: it is a %s; give a file or a device%s", name,
			 file_type_name(facts.type),
			 facts.type == FILE_DIRECTORY ? ", or directory= for a folder" : "");
		return -EISDIR;
	default:
		p->type = FL_FILE_REGULAR;
	}
	return 0;
}

/* The part of the file: start and bytes, before any clipping. */
static int plan_range(const struct file_set *set, const struct files_need *need, const char *name,
		      struct rand *r, struct file_plan *p, char *why, size_t why_bytes)
{
	const struct files_conf *c = set->conf;
	uint64_t share = c->size.percent > 0 ? 0 : c->size.bytes / set->nr;
	uint64_t whole = p->have;

	if (c->filesize.lo) {
		whole = c->filesize.lo;
		if (p->have >= c->filesize.lo && p->have <= c->filesize.hi)
			whole = p->have;
		else if (c->filesize.hi > c->filesize.lo)
			whole += rand_below(r, c->filesize.hi - c->filesize.lo + 1);
	}
	p->start = c->offset.bytes;
	if (c->offset.percent > 0) {
		uint64_t base = c->filesize.lo ? whole : share ? share : p->have;

		p->start = (uint64_t)((double)base * c->offset.percent / 100.0);
		p->start -= p->start % need->block_min;
	}
	if (share && !c->filesize.lo) {
		p->bytes = share;
		return 0;
	}
	if (p->start > whole || (p->start == whole && whole)) {
		snprintf(why, why_bytes, "offset=%llu: file %s ends at %llu bytes; begin before that",
			 (ull)p->start, name, (ull)whole);
		return -EINVAL;
	}
	p->bytes = whole - p->start;
	if (c->size.percent > 0 && c->size.percent < 100) {
		uint64_t part = (uint64_t)((double)whole * c->size.percent / 100.0);

		p->bytes = fl_min(part, p->bytes);
		p->bytes -= p->bytes % need->block_min;
	}
	return 0;
}

/* Too short, or not there: may it be made, and how? */
static int plan_layout(const struct file_set *set, const struct files_need *need, const char *name,
		       bool exists, struct file_plan *p, char *why, size_t why_bytes)
{
	const struct files_conf *c = set->conf;
	bool reads = need->dirs & 1u << DIR_READ;

	p->size = p->start + p->bytes;
	if (p->have >= p->size && exists) {
		p->size = p->have;
		return 0;
	}
	if (p->type == FL_FILE_BLOCK || p->type == FL_FILE_NAME) {
		if (p->type == FL_FILE_NAME && !exists && c->allow_file_create) {
			p->layout = FILES_WRITE;
			return 0;
		}
		snprintf(why, why_bytes, "%s has %llu bytes, but the job needs %llu (offset %llu + size "
			 "%llu); lower size or offset", name, (ull)p->have, (ull)p->size,
			 (ull)p->start, (ull)p->bytes);
		return -ENOSPC;
	}
	if (p->type != FL_FILE_REGULAR)
		return 0;
	if (!c->allow_file_create) {
		snprintf(why, why_bytes, exists ? "file %s has %llu bytes, but the job needs %llu, and "
			 "allow_file_create=0 forbids to make it longer" :
			 "file %s does not exist, and allow_file_create=0 forbids to make it",
			 name, (ull)p->have, (ull)p->size);
		return -ENOENT;
	}
	if (reads || c->overwrite)
		p->layout = FILES_WRITE;
	else if (need->full_size || !c->create_on_open)
		p->layout = FILES_ALLOCATE;
	return 0;
}

/* What the run will want of the file is asked for now, before anything of any job has happened. */
static int check_access(const struct files_need *need, const char *name, const struct file_plan *p,
			char *why, size_t why_bytes)
{
	bool write = need->dirs & ~(1u << DIR_READ) || p->layout != FILES_KEEP;
	int err = file_may(name, true, write);

	if (err)
		snprintf(why, why_bytes, "file %s may not be %s: %s", name,
			 !write ? "read" : p->have ? "read and written" : "made or written",
			 strerror(-err));
	return err;
}

static const char *const layout_words[] = {
	[FILES_KEEP] = "nothing is to be made", [FILES_ALLOCATE] = "space is to be reserved",
	[FILES_WRITE] = "it is to be written first",
};

static int plan_one(struct file_set *set, const struct files_need *need, struct rand *r, uint32_t i,
		    char *why, size_t why_bytes)
{
	const struct files_conf *c = set->conf;
	struct file_plan *p = &set->plan[i];
	char name[FILES_NAME_BYTES], use[128];
	bool exists = true;
	int err;

	files_name(set, i, name);
	if (strlen(name) + 1 >= FILES_NAME_BYTES) {
		snprintf(why, why_bytes, "the path of file %u has more than %d bytes", i,
			 FILES_NAME_BYTES - 2);
		return -ENAMETOOLONG;
	}
	if (!need->no_files) {
		err = look(name, need, p, &exists, why, why_bytes);
		if (err)
			return err;
	}
	err = plan_range(set, need, name, r, p, why, why_bytes);
	if (err)
		return err;
	if (!p->bytes) {
		if (exists && !need->no_files && p->have)
			snprintf(why, why_bytes, "file %s: nothing is left of its %llu bytes to work on; "
				 "check size and offset", name, (ull)p->have);
		else
			snprintf(why, why_bytes, "no size is given, and %s%s; say how much with size= "
				 "or filesize=", need->no_files ? "the engine has no files to take one "
				 "from" : exists ? name : "there is no file ",
				 need->no_files ? "" : exists ? " has none of its own" : name);
		return -EINVAL;
	}
	if (p->start + p->bytes < p->start || p->start + p->bytes > INT64_MAX) {
		snprintf(why, why_bytes, "offset %llu and size %llu end beyond the largest file",
			 (ull)p->start, (ull)p->bytes);
		return -EFBIG;
	}
	if (p->type == FL_FILE_BLOCK && need->dirs & ~(1u << DIR_READ) && !c->allow_mounted_write &&
	    inuse_check(name, use, sizeof(use)) == 1) {
		snprintf(why, why_bytes, "%s is %s; writing would destroy what is on it. If that is "
			 "meant: allow_mounted_write=1", name, use);
		return -EBUSY;
	}
	if (need->no_files)
		return 0;
	err = plan_layout(set, need, name, exists, p, why, why_bytes);
	debug_say(DEBUG_FILE, "job %s: %s: has %llu bytes, %llu are used from %llu on, %s",
		  set->job, name, (ull)p->have, (ull)p->bytes, (ull)p->start, layout_words[p->layout]);
	return err || need->size_of ? err : check_access(need, name, p, why, why_bytes);
}

int files_plan(struct file_set *set, const struct files_conf *conf, const char *job, uint32_t clone,
	       const struct files_need *need, char *why, size_t why_bytes)
{
	struct rand r;
	bool fits = false;
	int err;

	memset(set, 0, sizeof(*set));
	set->conf = conf;
	set->job = job;
	set->clone = clone;
	set->full_size = need->full_size;
	rand_seed(&r, need->seed, (1ull << 32) + clone);
	err = plan_names(set, why, why_bytes);
	for (uint32_t i = 0; !err && i < set->nr; i++) {
		err = plan_one(set, need, &r, i, why, why_bytes);
		set->bytes += set->plan[i].bytes;
		fits |= set->plan[i].bytes >= need->block_min;
	}
	if (!err && !fits) {
		snprintf(why, why_bytes, "bs=%llu is larger than any file's share (%llu bytes); lower bs or "
			 "raise size", (ull)need->block_min, (ull)set->plan[0].bytes);
		err = -EINVAL;
	}
	if (err == -ENOMEM && !why[0])
		snprintf(why, why_bytes, "no memory for the plan of %u files", set->nr);
	return err;
}

void files_free(struct file_set *set)
{
	free_names(set->names, set->nr);
	free(set->dir);
	free(set->plan);
	memset(set, 0, sizeof(*set));
}

void files_wanted(const struct file_set *set, uint32_t *files, uint64_t *bytes)
{
	*files = 0;
	*bytes = 0;
	for (uint32_t i = 0; i < set->nr; i++) {
		const struct file_plan *p = &set->plan[i];

		*files += p->layout != FILES_KEEP;
		if (p->layout != FILES_KEEP)
			*bytes += p->size - fl_min(p->have, p->size);
	}
}

/* What layout_fill() is told about one file. */
struct filling {
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

static int make_file(const struct file_set *set, const struct file_plan *p, int fd,
		     struct filling *f, char *note, size_t note_bytes)
{
	const struct layout_source source = { fill_piece, piece_done, f };
	int err = layout_allocate(fd, set->conf->fallocate, p->size, note, note_bytes);

	if (err < 0)
		return err;
	/* Mapping engines need the size even where no space was reserved. */
	if (p->layout == FILES_ALLOCATE)
		return set->full_size ? layout_truncate(fd, p->size) : 0;
	err = layout_fill(fd, p->have, p->size - p->have, &source);
	if (!err && set->conf->create_fsync)
		err = layout_sync(fd);
	return err;
}

int files_layout(const struct file_set *set, uint64_t seed, int (*progress)(void *ctx, uint64_t bytes),
		 void *ctx, char *note, size_t note_bytes, char *why, size_t why_bytes)
{
	struct filling f = { .progress = progress, .ctx = ctx };
	char name[FILES_NAME_BYTES];
	int err = 0;

	rand_seed(&f.rand, seed, (2ull << 32) + set->clone);
	note[0] = '\0';
	for (uint32_t i = 0; !err && i < set->nr; i++) {
		const struct file_plan *p = &set->plan[i];
		int fd;

		if (p->layout == FILES_KEEP || p->type != FL_FILE_REGULAR)
			continue;
		files_name(set, i, name);
		err = file_make_parents(name);
		fd = err ? err : open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
		if (!err && fd < 0)
			err = -errno;
		if (!err) {
			f.told = 0;
			err = make_file(set, p, fd, &f, note, note_bytes);
			close(fd);
		}
		if (err)
			snprintf(why, why_bytes, "laying out file %s (%llu bytes): %s%s", name,
				 (ull)p->size, strerror(-err), err == -ENOSPC ? "; lower size, or choose "
				 "another place with directory=" : "");
	}
	return err;
}
