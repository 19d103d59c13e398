/* SPDX-License-Identifier: MIT */
/*
 * Lines of logs: the text that fio's readers take apart, and the binary form that compressed logs
 * hold until somebody wants to read them.
 *
 *	time, value[, largest], direction, size[, offset], priority[, issue]
 *
 * A log of every I/O of a fast device has tens of millions of lines a minute, so text is made
 * without stdio and without a division per digit, and what stays the same from line to line (the
 * time, and what stands behind the value) is copied.
 *
 * The binary form is that of fio 3.33 (32 bytes, 40 with an offset; found out by looking at what
 * it writes), so that either program reads the other's files. Newer columns follow behind, marked
 * by bits that fio 3.33 leaves alone.
 */
#ifndef LIB_LOGFMT_H
#define LIB_LOGFMT_H

#include "lib/base.h"
#include "lib/hist.h"

/* Columns that not every log has. */
enum {
	LOGFMT_OFFSET	= 1u << 0,
	LOGFMT_PRIO	= 1u << 1,	/* the priority itself, not only whether it is real time */
	LOGFMT_ISSUE	= 1u << 2,	/* when the I/O was issued */
	LOGFMT_LARGEST	= 1u << 3,	/* the largest value beside the average */
};

/* One line. */
struct logfmt_line {
	uint64_t time;			/* in the log's unit */
	uint64_t value;
	uint64_t largest;
	uint64_t bytes;			/* of the I/O; 0: many */
	uint64_t offset;
	uint64_t issue;			/* ns */
	uint32_t dir;			/* 0 read, 1 write, 2 trim */
	uint16_t prio;			/* as ioprio_set(2) packs it */
};

#define LOGFMT_LINE_MAX		160	/* bytes that a line may take, slack for copies included */
#define LOGFMT_RECORD_MAX	56

/* What has been put together before and may serve again. Zeroed before the first line. */
struct logfmt_text {
	uint32_t columns;		/* LOGFMT_*; set by the caller */
	bool has_time, has_tail;
	uint64_t time;			/* whose text it is */
	struct logfmt_line last;	/* whose tail it is */
	uint32_t time_len, tail_len;
	char time_text[32];
	char tail[128];
};

/*
 * logfmt_put - the text of one line at `at`, where LOGFMT_LINE_MAX bytes must be free. Returns its
 * end.
 */
char *logfmt_put(struct logfmt_text *t, char *at, const struct logfmt_line *line);

/* logfmt_number - the decimal digits of v at `at` (20 at most). Returns their end. */
char *logfmt_number(char *at, uint64_t v);

/* logfmt_pack - the binary form, little endian. Returns its size, LOGFMT_RECORD_MAX at most. */
size_t logfmt_pack(char *at, const struct logfmt_line *line, uint32_t columns);

/*
 * logfmt_unpack - the line at the beginning of these n bytes. Returns its size, with the columns
 * it has; 0 when there are too few bytes.
 */
size_t logfmt_unpack(const char *at, size_t n, struct logfmt_line *line, uint32_t *columns);

/*
 * Lines of histograms: time, direction, size, and then how many samples each bin has got since the
 * line before, the bins of lib/hist.h up to 2^34 ns. The last one holds what is above. A coarseness
 * of c puts 2^c bins together.
 */
#define LOGFMT_HIST_BINS		1856u
#define LOGFMT_HIST_COARSENESS_MAX	6u
#define LOGFMT_HIST_LINE_MAX		(64 + 22 * (LOGFMT_HIST_BINS + 1))

/*
 * logfmt_hist - such a line of now - before, at `at`, where LOGFMT_HIST_LINE_MAX bytes must be
 * free. Returns its end.
 */
char *logfmt_hist(char *at, uint64_t time, uint32_t dir, uint64_t bytes,
		  const uint64_t now[HIST_BINS], const uint64_t before[HIST_BINS],
		  uint32_t coarseness);

#endif
