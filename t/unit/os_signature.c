/* SPDX-License-Identifier: MIT */
/* What lies on a device, tried on files; all kinds of it are in t/run/safety.sh. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include "gen/config.h"
#include "os/signature.h"

#include <fcntl.h>

#define MIB	(1ull << 20)

static char name[] = "/tmp/os_signature.XXXXXX";

static void forget(void)
{
	unlink(name);
}

/* An image of so many bytes of zeroes, as name; removed at the end. */
static int image(uint64_t bytes)
{
	int fd = mkstemp(name);

	T_TRUE(fd >= 0);
	atexit(forget);
	T_EQ(ftruncate(fd, (off_t)bytes), 0);
	return fd;
}

static void put(int fd, uint64_t at, const char *bytes, size_t n)
{
	T_EQ(pwrite(fd, bytes, n, (off_t)at), n);
}

TEST(blank)
{
	int fd = image(64 * MIB);

	T_EQ(signature_blank(name), 1);
	put(fd, 32 * MIB, "x", 1);	/* data, as a test leaves them */
	T_EQ(signature_blank(name), 1);
	put(fd, 4 * MIB - 1, "x", 1);
	T_EQ(signature_blank(name), 0);
	put(fd, 4 * MIB - 1, "", 1);
	T_EQ(signature_blank(name), 1);
	put(fd, 63 * MIB, "x", 1);
	T_EQ(signature_blank(name), 0);
	put(fd, 63 * MIB, "", 1);
	put(fd, 64 * MIB - 1, "x", 1);
	T_EQ(signature_blank(name), 0);
	T_EQ(signature_blank("/no/such/device"), -ENOENT);
}

TEST(blank_and_small)
{
	int fd = image(0);

	T_EQ(signature_blank(name), 1);
	T_EQ(ftruncate(fd, 5), 0);
	T_EQ(signature_blank(name), 1);
	put(fd, 4, "x", 1);
	T_EQ(signature_blank(name), 0);
}

TEST(finds)
{
	int fd = image(64 * MIB);
	char what[128], tiny[5];

	T_EQ(signature_find("/no/such/device", true, what, sizeof(what)), -ENOENT);
	T_EQ(signature_find(name, true, what, sizeof(what)), 0);
	T_STR(what, "");
#ifndef CONFIG_LIB_BLKID
	SKIP("built without libblkid");
#endif
	put(fd, 4086, "SWAPSPACE2", 10);
	put(fd, 1024, "\1\0\0\0\xff\x3f", 6);
	T_EQ(signature_find(name, true, what, sizeof(what)), 1);
	T_STR(what, "swap area");
	T_EQ(signature_find(name, true, tiny, sizeof(tiny)), 1);
	T_STR(tiny, "swap");
	put(fd, 4096, "\xfc\x4e\x2b\xa9\1\0\0\0", 8);
	put(fd, 4096 + 144, "\x08", 1);
	T_EQ(signature_find(name, true, what, sizeof(what)), 2);
	T_TRUE(strstr(what, "swap area") && strstr(what, "member of an md RAID"));
}

TEST(tables_count_where_they_are_asked_for)
{
	int fd = image(64 * MIB);
	char what[128];

#ifndef CONFIG_LIB_BLKID
	SKIP("built without libblkid");
#endif
	put(fd, 446, "\0\x20\x21\0\x83\x28\x20\x08\0\x08\0\0\0\xf8\1\0", 16);
	put(fd, 510, "\x55\xaa", 2);
	T_EQ(signature_find(name, true, what, sizeof(what)), 1);
	T_STR(what, "partition table (dos)");
	T_EQ(signature_find(name, false, what, sizeof(what)), 0);
	T_STR(what, "");
}
