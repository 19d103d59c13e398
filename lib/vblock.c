/* SPDX-License-Identifier: MIT */
/* Making and checking verified blocks. What is wrong with one is in vblock_diagnose.c. */
#include "lib/vblock.h"
#include "lib/vpayload.h"

#include <string.h>

/* The header in words, as it lies in the block, lowest byte first. */
enum {
	H_MAGIC,		/* magic; 16 bits each: bytes of the header, kind of sum */
	H_BYTES,		/* of the block; the job in the upper half */
	H_OFFSET,
	H_NUMBER,
	H_KEY,
	H_TIME,
	H_SUM,			/* as many words as the kind needs; then the header's own sum */
	H_WORDS = VBLOCK_HEADER_MAX / 8,
};

static uint64_t little(uint64_t x)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(x) : x;
}

uint32_t vblock_header_bytes(const struct checksum_kind *sum)
{
	return VBLOCK_HEADER_BYTES + (sum ? (sum->bytes + 7) / 8 * 8 : 0);
}

/* One to one in every word: that a single word changed never escapes it. */
static uint64_t own_sum(const uint64_t *words, size_t count)
{
	uint64_t sum = VBLOCK_MAGIC;

	for (size_t i = 0; i < count; i++)
		sum = rand_mix64(sum ^ little(words[i]));
	return little(sum);
}

/* The number of a kind in the header: its place in the list, from 1. */
static uint64_t kind_number(const struct checksum_kind *sum)
{
	return sum ? (uint64_t)(sum - checksum_at(0)) + 1 : 0;
}

static uint64_t magic_word(const struct vblock *b)
{
	return VBLOCK_MAGIC | (uint64_t)vblock_header_bytes(b->sum) << 32 |
	       kind_number(b->sum) << 48;
}

/* ---- Payload --------------------------------------------------------------------------------- */

static struct vpayload_origin origin_of(const struct vblock *b, const struct vblock_id *id)
{
	return (struct vpayload_origin){ (uint32_t)(id->offset / b->bytes), (uint32_t)id->number };
}

/* The payload that identifies itself, and zeroes where a share of it is to compress. */
static void fill_words(const struct vblock *b, uint8_t *to, uint64_t begin)
{
	uint32_t bytes = b->bytes - b->zeroes;
	uint32_t whole = bytes / 8;
	uint64_t last = little(vpayload_word(begin, whole));

	vpayload_fill(begin, to, whole);
	memcpy(to + 8 * whole, &last, bytes - 8 * whole);
	memset(to + bytes, 0, b->zeroes);
}

static uint32_t piece_of(const struct vblock *b, uint32_t at)
{
	uint32_t left = b->bytes - at;

	return b->pattern_bytes ? fl_min(b->pattern_bytes, left) : left;
}

static void fill_pattern(const struct vblock *b, uint8_t *to, uint64_t offset)
{
	for (uint32_t at = 0; at < b->bytes; at += piece_of(b, at))
		pattern_fill(b->pattern, to + at, piece_of(b, at), offset + at);
}

/* The bytes of the piece at `at` between from and to hold the pattern? */
static bool pattern_holds(const struct vblock *b, const uint8_t *buf, uint64_t offset,
			  uint32_t from, uint32_t to)
{
	uint32_t at = b->pattern_bytes ? from / b->pattern_bytes * b->pattern_bytes : 0;

	for (; at < to; at += piece_of(b, at)) {
		uint32_t begin = fl_max(from, at), end = fl_min(to, at + piece_of(b, at));

		if (begin < end &&
		    pattern_check_from(b->pattern, begin - at, buf + begin, end - begin,
				       offset + at) != end - begin)
			return false;
	}
	return true;
}

bool vblock_pattern(const struct vblock *b, const void *buf, uint64_t offset)
{
	uint32_t behind = b->header ? b->header_at + vblock_header_bytes(b->sum) : 0;

	return pattern_holds(b, buf, offset, 0, b->header ? b->header_at : 0) &&
	       pattern_holds(b, buf, offset, behind, b->bytes);
}

/* Over the bytes in front of and behind the header. */
static void sum_payload(const struct vblock *b, struct checksum *sum, const uint8_t *buf,
			uint8_t value[CHECKSUM_BYTES_MAX])
{
	uint32_t behind = b->header_at + vblock_header_bytes(b->sum);

	checksum_begin(sum);
	if (b->header_at)
		checksum_add(sum, buf, b->header_at);
	checksum_add(sum, buf + behind, b->bytes - behind);
	checksum_end(sum, value);
}

/* ---- The whole ------------------------------------------------------------------------------- */

void vblock_fill(const struct vblock *b, struct checksum *sum, void *buf,
		 const struct vblock_id *id)
{
	uint64_t h[H_WORDS] = { 0 };
	size_t words = vblock_header_bytes(b->sum) / 8;
	uint8_t value[CHECKSUM_BYTES_MAX];

	if (b->pattern)
		fill_pattern(b, buf, id->offset);
	else
		fill_words(b, buf, vpayload_begin(b->key, origin_of(b, id)));
	if (!b->header)
		return;
	h[H_MAGIC] = little(magic_word(b));
	h[H_BYTES] = little(b->bytes | (uint64_t)b->job << 32);
	h[H_OFFSET] = little(id->offset);
	h[H_NUMBER] = little(id->number);
	h[H_KEY] = little(b->key);
	h[H_TIME] = little(id->time_ns);
	if (b->sum) {
		sum_payload(b, sum, buf, value);
		memcpy(&h[H_SUM], value, b->sum->bytes);
	}
	h[words - 1] = own_sum(h, words - 1);
	memcpy((uint8_t *)buf + b->header_at, h, words * 8);
}

static void read_header(const struct vblock *b, const void *buf, uint64_t h[H_WORDS])
{
	memcpy(h, (const uint8_t *)buf + b->header_at, vblock_header_bytes(b->sum));
}

static enum vblock_wrong check_header(const struct vblock *b, const uint64_t *h,
				      const struct vblock_id *id, bool any_key)
{
	size_t words = vblock_header_bytes(b->sum) / 8;

	if ((uint32_t)little(h[H_MAGIC]) != VBLOCK_MAGIC)
		return VBLOCK_NO_HEADER;
	/* A header of another length has its sum elsewhere: say that it is of another kind. */
	if (little(h[H_MAGIC]) != magic_word(b))
		return VBLOCK_BAD_LENGTH;
	if (h[words - 1] != own_sum(h, words - 1))
		return VBLOCK_BAD_HEADER;
	if ((uint32_t)little(h[H_BYTES]) != b->bytes)
		return VBLOCK_BAD_LENGTH;
	if (!any_key && (little(h[H_KEY]) != b->key || little(h[H_BYTES]) >> 32 != b->job))
		return VBLOCK_BAD_KEY;
	if (little(h[H_OFFSET]) != id->offset)
		return VBLOCK_BAD_OFFSET;
	if (id->number && (uint32_t)little(h[H_NUMBER]) != (uint32_t)id->number)
		return VBLOCK_BAD_NUMBER;
	return VBLOCK_RIGHT;
}

static enum vblock_wrong check_payload(const struct vblock *b, struct checksum *sum,
				       const uint8_t *buf, const uint64_t *h, uint64_t offset)
{
	uint8_t value[CHECKSUM_BYTES_MAX];
	bool right = true;

	if (b->sum) {
		sum_payload(b, sum, buf, value);
		right = !memcmp(&h[H_SUM], value, b->sum->bytes);
	} else if (b->compare) {
		right = vblock_pattern(b, buf, offset);
	}
	return right ? VBLOCK_RIGHT : VBLOCK_BAD_PAYLOAD;
}

enum vblock_wrong vblock_check(const struct vblock *b, struct checksum *sum, const void *buf,
			       const struct vblock_id *id, bool any_key)
{
	uint64_t h[H_WORDS];
	enum vblock_wrong wrong = VBLOCK_RIGHT;

	if (b->header) {
		read_header(b, buf, h);
		wrong = check_header(b, h, id, any_key);
	}
	return wrong ? wrong : check_payload(b, sum, buf, h, id->offset);
}

bool vblock_header_id(const struct vblock *b, const void *buf, struct vblock_id *id, uint64_t *key)
{
	size_t words = vblock_header_bytes(b->sum) / 8;
	uint64_t h[H_WORDS];

	if (!b->header)
		return false;
	read_header(b, buf, h);
	if (little(h[H_MAGIC]) != magic_word(b) || h[words - 1] != own_sum(h, words - 1))
		return false;
	*id = (struct vblock_id){ little(h[H_OFFSET]), little(h[H_NUMBER]), little(h[H_TIME]) };
	*key = little(h[H_KEY]);
	return true;
}

const char *vblock_wrong_text(enum vblock_wrong wrong)
{
	static const char *const texts[] = {
		[VBLOCK_RIGHT] = "nothing is wrong",
		[VBLOCK_NO_HEADER] = "there is no header",
		[VBLOCK_BAD_HEADER] = "the header does not fit its own sum",
		[VBLOCK_BAD_LENGTH] = "the header is of another block size or kind of checksum",
		[VBLOCK_BAD_OFFSET] = "the header names another place",
		[VBLOCK_BAD_KEY] = "the header is of another file or of a run with another seed",
		[VBLOCK_BAD_NUMBER] = "the header names another write",
		[VBLOCK_BAD_PAYLOAD] = "the data does not fit",
	};

	return texts[wrong];
}
