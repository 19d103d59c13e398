/* SPDX-License-Identifier: MIT */
/* Opening and closing the files of a worker. */
#include "core/openset.h"
#include "core/debug.h"
#include "core/guard.h"
#include "core/overlap.h"
#include "os/clock.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLAIM_TRIES	10
#define CLAIM_WAIT_NS	20000000u

int openset_init(struct openset *o, struct host_queue *hq, const struct file_set *set,
		 uint32_t open_max)
{
	memset(o, 0, sizeof(*o));
	o->hq = hq;
	o->set = set;
	o->ring_size = open_max;
	o->advice = hq->q.job->advice;
	/* What follows from the kind of rw says nothing about a file that holds one I/O. */
	o->advise_over = set->conf->advice == FILES_ADVICE_BY_RW ? hq->q.job->block_max : 0;
	o->no_files = hq->q.engine->caps & FL_CAP_NO_FILES;
	o->files = calloc(set->nr, sizeof(*o->files));
	o->ring = calloc(open_max, sizeof(*o->ring));
	if (!o->files || !o->ring) {
		openset_free(o);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < set->nr; i++) {
		struct fl_file *f = &o->files[i].f;

		f->size = sizeof(*f);
		f->index = i;
		f->fd = -1;
		f->open_flags = files_open_flags(set->conf, set->plan[i].dirs);
		f->type = set->plan[i].type;
		f->bytes = set->plan[i].size;
		f->io_start = set->plan[i].start;
		f->io_bytes = files_reach(set, i);
	}
	return 0;
}

void openset_free(struct openset *o)
{
	for (uint32_t i = 0; o->files && i < o->set->nr; i++)
		free((char *)o->files[i].f.name);
	free(o->files);
	free(o->ring);
	o->files = NULL;
	o->ring = NULL;
}

static int close_one(struct openset *o, uint32_t i)
{
	struct open_file *of = &o->files[i];
	int synced, err;

	if (o->changed)
		o->changed(o->ctx, i, false);
	synced = guard_close(o->hq, &of->f);
	err = o->no_files ? 0 : host_file_close(o->hq, &of->f);

	debug_say(DEBUG_FILE, "%s is closed", of->f.name);
	of->open = false;
	if (!o->hq->abandoned) {	/* else a thread of the engine may be reading it */
		free((char *)of->f.name);
		of->f.name = NULL;
	}
	return synced ? synced : err;
}

/* The oldest that is idle makes room. With all of them busy there is none: -EBUSY. */
static int make_room(struct openset *o)
{
	for (uint32_t tried = 0; tried < o->ring_size; tried++) {
		uint32_t i = o->ring[o->ring_head];

		o->ring_head = o->ring_head + 1 == o->ring_size ? 0 : o->ring_head + 1;
		if (!o->files[i].busy) {
			o->nr_open--;
			return close_one(o, i);
		}
		/* busy: to the end of the queue, which is the place just left */
		o->ring[o->ring_head ? o->ring_head - 1 : o->ring_size - 1] = i;
	}
	return -EBUSY;
}

/* The kernel may take advice or leave it: that it fails is no reason to fail. */
static void advise(const struct openset *o, const struct fl_file *f)
{
	static const enum file_advice kinds[] = {
		[FL_ADVICE_NORMAL] = FILE_ADVISE_NORMAL,
		[FL_ADVICE_SEQUENTIAL] = FILE_ADVISE_SEQUENTIAL,
		[FL_ADVICE_RANDOM] = FILE_ADVISE_RANDOM, [FL_ADVICE_NOREUSE] = FILE_ADVISE_NOREUSE,
		[FL_ADVICE_WILLNEED] = FILE_ADVISE_WILLNEED,
		[FL_ADVICE_DONTNEED] = FILE_ADVISE_DONTNEED,
	};

	if (f->fd < 0 || o->advice == FL_ADVICE_NONE || f->io_bytes <= o->advise_over)
		return;
	if (o->advice < ARRAY_SIZE(kinds))
		file_advise(f->fd, f->io_start, f->io_bytes, kinds[o->advice]);
}

/*
 * write_hint belongs to the file, not to the descriptor: where the engine has none, one of our own
 * does. Returns 0 or -errno; a kernel that does not know it (-EINVAL) is no reason to fail.
 */
static int hint(const struct openset *o, const struct fl_file *f)
{
	uint32_t value = o->set->conf->write_hint;
	int fd = f->fd, err;

	if (!value || o->no_files || (f->open_flags & O_ACCMODE) == O_RDONLY ||
	    (f->type != FL_FILE_REGULAR && f->type != FL_FILE_BLOCK))
		return 0;
	if (fd < 0)
		fd = file_open(f->name, O_WRONLY | O_NONBLOCK, 0, NULL);
	if (fd < 0)
		return fd;
	err = file_write_hint(fd, value);
	if (fd != f->fd)
		close(fd);
	return err;
}

/*
 * Others may hold a device for a moment, just to ask whether they could (mount, udev, another run).
 */
static int open_claimed(struct openset *o, struct fl_file *f)
{
	int err;

	f->open_flags = (f->open_flags & ~O_CREAT) | O_EXCL;
	err = host_file_open(o->hq, f);
	for (int i = 0; err == -EBUSY && i < CLAIM_TRIES; i++) {
		clock_sleep_ns(CLAIM_WAIT_NS);
		err = host_file_open(o->hq, f);
	}
	return err;
}

/*
 * What was taken on trust may be a device that nobody has looked at. Where there is a descriptor,
 * one cheap question tells, and only of a liar the name is looked up.
 */
static int check_type(struct openset *o, uint32_t i, struct fl_file *f)
{
	struct fl_queue *q = &o->hq->q;
	char why[HOST_WHY_BYTES] = "";
	int err;

	if (!files_trusted(o->set, i) ||
	    (f->fd >= 0 && file_is_block(f->fd) == (f->type == FL_FILE_BLOCK)))
		return 0;
	err = files_type_holds(o->set, f->name, why, sizeof(why));
	if (!err && f->fd < 0)
		return 0;
	host_file_close(o->hq, f);
	return q->host->fail(q, err ? err : -EINVAL, "%s", err ? why : "filetype does not hold");
}

static int open_file(struct openset *o, uint32_t i, struct fl_file *f)
{
	bool written = o->set->plan[i].dirs & ~(1u << DIR_READ);
	int err;

	if (o->no_files)
		return 0;
	if (o->claim && f->type == FL_FILE_BLOCK && written)
		err = open_claimed(o, f);
	else
		err = host_file_open(o->hq, f);
	return err ? err : check_type(o, i, f);
}

int openset_open(struct openset *o, uint32_t i)
{
	struct open_file *of = &o->files[i];
	char name[FILES_NAME_BYTES];
	int err = 0;

	if (o->nr_open == o->ring_size)
		err = make_room(o);
	if (err)
		return err;
	of->f.name = strdup(files_name(o->set, i, name));
	if (!of->f.name)
		return -ENOMEM;
	err = open_file(o, i, &of->f);
	debug_say(DEBUG_FILE, "%s is opened: %s, descriptor %d, flags 0%o", of->f.name,
		  err ? strerror(-err) : "well", of->f.fd, (unsigned)of->f.open_flags);
	if (err) {
		free((char *)of->f.name);
		of->f.name = NULL;
		return err;
	}
	advise(o, &of->f);
	o->hint_err = o->hint_err ? o->hint_err : hint(o, &of->f);
	if (o->identify)
		of->id = overlap_file(&of->f);
	of->open = true;
	if (o->changed)
		o->changed(o->ctx, i, true);
	o->ring[(o->ring_head + o->nr_open) % o->ring_size] = i;
	o->nr_open++;
	return 0;
}

int openset_open_all(struct openset *o)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < o->set->nr && o->nr_open < o->ring_size; i++)
		if (!o->files[i].open)
			err = openset_open(o, i);
	return err;
}

int openset_close(struct openset *o, uint32_t i)
{
	uint32_t at, last;

	if (!o->files[i].open)
		return 0;
	if (o->files[i].busy)
		return -EBUSY;
	/* those that were opened later move up */
	for (at = 0; o->ring[(o->ring_head + at) % o->ring_size] != i;)
		at++;
	for (last = --o->nr_open; at < last; at++)
		o->ring[(o->ring_head + at) % o->ring_size] =
			o->ring[(o->ring_head + at + 1) % o->ring_size];
	return close_one(o, i);
}

int openset_close_all(struct openset *o)
{
	int first = 0;

	for (uint32_t i = 0; o->files && i < o->set->nr; i++) {
		int err = o->files[i].open ? close_one(o, i) : 0;

		first = first ? first : err;
	}
	o->nr_open = 0;
	o->ring_head = 0;
	return first;
}
