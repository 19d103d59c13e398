/* SPDX-License-Identifier: MIT */
/* Text and binary form of the lines of logs. */
#include "lib/logfmt.h"

#include <endian.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

static const char two_digits[200] =
	"0001020304050607080910111213141516171819"
	"2021222324252627282930313233343536373839"
	"4041424344454647484950515253545556575859"
	"6061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

static unsigned digits_of(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

char *logfmt_number(char *at, uint64_t v)
{
	char *end = at + digits_of(v), *p = end;

	for (; v >= 100; v /= 100) {
		p -= 2;
		memcpy(p, two_digits + v % 100 * 2, 2);
	}
	if (v >= 10)
		memcpy(p - 2, two_digits + v * 2, 2);
	else
		p[-1] = (char)('0' + v);
	return end;
}

static char *put_comma(char *at)
{
	memcpy(at, ", ", 2);
	return at + 2;
}

static char *put_column(char *at, uint64_t v)
{
	return logfmt_number(put_comma(at), v);
}

static char *put_hex16(char *at, uint16_t v)
{
	static const char digits[] = "0123456789abcdef";

	memcpy(at, ", 0x", 4);
	for (int i = 0; i < 4; i++)
		at[4 + i] = digits[v >> (12 - 4 * i) & 15];
	return at + 8;
}

/* ---- A line of text -------------------------------------------------------------------------- */

#define CLASS_SHIFT	13u	/* of a priority: its class; 1 is real time (ioprio_set(2)) */

static char *put_tail(char *at, const struct logfmt_line *line, uint32_t columns)
{
	at = put_column(at, line->dir);
	at = put_column(at, line->bytes);
	if (columns & LOGFMT_OFFSET)
		at = put_column(at, line->offset);
	if (columns & LOGFMT_PRIO)
		at = put_hex16(at, line->prio);
	else
		at = put_column(at, line->prio >> CLASS_SHIFT == 1);
	if (columns & LOGFMT_ISSUE)
		at = put_column(at, line->issue);
	*at++ = '\n';
	return at;
}

static bool same_tail(const struct logfmt_text *t, const struct logfmt_line *line)
{
	return t->has_tail && t->last.dir == line->dir && t->last.bytes == line->bytes &&
	       t->last.prio == line->prio;
}

char *logfmt_put(struct logfmt_text *t, char *at, const struct logfmt_line *line)
{
	if (unlikely(!t->has_time || t->time != line->time)) {
		t->has_time = true;
		t->time = line->time;
		t->time_len = (uint32_t)(put_comma(logfmt_number(t->time_text, line->time)) -
					 t->time_text);
	}
	/* Copies of a fixed size cost less than of the right one; the rest is overwritten. */
	memcpy(at, t->time_text, sizeof(t->time_text));
	at = logfmt_number(at + t->time_len, line->value);
	if (t->columns & LOGFMT_LARGEST)
		at = put_column(at, line->largest);
	if (t->columns & (LOGFMT_OFFSET | LOGFMT_ISSUE))
		return put_tail(at, line, t->columns);
	if (unlikely(!same_tail(t, line))) {
		t->has_tail = true;
		t->last = *line;
		t->tail_len = (uint32_t)(put_tail(t->tail, line, t->columns) - t->tail);
	}
	memcpy(at, t->tail, 32);
	if (unlikely(t->tail_len > 32))
		memcpy(at + 32, t->tail + 32, t->tail_len - 32);
	return at + t->tail_len;
}

/* ---- The binary form ------------------------------------------------------------------------- */

#define DIR_OFFSET	0x80000000u
#define DIR_PRIO	0x40000000u
#define DIR_LARGEST	0x20000000u
#define DIR_ISSUE	0x10000000u
#define DIR_BITS	0x0fffffffu

struct record {
	uint64_t time, value;
	uint32_t dir;
	uint16_t prio, unused;
	uint64_t bytes;
	uint64_t more[3];		/* offset, largest, issue: those that are there */
};

#define RECORD_BYTES	offsetof(struct record, more)

_Static_assert(RECORD_BYTES == 32, "as fio 3.33 has it");
_Static_assert(sizeof(struct record) == LOGFMT_RECORD_MAX, "all columns");

size_t logfmt_pack(char *at, const struct logfmt_line *line, uint32_t columns)
{
	struct record r = {
		.time = htole64(line->time), .value = htole64(line->value),
		.prio = htole16(line->prio), .bytes = htole64(line->bytes),
	};
	uint32_t dir = line->dir;
	size_t n = 0;

	if (columns & LOGFMT_PRIO)
		dir |= DIR_PRIO;
	if (columns & LOGFMT_OFFSET) {
		dir |= DIR_OFFSET;
		r.more[n++] = htole64(line->offset);
	}
	if (columns & LOGFMT_LARGEST) {
		dir |= DIR_LARGEST;
		r.more[n++] = htole64(line->largest);
	}
	if (columns & LOGFMT_ISSUE) {
		dir |= DIR_ISSUE;
		r.more[n++] = htole64(line->issue);
	}
	r.dir = htole32(dir);
	memcpy(at, &r, RECORD_BYTES + n * sizeof(r.more[0]));
	return RECORD_BYTES + n * sizeof(r.more[0]);
}

size_t logfmt_unpack(const char *at, size_t n, struct logfmt_line *line, uint32_t *columns)
{
	struct record r;
	uint32_t dir;
	size_t more;

	if (n < RECORD_BYTES)
		return 0;
	memcpy(&r, at, RECORD_BYTES);
	dir = le32toh(r.dir);
	more = !!(dir & DIR_OFFSET) + !!(dir & DIR_LARGEST) + !!(dir & DIR_ISSUE);
	if (n < RECORD_BYTES + more * sizeof(r.more[0]))
		return 0;
	memcpy(r.more, at + RECORD_BYTES, more * sizeof(r.more[0]));
	*line = (struct logfmt_line){
		.time = le64toh(r.time), .value = le64toh(r.value), .dir = dir & DIR_BITS,
		.prio = le16toh(r.prio), .bytes = le64toh(r.bytes),
	};
	*columns = dir & DIR_PRIO ? LOGFMT_PRIO : 0;
	n = 0;
	if (dir & DIR_OFFSET) {
		*columns |= LOGFMT_OFFSET;
		line->offset = le64toh(r.more[n++]);
	}
	if (dir & DIR_LARGEST) {
		*columns |= LOGFMT_LARGEST;
		line->largest = le64toh(r.more[n++]);
	}
	if (dir & DIR_ISSUE) {
		*columns |= LOGFMT_ISSUE;
		line->issue = le64toh(r.more[n++]);
	}
	return RECORD_BYTES + more * sizeof(r.more[0]);
}

/* ---- Histograms ------------------------------------------------------------------------------ */

char *logfmt_hist(char *at, uint64_t time, uint32_t dir, uint64_t bytes,
		  const uint64_t now[HIST_BINS], const uint64_t before[HIST_BINS],
		  uint32_t coarseness)
{
	unsigned step = 1u << coarseness;

	at = logfmt_number(at, time);
	at = put_column(at, dir);
	at = put_column(at, bytes);
	for (unsigned i = 0; i < LOGFMT_HIST_BINS; i += step) {
		/* Whoever has fewer bins has all the longer ones in the last. */
		unsigned end = i + step < LOGFMT_HIST_BINS ? i + step : HIST_BINS;
		uint64_t sum = 0;

		for (unsigned k = i; k < end; k++)
			sum += now[k] - before[k];
		at = put_column(at, sum);
	}
	*at++ = '\n';
	return at;
}
