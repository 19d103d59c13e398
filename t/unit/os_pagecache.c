/* SPDX-License-Identifier: MIT */
/* The page cache as cachestat and as mincore see it, and as a count of our own. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "os/mem.h"
#include "os/pagecache.h"

enum { PAGES = 300 };

static char path[] = "/var/tmp/os_pagecache.XXXXXX";
static uint64_t page;

static void leave(void)
{
	unlink(path);
}

/* A file of PAGES pages less 100 bytes, nothing of it cached. Returns its descriptor. */
static int enter(void)
{
	char data[65536];
	struct statfs fs;
	uint64_t bytes, at;
	int fd = mkstemp(path);

	T_TRUE(fd >= 0);
	atexit(leave);
	page = mem_page_size();
	bytes = PAGES * page - 100;
	T_EQ(fstatfs(fd, &fs), 0);
	if (fs.f_type == 0x01021994) {
		leave();
		SKIP("/var/tmp is a tmpfs: its pages are the file");
	}
	memset(data, 7, sizeof(data));
	for (at = 0; at < bytes; at += sizeof(data))
		T_TRUE(pwrite(fd, data, at + sizeof(data) < bytes ? sizeof(data) : bytes - at,
			      (off_t)at) > 0);
	T_EQ(fsync(fd), 0);
	T_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	T_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM), 0);	/* no read-ahead */
	return fd;
}

static void read_pages(int fd, uint64_t first, uint64_t pages)
{
	char one;

	for (uint64_t i = 0; i < pages; i++)
		T_EQ(pread(fd, &one, 1, (off_t)((first + i) * page)), 1);
}

static uint64_t count_alone(int fd)
{
	unsigned char map[PAGES];
	void *p = mmap(NULL, PAGES * page, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t n = 0;

	T_TRUE(p != MAP_FAILED);
	T_EQ(mincore(p, PAGES * page, map), 0);
	for (int i = 0; i < PAGES; i++)
		n += map[i] & 1;
	munmap(p, PAGES * page);
	return n;
}

static bool have_cachestat(int fd)
{
	struct pagecache c;

	return pagecache_by_cachestat(fd, 0, 0, &c) != -ENOSYS;
}

TEST(both_ways_agree_with_a_count_of_our_own)
{
	static const struct { uint64_t first, pages; } reads[] = {
		{ 0, 0 }, { 3, 1 }, { 10, 100 }, { 299, 1 }, { 0, 300 },
	};
	int fd = enter();
	bool cachestat = have_cachestat(fd);
	struct pagecache a, b;

	for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
		uint64_t want;

		read_pages(fd, reads[i].first, reads[i].pages);
		want = count_alone(fd);
		T_TRUE(want >= reads[i].pages);
		T_EQ(pagecache_by_mincore(fd, 0, 0, &b), 0);
		T_EQ(b.source, PAGECACHE_MINCORE);
		T_EQ(b.pages, PAGES);
		T_EQ(b.seen, PAGES);
		T_EQ(b.cached, want);
		if (!cachestat)
			continue;
		T_EQ(pagecache_by_cachestat(fd, 0, 0, &a), 0);
		T_EQ(a.source, PAGECACHE_CACHESTAT);
		T_EQ(a.pages, PAGES);
		T_EQ(a.cached, want);
		T_EQ(pagecache_look_path(path, 0, 0, &a), 0);
		T_EQ(a.cached, want);
	}
	close(fd);
}

TEST(ranges)
{
	int fd = enter();
	struct pagecache c;

	read_pages(fd, 100, 50);
	for (int way = have_cachestat(fd) ? 0 : 1; way < 2; way++) {
		int (*look)(int, uint64_t, uint64_t, struct pagecache *) =
			way ? pagecache_by_mincore : pagecache_by_cachestat;

		T_EQ(look(fd, 100 * page, 50 * page, &c), 0);
		T_EQ(c.pages, 50);
		T_EQ(c.cached, 50);
		T_EQ(look(fd, 149 * page + 1, 2, &c), 0);
		T_EQ(c.pages, 1);
		T_EQ(c.cached, 1);
		T_EQ(look(fd, 149 * page + page - 1, 2, &c), 0);
		T_EQ(c.pages, 2);
		T_EQ(c.cached, 1);
		T_EQ(look(fd, 299 * page, 1000 * page, &c), 0);
		T_EQ(c.pages, 1);
		T_EQ(c.cached, 0);
		T_EQ(look(fd, 1000 * page, 0, &c), 0);
		T_EQ(c.pages, 0);
		T_EQ(c.cached, 0);
	}
	close(fd);
}

TEST(dirty_pages_until_they_are_written)
{
	int fd = enter();
	struct pagecache c;

	if (!have_cachestat(fd)) {
		leave();
		SKIP("this kernel has no cachestat");
	}
	for (int i = 0; i < 20; i++)
		T_EQ(pwrite(fd, "x", 1, (off_t)(i * page)), 1);
	T_EQ(pagecache_look(fd, 0, 0, &c), 0);
	T_EQ(c.dirty + c.writeback, 20);
	T_EQ(fsync(fd), 0);
	T_EQ(pagecache_look(fd, 0, 0, &c), 0);
	T_EQ(c.dirty + c.writeback, 0);
	T_EQ(c.cached, 20);
	close(fd);
}

/* More than mincore looks at in all; a file of holes costs no space. */
TEST(a_sample_of_what_is_too_large)
{
	int fd = enter();
	struct pagecache c;

	if (ftruncate(fd, (off_t)1 << 38)) {
		leave();
		SKIP("the file system has no room for a file of 256 GiB, even of holes");
	}
	T_EQ(pagecache_by_mincore(fd, 0, 0, &c), 0);
	T_EQ(c.pages, (UINT64_C(1) << 38) / page);
	T_EQ(c.seen, 256 * 65536);
	T_TRUE(c.cached <= PAGES);
	close(fd);
}

TEST(what_has_no_pages)
{
	struct pagecache c = { .cached = 9 };
	int fd = open("/dev/null", O_RDONLY);

	T_EQ(pagecache_look(fd, 0, 0, &c), -EINVAL);
	T_EQ(c.cached, 0);
	T_EQ(pagecache_look(-1, 0, 0, &c), -EBADF);
	T_EQ(pagecache_look_path("/no/such/file", 0, 0, &c), -ENOENT);
	close(fd);
}

/* The kernel tells strangers nothing (cachestat) or nonsense (mincore). */
TEST(a_strangers_file)
{
	struct pagecache c;
	int fd;

	if (getuid() == 0 && (setgid(65534) || setuid(65534)))
		SKIP("cannot become another user");
	fd = open("/etc/passwd", O_RDONLY);
	T_TRUE(fd >= 0);
	T_EQ(pagecache_by_mincore(fd, 0, 0, &c), -EPERM);
	close(fd);
}

TEST(sums)
{
	struct pagecache a = { PAGECACHE_CACHESTAT, 10, 10, 5, 1, 2, 3, 4 };
	struct pagecache b = { PAGECACHE_MINCORE, 30, 10, 5, 0, 0, 0, 0 };

	T_NEAR(pagecache_percent(&a), 50, 1e-9);
	pagecache_add(&a, &b);
	T_EQ(a.source, PAGECACHE_MINCORE);
	T_EQ(a.pages, 40);
	T_EQ(a.seen, 20);
	T_EQ(a.cached, 10);
	T_EQ(a.evicted, 3);
	T_NEAR(pagecache_percent(&(struct pagecache){ 0 }), 0, 0);
	T_STR(pagecache_source_name(a.source), "mincore");
	T_STR(pagecache_source_name(PAGECACHE_CACHESTAT), "cachestat");
	T_STR(pagecache_source_name((enum pagecache_source)77), "none");
}
