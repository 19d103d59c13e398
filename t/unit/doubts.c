/* SPDX-License-Identifier: MIT */
/*
 * Every check of doubtful settings: what makes it speak up, and what lies just below that. Settings
 * are parsed from job files as users write them; machine, file systems and disks are made up.
 */
#include "core/doubts.h"
#include "os/slurp.h"
#include "t/test.h"

#include <stdlib.h>

#define MIB	(1ull << 20)
#define GIB	(1ull << 30)

/* A job with one file on a disk, in which all is well. */
struct stage {
	struct spec *spec;
	struct jobs jobs;
	struct diag *diag;
	struct plan_job plan[64];
	struct file_plan file;
	struct doubt_machine machine;
	struct doubt_facts facts;
	struct outlook outlook;
	struct doubt_case c;
};

static struct stage st;
static struct doubt found[32];
static size_t nr_found;

static void clear(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(st.plan); i++)
		names_free(&st.plan[i].files.names);
	jobs_free(&st.jobs);
	spec_free(st.spec);
	diag_free(st.diag);
	memset(&st, 0, sizeof(st));
}

static void set(const char *options)
{
	char text[1024];
	const struct jobs_forbidden nothing = { 0 };
	uint64_t steps = 100000;
	uint32_t n;

	clear();
	st.spec = spec_new();
	st.diag = diag_new(false);
	snprintf(text, sizeof(text), "[global]\nsize=64m\nfilename=x\n[a]\n%s\n", options);
	T_EQ(spec_read_text(st.spec, "t.ini", text, strlen(text), st.diag), 0);
	T_EQ(jobs_parse(&st.jobs, st.spec, &nothing, st.diag), 0);
	diag_print(st.diag, stderr);
	n = st.jobs.list[0].proc.numjobs;
	st.file = (struct file_plan){ .bytes = 64 * MIB, .size = 64 * MIB };
	st.file.have = 64 * MIB;
	for (uint32_t i = 0; i < n; i++) {
		st.plan[i] = (struct plan_job){ .job = &st.jobs.list[0], .clone = i, .number = i };
		st.plan[i].files.conf = &st.jobs.list[0].files;
		st.plan[i].files.nr = 1;
		st.plan[i].files.plan = &st.file;
		st.plan[i].files.bytes = st.file.bytes;
		names_init(&st.plan[i].files.names, &st.jobs.list[0].files.names, "a", i, true,
			   text, sizeof(text));
	}
	st.machine = (struct doubt_machine){ .cpus = 4, .memory_bytes = 16 * GIB,
					     .memory_free = 8 * GIB, .huge_bytes = 0,
					     .files_max = 1024 };
	st.facts = (struct doubt_facts){ .target = DOUBT_TARGET_FILES, .disk_known = true,
					 .exists = true, .have_bytes = 64 * MIB,
					 .direct_bytes = 512 };
	st.facts.sync = st.jobs.list[0].depth.depth == 1 ||
			!strcmp(st.jobs.list[0].engine->ops.name, "psync");
	snprintf(st.facts.name, sizeof(st.facts.name), "x");
	snprintf(st.facts.fs, sizeof(st.facts.fs), "ext4");
	snprintf(st.facts.disk.name, sizeof(st.facts.disk.name), "sdx");
	snprintf(st.facts.traits.scheduler, sizeof(st.facts.traits.scheduler), "mq-deadline");
	st.facts.traits.requests = 256;
	st.facts.traits.discards = true;
	st.facts.traits.size_bytes = 128 * MIB;
	outlook_make(&st.outlook, st.plan, n, st.facts.sync, &steps);
	st.c = (struct doubt_case){
		.machine = &st.machine, .section = &st.spec->sections[0], .job = &st.jobs.list[0],
		.clones = st.plan, .n = n, .planned = true, .facts = &st.facts,
		.outlook = &st.outlook,
	};
}

static void keep(void *ctx, const struct doubt *d)
{
	(void)ctx;
	T_TRUE(nr_found < ARRAY_SIZE(found));
	found[nr_found++] = *d;
	T_TRUE(d->text[0] && d->text[strlen(d->text) - 1] != '.');
	T_TRUE(strlen(d->text) < DOUBT_TEXT_BYTES - 1);
}

/* The doubt of this id; NULL. */
static const struct doubt *look(const char *id)
{
	nr_found = 0;
	doubts_find(&st.c, keep, NULL);
	for (size_t i = 0; i < nr_found; i++)
		if (!strcmp(found[i].id, id))
			return &found[i];
	return NULL;
}

static bool doubts(const char *id)
{
	return look(id) != NULL;
}

/* With these options it speaks up; with those it does not. */
static void both(const char *id, const char *with, const char *without)
{
	set(with);
	if (!doubts(id))
		printf("no doubt %s: %s\n", id, with);
	T_TRUE(doubts(id));
	set(without);
	if (doubts(id))
		printf("doubt %s (%s): %s\n", id, look(id)->text, without);
	T_TRUE(!doubts(id));
}

TEST(a_clean_job_has_none)
{
	static const char *const clean[] = {
		"rw=randread\ndirect=1",
		"rw=read\ndirect=1",
		"rw=read",
		"rw=randread\ndirect=1\nruntime=10\ntime_based",
		"rw=randrw\nrwmixread=70\ndirect=1\nbs=8k",
		"rw=read\ndirect=1\nbs=1m\nruntime=60\ntime_based\nramp_time=5",
	};

	for (size_t i = 0; i < ARRAY_SIZE(clean); i++) {
		set(clean[i]);
		st.facts.exists = false;
		look("");
		for (size_t k = 0; k < nr_found; k++)
			printf("%s: %s\n", found[k].id, found[k].text);
		T_EQ(nr_found, 0);
	}
}

TEST(options_without_effect)
{
	both("iodepth", "rw=randread\niodepth=8", "rw=randread\niodepth=1");
	both("iodepth", "rw=read\niodepth=8", "rw=read\niodepth=8\nioengine=null");
	both("batch", "rw=read\niodepth_batch=4", "rw=read\niodepth=8\niodepth_batch=4\n"
	     "ioengine=null");
	both("no-effect", "rw=randread\nrwmixread=70", "rw=randrw\nrwmixread=70");
	both("no-effect", "rw=read\nnorandommap", "rw=randread\nnorandommap");
	both("no-effect", "rw=read\nrandom_distribution=zipf:1.2",
	     "rw=randread\nrandom_distribution=zipf:1.2");
	both("no-effect", "rw=read\nbs=4k\nbssplit=4k/50:8k/50", "rw=read\nbssplit=4k/50:8k/50");
	both("no-effect", "rw=read\nbs=4k\nbsrange=4k-8k", "rw=read\nbsrange=4k-8k");
	both("no-effect", "rw=read\nfsync=1", "rw=write\nfsync=1");
	both("no-effect", "rw=read\nfsync=1", "rw=read\nfsync=0");
	both("no-effect", "rw=read\nend_fsync=1", "rw=write\nend_fsync=1");
	both("no-effect", "rw=read\noffset_increment=1m", "rw=read\noffset_increment=1m\nnumjobs=2");
	both("no-effect", "rw=read\nloops=3\nruntime=1\ntime_based", "rw=read\nloops=3");
	both("no-effect", "rw=write\nverify_fatal=1", "rw=write\nverify=crc32c\nverify_fatal=1");
	both("no-effect", "rw=write\nverify=crc32c\nzero_buffers", "rw=write\nzero_buffers");
	both("null", "rw=read\nioengine=null\nfilename=y", "rw=read\nfilename=y");
	set("rw=read");
	snprintf(st.facts.broken, sizeof(st.facts.broken), "no such system call");
	T_TRUE(doubts("engine"));
}

TEST(global_options_are_for_others_too)
{
	set("rw=read");
	settings_add(&st.spec->sections[0].global, "rwmixread", "70", NULL);
	T_TRUE(!doubts("no-effect"));
}

TEST(page_cache)
{
	both("cached", "rw=randread\ntime_based\nruntime=9", "rw=randread\ntime_based\nruntime=9\n"
	     "direct=1");
	both("cached", "rw=read\nloops=2", "rw=read\nloops=1");
	set("rw=read\nloops=2");
	st.outlook.file_bytes = 15 * GIB;
	T_TRUE(!doubts("cached"));
	both("unsynced", "rw=write", "rw=write\nend_fsync=1");
	both("unsynced", "rw=write", "rw=write\nfdatasync=4");
	both("unsynced", "rw=write", "rw=write\nsync=1");
	both("unsynced", "rw=write", "rw=write\ndirect=1");
	both("partial-pages", "rw=randwrite\nbs=512\nfsync=1", "rw=randwrite\nbs=8k\nfsync=1");
	both("mapped-direct", "rw=read\nioengine=mmap\ndirect=1", "rw=read\nioengine=mmap");
	both("synced-twice", "rw=write\nsync=1\nfsync=1", "rw=write\nsync=1");
	set("rw=read\ndirect=1");
	st.facts.memory = true;
	T_TRUE(doubts("memory"));
	T_EQ(look("memory")->grade, DOUBT_DOUBTFUL);
	set("rw=write");
	st.facts.memory = true;
	T_EQ(look("memory")->grade, DOUBT_NOTE);
	T_TRUE(!doubts("unsynced"));
	T_TRUE(!doubts("new-space"));
}

TEST(submission_that_waits)
{
	struct engine libaio;

	set("rw=read\nioengine=null\niodepth=4");
	libaio = *st.jobs.list[0].engine;
	libaio.ops.name = "libaio";
	T_TRUE(!doubts("buffered-libaio"));
	st.jobs.list[0].engine = &libaio;
	T_TRUE(doubts("buffered-libaio"));
	st.jobs.list[0].files.direct = 1;
	T_TRUE(!doubts("buffered-libaio"));
}

TEST(direct_io_needs_multiples)
{
	both("unaligned", "rw=read\ndirect=1\nbs=1000", "rw=read\ndirect=1\nbs=512");
	both("unaligned", "rw=read\ndirect=1\nbs=1000", "rw=read\nbs=1000");
	both("unaligned", "rw=read\ndirect=1\nbssplit=4k/50:700/50",
	     "rw=read\ndirect=1\nbssplit=4k/50:1k/50");
	both("unaligned", "rw=randread\ndirect=1\nbsrange=4k-8k\nbs_unaligned",
	     "rw=randread\ndirect=1\nbsrange=4k-8k");
	set("rw=read\ndirect=1\nbs=512");
	st.facts.direct_bytes = 4096;
	T_TRUE(doubts("unaligned"));
	set("rw=read\ndirect=1");
	st.file.start = 100;
	T_TRUE(doubts("unaligned"));
	st.file.start = 0;
	st.facts.direct_refused = true;
	T_TRUE(doubts("direct-refused"));
}

TEST(what_lies_below)
{
	set("rw=write\ndirect=1");
	st.facts.traits.read_only = true;
	T_TRUE(doubts("read-only"));
	T_TRUE(doubts("overwritten"));
	st.facts.exists = false;
	T_TRUE(!doubts("overwritten"));
	set("rw=read\nunlink=1");
	T_TRUE(doubts("removed"));
	set("rw=trim");
	st.facts.target = DOUBT_TARGET_DISK;
	T_TRUE(!doubts("no-trim"));
	st.facts.traits.discards = false;
	T_TRUE(doubts("no-trim"));
	set("rw=randread\ndirect=1\nioengine=null\niodepth=128\nnumjobs=2");
	T_TRUE(!doubts("queue"));
	st.facts.traits.requests = 255;
	T_TRUE(doubts("queue"));
	set("rw=randread\ndirect=1");
	st.facts.target = DOUBT_TARGET_DISK;
	T_TRUE(!doubts("part"));
	st.facts.traits.size_bytes = 64 * GIB;
	T_TRUE(doubts("part"));
	set("rw=randwrite\ndirect=1");
	st.file.layout = FILES_ALLOCATE;
	T_TRUE(doubts("new-space"));
	st.file.layout = FILES_KEEP;
	T_TRUE(!doubts("new-space"));
	both("compressible", "rw=write\nzero_buffers\ndirect=1", "rw=write\ndirect=1");
	set("rw=write\nbuffer_pattern=0xabcd\ndirect=1\nscramble_buffers=0");
	T_TRUE(!doubts("compressible"));
	snprintf(st.facts.compresses, sizeof(st.facts.compresses), "btrfs (compress=zstd:3)");
	T_EQ(look("compressible")->grade, DOUBT_DOUBTFUL);
	set("rw=read\nprio=3");
	T_TRUE(!doubts("priority"));
	snprintf(st.facts.traits.scheduler, sizeof(st.facts.traits.scheduler), "none");
	T_TRUE(doubts("priority"));
	set("rw=read\nsize=64m\nbs=4k");
	st.file.bytes = 64 * MIB + 100;
	T_TRUE(doubts("rest"));
}

TEST(time)
{
	both("short", "rw=read\nruntime=10", "rw=read\nruntime=10\ntime_based");
	both("short", "rw=read\nruntime=10", "rw=read\nruntime=1");
	/* a hard disk needs minutes for them */
	both("short", "rw=randread\nruntime=10m", "rw=randread\nruntime=2m");
	both("ramp", "rw=read\nramp_time=10", "rw=read\nramp_time=10\nruntime=9\ntime_based");
	both("number-ios", "rw=read\nnumber_ios=9\nruntime=9\ntime_based", "rw=read\nnumber_ios=9");
	/* pauses make it last */
	both("short", "rw=read\nbs=1m\nruntime=3", "rw=read\nbs=1m\nruntime=3\nthinktime=1s");
}

TEST(pace)
{
	both("bursts", "rw=read\nrate=1m\nthinktime=1ms",
	     "rw=read\nrate=1m\nthinktime=1ms\nrate_ignore_thinktime=1");
	both("rate-unused", "rw=read\nrate=,1m", "rw=write\nrate=,1m");
	both("no-depth", "rw=read\nlatency_target=1ms\nlatency_window=1s\nruntime=9\ntime_based",
	     "rw=read\nruntime=9\ntime_based");
	both("never-steady", "rw=read\nsteadystate=iops:5%\nsteadystate_duration=20\nruntime=9\n"
	     "time_based", "rw=read\nsteadystate=iops:5%\nsteadystate_duration=20\nruntime=90\n"
	     "time_based");
	/* a rate makes it last */
	both("short", "rw=read\nruntime=60", "rw=read\nruntime=60\nrate=1m");
}

TEST(clones)
{
	both("same-way", "rw=read\nnumjobs=4", "rw=read\nnumjobs=4\noffset_increment=16m");
	both("same-way", "rw=read\nnumjobs=4", "rw=randread\nnumjobs=4");
	both("crowd", "rw=read\nthinktime=9\nthinktime_spin=9\nnumjobs=5",
	     "rw=read\nthinktime=9\nthinktime_spin=9\nnumjobs=4");
}

TEST(verifying)
{
	both("unverified", "rw=write\nverify=null", "rw=write\nverify=md5");
	both("unverified", "rw=write\nverify=md5\ndo_verify=0", "rw=write\nverify=md5");
	both("unverified", "rw=write\nverify=md5\nioengine=null", "rw=read\nverify=md5");
	both("verify-cached", "rw=write\nverify=md5", "rw=write\nverify=md5\ndirect=1");
	both("serial", "rw=randwrite\nverify=md5\nnorandommap\nioengine=null\niodepth=4",
	     "rw=randwrite\nverify=md5\nioengine=null\niodepth=4");
}

TEST(memory_and_descriptors)
{
	set("rw=read\nioengine=null\niodepth=1024\nbs=1m\ndirect=1");
	T_TRUE(!doubts("no-memory"));
	st.machine.memory_free = GIB;
	T_TRUE(doubts("no-memory"));
	set("rw=read\niomem=mmaphuge");
	T_TRUE(doubts("huge-pages"));
	st.machine.huge_bytes = 2 * MIB;
	T_TRUE(!doubts("huge-pages"));
	set("rw=read\nwrite_lat_log=l\nruntime=100\ntime_based\ndirect=1");
	T_TRUE(doubts("log"));
	set("rw=read\nwrite_lat_log=l\nlog_avg_msec=100\nruntime=100\ntime_based\ndirect=1");
	T_TRUE(!doubts("log"));
	set("rw=read");
	st.plan[0].files.nr = 2000;
	T_TRUE(doubts("descriptors"));
	st.plan[0].files.nr = 1;
}

TEST(each_is_in_the_manual)
{
	const char *src = getenv("SRCDIR");
	const struct doubt_check *c;
	char path[512], *text, mark[64];
	size_t len;

	snprintf(path, sizeof(path), "%s/doc/explain.md", src ? src : ".");
	if (slurp_file(path, 1 << 20, &text, &len))
		SKIP("doc/explain.md is not at hand");
	for (size_t i = 0; (c = doubts_check_at(i)); i++) {
		snprintf(mark, sizeof(mark), "\n| `%s` | ", c->id);
		if (!strstr(text, mark))
			printf("# %s\n", c->id);
		T_TRUE(strstr(text, mark));
	}
	free(text);
}

TEST(nothing_is_doubted_where_nothing_is_done)
{
	set("rw=write\ncreate_only=1\niodepth=4");
	look("");
	T_EQ(nr_found, 0);
	clear();
}
