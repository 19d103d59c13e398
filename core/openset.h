/* SPDX-License-Identifier: MIT */
/*
 * The files a worker has open. At most so many at a time; one that is needed and closed is opened
 * on the way, and the one that has been open longest without I/O in flight makes room.
 */
#ifndef CORE_OPENSET_H
#define CORE_OPENSET_H

#include "core/files.h"
#include "core/host.h"

/* A file and how many requests of it are in flight. */
struct open_file {
	struct fl_file f;
	uint32_t busy;
	uint64_t id;			/* overlap_file(), where that is wanted */
	bool open;
};

struct openset {
	struct host_queue *hq;
	const struct file_set *set;
	struct open_file *files;	/* set->nr of them */
	uint32_t *ring;			/* indices of the open ones, oldest first */
	uint32_t ring_size, ring_head, nr_open;
	uint32_t advice;		/* enum fl_advice, given at each open ... */
	uint64_t advise_over;		/* ... of a file of which more bytes than this are used */
	bool no_files;			/* the engine has no targets */
	int hint_err;			/* the first -errno of write_hint */
	/* set after openset_init() */
	bool identify;			/* files are to have an id */
	bool claim;			/* block devices are opened exclusively */
	/* called when a file has been opened, and before it is closed; or NULL */
	void (*changed)(void *ctx, uint32_t file, bool open);
	void *ctx;
};

/*
 * openset_init - nothing is opened yet. open_max: at most so many at once (1 .. set->nr). What the
 * job's queue is told of advice (fl_job.advice) is told to the kernel for files that have a
 * descriptor. Each file is opened for what is to be done to it. Returns 0 or -ENOMEM.
 */
int openset_init(struct openset *o, struct host_queue *hq, const struct file_set *set,
		 uint32_t open_max);
void openset_free(struct openset *o);

/* openset_open - open file i. Returns 0, or -errno (host_explain() has the sentence). */
int openset_open(struct openset *o, uint32_t i);
/* openset_open_all - as many as may be open, from the first. Returns 0 or -errno. */
int openset_open_all(struct openset *o);
/*
 * openset_close - close file i, if it is open. Returns 0; -EBUSY, it has requests in flight; or the
 * error of closing it.
 */
int openset_close(struct openset *o, uint32_t i);
/* openset_close_all - close what is open. Returns 0, or the first -errno. */
int openset_close_all(struct openset *o);

/* openset_get - file i, open. NULL: it could not be opened, *err says why. */
fl_inline struct fl_file *openset_get(struct openset *o, uint32_t i, int *err)
{
	if (unlikely(!o->files[i].open)) {
		*err = openset_open(o, i);
		if (*err)
			return NULL;
	}
	return &o->files[i].f;
}

#endif
