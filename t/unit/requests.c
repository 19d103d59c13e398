/* SPDX-License-Identifier: MIT */
/*
 * Requests that no job makes, but that an engine has to answer: flags of a single request, ranges
 * to sync, trims, operations it does not know. For every engine that works on files.
 */
#include "core/host.h"
#include "os/clock.h"
#include "os/mapguard.h"
#include "t/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK	4096u
#define BLOCKS	16u

static const char *const names[] = {
	"sync", "psync", "vsync", "pvsync", "pvsync2", "stdio", "mmap", "io_uring", "libaio",
	"libpmem",
};

struct rig {
	const struct fl_engine *e;
	struct host_queue hq;
	struct fl_job job;
	struct fl_file file;
	struct fl_file *other;		/* goes to it, not to file; or NULL */
	struct fl_req req;
	void *opts;			/* of host_options(), or NULL */
	uint64_t counters[HOST_COUNTERS_MAX];
	char why[HOST_WHY_BYTES];	/* of the last request */
};

static char block[BLOCK] __attribute__((aligned(4096)));
static char bytes[BLOCK * BLOCKS];

static void quiet(void *ctx, int level, const char *text)
{
	(void)ctx;
	(void)level;
	(void)text;
}

/* Memory for so many more pieces, and then none; below 0: as much as there is. */
static int pieces_left = -1;

static void *alloc_or_not(size_t size, size_t align)
{
	if (!pieces_left)
		return NULL;
	if (pieces_left > 0)
		pieces_left--;
	return host_services()->alloc(size, align);
}

static bool find_engine(const char *name, const struct engine **e)
{
	const char *build = getenv("BUILDDIR");
	char why[512], path[512];

	snprintf(path, sizeof(path), "%s/engines", build ? build : ".");
	setenv("FIO_LIKE_ENGINE_PATH", path, 0);
	clock_init(CLOCK_USE_AUTO);
	mapguard_install();
	return !engines_find(name, e, why, sizeof(why)) && !host_probe(*e, why, sizeof(why));
}

static void make_file(void)
{
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);

	for (uint32_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 2654435761u >> 13 | 1);
	T_TRUE(fd >= 0 && write(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes));
	close(fd);
}

/* A queue of the engine, and a file that is not open. False: this build or kernel has none. */
static bool open_queue(struct rig *r, const char *name, const char *opts, uint32_t flags,
		       uint32_t depth)
{
	static struct fl_host host;
	struct host_setup setup = {
		.job = &r->job, .depth = depth, .counters = r->counters, .log = quiet,
		.host = &host,
	};
	char why[512];
	int err = 0;

	*r = (struct rig){ 0 };
	if (!find_engine(name, &setup.engine))
		return false;
	host = *host_services();
	host.alloc = alloc_or_not;
	make_file();
	r->opts = opts ? host_options(setup.engine, opts, &err, why, sizeof(why)) : NULL;
	T_EQ(err, 0);
	setup.opts = r->opts;
	r->job = (struct fl_job){
		.size = sizeof(r->job), .name = "requests", .files = 1, .files_open_max = 1,
		.flags = flags, .ops = 1u << FL_OP_READ | 1u << FL_OP_WRITE,
		.block_min = BLOCK, .block_max = BLOCK,
	};
	T_EQ(host_queue_open(&r->hq, &setup), 0);
	r->e = r->hq.q.engine;
	r->file = (struct fl_file){
		.size = sizeof(r->file), .name = "file", .fd = -1, .io_bytes = sizeof(bytes),
		.open_flags = O_RDWR, .type = FL_FILE_REGULAR, .bytes = sizeof(bytes),
	};
	return true;
}

static void close_queue(struct rig *r)
{
	host_queue_close(&r->hq);
	host_process_exit();
	free(r->opts);
}

static bool open_rig(struct rig *r, const char *name, uint32_t flags, uint32_t depth)
{
	if (!open_queue(r, name, NULL, flags, depth))
		return false;
	T_EQ(host_file_open(&r->hq, &r->file), 0);
	return true;
}

static void close_rig(struct rig *r)
{
	T_EQ(host_file_close(&r->hq, &r->file), 0);
	close_queue(r);
}

/* One request from start to end. Returns its result; the sentence of an error is in r->why. */
static int64_t io(struct rig *r, uint32_t op, uint32_t flags, uint64_t at, uint64_t len)
{
	struct fl_req *done = NULL;
	int64_t err;

	r->req = (struct fl_req){
		.size = sizeof(r->req), .op = op, .flags = flags, .offset = at * BLOCK, .len = len,
		.buf = block, .file = r->other ? r->other : &r->file,
		.arg = 2 /* SYNC_FILE_RANGE_WRITE */,
	};
	err = r->e->prep ? r->e->prep(&r->hq.q, &r->req) : 0;
	if (!err)
		err = r->e->queue(&r->hq.q, &r->req);
	if (err == FL_PENDING) {
		err = r->e->commit ? r->e->commit(&r->hq.q) : 0;
		if (err >= 0)
			err = host_complete(&r->hq, 1, 1, 5000000000ll, &done);
		T_TRUE(err < 0 || (err == 1 && done == &r->req));
	}
	if (err >= 0)
		err = r->req.res;
	host_explain(&r->hq, err < 0 ? (int)err : -EIO, r->why, sizeof(r->why));
	return err;
}

/* The bytes of a block in the file, for everybody to see. */
static void expect_block(uint64_t at, const void *want)
{
	char got[BLOCK];
	int fd = open("file", O_RDONLY);

	T_TRUE(fd >= 0 && pread(fd, got, BLOCK, (off_t)(at * BLOCK)) == (ssize_t)BLOCK);
	close(fd);
	T_MEM(got, want, BLOCK);
}

static void each(void (*check)(struct rig *r, const char *name), uint32_t flags)
{
	static struct rig r;
	unsigned tried = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (uint32_t depth = 1; depth <= 4; depth += 3)
			if (open_rig(&r, names[i], flags, depth)) {
				check(&r, names[i]);
				close_rig(&r);
				tried++;
			}
	T_TRUE(tried >= 12);
}

static void check_fua(struct rig *r, const char *name)
{
	(void)name;
	memset(block, 'f', BLOCK);
	T_EQ(io(r, FL_OP_WRITE, FL_REQ_FUA, 3, BLOCK), BLOCK);
	expect_block(3, block);
	T_EQ(io(r, FL_OP_READ, 0, 3, BLOCK), BLOCK);
	T_EQ(block[17], 'f');
}

TEST(fua)
{
	each(check_fua, 0);
	each(check_fua, FL_JOB_DSYNC);
}

/* What lies in the cache is read without waiting; who cannot promise that says so. */
static void check_nowait(struct rig *r, const char *name)
{
	int64_t res;

	T_EQ(io(r, FL_OP_READ, 0, 5, BLOCK), BLOCK);
	memset(block, 0, BLOCK);
	res = io(r, FL_OP_READ, FL_REQ_NOWAIT, 5, BLOCK);
	if (res == BLOCK) {
		T_MEM(block, bytes + 5 * BLOCK, BLOCK);
		return;
	}
	if (res == -EAGAIN)
		return;
	T_EQ(res, -EOPNOTSUPP);
	T_TRUE(strstr(r->why, "cannot do nowait") || strstr(r->why, "RWF_NOWAIT"));
	if (!strcmp(name, "psync") || !strcmp(name, "io_uring"))
		T_FAIL("%s: %s", name, r->why);
}

TEST(nowait)
{
	each(check_nowait, 0);
}

/* Polling is a wish: a file in the cache is read all the same, or it is refused by name. */
static void check_polled(struct rig *r, const char *name)
{
	int64_t res = io(r, FL_OP_READ, FL_REQ_POLLED, 6, BLOCK);

	(void)name;
	if (res != BLOCK) {
		T_EQ(res, -EOPNOTSUPP);
		T_TRUE(strstr(r->why, "hipri") != NULL);
		return;
	}
	T_MEM(block, bytes + 6 * BLOCK, BLOCK);
}

TEST(polled)
{
	each(check_polled, 0);
}

static void check_ranges(struct rig *r, const char *name)
{
	static const char zeroes[BLOCK];

	memset(block, 'r', BLOCK);
	T_EQ(io(r, FL_OP_WRITE, 0, 2, BLOCK), BLOCK);
	if (engine_can(r->hq.setup.engine, FL_OP_SYNC_RANGE)) {
		T_EQ(io(r, FL_OP_SYNC_RANGE, 0, 2, BLOCK), 0);
		T_EQ(io(r, FL_OP_SYNC_RANGE, 0, 0, 6ull << 30), 0);
	}
	T_EQ(io(r, FL_OP_DATASYNC, 0, 0, 0), 0);
	expect_block(2, block);
	if (engine_can(r->hq.setup.engine, FL_OP_TRIM)) {
		int64_t res = io(r, FL_OP_TRIM, 0, 2, 2 * BLOCK);

		if (res != 2 * BLOCK)
			T_FAIL("%s: trim: %s", name, r->why);
		expect_block(2, zeroes);
		expect_block(4, bytes + 4 * BLOCK);
		T_EQ(io(r, FL_OP_SYNC, 0, 0, 0), 0);
		T_EQ(io(r, FL_OP_READ, 0, 3, BLOCK), BLOCK);
		T_MEM(block, zeroes, BLOCK);
	}
	T_EQ(io(r, FL_OP_SYNC, 0, 0, 0), 0);
}

TEST(ranges)
{
	each(check_ranges, 0);
}

/* A device takes trims of whole blocks alone. A file stands in for it, which refuses 0 bytes. */
TEST(trims_of_a_device)
{
	static struct rig r;

	T_TRUE(open_queue(&r, "psync", "trim_method=punch", 0, 1));
	r.file.type = FL_FILE_BLOCK;
	T_EQ(host_file_open(&r.hq, &r.file), 0);
	T_EQ(io(&r, FL_OP_TRIM, 0, 3, 0), -EINVAL);
	T_TRUE(strstr(r.why, "multiples of its logical block; they were 12288, 0") != NULL);
	expect_block(3, bytes + 3 * BLOCK);
	close_rig(&r);
}

/* The runner does not send them; a queue above might. */
static void check_unknown(struct rig *r, const char *name)
{
	for (uint32_t op = FL_OP_TRIM; op <= FL_OP_LIST; op++) {
		int64_t res;

		if (engine_can(r->hq.setup.engine, op))
			continue;
		res = io(r, op, 0, 1, BLOCK);
		if (res != -EOPNOTSUPP)
			T_FAIL("%s: operation %u: %lld", name, op, (long long)res);
	}
	expect_block(1, bytes + BLOCK);
}

TEST(unknown_operations)
{
	each(check_unknown, 0);
}

/* With memory for none to three pieces: it opens, there is none, or (err) it never opens. */
static void open_with_little(struct rig *r, const char *name, int err)
{
	unsigned refused = 0;

	for (int pieces = 0; pieces < 4; pieces++) {
		int got;

		pieces_left = pieces;
		got = host_file_open(&r->hq, &r->file);
		pieces_left = -1;
		refused += got == -ENOMEM;
		if (!got)
			got = host_file_close(&r->hq, &r->file);
		if (got && got != -ENOMEM && got != err)
			T_FAIL("%s, %d pieces: %d", name, pieces, got);
	}
	T_TRUE(refused || !err);
}

/* A file that cannot be opened for want of memory leaves nothing, and can be opened later. */
TEST(no_memory_for_a_file)
{
	static const char *const opts[] = { NULL, "stdio_buffer=user" };
	static struct rig r;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (int o = 0; o <= !strcmp(names[i], "stdio"); o++) {
			if (!open_queue(&r, names[i], opts[o], 0, 1))
				continue;
			open_with_little(&r, names[i], 0);
			T_EQ(host_file_open(&r.hq, &r.file), 0);
			T_EQ(io(&r, FL_OP_READ, 0, 9, BLOCK), BLOCK);
			T_MEM(block, bytes + 9 * BLOCK, BLOCK);
			close_rig(&r);
		}
	if (!open_queue(&r, "dev-dax", NULL, 0, 1))
		return;
	open_with_little(&r, "dev-dax", -ENODEV);
	close_queue(&r);
}

/* Buffers that are too many, or too large, for the kernel; and no memory to tell it of them. */
TEST(buffers_to_register)
{
	static struct rig r;
	static char buffers[4 * BLOCK] __attribute__((aligned(4096)));

	if (!open_queue(&r, "io_uring", "fixedbufs=1", 0, 4))
		SKIP("there is no io_uring");
	r.hq.q.buffers = buffers;
	r.hq.q.buffer_stride = 2ull << 30;
	T_EQ(r.e->buffers_ready(&r.hq.q), -EINVAL);
	host_explain(&r.hq, -EIO, r.why, sizeof(r.why));
	T_TRUE(strstr(r.why, "fixedbufs: the kernel registers at most 16384 buffers") != NULL);
	close_queue(&r);

	T_TRUE(open_queue(&r, "io_uring", "fixedbufs=1", 0, 4));
	r.hq.q.buffers = buffers;
	r.hq.q.buffer_stride = BLOCK;
	pieces_left = 0;
	T_EQ(r.e->buffers_ready(&r.hq.q), -ENOMEM);
	pieces_left = -1;
	T_EQ(r.e->buffers_ready(&r.hq.q), 0);
	T_EQ(host_file_open(&r.hq, &r.file), 0);
	/* A buffer that was not registered goes the ordinary way. */
	T_EQ(io(&r, FL_OP_READ, 0, 9, BLOCK), BLOCK);
	T_MEM(block, bytes + 9 * BLOCK, BLOCK);
	close_rig(&r);
}

/* More files than the job said: the table of the kernel has no slot for the second. */
TEST(files_to_register)
{
	static struct rig r;
	struct fl_file second;

	if (!open_queue(&r, "io_uring", "registerfiles=1", 0, 1))
		SKIP("there is no io_uring");
	second = r.file;
	T_EQ(host_file_open(&r.hq, &r.file), 0);
	T_EQ(host_file_open(&r.hq, &second), 0);
	T_EQ(io(&r, FL_OP_READ, 0, 9, BLOCK), BLOCK);
	r.other = &second;
	T_EQ(io(&r, FL_OP_READ, 0, 11, BLOCK), BLOCK);
	T_MEM(block, bytes + 11 * BLOCK, BLOCK);
	T_EQ(host_file_close(&r.hq, &second), 0);
	close_rig(&r);
}

/* One that is queued and not committed is not waited for, whatever the runner asks. */
TEST(not_committed)
{
	static const char *const async[] = { "io_uring", "libaio", "vsync" };
	static struct rig r;

	for (size_t i = 0; i < ARRAY_SIZE(async); i++) {
		struct fl_req *done[2] = { NULL };

		if (!open_rig(&r, async[i], 0, 4))
			continue;
		r.req = (struct fl_req){
			.size = sizeof(r.req), .op = FL_OP_READ, .offset = 7 * BLOCK, .len = BLOCK,
			.buf = block, .file = &r.file,
		};
		T_EQ(r.e->queue(&r.hq.q, &r.req), FL_PENDING);
		T_EQ(host_complete(&r.hq, 1, 2, 2000000000, done), 0);
		T_EQ(r.e->commit(&r.hq.q), 1);
		T_EQ(host_complete(&r.hq, 2, 2, 20000000, done), 1);
		T_TRUE(done[0] == &r.req);
		T_EQ(r.req.res, BLOCK);
		T_MEM(block, bytes + 7 * BLOCK, BLOCK);
		close_rig(&r);
	}
}
