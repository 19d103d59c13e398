/* SPDX-License-Identifier: MIT */
/*
 * copy: a read that goes to another file. Each I/O copies its range of the job's file to the same
 * place of copy_to=, by the call that is to be measured. Three of the four calls never show the
 * bytes to this program, so that the buffers stay as they were. Hints per block tell the kernel
 * what a program that streams once would tell it.
 *
 * It comes with the runner, and uses no more of it than a plugin may:
 *
 *	cc -shared -fPIC copy.c -o copy.so $(pkg-config --cflags fio-like)
 *
 *	fio-like --name=a --ioengine=./copy.so --rw=read --bs=128k --filename=big --copy_to=copy
 */
#include <fio-like/fdops.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum copy_method { BY_READWRITE, BY_SPLICE, BY_SENDFILE, BY_RANGE };
enum copy_advise { ADVISE_NONE, ADVISE_NOREUSE, ADVISE_DONTNEED };

struct copy_conf {
	const char *to;
	uint32_t method, advise, uncached;
};

struct copy {
	int pipe[2];		/* for splice(2); -1 before the first */
};

static const struct fl_opt_value methods[] = {
	{ "readwrite", BY_READWRITE, "preadv2(2), pwritev2(2)" },
	{ "splice", BY_SPLICE, "splice(2) through a pipe" },
	{ "sendfile", BY_SENDFILE, "sendfile(2)" },
	{ "copy_file_range", BY_RANGE, "copy_file_range(2)" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value advises[] = {
	{ "none", ADVISE_NONE, "no hints" },
	{ "noreuse", ADVISE_NOREUSE, "POSIX_FADV_NOREUSE in front of each block" },
	{ "dontneed", ADVISE_DONTNEED, "POSIX_FADV_DONTNEED behind each block" },
	{ NULL, 0, NULL },
};

static const struct fl_opt copy_opts[] = {
	{ .name = "copy_to", .type = FL_OPT_STR, .offset = offsetof(struct copy_conf, to),
	  .help = "file that is copied to; without it the name of the file with .copy behind",
	  .more = "With several files each goes to a copy of its own, the number of the file "
		  "behind the name." },
	{ .name = "copy_method", .type = FL_OPT_ENUM, .offset = offsetof(struct copy_conf, method),
	  .def = "readwrite", .values = methods, .help = "the call that copies" },
	{ .name = "copy_advise", .type = FL_OPT_ENUM, .offset = offsetof(struct copy_conf, advise),
	  .def = "none", .values = advises, .help = "hint per block, for both files",
	  .more = "What has not been written back yet stays in the cache whatever the hint." },
	{ .name = "uncached", .type = FL_OPT_BOOL, .offset = offsetof(struct copy_conf, uncached),
	  .help = "leave nothing behind in the page cache (RWF_DONTCACHE)",
	  .more = "Only with copy_method=readwrite: the other calls take no flags. Needs Linux "
		  "6.14 and file systems that know it." },
};

enum { COUNT_CALLS, COUNT_BYTES };

static const struct fl_counter copy_counters[] = {
	{ .name = "copy_calls", .unit = "calls", .help = "system calls that moved bytes" },
	{ .name = "copied_bytes", .unit = "bytes", .help = "bytes that arrived in the copies" },
};

/* ---- The queue ------------------------------------------------------------------------------- */

static int copy_open(struct fl_queue *q)
{
	const struct copy_conf *conf = q->opts;
	struct copy *c;

	if (conf->uncached && conf->method != BY_READWRITE)
		return q->host->fail(q, -EINVAL, "uncached=1 works only with copy_method=readwrite:"
				     " the other calls take no flags");
	if (q->job->flags & FL_JOB_READONLY)
		return q->host->fail(q, -EPERM, "copy writes to copy_to, and this run may not "
				     "write (--readonly)");
	c = q->host->alloc(sizeof(*c), 0);
	if (!c)
		return -ENOMEM;
	c->pipe[0] = c->pipe[1] = -1;
	q->priv = c;
	q->flags |= FL_QUEUE_SYNC;
	return 0;
}

static void pipe_drop(struct copy *c)
{
	if (c->pipe[0] >= 0) {
		close(c->pipe[0]);
		close(c->pipe[1]);
	}
	c->pipe[0] = c->pipe[1] = -1;
}

static void copy_close(struct fl_queue *q)
{
	pipe_drop(q->priv);
	q->host->free(q->priv);
}

/* ---- Files: f->fd is the source, f->priv holds the descriptor of the copy plus one ----------- */

static int copy_fd(const struct fl_file *f)
{
	return (int)(intptr_t)f->priv - 1;
}

static int target_name(struct fl_queue *q, const struct fl_file *f, const struct stat *source,
		       char *name, size_t size)
{
	const struct copy_conf *conf = q->opts;

	if (!conf->to && !S_ISREG(source->st_mode))
		return q->host->fail(q, -EINVAL, "'%s' is no ordinary file: copy_to names the file "
				     "to copy it to", f->name);
	if (!conf->to)
		snprintf(name, size, "%s.copy", f->name);
	else if (q->job->files > 1)
		snprintf(name, size, "%s.%u", conf->to, f->index);
	else
		snprintf(name, size, "%s", conf->to);
	return 0;
}

/* The copy must not fill the disk: it is not begun where it will not fit. */
static int target_check(struct fl_queue *q, const struct fl_file *f, const struct stat *source,
			int fd, const char *name)
{
	uint64_t end = f->io_start + f->io_bytes, have, room;
	struct statvfs disk;
	struct stat st;

	if (fstat(fd, &st) || fstatvfs(fd, &disk))
		return -errno;
	if (S_ISBLK(st.st_mode))
		return q->host->fail(q, -EINVAL, "copy_to is a block device: '%s'; copies go to "
				     "files only, as nobody asks here whether it is in use", name);
	if (S_ISFIFO(st.st_mode))
		return q->host->fail(q, -ESPIPE, "copy_to is a pipe: '%s'; each block goes to a "
				     "place of its own, and a pipe has none", name);
	if (st.st_dev == source->st_dev && st.st_ino == source->st_ino)
		return q->host->fail(q, -EINVAL, "copy_to is the file itself: '%s'", name);
	have = (uint64_t)st.st_blocks * 512;
	room = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (!S_ISREG(st.st_mode) || end <= have || end - have <= room)
		return 0;
	return q->host->fail(q, -ENOSPC, "the copy takes %llu MiB, and where '%s' lies only %llu "
			     "MiB are free; lower size, or name another place with copy_to",
			     (unsigned long long)end >> 20, name,
			     (unsigned long long)room >> 20);
}

/* Returns the descriptor of the copy, or -errno; a file that it made and cannot use is gone. */
static int target_open(struct fl_queue *q, struct fl_file *f, const struct stat *source)
{
	const int flags = O_RDWR | O_CREAT | O_CLOEXEC | (f->open_flags & O_DIRECT);
	char name[4096];
	bool made = true;
	int fd, err = target_name(q, f, source, name, sizeof(name));

	if (err)
		return err;
	fd = open(name, flags | O_EXCL, 0644);
	if (fd < 0 && errno == EEXIST) {
		made = false;
		fd = open(name, flags, 0644);
	}
	if (fd < 0) {
		err = errno;
		return q->host->fail(q, -err, "cannot open the copy '%s': %s", name, strerror(err));
	}
	err = target_check(q, f, source, fd, name);
	if (!err)
		return fd;
	close(fd);
	if (made)
		unlink(name);
	return err;
}

static int copy_file_open(struct fl_queue *q, struct fl_file *f)
{
	struct stat source;
	int fd;

	if (f->type == FL_FILE_PIPE)	/* or open(2) waits for the other end, in vain */
		return q->host->fail(q, -ESPIPE, "'%s' is a pipe, which has no offsets, and copy "
				     "needs them", f->name);
	f->fd = open(f->name, (f->open_flags & ~O_ACCMODE) | O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		return -errno;
	fd = fstat(f->fd, &source) ? -errno : target_open(q, f, &source);
	if (fd < 0) {
		close(f->fd);
		f->fd = -1;
		return fd;
	}
	f->priv = (void *)(intptr_t)(fd + 1);
	return 0;
}

static int copy_file_close(struct fl_queue *q, struct fl_file *f)
{
	int err = close(copy_fd(f)) && errno != EINTR ? -errno : 0;

	if (err)
		q->host->fail(q, err, "the kernel reports an error of the copy of '%s' at its "
			      "close: %s", f->name, strerror(-err));
	close(f->fd);
	f->fd = -1;
	return err;
}

/* ---- The calls: each moves what it can at this offset, and answers bytes or -errno ----------- */

static ssize_t by_readwrite(struct fl_req *req, int to, off_t at, size_t len, int rwf)
{
	struct iovec iov = { req->buf, len };
	ssize_t have = preadv2(req->file->fd, &iov, 1, at, rwf), done = 0;

	while (done < have) {
		ssize_t n;

		iov = (struct iovec){ (char *)req->buf + done, (size_t)(have - done) };
		n = pwritev2(to, &iov, 1, at + done, rwf);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += n;
	}
	return have < 0 ? -errno : done;
}

/* What an error leaves in the pipe must not come out in front of the next block. */
static ssize_t by_splice(struct copy *c, struct fl_req *req, int to, off_t at, size_t len)
{
	off_t from = at;
	ssize_t have, done = 0;

	if (c->pipe[0] < 0 && pipe2(c->pipe, O_CLOEXEC))
		return -errno;
	have = splice(req->file->fd, &from, c->pipe[1], NULL, len, SPLICE_F_MOVE);
	if (have < 0)
		return -errno;
	while (done < have) {
		ssize_t n = splice(c->pipe[0], NULL, to, &at, (size_t)(have - done), SPLICE_F_MOVE);

		if (n <= 0) {
			n = n < 0 ? -errno : -EIO;
			pipe_drop(c);
			return n;
		}
		done += n;
	}
	return done;
}

/* The target of sendfile(2) has no offset of its own in the call. */
static ssize_t by_sendfile(struct fl_req *req, int to, off_t at, size_t len)
{
	ssize_t n = lseek(to, at, SEEK_SET) < 0 ? -1 : sendfile(to, req->file->fd, &at, len);

	return n < 0 ? -errno : n;
}

static ssize_t by_range(struct fl_req *req, int to, off_t at, size_t len)
{
	off_t from = at;
	ssize_t n = copy_file_range(req->file->fd, &from, to, &at, len, 0);

	return n < 0 ? -errno : n;
}

static ssize_t move(struct fl_queue *q, struct fl_req *req, off_t at, size_t len)
{
	const struct copy_conf *conf = q->opts;
	int to = copy_fd(req->file);

	switch (conf->method) {
	case BY_SPLICE:
		return by_splice(q->priv, req, to, at, len);
	case BY_SENDFILE:
		return by_sendfile(req, to, at, len);
	case BY_RANGE:
		return by_range(req, to, at, len);
	default:
		return by_readwrite(req, to, at, len, conf->uncached ? RWF_DONTCACHE : 0);
	}
}

static void advise(const struct fl_req *req, int advice)
{
	posix_fadvise(req->file->fd, (off_t)req->offset, (off_t)req->len, advice);
	posix_fadvise(copy_fd(req->file), (off_t)req->offset, (off_t)req->len, advice);
}

static int64_t copy_block(struct fl_queue *q, struct fl_req *req)
{
	const struct copy_conf *conf = q->opts;
	uint64_t done = 0;

	if (conf->advise == ADVISE_NOREUSE)
		advise(req, POSIX_FADV_NOREUSE);
	while (done < req->len) {
		ssize_t n = move(q, req, (off_t)(req->offset + done), req->len - done);

		if (n == -EINTR)
			continue;
		if (n == -EOPNOTSUPP && conf->uncached)
			return fl_fd_failed(q, req, EOPNOTSUPP, RWF_DONTCACHE);
		if (n == -EINVAL && q->job->flags & FL_JOB_DIRECT)
			return fl_fd_failed(q, req, EINVAL, 0);
		if (n < 0)
			return q->host->fail(q, (int)n, "copying from '%s' failed: %s; another "
					     "copy_method may do better", req->file->name,
					     strerror((int)-n));
		if (!n)
			break;
		q->counters[COUNT_CALLS]++;
		q->counters[COUNT_BYTES] += (uint64_t)n;
		done += (uint64_t)n;
	}
	if (conf->advise == ADVISE_DONTNEED)
		advise(req, POSIX_FADV_DONTNEED);
	return (int64_t)done;
}

static int copy_queue(struct fl_queue *q, struct fl_req *req)
{
	if (req->op == FL_OP_READ)
		req->res = copy_block(q, req);
	else if (req->op == FL_OP_SYNC)
		req->res = fsync(copy_fd(req->file)) ? -errno : 0;
	else
		req->res = fdatasync(copy_fd(req->file)) ? -errno : 0;
	return FL_DONE;
}

static const struct fl_engine copy = {
	FL_ENGINE_HEAD, .name = "copy", .help = "copies each block it reads to another file",
	.version = "1.0", FL_ENGINE_OPTS(struct copy_conf, copy_opts),
	FL_ENGINE_COUNTERS(copy_counters),
	.ops_supported = 1u << FL_OP_READ | 1u << FL_OP_SYNC | 1u << FL_OP_DATASYNC,
	.open = copy_open, .close = copy_close, .file_open = copy_file_open,
	.file_close = copy_file_close, .queue = copy_queue,
};

FL_ENGINE_EXPORT(&copy);
