/* SPDX-License-Identifier: MIT */
/*
 * stdio: the C library's streams. Most programs read files this way, and what it costs is decided
 * by the buffer: whose it is, how large, and how often it is made. Two reports from the past can be
 * seen with this engine: a library that mapped a fresh buffer for every fopen()
 * (stdio_buffer=mmap), and a seek that became slow because it reads a whole buffer (stdio_op=seek).
 *
 * A stream is opened "r" by a job that only reads, else "r+", so that nothing is cut off. Files
 * that are opened again at every pass find the memory of their last time on a free list: the only
 * allocations on that way are those of the library itself.
 */
#define _GNU_SOURCE 1
#include "fio-like/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_LIBRARY, BUFFER_USER, BUFFER_MMAP, BUFFER_NONE };
enum { SEEK_NEEDED, SEEK_ALWAYS };
enum { OP_TRANSFER, OP_SEEK };
enum { BUFFER_BYTES = 4096 };		/* of user and mmap, when no size is given */

struct stdio_conf {
	uint64_t buffer_bytes;
	uint32_t buffer;
	uint32_t seek;
	uint32_t op;
	uint32_t unlocked;
};

static const struct fl_opt_value buffer_words[] = {
	{ "library", BUFFER_LIBRARY, "the library allocates it and chooses its size" },
	{ "user", BUFFER_USER, "setvbuf() with memory of the job, page-aligned, used again" },
	{ "mmap", BUFFER_MMAP, "setvbuf() with a fresh mapping at each open, as once was usual" },
	{ "none", BUFFER_NONE, "unbuffered" },
	{ .name = NULL },
};

static const struct fl_opt_value seek_words[] = {
	{ "needed", SEEK_NEEDED, "fseeko() where the stream is somewhere else" },
	{ "always", SEEK_ALWAYS, "fseeko() before every read and write" },
	{ .name = NULL },
};

static const struct fl_opt_value op_words[] = {
	{ "transfer", OP_TRANSFER, "fread() and fwrite()" },
	{ "seek", OP_SEEK, "fseeko() alone" },
	{ .name = NULL },
};

static const struct fl_opt stdio_opts[] = {
	{
		.name = "stdio_buffer", .type = FL_OPT_ENUM, .values = buffer_words,
		.def = "library", .offset = offsetof(struct stdio_conf, buffer),
		.help = "whose buffer a stream has",
	}, {
		.name = "stdio_buffer_size", .type = FL_OPT_SIZE, .max = 1ull << 30,
		.offset = offsetof(struct stdio_conf, buffer_bytes), .help = "size of the buffer",
		.more = "For stdio_buffer=user and mmap, where 0 means 4096. The library's own "
			"buffer follows the file system's preferred block size and takes no other.",
	}, {
		.name = "stdio_seek", .type = FL_OPT_ENUM, .values = seek_words, .def = "needed",
		.offset = offsetof(struct stdio_conf, seek), .help = "when to seek",
	}, {
		.name = "stdio_op", .type = FL_OPT_ENUM, .values = op_words, .def = "transfer",
		.offset = offsetof(struct stdio_conf, op), .help = "what a read does",
		.more = "A seek counts its block as read, so that size and number_ios mean the "
			"same; read_underneath_bytes tells what the library read for it. Only for "
			"jobs that read.",
	}, {
		.name = "stdio_unlocked", .type = FL_OPT_FLAG,
		.offset = offsetof(struct stdio_conf, unlocked),
		.help = "use fread_unlocked() and fwrite_unlocked()",
	},
};

enum {
	COUNT_OPENS, COUNT_CALLS, COUNT_MMAPS, COUNT_MOD64,
	COUNT_READ_BYTES, COUNT_WRITE_BYTES, COUNT_READ_CALLS, COUNT_WRITE_CALLS,
};

static const struct fl_counter stdio_counters[] = {
	[COUNT_OPENS] = { .name = "fopens", .unit = "calls", .help = "streams opened" },
	[COUNT_CALLS] = { .name = "lib_calls", .unit = "calls",
			  .help = "fread, fwrite, fseeko and fflush calls made" },
	[COUNT_MMAPS] = { .name = "buffer_mmaps", .unit = "calls", .help = "buffers mapped" },
	[COUNT_MOD64] = { .name = "buffer_mod64", .unit = "bytes", .merge = FL_MERGE_MAX,
			  .help = "address of a stream's buffer modulo 64, the largest seen" },
	[COUNT_READ_BYTES] = { .name = "read_underneath_bytes", .unit = "bytes",
			       .help = "what the thread read from the kernel" },
	[COUNT_WRITE_BYTES] = { .name = "write_underneath_bytes", .unit = "bytes",
				.help = "what the thread wrote to the kernel" },
	[COUNT_READ_CALLS] = { .name = "read_underneath_calls", .unit = "calls",
			       .help = "read calls of the thread" },
	[COUNT_WRITE_CALLS] = { .name = "write_underneath_calls", .unit = "calls",
				.help = "write calls of the thread" },
};

/* The first lines of /proc/PID/io. The counters from COUNT_READ_BYTES on stand in their order. */
enum { UNDER_READ_BYTES, UNDER_WRITE_BYTES, UNDER_READ_CALLS, UNDER_WRITE_CALLS, UNDERNEATH };

enum { POSITION_LOST = -1 };

/* An open stream. Kept on a free list, with its buffer, from one open to the next. */
struct stream {
	FILE *fp;
	int64_t position;		/* where the stream is, or POSITION_LOST */
	uint32_t last_op;
	bool buffer_seen;		/* COUNT_MOD64 knows about it */
	void *buffer;			/* BUFFER_USER: for good; BUFFER_MMAP: while open */
	struct stream *next;		/* of all streams there ever were */
	struct stream *next_free;
};

struct stdio {
	const struct stdio_conf *conf;
	uint64_t buffer_bytes;
	bool write_through;		/* sync=1: nothing stays behind in a buffer */
	int io_fd;			/* /proc/thread-self/io, or -1 */
	bool begun;			/* underneath[] has its starting values */
	uint64_t underneath[UNDERNEATH];
	struct stream *all, *free;
};

/* ---- What happens underneath ----------------------------------------------------------------- */

/*
 * Adds what the thread has read and written since the last call. The kernel counts the very read
 * that asks it, too, but only after it has answered: that is taken off the next answer.
 */
static void underneath_count(struct fl_queue *q, struct stdio *s)
{
	char text[512], *at = text;
	ssize_t n = s->io_fd < 0 ? -1 : pread(s->io_fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return;
	text[n] = '\0';
	for (int i = 0; i < UNDERNEATH; i++) {
		uint64_t now;

		while (*at && *at != ':')
			at++;
		if (!*at)
			return;
		now = strtoull(at + 1, &at, 10);
		if (s->begun)
			q->counters[COUNT_READ_BYTES + i] += now - s->underneath[i];
		s->underneath[i] = now;
	}
	s->underneath[UNDER_READ_BYTES] += n;
	s->underneath[UNDER_READ_CALLS] += 1;
	s->begun = true;
}

static void stdio_update(struct fl_queue *q)
{
	struct stdio *s = q->priv;

	if (s->begun)
		underneath_count(q, s);
}

/* Where the library put its buffer is told by glibc only; for ours it is known. */
static void buffer_look(struct fl_queue *q, struct stream *st)
{
#ifdef __GLIBC__
	uintptr_t at = (uintptr_t)st->fp->_IO_buf_base;
#else
	uintptr_t at = (uintptr_t)st->buffer;
#endif

	if (at % 64 > q->counters[COUNT_MOD64])
		q->counters[COUNT_MOD64] = at % 64;
	st->buffer_seen = true;
}

/* ---- The queue ------------------------------------------------------------------------------- */

static bool job_writes(const struct fl_job *job)
{
	return job->ops & 1u << FL_OP_WRITE;
}

static int stdio_check(struct fl_queue *q, const struct stdio_conf *conf)
{
	bool ours = conf->buffer == BUFFER_USER || conf->buffer == BUFFER_MMAP;

	if (q->job->flags & FL_JOB_DIRECT)
		return q->host->fail(q, -EINVAL, "direct=1 and stdio exclude each other: the "
				     "library's buffers are not aligned for it");
	if (conf->buffer_bytes && !ours)
		return q->host->fail(q, -EINVAL, "stdio_buffer_size needs stdio_buffer=user or "
				     "mmap: the library takes no size for a buffer of its own");
	if (conf->op == OP_SEEK && job_writes(q->job))
		return q->host->fail(q, -EINVAL, "stdio_op=seek works only in jobs that read");
	return 0;
}

static int stdio_open(struct fl_queue *q)
{
	const struct stdio_conf *conf = q->opts;
	int err = stdio_check(q, conf);
	struct stdio *s;

	if (err)
		return err;
	s = q->host->alloc(sizeof(*s), 0);
	if (!s)
		return -ENOMEM;
	s->conf = conf;
	s->buffer_bytes = conf->buffer_bytes ? conf->buffer_bytes : BUFFER_BYTES;
	s->write_through = q->job->flags & (FL_JOB_SYNC | FL_JOB_DSYNC);
	s->io_fd = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
	if (s->io_fd < 0)
		q->host->log(q, FL_LOG_NOTE, "no /proc/thread-self/io: what the library reads and "
			     "writes underneath is not counted");
	q->priv = s;
	q->flags = FL_QUEUE_SYNC;
	return 0;
}

static void stdio_close(struct fl_queue *q)
{
	struct stdio *s = q->priv;

	for (struct stream *st = s->all, *next; st; st = next) {
		next = st->next;
		if (s->conf->buffer == BUFFER_USER)
			q->host->free(st->buffer);
		q->host->free(st);
	}
	if (s->io_fd >= 0)
		close(s->io_fd);
	q->host->free(s);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static struct stream *stream_get(struct fl_queue *q, struct stdio *s)
{
	struct stream *st = s->free;

	if (st) {
		s->free = st->next_free;
		return st;
	}
	st = q->host->alloc(sizeof(*st), 0);
	if (!st)
		return NULL;
	if (s->conf->buffer == BUFFER_USER) {
		st->buffer = q->host->alloc(s->buffer_bytes, BUFFER_BYTES);
		if (!st->buffer) {
			q->host->free(st);
			return NULL;
		}
	}
	st->next = s->all;
	s->all = st;
	return st;
}

static void stream_put(struct stdio *s, struct stream *st)
{
	st->next_free = s->free;
	s->free = st;
}

/* fopen() where it can express the flags the job asks for, otherwise open() and fdopen(). */
static int stream_open(struct fl_queue *q, struct stream *st, const struct fl_file *f)
{
	bool writes = job_writes(q->job);
	const char *mode = writes ? "r+e" : "re";
	int fd, err;

	if (!(f->open_flags & ~(O_ACCMODE | O_CLOEXEC))) {
		st->fp = fopen(f->name, mode);
		return st->fp ? 0 : -errno;
	}
	fd = open(f->name, (f->open_flags & ~O_ACCMODE) | (writes ? O_RDWR : O_RDONLY), 0644);
	if (fd < 0)
		return -errno;
	st->fp = fdopen(fd, mode);
	if (st->fp)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

static int stream_buffer(struct fl_queue *q, struct stdio *s, struct stream *st)
{
	switch (s->conf->buffer) {
	case BUFFER_LIBRARY:
		return 0;
	case BUFFER_NONE:
		return setvbuf(st->fp, NULL, _IONBF, 0) ? -EINVAL : 0;
	case BUFFER_MMAP:
		st->buffer = mmap(NULL, s->buffer_bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (st->buffer == MAP_FAILED)
			return -errno;
		q->counters[COUNT_MMAPS]++;
	}
	return setvbuf(st->fp, st->buffer, _IOFBF, s->buffer_bytes) ? -EINVAL : 0;
}

/* After fclose(), which may still have written from it. */
static void stream_unbuffer(const struct stdio *s, struct stream *st)
{
	if (s->conf->buffer == BUFFER_MMAP && st->buffer != MAP_FAILED)
		munmap(st->buffer, s->buffer_bytes);
}

static int stdio_file_open(struct fl_queue *q, struct fl_file *f)
{
	struct stdio *s = q->priv;
	struct stream *st = stream_get(q, s);
	int err;

	if (!st)
		return -ENOMEM;
	if (!s->begun)
		underneath_count(q, s);
	err = stream_open(q, st, f);
	if (err)
		goto put;
	err = stream_buffer(q, s, st);
	if (err)
		goto shut;
	q->counters[COUNT_OPENS]++;
	st->position = 0;
	st->last_op = FL_OP_READ;
	st->buffer_seen = s->conf->buffer == BUFFER_NONE;
	f->fd = fileno(st->fp);
	f->priv = st;
	return 0;
shut:
	fclose(st->fp);
	stream_unbuffer(s, st);
put:
	stream_put(s, st);
	return err;
}

/*
 * Why a call of the library failed, which may have been to write its buffer. glibc empties that
 * before it knows whether the write went well: what a signal cut off can come again only if all
 * before it, up to `end`, has left the buffer. Where the kernel writes next tells.
 */
static int failed(struct fl_queue *q, const struct stream *st, off_t end)
{
	int err = errno;

	if (err != EINTR || st->last_op == FL_OP_READ || lseek(fileno(st->fp), 0, SEEK_CUR) >= end)
		return -err;
	return q->host->fail(q, -EIO, "a signal cut off a write of the library, and what was in "
			     "its buffer is lost");
}

static int stdio_file_close(struct fl_queue *q, struct fl_file *f)
{
	struct stdio *s = q->priv;
	struct stream *st = f->priv;
	int err = fflush(st->fp) ? failed(q, st, st->position) : 0;

	/* After an interrupted close(2) Linux has closed the descriptor all the same. */
	if (fclose(st->fp) && errno != EINTR && !err)
		err = -errno;
	stream_unbuffer(s, st);
	stream_put(s, st);
	f->fd = -1;
	return err;
}

/* ---- I/O ------------------------------------------------------------------------------------- */

static int seek_to(struct fl_queue *q, struct stream *st, uint64_t offset)
{
	off_t end = st->position;

	q->counters[COUNT_CALLS]++;
	st->position = POSITION_LOST;
	if (fseeko(st->fp, offset, SEEK_SET))
		return failed(q, st, end);
	st->position = offset;
	return 0;
}

/* ISO C wants a seek between a read and a write, even where the stream is right already. */
static bool must_seek(const struct stdio *s, const struct stream *st, const struct fl_req *req)
{
	return (uint64_t)st->position != req->offset || st->last_op != req->op ||
	       s->conf->seek == SEEK_ALWAYS;
}

static size_t call_library(const struct stdio *s, FILE *fp, const struct fl_req *req)
{
	if (req->op == FL_OP_READ)
		return s->conf->unlocked ? fread_unlocked(req->buf, 1, req->len, fp) :
					   fread(req->buf, 1, req->len, fp);
	return s->conf->unlocked ? fwrite_unlocked(req->buf, 1, req->len, fp) :
				   fwrite(req->buf, 1, req->len, fp);
}

/* Returns the bytes moved, fewer than asked for at the end of the file, or -errno. */
static int64_t transfer(struct fl_queue *q, struct stdio *s, struct stream *st,
			const struct fl_req *req)
{
	int err = must_seek(s, st, req) ? seek_to(q, st, req->offset) : 0;
	size_t n;

	if (err)
		return err;
	q->counters[COUNT_CALLS]++;
	n = call_library(s, st->fp, req);
	st->position += n;
	st->last_op = req->op;
	if (n == req->len)
		return n;
	err = ferror(st->fp) ? failed(q, st, req->offset) : 0;
	clearerr(st->fp);
	st->position = POSITION_LOST;
	/* Of a write that failed nobody knows what has arrived, not even of those before it. */
	return err && (!n || req->op == FL_OP_WRITE) ? err : (int64_t)n;
}

/* Out of the buffer; then, with sync_fd, on to the medium. */
static int flush(struct fl_queue *q, struct stream *st, int (*sync_fd)(int fd))
{
	q->counters[COUNT_CALLS]++;
	if (fflush(st->fp))
		return failed(q, st, st->position);
	return sync_fd && sync_fd(fileno(st->fp)) ? -errno : 0;
}

static int64_t do_write(struct fl_queue *q, struct stdio *s, struct stream *st,
			const struct fl_req *req)
{
	int64_t n = transfer(q, s, st, req);
	int err = 0;

	if (req->flags & FL_REQ_FUA)
		err = flush(q, st, fdatasync);
	else if (s->write_through)
		err = flush(q, st, NULL);
	return n < 0 || !err ? n : err;
}

static int64_t do_read(struct fl_queue *q, struct stdio *s, struct stream *st,
		       const struct fl_req *req)
{
	int err;

	if (s->conf->op == OP_TRANSFER)
		return transfer(q, s, st, req);
	err = seek_to(q, st, req->offset);
	return err ? err : (int64_t)req->len;
}

static int stdio_queue(struct fl_queue *q, struct fl_req *req)
{
	struct stdio *s = q->priv;
	struct stream *st = req->file->priv;

	if (req->flags & FL_REQ_NOWAIT) {
		req->res = q->host->fail(q, -EOPNOTSUPP, "stdio cannot do nowait: the library "
					 "always waits");
		return FL_DONE;
	}
	switch (req->op) {
	case FL_OP_READ:
		req->res = do_read(q, s, st, req);
		break;
	case FL_OP_WRITE:
		req->res = do_write(q, s, st, req);
		break;
	case FL_OP_SYNC:
		req->res = flush(q, st, fsync);
		break;
	case FL_OP_DATASYNC:
		req->res = flush(q, st, fdatasync);
		break;
	default:
		req->res = q->host->fail(q, -EOPNOTSUPP, "stdio reads, writes, and syncs: the "
					 "library has no call for anything else");
	}
	if (!st->buffer_seen)
		buffer_look(q, st);
	return FL_DONE;
}

static const struct fl_engine stdio_engine = {
	FL_ENGINE_HEAD, .name = "stdio", .help = "fread(3), fwrite(3), fseeko(3)",
	.caps = FL_CAP_LAYOUT,
	FL_ENGINE_OPTS(struct stdio_conf, stdio_opts), FL_ENGINE_COUNTERS(stdio_counters),
	.open = stdio_open, .close = stdio_close,
	.file_open = stdio_file_open, .file_close = stdio_file_close,
	.queue = stdio_queue, .counters = stdio_update,
};

FL_ENGINE_EXPORT(&stdio_engine);
