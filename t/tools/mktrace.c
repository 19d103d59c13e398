/* SPDX-License-Identifier: MIT */
/*
 * Makes block traces of text, and text of block traces:
 *
 *	mktrace [-s] <events >trace		mktrace -d <trace >events
 *
 * A line is an event: nanoseconds, MAJOR:MINOR, what, sector, bytes. What is R, W, D or F, queued;
 * C, a write that completes; N, a note with 11 bytes behind it; P, a request that is no file
 * system's; G, a write with the number of a control group behind it. -s: as a machine of the other
 * byte order would write it.
 */
#include "lib/blktrace.h"

#include <inttypes.h>
#include <stdio.h>

static const char pdu[] = "any message";

#define CATEGORY(bit)	(1u << (16 + (bit)))

/* Returns whether the letter is known. */
static bool choose(struct blktrace_event *e, char what)
{
	switch (what) {
	case 'R':
		e->action = blktrace_queue_action(BLKTRACE_READ);
		return true;
	case 'W':
		e->action = blktrace_queue_action(BLKTRACE_WRITE);
		return true;
	case 'D':
		e->action = blktrace_queue_action(BLKTRACE_TRIM);
		return true;
	case 'F':
		e->action = blktrace_queue_action(BLKTRACE_FLUSH);
		return true;
	case 'C':
		e->action = 8 | CATEGORY(1) | CATEGORY(7);
		return true;
	case 'N':
		e->action = 2 | CATEGORY(10);
		e->pdu_len = sizeof(pdu) - 1;
		return true;
	case 'P':
		e->action = 1 | CATEGORY(4) | CATEGORY(9);
		return true;
	case 'G':
		e->action = blktrace_queue_action(BLKTRACE_WRITE) | 1u << 8;
		e->pdu_len = 8;
		return true;
	}
	return false;
}

static int make(enum blktrace_order order)
{
	uint32_t major, minor, sequence = 0;
	struct blktrace_event e = { .pid = 1 };
	char bytes[BLKTRACE_BYTES];
	char what;

	while (scanf("%" SCNu64 " %" SCNu32 ":%" SCNu32 " %c %" SCNu64 " %" SCNu32, &e.time_ns,
		     &major, &minor, &what, &e.sector, &e.bytes) == 6) {
		e.pdu_len = 0;
		e.device = blktrace_device(major, minor);
		e.sequence = ++sequence;
		if (!choose(&e, what)) {
			fprintf(stderr, "mktrace: event %" PRIu32 ": there is no '%c'\n", sequence,
				what);
			return 1;
		}
		blktrace_encode(bytes, order, &e);
		fwrite(bytes, sizeof(bytes), 1, stdout);
		fwrite(pdu, e.pdu_len, 1, stdout);
	}
	return !feof(stdin);
}

static int dump(void)
{
	static const char letters[] = "RWDF?";
	enum blktrace_order order = BLKTRACE_NONE;
	struct blktrace_event e;
	char bytes[BLKTRACE_BYTES];
	uint32_t version;

	while (fread(bytes, sizeof(bytes), 1, stdin) == 1) {
		if (order == BLKTRACE_NONE)
			order = blktrace_order(bytes, sizeof(bytes), &version);
		if (order == BLKTRACE_NONE || blktrace_decode(bytes, order, &e)) {
			fprintf(stderr, "mktrace: this is no trace\n");
			return 1;
		}
		printf("%" PRIu64 " %" PRIu32 ":%" PRIu32 " %c %" PRIu64 " %" PRIu32 "\n",
		       e.time_ns, blktrace_major(e.device), blktrace_minor(e.device),
		       letters[blktrace_kind(&e)], e.sector, e.bytes);
		for (uint16_t i = 0; i < e.pdu_len; i++)
			getchar();
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "-d"))
		return dump();
	return make(argc > 1 && !strcmp(argv[1], "-s") ? BLKTRACE_SWAPPED : BLKTRACE_NATIVE);
}
