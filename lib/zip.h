/* SPDX-License-Identifier: MIT */
/*
 * Compression for logs: a file is a row of zlib streams (RFC 1950), each complete in itself, so
 * that what has been written can be read whatever happens afterwards.
 */
#ifndef LIB_ZIP_H
#define LIB_ZIP_H

#include "lib/base.h"

/* zip_here - was this program built with zlib? Without it the functions below return -ENOSYS. */
bool zip_here(void);

/* What takes the bytes that come out. Returns 0, or what the function calling it then returns. */
typedef int (*zip_sink)(void *ctx, const void *bytes, size_t n);

/*
 * zip_new - a compressor: fast rather than tight. NULL when there is no memory, or no zlib. It
 * allocates nothing later.
 */
struct zip *zip_new(void);
void zip_free(struct zip *z);

/* zip_stream - one whole stream of n bytes (0 is fine). 0, or what the sink returned. */
int zip_stream(struct zip *z, const void *bytes, size_t n, zip_sink sink, void *ctx);

/* What gives the bytes to be inflated: at most n to buf. Returns how many, 0 at the end, -errno. */
typedef long (*zip_source)(void *ctx, void *buf, size_t n);

/*
 * unzip_streams - inflate all streams, one behind the other. Returns 0; -EBADMSG for what is no
 * zlib stream, -ENODATA where the last one is cut short (the sink has had what there was);
 * -ENOMEM; -ENOSYS; or what source or sink returned.
 */
int unzip_streams(zip_source source, void *source_ctx, zip_sink sink, void *sink_ctx);

#endif
