/* SPDX-License-Identifier: MIT */
/*
 * Every check on made-up evidence: what makes it speak up, and what lies just below that. This is
 * where heat, steal, dear clocks, small files and volumes that compress are staged.
 */
#include "core/trust_checks.h"
#include "os/slurp.h"
#include "t/test.h"

#include <stdlib.h>

#define MIB	(1ull << 20)
#define SECOND	1000000000ull

/* A run of one job on a disk, in which all is well. */
struct stage {
	struct engine engine;
	struct job job;
	struct plan_job plan;
	struct file_plan file;
	struct worker_block block;
	struct trust_facts facts;
	struct trust_case c;
	struct trust_scene scene;
	struct trust t;
};

static struct stage st;

/* Latencies are what the depth and the samples are judged by. */
static void add_ios(int dir, uint64_t n, uint64_t bytes, uint64_t clat_ns)
{
	struct dir_stats *d = &st.block.dir[dir];

	d->ios += n;
	d->done_ios += n;
	d->bytes += n * bytes;
	d->clat.bins[hist_index(clat_ns)] += n;
	d->clat.m.sum += n * clat_ns;
}

static void set(void)
{
	trust_done(&st.t);
	memset(&st, 0, sizeof(st));
	st.engine.ops.name = "psync";
	st.job.engine = &st.engine;
	st.job.name = st.job.section = "a";
	st.job.files.direct = 1;
	st.job.files.invalidate = 1;
	st.job.depth.depth = 1;
	st.job.workload.rw.bits = RW_READ | RW_RANDOM;
	st.job.measure.clat_percentiles = 1;
	st.job.measure.stats = 1;
	st.job.measure.list.v[0] = 99;
	st.job.measure.list.count = 1;
	st.file = (struct file_plan){ .bytes = 1024 * MIB, .size = 1024 * MIB };
	st.plan = (struct plan_job){ .job = &st.job };
	st.plan.files.conf = &st.job.files;
	st.plan.files.nr = 1;
	st.plan.files.plan = &st.file;
	st.plan.files.bytes = 1024 * MIB;
	st.block.is_sync = 1;
	st.block.usage_known = 1;
	st.block.storage_known = 1;
	st.block.start_ns = 1;
	st.facts.target = TRUST_TARGET_DISK;
	st.facts.stat_known = true;
	st.facts.window_ns = 10 * SECOND;
	snprintf(st.facts.fs, sizeof(st.facts.fs), "ext4");
	snprintf(st.scene.disks[0].disk.name, sizeof(st.scene.disks[0].disk.name), "sdx");
	st.scene.disks[0].stat_known = true;
	st.scene.disks[0].region_bytes = 1024 * MIB;
	memset(&st.scene.disks[0].bounds, 0xff, sizeof(st.scene.disks[0].bounds));
	st.scene.nr_disks = 1;
	st.scene.run_ns = 10 * SECOND;
	st.scene.clock_name = "tsc";
	st.scene.clock_cost_ns = 20;
	st.scene.clock = (struct machine_clock){ "tsc", true, true };
	st.scene.load_before = (struct machine_load){ true, 100, 10000, true, 7 };
	st.scene.load_after = (struct machine_load){ true, 100, 12000, true, 7 };
	st.scene.cpu_before.known = st.scene.cpu_after.known = true;
	st.c = (struct trust_case){
		.plan = &st.plan, .block = &st.block, .facts = &st.facts, .run_ns = 10 * SECOND,
	};
	st.scene.cases = &st.c;
	st.scene.count = 1;
}

/* It read so much, all of it from the disk. */
static void read_all(uint64_t mib)
{
	add_ios(DIR_READ, mib * 256, 4096, 100000);
	st.block.read_bytes = mib * MIB;
	st.facts.stat_during.read_sectors = mib * 2048;
	st.scene.disks[0].during.read_sectors = mib * 2048;
	st.scene.usage.io_known = true;
	st.scene.usage.io_read_bytes = mib * MIB;
}

static void wrote_all(uint64_t mib)
{
	st.job.workload.rw.bits = RW_WRITE | RW_RANDOM;
	add_ios(DIR_WRITE, mib * 256, 4096, 100000);
	st.block.write_bytes = mib * MIB;
	st.facts.stat_during.write_sectors = mib * 2048;
	st.scene.disks[0].during.write_sectors = mib * 2048;
	st.scene.usage.io_known = true;
	st.scene.usage.io_write_bytes = mib * MIB;
}

/* The ids of what is found, with the severity: "dirty:2 samples:0". */
static const char *found(void)
{
	static char text[512];
	size_t n = 0;

	trust_done(&st.t);
	text[0] = '\0';
	trust_check_all(&st.scene, &st.t);
	for (size_t i = 0; i < st.t.count; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s:%d", i ? " " : "",
				      st.t.list[i].id, st.t.list[i].severity);
	return text;
}

static double number(const char *name)
{
	for (unsigned i = 0; i < st.t.list[0].nr_numbers; i++)
		if (!strcmp(st.t.list[0].numbers[i].name, name))
			return st.t.list[0].numbers[i].value;
	return -1;
}

TEST(all_is_well)
{
	set();
	T_STR(found(), "");
	read_all(100);
	T_STR(found(), "");
	set();
	wrote_all(100);
	T_STR(found(), "");
}

TEST(every_check_has_an_id_of_its_own_and_a_judge)
{
	const struct trust_check *a, *b;
	size_t n = 0;

	for (; (a = trust_check_at(n)); n++) {
		T_TRUE(!a->of_job != !a->of_run);
		T_TRUE(a->fix);
		for (size_t k = 0; k < n; k++) {
			b = trust_check_at(k);
			T_TRUE(strcmp(a->id, b->id));
		}
	}
	T_TRUE(n >= 19);
}

/* The manual has a paragraph about each. */
TEST(every_check_is_explained)
{
	const struct trust_check *c;
	const char *src = getenv("SRCDIR");
	char path[512], *text, mark[64];
	size_t len;

	snprintf(path, sizeof(path), "%s/doc/trust.md", src ? src : ".");
	if (slurp_file(path, 1 << 20, &text, &len))
		SKIP("doc/trust.md is not at hand");
	for (size_t i = 0; (c = trust_check_at(i)); i++) {
		snprintf(mark, sizeof(mark), "\n**`%s`** - ", c->id);
		if (!strstr(text, mark))
			printf("# %s\n", c->id);
		T_TRUE(strstr(text, mark));
	}
	free(text);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The last parts of the target are empty. */
static void empty(enum trust_emptiness kind, unsigned parts)
{
	st.facts.empty_before.known = true;
	st.facts.empty_before.kind = kind;
	for (unsigned i = 0; i < TRUST_PARTS; i++) {
		st.facts.empty_before.seen[i] = 100;
		st.facts.empty_before.empty[i] = i >= TRUST_PARTS - parts ? 100 : 0;
	}
}

TEST(unwritten)
{
	set();
	st.facts.target = TRUST_TARGET_FILES;
	read_all(100);
	st.block.read_bytes = 0;
	st.facts.stat_during.read_sectors = 0;
	empty(TRUST_EMPTY_UNWRITTEN, TRUST_PARTS);
	T_STR(found(), "unwritten:2");
	T_STR(st.t.list[0].text, "100% of the reads hit unwritten extents");
	T_STR(st.t.list[0].fix, "overwrite=1");
	T_NEAR(number("reads_percent"), 100, 0.01);
	set();
	st.facts.target = TRUST_TARGET_FILES;
	read_all(100);
	empty(TRUST_EMPTY_UNWRITTEN, 1);
	T_STR(found(), "unwritten:1");
	T_NEAR(number("reads_percent"), 100.0 / TRUST_PARTS, 0.01);
	empty(TRUST_EMPTY_UNWRITTEN, 0);
	T_STR(found(), "");
}

/* Sequential reads of less than the whole met only what is in front. */
TEST(unwritten_by_what_was_read)
{
	set();
	st.facts.target = TRUST_TARGET_FILES;
	st.job.workload.rw.bits = RW_READ;
	read_all(512);
	empty(TRUST_EMPTY_UNWRITTEN, TRUST_PARTS / 2);
	T_STR(found(), "");
	add_ios(DIR_READ, 512 * 256, 4096, 100000);
	st.block.read_bytes = 512 * MIB;
	T_STR(found(), "unwritten:2");
	T_NEAR(number("reads_percent"), 50, 0.01);
}

/* A ramp read the first half, and what counts met the other one. */
TEST(unwritten_behind_a_ramp)
{
	set();
	st.facts.target = TRUST_TARGET_FILES;
	st.job.workload.rw.bits = RW_READ;
	st.job.pace.ramp_ns = SECOND;
	read_all(512);
	st.block.bytes_all = 1024 * MIB;
	empty(TRUST_EMPTY_UNWRITTEN, TRUST_PARTS / 2);
	T_STR(found(), "unwritten:2");
	st.job.measure.stats = 0;
	T_STR(found(), "");
}

/* What was empty at first and is written at the end was half empty. */
TEST(unwritten_while_somebody_writes)
{
	set();
	st.facts.target = TRUST_TARGET_FILES;
	read_all(100);
	st.facts.empty_after = st.facts.empty_before;
	empty(TRUST_EMPTY_UNWRITTEN, TRUST_PARTS);
	st.facts.empty_after = st.facts.empty_before;
	memset(st.facts.empty_after.empty, 0, sizeof(st.facts.empty_after.empty));
	T_STR(found(), "unwritten:2");
	T_NEAR(number("reads_percent"), 50, 0.01);
}

TEST(trimmed)
{
	struct disktraits *t = &st.scene.disks[0].traits;

	set();
	read_all(100);
	empty(TRUST_EMPTY_BACKING, TRUST_PARTS);
	st.block.read_bytes = 0;
	T_STR(found(), "trimmed:2");
	set();
	read_all(100);
	empty(TRUST_EMPTY_ZERO, TRUST_PARTS);
	t->rotational = true;
	T_STR(found(), "");
	t->discards = true;
	T_STR(found(), "trimmed:1");
	t->rotational = t->discards = false;
	T_STR(found(), "trimmed:1");
	snprintf(t->compresses, sizeof(t->compresses), "zram (lzo)");
	T_STR(found(), "trimmed:2");
	empty(TRUST_EMPTY_ZERO, 0);
	T_STR(found(), "");
}

static void pages(struct trust_pages *p, uint64_t cached_mib, uint64_t dirty_mib)
{
	*p = (struct trust_pages){ true, cached_mib * MIB, true, dirty_mib * MIB };
}

TEST(dirty)
{
	set();
	wrote_all(100);
	st.facts.target = TRUST_TARGET_FILES;
	st.job.files.direct = 0;
	st.facts.stat_during.write_sectors = 0;
	pages(&st.facts.pages_after, 100, 100);
	T_STR(found(), "dirty:2");
	T_EQ((uint64_t)number("dirty_bytes"), 100 * MIB);
	T_EQ((uint64_t)number("device_sectors"), 0u);
	st.facts.stat_during.write_sectors = 80 * 2048;
	pages(&st.facts.pages_after, 100, 20);
	T_STR(found(), "dirty:1");
	T_NEAR(number("missing_percent"), 20, 0.01);
	st.facts.stat_during.write_sectors = 97 * 2048;
	pages(&st.facts.pages_after, 100, 3);
	T_STR(found(), "");
	st.job.files.sync = FILES_SYNC_SYNC;
	pages(&st.facts.pages_after, 100, 100);
	T_STR(found(), "");
	st.job.files.sync = FILES_SYNC_NONE;
	st.facts.memory = true;
	T_STR(found(), "memory:0");
}

/* Written four times over, and only the last time is still there. */
TEST(dirty_pages_that_were_written_again)
{
	set();
	st.plan.files.bytes = st.file.bytes = 25 * MIB;
	wrote_all(100);
	st.facts.target = TRUST_TARGET_FILES;
	st.job.files.direct = 0;
	st.facts.stat_during.write_sectors = 0;
	pages(&st.facts.pages_after, 25, 25);
	T_STR(found(), "dirty:2");
	T_NEAR(number("missing_percent"), 100, 0.01);
}

TEST(dirty_and_gone)
{
	set();
	wrote_all(100);
	st.facts.target = TRUST_TARGET_FILES;
	st.job.files.direct = 0;
	st.facts.stat_during.write_sectors = 10 * 2048;
	T_STR(found(), "dirty:2");
	st.block.sync_ios = 3;
	T_STR(found(), "");
	st.block.sync_ios = 0;
	st.facts.stat_during.write_sectors = 60 * 2048;
	T_STR(found(), "");
}

/* ---- Caches ---------------------------------------------------------------------------------- */

TEST(direct_from_elsewhere)
{
	set();
	read_all(100);
	st.block.read_bytes = 10 * MIB;
	st.facts.stat_during.read_sectors = 10 * 2048;
	st.scene.disks[0].during.read_sectors = 10 * 2048;
	T_STR(found(), "direct:2");
	st.scene.disks[0].traits.dax = true;
	T_STR(found(), "");
	st.scene.disks[0].traits.dax = false;
	st.facts.stat_during.read_sectors = 100 * 2048;
	T_STR(found(), "");
	set();
	wrote_all(100);
	st.facts.stat_during.write_sectors = 10 * 2048;
	T_STR(found(), "direct:2");
	st.facts.memory = true;
	snprintf(st.facts.fs, sizeof(st.facts.fs), "tmpfs");
	T_STR(found(), "direct:2");
	T_STR(st.t.list[0].text, "direct=1, but tmpfs is memory: no device was asked");
}

TEST(direct_that_fills_the_cache)
{
	set();
	st.facts.target = TRUST_TARGET_FILES;
	read_all(100);
	pages(&st.facts.pages_before, 0, 0);
	pages(&st.facts.pages_after, 100, 0);
	T_STR(found(), "direct:2");
	pages(&st.facts.pages_before, 60, 0);
	T_STR(found(), "");
	st.facts.pages_before.known = false;
	T_STR(found(), "");
}

TEST(direct_over_a_loop_device)
{
	struct disktraits *t = &st.scene.disks[0].traits;

	set();
	read_all(100);
	snprintf(t->backing, sizeof(t->backing), "/a/file");
	T_STR(found(), "");
	t->backing_cached = true;
	T_STR(found(), "direct:1");
	st.facts.below_known = true;
	st.facts.below_during.read_sectors = 100 * 2048;
	T_STR(found(), "direct:1");
	st.facts.below_during.read_sectors = 5 * 2048;
	T_STR(found(), "direct:2");
	T_NEAR(number("memory_percent"), 95, 0.01);
	T_STR(st.t.list[0].fix, "losetup --direct-io=on");
}

static void buffered(uint64_t from_storage_mib)
{
	st.facts.target = TRUST_TARGET_FILES;
	st.job.files.direct = 0;
	st.job.workload.rw.bits = RW_READ;
	st.block.read_bytes = from_storage_mib * MIB;
	st.facts.stat_during.read_sectors = from_storage_mib * 2048;
}

TEST(cache_hits)
{
	struct setting s = { .name = (char *)"invalidate", .value = (char *)"1" };

	set();
	read_all(100);
	buffered(100);
	T_STR(found(), "");
	buffered(95);
	T_STR(found(), "");
	buffered(40);
	T_STR(found(), "cache-hits:1");
	T_NEAR(number("hits_percent"), 60, 0.01);
	st.job.echo = (struct settings){ &s, 1 };
	T_STR(found(), "cache-hits:2");
	buffered(80);
	T_STR(found(), "cache-hits:1");
	st.job.pace.ramp_ns = SECOND;
	T_STR(found(), "");
	st.job.pace.ramp_ns = 0;
	st.job.files.invalidate = 0;
	T_STR(found(), "");
	st.job.files.invalidate = st.job.files.pre_read = 1;
	T_STR(found(), "");
	st.job.files.pre_read = 0;
	st.block.storage_known = 0;
	T_STR(found(), "");
}

TEST(cache_hits_by_reading_again)
{
	set();
	st.plan.files.bytes = st.file.bytes = 25 * MIB;
	read_all(100);
	buffered(25);
	T_STR(found(), "cache-hits:1");
	T_NEAR(number("hits_percent"), 75, 0.01);
	buffered(90);
	T_STR(found(), "");
}

/* Unwritten extents are answered from memory, too, but that has a name of its own. */
TEST(holes_are_no_cache_hits)
{
	set();
	read_all(100);
	buffered(50);
	st.plan.files.bytes = st.file.bytes = 100 * MIB;
	empty(TRUST_EMPTY_UNWRITTEN, TRUST_PARTS / 2);
	T_STR(found(), "unwritten:2");
}

/* ---- Devices --------------------------------------------------------------------------------- */

TEST(small_file)
{
	struct trust_disk *d = &st.scene.disks[0];

	set();
	read_all(100);
	d->region_bytes = 100 * MIB;
	d->traits.cache_bytes = 128 * MIB;
	T_STR(found(), "small-file:1");
	d->traits.cache_bytes = 64 * MIB;
	T_STR(found(), "");
	d->traits.rotational = true;
	T_STR(found(), "small-file:0");
	d->traits.rotational = false;
	d->traits.size_bytes = 1024ull * 1024 * MIB;
	T_STR(found(), "small-file:0");
	T_EQ((uint64_t)number("typical_cache_bytes"), 1024 * MIB);
	snprintf(d->disk.name, sizeof(d->disk.name), "vdx");
	T_STR(found(), "");
}

TEST(compressible)
{
	struct trust_disk *d = &st.scene.disks[0];

	set();
	wrote_all(100);
	st.job.buffer.zero = 1;
	T_STR(found(), "");
	snprintf(d->traits.compresses, sizeof(d->traits.compresses), "VDO");
	T_STR(found(), "compressible:2");
	st.job.buffer.zero = 0;
	T_STR(found(), "");
	d->traits.dedups = true;
	T_STR(found(), "compressible:2");
	st.job.buffer.scramble = 1;
	T_STR(found(), "");
	st.job.buffer.scramble = 0;
	st.job.buffer.refill = 1;
	T_STR(found(), "");
	d->traits.compresses[0] = '\0';
	st.job.buffer.zero = 1;
	snprintf(st.facts.compresses, sizeof(st.facts.compresses), "btrfs (compress=zstd:3)");
	T_STR(found(), "compressible:2");
}

TEST(compressible_by_the_device_s_account)
{
	struct trust_disk *d = &st.scene.disks[0];

	set();
	wrote_all(100);
	snprintf(d->traits.compresses, sizeof(d->traits.compresses), "zram (zstd)");
	d->packing_known = true;
	d->packing_before = (struct disktraits_packing){ 1000 * MIB, 10 * MIB };
	d->packing = (struct disktraits_packing){ 1100 * MIB, 110 * MIB };
	T_STR(found(), "");
	d->packing.kept_bytes = 70 * MIB;
	T_STR(found(), "compressible:1");
	d->packing.kept_bytes = 20 * MIB;
	T_STR(found(), "compressible:2");
	T_NEAR(number("packed_percent"), 10, 0.01);
	d->packing = d->packing_before;		/* replaced, and a small part of all */
	T_STR(found(), "");
}

TEST(foreign_io)
{
	struct disk_stat *during = &st.scene.disks[0].during;

	set();
	read_all(100);
	during->read_sectors += 9 * 2048;
	T_STR(found(), "");
	during->read_sectors += 20 * 2048;
	T_STR(found(), "foreign-io:1");
	T_EQ((uint64_t)number("foreign_read_bytes"), 29 * MIB);
	st.scene.parts_known = true;
	st.scene.parts_during.read_sectors = 150 * 2048;
	T_STR(found(), "foreign-io:1");
	T_EQ((uint64_t)number("foreign_read_bytes"), 50 * MIB);
	st.scene.stacked = true;
	T_STR(found(), "");
	st.scene.stacked = false;
	st.scene.usage.io_known = false;
	T_STR(found(), "");
	set();
	read_all(100);
	during->write_sectors = 50 * 2048;
	T_STR(found(), "foreign-io:1");
}

/* A file system writes more than its files: a journal, and for each fsync. */
TEST(what_a_file_system_writes_is_not_foreign)
{
	struct disk_stat *during = &st.scene.disks[0].during;

	set();
	wrote_all(100);
	st.facts.target = TRUST_TARGET_FILES;
	during->write_sectors = 140 * 2048;
	T_STR(found(), "");
	during->write_sectors = 300 * 2048;
	T_STR(found(), "foreign-io:1");
	st.block.sync_ios = 16 * 256;
	T_STR(found(), "");
}

TEST(io_bound)
{
	struct throttle_io *b = &st.scene.disks[0].bounds;

	set();
	read_all(100);
	b->read_bytes = 20 * MIB;
	T_STR(found(), "");
	b->read_bytes = 10 * MIB;
	T_STR(found(), "io-bound:1");
	b->read_bytes = UINT64_MAX;
	b->write_ios = 10;
	T_STR(found(), "");
	st.facts.stat_during.writes = 99;
	T_STR(found(), "io-bound:1");
	T_STR(st.t.list[0].text, "a control group bounds writes of sdx to 10 IOPS, and that was "
	      "reached");
}

/* ---- Load ------------------------------------------------------------------------------------ */

TEST(failed)
{
	set();
	read_all(100);
	st.block.errors = 3;
	snprintf(st.block.error_text, sizeof(st.block.error_text), "file x: read: I/O error");
	T_STR(found(), "failed:1");
	st.block.fatal = 1;
	T_STR(found(), "failed:2");
	set();		/* before it has read anything */
	st.c.run_ns = 0;
	st.block.fatal = 1;
	T_STR(found(), "failed:2");
}

TEST(cpu_bound)
{
	set();
	read_all(100);
	st.block.usr_us = 1000000;
	st.block.sys_us = 8300000;
	T_STR(found(), "");
	st.block.wait_us = 300000;
	T_STR(found(), "cpu-bound:1");
	T_NEAR(number("cpu_percent"), 93, 0.01);
	T_NEAR(number("waited_percent"), 3, 0.01);
	st.block.sys_us = 3000000;
	st.block.wait_us = 6000000;
	T_STR(found(), "cpu-bound:1");
	st.block.wait_us = 0;
	st.block.sys_us = 8600000;
	T_STR(found(), "cpu-bound:1");
	st.facts.target = TRUST_TARGET_NONE;
	T_STR(found(), "");
	st.facts.target = TRUST_TARGET_FILES;
	st.c.run_ns = SECOND / 100;
	T_STR(found(), "samples:0");
}

TEST(cpu_wait)
{
	set();
	read_all(100);
	st.block.sys_us = 1000000;
	st.block.wait_us = 1900000;
	T_STR(found(), "");
	st.block.wait_us = 2100000;
	T_STR(found(), "cpu-wait:1");
	st.block.wait_us = 8900000;
	st.block.sys_us = 900000;
	T_STR(found(), "cpu-wait:1");
	st.block.sys_us = 7000000;
	st.block.wait_us = 2900000;
	T_STR(found(), "cpu-bound:1");
}

/* What is mapped without a copy in between is never asked of anybody. */
TEST(dax)
{
	set();
	wrote_all(100);
	st.scene.disks[0].traits.dax = true;
	st.block.usr_us = 9900000;
	st.facts.stat_during.write_sectors = 0;
	T_STR(found(), "");
	st.job.files.direct = 0;
	st.facts.target = TRUST_TARGET_FILES;
	T_STR(found(), "");
}

/* Who copies from memory is busy, and who spins means to be. */
TEST(cpu_bound_by_choice)
{
	struct setting s = { .name = (char *)"hipri" };

	set();
	read_all(100);
	st.block.sys_us = 9900000;
	st.job.echo = (struct settings){ &s, 1 };
	T_STR(found(), "");
	st.job.echo.count = 0;
	buffered(10);
	st.job.files.invalidate = 0;
	T_STR(found(), "");
}

TEST(depth)
{
	set();
	read_all(100);
	st.job.depth.depth = 32;
	T_STR(found(), "iodepth:1");
	st.block.is_sync = 0;
	/* 25,600 I/Os of 100 us in 10 s: a quarter in flight on average */
	T_STR(found(), "iodepth:1");
	T_NEAR(number("mean_depth"), 0.256, 0.001);
	st.job.pace.think_ns = 1000;
	T_STR(found(), "");
	st.job.pace.think_ns = 0;
	st.block.dir[DIR_READ].clat.m.sum *= 100;
	T_STR(found(), "");
	st.job.files.direct = 0;
	st.job.files.invalidate = 0;
	st.block.dir[DIR_READ].slat.m.sum = 9 * SECOND;
	T_STR(found(), "iodepth:1");
	T_NEAR(number("submitting_percent"), 90, 0.01);
	st.facts.target = TRUST_TARGET_NONE;
	T_STR(found(), "");
}

TEST(rate)
{
	set();
	read_all(100);	/* 2560 IOPS, 10 MiB/s */
	st.facts.asked[DIR_READ].ios = 2600;
	T_STR(found(), "");
	st.facts.asked[DIR_READ].ios = 2800;
	T_STR(found(), "rate:1");
	T_STR(st.t.list[0].text, "2800 IOPS were asked for, 2560 were reached");
	st.facts.asked[DIR_READ] = (struct trust_rate){ 0, 10 * MIB };
	T_STR(found(), "");
	st.facts.asked[DIR_READ].bytes = 20 * MIB;
	T_STR(found(), "rate:1");
	T_NEAR(number("reached_percent"), 50, 0.01);
	st.c.run_ns = SECOND / 10;
	T_STR(found(), "");
}

TEST(samples)
{
	set();
	add_ios(DIR_READ, 500, 4096, 1000);
	st.block.read_bytes = 500 * 4096;
	st.facts.stat_during.read_sectors = 500 * 8;
	T_STR(found(), "");
	st.job.measure.list.v[0] = 99.99;
	T_STR(found(), "samples:0");
	T_EQ((uint64_t)number("samples"), 500u);
	st.job.measure.list.v[0] = 1;
	T_STR(found(), "");
	set();
	add_ios(DIR_READ, 20, 4096, 1000);
	st.block.read_bytes = 20 * 4096;
	st.job.measure.list.v[0] = 90;
	T_STR(found(), "samples:1");
	st.job.measure.list.v[0] = 50;
	T_STR(found(), "");
	st.c.run_ns = SECOND / 20;
	T_STR(found(), "samples:0");
	st.job.measure.clat_percentiles = 0;
	T_STR(found(), "");
}

static struct trust_drift drift_at(const uint64_t *rates, size_t n, uint64_t step_ns)
{
	static uint64_t at[512], count[512];

	at[0] = 5;
	count[0] = 7;
	for (size_t i = 0; i < n; i++) {
		at[i + 1] = at[i] + step_ns;
		count[i + 1] = count[i] + rates[i];
	}
	return trust_drift_of(at, count, n + 1);
}

TEST(drift)
{
	uint64_t rates[120];

	set();
	read_all(100);
	for (size_t i = 0; i < 120; i++)
		rates[i] = 1000 + i % 7;
	st.c.drift = drift_at(rates, 120, SECOND / 10);
	T_TRUE(st.c.drift.known);
	T_STR(found(), "");
	for (size_t i = 80; i < 120; i++)
		rates[i] = 700 + i % 7;
	st.c.drift = drift_at(rates, 120, SECOND / 10);
	T_NEAR(st.c.drift.first, 10030, 10);
	T_NEAR(st.c.drift.last, 7030, 10);
	T_STR(found(), "drift:1");
	T_NEAR(number("drift_percent"), -29.9, 0.2);
	T_TRUE(!drift_at(rates, 50, SECOND / 10).known);
	T_TRUE(!drift_at(rates, 6, SECOND).known);
	T_TRUE(drift_at(rates, 9, SECOND).known);
}

/* Rates that differ as much from second to second as from third to third have no trend. */
TEST(noise_is_no_drift)
{
	uint64_t rates[120], draw = 1;

	set();
	read_all(100);
	for (size_t i = 0; i < 120; i++) {
		draw = draw * 6364136223846793005ull + 1442695040888963407ull;
		rates[i] = draw >> 63 ? 5000 : i < 40 ? 10 : 900;
	}
	st.c.drift = drift_at(rates, 120, SECOND / 10);
	T_TRUE(st.c.drift.known);
	T_STR(found(), "");
}

/* ---- The machine ----------------------------------------------------------------------------- */

TEST(steal)
{
	set();
	st.scene.load_after.steal_ticks = 130;
	T_STR(found(), "");
	st.scene.load_after.steal_ticks = 150;
	T_STR(found(), "steal:1");
	T_NEAR(number("steal_percent"), 2.5, 0.01);
	T_EQ(st.t.list[0].job, TRUST_RUN);
	st.scene.load_before.cpu_known = false;
	T_STR(found(), "");
}

TEST(throttled)
{
	set();
	st.scene.cpu_after.throttled = 2;
	st.scene.cpu_after.throttled_us = 50000;
	T_STR(found(), "");
	st.scene.cpu_after.throttled_us = 200000;
	T_STR(found(), "throttled:1");
}

TEST(thermal)
{
	set();
	st.scene.load_after.thermal_events = 8;
	T_STR(found(), "thermal:1");
	st.scene.load_after.thermal_known = false;
	T_STR(found(), "");
}

TEST(clock)
{
	set();
	st.scene.clock.invariant = false;
	T_STR(found(), "clock:1");
	st.scene.clock.is_x86 = false;
	T_STR(found(), "");
	st.scene.clock_error_ppm = -1500;
	T_STR(found(), "clock:1");
	st.scene.run_ns = SECOND / 2;
	T_STR(found(), "");
	st.scene.clock_cost_ns = 900;
	T_STR(found(), "clock:1");
	T_EQ((uint64_t)number("reading_ns"), 900u);
	trust_done(&st.t);
}
