/* SPDX-License-Identifier: MIT */
/* Files, their layout, and the disks below them. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "lib/base.h"
#include "os/disk.h"
#include "os/file.h"
#include "os/fstype.h"
#include "os/inuse.h"
#include "os/layout.h"
#include "os/pagecache.h"

static char dir[] = "/var/tmp/os_file.XXXXXX";

static void leave(void)
{
	if (chdir("/") == 0) {
		char line[64];

		snprintf(line, sizeof(line), "rm -rf %s", dir);
		if (system(line))
			printf("# %s stays\n", dir);
	}
}

/* Each case works in a folder of its own. */
static void enter(void)
{
	T_TRUE(mkdtemp(dir) != NULL);
	T_EQ(chdir(dir), 0);
	atexit(leave);
}

/* SKIP leaves by _exit(), past atexit(). */
static void skip_clean(const char *why)
{
	leave();
	SKIP(why);
}

static int create(const char *name)
{
	int fd = file_open(name, O_RDWR | O_CREAT, 0, NULL);

	T_TRUE(fd >= 0);
	return fd;
}

TEST(access_is_asked_for_beforehand)
{
	T_EQ(file_may("/etc/passwd", true, false), 0);
	T_EQ(file_may("/etc/passwd/below", true, true), -ENOTDIR);
	T_EQ(file_may("not-there", true, true), 0);
	T_EQ(file_may("not/there/either", true, true), 0);
	T_EQ(file_may("", true, true), -ENAMETOOLONG);
	if (getuid() == 0 && setuid(65534))
		SKIP("another user is not to be had");
	T_EQ(file_may("/etc/shadow", true, false), -EACCES);
	T_EQ(file_may("/etc/passwd", true, true), -EACCES);
	T_EQ(file_may("/etc/not/there", true, true), -EACCES);
}

TEST(facts)
{
	struct file_facts f;
	int fd;

	enter();
	T_EQ(file_facts("missing", &f), 0);
	T_EQ(f.type, FILE_MISSING);
	T_EQ(file_facts(".", &f), 0);
	T_EQ(f.type, FILE_DIRECTORY);
	T_EQ(file_facts("/dev/null", &f), 0);
	T_EQ(f.type, FILE_CHAR);
	T_EQ(f.size_bytes, 0);
	T_TRUE(f.device == makedev(1, 3));
	T_EQ(mkfifo("fifo", 0600), 0);
	T_EQ(file_facts("fifo", &f), 0);
	T_EQ(f.type, FILE_FIFO);
	fd = create("file");
	T_EQ(ftruncate(fd, 123456), 0);
	T_EQ(file_facts("file", &f), 0);
	T_EQ(f.type, FILE_REGULAR);
	T_EQ(f.size_bytes, 123456);
	T_EQ(f.used_bytes, 0);
	T_TRUE(f.block_bytes >= 512);
	T_EQ(file_facts_fd(fd, &f), 0);
	T_EQ(f.size_bytes, 123456);
	T_EQ(file_facts("file/below", &f), -ENOTDIR);
	T_EQ(file_facts_fd(-1, &f), -EBADF);
	T_STR(file_type_name(FILE_BLOCK), "block device");
	T_STR(file_type_name((enum file_type)99), "unknown");
	close(fd);
}

TEST(parents)
{
	char deep[PATH_MAX + 10];
	struct stat st;

	enter();
	T_EQ(file_make_parents("plain"), 0);
	T_EQ(file_make_parents("a/b//c/file"), 0);
	T_EQ(file_make_parents("a/b//c/file"), 0);
	T_TRUE(stat("a/b/c", &st) == 0 && S_ISDIR(st.st_mode));
	T_EQ(stat("a/b/c/file", &st), -1);
	T_EQ(file_make_dirs("a/b/c/d"), 0);
	T_EQ(stat("a/b/c/d", &st), 0);
	close(create("a/file"));
	T_EQ(file_make_parents("a/file/x"), -ENOTDIR);
	T_EQ(file_make_dirs("a/file"), -ENOTDIR);
	T_EQ(file_make_parents("/tmp/x"), 0);
	T_EQ(file_make_parents("/x"), 0);
	T_EQ(file_make_parents("//tmp//x"), 0);
	memset(deep, 'x', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	T_EQ(file_make_parents(deep), -ENAMETOOLONG);
}

TEST(opening)
{
	int dropped = 77, fd;

	enter();
	T_EQ(file_open("missing", O_RDONLY, 0, &dropped), -ENOENT);
	T_EQ(dropped, 0);
	close(create("file"));
	fd = file_open("file", O_RDWR | O_NOATIME | O_DSYNC, 0, &dropped);
	T_TRUE(fd >= 0);
	T_EQ(dropped, 0);
	T_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	T_EQ(file_unlink("file"), 0);
	T_EQ(file_unlink("file"), -ENOENT);
}

/* /proc refuses O_DIRECT everywhere, and O_NOATIME to anybody but a file's owner. */
TEST(opening_without_wishes)
{
	int dropped = 0, fd;

	T_EQ(file_open("/proc/self/status", O_RDONLY | O_DIRECT, 0, &dropped), -EINVAL);
	fd = file_open("/proc/self/status", O_RDONLY | O_DIRECT, O_DIRECT, &dropped);
	T_TRUE(fd >= 0);
	T_EQ(dropped, O_DIRECT);
	close(fd);
	if (getuid() == 0 && (setgid(65534) || setuid(65534)))
		SKIP("cannot become another user");
	fd = file_open("/proc/sys/kernel/ostype", O_RDONLY | O_DIRECT | O_NOATIME, O_DIRECT,
		       &dropped);
	T_TRUE(fd >= 0);
	T_EQ(dropped, O_DIRECT | O_NOATIME);
	close(fd);
}

TEST(advice_and_hints)
{
	enum file_advice a;
	int fd, err;

	enter();
	fd = create("file");
	for (a = FILE_ADVISE_NORMAL; a <= FILE_ADVISE_DONTNEED; a++)
		T_EQ(file_advise(fd, 0, 0, a), 0);
	T_EQ(file_advise(-1, 0, 0, FILE_ADVISE_RANDOM), -EBADF);
	err = file_write_hint(fd, 2);
	T_TRUE(err == 0 || err == -EINVAL);
	T_EQ(file_write_hint(fd, 1000), -EINVAL);
	close(fd);
}

static size_t resident_pages(int fd, size_t bytes)
{
	unsigned char map[256];
	size_t n = 0, i;
	void *p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	T_TRUE(p != MAP_FAILED);
	T_EQ(mincore(p, bytes, map), 0);
	for (i = 0; i < bytes / 4096; i++)
		n += map[i] & 1;
	munmap(p, bytes);
	return n;
}

TEST(invalidation)
{
	static char data[64 * 4096];
	size_t peeked = t_emulated() ? 4 : 0;	/* valgrind reads into what is mapped */
	struct statfs fs;
	int fd;

	enter();
	T_EQ(statfs(".", &fs), 0);
	fd = create("file");
	T_EQ(pwrite(fd, data, sizeof(data), 0), sizeof(data));
	T_EQ(resident_pages(fd, sizeof(data)), 64);
	T_EQ(file_invalidate(fd, FILE_REGULAR, 0, 0, true), 0);
	T_EQ(file_invalidate(fd, FILE_CHAR, 0, 0, true), 0);
	T_EQ(file_invalidate(fd, FILE_FIFO, 0, 0, true), 0);
	T_EQ(file_invalidate(-1, FILE_REGULAR, 0, 0, true), -EBADF);
	if (fs.f_type == 0x01021994)
		skip_clean("tmpfs: its pages are the file");
	T_EQ(resident_pages(fd, sizeof(data)), peeked);
	T_EQ(pread(fd, data, sizeof(data), 0), sizeof(data));
	T_EQ(file_invalidate(fd, FILE_REGULAR, 0, 16 * 4096, false), 0);
	T_EQ(resident_pages(fd, sizeof(data)), 48 + peeked);
	close(fd);
}

TEST(limits_and_space)
{
	uint64_t bytes = 0;

	T_TRUE(file_limit_raise() >= 256);
	T_EQ(file_free_bytes("/tmp", &bytes), 0);
	T_TRUE(bytes > 4096);
	T_EQ(file_free_bytes("/no/such/path", &bytes), -ENOENT);
}

TEST(allocation)
{
	static const struct {
		enum layout_alloc how;
		bool sized, spaced;
	} want[] = {
		{ LAYOUT_NONE, false, false }, { LAYOUT_NATIVE, true, true },
		{ LAYOUT_POSIX, true, true }, { LAYOUT_KEEP, false, true },
		{ LAYOUT_TRUNCATE, true, false },
	};
	struct file_facts f;
	char note[160];
	size_t i;

	enter();
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		int fd = create("file");
		int err = layout_allocate(fd, want[i].how, 1 << 20, note, sizeof(note));

		T_TRUE(err == 0 || (err == 1 && want[i].spaced));
		T_EQ(file_facts_fd(fd, &f), 0);
		if (!err) {
			T_EQ(f.size_bytes, want[i].sized ? 1 << 20 : 0);
			T_TRUE(!want[i].spaced || f.used_bytes >= 1 << 20);
		}
		/* Never shorter than it was. */
		T_EQ(ftruncate(fd, 3 << 20), 0);
		T_TRUE(layout_allocate(fd, want[i].how, 1 << 20, note, sizeof(note)) >= 0);
		T_EQ(file_facts_fd(fd, &f), 0);
		T_EQ(f.size_bytes, 3 << 20);
		T_EQ(layout_allocate(fd, want[i].how, 0, note, sizeof(note)), 0);
		close(fd);
		unlink("file");
	}
	T_EQ(layout_allocate(-1, LAYOUT_NATIVE, 10, note, sizeof(note)), -EBADF);
}

TEST(allocation_where_it_cannot_be)
{
	char note[160];
	int fd = open("/dev/null", O_RDWR);

	T_EQ(layout_allocate(fd, LAYOUT_NATIVE, 4096, note, sizeof(note)), 1);
	T_TRUE(strstr(note, "fallocate=native is not possible here (") != NULL);
	T_EQ(layout_allocate(fd, LAYOUT_TRUNCATE, 4096, note, sizeof(note)), 1);
	close(fd);
}

struct watch {
	uint64_t done, stop_at;
	int calls;
};

static void fill_with_place(void *ctx, void *data, uint64_t offset, size_t bytes)
{
	size_t i;

	(void)ctx;
	for (i = 0; i < bytes; i++)
		((unsigned char *)data)[i] = (unsigned char)((offset + i) * 31 >> 4);
}

static int watch_progress(void *ctx, uint64_t done)
{
	struct watch *w = ctx;

	T_TRUE(done > w->done);
	w->done = done;
	w->calls++;
	return w->stop_at && done >= w->stop_at ? -ECANCELED : 0;
}

TEST(filling)
{
	enum { FROM = 1000, BYTES = 2 * LAYOUT_PIECE_BYTES + 777 };
	struct watch w = { 0 };
	struct layout_source s = { fill_with_place, watch_progress, &w, NULL };
	static unsigned char back[BYTES], expect[BYTES];
	struct file_facts f;
	int fd;

	enter();
	fd = create("file");
	T_EQ(layout_fill(fd, FROM, BYTES, &s), 0);
	T_EQ(w.done, BYTES);
	T_EQ(w.calls, 3);
	T_EQ(file_facts_fd(fd, &f), 0);
	T_EQ(f.size_bytes, FROM + BYTES);
	T_EQ(pread(fd, back, BYTES, FROM), BYTES);
	fill_with_place(NULL, expect, FROM, BYTES);
	T_MEM(back, expect, BYTES);
	T_EQ(layout_sync(fd), 0);
	T_EQ(layout_truncate(fd, 5), 0);
	T_EQ(file_facts_fd(fd, &f), 0);
	T_EQ(f.size_bytes, 5);

	w = (struct watch){ .stop_at = 1 };
	T_EQ(layout_fill(fd, 0, BYTES, &s), -ECANCELED);
	T_EQ(w.done, LAYOUT_PIECE_BYTES);
	s.progress = NULL;
	T_EQ(layout_fill(fd, 0, 0, &s), 0);
	T_EQ(layout_fill(-1, 0, 10, &s), -EBADF);
	close(fd);
	fd = open("/dev/full", O_WRONLY);
	T_EQ(layout_fill(fd, 0, 10, &s), -ENOSPC);
	close(fd);
}

/* Every fifth block is there, written a moment ago: it stays, the others get bytes. */
TEST(mending)
{
	enum { BLOCK = 4096, BLOCKS = 1000 };
	struct watch w = { 0 };
	struct layout_source s = { fill_with_place, watch_progress, &w, NULL };
	static unsigned char zero[BLOCK], back[BLOCK], expect[BLOCK];
	struct pagecache pc;
	uint64_t lacking;
	int fd;

	enter();
	fd = create("file");
	T_EQ(layout_truncate(fd, BLOCKS * BLOCK), 0);
	if (layout_allocate(fd, LAYOUT_NATIVE, BLOCKS * BLOCK / 2, (char *)back, sizeof(back)))
		skip_clean("no fallocate() here");
	for (int i = 0; i < BLOCKS; i += 5)
		T_EQ(pwrite(fd, zero, BLOCK, (off_t)i * BLOCK), BLOCK);
	/* Without cachestat(2) nobody knows of what has not reached the disk. */
	if (pagecache_by_cachestat(fd, 0, BLOCK, &pc))
		fsync(fd);
	lacking = layout_lacking("file", 0, BLOCKS * BLOCK);
	if (!lacking)
		skip_clean("this file system has no map of files");
	T_EQ(lacking, BLOCKS / 5 * 4 * BLOCK);
	T_EQ(layout_mend(fd, BLOCK, (BLOCKS - 2) * BLOCK, &s), 0);
	T_EQ(w.done, lacking - BLOCK);
	T_EQ(layout_sync(fd), 0);
	T_EQ(layout_lacking("file", 0, BLOCKS * BLOCK), BLOCK);
	for (int i = 1; i < BLOCKS - 1; i++) {
		fill_with_place(NULL, expect, (uint64_t)i * BLOCK, BLOCK);
		T_EQ(pread(fd, back, BLOCK, (off_t)i * BLOCK), BLOCK);
		T_MEM(back, i % 5 ? expect : zero, BLOCK);
	}
	w = (struct watch){ .stop_at = 1 };
	T_EQ(layout_truncate(fd, 0), 0);
	T_EQ(layout_truncate(fd, 8 * BLOCK), 0);
	T_EQ(layout_mend(fd, 0, 8 * BLOCK, &s), -ECANCELED);
	close(fd);
	T_EQ(layout_mend(-1, 0, 10, &s), -EBADF);
	T_EQ(layout_lacking("missing", 0, 10), 0u);
}

TEST(filling_directly)
{
	struct layout_source s = { fill_with_place, NULL, NULL, NULL };
	int dropped, fd;

	enter();
	fd = file_open("file", O_RDWR | O_CREAT | O_DIRECT, O_DIRECT, &dropped);
	T_TRUE(fd >= 0);
	T_EQ(layout_fill(fd, 8192, LAYOUT_PIECE_BYTES + 4096, &s), 0);
	close(fd);
}

TEST(disk_of_a_file)
{
	struct disk d, again, slave[4];
	struct disk_stat a, b, diff;
	struct layout_source s = { fill_with_place, NULL, NULL, NULL };
	int fd, err;

	T_EQ(disk_find(makedev(0, 5), &d), -ENODEV);
	T_EQ(disk_find(makedev(4095, 5), &d), -ENODEV);
	T_EQ(disk_find_path("/proc/self/status", &d), -ENODEV);
	T_EQ(disk_find_path("/dev/null", &d), -ENODEV);
	T_EQ(disk_find_path("/no/such/folder/file", &d), -ENOENT);
	enter();
	err = disk_find_path("not-there-yet", &d);
	if (err == -ENODEV)
		skip_clean("this folder is on no disk");
	T_EQ(err, 0);
	T_TRUE(d.name[0] && !strchr(d.name, '/'));
	T_EQ(disk_find(d.device, &again), 0);
	T_STR(again.name, d.name);
	T_TRUE(disk_slaves(&d, slave, 4) >= 0);
	T_EQ(disk_stat_take(&d, &a), 0);
	fd = create("file");
	T_EQ(layout_fill(fd, 0, 1 << 20, &s), 0);
	T_EQ(layout_sync(fd), 0);
	close(fd);
	T_EQ(disk_stat_take(&d, &b), 0);
	diff = disk_stat_since(&a, &b);
	T_TRUE(diff.writes >= 1);
	T_TRUE(diff.write_sectors >= 2048);
	disk_stat_add(&a, &diff);
	T_MEM(&a, &b, sizeof(a));
	printf("# %s: %llu writes, %llu sectors, busy %llu ms\n", d.name,
	       (unsigned long long)diff.writes, (unsigned long long)diff.write_sectors,
	       (unsigned long long)diff.busy_ms);
}

TEST(disk_utilisation)
{
	struct disk_stat d = { .busy_ms = 250 };

	T_NEAR(disk_util_percent(&d, 1000), 25, 1e-9);
	T_NEAR(disk_util_percent(&d, 200), 100, 1e-9);
	T_NEAR(disk_util_percent(&d, 0), 0, 1e-9);
}

TEST(device_in_use)
{
	char why[PATH_MAX], node[64];
	struct file_facts f;
	struct stat st;
	int err;

	T_EQ(inuse_check("/no/such/device", why, sizeof(why)), -ENOENT);
	T_EQ(inuse_check("/dev/null", why, sizeof(why)), -ENOTBLK);
	enter();
	if (stat("/", &st) || !major(st.st_dev))
		skip_clean("the root file system is on no block device");
	snprintf(node, sizeof(node), "node");
	if (mknod(node, S_IFBLK | 0600, st.st_dev))
		skip_clean("making a device file is not permitted");
	err = inuse_check(node, why, sizeof(why));
	T_EQ(err, 1);
	printf("# %s\n", why);
	T_TRUE(!strncmp(why, "mounted on /", 12));
	if (file_facts(node, &f))
		skip_clean("opening the device is not permitted");
	T_EQ(f.type, FILE_BLOCK);
	T_TRUE(f.size_bytes > 1 << 20);
	T_TRUE(f.device == st.st_dev);
}

TEST(the_kernels_own_files)
{
	T_TRUE(fstype_of_kernel("/proc/self/status"));
	T_TRUE(fstype_of_kernel("/proc/no/such/thing"));
	T_TRUE(fstype_of_kernel("/proc"));
	T_TRUE(!fstype_of_kernel("/"));
	T_TRUE(!fstype_of_kernel("/no/such/thing"));
	T_TRUE(!fstype_of_kernel("no/such/thing"));
	T_TRUE(!fstype_of_kernel(""));
	if (!access("/sys/kernel", X_OK))
		T_TRUE(fstype_of_kernel("/sys/kernel/none"));
}
