/* SPDX-License-Identifier: MIT */
/*
 * through [--opts=A=B:C=D] [--block=BYTES] read|write ENGINE TARGET FROM BYTES
 *
 * Moves bytes through an engine as a job would, but to standard output or from standard input, so
 * that a test can look at what an engine reads and decide what it writes. The target is there
 * already, and is large enough. Nothing is synced.
 */
#include "core/host.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/mapguard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: through [--opts=A=B:C=D] [--block=BYTES] read|write ENGINE TARGET FROM BYTES\n";

struct through {
	const char *opts, *engine, *target;
	bool write;
	uint64_t from, bytes, block;
	struct fl_job job;
	struct host_queue hq;
	struct fl_file file;
	struct fl_req req;
	uint64_t counters[HOST_COUNTERS_MAX];
};

static void die(struct through *t, int err, const char *what)
{
	char text[HOST_WHY_BYTES];

	fprintf(stderr, "through %s: %s: %s\n", t->engine, what,
		host_explain(&t->hq, err, text, sizeof(text)));
	exit(1);
}

static void open_queue(struct through *t, const struct engine *e)
{
	char why[HOST_WHY_BYTES];
	int err;
	struct host_setup setup = {
		.engine = e, .job = &t->job, .depth = 1, .counters = t->counters,
	};

	setup.opts = host_options(e, t->opts, &err, why, sizeof(why));
	if (err) {
		fprintf(stderr, "through %s: %s\n", t->engine, why);
		exit(1);
	}
	t->job = (struct fl_job){
		.size = sizeof(t->job), .name = "through", .files = 1, .files_open_max = 1,
		.ops = 1u << (t->write ? FL_OP_WRITE : FL_OP_READ),
		.block_min = t->block, .block_max = t->block,
	};
	err = host_queue_open(&t->hq, &setup);
	if (err)
		die(t, err, "open");
}

static void open_target(struct through *t)
{
	struct file_facts facts;
	int err = file_facts(t->target, &facts);

	t->file = (struct fl_file){
		.size = sizeof(t->file), .name = t->target, .fd = -1, .io_start = t->from,
		.io_bytes = t->bytes, .open_flags = t->write ? O_RDWR : O_RDONLY,
		.type = facts.type == FILE_CHAR ? FL_FILE_CHAR :
			facts.type == FILE_BLOCK ? FL_FILE_BLOCK : FL_FILE_REGULAR,
		.bytes = facts.size_bytes ? facts.size_bytes : t->from + t->bytes,
	};
	if (!err)
		err = host_file_open(&t->hq, &t->file);
	if (err)
		die(t, err, t->target);
}

/* One request from start to end. Returns its res. */
static int64_t io(struct through *t, uint32_t op, uint64_t offset, uint64_t len)
{
	const struct fl_engine *e = t->hq.q.engine;
	struct fl_req *done;
	int err;

	t->req.op = op;
	t->req.offset = offset;
	t->req.len = len;
	err = e->prep ? e->prep(&t->hq.q, &t->req) : 0;
	if (err < 0)
		return err;
	err = e->queue(&t->hq.q, &t->req);
	if (err == FL_PENDING) {
		err = e->commit ? e->commit(&t->hq.q) : 0;
		if (err >= 0)
			err = host_complete(&t->hq, 1, 1, -1, &done);
	}
	return err < 0 ? err : t->req.res;
}

static void move_all(struct through *t)
{
	uint32_t op = t->write ? FL_OP_WRITE : FL_OP_READ;
	char what[80];

	for (uint64_t at = 0, len; at < t->bytes; at += len) {
		int64_t res;

		len = fl_min(t->block, t->bytes - at);
		if (t->write && fread(t->req.buf, 1, len, stdin) != len) {
			fprintf(stderr, "through: standard input ended early\n");
			exit(1);
		}
		res = io(t, op, t->from + at, len);
		snprintf(what, sizeof(what), "%llu bytes at %llu came out as %lld",
			 (unsigned long long)len, (unsigned long long)(t->from + at),
			 (long long)res);
		if (res != (int64_t)len)
			die(t, res < 0 ? (int)res : -EIO, what);
		if (!t->write && fwrite(t->req.buf, 1, len, stdout) != len)
			exit(1);
	}
}

int main(int argc, char **argv)
{
	static struct through t = { .block = 65536 };
	const struct engine *e;
	char why[512];
	int err;

	for (; argc > 1 && !strncmp(argv[1], "--", 2); argc--, argv++) {
		if (!strncmp(argv[1], "--opts=", 7))
			t.opts = argv[1] + 7;
		else if (!strncmp(argv[1], "--block=", 8))
			t.block = strtoull(argv[1] + 8, NULL, 0);
		else
			break;
	}
	if (argc != 6 || !t.block || (strcmp(argv[1], "read") && strcmp(argv[1], "write"))) {
		fputs(usage, stderr);
		return 1;
	}
	t.write = !strcmp(argv[1], "write");
	t.engine = argv[2];
	t.target = argv[3];
	t.from = strtoull(argv[4], NULL, 0);
	t.bytes = strtoull(argv[5], NULL, 0);
	clock_init(CLOCK_USE_AUTO);
	mapguard_install();
	if (engines_find(t.engine, &e, why, sizeof(why))) {
		fprintf(stderr, "through: %s\n", why);
		return 1;
	}
	open_queue(&t, e);
	open_target(&t);
	t.req = (struct fl_req){
		.size = sizeof(t.req), .file = &t.file,
		.buf = aligned_alloc(4096, (t.block + 4095) / 4096 * 4096),
	};
	move_all(&t);
	err = host_file_close(&t.hq, &t.file);
	if (err)
		die(&t, err, "close");
	host_queue_close(&t.hq);
	host_process_exit();
	return fflush(stdout) != 0;
}
