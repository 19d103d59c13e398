/* SPDX-License-Identifier: MIT */
/*
 * An engine that moves no bytes: its requests ask for a file's size, make files and remove them.
 * Nothing is opened, for what is to be made is not there yet.
 */
#include <errno.h>
#include <fcntl.h>
#include <fio-like/engine.h>
#include <sys/stat.h>
#include <unistd.h>

static int meta_file_open(struct fl_queue *q, struct fl_file *f)
{
	(void)q;
	f->fd = -1;
	return 0;
}

static int meta_file_close(struct fl_queue *q, struct fl_file *f)
{
	(void)q;
	(void)f;
	return 0;
}

static int meta_queue(struct fl_queue *q, struct fl_req *req)
{
	struct stat st = { .st_size = 0 };
	int fd;

	(void)q;
	req->res = 0;
	if (req->op == FL_OP_STAT) {
		if (stat(req->file->name, &st))
			req->res = -errno;
		req->res2 = (uint64_t)st.st_size;
	} else if (req->op == FL_OP_UNLINK) {
		if (unlink(req->file->name))
			req->res = -errno;
	} else {
		fd = open(req->file->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0 || close(fd))
			req->res = -errno;
	}
	return FL_DONE;
}

static const struct fl_engine meta = {
	FL_ENGINE_HEAD, .name = "meta", .help = "stat(2), creat(2), unlink(2)", .version = "1.0",
	.ops_supported = 1u << FL_OP_STAT | 1u << FL_OP_CREATE | 1u << FL_OP_UNLINK,
	.file_open = meta_file_open, .file_close = meta_file_close, .queue = meta_queue,
};

FL_ENGINE_EXPORT(&meta);
