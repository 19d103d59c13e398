/* SPDX-License-Identifier: MIT */
/* A job may have a million files: only those are asked for that have the size of a known one. */
#include "core/backing.h"
#include "core/targets.h"
#include "os/blockdev.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct backing_file {
	char loop[BLOCKDEV_NAME_BYTES + 8];
	dev_t device;			/* of the loop device */
	dev_t on;			/* where the file lies, */
	ino_t inode;
	uint64_t bytes;
};

static int add(void *ctx, const struct blockdev *loop, const char *path)
{
	struct backing *b = ctx;
	struct backing_file *more;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	more = realloc(b->list, (b->count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	b->list = more;
	more = &b->list[b->count++];
	*more = (struct backing_file){
		.device = loop->device, .on = st.st_dev, .inode = st.st_ino,
		.bytes = (uint64_t)st.st_size,
	};
	snprintf(more->loop, sizeof(more->loop), "/dev/%s", loop->name);
	return 0;
}

int backing_find(struct backing *b)
{
	return blockdev_loops("", add, b);
}

void backing_free(struct backing *b)
{
	free(b->list);
	b->list = NULL;
	b->count = 0;
}

int backing_each(const struct backing *b, const struct plan_job *pj,
		 int (*fn)(void *ctx, const char *path, const char *loop, dev_t device),
		 void *ctx)
{
	/* Of a file by filetype no size is known. */
	bool unasked = pj->job->files.filetype != FILES_TYPE_ASK;
	char name[FILES_NAME_BYTES];
	struct stat st;
	int ret = 0;

	if (!b->count || pj->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES))
		return 0;
	for (uint32_t i = 0; !ret && i < pj->files.nr; i++) {
		const struct file_plan *p = &pj->files.plan[i];

		if (p->type != FL_FILE_REGULAR || !targets_written(pj, p))
			continue;
		for (size_t k = 0; !ret && k < b->count; k++) {
			const struct backing_file *f = &b->list[k];

			if ((f->bytes == p->have || unasked) &&
			    !stat(files_name(&pj->files, i, name), &st) &&
			    st.st_dev == f->on && st.st_ino == f->inode)
				ret = fn(ctx, name, f->loop, f->device);
		}
	}
	return ret;
}
