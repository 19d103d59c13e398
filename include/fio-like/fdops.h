/* SPDX-License-Identifier: MIT */
/*
 * fio-like/fdops.h - what every engine does alike that works on descriptors.
 *
 * Such engines differ in how they read and write. Trims, syncs, the flags of a request and the
 * sentence behind an error number are the same in all of them, so they are here once.
 *
 * Header only; may be included from C++. Include it before any system header, or define
 * _GNU_SOURCE.
 */
#ifndef FIO_LIKE_FDOPS_H
#define FIO_LIKE_FDOPS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "fio-like/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Younger than the headers of many systems. */
#ifndef RWF_ATOMIC
#define RWF_ATOMIC	0x40
#endif
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x80
#endif
/* <linux/fs.h> has it too, but not side by side with <sys/uio.h>. */
#ifndef BLKDISCARD
#define BLKDISCARD	_IO(0x12, 119)
#endif
#ifndef BLKZEROOUT
#define BLKZEROOUT	_IO(0x12, 127)
#endif

/*
 * The engine option trim_method: how block devices are trimmed. The runner knows it by this name,
 * and that all but the first leave zeroes. Holes are punched into regular files, whatever it says.
 */
enum fl_fd_trim_method {
	FL_FD_TRIM_DISCARD = 0,
	FL_FD_TRIM_PUNCH = 1,
	FL_FD_TRIM_ZEROOUT = 2
};

#define FL_FD_TRIM_NAMES(array)								\
	static const struct fl_opt_value array[] = {					\
		{ "discard", FL_FD_TRIM_DISCARD,					\
		  "BLKDISCARD: given back, and what is read then is anything" },	\
		{ "punch", FL_FD_TRIM_PUNCH,						\
		  "fallocate: given back and read as zeroes, or refused" },		\
		{ "zeroout", FL_FD_TRIM_ZEROOUT,					\
		  "BLKZEROOUT: read as zeroes, which are written if need be" },		\
		{ NULL, 0, NULL },							\
	}

/* The row of it; conf has a uint32_t of that name, array is that of FL_FD_TRIM_NAMES(). */
#define FL_FD_OPT_TRIM(conf, member, array)						\
	{ .name = "trim_method", .type = FL_OPT_ENUM, .offset = offsetof(conf, member),	\
	  .values = array, .def = "discard", .help = "how devices are trimmed",		\
	  .more = "Regular files always by punching holes, which read as zeroes." }

#ifdef __GNUC__
#define FL_FD_COLD	__attribute__((noinline, cold, unused))
#else
#define FL_FD_COLD
#endif

/* fl_fd_rwf - the RWF_* flags that FL_REQ_* of a read or write ask for. */
static inline int fl_fd_rwf(const struct fl_req *req)
{
	int rwf = 0;

	if (req->flags & FL_REQ_FUA && req->op == FL_OP_WRITE)
		rwf |= RWF_DSYNC;
	if (req->flags & FL_REQ_NOWAIT)
		rwf |= RWF_NOWAIT;
	if (req->flags & FL_REQ_POLLED)
		rwf |= RWF_HIPRI;
	return rwf;
}

FL_FD_COLD
static int fl_fd_refused_flags(struct fl_queue *q, const struct fl_req *req, int rwf)
{
	const char *needs = "RWF_DSYNC (a write with FUA) needs Linux 4.7";
	struct utsname kernel;

	if (rwf & RWF_ATOMIC)
		needs = "RWF_ATOMIC (atomic) needs Linux 6.11, and a file system and device that "
			"can write this many bytes at once";
	else if (rwf & RWF_DONTCACHE)
		needs = "RWF_DONTCACHE (uncached) needs Linux 6.14 and a file system that knows "
			"it, as ext4 and xfs do and tmpfs does not";
	else if (rwf & RWF_NOWAIT)
		needs = "RWF_NOWAIT (nowait) needs Linux 4.14 and a file system that knows it";
	else if (rwf & RWF_HIPRI)
		needs = "RWF_HIPRI (hipri) needs Linux 4.6 and a device whose queues are polled";
	if (uname(&kernel))
		kernel.release[0] = '\0';
	return q->host->fail(q, -EOPNOTSUPP, "%s: %s; this is Linux %s", req->file->name, needs,
			     kernel.release);
}

/*
 * fl_fd_failed - the result of a request that failed: -err, with a sentence where the number alone
 * does not tell. err above 0; rwf: the RWF_* flags it was made with.
 */
FL_FD_COLD
static int64_t fl_fd_failed(struct fl_queue *q, const struct fl_req *req, int err, int rwf)
{
	const struct fl_file *f = req->file;

	if (err == ESPIPE)
		return q->host->fail(q, -err, "%s has no offsets, and %s needs them: "
				     "ioengine=sync reads and writes a stream", f->name,
				     q->engine->name);
	if (err == EOPNOTSUPP && req->op == FL_OP_TRIM)
		return q->host->fail(q, -err, "%s cannot be trimmed: its %s", f->name,
				     f->type == FL_FILE_BLOCK ? "device has no discard" :
				     "file system cannot punch holes");
	if ((err == EOPNOTSUPP && rwf) || (err == EINVAL && rwf & RWF_ATOMIC))
		return fl_fd_refused_flags(q, req, rwf);
	if (err == EINVAL && req->op <= FL_OP_WRITE && (f->open_flags & O_DIRECT))
		return q->host->fail(q, -err, "%s: direct=1 wants offset, length and buffer "
				     "address in multiples of the device's logical block; they "
				     "were %llu, %llu, %p", f->name,
				     (unsigned long long)req->offset,
				     (unsigned long long)req->len, req->buf);
	return -err;
}

/*
 * fl_fd_trim - a trim by its system call, made again after a signal. method: of a block device.
 * Returns what req->res is to be: its bytes, or -errno.
 */
FL_FD_COLD
static int64_t fl_fd_trim(struct fl_queue *q, const struct fl_req *req, uint32_t method)
{
	const struct fl_file *f = req->file;
	uint64_t range[2];
	int err;

	range[0] = req->offset;
	range[1] = req->len;
	if (f->type != FL_FILE_REGULAR && f->type != FL_FILE_BLOCK)
		return q->host->fail(q, -EOPNOTSUPP, "%s: only regular files and block devices "
				     "can be trimmed", f->name);
	do {
		if (f->type == FL_FILE_REGULAR || method == FL_FD_TRIM_PUNCH)
			err = fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					(off_t)req->offset, (off_t)req->len);
		else
			err = ioctl(f->fd, method == FL_FD_TRIM_ZEROOUT ? BLKZEROOUT : BLKDISCARD,
				    range);
	} while (err && errno == EINTR);
	if (err && errno == EINVAL && f->type == FL_FILE_BLOCK)
		return q->host->fail(q, -EINVAL, "%s: trims of a device want offset and length in "
				     "multiples of its logical block; they were %llu, %llu",
				     f->name, (unsigned long long)req->offset,
				     (unsigned long long)req->len);
	return err ? fl_fd_failed(q, req, errno, 0) : (int64_t)req->len;
}

/*
 * fl_fd_do - a trim (of a device by discarding), sync, datasync or sync_range by its system call,
 * made again after a signal. Returns what req->res is to be: bytes of a trim, 0 of the others, or
 * -errno.
 */
FL_FD_COLD
static int64_t fl_fd_do(struct fl_queue *q, const struct fl_req *req)
{
	const struct fl_file *f = req->file;
	int err;

	if (req->op == FL_OP_TRIM)
		return fl_fd_trim(q, req, FL_FD_TRIM_DISCARD);
	do {
		if (req->op == FL_OP_SYNC)
			err = fsync(f->fd);
		else if (req->op == FL_OP_DATASYNC)
			err = fdatasync(f->fd);
		else if (req->op == FL_OP_SYNC_RANGE)
			err = sync_file_range(f->fd, (off_t)req->offset, (off_t)req->len,
					      (unsigned)req->arg);
		else
			return -EOPNOTSUPP;
	} while (err && errno == EINTR);
	return err ? fl_fd_failed(q, req, errno, 0) : 0;
}

#ifdef __cplusplus
}
#endif
#endif
