/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a pattern. What is accepted fills buffers of several lengths as pattern_byte() says,
 * and a changed byte is found where it is; what is refused has a sentence and a place in the text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file holds its own name, and as often as its first digit says. */
static int load(void *ctx, const char *path, size_t max, char **bytes, size_t *len)
{
	size_t n = strlen(path), times = path[0] >= '0' && path[0] <= '9' ? path[0] - '0' : 1;

	(void)ctx;
	if (path[0] == '/')
		return -ENOENT;
	*bytes = malloc(n * times + 1);
	if (!*bytes)
		return -ENOMEM;
	for (size_t i = 0; i < times; i++)
		memcpy(*bytes + i * n, path, n);
	*len = fl_min(n * times, max);
	return 0;
}

static void use(const struct pattern *p, size_t len, uint64_t offset)
{
	unsigned char *buf = malloc(len + 1);
	size_t at = len ? (size_t)(offset % len) : 0;

	if (!buf)
		return;
	pattern_fill(p, buf, len, offset);
	for (size_t i = 0; i < len; i++)
		fl_assert(buf[i] == pattern_byte(p, i, offset));
	fl_assert(pattern_check(p, buf, len, offset) == len);
	if (len) {
		buf[at] ^= 1;
		fl_assert(pattern_check(p, buf, len, offset) == at);
	}
	free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pattern_files files = { load, NULL };
	struct span text = { (const char *)data, size };
	struct parse_err err = { "", -1 };
	struct arena arena = { NULL };
	struct pattern p;

	if (pattern_parse(text, &files, &arena, &p, &err)) {
		fl_assert(err.text[0] && err.col >= 0 && (size_t)err.col <= size);
	} else {
		fl_assert(p.len && p.len <= PATTERN_BYTES_MAX);
		use(&p, 0, 0);
		use(&p, p.len - 1, 1);
		use(&p, p.len, UINT64_MAX);
		use(&p, 3 * p.len + 5, UINT64_C(0x0102030405060708));
		use(&p, 513, size);
	}
	arena_free(&arena);
	return 0;
}
