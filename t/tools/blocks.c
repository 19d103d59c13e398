/* SPDX-License-Identifier: MIT */
/*
 * blocks [--piece=BYTES] BYTES FILE...
 *
 * What devices that deduplicate and compress would make of files: they are cut into blocks of so
 * many bytes (a rest is left out). Printed are how many there are, how many remain when each is
 * kept once, how many of these were there more than once, and to how many percent zlib brings all
 * of them, each piece by itself (default: each block; 0 without zlib):
 *
 *	blocks 256 distinct 128 repeated 12 zlib 50.31
 *
 * Blocks are compared by a hash of 64 bits and then byte by byte.
 */
#include "lib/base.h"
#include "lib/rand.h"
#include "lib/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
	uint64_t hash;
	const unsigned char *bytes;
};

static size_t block_bytes;

static void die(const char *what)
{
	fprintf(stderr, "blocks: %s\n", what);
	exit(1);
}

static uint64_t hash(const unsigned char *p, size_t len)
{
	uint64_t h = len, word;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = rand_mix64(h ^ word) + 0x9e3779b97f4a7c15ull;
	}
	word = 0;
	memcpy(&word, p, len);
	return rand_mix64(h ^ word);
}

static int compare(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return memcmp(x->bytes, y->bytes, block_bytes);
}

/* All files, one behind the other; of each whole blocks. */
static unsigned char *load(char *const *names, size_t *len)
{
	unsigned char *all = NULL;

	*len = 0;
	for (; *names; names++) {
		FILE *f = fopen(*names, "rb");
		size_t n;

		if (!f)
			die(*names);
		do {
			all = realloc(all, *len + block_bytes);
			if (!all)
				die("no memory");
			n = fread(all + *len, 1, block_bytes, f);
			*len += n == block_bytes ? n : 0;
		} while (n == block_bytes);
		fclose(f);
	}
	return all;
}

static int count(void *ctx, const void *bytes, size_t n)
{
	uint64_t *sum = ctx;

	(void)bytes;
	*sum += n;
	return 0;
}

static double compressed_percent(const unsigned char *data, size_t len, size_t piece)
{
	struct zip *z = zip_here() ? zip_new() : NULL;
	uint64_t sum = 0;

	for (size_t at = 0; z && at < len; at += piece)
		if (zip_stream(z, data + at, fl_min(piece, len - at), count, &sum))
			die("zlib failed");
	zip_free(z);
	return len ? 100.0 * (double)sum / (double)len : 0;
}

int main(int argc, char **argv)
{
	size_t piece = 0, len, count, distinct = 0, repeated = 0;
	unsigned char *data;
	struct block *blocks;

	if (argc > 1 && !strncmp(argv[1], "--piece=", 8)) {
		piece = strtoull(argv[1] + 8, NULL, 10);
		argc--;
		argv++;
	}
	block_bytes = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	if (!block_bytes)
		die("usage: blocks [--piece=BYTES] BYTES FILE...");
	data = load(argv + 2, &len);
	count = len / block_bytes;
	blocks = calloc(count + 1, sizeof(*blocks));
	if (!blocks)
		die("no memory");
	for (size_t i = 0; i < count; i++)
		blocks[i] = (struct block){ hash(data + i * block_bytes, block_bytes),
					    data + i * block_bytes };
	qsort(blocks, count, sizeof(*blocks), compare);
	for (size_t i = 0; i < count; i++) {
		bool first = !i || compare(&blocks[i - 1], &blocks[i]);

		distinct += first;
		repeated += first && i + 1 < count && !compare(&blocks[i], &blocks[i + 1]);
	}
	printf("blocks %zu distinct %zu repeated %zu zlib %.2f\n", count, distinct, repeated,
	       compressed_percent(data, len, piece ? piece : block_bytes));
	free(blocks);
	free(data);
	return 0;
}
