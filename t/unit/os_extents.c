/* SPDX-License-Identifier: MIT */
/* Holes, unwritten space and data are told apart, on whatever file system the test runs on. */
#define _GNU_SOURCE 1
#include "os/extents.h"
#include "os/pagecache.h"
#include "t/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MIB	(1ull << 20)

struct sums {
	uint64_t of[3];
	uint64_t next;
	bool gap;
};

static void add(void *ctx, const struct extent *e)
{
	struct sums *s = ctx;

	s->gap |= e->offset != s->next || !e->bytes;
	s->next = e->offset + e->bytes;
	s->of[e->kind] += e->bytes;
}

static struct sums look(int fd, uint64_t offset, uint64_t bytes, unsigned int max, int64_t *told)
{
	struct sums s = { .next = offset };

	*told = extents_each(fd, offset, bytes, max, add, &s);
	return s;
}

static int make(const char *folder)
{
	char name[256];
	int fd;

	snprintf(name, sizeof(name), "%s/extents.XXXXXX", folder);
	fd = mkstemp(name);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static void put(int fd, uint64_t offset, uint64_t bytes)
{
	static char data[MIB];

	memset(data, 0x5a, sizeof(data));
	for (uint64_t done = 0; done < bytes; done += sizeof(data))
		T_EQ(pwrite(fd, data, sizeof(data), (off_t)(offset + done)), (ssize_t)MIB);
}

TEST(a_file_of_holes_and_data)
{
	int fd = make(".");
	int64_t told;
	struct sums s;

	T_TRUE(fd >= 0);
	T_EQ(ftruncate(fd, 8 * MIB), 0);
	put(fd, 2 * MIB, MIB);
	put(fd, 5 * MIB, 2 * MIB);
	for (int synced = 0; synced < 2; synced++) {
		s = look(fd, 0, 8 * MIB, 1000, &told);
		T_EQ(told, (int64_t)(8 * MIB));
		T_TRUE(!s.gap);
		T_EQ(s.of[EXTENT_HOLE], 5 * MIB);
		T_EQ(s.of[EXTENT_DATA], 3 * MIB);
		T_EQ(s.of[EXTENT_UNWRITTEN], 0u);
		fsync(fd);
	}
	s = look(fd, 5 * MIB + 512 * 1024, MIB, 1000, &told);
	T_EQ(s.of[EXTENT_DATA], MIB);
	s = look(fd, MIB, 2 * MIB, 1000, &told);
	T_EQ(s.of[EXTENT_DATA], MIB);
	T_EQ(s.of[EXTENT_HOLE], MIB);
	close(fd);
}

/* Space that was reserved and written in part, before and after the data has reached the disk. */
TEST(a_file_with_unwritten_space)
{
	int fd = make(".");
	struct pagecache pc;
	int64_t told;
	struct sums s;

	T_TRUE(fd >= 0);
	if (fallocate(fd, 0, 0, 8 * MIB))
		SKIP("this file system has no fallocate()");
	put(fd, 3 * MIB, 2 * MIB);
	/* Without cachestat(2) nobody knows of what has not reached the disk. */
	if (pagecache_by_cachestat(fd, 0, 8 * MIB, &pc))
		fsync(fd);
	for (int synced = 0; synced < 2; synced++) {
		s = look(fd, 0, 8 * MIB, 1000, &told);
		T_EQ(told, (int64_t)(8 * MIB));
		T_TRUE(!s.gap);
		T_EQ(s.of[EXTENT_DATA], 2 * MIB);
		T_EQ(s.of[EXTENT_UNWRITTEN] + s.of[EXTENT_HOLE], 6 * MIB);
		fsync(fd);
	}
	close(fd);
}

TEST(beyond_the_end_is_a_hole)
{
	int fd = make(".");
	int64_t told;
	struct sums s;

	put(fd, 0, MIB);
	s = look(fd, 0, 4 * MIB, 1000, &told);
	T_EQ(told, (int64_t)(4 * MIB));
	T_EQ(s.of[EXTENT_DATA], MIB);
	T_EQ(s.of[EXTENT_HOLE], 3 * MIB);
	close(fd);
}

TEST(no_more_extents_than_asked_for)
{
	int fd = make(".");
	int64_t told;
	struct sums s;

	T_EQ(ftruncate(fd, 64 * MIB), 0);
	for (int i = 0; i < 32; i++)
		put(fd, (uint64_t)(2 * i + 1) * MIB, MIB);
	fsync(fd);
	s = look(fd, 0, 64 * MIB, 1000, &told);
	T_EQ(told, (int64_t)(64 * MIB));
	T_EQ(s.of[EXTENT_DATA], 32 * MIB);
	s = look(fd, 0, 64 * MIB, 4, &told);
	T_TRUE(told >= (int64_t)(4 * MIB) && told <= (int64_t)(10 * MIB));
	T_EQ(s.next, (uint64_t)told);
	close(fd);
}

TEST(memory_file_system)
{
	int fd = make("/dev/shm");
	int64_t told;
	struct sums s;

	if (fd < 0)
		SKIP("there is no /dev/shm");
	T_EQ(ftruncate(fd, 4 * MIB), 0);
	put(fd, MIB, MIB);
	s = look(fd, 0, 4 * MIB, 1000, &told);
	T_EQ(told, (int64_t)(4 * MIB));
	T_EQ(s.of[EXTENT_DATA], MIB);
	T_EQ(s.of[EXTENT_HOLE], 3 * MIB);
	close(fd);
}

TEST(what_has_no_map)
{
	int fd = open("/dev/null", O_RDONLY);
	int64_t told;

	look(fd, 0, MIB, 10, &told);
	T_EQ(told, 0);	/* it answers SEEK_HOLE with 0 */
	close(fd);
	look(-1, 0, MIB, 10, &told);
	T_EQ(told, (int64_t)-EBADF);
}
