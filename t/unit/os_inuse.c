/* SPDX-License-Identifier: MIT */
/* Who lives on a device: the relatives of disks, in trees that are made up. */
#define _GNU_SOURCE 1
#include "t/fake.h"

#include "os/blockdev.h"
#include "os/inuse.h"
#include "os/mounts.h"

#define SDA	makedev(8, 0)
#define SDA1	makedev(8, 1)
#define SDA2	makedev(8, 2)
#define SDB	makedev(8, 16)
#define DM0	makedev(253, 0)
#define DM1	makedev(253, 1)
#define MD0	makedev(9, 0)

/* sda with two partitions; sdb; nothing mounted. */
static void two_disks(void)
{
	fake_begin();
	fake_disk("pci/sda", 8, 0);
	fake_part("pci/sda/sda1", 8, 1, "1\n");
	fake_part("pci/sda/sda2", 8, 2, "2\n");
	fake_disk("pci/sdb", 8, 16);
	fake_file("proc/swaps", "Filename Type Size Used Priority\n");
	fake_file("proc/self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n");
}

static void mount_at(const char *number, const char *point)
{
	char text[256];

	snprintf(text, sizeof(text), "22 1 0:21 / /proc rw - proc proc rw\n"
		 "23 1 %s / %s rw,noatime shared:1 - ext4 /dev/x rw\n", number, point);
	fake_file("proc/self/mountinfo", text);
}

static char why[256];

static int use(dev_t device)
{
	why[0] = '\0';
	return inuse_find(fake_root, device, 0, why, sizeof(why));
}

TEST(nobody)
{
	two_disks();
	T_EQ(use(SDA), INUSE_FREE);
	T_EQ(use(SDA1), INUSE_FREE);
	T_EQ(use(SDB), INUSE_FREE);
	T_EQ(use(makedev(8, 99)), -ENODEV);
}

TEST(mounted_itself_or_in_part)
{
	two_disks();
	mount_at("8:1", "/mnt/with\\040blank");
	T_EQ(use(SDA1), INUSE_MOUNTED);
	T_STR(why, "mounted on /mnt/with blank");
	T_EQ(use(SDA), INUSE_MOUNTED);
	T_STR(why, "in use: partition sda1 is mounted on /mnt/with blank");
	T_EQ(use(SDA2), INUSE_FREE);
	T_EQ(use(SDB), INUSE_FREE);
}

TEST(mounted_as_a_whole)
{
	two_disks();
	mount_at("8:0", "/mnt");
	T_EQ(use(SDA), INUSE_MOUNTED);
	T_EQ(use(SDA2), INUSE_MOUNTED);
	T_STR(why, "in use: sda, of which it is a partition, is mounted on /mnt");
}

TEST(what_does_not_count_is_left_out)
{
	two_disks();
	mount_at("8:1", "/mnt");
	T_EQ(inuse_find(fake_root, SDA, 1u << INUSE_MOUNTED, why, sizeof(why)), INUSE_FREE);
	fake_disk("virtual/md0", 9, 0);
	fake_built("virtual/md0", "pci/sda/sda2");
	T_EQ(inuse_find(fake_root, SDA, 1u << INUSE_MOUNTED, why, sizeof(why)), INUSE_HELD);
	T_EQ(inuse_find(fake_root, SDA, 1u << INUSE_MOUNTED | 1u << INUSE_HELD, why, sizeof(why)),
	     INUSE_FREE);
}

/* LVM on RAID on a partition, with a file system in it. */
TEST(volumes)
{
	two_disks();
	fake_disk("virtual/md0", 9, 0);
	fake_attr("virtual/md0", "md/level", "raid1\n");
	fake_built("virtual/md0", "pci/sda/sda2");
	fake_built("virtual/md0", "pci/sdb");
	T_EQ(use(SDA), INUSE_HELD);
	T_STR(why, "in use: there is md0 (raid1), which is built on sda2");
	T_EQ(use(SDA1), INUSE_FREE);
	T_EQ(use(SDB), INUSE_HELD);
	T_STR(why, "in use: there is md0 (raid1), which is built on it");
	T_EQ(use(MD0), INUSE_FREE);
	fake_disk("virtual/dm-0", 253, 0);
	fake_attr("virtual/dm-0", "dm/name", "vg-root\n");
	fake_attr("virtual/dm-0", "dm/uuid", "LVM-abcdef\n");
	fake_built("virtual/dm-0", "virtual/md0");
	mount_at("253:0", "/");
	T_EQ(use(DM0), INUSE_MOUNTED);
	T_EQ(use(MD0), INUSE_MOUNTED);
	T_STR(why, "in use: dm-0 (LVM volume vg-root), which is built on it, is mounted on /");
	T_EQ(use(SDB), INUSE_MOUNTED);
	T_STR(why, "in use: dm-0 (LVM volume vg-root), which is built on md0, is mounted on /");
	T_EQ(use(SDA2), INUSE_MOUNTED);
	T_EQ(use(SDA1), INUSE_FREE);
}

/* A volume on the whole of a disk concerns its partitions: multipath, whole-disk encryption. */
TEST(volume_on_the_whole_disk)
{
	two_disks();
	fake_disk("virtual/dm-1", 253, 1);
	fake_attr("virtual/dm-1", "dm/name", "mpatha\n");
	fake_attr("virtual/dm-1", "dm/uuid", "mpath-3600\n");
	fake_built("virtual/dm-1", "pci/sda");
	T_EQ(use(SDA1), INUSE_HELD);
	T_STR(why, "in use: there is dm-1 (multipath mpatha), which is built on sda");
	T_EQ(use(DM1), INUSE_FREE);
}

TEST(swap)
{
	two_disks();
	if (mknod(fake_path("swap 1"), S_IFBLK | 0600, SDA2))
		SKIP("making a device file is not permitted");
	fake_file("proc/swaps", "Filename Type Size Used Priority\n"
		  "/no/such/file file 1 0 -2\n/swap\\0401 partition 1 0 -2\n");
	T_EQ(use(SDA2), INUSE_SWAP);
	T_STR(why, "used as swap");
	T_EQ(use(SDA), INUSE_SWAP);
	T_EQ(use(SDA1), INUSE_FREE);
}

/* A loop device over a partition: what is written to one is written to the other. */
TEST(loop_devices)
{
	two_disks();
	fake_file("dev/x", "");
	unlink(fake_path("dev/x"));
	if (mknod(fake_path("dev/sda1"), S_IFBLK | 0600, SDA1))
		SKIP("making a device file is not permitted");
	fake_disk("virtual/loop0", 7, 0);
	fake_attr("virtual/loop0", "loop/backing_file", "/dev/sda1\n");
	T_EQ(use(SDA1), INUSE_HELD);
	T_STR(why, "in use: there is loop0, which stands on /dev/sda1");
	T_EQ(use(SDA), INUSE_HELD);
	T_EQ(use(SDA2), INUSE_FREE);
	T_EQ(use(makedev(7, 0)), INUSE_FREE);
	mount_at("8:1", "/mnt");
	T_EQ(use(makedev(7, 0)), INUSE_MOUNTED);
	T_STR(why, "in use: sda1, on which it stands, is mounted on /mnt");
	mount_at("7:0", "/mnt");
	T_EQ(use(SDA), INUSE_MOUNTED);
	T_STR(why, "in use: loop0, which stands on /dev/sda1, is mounted on /mnt");
}

TEST(too_many_relatives)
{
	char where[64];

	fake_begin();
	fake_disk("pci/sda", 8, 0);
	for (unsigned int i = 0; i < 300; i++) {
		snprintf(where, sizeof(where), "virtual/dm-%u", i);
		fake_disk(where, 253, i);
		if (i)
			fake_built(where, "virtual/dm-0");
	}
	fake_built("virtual/dm-0", "pci/sda");
	T_EQ(use(SDA), INUSE_HELD);
}

TEST(side_doors)
{
	dev_t device = 0;

	two_disks();
	fake_link("sys/dev/char/21:0", "../../devices/pci/sg0");
	fake_file("sys/devices/pci/sg0/device/block/sda/dev", "8:0\n");
	T_EQ(blockdev_of_char(fake_root, makedev(21, 0), &device), 0);
	T_TRUE(device == SDA);
	fake_disk("pci/nvme0/nvme0n1", 259, 1);
	fake_link("sys/dev/char/240:0", "../../devices/pci/nvme0/ng0n1");
	fake_folder("sys/devices/pci/nvme0/ng0n1");
	T_EQ(blockdev_of_char(fake_root, makedev(240, 0), &device), 0);
	T_TRUE(device == makedev(259, 1));
	fake_link("sys/dev/char/1:3", "../../devices/virtual/null");
	fake_folder("sys/devices/virtual/null");
	T_EQ(blockdev_of_char(fake_root, makedev(1, 3), &device), -ENOENT);
	T_EQ(blockdev_of_char(fake_root, makedev(1, 99), &device), -ENOENT);
}

TEST(names_and_kin)
{
	struct blockdev b, list[4];
	char text[64];

	two_disks();
	T_EQ(blockdev_find(fake_root, SDA2, &b), 0);
	T_STR(b.name, "sda2");
	T_TRUE(b.disk == SDA && blockdev_is_part(&b));
	T_EQ(blockdev_kin(fake_root, SDA, BLOCKDEV_PARTS, list, 4), 2);
	T_EQ(blockdev_kin(fake_root, SDA, BLOCKDEV_PARTS, list, 1), 1);
	T_EQ(blockdev_kin(fake_root, SDA, BLOCKDEV_HOLDERS, list, 4), 0);
	T_EQ(blockdev_kin(fake_root, makedev(8, 99), BLOCKDEV_SLAVES, list, 4), 0);
	fake_disk("pci/cciss!c0d0", 104, 0);
	T_EQ(blockdev_find(fake_root, makedev(104, 0), &b), 0);
	T_STR(b.name, "cciss/c0d0");
	fake_attr("pci/sda", "queue/scheduler", "[none] mq-deadline\n");
	T_EQ(blockdev_attr(fake_root, SDA, "queue/scheduler", text, sizeof(text)), 18);
	T_STR(text, "[none] mq-deadline");
	T_EQ(blockdev_attr(fake_root, SDA, "queue/none", text, sizeof(text)), -ENOENT);
	T_STR(text, "");
}

static int count(void *ctx, const struct mount *m)
{
	int *n = ctx;

	T_TRUE(m->point[0] == '/');
	++*n;
	return *n == 3 ? 7 : 0;
}

TEST(mount_tables)
{
	int n = 0;

	fake_begin();
	fake_file("t", "1 0 8:1 /sub\\040x /a\\134b rw,ro - xfs /dev/sda1 rw,attr2\n"
		  "not a line\n"
		  "2 0 8:2 / /b rw shared:1 master:2 - ext4 /dev/sda2 rw\n"
		  "3 0 bad / /b rw - ext4 /dev/sda2 rw\n");
	T_EQ(mounts_each(fake_path("t"), count, &n), 0);
	T_EQ(n, 2);
	T_EQ(mounts_each(fake_path("none"), count, &n), -ENOENT);
	T_EQ(mounts_is_point(MOUNTS_SELF, "/proc"), 1);
	T_EQ(mounts_is_point(MOUNTS_SELF, "/proc/self"), 0);
	T_EQ(mounts_is_point(MOUNTS_SELF, "/no/such/place"), -ENOENT);
	n = 0;
	T_TRUE(mounts_each(MOUNTS_SELF, count, &n) == 7 || n < 3);
}
