/* SPDX-License-Identifier: MIT */
/* What the loops share: short answers, and saying what failed. */
#include "core/worker.h"

#include <errno.h>

typedef unsigned long long ull;

const char *worker_op_name(uint32_t op)
{
	static const char *const names[] = { "read", "write", "trim", "fsync", "fdatasync" };

	return op < ARRAY_SIZE(names) ? names[op] : "operation";
}

void worker_io_error(struct worker *w, const struct fl_req *req, uint64_t done, int err)
{
	char name[FILES_NAME_BYTES], why[HOST_WHY_BYTES];

	files_name(w->setup->files, req->file->index, name);
	host_explain(&w->hq, err, why, sizeof(why));
	if (req->op < DIRS) {
		w->b->dir[req->op].errors++;
		w->b->errors++;
		stats_fail(w->b, -err, "%s of %llu bytes at offset %llu of %s: %s", worker_op_name(req->op),
			   (ull)(req->len + done), (ull)(req->offset - done), name, why);
	} else {
		stats_fail(w->b, -err, "%s of %s: %s", worker_op_name(req->op), name, why);
	}
}

void worker_queue_error(struct worker *w, int err)
{
	char why[HOST_WHY_BYTES];

	stats_fail(w->b, -err, "engine %s failed with %u I/Os in flight: %s", w->job->engine->ops.name,
		   w->in_flight, host_explain(&w->hq, err, why, sizeof(why)));
}

bool worker_short(struct worker *w, struct io *io, int *err)
{
	uint64_t got = (uint64_t)io->req.res;

	/* An engine that moved more than it was asked to has written where it must not. */
	fl_assert(got <= io->req.len);
	*err = 0;
	if (got == io->req.len)
		return false;
	w->b->dir[io->req.op].short_ios += io->moved == 0;
	if (!got) {
		/* Nothing moved, no error: the end of a file that should go on, or a full device. */
		if (io->req.op != FL_OP_READ) {
			*err = -ENOSPC;
		} else {
			w->hq.q.host->fail(&w->hq.q, -EIO, "the file ends here; it was to hold %llu bytes",
					   (ull)io->req.file->bytes);
			*err = -EIO;
		}
		return false;
	}
	io->moved += got;
	io->req.offset += got;
	io->req.len -= got;
	io->req.buf = (char *)io->req.buf + got;
	return true;
}
