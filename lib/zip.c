/* SPDX-License-Identifier: MIT */
/* Rows of zlib streams. */
#include "lib/zip.h"
#include "gen/config.h"

#include <errno.h>
#include <stdlib.h>

#ifdef CONFIG_LIB_Z

#include <zlib.h>

#define OUT_BYTES	(64u << 10)

struct zip {
	z_stream z;
	unsigned char out[OUT_BYTES];
};

bool zip_here(void)
{
	return true;
}

struct zip *zip_new(void)
{
	struct zip *z = calloc(1, sizeof(*z));

	if (z && deflateInit(&z->z, Z_BEST_SPEED) != Z_OK) {
		free(z);
		z = NULL;
	}
	return z;
}

void zip_free(struct zip *z)
{
	if (z)
		deflateEnd(&z->z);
	free(z);
}

int zip_stream(struct zip *z, const void *bytes, size_t n, zip_sink sink, void *ctx)
{
	z_stream *s = &z->z;
	int state, err = 0;

	deflateReset(s);
	s->next_in = (unsigned char *)bytes;
	do {
		/* avail_in has 32 bits. */
		uInt part = (uInt)fl_min(n, (size_t)1 << 30);

		s->avail_in = part;
		n -= part;
		do {
			s->next_out = z->out;
			s->avail_out = OUT_BYTES;
			state = deflate(s, n ? Z_NO_FLUSH : Z_FINISH);
			fl_assert(state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR);
			if (s->avail_out < OUT_BYTES)
				err = sink(ctx, z->out, OUT_BYTES - s->avail_out);
		} while (!err && !s->avail_out);
	} while (!err && n);
	return err;
}

static int unzip_all(z_stream *s, unsigned char *in, unsigned char *out, zip_source source,
		     void *source_ctx, zip_sink sink, void *sink_ctx)
{
	bool inside = false;		/* a stream has begun and not ended */
	bool more = false;		/* out was too small for what is there */
	int err, state;

	for (;;) {
		if (!s->avail_in && !more) {
			long got = source(source_ctx, in, OUT_BYTES);

			if (got <= 0)
				return got || !inside ? (int)got : -ENODATA;
			s->next_in = in;
			s->avail_in = (uInt)got;
		}
		inside = true;
		s->next_out = out;
		s->avail_out = OUT_BYTES;
		state = inflate(s, Z_NO_FLUSH);
		err = s->avail_out < OUT_BYTES ? sink(sink_ctx, out, OUT_BYTES - s->avail_out) : 0;
		if (err)
			return err;
		if (state == Z_MEM_ERROR)
			return -ENOMEM;
		more = !s->avail_out;
		if (state == Z_STREAM_END) {
			inside = more = false;
			inflateReset(s);
		} else if (state != Z_OK && state != Z_BUF_ERROR) {
			return -EBADMSG;
		}
	}
}

int unzip_streams(zip_source source, void *source_ctx, zip_sink sink, void *sink_ctx)
{
	unsigned char *buf = malloc(2 * OUT_BYTES);
	z_stream s = { .next_in = NULL };
	int err = -ENOMEM;

	if (buf && inflateInit(&s) == Z_OK) {
		err = unzip_all(&s, buf, buf + OUT_BYTES, source, source_ctx, sink, sink_ctx);
		inflateEnd(&s);
	}
	free(buf);
	return err;
}

#else

bool zip_here(void)
{
	return false;
}

struct zip *zip_new(void)
{
	return NULL;
}

void zip_free(struct zip *z)
{
	(void)z;
}

int zip_stream(struct zip *z, const void *bytes, size_t n, zip_sink sink, void *ctx)
{
	(void)z;
	(void)bytes;
	(void)n;
	(void)sink;
	(void)ctx;
	return -ENOSYS;
}

int unzip_streams(zip_source source, void *source_ctx, zip_sink sink, void *sink_ctx)
{
	(void)source;
	(void)source_ctx;
	(void)sink;
	(void)sink_ctx;
	return -ENOSYS;
}

#endif
