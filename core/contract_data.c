/* SPDX-License-Identifier: MIT */
/* The promises about bytes: how many, which, and what happens where there are none. */
#define _GNU_SOURCE
#include "core/contract_cases.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHORT_FILE_BYTES	6144u

static void expect(struct rig *r, int64_t res, int64_t want, const char *what)
{
	if (res == want)
		return;
	contract_fail("%s: res should be %lld and is %lld%s%s%s", what, (long long)want,
		      (long long)res, res < 0 ? " (" : "", res < 0 ? rig_why(r, (int)res) : "",
		      res < 0 ? ")" : "");
}

/* The sizes people use, and the odd ones that they meet. */
static void byte_counts(struct contract *c)
{
	static const uint64_t lens[] = { 1, 7, 512, 4096, 4097, 65536, 65537, 524288 };
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .block_max = 524288 });
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++) {
		char what[64];

		snprintf(what, sizeof(what), "reading %llu bytes at 512",
			 (unsigned long long)lens[i]);
		if (r.file_bytes < lens[i] + 512)
			continue;
		expect(&r, rig_io(&r, FL_OP_READ, 0, 512, lens[i]), (int64_t)lens[i], what);
		if (!engine_can(c->engine, FL_OP_WRITE))
			continue;
		snprintf(what, sizeof(what), "writing %llu bytes at 512",
			 (unsigned long long)lens[i]);
		expect(&r, rig_io(&r, FL_OP_WRITE, 0, 512, lens[i]), (int64_t)lens[i], what);
	}
	rig_close(&r);
}

static void reads_what_lies_there(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	rig_need_data(&r);
	for (uint64_t at = 0; at < CONTRACT_FILE_BYTES; at += 7 * CONTRACT_BLOCK) {
		if (at + CONTRACT_BLOCK > fl_min(r.file_bytes, CONTRACT_FILE_BYTES))
			break;
		memset(rig_buf(&r, 0), 0xee, CONTRACT_BLOCK);
		expect(&r, rig_io(&r, FL_OP_READ, 0, at, CONTRACT_BLOCK), CONTRACT_BLOCK,
		       "reading a block inside of the file");
		rig_check(&r, rig_buf(&r, 0), CONTRACT_BLOCK, 0, at, 0);
	}
	rig_close(&r);
}

static void short_read_at_end_of_file(struct contract *c)
{
	static const uint32_t left[] = { 1, 511, 513, 2047, 4095 };
	uint64_t end;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .file_bytes = SHORT_FILE_BYTES });
	end = r.file_bytes;
	memset(rig_buf(&r, 0), 0xee, CONTRACT_BLOCK);
	expect(&r, rig_io(&r, FL_OP_READ, 0, end - 2048, 4096), 2048,
	       "reading 4096 bytes from 2048 before the end of the file");
	if (end <= CONTRACT_FILE_BYTES)
		rig_check(&r, rig_buf(&r, 0), 2048, 0, end - 2048, 0);
	for (uint32_t i = 2048; i < CONTRACT_BLOCK; i++)
		if (((unsigned char *)rig_buf(&r, 0))[i] != 0xee)
			contract_fail("a read of 2048 bytes has changed byte %u of its buffer", i);
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		expect(&r, rig_io(&r, FL_OP_READ, 0, end - left[i], 4096), left[i],
		       "reading 4096 bytes where the file has fewer");
	expect(&r, rig_io(&r, FL_OP_READ, 0, end, 4096), 0, "reading at the end of the file");
	expect(&r, rig_io(&r, FL_OP_READ, 0, end + 8192, 4096), 0,
	       "reading beyond the end of the file");
	expect(&r, rig_io(&r, FL_OP_READ, 0, 0, 4096), 4096,
	       "reading at 0 after a read beyond the end");
	rig_close(&r);
}

/* Blocks in a scrambled order, so that an engine that goes by its own position is found out. */
static void write_all(struct rig *r, uint32_t file, uint32_t generation)
{
	uint64_t blocks = fl_min(r->file_bytes, CONTRACT_FILE_BYTES) / CONTRACT_BLOCK;

	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t at = (i * 37 + 11) % blocks * CONTRACT_BLOCK;

		stamp_fill(rig_buf(r, 0), CONTRACT_BLOCK, file, at, generation);
		expect(r, rig_io(r, FL_OP_WRITE, file, at, CONTRACT_BLOCK), CONTRACT_BLOCK,
		       "writing a block");
	}
}

static void check_all(struct rig *r, uint32_t file, uint32_t generation)
{
	uint64_t blocks = fl_min(r->file_bytes, CONTRACT_FILE_BYTES) / CONTRACT_BLOCK;

	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t at = (i * 61 + 5) % blocks * CONTRACT_BLOCK;

		memset(rig_buf(r, 0), 0xee, CONTRACT_BLOCK);
		expect(r, rig_io(r, FL_OP_READ, file, at, CONTRACT_BLOCK), CONTRACT_BLOCK,
		       "reading a block");
		rig_check(r, rig_buf(r, 0), CONTRACT_BLOCK, file, at, generation);
	}
}

static void data_written_is_data_read(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	write_all(&r, 0, 1);
	check_all(&r, 0, 1);
	write_all(&r, 0, 2);
	check_all(&r, 0, 2);
	rig_close(&r);
}

/* What was written and synced lies in the file for everybody, not in a buffer of the engine's. */
static void data_reaches_the_file(struct contract *c)
{
	static char block[CONTRACT_BLOCK];
	struct rig r;
	int fd;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	write_all(&r, 0, 3);
	if (engine_can(c->engine, FL_OP_SYNC))
		expect(&r, rig_io(&r, FL_OP_SYNC, 0, 0, 0), 0, "syncing the file");
	rig_file_close(&r, 0);
	r.opened = 0;
	fd = open(r.names[0], O_RDONLY | O_CLOEXEC);
	for (uint64_t at = 0; at < r.file_bytes; at += sizeof(block)) {
		if (pread(fd, block, sizeof(block), (off_t)at) != (ssize_t)sizeof(block))
			contract_fail("after writing and closing, the file is shorter than before");
		stamp_check(block, sizeof(block), 0, at, 3);
	}
	close(fd);
	rig_close(&r);
}

static void reopening_keeps_data(struct contract *c)
{
	bool writes = engine_can(c->engine, FL_OP_WRITE);
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .file_bytes = 65536 });
	for (uint32_t i = 0; i < 10; i++) {
		if (writes)
			write_all(&r, 0, i);
		rig_file_close(&r, 0);
		rig_file_open(&r, 0);
		if (writes || r.file_bytes <= CONTRACT_FILE_BYTES)
			check_all(&r, 0, writes ? i : 0);
	}
	rig_close(&r);
}

static void many_files_at_once(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .files = CONTRACT_FILES_MAX, .file_bytes = 65536 });
	for (uint32_t i = 0; i < r.file_count; i++)
		write_all(&r, i, 5);
	for (uint32_t i = r.file_count; i-- > 0; )
		check_all(&r, i, 5);
	rig_file_close(&r, 3);
	for (uint32_t i = 0; i < r.file_count; i++)
		if (i != 3)
			check_all(&r, i, 5);
	rig_file_open(&r, 3);
	check_all(&r, 3, 5);
	rig_close(&r);
}

static void buffers_of_any_alignment(struct contract *c)
{
	static const uint32_t shifts[] = { 1, 3, 8, 64, 511, 512, 2048 };
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
		struct fl_req *req = rig_fill(&r, 0, FL_OP_READ, 0, 8192, CONTRACT_BLOCK);

		req->buf = (char *)rig_buf(&r, 0) + shifts[i];
		memset(req->buf, 0xee, CONTRACT_BLOCK);
		if (rig_start(&r, 0))
			rig_wait_all(&r);
		expect(&r, req->res, CONTRACT_BLOCK, "reading into a buffer that is not aligned");
		rig_check(&r, req->buf, CONTRACT_BLOCK, 0, 8192, 0);
		if (!engine_can(c->engine, FL_OP_WRITE))
			continue;
		rig_fill(&r, 0, FL_OP_WRITE, 0, 65536, CONTRACT_BLOCK);
		req->buf = (char *)rig_buf(&r, 0) + shifts[i];
		stamp_fill(req->buf, CONTRACT_BLOCK, 0, 65536, shifts[i]);
		if (rig_start(&r, 0))
			rig_wait_all(&r);
		expect(&r, req->res, CONTRACT_BLOCK, "writing from a buffer that is not aligned");
		rig_io(&r, FL_OP_READ, 0, 65536, CONTRACT_BLOCK);
		stamp_check(rig_buf(&r, 0), CONTRACT_BLOCK, 0, 65536, shifts[i]);
	}
	rig_close(&r);
}

static void offsets_of_any_alignment(struct contract *c)
{
	static const uint64_t at[] = { 1, 511, 4095, 4097, 65535, 65537, 131071 };
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		if (at[i] + CONTRACT_BLOCK > r.file_bytes)
			break;
		expect(&r, rig_io(&r, FL_OP_READ, 0, at[i], CONTRACT_BLOCK), CONTRACT_BLOCK,
		       "reading at an odd offset");
		rig_check(&r, rig_buf(&r, 0), CONTRACT_BLOCK, 0, at[i], 0);
	}
	rig_close(&r);
}

/* Direct I/O of whole pages, for any device takes those; of anything where the engine says so. */
static void direct_io(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .direct = true });
	for (uint64_t at = 0; at < CONTRACT_FILE_BYTES; at += 13 * CONTRACT_BLOCK) {
		int64_t res = rig_io(&r, FL_OP_READ, 0, at, CONTRACT_BLOCK);

		if (res == -EINVAL || res == -EOPNOTSUPP)
			contract_skip("direct I/O is refused: %s", rig_why(&r, (int)res));
		expect(&r, res, CONTRACT_BLOCK, "reading a whole block with direct=1");
		rig_check(&r, rig_buf(&r, 0), CONTRACT_BLOCK, 0, at, 0);
	}
	if (engine_can(c->engine, FL_OP_WRITE)) {
		write_all(&r, 0, 7);
		check_all(&r, 0, 7);
	}
	if (c->engine->ops.caps & FL_CAP_UNALIGNED) {
		struct fl_req *req = rig_fill(&r, 0, FL_OP_READ, 0, 8191, 513);

		req->buf = (char *)rig_buf(&r, 0) + 3;
		if (rig_start(&r, 0))
			rig_wait_all(&r);
		expect(&r, req->res, 513, "reading 513 bytes at 8191 with direct=1, which "
		       "FL_CAP_UNALIGNED promises");
		rig_check(&r, req->buf, 513, 0, 8191, engine_can(c->engine, FL_OP_WRITE) ? 7 : 0);
	}
	rig_close(&r);
}

static void sync_operations_answer_0(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	if (!engine_can(c->engine, FL_OP_SYNC) && !engine_can(c->engine, FL_OP_DATASYNC))
		contract_skip("the engine does not sync");
	for (uint32_t op = FL_OP_SYNC; op <= FL_OP_DATASYNC; op++) {
		if (!engine_can(c->engine, op))
			continue;
		if (engine_can(c->engine, FL_OP_WRITE))
			rig_io(&r, FL_OP_WRITE, 0, 0, CONTRACT_BLOCK);
		expect(&r, rig_io(&r, op, 0, 0, 0), 0,
		       op == FL_OP_SYNC ? "FL_OP_SYNC" : "FL_OP_DATASYNC");
	}
	rig_close(&r);
}

/* An error is -errno: bytes, 0 and positive numbers are what success looks like. */
static void errors_are_negative(struct contract *c)
{
	char name[300];
	struct rig r;
	int64_t res;
	int err;

	rig_open(&r, c, &(struct rig_spec){ .files = 2, .read_only = true });
	rig_file_close(&r, 1);
	r.opened = 1;
	snprintf(name, sizeof(name), "%s/missing", c->dir);
	r.files[1].name = name;
	err = host_file_open(&r.hq, &r.files[1]);
	if (err >= 0)
		contract_fail("file_open() of a file that does not exist answered %d", err);
	if (err != -ENOENT)
		contract_fail("file_open() of a file that does not exist should answer -ENOENT, "
			      "and answered: %s", rig_why(&r, err));
	rig_why(&r, err);
	/* A descriptor that the runner opened cannot do more than it was opened for. */
	if (!c->engine->ops.file_open && engine_can(c->engine, FL_OP_WRITE)) {
		res = rig_io(&r, FL_OP_WRITE, 0, 0, CONTRACT_BLOCK);
		if (res == EBADF)
			contract_fail("writing to a file that is open for reading only answered "
				      "res = %d, which is errno EBADF without its minus: bytes, to "
				      "the runner", EBADF);
		if (res >= 0)
			contract_fail("writing to a file that is open for reading only answered "
				      "res = %lld", (long long)res);
	}
	expect(&r, rig_io(&r, FL_OP_READ, 0, 0, CONTRACT_BLOCK), CONTRACT_BLOCK,
	       "reading after an I/O that failed");
	rig_close(&r);
}

/* Somebody else shortens the file: an error or an early end, but no crash and no made-up bytes. */
static void survives_a_truncated_file(struct contract *c)
{
	int64_t res;
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ 0 });
	expect(&r, rig_io(&r, FL_OP_READ, 0, 0, CONTRACT_BLOCK), CONTRACT_BLOCK, "reading at 0");
	expect(&r, rig_io(&r, FL_OP_READ, 0, 524288, CONTRACT_BLOCK), CONTRACT_BLOCK,
	       "reading at 524288");
	if (truncate(r.names[0], 8192))
		contract_fail("the suite itself cannot truncate its file");
	res = rig_io(&r, FL_OP_READ, 0, 786432, CONTRACT_BLOCK);
	if (res > 0)
		contract_fail("after the file was cut to 8192 bytes, a read at 786432 answered "
			      "%lld bytes", (long long)res);
	expect(&r, rig_io(&r, FL_OP_READ, 0, 4096, CONTRACT_BLOCK), CONTRACT_BLOCK,
	       "reading what is left of the file");
	rig_check(&r, rig_buf(&r, 0), CONTRACT_BLOCK, 0, 4096, 0);
	rig_close(&r);
}

static void invalidating_keeps_data(struct contract *c)
{
	struct rig r;
	int err;

	if (!c->engine->ops.file_invalidate)
		contract_skip("it has no file_invalidate() hook");
	rig_open(&r, c, &(struct rig_spec){ .file_bytes = 65536 });
	err = c->engine->ops.file_invalidate(&r.hq.q, &r.files[0]);
	if (err > 0)
		contract_fail("file_invalidate() answered %d; 0 or -errno was expected", err);
	if (engine_can(c->engine, FL_OP_WRITE)) {
		write_all(&r, 0, 4);
		c->engine->ops.file_invalidate(&r.hq.q, &r.files[0]);
		check_all(&r, 0, 4);
	}
	rig_close(&r);
}

static void counters_only_grow(struct contract *c)
{
	const struct fl_engine *e = &c->engine->ops;
	uint64_t before[HOST_COUNTERS_MAX] = { 0 };
	struct rig r;

	if (!e->nr_counters)
		contract_skip("it has no counters");
	rig_open(&r, c, &(struct rig_spec){ 0 });
	for (uint32_t i = 0; i < 20; i++) {
		rig_io(&r, FL_OP_READ, 0, i * CONTRACT_BLOCK, CONTRACT_BLOCK);
		if (e->counters)
			e->counters(&r.hq.q);
		for (uint32_t k = 0; k < e->nr_counters; k++) {
			struct fl_counter row;

			engine_counter(c->engine, k, &row);
			if (r.counters[k] < before[k])
				contract_fail("counter '%s' went from %llu down to %llu", row.name,
					      (unsigned long long)before[k],
					      (unsigned long long)r.counters[k]);
		}
		memcpy(before, r.counters, sizeof(before));
	}
	rig_close(&r);
	for (uint32_t k = 0; k < HOST_COUNTERS_MAX; k++)
		if (k >= e->nr_counters && r.counters[k])
			contract_fail("it has %u counters, but wrote to number %u", e->nr_counters,
				      k);
}

static const struct contract_case cases[] = {
	{ "byte counts", "res is the number of bytes moved, all of them inside of the file",
	  byte_counts, CASE_FILES | CASE_READS | CASE_ODD },
	{ "reads what lies there", "a read brings the bytes of its offset", reads_what_lies_there,
	  CASE_FILES | CASE_READS },
	{ "short read at the end of the file", "a read across the end brings what there is, and 0 "
	  "bytes beyond it", short_read_at_end_of_file, CASE_FILES | CASE_READS | CASE_ODD },
	{ "data written is data read", "a read brings what the last write put there",
	  data_written_is_data_read, CASE_FILES | CASE_READS | CASE_WRITES },
	{ "data reaches the file", "what was written and synced is in the file for everybody",
	  data_reaches_the_file, CASE_OWN_FILES | CASE_READS | CASE_WRITES },
	{ "reopening keeps data", "a file that is closed and opened again is as it was",
	  reopening_keeps_data, CASE_FILES | CASE_READS },
	{ "many files at once", "each request goes to its own file", many_files_at_once,
	  CASE_FILES | CASE_READS | CASE_WRITES },
	{ "buffers of any alignment", "without direct=1 a buffer may lie anywhere",
	  buffers_of_any_alignment, CASE_FILES | CASE_READS | CASE_ODD },
	{ "offsets of any alignment", "without direct=1 an offset may be any number",
	  offsets_of_any_alignment, CASE_FILES | CASE_READS | CASE_ODD },
	{ "direct I/O", "with direct=1 whole blocks work, and any place and length with "
	  "FL_CAP_UNALIGNED", direct_io, CASE_OWN_FILES | CASE_READS },
	{ "sync operations answer 0", "FL_OP_SYNC and FL_OP_DATASYNC answer res = 0",
	  sync_operations_answer_0, 0 },
	{ "errors are negative", "an error is res = -errno, never errno",
	  errors_are_negative, CASE_OWN_FILES | CASE_READS },
	{ "survives a truncated file", "a file that somebody else shortens is an error or an early "
	  "end, no crash", survives_a_truncated_file, CASE_OWN_FILES | CASE_READS },
	{ "invalidating keeps data", "file_invalidate() drops caches, not data",
	  invalidating_keeps_data, CASE_FILES | CASE_READS },
	{ "counters only grow", "counters only ever grow", counters_only_grow, CASE_READS },
};

const struct contract_list contract_data = { cases, ARRAY_SIZE(cases) };
