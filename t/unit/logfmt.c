/* SPDX-License-Identifier: MIT */
/* Lines of logs against printf(), their binary form against bytes that fio wrote, and streams. */
#include "t/test.h"

#include "lib/logfmt.h"
#include "lib/rand.h"
#include "lib/zip.h"

#include <inttypes.h>

/* The same line the slow way. */
static void print_line(char *text, size_t n, const struct logfmt_line *l, uint32_t columns)
{
	char largest[32] = "", offset[32] = "", prio[32], issue[32] = "";

	if (columns & LOGFMT_LARGEST)
		snprintf(largest, sizeof(largest), ", %" PRIu64, l->largest);
	if (columns & LOGFMT_OFFSET)
		snprintf(offset, sizeof(offset), ", %" PRIu64, l->offset);
	if (columns & LOGFMT_PRIO)
		snprintf(prio, sizeof(prio), "0x%04x", l->prio);
	else
		snprintf(prio, sizeof(prio), "%d", l->prio >> 13 == 1);
	if (columns & LOGFMT_ISSUE)
		snprintf(issue, sizeof(issue), ", %" PRIu64, l->issue);
	snprintf(text, n, "%" PRIu64 ", %" PRIu64 "%s, %u, %" PRIu64 "%s, %s%s\n", l->time,
		 l->value, largest, l->dir, l->bytes, offset, prio, issue);
}

static void check_line(struct logfmt_text *t, const struct logfmt_line *l)
{
	char want[512], got[LOGFMT_LINE_MAX + 1];
	char *end;

	memset(got, 'x', sizeof(got));
	end = logfmt_put(t, got, l);
	T_EQ(got[LOGFMT_LINE_MAX], 'x');
	*end = '\0';
	print_line(want, sizeof(want), l, t->columns);
	T_STR(got, want);
}

/* Numbers of every length. */
static uint64_t any(struct rand *r)
{
	return rand_u64(r) >> rand_below(r, 64);
}

TEST(lines_are_as_printf_has_them)
{
	struct rand r;

	rand_seed(&r, 1, 1);
	for (uint32_t columns = 0; columns < 16; columns++) {
		struct logfmt_text t = { .columns = columns };

		for (int i = 0; i < 3000; i++) {
			struct logfmt_line l = {
				.time = any(&r), .value = any(&r), .largest = any(&r),
				.bytes = any(&r), .offset = any(&r), .issue = any(&r),
				.dir = (uint32_t)rand_below(&r, 3), .prio = (uint16_t)any(&r),
			};

			check_line(&t, &l);
			l.value = any(&r);
			l.offset = any(&r);
			check_line(&t, &l);
		}
	}
}

TEST(lines_of_the_longest_numbers_fit)
{
	struct logfmt_text t = { .columns = 15 };
	struct logfmt_line l = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
				 UINT64_MAX, 2, UINT16_MAX };

	check_line(&t, &l);
	t = (struct logfmt_text){ .columns = 0 };
	check_line(&t, &l);
}

TEST(numbers_at_every_length)
{
	char want[32], got[32];

	for (uint64_t v = 1, last = 0; v > last; last = v, v *= 10)
		for (int d = -1; d <= 1; d++) {
			*logfmt_number(got, v + (uint64_t)d) = '\0';
			snprintf(want, sizeof(want), "%" PRIu64, v + (uint64_t)d);
			T_STR(got, want);
		}
}

TEST(records_are_those_of_fio)
{
	/* What fio 3.33 put into a compressed log, and the line it printed for it. */
	static const unsigned char theirs[40] = {
		[8] = 0x08, 0x21, 0xe0, 0x07, [16] = 1, [19] = 0xc0, 0x03, 0x40,
		[25] = 0x10, [33] = 0x10,
	};
	struct logfmt_text t = { .columns = 0 };
	struct logfmt_line l;
	char line[LOGFMT_LINE_MAX], record[LOGFMT_RECORD_MAX];
	uint32_t columns;

	T_EQ(logfmt_unpack((const char *)theirs, 40, &l, &columns), 40);
	T_EQ(columns, LOGFMT_OFFSET | LOGFMT_PRIO);
	t.columns = columns;
	*logfmt_put(&t, line, &l) = '\0';
	T_STR(line, "0, 132129032, 1, 4096, 4096, 0x4003\n");
	T_EQ(logfmt_pack(record, &l, columns), 40);
	T_TRUE(!memcmp(record, theirs, 40));
}

TEST(records_come_back)
{
	struct logfmt_line l = { 1, 2, 3, 4, 5, 6, 2, 0x2001 }, back;

	for (uint32_t columns = 0; columns < 16; columns++) {
		char record[LOGFMT_RECORD_MAX];
		size_t n = logfmt_pack(record, &l, columns);
		uint32_t seen;

		for (size_t few = 0; few < n; few++)
			T_EQ(logfmt_unpack(record, few, &back, &seen), 0);
		T_EQ(logfmt_unpack(record, sizeof(record), &back, &seen), n);
		T_EQ(seen, columns);
		T_EQ(back.time, 1);
		T_EQ(back.value, 2);
		T_EQ(back.largest, columns & LOGFMT_LARGEST ? 3 : 0);
		T_EQ(back.bytes, 4);
		T_EQ(back.offset, columns & LOGFMT_OFFSET ? 5 : 0);
		T_EQ(back.issue, columns & LOGFMT_ISSUE ? 6 : 0);
		T_EQ(back.dir, 2);
		T_EQ(back.prio, 0x2001);
	}
}

TEST(histograms_keep_every_sample)
{
	static uint64_t now[HIST_BINS], before[HIST_BINS];
	static char line[LOGFMT_HIST_LINE_MAX];
	uint64_t total = 0;

	for (unsigned i = 0; i < HIST_BINS; i++) {
		before[i] = i;
		now[i] = i + i % 7;
		total += i % 7;
	}
	for (uint32_t c = 0; c <= LOGFMT_HIST_COARSENESS_MAX; c++) {
		char *end = logfmt_hist(line, 12, 1, 4096, now, before, c), *p;
		uint64_t sum = 0;
		unsigned columns = 0;

		T_EQ(end[-1], '\n');
		*end = '\0';
		T_TRUE(!strncmp(line, "12, 1, 4096, ", 13));
		for (p = line + 11; *p == ','; columns++)
			sum += strtoull(p + 2, &p, 10);
		T_EQ(columns, LOGFMT_HIST_BINS >> c);
		T_EQ(sum, total);
	}
}

TEST(histogram_line_of_the_largest_numbers_fits)
{
	static uint64_t now[HIST_BINS], before[HIST_BINS];
	static char line[LOGFMT_HIST_LINE_MAX];

	memset(now, 0xff, sizeof(now));
	T_TRUE(logfmt_hist(line, UINT64_MAX, 2, UINT64_MAX, now, before, 0) <=
	       line + sizeof(line));
}

/* ---- Streams --------------------------------------------------------------------------------- */

struct memory {
	unsigned char bytes[1 << 20];
	size_t n, at, step;
};

static int add(void *ctx, const void *bytes, size_t n)
{
	struct memory *m = ctx;

	if (m->n + n > sizeof(m->bytes))
		return -ENOSPC;
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
	return 0;
}

static long give(void *ctx, void *buf, size_t n)
{
	struct memory *m = ctx;

	n = fl_min(n, fl_min(m->n - m->at, m->step));
	memcpy(buf, m->bytes + m->at, n);
	m->at += n;
	return (long)n;
}

static struct memory packed, unpacked;

TEST(streams_come_back_whole)
{
	static char text[300000];
	static const size_t steps[] = { 1, 3, 1000, 1 << 20 };
	struct zip *z = zip_new();

	if (!zip_here())
		SKIP("built without zlib");
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i % 253 < 200 ? 0 : i * i);
	T_EQ(zip_stream(z, text, sizeof(text), add, &packed), 0);
	T_EQ(zip_stream(z, "", 0, add, &packed), 0);
	T_EQ(zip_stream(z, "tail", 4, add, &packed), 0);
	T_TRUE(packed.n < sizeof(text) / 2);
	for (size_t s = 0; s < ARRAY_SIZE(steps); s++) {
		unpacked.n = packed.at = 0;
		packed.step = steps[s];
		T_EQ(unzip_streams(give, &packed, add, &unpacked), 0);
		T_EQ(unpacked.n, sizeof(text) + 4);
		T_TRUE(!memcmp(unpacked.bytes, text, sizeof(text)));
		T_TRUE(!memcmp(unpacked.bytes + sizeof(text), "tail", 4));
	}
	zip_free(z);
}

TEST(streams_that_are_none)
{
	static const char text[] = "0, 1, 0, 4096, 0\n";
	struct zip *z = zip_new();

	if (!zip_here())
		SKIP("built without zlib");
	packed.step = 1 << 20;
	T_EQ(unzip_streams(give, &packed, add, &unpacked), 0);
	add(&packed, text, sizeof(text));
	T_EQ(unzip_streams(give, &packed, add, &unpacked), -EBADMSG);
	packed.n = packed.at = 0;
	T_EQ(zip_stream(z, text, sizeof(text), add, &packed), 0);
	packed.n--;
	T_EQ(unzip_streams(give, &packed, add, &unpacked), -ENODATA);
	zip_free(z);
}
