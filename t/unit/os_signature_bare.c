/* SPDX-License-Identifier: MIT */
/* A program built without libblkid: what is not blank is not touched. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include "gen/config.h"
#undef CONFIG_LIB_BLKID
#include "os/signature.c"

TEST(without_libblkid)
{
	char name[] = "/tmp/os_signature.XXXXXX", what[160];
	int fd = mkstemp(name);

	T_TRUE(fd >= 0);
	T_EQ(ftruncate(fd, 8 << 20), 0);
	T_EQ(signature_find(name, true, what, sizeof(what)), 0);
	T_STR(what, "");
	T_EQ(pwrite(fd, "x", 1, 100), 1);
	T_EQ(signature_find(name, true, what, sizeof(what)), 1);
	T_STR(what, "something that this fio-like, built without libblkid, cannot name");
	T_EQ(signature_find(name, false, what, sizeof(what)), 1);
	T_EQ(signature_find("/no/such/device", true, what, sizeof(what)), -ENOENT);
	unlink(name);
}
