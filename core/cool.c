/* SPDX-License-Identifier: MIT */
/* Dropping files from the page cache. */
#define _GNU_SOURCE
#include "core/cool.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* One that is opened on the way, when it is needed. Without a file there is nothing cached. */
static int cool_closed(const struct openset *o, uint32_t i, const char *name)
{
	struct fl_file f = o->files[i].f;
	int err;

	if (f.type != FL_FILE_REGULAR && f.type != FL_FILE_BLOCK)
		return 0;
	f.fd = file_open(name, O_RDONLY | O_NONBLOCK | O_NOATIME, 0, NULL);
	if (f.fd < 0)
		return f.fd == -ENOENT ? 0 : f.fd;
	err = host_file_invalidate(&f);
	close(f.fd);
	return err;
}

static int cool_open(struct openset *o, struct fl_file *f)
{
	const struct fl_engine *e = o->hq->q.engine;

	return e->file_invalidate ? e->file_invalidate(&o->hq->q, f) : host_file_invalidate(f);
}

void cool_files(struct openset *o, struct worker_block *b)
{
	bool names = o->hq->q.engine->caps & FL_CAP_NAMES;
	uint64_t begun = clock_now_ns();

	for (uint32_t i = 0; i < o->set->nr && !atomic_load(&b->stop); i++) {
		struct open_file *of = &o->files[i];
		char name[FILES_NAME_BYTES];
		int err = 0;

		files_name(o->set, i, name);
		if (of->open)
			err = cool_open(o, &of->f);
		else if (!names)
			err = cool_closed(o, i, name);
		if (err)
			stats_note(b, "invalidate: the cache of file %s could not be dropped: %s",
				   name, strerror(-err));
	}
	b->invalidate_ns = clock_now_ns() - begun;
}
