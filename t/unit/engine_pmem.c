/* SPDX-License-Identifier: MIT */
/*
 * When libpmem and dev-dax store, flush and drain, counted: libpmem itself is replaced here, at link
 * time, by functions that write down how they were called. No persistent memory is needed to know
 * whether a policy is kept.
 */
#if __has_include(<libpmem.h>)
#include "engines/libpmem.c"
#define HAVE_LIBPMEM 1

/* The second engine beside the first: what both call alike gets another name. */
#define do_read		dax_do_read
#define do_write	dax_do_write
#define range_map	dax_range_map
#define range_unmap	dax_range_unmap
#undef FL_ENGINE_EXPORT
#define FL_ENGINE_EXPORT(...) _Static_assert(1, "")
#define COUNT_PMEM	DAX_COUNT_PMEM
#include "engines/dev-dax.c"
#undef COUNT_PMEM
#endif

#include "core/host.h"

#include "t/test.h"

#ifdef HAVE_LIBPMEM

#define BLOCK	4096u
#define BLOCKS	16u

/* What was called, in order: m(emcpy) with a letter for its flags, d(rain), s(ync by msync). */
static char calls[256];
static unsigned last_flags;
static bool pretend_pmem;

static void called(const char *what)
{
	strncat(calls, what, sizeof(calls) - strlen(calls) - 1);
}

void *pmem_memcpy(void *to, const void *from, size_t len, unsigned flags)
{
	called(flags & PMEM_F_MEM_NOFLUSH ? "c" : flags & PMEM_F_MEM_NONTEMPORAL ? "n" :
	       flags & PMEM_F_MEM_TEMPORAL ? "t" : "?");
	if (!(flags & (PMEM_F_MEM_NODRAIN | PMEM_F_MEM_NOFLUSH)))
		called("d");
	last_flags = flags;
	return memcpy(to, from, len);
}

void pmem_drain(void)
{
	called("d");
}

void *pmem_map_file(const char *path, size_t len, int flags, mode_t mode, size_t *mapped,
		    int *is_pmem)
{
	struct stat st;
	int fd = open(path, O_RDWR);
	void *addr;

	(void)mode;
	T_EQ(len, 0);
	T_EQ(flags, 0);
	T_TRUE(fd >= 0 && !fstat(fd, &st));
	*mapped = st.st_size;
	*is_pmem = pretend_pmem;
	addr = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return addr;
}

int pmem_unmap(void *addr, size_t len)
{
	return munmap(addr, len);
}

const char *pmem_errormsg(void)
{
	return "";
}

/* ---- A queue of the engine under test -------------------------------------------------------- */

struct rig {
	struct fl_queue q;
	struct fl_job job;
	struct fl_file f;
	struct fl_req req;
	struct pmem_conf conf;
	uint64_t counters[32];
	char block[BLOCK];
	volatile uint32_t faults;
};

/* The runner's services take a queue of the runner's for what they are told. */
static struct fl_host host;

static int note_failure(struct fl_queue *q, int err, const char *fmt, ...)
{
	(void)q;
	(void)fmt;
	return err;
}

static void ignore_log(struct fl_queue *q, int level, const char *fmt, ...)
{
	(void)q;
	(void)level;
	(void)fmt;
}

static struct rig rig_new(uint32_t job_flags)
{
	struct rig r = {
		.job = { .size = sizeof(r.job), .flags = job_flags,
			 .ops = 1u << FL_OP_READ | 1u << FL_OP_WRITE },
		.f = { .size = sizeof(r.f), .name = "file", .fd = -1, .open_flags = O_RDWR,
		       .bytes = BLOCK * BLOCKS, .io_bytes = BLOCK * BLOCKS },
	};
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);

	host = *host_services();
	host.fail = note_failure;
	host.log = ignore_log;
	T_TRUE(fd >= 0 && !ftruncate(fd, BLOCK * BLOCKS));
	close(fd);
	calls[0] = '\0';
	return r;
}

/* In its final place, for the queue points into it. */
static void rig_open(struct rig *r, const struct fl_engine *e)
{
	r->q = (struct fl_queue){
		.size = sizeof(r->q), .depth = 1, .engine = e, .host = &host,
		.job = &r->job, .opts = &r->conf, .counters = r->counters,
		.map_faults = &r->faults, .poll_fd = -1,
	};
	T_EQ(e->open(&r->q), 0);
	T_TRUE(r->q.flags & FL_QUEUE_SYNC);
}

static void io(struct rig *r, uint32_t op, uint64_t block, uint32_t flags)
{
	bool moves = op <= FL_OP_WRITE;

	r->req = (struct fl_req){
		.size = sizeof(r->req), .op = op, .offset = block * BLOCK, .flags = flags,
		.len = moves ? BLOCK : 0, .buf = r->block, .file = &r->f,
	};
	T_EQ(r->q.engine->prep(&r->q, &r->req), 0);
	T_EQ(r->q.engine->queue(&r->q, &r->req), FL_DONE);
	T_EQ(r->req.res, moves ? BLOCK : 0);
}

/* Two writes, a read, an fsync, a write, an fdatasync, a write, the close. */
static void story(struct rig *r)
{
	T_EQ(r->q.engine->file_open(&r->q, &r->f), 0);
	io(r, FL_OP_WRITE, 0, 0);
	io(r, FL_OP_WRITE, BLOCKS - 1, 0);
	io(r, FL_OP_READ, 3, 0);
	called("|");
	io(r, FL_OP_SYNC, 0, 0);
	called("|");
	io(r, FL_OP_WRITE, 1, 0);
	io(r, FL_OP_DATASYNC, 0, 0);
	called("|");
	io(r, FL_OP_WRITE, 2, 0);
	called("|");
	T_EQ(r->q.engine->file_close(&r->q, &r->f), 0);
	r->q.engine->close(&r->q);
}

static uint64_t counted(const struct rig *r, const char *name)
{
	const struct fl_engine *e = r->q.engine;

	for (uint32_t i = 0; i < e->nr_counters; i++)
		if (!strcmp(e->counter_rows[i].name, name))
			return r->counters[i];
	T_STR("", name);
	return 0;
}

static void tells(uint32_t job_flags, bool pmem, uint64_t window, const char *want)
{
	struct rig r = rig_new(job_flags);

	pretend_pmem = pmem;
	r.conf.map_window = window;
	rig_open(&r, &pmem_engine);
	story(&r);
	T_STR(calls, want);
}

TEST(stores_and_drains_by_direct_and_sync)
{
	tells(0, true, 0, "tt|d|td|t|d");
	tells(FL_JOB_DIRECT, true, 0, "nn|d|nd|n|d");
	tells(FL_JOB_SYNC, true, 0, "tdtd|d|tdd|td|");
	tells(FL_JOB_DSYNC, true, 0, "tdtd|d|tdd|td|");
	tells(FL_JOB_DIRECT | FL_JOB_SYNC, true, 0, "ndnd|d|ndd|nd|");
}

TEST(counters_are_what_was_called)
{
	struct rig r = rig_new(FL_JOB_DIRECT);

	pretend_pmem = true;
	rig_open(&r, &pmem_engine);
	story(&r);
	T_EQ(counted(&r, "nontemporal_writes"), 4);
	T_EQ(counted(&r, "temporal_writes"), 0);
	T_EQ(counted(&r, "drains"), 3);
	T_EQ(counted(&r, "is_pmem"), 1);
	T_EQ(counted(&r, "msyncs"), 0);
	T_EQ(counted(&r, "mappings"), 1);
}

TEST(a_forced_write_is_drained_whatever_sync_says)
{
	struct rig r = rig_new(0);

	pretend_pmem = true;
	rig_open(&r, &pmem_engine);
	T_EQ(r.q.engine->file_open(&r.q, &r.f), 0);
	io(&r, FL_OP_WRITE, 0, FL_REQ_FUA);
	T_STR(calls, "td");
	T_EQ(last_flags, PMEM_F_MEM_TEMPORAL);
	io(&r, FL_OP_WRITE, 1, 0);
	T_EQ(last_flags, PMEM_F_MEM_TEMPORAL | PMEM_F_MEM_NODRAIN);
	T_EQ(r.q.engine->file_close(&r.q, &r.f), 0);
	T_STR(calls, "tdtd");
	r.q.engine->close(&r.q);
}

/* Nothing stored since the last drain: nothing to wait for at the close. */
TEST(a_close_after_a_sync_does_not_drain)
{
	struct rig r = rig_new(0);

	pretend_pmem = true;
	rig_open(&r, &pmem_engine);
	T_EQ(r.q.engine->file_open(&r.q, &r.f), 0);
	io(&r, FL_OP_WRITE, 0, 0);
	io(&r, FL_OP_SYNC, 0, 0);
	T_EQ(r.q.engine->file_close(&r.q, &r.f), 0);
	T_STR(calls, "td");
	T_EQ(r.q.engine->file_open(&r.q, &r.f), 0);
	io(&r, FL_OP_READ, 0, 0);
	T_EQ(r.q.engine->file_close(&r.q, &r.f), 0);
	T_STR(calls, "td");
	r.q.engine->close(&r.q);
}

TEST(what_is_no_persistent_memory_is_synced_instead)
{
	struct rig r = rig_new(0);

	pretend_pmem = false;
	rig_open(&r, &pmem_engine);
	story(&r);
	T_STR(calls, "cc||c|c|");		/* no flush, no drain */
	T_EQ(counted(&r, "msyncs"), 3);
	T_EQ(counted(&r, "is_pmem"), 0);
	T_EQ(counted(&r, "drains"), 0);

	r = rig_new(FL_JOB_SYNC | FL_JOB_DIRECT);
	rig_open(&r, &pmem_engine);
	story(&r);
	T_EQ(counted(&r, "msyncs"), 4 + 2);	/* each write, each sync */
}

/* A window is mapped by the engine itself; where the kernel knows no MAP_SYNC, it is not pmem. */
TEST(windows_follow_the_environment)
{
	setenv("PMEM_IS_PMEM_FORCE", "1", 1);
	tells(0, false, 2 * BLOCK, "tt|d|td|t|d");
	setenv("PMEM_IS_PMEM_FORCE", "0", 1);
	tells(0, true, 2 * BLOCK, "cc||c|c|");
	unsetenv("PMEM_IS_PMEM_FORCE");
}

/* ---- dev-dax, on memory that no device is behind --------------------------------------------- */

static const struct fl_engine *dax_on_memory(struct rig *r, struct fl_mapped *m, char *memory)
{
	rig_open(r, &dax_engine);
	m->w.f = &r->f;
	m->w.q = &r->q;
	m->w.kind = &m->kind;
	m->w.addr = memory;
	m->w.bytes = m->w.end = m->w.size = BLOCK * BLOCKS;
	r->f.priv = m;
	r->f.type = FL_FILE_CHAR;
	return r->q.engine;
}

static void dax_tells(uint32_t job_flags, const char *want)
{
	static char memory[BLOCK * BLOCKS];
	struct rig r = rig_new(job_flags);
	struct fl_mapped m = { .flags = 0 };
	const struct fl_engine *e = dax_on_memory(&r, &m, memory);

	memset(r.block, 7, BLOCK);
	io(&r, FL_OP_WRITE, 0, 0);
	io(&r, FL_OP_WRITE, BLOCKS - 1, 0);
	io(&r, FL_OP_READ, 3, 0);
	T_EQ(r.block[0], 0);
	called("|");
	io(&r, FL_OP_SYNC, 0, 0);
	io(&r, FL_OP_DATASYNC, 0, 0);
	called("|");
	io(&r, FL_OP_WRITE, 1, FL_REQ_FUA);
	T_STR(calls, want);
	T_EQ(memory[0], 7);
	T_EQ(memory[BLOCK * BLOCKS - 1], 7);
	T_EQ(counted(&r, "mappings"), 0);
	T_EQ(counted(&r, job_flags & FL_JOB_DIRECT ? "nontemporal_writes" : "temporal_writes"), 3);
	memset(memory, 0, sizeof(memory));
	e->close(&r.q);
}

TEST(device_dax_has_the_same_policy)
{
	dax_tells(0, "tt|dd|td");
	dax_tells(FL_JOB_DIRECT, "nn|dd|nd");
	dax_tells(FL_JOB_SYNC, "tdtd|dd|td");
	dax_tells(FL_JOB_DIRECT | FL_JOB_DSYNC, "ndnd|dd|nd");
}

TEST(device_dax_is_asked_of_sysfs)
{
	struct rig r = rig_new(0);
	uint64_t bytes;

	rig_open(&r, &dax_engine);
	T_EQ(dax_file_size(&r.q, &r.f, &bytes), -ENODEV);
	r.f.name = "/dev/null";
	T_EQ(dax_file_size(&r.q, &r.f, &bytes), -ENODEV);
	r.f.name = "nowhere";
	T_EQ(dax_file_size(&r.q, &r.f, &bytes), -ENOENT);
	T_EQ(r.q.engine->file_open(&r.q, &r.f), -ENOENT);
	r.q.engine->close(&r.q);
}

#else

TEST(stores_and_drains_by_direct_and_sync)
{
	SKIP("libpmem.h is not installed");
}

#endif
