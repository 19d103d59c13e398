/* SPDX-License-Identifier: MIT */
/*
 * Each kind goes over the same 128 KiB again and again, in pieces of 4 KiB and as a whole, because
 * what a block costs beyond its bytes differs: with libcrypto it is a good deal. The data stays in
 * the caches; the fastest of many short rounds counts, as whatever disturbs only slows down.
 */
#include "core/crctest.h"
#include "lib/checksum.h"
#include "lib/nearest.h"
#include "lib/span.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DATA_BYTES	(128u << 10)
#define BLOCK_BYTES	4096u
#define ROUNDS		20
#define ROUND_NS	2000000ull

static const char *name_of(void *ctx, size_t i)
{
	(void)ctx;
	return checksum_at(i)->name;
}

/* All of the data once. */
static void go_over(struct checksum *c, const char *data, size_t block)
{
	uint8_t value[CHECKSUM_BYTES_MAX];

	for (size_t at = 0; at < DATA_BYTES; at += block) {
		checksum_begin(c);
		checksum_add(c, data + at, block);
		checksum_end(c, value);
	}
}

/* MiB/s at this block size. */
static double measure(struct checksum *c, const char *data, size_t block)
{
	double best = 0;

	go_over(c, data, block);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begun = clock_now_ns(), ns = 0, turns = 0;
		double rate;

		for (; ns < ROUND_NS; ns = clock_now_ns() - begun, turns++)
			go_over(c, data, block);
		rate = (double)turns * DATA_BYTES / (1 << 20) / ((double)ns / 1e9);
		best = fl_max(best, rate);
	}
	return best;
}

static int test_kind(const struct checksum_kind *kind, const char *data, FILE *out)
{
	struct checksum c;
	double small, whole;
	int err;

	if (kind->package) {
		fprintf(out, "%s:\t\tnot in this build: install %s, then configure and build "
			"again\n", kind->name, kind->package);
		return 0;
	}
	err = checksum_open(&c, kind);
	if (err == -ENOTSUP)
		fprintf(out, "%s:\t\t%s refuses it on this machine\n", kind->name, kind->library);
	if (err)
		return err == -ENOTSUP ? 0 : err;
	small = measure(&c, data, BLOCK_BYTES);
	whole = measure(&c, data, DATA_BYTES);
	checksum_close(&c);
	/* fio's line; then ours */
	fprintf(out, "%s:\t%s%8.2f MiB/sec\t%8.2f by 4 KiB\t%s\n", kind->name,
		strlen(kind->name) < 7 ? "\t" : "", whole, small, kind->library);
	fflush(out);
	return 0;
}

static int refuse(struct span name, char *why, size_t why_bytes)
{
	char text[64];
	const char *near;
	size_t at;

	snprintf(text, sizeof(text), "%.*s", (int)fl_min(name.len, sizeof(text) - 1), name.at);
	near = nearest_name(text, name_of, checksum_count(), NULL);
	at = (size_t)snprintf(why, why_bytes, "'%s' is no checksum%s%s%s; there are", text,
			      near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
	for (size_t i = 0; checksum_at(i) && at < why_bytes; i++)
		at += (size_t)snprintf(why + at, why_bytes - at, " %s", checksum_at(i)->name);
	return -EINVAL;
}

static const struct checksum_kind *find(struct span name)
{
	for (size_t i = 0; checksum_at(i); i++)
		if (span_is(name, checksum_at(i)->name))
			return checksum_at(i);
	return NULL;
}

int crctest_run(const char *names, FILE *out, char *why, size_t why_bytes)
{
	bool all = !*names || !strcmp(names, "all");
	struct span rest = span_of(names), one;
	char *data;
	int err = 0;

	if (!strcmp(names, "help")) {
		for (size_t i = 0; checksum_at(i); i++)
			fprintf(out, "%s\n", checksum_at(i)->name);
		return 0;
	}
	while (!all && span_next(&rest, ",", &one))
		if (!find(one))
			return refuse(one, why, why_bytes);
	snprintf(why, why_bytes, "no memory");
	data = malloc(DATA_BYTES);
	if (!data)
		return -ENOMEM;
	for (size_t i = 0; i < DATA_BYTES; i++)
		data[i] = (char)(i * 131 >> 3);
	for (size_t i = 0; all && !err && checksum_at(i); i++)
		err = test_kind(checksum_at(i), data, out);
	rest = span_of(names);
	while (!all && !err && span_next(&rest, ",", &one))
		err = test_kind(find(one), data, out);
	free(data);
	return err;
}
