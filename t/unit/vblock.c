/* SPDX-License-Identifier: MIT */
/*
 * Verified blocks: what is filled is right, whatever is done to it afterwards is found, and the
 * diagnosis says what was done.
 */
#include "t/test.h"

#include "lib/rand.h"
#include "lib/vblock.h"
#include "lib/vpayload.h"

#define BLOCK	4096u
#define PLACES	1000

static uint8_t buf[1 << 17], scratch[1 << 17], other[1 << 17];

static struct vblock plain_block(const char *sum)
{
	return (struct vblock){
		.bytes = BLOCK, .header = true, .sum = sum ? checksum_by_name(sum) : NULL,
		.key = 0x1234567890abcdefull, .job = 3,
	};
}

static void open_sum(struct checksum *c, const struct vblock *b)
{
	memset(c, 0, sizeof(*c));
	if (b->sum)
		T_EQ(checksum_open(c, b->sum), 0);
}

TEST(words_tell_where_they_come_from)
{
	struct rand r;

	rand_seed(&r, 1, 2);
	for (int i = 0; i < 100000; i++) {
		struct vpayload_origin o = { (uint32_t)rand_u64(&r), (uint32_t)rand_u64(&r) }, p;
		uint64_t key = rand_u64(&r), at = rand_u64(&r) % 65536;

		p = vpayload_origin(key, vpayload_word(vpayload_begin(key, o), at), at);
		T_EQ(p.index, o.index);
		T_EQ(p.number, o.number);
		T_EQ(rand_unmix64(rand_mix64(key)), key);
	}
}

/* Every kind, odd sizes and places of the header: right when filled, wrong for any other block. */
TEST(filled_is_right)
{
	static const uint32_t sizes[] = { 128, 512, 777, 1000, 4096, 131072 };
	static const uint32_t at[] = { 0, 8, 3, 0 };

	for (size_t k = 0; checksum_at(k); k++) {
		if (checksum_at(k)->package)
			continue;
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			struct vblock b = plain_block(checksum_at(k)->name);
			struct vblock_id id = { sizes[s] * 77ull, 42, 5 }, bad;
			struct checksum sum;

			b.bytes = sizes[s];
			b.header_at = fl_min(at[s % 4], b.bytes - vblock_header_bytes(b.sum));
			open_sum(&sum, &b);
			vblock_fill(&b, &sum, buf, &id);
			T_EQ(vblock_check(&b, &sum, buf, &id, false), VBLOCK_RIGHT);
			bad = id;
			bad.number++;
			T_EQ(vblock_check(&b, &sum, buf, &bad, false), VBLOCK_BAD_NUMBER);
			bad.number = 0;
			T_EQ(vblock_check(&b, &sum, buf, &bad, false), VBLOCK_RIGHT);
			bad.offset += b.bytes;
			T_EQ(vblock_check(&b, &sum, buf, &bad, false), VBLOCK_BAD_OFFSET);
			b.key++;
			T_EQ(vblock_check(&b, &sum, buf, &id, false), VBLOCK_BAD_KEY);
			T_EQ(vblock_check(&b, &sum, buf, &id, true), VBLOCK_RIGHT);
			checksum_close(&sum);
		}
	}
}

static struct vblock_diagnosis diagnose(const struct vblock *b, struct checksum *sum,
					const struct vblock_id *id)
{
	struct vblock_diagnosis d;

	vblock_diagnose(b, sum, buf, id, scratch, &d);
	return d;
}

/* One byte changed anywhere, header and its time too: found, and named exactly. */
TEST(a_flipped_byte)
{
	struct vblock b = plain_block("crc32c");
	struct vblock_id id = { 8 * BLOCK, 42, 123456789 };
	struct vblock_diagnosis d;
	struct checksum sum;

	open_sum(&sum, &b);
	for (uint32_t at = 0; at < BLOCK; at += at < 128 ? 1 : 7) {
		vblock_fill(&b, &sum, buf, &id);
		buf[at] ^= 0x10;
		T_TRUE(vblock_check(&b, &sum, buf, &id, false) != VBLOCK_RIGHT);
		d = diagnose(&b, &sum, &id);
		T_EQ(d.cause, VBLOCK_DAMAGED);
		T_EQ(d.first, at);
		T_EQ(d.wrong, 1);
		T_EQ(d.expected ^ 0x10, d.found);
	}
	checksum_close(&sum);
}

/* What can happen to a block, done to `buf`; other: another version, or another block. */
static enum vblock_cause damage(int kind, struct rand *r, const struct vblock *b,
				struct checksum *sum, const struct vblock_id *id)
{
	struct vblock_id was = *id;
	uint32_t cut = 512u * (1 + (uint32_t)(rand_u64(r) % (BLOCK / 512 - 1)));

	switch (kind) {
	case 0:
		was.number -= 1 + rand_u64(r) % 40;
		vblock_fill(b, sum, buf, &was);
		return VBLOCK_STALE;
	case 1:
		was.offset += BLOCK * (1 + rand_u64(r) % 1000);
		was.number += rand_u64(r) % 9;
		vblock_fill(b, sum, buf, &was);
		return VBLOCK_MISPLACED;
	case 2:
		was.number -= 1 + rand_u64(r) % 40;
		vblock_fill(b, sum, other, &was);
		memcpy(buf + cut, other + cut, BLOCK - cut);
		return VBLOCK_TORN;
	case 3:
		was.number -= 1 + rand_u64(r) % 40;
		vblock_fill(b, sum, other, &was);
		memcpy(buf, other, cut);
		return VBLOCK_TORN;
	case 4:
		memset(buf, 0, BLOCK);
		return VBLOCK_ZEROS;
	case 5:
		memset(buf + cut, 0, BLOCK - cut);
		return VBLOCK_TORN;
	case 6:
		vblock_fill(b, sum, other, &(struct vblock_id){ id->offset - BLOCK, 17, 0 });
		memmove(buf + 512, buf, BLOCK - 512);
		memcpy(buf, other + BLOCK - 512, 512);
		return VBLOCK_MISPLACED;
	case 7:
		for (uint32_t i = 0; i < BLOCK; i++)
			buf[i] = (uint8_t)rand_u64(r);
		return VBLOCK_NOISE;
	default:
		vblock_fill(&(struct vblock){ .bytes = BLOCK, .header = true, .sum = b->sum,
					      .key = b->key + 1 }, sum, buf, id);
		return VBLOCK_FOREIGN;
	}
}

/* A flipped byte, anywhere. */
static enum vblock_cause flip(struct rand *r)
{
	buf[rand_u64(r) % BLOCK] ^= (uint8_t)(1 + rand_u64(r) % 255);
	return VBLOCK_DAMAGED;
}

/* A thousand places, and ten kinds of damage: found by every sum of 32 bits or more, and told. */
static void thousand_places(struct rand *r, const struct vblock *b)
{
	struct checksum sum;

	open_sum(&sum, b);
	for (int i = 0; i < PLACES; i++) {
		struct vblock_id id = { BLOCK * (2 + rand_u64(r) % 100000),
					50 + rand_u64(r) % 1000, (uint64_t)i };
		enum vblock_cause cause;
		struct vblock_diagnosis d;

		vblock_fill(b, &sum, buf, &id);
		cause = i % 10 < 9 ? damage(i % 10, r, b, &sum, &id) : flip(r);
		if (b->sum)
			T_TRUE(vblock_check(b, &sum, buf, &id, false) != VBLOCK_RIGHT);
		d = diagnose(b, &sum, &id);
		if (d.cause != cause)
			T_FAIL("%s, damage %d: cause %d, not %d", b->sum ? b->sum->name : "meta",
			       i % 10, d.cause, cause);
		T_TRUE(d.wrong > 0);
	}
	if (b->sum)
		checksum_close(&sum);
}

TEST(diagnoses)
{
	struct vblock meta = plain_block(NULL);
	unsigned tested = 0;
	struct rand r;

	rand_seed(&r, 11, 0);
	for (size_t k = 0; checksum_at(k); k++) {
		const struct checksum_kind *kind = checksum_at(k);
		struct vblock b = plain_block(kind->name);

		if (kind->package || kind->bits < 32)
			continue;
		thousand_places(&r, &b);
		tested++;
	}
	if (!checksum_by_name("md5")->package && !checksum_by_name("crc32c")->package)
		T_TRUE(tested >= 11);
	thousand_places(&r, &meta);
}

/* Payload that is another, more and more, under the header of the block: how often it is unseen. */
static double unseen(const char *name, uint32_t bytes, uint32_t turns)
{
	struct vblock b = plain_block(name);
	struct vblock_id id = { 7 * bytes, 42, 0 };
	struct checksum sum;
	uint32_t header = vblock_header_bytes(b.sum), missed = 0;
	struct rand r;

	b.bytes = bytes;
	rand_seed(&r, 5, bytes);
	open_sum(&sum, &b);
	vblock_fill(&b, &sum, buf, &id);
	for (uint32_t i = 0; i < turns; i++) {
		uint64_t word = rand_u64(&r);

		memcpy(buf + header + 8 * (i % ((bytes - header) / 8)), &word, 8);
		missed += vblock_check(&b, &sum, buf, &id, false) == VBLOCK_RIGHT;
	}
	checksum_close(&sum);
	return (double)missed / turns;
}

/* The small ones miss as often as their bits say, five standard deviations either way. */
TEST(collisions)
{
	T_NEAR(unseen("crc7", 128, 200000), 1.0 / 128, 5 * 0.0002);
	T_NEAR(unseen("crc16", 128, 1000000), 1.0 / 65536, 5 * 0.000004);
}

/* Without a sum only the header is looked at: each of its bytes is. */
TEST(meta)
{
	struct vblock b = plain_block(NULL);
	struct vblock_id id = { 7 * BLOCK, 42, 99 };
	struct rand r;

	rand_seed(&r, 6, 0);
	for (int i = 0; i < PLACES; i++) {
		uint32_t at = (uint32_t)(rand_u64(&r) % vblock_header_bytes(NULL));

		vblock_fill(&b, NULL, buf, &id);
		buf[at] ^= (uint8_t)(1 + rand_u64(&r) % 255);
		T_TRUE(vblock_check(&b, NULL, buf, &id, false) != VBLOCK_RIGHT);
	}
	vblock_fill(&b, NULL, buf, &id);
	memset(buf + vblock_header_bytes(NULL), 0, BLOCK - vblock_header_bytes(NULL));
	T_EQ(vblock_check(&b, NULL, buf, &id, false), VBLOCK_RIGHT);
}

static bool newer(const struct vblock *b, uint64_t number)
{
	struct vblock_id id = { 8 * BLOCK, number, 0 };

	return vblock_newer(b, buf, &id, false);
}

/* Write 42 is promised, and others followed: what may be there, and what not. */
TEST(replaced_or_lost)
{
	struct vblock b = plain_block("crc32c");
	struct vblock_id old = { 8 * BLOCK, 41, 1 }, now = { 8 * BLOCK, 42, 2 };
	struct vblock_id later = { 8 * BLOCK, 50, 3 }, place = { 9 * BLOCK, 50, 3 };
	static const uint32_t cuts[] = { 512, 1024, 1111, 3584, 4095, 80, 64 };
	struct checksum sum;

	open_sum(&sum, &b);
	vblock_fill(&b, &sum, buf, &old);
	T_TRUE(!newer(&b, 42));
	vblock_fill(&b, &sum, buf, &place);
	T_TRUE(!newer(&b, 42));
	vblock_fill(&b, &sum, buf, &later);
	T_TRUE(newer(&b, 42));
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		vblock_fill(&b, &sum, buf, &now);
		vblock_fill(&b, &sum, other, &later);
		memcpy(buf, other, cuts[i]);
		T_TRUE(newer(&b, 42));
		vblock_fill(&b, &sum, buf, &now);
		memcpy(buf + cuts[i], other + cuts[i], BLOCK - cuts[i]);
		T_TRUE(newer(&b, 42));
		vblock_fill(&b, &sum, other, &old);
		memcpy(buf + cuts[i], other + cuts[i], BLOCK - cuts[i]);
		T_TRUE(!newer(&b, 42) || cuts[i] > 4088);
	}
	vblock_fill(&b, &sum, buf, &now);
	T_TRUE(newer(&b, 42));
	memset(buf + 512, 0, 512);
	T_TRUE(!newer(&b, 42));
	memset(buf, 0, BLOCK);
	T_TRUE(!newer(&b, 42));
	vblock_fill(&b, &sum, buf, &now);
	buf[2000] ^= 1;
	T_TRUE(!newer(&b, 42));
	checksum_close(&sum);
}

/* A share of each block is zeroes: its words say nothing, the others as much as ever. */
TEST(diagnoses_where_zeroes_belong)
{
	static const int kinds[] = { 0, 1, 4, 6, 7, 8 };
	struct vblock b = plain_block("crc32c");
	struct checksum sum;
	struct rand r;

	rand_seed(&r, 12, 0);
	open_sum(&sum, &b);
	b.zeroes = BLOCK / 4;
	for (int i = 0; i < PLACES; i++) {
		struct vblock_id id = { BLOCK * (2 + rand_u64(&r) % 100000),
					50 + rand_u64(&r) % 1000, i };
		enum vblock_cause cause;

		vblock_fill(&b, &sum, buf, &id);
		for (uint32_t at = BLOCK - b.zeroes; at < BLOCK; at++)
			T_EQ(buf[at], 0);
		T_EQ(vblock_check(&b, &sum, buf, &id, false), VBLOCK_RIGHT);
		buf[BLOCK - 7] ^= 1;
		T_EQ(vblock_check(&b, &sum, buf, &id, false), VBLOCK_BAD_PAYLOAD);
		T_EQ(diagnose(&b, &sum, &id).cause, VBLOCK_DAMAGED);
		buf[BLOCK - 7] ^= 1;
		cause = damage(kinds[i % 6], &r, &b, &sum, &id);
		T_TRUE(vblock_check(&b, &sum, buf, &id, false) != VBLOCK_RIGHT);
		T_EQ(diagnose(&b, &sum, &id).cause, cause);
	}
	checksum_close(&sum);
}

/* Cut off at any byte that leaves something to tell, header too: what is right, what older. */
TEST(torn_anywhere)
{
	struct vblock b = plain_block("crc32c");
	struct vblock_id old = { 8 * BLOCK, 5, 1 }, now = { 8 * BLOCK, 69, 2 };
	struct vblock_diagnosis d;
	struct checksum sum;

	open_sum(&sum, &b);
	for (int zeroes = 0; zeroes < 2; zeroes++) {
		b.zeroes = zeroes ? BLOCK / 2 : 0;
		for (uint32_t cut = 25; cut + 32 < BLOCK - b.zeroes; cut += cut < 128 ? 1 : 7) {
			vblock_fill(&b, &sum, buf, &old);
			vblock_fill(&b, &sum, other, &now);
			memcpy(buf, other, cut);
			d = diagnose(&b, &sum, &now);
			T_EQ(d.cause, VBLOCK_TORN);
			T_EQ(d.number, 5);
			if (cut < BLOCK / 2 - 32)
				continue;	/* the longest right part may be the other */
			T_EQ(d.right_from, 0);
			T_EQ(d.right_to, d.first);
		}
	}
	checksum_close(&sum);
}

/* The same, the other way round: only the end of a write has arrived. */
TEST(the_beginning_is_missing)
{
	struct vblock b = plain_block("crc32c");
	struct vblock_id old = { 8 * BLOCK, 5, 1 }, now = { 8 * BLOCK, 69, 2 };
	uint32_t header = vblock_header_bytes(b.sum);
	struct checksum sum;

	open_sum(&sum, &b);
	for (uint32_t cut = header; cut + 8 < BLOCK; cut += cut < 128 ? 1 : 7) {
		vblock_fill(&b, &sum, buf, &now);
		vblock_fill(&b, &sum, other, &old);
		memcpy(buf, other, cut);
		if (diagnose(&b, &sum, &now).cause != VBLOCK_TORN)
			T_FAIL("cut at %u", cut);
	}
	checksum_close(&sum);
}

/* Data moved by any number of bytes, over themselves or over an older version. */
TEST(shifted_by_any_bytes)
{
	struct arena arena = { 0 };
	struct pattern pattern;
	struct vblock b = plain_block("crc32c"), p = b;
	struct vblock_id old = { 8 * BLOCK, 5, 1 }, now = { 8 * BLOCK, 69, 2 };
	struct vblock_diagnosis d;
	struct checksum sum;

	T_EQ(pattern_parse(span_of("\"fio-like\""), NULL, &arena, &pattern, NULL), 0);
	p.pattern = &pattern;
	open_sum(&sum, &b);
	for (uint32_t by = 1; by + 128 < BLOCK; by += by < 128 ? 1 : 13) {
		for (int what = 0; what < 3; what++) {
			const struct vblock *v = what == 2 ? &p : &b;

			vblock_fill(v, &sum, other, &now);
			vblock_fill(v, &sum, buf, what ? &old : &now);
			memcpy(buf + by, other, BLOCK - by);
			d = diagnose(v, &sum, &now);
			if (d.cause != VBLOCK_MISPLACED || d.shift != by || !d.own)
				T_FAIL("%d by %u: cause %d, shift %lld", what, by, d.cause,
				       (long long)d.shift);
		}
		vblock_fill(&b, &sum, other, &now);
		memcpy(buf, other, BLOCK);
		memmove(buf, buf + by, BLOCK - by);
		d = diagnose(&b, &sum, &now);
		if (by < BLOCK - 128 && (d.cause != VBLOCK_MISPLACED || d.shift != -(int64_t)by))
			T_FAIL("back by %u: cause %d, shift %lld", by, d.cause, (long long)d.shift);
	}
	arena_free(&arena);
	checksum_close(&sum);
}

/* Patterns, with and without a header, offset in them, begun anew inside the block. */
TEST(patterns)
{
	struct arena arena = { 0 };
	struct pattern p;
	struct vblock_id id = { 5 * BLOCK, 9, 0 };
	struct vblock_diagnosis d;

	T_EQ(pattern_parse(span_of("\"abc\"%o0xff"), NULL, &arena, &p, NULL), 0);
	for (uint32_t interval = 0; interval <= 600; interval += 200)
		for (int header = 0; header < 2; header++)
			for (uint32_t at = 0; at < BLOCK; at += 13) {
				struct vblock b = plain_block(NULL);

				b.pattern = &p;
				b.compare = true;
				b.header = header;
				b.header_at = 100;
				b.pattern_bytes = interval;
				vblock_fill(&b, NULL, buf, &id);
				T_EQ(vblock_check(&b, NULL, buf, &id, false), VBLOCK_RIGHT);
				buf[at] ^= 1;
				T_TRUE(vblock_check(&b, NULL, buf, &id, false));
				d = diagnose(&b, NULL, &id);
				T_EQ(d.cause, VBLOCK_DAMAGED);
				T_EQ(d.first, at);
			}
	arena_free(&arena);
}
