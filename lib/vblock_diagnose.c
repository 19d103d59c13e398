/* SPDX-License-Identifier: MIT */
/*
 * What became of a wrong block. It is made again as it should be and compared; then every word that
 * differs is asked where it comes from, and the answers are counted.
 */
#include "lib/vblock.h"
#include "lib/vpayload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the words of a block turned out to be. */
struct tally {
	uint32_t words;		/* that can tell: neither of the header nor zero by design */
	uint32_t right, zero, old, other, shifted;
	struct vpayload_origin old_origin, other_origin;
	int64_t shift;		/* bytes */
};

/* Words of the header by what is in them; see doc/verify-format.md. */
enum { W_OFFSET = 2, W_NUMBER = 3, W_KEY = 4, W_TIME = 5 };

/* The word at a byte; whole words only. */
static uint64_t word_at(const uint8_t *buf, uint32_t at)
{
	uint64_t word;

	memcpy(&word, buf + at, 8);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

static bool in_header(const struct vblock *b, uint32_t at)
{
	return b->header && at + 8 > b->header_at &&
	       at < b->header_at + vblock_header_bytes(b->sum);
}

static bool same(struct vpayload_origin a, struct vpayload_origin b)
{
	return a.index == b.index && a.number == b.number;
}

/* Where a word comes from, if one beside it comes from there too, or it is of this very block. */
static bool origin_at(const struct vblock *b, const uint8_t *buf, uint32_t at, uint32_t index,
		      struct vpayload_origin *origin)
{
	*origin = vpayload_origin(b->key, word_at(buf, at), at / 8);
	if (origin->index == index)
		return true;
	if (at >= 8 && same(*origin, vpayload_origin(b->key, word_at(buf, at - 8), at / 8 - 1)))
		return true;
	return at + 16 <= b->bytes &&
	       same(*origin, vpayload_origin(b->key, word_at(buf, at + 8), at / 8 + 1));
}

/* Is it a word of the right block, in the wrong place? Then which of its words. */
static bool place_of(const struct vblock *b, uint64_t word, uint64_t begin, uint64_t *place)
{
	uint64_t x = (word ^ word >> 29 ^ word >> 58) * rand_inverse64(VPAYLOAD_ODD);

	x = (x ^ x >> 32) - begin;
	*place = x * rand_inverse64(VPAYLOAD_STEP);
	return *place < b->bytes / 8;
}

/* The same of the data around a byte, shifted by any number of bytes; then how far they are. */
static bool shift_at(const struct vblock *b, const uint8_t *buf, uint32_t at, uint64_t begin,
		     int64_t *shift)
{
	uint64_t place;

	for (uint32_t from = at < 7 ? 0 : at - 7; from < at + 8 && from + 8 <= b->bytes; from++)
		if (place_of(b, word_at(buf, from), begin, &place) && 8 * place != from) {
			*shift = (int64_t)from - 8 * (int64_t)place;
			return true;
		}
	return false;
}

static void count_word(const struct vblock *b, const uint8_t *buf, const uint8_t *right,
		       uint32_t at, struct vpayload_origin own, struct tally *t)
{
	uint64_t word = word_at(buf, at);
	struct vpayload_origin origin;

	t->words++;
	if (!memcmp(buf + at, right + at, 8)) {
		t->right++;
	} else if (!word) {
		t->zero++;
	} else if (b->pattern) {
		return;
	} else if (shift_at(b, buf, at, vpayload_begin(b->key, own), &t->shift)) {
		t->shifted++;
	} else if (origin_at(b, buf, at, own.index, &origin)) {
		if (origin.index == own.index) {
			t->old++;
			t->old_origin = origin;
		} else {
			t->other++;
			t->other_origin = origin;
		}
	}
}

/*
 * Which write the header is of counts as one word more, for a tear may end inside of it: it is
 * right if all that names the block is, and old only if it is whole.
 */
static void count_header(const struct vblock *b, const uint8_t *buf, const uint8_t *right,
			 const struct vblock_id *want, struct tally *t)
{
	struct vblock_id id;
	uint64_t key;

	if (!b->header || b->pattern)
		return;
	if (!memcmp(buf + b->header_at, right + b->header_at, 8 * (W_KEY + 1))) {
		t->words++;
		t->right++;
	} else if (vblock_header_id(b, buf, &id, &key) && key == b->key &&
		   id.offset == want->offset && (uint32_t)id.number != (uint32_t)want->number) {
		t->words++;
		t->old++;
		t->old_origin.number = (uint32_t)id.number;
	}
}

/*
 * Bytes that differ; the first of them; the longest stretch that does not. Zeroes by design only
 * prolong it, for they say nothing.
 */
static void compare(const struct vblock *b, const uint8_t *buf, const uint8_t *right,
		    struct vblock_diagnosis *d)
{
	uint32_t run = 0;

	d->wrong = 0;
	d->right_from = d->right_to = 0;
	for (uint32_t i = 0; i < b->bytes; i++) {
		if (buf[i] == right[i]) {
			run += i < b->bytes - b->zeroes;
			if (run > d->right_to - d->right_from) {
				d->right_from = i + 1 - run;
				d->right_to = i + 1;
			}
			continue;
		}
		run = 0;
		if (!d->wrong++) {
			d->first = i;
			d->expected = right[i];
			d->found = buf[i];
		}
	}
	if (d->right_to == b->bytes - b->zeroes)
		while (d->right_to < b->bytes && buf[d->right_to] == right[d->right_to])
			d->right_to++;
}

/* ---- The block as it should be --------------------------------------------------------------- */


/*
 * The time in a header is the one thing that nothing else tells. It is taken from the block; but if
 * just that was damaged, the header's own sum still knows it: the sum is one to one in each word.
 */
static uint64_t time_by_sum(const struct vblock *b, const uint8_t *buf, const uint8_t *right)
{
	uint32_t last = vblock_header_bytes(b->sum) / 8 - 1;
	uint64_t state = VBLOCK_MAGIC;
	uint64_t sum = word_at(buf, b->header_at + 8 * last);

	for (uint32_t i = 0; i < W_TIME; i++)
		state = rand_mix64(state ^ word_at(right, b->header_at + 8 * i));
	for (uint32_t i = last; --i > W_TIME;)
		sum = rand_unmix64(sum) ^ word_at(right, b->header_at + 8 * i);
	return rand_unmix64(sum) ^ state;
}

static void make_right(const struct vblock *b, struct checksum *sum, const uint8_t *buf,
		       struct vblock_id *want, uint8_t *right, struct vblock_diagnosis *d)
{
	struct vblock_diagnosis other = *d;

	if (b->header)
		want->time_ns = word_at(buf, b->header_at + 8 * W_TIME);
	vblock_fill(b, sum, right, want);
	compare(b, buf, right, d);
	if (!b->header || !d->wrong)
		return;
	want->time_ns = time_by_sum(b, buf, right);
	vblock_fill(b, sum, right, want);
	compare(b, buf, right, &other);
	if (other.wrong < d->wrong) {
		*d = other;
		return;
	}
	want->time_ns = word_at(buf, b->header_at + 8 * W_TIME);
	vblock_fill(b, sum, right, want);
}

/* Which write wrote it, when nobody knows: as its header says, else as most of its words do. */
static uint64_t guess_number(const struct vblock *b, const uint8_t *buf, uint64_t offset)
{
	uint32_t index = (uint32_t)(offset / b->bytes);
	struct vpayload_origin origin;
	struct vblock_id id;
	uint64_t key;

	if (vblock_header_id(b, buf, &id, &key) && key == b->key && id.offset == offset)
		return id.number;
	for (uint32_t at = 0; !b->pattern && at + 8 <= b->bytes; at += 8)
		if (!in_header(b, at) && origin_at(b, buf, at, index, &origin) &&
		    origin.index == index)
			return origin.number;
	return 0;
}

/* ---- The verdict ----------------------------------------------------------------------------- */

/* The place of the block with this index (its low 32 bits), near the one that was meant. */
static uint64_t offset_of(const struct vblock *b, uint32_t index, uint64_t meant)
{
	uint64_t own = meant / b->bytes;

	return ((own & ~(uint64_t)UINT32_MAX) | index) * b->bytes + meant % b->bytes;
}

/*
 * A valid header of this job in another place of the block: all of it has been shifted. Where part
 * of the block is right, only its own may be there: what else lies behind a tear has names enough.
 */
static bool judge_shift(const struct vblock *b, const uint8_t *buf, const struct vblock_id *want,
			const struct tally *t, struct vblock_diagnosis *d)
{
	uint32_t bytes = vblock_header_bytes(b->sum);
	struct vblock moved = *b;
	struct vblock_id id;
	uint64_t key;

	for (uint32_t at = 0; b->header && at + bytes <= b->bytes; at++) {
		moved.header_at = at;
		if (at == b->header_at || (uint32_t)word_at(buf, at) != VBLOCK_MAGIC ||
		    !vblock_header_id(&moved, buf, &id, &key) || key != b->key)
			continue;
		if (t->right && !b->pattern &&
		    (id.offset != want->offset || (uint32_t)id.number != (uint32_t)want->number))
			continue;
		d->cause = VBLOCK_MISPLACED;
		d->offset = id.offset;
		d->number = id.number;
		d->shift = (int64_t)at - b->header_at;
		return true;
	}
	return false;
}

static void set_version(struct vblock_diagnosis *d, uint64_t found, uint64_t meant)
{
	d->cause = (int32_t)((uint32_t)found - (uint32_t)meant) < 0 ? VBLOCK_STALE : VBLOCK_NEWER;
	d->number = found;
}

/* Whole blocks that are right in themselves, but not here or not now. */
static bool judge_header(const struct vblock *b, const uint8_t *buf, const struct vblock_id *want,
			 const struct tally *t, struct vblock_diagnosis *d)
{
	struct vblock_id id;
	uint64_t key;

	/* With most of the payload right the header is only the part of it that was torn off. */
	if (!vblock_header_id(b, buf, &id, &key) || (!b->pattern && t->right))
		return false;
	d->number = id.number;
	if (key != b->key) {
		d->cause = VBLOCK_FOREIGN;
		d->offset = id.offset;
	} else if (id.offset != want->offset) {
		if (t->other < t->words / 2 && !b->pattern)
			return false;
		d->cause = VBLOCK_MISPLACED;
		d->offset = id.offset;
	} else if ((uint32_t)id.number != (uint32_t)want->number) {
		if (t->old < t->words / 2 && !b->pattern)
			return false;
		set_version(d, id.number, want->number);
	} else {
		return false;
	}
	return true;
}

static void judge(const struct vblock *b, const struct vblock_id *want, const struct tally *t,
		  struct vblock_diagnosis *d)
{
	uint32_t wrong = t->words - t->right;
	uint32_t known = t->zero + t->old + t->other + t->shifted;

	if (t->zero == t->words && wrong) {
		d->cause = VBLOCK_ZEROS;
	} else if (t->shifted > wrong / 2) {
		d->cause = VBLOCK_MISPLACED;
		d->offset = want->offset;
		d->number = want->number;
		d->shift = t->shift;
	} else if (wrong && t->right && known >= (wrong + 1) / 2) {
		d->cause = VBLOCK_TORN;
		d->number = t->old ? t->old_origin.number : 0;
	} else if (t->old > wrong / 2) {
		set_version(d, t->old_origin.number, want->number);
	} else if (t->other > wrong / 2) {
		d->cause = VBLOCK_MISPLACED;
		d->number = t->other_origin.number;
		d->offset = offset_of(b, t->other_origin.index, want->offset);
	} else if (d->wrong <= b->bytes / 2) {
		d->cause = VBLOCK_DAMAGED;
	} else {
		d->cause = VBLOCK_NOISE;
	}
}

void vblock_diagnose(const struct vblock *b, struct checksum *sum, const void *buf,
		     const struct vblock_id *id, void *scratch, struct vblock_diagnosis *d)
{
	struct vblock_id want = *id;
	struct vpayload_origin own;
	struct tally t = { 0 };

	memset(d, 0, sizeof(*d));
	if (!want.number)
		want.number = guess_number(b, buf, want.offset);
	make_right(b, sum, buf, &want, scratch, d);
	own = (struct vpayload_origin){ (uint32_t)(want.offset / b->bytes), (uint32_t)want.number };
	for (uint32_t at = 0; at + 8 <= b->bytes - b->zeroes; at += 8)
		if (!in_header(b, at))
			count_word(b, buf, scratch, at, own, &t);
	count_header(b, buf, scratch, &want, &t);
	if (!judge_shift(b, buf, &want, &t, d) && !judge_header(b, buf, &want, &t, d))
		judge(b, &want, &t, d);
	d->own = d->offset == id->offset;
}

/* ---- Replaced, in whole or in part ----------------------------------------------------------- */

#define CUTS_MAX	2u	/* words that are of two writes; memory copies end anywhere */

static bool not_older(uint32_t number, uint64_t than)
{
	return !than || (int32_t)(number - (uint32_t)than) >= 0;
}

/* Its sums are not looked at: they are of a whole block. */
static bool newer_header(const struct vblock *b, const uint8_t *buf, const struct vblock_id *id)
{
	const uint8_t *h = buf + b->header_at;

	return (uint32_t)word_at(h, 0) == VBLOCK_MAGIC && word_at(h, 8 * W_KEY) == b->key &&
	       word_at(h, 8 * W_OFFSET) == id->offset &&
	       not_older((uint32_t)word_at(h, 8 * W_NUMBER), id->number);
}

/* A word of two writes is where one of them ends; anywhere else it is damage. */
static bool newer_words(const struct vblock *b, const uint8_t *buf, const struct vblock_id *id)
{
	uint32_t before = (uint32_t)word_at(buf + b->header_at, 8 * W_NUMBER), cuts = 0;
	bool cut = false;

	for (uint32_t at = 0; at + 8 <= b->bytes - b->zeroes; at += 8) {
		struct vpayload_origin o = vpayload_origin(b->key, word_at(buf, at), at / 8);

		if (in_header(b, at))
			continue;
		if (o.index != (uint32_t)(id->offset / b->bytes) ||
		    !not_older(o.number, id->number)) {
			if (cut || ++cuts > CUTS_MAX)
				return false;
			cut = true;
			continue;
		}
		if (cut && o.number == before)
			return false;
		cut = false;
		before = o.number;
	}
	return true;
}

bool vblock_newer(const struct vblock *b, const void *buf, const struct vblock_id *id, bool any_key)
{
	struct vblock own = *b;

	if (!b->header)
		return false;
	if (any_key)
		own.key = word_at((const uint8_t *)buf + b->header_at, 8 * W_KEY);
	if (!newer_header(&own, buf, id))
		return false;
	return b->pattern ? vblock_pattern(b, buf, id->offset) : newer_words(&own, buf, id);
}

/* ---- In words -------------------------------------------------------------------------------- */

static void tell_misplaced(const struct vblock_diagnosis *d, char *buf, size_t n)
{
	if (d->shift && d->own)
		snprintf(buf, n, "misplaced: its own data shifted by %" PRId64 " bytes", d->shift);
	else if (d->shift)
		snprintf(buf, n, "misplaced: the block of offset %" PRIu64 " as write %" PRIu64
			 " left it, shifted by %" PRId64 " bytes", d->offset, d->number, d->shift);
	else
		snprintf(buf, n, "misplaced: the block of offset %" PRIu64 " as write %" PRIu64
			 " left it", d->offset, d->number);
}

const char *vblock_tell(const struct vblock_diagnosis *d, const struct vblock_id *id, char *buf,
			size_t n)
{
	switch (d->cause) {
	case VBLOCK_STALE:
		snprintf(buf, n, "stale: the block as write %" PRIu64 " left it, before write %"
			 PRIu64, d->number, id->number);
		break;
	case VBLOCK_NEWER:
		snprintf(buf, n, "newer: the block as write %" PRIu64 " left it, after write %"
			 PRIu64, d->number, id->number);
		break;
	case VBLOCK_MISPLACED:
		tell_misplaced(d, buf, n);
		break;
	case VBLOCK_TORN:
		snprintf(buf, n, "torn: right from byte %u to %u, the rest %s", d->right_from,
			 d->right_to, d->number ? "older" : "not of this write");
		break;
	case VBLOCK_ZEROS:
		snprintf(buf, n, "zeros: nothing was written there, or it was discarded");
		break;
	case VBLOCK_DAMAGED:
		snprintf(buf, n, "damaged: %u bytes are wrong, the others right", d->wrong);
		break;
	case VBLOCK_FOREIGN:
		snprintf(buf, n, "foreign: a block of another file or run, of offset %" PRIu64,
			 d->offset);
		break;
	case VBLOCK_NOISE:
		snprintf(buf, n, "noise: nothing of it was written by this job");
		break;
	}
	return buf;
}
