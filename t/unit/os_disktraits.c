/* SPDX-License-Identifier: MIT */
/* What kind of device a disk is, in trees of files; and samples of zeroes, of a file. */
#define _GNU_SOURCE 1
#include "os/disktraits.h"
#include "os/mem.h"
#include "os/zeroes.h"
#include "t/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ROOT	"tree"
#define DISK	makedev(252, 3)

/* An attribute of a disk of the tree, which is made when it is first named. */
static void put(const char *name, const char *number, const char *attr, const char *text)
{
	char command[1024];

	snprintf(command, sizeof(command), "d=" ROOT "/sys/devices/%s && "
		 "mkdir -p $d \"$(dirname $d/%s)\" " ROOT "/sys/dev/block && "
		 "ln -sfn ../../devices/%s " ROOT "/sys/dev/block/%s && "
		 "echo %s >$d/dev && echo '%s' >$d/%s", name, attr, name, number, number, text,
		 attr);
	T_EQ(system(command), 0);
}

static void clear(void)
{
	T_EQ(system("rm -rf " ROOT), 0);
}

TEST(no_disk)
{
	struct disktraits t;

	clear();
	T_EQ(disktraits_look(ROOT, DISK, &t), -ENODEV);
}

TEST(plain_disk)
{
	struct disktraits t;
	struct disktraits_packing p;

	clear();
	put("sdx", "252:3", "size", "2048");
	put("sdx", "252:3", "queue/rotational", "1");
	put("sdx", "252:3", "queue/discard_max_bytes", "0");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_EQ(t.size_bytes, 1048576u);
	T_TRUE(t.rotational);
	T_TRUE(!t.discards);
	T_STR(t.compresses, "");
	T_STR(t.backing, "");
	T_EQ(t.cache_bytes, 0u);
	T_EQ(disktraits_packing(ROOT, DISK, &p), -ENODEV);
}

TEST(zram)
{
	struct disktraits t;
	struct disktraits_packing p;

	clear();
	put("zram3", "252:3", "comp_algorithm", "lzo [lzo-rle] zstd");
	put("zram3", "252:3", "queue/discard_max_bytes", "4096");
	put("zram3", "252:3", "mm_stat", "  8192   74 12288 0 12288 1 0 0 0");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_STR(t.compresses, "zram (lzo-rle)");
	T_TRUE(t.discards);
	T_EQ(disktraits_packing(ROOT, DISK, &p), 0);
	T_EQ(p.given_bytes, 8192u);
	T_EQ(p.kept_bytes, 74u);
}

TEST(loop)
{
	struct disktraits t;

	clear();
	put("loop3", "252:3", "loop/backing_file", "/some/file");
	put("loop3", "252:3", "loop/offset", "4096");
	put("loop3", "252:3", "loop/dio", "0");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_STR(t.backing, "/some/file");
	T_EQ(t.backing_offset, 4096u);
	T_TRUE(t.backing_cached);
	put("loop3", "252:3", "loop/dio", "1");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_TRUE(!t.backing_cached);
}

TEST(vdo_below_a_volume)
{
	struct disktraits t;

	clear();
	put("dm-3", "252:3", "dm/uuid", "LVM-abc");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_STR(t.compresses, "");
	put("dm-4", "252:4", "dm/uuid", "LVM-abcdef-vpool");
	put("dm-3", "252:3", "slaves/dm-4/dev", "252:4");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_STR(t.compresses, "VDO");
	T_TRUE(t.dedups);
	put("dm-4", "252:4", "dm/uuid", "VDO-123");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_STR(t.compresses, "VDO");
}

TEST(stripe_cache)
{
	struct disktraits t;

	clear();
	put("md3", "252:3", "md/stripe_cache_size", "256");
	put("md3", "252:3", "md/raid_disks", "4");
	T_EQ(disktraits_look(ROOT, DISK, &t), 0);
	T_EQ(t.cache_bytes, 1024 * mem_page_size());
	clear();
}

/* Any file that takes O_DIRECT serves as a device. */
TEST(zeroes)
{
	static char data[1 << 20];
	struct zeroes z = { { 0 }, { 0 } };
	int fd = open("device", O_RDWR | O_CREAT, 0644);

	memset(data, 7, sizeof(data));
	T_EQ(ftruncate(fd, 8 << 20), 0);
	for (int i = 4; i < 8; i++)
		T_EQ(pwrite(fd, data, sizeof(data), (off_t)i << 20), (ssize_t)sizeof(data));
	fsync(fd);
	close(fd);
	fd = open("device", O_RDONLY | O_DIRECT);
	if (fd < 0)
		SKIP("this file system refuses O_DIRECT");
	close(fd);
	T_EQ(zeroes_sample("device", 0, 8 << 20, 2, 10000000000ull, 1, &z), 0);
	for (unsigned i = 0; i < ZEROES_PARTS; i++) {
		T_EQ(z.seen[i], 2u);
		T_EQ(z.zero[i], i < ZEROES_PARTS / 2 ? 2u : 0u);
	}
	memset(&z, 0, sizeof(z));
	T_EQ(zeroes_sample("device", 4 << 20, 4 << 20, 1, 10000000000ull, 1, &z), 0);
	for (unsigned i = 0; i < ZEROES_PARTS; i++)
		T_EQ(z.zero[i], 0u);
	T_EQ(zeroes_sample("device", 0, 4096, 1, 1000000000, 1, &z), -EIO);
	T_EQ(zeroes_sample("missing", 0, 8 << 20, 1, 1000000000, 1, &z), -ENOENT);
	unlink("device");
}
