/* SPDX-License-Identifier: MIT */
/* From compressed records, or compressed text where it is histograms, to lines. */
#include "core/log_inflate.h"
#include "lib/logfmt.h"
#include "lib/zip.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct inflater {
	int fd;
	FILE *out;
	bool known, text;		/* what it holds, and whether that is text */
	struct logfmt_text lines;
	char part[LOGFMT_RECORD_MAX];	/* the beginning of a record */
	size_t part_bytes;
};

static long read_some(void *ctx, void *buf, size_t n)
{
	struct inflater *in = ctx;
	ssize_t got;

	do
		got = read(in->fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static int put(const struct inflater *in, const char *text, size_t n)
{
	if (fwrite(text, 1, n, in->out) == n)
		return 0;
	return errno ? -errno : -EIO;
}

/*
 * A line of histograms begins with digits and a comma. Of a record these bytes are the time, which
 * would lie 70 million years away.
 */
static bool is_text(const char *at, size_t n)
{
	static const char of_text[] = "0123456789, ";

	for (size_t i = 0; i < sizeof(uint64_t); i++)
		if (i >= n || !at[i] || !strchr(of_text, at[i]))
			return false;
	return true;
}

/* Records, as far as there are whole ones. Returns how many bytes they took; -errno. */
static long put_records(struct inflater *in, const char *at, size_t n)
{
	char text[LOGFMT_LINE_MAX];
	struct logfmt_line line;
	size_t done = 0, bytes;
	uint32_t columns;
	int err = 0;

	while (!err && (bytes = logfmt_unpack(at + done, n - done, &line, &columns))) {
		if (columns != in->lines.columns)
			in->lines = (struct logfmt_text){ .columns = columns };
		err = put(in, text, (size_t)(logfmt_put(&in->lines, text, &line) - text));
		done += bytes;
	}
	return err ? err : (long)done;
}

static int take(void *ctx, const void *bytes, size_t n)
{
	struct inflater *in = ctx;
	const char *at = bytes;
	long done;

	if (!in->known) {
		in->known = true;
		in->text = is_text(at, n);
	}
	if (in->text)
		return put(in, at, n);
	while (in->part_bytes && n) {
		in->part[in->part_bytes++] = *at++;
		n--;
		done = put_records(in, in->part, in->part_bytes);
		if (done < 0)
			return (int)done;
		if (done || in->part_bytes == sizeof(in->part))
			in->part_bytes = 0;
	}
	done = put_records(in, at, n);
	if (done < 0)
		return (int)done;
	if (n - (size_t)done >= sizeof(in->part))
		return -EBADMSG;
	in->part_bytes = n - (size_t)done;
	memcpy(in->part, at + done, in->part_bytes);
	return 0;
}

static const char *explain(int err)
{
	switch (err) {
	case -EBADMSG:
		return "this is no compressed log";
	case -ENODATA:
		return "the file ends in the middle of what is compressed";
	case -ENOSYS:
		return "this program was built without zlib; install zlib1g-dev and build it again";
	default:
		return strerror(-err);
	}
}

int log_inflate(const char *path, FILE *out, char *why, size_t why_bytes)
{
	struct inflater in = { .fd = file_open(path, O_RDONLY, 0, NULL), .out = out };
	int err;

	errno = 0;
	if (in.fd < 0) {
		err = in.fd;
	} else {
		err = unzip_streams(read_some, &in, take, &in);
		if (!err && in.part_bytes)
			err = -EBADMSG;
		close(in.fd);
	}
	if (err)
		snprintf(why, why_bytes, "%s", explain(err));
	return err;
}
