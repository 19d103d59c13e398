/* SPDX-License-Identifier: MIT */
/* What is gathered about targets: which of their parts hold data, on what they lie. */
#define _GNU_SOURCE
#include "core/trust_disks.h"
#include "core/trust_gather.h"
#include "os/clock.h"
#include "os/pagecache.h"
#include "t/test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define MIB	(1ull << 20)

static const char *compressing(const char *path)
{
	static char text[64];

	return trust_disks_compressing("mounts", path, text, sizeof(text));
}

/* The mount nearest to a file counts, by whole names of folders. */
TEST(compression_by_mount_options)
{
	char here[PATH_MAX / 2];
	FILE *f = fopen("mounts", "w");

	T_TRUE(f && getcwd(here, sizeof(here)));
	fprintf(f, "1 1 0:1 / / rw - btrfs /dev/x rw,compress=zstd:3,ssd\n"
		"2 1 0:2 / %s/a rw - f2fs /dev/x rw,compress_algorithm=lz4\n"
		"3 1 0:3 / %s/b rw - ext4 /dev/x rw\n"
		"4 1 0:4 / %s/c rw - zfs pool rw\n"
		"5 1 0:5 / %s/d rw - btrfs /dev/x rw,ssd\n", here, here, here, here);
	fclose(f);
	T_EQ(system("mkdir -p a ab b c d"), 0);
	T_STR(compressing("ab/file"), "btrfs (compress=zstd:3)");
	T_STR(compressing("file"), "btrfs (compress=zstd:3)");
	T_STR(compressing("a/file"), "f2fs (compress_algorithm=lz4)");
	T_STR(compressing("b/file"), "");
	T_STR(compressing("c/file"), "zfs (by default)");
	T_STR(compressing("d/file"), "");
	T_STR(compressing("missing/file"), "");
	unlink("mounts");
	T_STR(compressing("file"), "");
	T_EQ(system("rmdir a ab b c d"), 0);
}

/* A job of this many files, in names.N. */
struct made {
	struct engine engine;
	struct job job;
	struct plan_job pj;
	char why[256];
};

static void make(struct made *m, const char *names, uint32_t nr, uint64_t bytes, bool direct)
{
	const struct files_need need = { .dirs = 1u << DIR_READ, .block_min = 4096 };

	memset(m, 0, sizeof(*m));
	m->job.engine = &m->engine;
	m->job.workload.rw.bits = RW_READ | RW_RANDOM;
	opt_defaults(&files_options, &m->job.files, sizeof(m->job.files));
	m->job.files.names.filename = names;
	m->job.files.size.bytes = nr * bytes;
	m->job.files.direct = direct;
	m->pj.job = &m->job;
	T_EQ(files_plan(&m->pj.files, &m->job.files, "a", 0, &need, m->why, sizeof(m->why)), 0);
	T_EQ(m->pj.files.nr, nr);
}

static double empty_percent(const struct trust_empty *e)
{
	double seen = 0, empty = 0;

	for (unsigned i = 0; i < TRUST_PARTS; i++) {
		seen += e->seen[i];
		empty += e->empty[i];
	}
	return seen > 0 ? 100 * empty / seen : -1;
}

TEST(parts_without_data)
{
	static struct trust_scene scene;
	static char data[4 * MIB];
	struct trust_gather g;
	struct trust_facts f;
	struct pagecache pc;
	struct made m;
	int fd;

	memset(data, 7, sizeof(data));
	for (int i = 0; i < 2; i++) {
		fd = open(i ? "f.1" : "f.0", O_RDWR | O_CREAT, 0644);
		T_EQ(ftruncate(fd, 8 * MIB), 0);
		T_EQ(pwrite(fd, data, sizeof(data), i ? 4 * MIB : 0), (ssize_t)sizeof(data));
		/* Without cachestat(2) nobody knows of what has not reached the disk. */
		if (pagecache_by_cachestat(fd, 0, MIB, &pc))
			fsync(fd);
		close(fd);
	}
	make(&m, "f.0:f.1", 2, 8 * MIB, false);
	trust_gather_init(&g, &scene);
	trust_gather_target(&g, &m.pj, &f);
	T_EQ(f.target, TRUST_TARGET_FILES);
	T_TRUE(f.fs[0]);
	trust_gather_start(&g);
	trust_gather_before(&g, &m.pj, &f);
	if (!f.empty_before.known)
		SKIP("this file system has no map of files");
	T_NEAR(empty_percent(&f.empty_before), 50, 0.01);
	for (unsigned i = 0; i < TRUST_PARTS; i++)
		T_NEAR(f.empty_before.empty[i], f.empty_before.seen[i] / 2, 1);
	files_free(&m.pj.files);
	make(&m, "f.0", 1, 8 * MIB, false);
	trust_gather_before(&g, &m.pj, &f);
	T_NEAR(empty_percent(&f.empty_before), 50, 0.01);
	T_NEAR(f.empty_before.empty[0], 0, 1);
	T_NEAR(f.empty_before.empty[TRUST_PARTS - 1], (double)(8 * MIB / TRUST_PARTS), 1);
	trust_gather_after(&g, &m.pj, &f);
	T_TRUE(f.empty_after.known);
	trust_gather_end(&g);
	files_free(&m.pj.files);
	unlink("f.0");
	unlink("f.1");
}

TEST(jobs_of_one_file_have_one_id)
{
	struct made a, b;

	make(&a, "same", 1, MIB, false);
	make(&b, "other", 1, MIB, false);
	T_TRUE(trust_gather_file_id(&a.pj) != trust_gather_file_id(&b.pj));
	files_free(&b.pj.files);
	make(&b, "same", 1, MIB, true);
	T_EQ(trust_gather_file_id(&a.pj), trust_gather_file_id(&b.pj));
	files_free(&a.pj.files);
	files_free(&b.pj.files);
}
