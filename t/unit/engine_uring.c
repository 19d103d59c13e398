/* SPDX-License-Identifier: MIT */
/*
 * io_uring on kernels that nobody has at hand: io_uring_setup(2) is replaced here by one that
 * refuses flags and features as they did, or whose thread does not begin.
 */
#include "gen/config.h"

#if CONFIG_ENGINE_IO_URING
#define _GNU_SOURCE 1
#include <liburing.h>

static int setup_as_told(unsigned entries, struct io_uring_params *p);

#define io_uring_setup setup_as_told
#include "engines/io_uring.c"
#undef io_uring_setup
#endif

#include "core/host.h"
#include "os/clock.h"

#include "t/test.h"

#if CONFIG_ENGINE_IO_URING

#include <fcntl.h>
#include <sys/time.h>

#define BLOCK	4096u
#define BLOCKS	16u
#define DEPTH	4u
#define REQS	(2 * DEPTH + 1)		/* a ring with a thread has room for all but one */

/* What the kernel does not know, and a flag that it gets besides. */
static uint32_t flags_refused, features_hidden, flags_more;
static char said[512];
static char want[BLOCKS * BLOCK], got[REQS][BLOCK];

static int setup_as_told(unsigned entries, struct io_uring_params *p)
{
	int fd;

	if (p->flags & flags_refused)
		return -EINVAL;
	p->flags |= flags_more;
	fd = (int)syscall(__NR_io_uring_setup, entries, p);
	p->features &= ~features_hidden;
	return fd < 0 ? -errno : fd;
}

static int keep_fail(struct fl_queue *q, int err, const char *fmt, ...)
{
	va_list ap;

	(void)q;
	va_start(ap, fmt);
	vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
	return err;
}

static void quiet(struct fl_queue *q, int level, const char *fmt, ...)
{
	(void)q;
	(void)level;
	(void)fmt;
}

struct rig {
	struct fl_queue q;
	struct fl_host host;
	struct fl_job job;
	struct uring_conf conf;
	struct fl_file file, pipe;
	struct fl_req req[REQS];
	uint64_t counters[HOST_COUNTERS_MAX];
	int pipe_in;
};

static struct uring *ring_of(struct rig *r)
{
	return r->q.priv;
}

static int open_file(struct rig *r)
{
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);

	for (uint32_t i = 0; i < sizeof(want); i++)
		want[i] = (char)(i * 2654435761u >> 13);
	T_EQ(write(fd, want, sizeof(want)), sizeof(want));
	r->file = (struct fl_file){ .size = sizeof(r->file), .name = "file", .fd = fd };
	return fd;
}

/* A queue with a file, and a pipe with nothing in it. */
static void open_rig(struct rig *r)
{
	struct io_uring_params probe = { 0 };
	int fds[2], fd = (int)syscall(__NR_io_uring_setup, 1, &probe);

	if (fd < 0)
		SKIP("there is no io_uring");
	close(fd);
	clock_init(CLOCK_USE_AUTO);
	r->conf.nonvectored = r->conf.sqthread_poll_cpu = -1;
	r->conf.sqthread_poll_idle = 60000000000;
	r->host = *host_services();
	r->host.fail = keep_fail;
	r->host.log = quiet;
	r->job = (struct fl_job){
		.size = sizeof(r->job), .files_open_max = 2, .block_min = BLOCK, .block_max = BLOCK,
	};
	r->q = (struct fl_queue){
		.size = sizeof(r->q), .depth = DEPTH, .engine = &uring_engine, .host = &r->host,
		.job = &r->job, .opts = &r->conf, .counters = r->counters, .poll_fd = -1,
	};
	T_TRUE(open_file(r) >= 0 && !pipe(fds));
	r->pipe = (struct fl_file){
		.size = sizeof(r->pipe), .name = "pipe", .fd = fds[0], .type = FL_FILE_PIPE,
	};
	r->pipe_in = fds[1];
	T_EQ(uring_open(&r->q), 0);
}

static void close_rig(struct rig *r)
{
	T_EQ(uring_file_close(&r->q, &r->file), 0);
	T_EQ(uring_file_close(&r->q, &r->pipe), 0);
	close(r->pipe_in);
	uring_close(&r->q);
}

static int queue_read(struct rig *r, uint32_t slot, struct fl_file *f, uint32_t block)
{
	r->req[slot] = (struct fl_req){
		.size = sizeof(r->req[slot]), .op = FL_OP_READ, .offset = block * BLOCK,
		.len = BLOCK, .buf = got[slot], .slot = slot, .file = f,
	};
	return uring_queue(&r->q, &r->req[slot]);
}

/* Reads the whole file, with a full queue each time. */
static void read_file(struct rig *r)
{
	struct fl_req *done[DEPTH];

	for (uint32_t block = 0; block < BLOCKS; block += DEPTH) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < DEPTH; i++)
			T_EQ(queue_read(r, i, &r->file, block + i), FL_PENDING);
		T_EQ(uring_commit(&r->q), DEPTH);
		while (count < DEPTH) {
			int n = uring_complete(&r->q, DEPTH - count, DEPTH, 5000000000, done);

			T_TRUE(n > 0);
			count += (uint32_t)n;
		}
		for (uint32_t i = 0; i < DEPTH; i++) {
			T_EQ(r->req[i].res, BLOCK);
			T_MEM(got[i], want + (block + i) * BLOCK, BLOCK);
		}
	}
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A wait ends at its time, with a signal, and with what it waits for. */
static void wait_for_pipe(struct rig *r)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval soon = { .it_value.tv_usec = 20000, .it_interval.tv_usec = 20000 };
	struct itimerval never = { 0 };
	struct fl_req *done[DEPTH];

	T_EQ(queue_read(r, 0, &r->pipe, 0), FL_PENDING);
	T_EQ(uring_commit(&r->q), 1);
	T_EQ(uring_complete(&r->q, 1, DEPTH, 2000000, done), 0);
	T_EQ(uring_complete(&r->q, 0, DEPTH, 0, done), 0);
	if (!t_emulated()) {		/* valgrind holds signals back meanwhile */
		sigaction(SIGALRM, &act, NULL);
		setitimer(ITIMER_REAL, &soon, NULL);
		T_EQ(uring_complete(&r->q, 1, DEPTH, 60000000000, done), 0);
		setitimer(ITIMER_REAL, &never, NULL);
	}
	T_EQ(write(r->pipe_in, "some", 4), 4);
	T_EQ(uring_complete(&r->q, 1, DEPTH, 60000000000, done), 1);
	T_TRUE(done[0] == &r->req[0]);
	T_EQ(r->req[0].res, 4);
	T_MEM(got[0], "some", 4);
}

static void try_kernel(const char *name, uint32_t refused, uint32_t hidden)
{
	static struct rig r;

	printf("# %s\n", name);
	memset(&r, 0, sizeof(r));
	flags_refused = refused;
	features_hidden = hidden;
	open_rig(&r);
	T_EQ(r.counters[COUNT_FLAGS] & refused, 0);
	T_EQ(ring_of(&r)->r.ext_arg, !hidden);
	read_file(&r);
	wait_for_pipe(&r);
	/* What nobody will ever write is not waited for at the end. */
	T_EQ(queue_read(&r, 1, &r.pipe, 0), FL_PENDING);
	T_EQ(uring_commit(&r.q), 1);
	close_rig(&r);
}

TEST(older_kernels)
{
	static const struct {
		const char *name;
		uint32_t refused;	/* what the one before it lacks, too */
		uint32_t hidden;
	} kernels[] = {
		{ "this kernel", 0, 0 },
		{ "before 6.6", FL_RING_NO_SQARRAY, 0 },
		{ "before 6.0", IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER, 0 },
		{ "before 5.19", IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, 0 },
		{ "before 5.18", IORING_SETUP_SUBMIT_ALL, 0 },
		{ "before 5.11", 0, IORING_FEAT_EXT_ARG },
		{ "before 5.5", IORING_SETUP_CQSIZE, IORING_FEAT_EXT_ARG },
		{ "before 5.4", 0, IORING_FEAT_EXT_ARG | IORING_FEAT_SINGLE_MMAP },
	};
	uint32_t refused = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		refused |= kernels[i].refused;
		try_kernel(kernels[i].name, refused, kernels[i].hidden);
	}
}

/* A ring that polls comes back at once, with nothing: then the clock ends the wait. */
TEST(a_wait_that_returns_at_once)
{
	static struct rig r;
	struct fl_req *done[DEPTH];

	open_rig(&r);
	ring_of(&r)->r.iopoll = 1;
	T_EQ(queue_read(&r, 0, &r.pipe, 0), FL_PENDING);
	T_EQ(uring_commit(&r.q), 1);
	T_EQ(uring_complete(&r.q, 1, DEPTH, 2000000, done), 0);
	T_TRUE(r.counters[COUNT_ENTERS] > 2);
	T_EQ(write(r.pipe_in, "some", 4), 4);
	T_EQ(uring_complete(&r.q, 1, DEPTH, 5000000000, done), 1);
	T_EQ(r.req[0].res, 4);
	close_rig(&r);
}

/*
 * The kernel's thread has read nothing, and does not begin: a full ring says so, and nothing is
 * overwritten. When it begins, each request comes back.
 */
TEST(a_thread_that_does_not_read)
{
	static struct rig r;
	struct fl_req *done[DEPTH];
	uint32_t queued = 0, back = 0;

	flags_more = IORING_SETUP_R_DISABLED;
	r.conf.sqthread_poll = 1;
	open_rig(&r);
	while (queued < REQS && queue_read(&r, queued, &r.file, queued) == FL_PENDING)
		queued++;
	T_EQ(queued, REQS - 1);
	T_EQ(queued, ring_of(&r)->r.sq_entries);
	T_EQ(syscall(__NR_io_uring_register, ring_of(&r)->r.ring.ring_fd,
		     IORING_REGISTER_ENABLE_RINGS, NULL, 0), 0);
	while (back < queued) {
		int n;

		T_TRUE(uring_commit(&r.q) >= 0);
		n = uring_complete(&r.q, 1, DEPTH, 5000000000, done);
		T_TRUE(n > 0);
		for (int i = 0; i < n; i++)
			T_EQ(done[i]->res, BLOCK);
		back += (uint32_t)n;
	}
	T_EQ(back, queued);
	for (uint32_t i = 0; i < queued; i++)
		T_MEM(got[i], want + i * BLOCK, BLOCK);
	close_rig(&r);
}

#else

TEST(older_kernels)
{
	SKIP("this build has no io_uring");
}

#endif
