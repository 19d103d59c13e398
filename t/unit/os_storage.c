/* SPDX-License-Identifier: MIT */
/* What is below a target: devices and stacks that are made up. */
#define _GNU_SOURCE 1
#include "t/fake.h"

#include "os/storage.h"

static struct facts f;

static const char *get(const char *name)
{
	return facts_get(&f, name);
}

#define NVME	"pci0000:00/0000:00:03.0/nvme/nvme0/nvme0n1"

/* An NVMe disk with a partition, on a slot of its own, on node 1. */
static void nvme(void)
{
	fake_begin();
	fake_disk(NVME, 259, 0);
	fake_part(NVME "/nvme0n1p2", 259, 2, "2\n");
	fake_attr(NVME "/nvme0n1p2", "start", "2048\n");
	fake_attr(NVME "/nvme0n1p2", "size", "4096\n");
	fake_attr(NVME, "size", "8192\n");
	fake_attr(NVME, "ro", "0\n");
	fake_attr(NVME, "wwid", "eui.0025\n");
	fake_link("sys/devices/" NVME "/device", "..");
	fake_attr("pci0000:00/0000:00:03.0/nvme/nvme0", "model", "Fast SSD 1TB            \n");
	fake_attr("pci0000:00/0000:00:03.0/nvme/nvme0", "serial", "S1234 \n");
	fake_attr("pci0000:00/0000:00:03.0/nvme/nvme0", "firmware_rev", "FW1.0\n");
	fake_attr("pci0000:00/0000:00:03.0/nvme/nvme0", "transport", "pcie\n");
	fake_attr("pci0000:00/0000:00:03.0", "numa_node", "1\n");
	fake_attr("pci0000:00/0000:00:03.0", "current_link_speed", "16.0 GT/s PCIe\n");
	fake_attr("pci0000:00", "numa_node", "7\n");
	fake_attr(NVME, "queue/scheduler", "[none] mq-deadline kyber\n");
	fake_attr(NVME, "queue/nr_requests", "1023\n");
	fake_attr(NVME, "queue/logical_block_size", "512\n");
	fake_attr(NVME, "queue/physical_block_size", "4096\n");
	fake_attr(NVME, "queue/write_cache", "write back\n");
	fake_attr(NVME, "queue/io_poll", "1\n");
	fake_attr(NVME, "queue/rotational", "0\n");
	fake_attr(NVME, "queue/max_sectors_kb", "1280\n");
	fake_attr(NVME, "mq/0/nr_tags", "1023\n");
	fake_attr(NVME, "mq/1/nr_tags", "1023\n");
	fake_file("sys/module/nvme/parameters/poll_queues", "4\n");
}

TEST(a_disk)
{
	nvme();
	storage_device(fake_root, makedev(259, 0), &f);
	T_STR(get("device.name"), "nvme0n1");
	T_STR(get("device.kind"), "nvme");
	T_STR(get("device.partition"), NULL);
	T_STR(get("device.model"), "Fast SSD 1TB");
	T_STR(get("device.serial"), "S1234");
	T_STR(get("device.firmware"), "FW1.0");
	T_STR(get("device.transport"), "pcie");
	T_STR(get("device.wwid"), "eui.0025");
	T_STR(get("device.size_bytes"), "4194304");
	T_STR(get("device.read_only"), "false");
	T_STR(get("device.numa_node"), "1");
	T_STR(get("device.link_speed"), "16.0 GT/s PCIe");
	T_STR(get("device.scheduler"), "none");
	T_STR(get("device.nr_requests"), "1023");
	T_STR(get("device.hardware_queues"), "2");
	T_STR(get("device.poll"), "true");
	T_STR(get("device.poll_queues"), "4");
	T_STR(get("device.write_cache"), "write back");
	T_STR(get("device.logical_block_bytes"), "512");
	T_STR(get("device.physical_block_bytes"), "4096");
	T_STR(get("device.max_io_bytes"), "1310720");
	T_STR(get("device.rotational"), "false");
	T_STR(get("device.below.0.device.name"), NULL);
}

TEST(a_partition)
{
	nvme();
	storage_device(fake_root, makedev(259, 2), &f);
	T_STR(get("device.name"), "nvme0n1");
	T_STR(get("device.partition"), "nvme0n1p2");
	T_STR(get("device.partition_start_bytes"), "1048576");
	T_STR(get("device.partition_bytes"), "2097152");
	T_STR(get("device.scheduler"), "none");
	T_STR(get("device.serial"), "S1234");
}

TEST(none)
{
	nvme();
	storage_device(fake_root, makedev(259, 9), &f);
	storage_device(fake_root, makedev(0, 26), &f);
	T_EQ(f.count, 0);
}

/* A logical volume on a mirror of a partition and a SCSI disk. */
TEST(a_stack)
{
	nvme();
	fake_disk("pci0000:01/sda", 8, 0);
	fake_attr("pci0000:01/sda", "device/vendor", "ACME    \n");
	fake_attr("pci0000:01/sda", "device/rev", "2.1\n");
	fake_disk("virtual/block/md0", 9, 0);
	fake_attr("virtual/block/md0", "md/level", "raid1\n");
	fake_attr("virtual/block/md0", "md/raid_disks", "2\n");
	fake_attr("virtual/block/md0", "md/degraded", "0\n");
	fake_built("virtual/block/md0", NVME "/nvme0n1p2");
	fake_built("virtual/block/md0", "pci0000:01/sda");
	fake_disk("virtual/block/dm-0", 253, 0);
	fake_attr("virtual/block/dm-0", "dm/name", "vg-data\n");
	fake_attr("virtual/block/dm-0", "dm/uuid", "LVM-xyz\n");
	fake_built("virtual/block/dm-0", "virtual/block/md0");
	storage_device(fake_root, makedev(253, 0), &f);
	T_STR(get("device.kind"), "dm");
	T_STR(get("device.volume"), "vg-data");
	T_STR(get("device.below.0.device.name"), "md0");
	T_STR(get("device.below.0.device.kind"), "md");
	T_STR(get("device.below.0.device.raid_level"), "raid1");
	T_STR(get("device.below.0.device.raid_degraded"), "0");
	for (int i = 0; i < 2; i++) {
		char name[80];

		snprintf(name, sizeof(name), "device.below.0.device.below.%d.device.name", i);
		T_TRUE(get(name));
		if (!strcmp(get(name), "sda")) {
			snprintf(name, sizeof(name), "device.below.0.device.below.%d.device.vendor",
				 i);
			T_STR(get(name), "ACME");
			continue;
		}
		T_STR(get(name), "nvme0n1");
		snprintf(name, sizeof(name), "device.below.0.device.below.%d.device.partition", i);
		T_STR(get(name), "nvme0n1p2");
	}
}

/* Built of itself, which no kernel allows: it ends all the same. */
TEST(a_circle)
{
	fake_begin();
	fake_disk("virtual/block/dm-0", 253, 0);
	fake_disk("virtual/block/dm-1", 253, 1);
	fake_built("virtual/block/dm-0", "virtual/block/dm-1");
	fake_built("virtual/block/dm-1", "virtual/block/dm-0");
	storage_device(fake_root, makedev(253, 0), &f);
	T_STR(get("device.below.0.device.below.0.device.name"), "dm-0");
}

TEST(a_loop_device)
{
	nvme();
	fake_disk("virtual/block/loop3", 7, 3);
	fake_attr("virtual/block/loop3", "loop/backing_file", "/images/a b\n");
	fake_attr("virtual/block/loop3", "loop/dio", "1\n");
	fake_file("images/a b", "");
	fake_file("proc/self/mountinfo", "21 1 259:2 / / rw,noatime - ext4 /dev/root rw,data=ordered\n"
		  "22 21 0:30 / /im rw - tmpfs none rw\n");
	storage_device(fake_root, makedev(7, 3), &f);
	T_STR(get("device.kind"), "loop");
	T_STR(get("device.backing_file"), "/images/a b");
	T_STR(get("device.backing_direct"), "true");
	T_STR(get("device.below.0.filesystem.type"), "ext4");
	T_STR(get("device.below.0.filesystem.options"), "rw,noatime");
	T_STR(get("device.below.0.device.partition"), "nvme0n1p2");
}

TEST(file_systems)
{
	dev_t device;

	nvme();
	fake_file("data/deep/file", "");
	fake_file("proc/self/mountinfo", "21 1 259:2 / / rw - ext4 /dev/root rw\n"
		  "22 21 0:30 / /data rw - nfs4 server:/x rw,addr=10.0.0.1\n"
		  "23 22 0:31 / /data/deep rw - tmpfs none rw,size=4k\n"
		  "24 21 259:0 / /database rw - xfs /dev/x rw\n");
	T_EQ(storage_filesystem(fake_root, "/data/deep/file", &f, &device), 0);
	T_STR(get("filesystem.type"), "tmpfs");
	T_STR(get("filesystem.mount_point"), "/data/deep");
	T_STR(get("filesystem.fs_options"), "rw,size=4k");
	T_TRUE(device == 0);
	facts_free(&f);
	T_EQ(storage_filesystem(fake_root, "/data/other/not/there", &f, &device), 0);
	T_STR(get("filesystem.type"), "nfs4");
	T_STR(get("filesystem.source"), "server:/x");
	facts_free(&f);
	T_EQ(storage_filesystem(fake_root, "/none", &f, &device), 0);
	T_STR(get("filesystem.type"), "ext4");
	T_TRUE(device == makedev(259, 2));
	facts_free(&f);
	T_EQ(storage_filesystem("", "/proc/self/status", &f, &device), 0);
	T_STR(get("filesystem.type"), "proc");
	T_TRUE(device == 0);
}

TEST(device_dax)
{
	fake_begin();
	fake_link("sys/dev/char/251:0", "../../devices/dax0.0");
	fake_file("sys/devices/dax0.0/size", "1073741824\n");
	fake_file("sys/devices/dax0.0/align", "2097152\n");
	storage_dax(fake_root, makedev(251, 0), &f);
	T_STR(get("dax.size_bytes"), "1073741824");
	T_STR(get("dax.align_bytes"), "2097152");
}
