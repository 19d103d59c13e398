/* SPDX-License-Identifier: MIT */
/*
 * An independent checker of verified blocks, written from doc/verify-format.md alone: it shares no
 * line with the program.
 *
 *	vcheck FILE BLOCK OFFSET BYTES		verify_offset=0, crc32c or meta, no pattern
 *
 * Prints how many blocks from OFFSET on are right, and where the first wrong one is; exit status 1
 * if any is.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_MAX	120

static uint64_t number(const unsigned char *at, int bytes)
{
	uint64_t n = 0;

	while (bytes--)
		n = n << 8 | at[bytes];
	return n;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint32_t crc32c(const unsigned char *at, size_t bytes)
{
	uint32_t crc = 0xffffffff;

	for (; bytes; bytes--) {
		crc ^= *at++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static const char *payload(const unsigned char *b, size_t length, size_t header)
{
	uint64_t index = number(b + 16, 8) / length;
	uint64_t begin = mix((number(b + 24, 4) << 32 | (uint32_t)index) ^ number(b + 32, 8));

	for (size_t i = header; i < length; i++) {
		uint64_t x = begin + i / 8 * 0x9e3779b97f4a7c15u;

		x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
		x ^= x >> 29;
		if (b[i] != (unsigned char)(x >> 8 * (i % 8)))
			return "payload";
	}
	return NULL;
}

/* What is wrong with a block; NULL: nothing. */
static const char *check(const unsigned char *b, size_t length, uint64_t place)
{
	size_t header = number(b + 4, 2);
	uint64_t sum = 0x4256534c;

	if (memcmp(b, "LSVB", 4))
		return "magic";
	if (header < 56 || header > HEADER_MAX || header % 8)
		return "header length";
	for (size_t i = 0; i < header - 8; i += 8)
		sum = mix(sum ^ number(b + i, 8));
	if (sum != number(b + header - 8, 8))
		return "header sum";
	if (number(b + 8, 4) != length)
		return "length";
	if (number(b + 16, 8) != place)
		return "place";
	if (number(b + 6, 2) == 3) {
		uint32_t crc = crc32c(b + header, length - header);

		if (((uint32_t)b[48] << 24 | b[49] << 16 | b[50] << 8 | b[51]) != crc)
			return "checksum";
	}
	return payload(b, length, header);
}

int main(int argc, char **argv)
{
	size_t length = argc == 5 ? strtoul(argv[2], NULL, 0) : 0;
	uint64_t place = argc == 5 ? strtoull(argv[3], NULL, 0) : 0;
	uint64_t end = argc == 5 ? place + strtoull(argv[4], NULL, 0) : 0;
	unsigned char *b = malloc(length ? length : 1);
	FILE *f = argc == 5 ? fopen(argv[1], "rb") : NULL;
	unsigned long right = 0, wrong = 0;

	if (!b || !f || length < 64 || fseek(f, (long)place, SEEK_SET)) {
		fprintf(stderr, "usage: vcheck FILE BLOCK OFFSET BYTES\n");
		return 2;
	}
	for (; place < end && fread(b, 1, length, f) == length; place += length) {
		const char *what = check(b, length, place);

		right += !what;
		if (what && !wrong++)
			printf("offset %llu: %s\n", (unsigned long long)place, what);
	}
	printf("%lu right, %lu wrong\n", right, wrong);
	fclose(f);
	free(b);
	return wrong != 0;
}
