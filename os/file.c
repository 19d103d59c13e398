/* SPDX-License-Identifier: MIT */
/* Files as the kernel knows them. */
#define _GNU_SOURCE 1
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <linux/fs.h>

#include "gen/config.h"
#include "lib/base.h"

#ifndef F_SET_RW_HINT
#define F_SET_RW_HINT 1036
#endif

static enum file_type type_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:	return FILE_REGULAR;
	case S_IFDIR:	return FILE_DIRECTORY;
	case S_IFBLK:	return FILE_BLOCK;
	case S_IFCHR:	return FILE_CHAR;
	case S_IFIFO:	return FILE_FIFO;
	default:	return FILE_OTHER;
	}
}

static void facts_from_stat(const struct stat *st, struct file_facts *facts)
{
	*facts = (struct file_facts){
		.type = type_of(st->st_mode),
		.block_bytes = (uint32_t)st->st_blksize,
		.device = st->st_dev,
		.inode = st->st_ino,
	};
	if (facts->type == FILE_REGULAR) {
		facts->size_bytes = (uint64_t)st->st_size;
		facts->used_bytes = (uint64_t)st->st_blocks * 512;
	} else if (facts->type == FILE_BLOCK || facts->type == FILE_CHAR) {
		facts->device = st->st_rdev;
	}
}

static int facts_of_device(int fd, struct file_facts *facts)
{
	uint64_t bytes = 0;
	int block = 0;

	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		return -errno;
	facts->size_bytes = bytes;
	if (ioctl(fd, BLKSSZGET, &block) == 0 && block > 0)
		facts->block_bytes = (uint32_t)block;
	return 0;
}

int file_facts_fd(int fd, struct file_facts *facts)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	facts_from_stat(&st, facts);
	return facts->type == FILE_BLOCK ? facts_of_device(fd, facts) : 0;
}

int file_facts(const char *path, struct file_facts *facts)
{
	struct stat st;
	int fd, err;

	if (stat(path, &st) < 0) {
		*facts = (struct file_facts){ .type = FILE_MISSING };
		return errno == ENOENT ? 0 : -errno;
	}
	facts_from_stat(&st, facts);
	if (facts->type != FILE_BLOCK)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	err = facts_of_device(fd, facts);
	close(fd);
	return err;
}

const char *file_type_name(enum file_type type)
{
	static const char *const names[] = {
		[FILE_MISSING] = "missing file",
		[FILE_REGULAR] = "regular file",
		[FILE_DIRECTORY] = "directory",
		[FILE_BLOCK] = "block device",
		[FILE_CHAR] = "character device",
		[FILE_FIFO] = "fifo",
		[FILE_OTHER] = "socket",
	};

	return (size_t)type < ARRAY_SIZE(names) ? names[type] : "unknown";
}

/* A directory that is there already is what was wanted; something else of that name is not. */
static int make_dir(const char *path)
{
	struct stat st;
	int err;

	if (mkdir(path, 0777) == 0)
		return 0;
	err = -errno;
	if (stat(path, &st) < 0)
		return err;
	if (S_ISDIR(st.st_mode))
		return 0;
	return err == -EEXIST ? -ENOTDIR : err;
}

int file_make_parents(const char *path)
{
	char dir[PATH_MAX];
	size_t len = strlen(path);
	char *slash;

	if (len >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, len + 1);
	for (slash = strchr(dir + (dir[0] == '/'), '/'); slash; slash = strchr(slash + 1, '/')) {
		int err;

		*slash = '\0';
		err = make_dir(dir);
		if (err)
			return err;
		*slash = '/';
	}
	return 0;
}

int file_make_dirs(const char *path)
{
	int err = file_make_parents(path);

	return err ? err : make_dir(path);
}

/* Cut the last name off a path; what is left names its folder. */
static void to_folder(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		strcpy(path, ".");
	else if (slash == path)
		slash[1] = '\0';
	else
		*slash = '\0';
}

int file_may(const char *path, bool read, bool write)
{
	char place[PATH_MAX];
	size_t len = strlen(path);

	if (!faccessat(AT_FDCWD, path, (read ? R_OK : 0) | (write ? W_OK : 0), AT_EACCESS))
		return 0;
	if (errno != ENOENT)
		return -errno;
	if (!len || len >= sizeof(place))
		return -ENAMETOOLONG;
	memcpy(place, path, len + 1);
	do {
		to_folder(place);
		if (!faccessat(AT_FDCWD, place, W_OK | X_OK, AT_EACCESS))
			return 0;
	} while (errno == ENOENT && strcmp(place, "/") && strcmp(place, "."));
	return -errno;
}

static int open_plain(const char *path, int flags)
{
	int fd;

	do {
		fd = open(path, flags | O_CLOEXEC, 0644);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

int file_open(const char *path, int flags, int may_drop, int *dropped)
{
	int gone = 0;
	int fd = open_plain(path, flags);

	if (fd == -EPERM && flags & O_NOATIME) {
		gone = O_NOATIME;
		fd = open_plain(path, flags & ~gone);
	}
	if ((fd == -EINVAL || fd == -EOPNOTSUPP) && flags & may_drop) {
		gone |= flags & may_drop;
		fd = open_plain(path, flags & ~gone);
	}
	if (dropped)
		*dropped = fd < 0 ? 0 : gone;
	return fd;
}

bool file_is_block(int fd)
{
	int block;

	return !ioctl(fd, BLKSSZGET, &block);
}

int file_write_all(int fd, const void *data, size_t bytes, uint64_t offset)
{
	const char *from = data;

	while (bytes) {
		ssize_t n = pwrite(fd, from, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENOSPC;
		from += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

int file_unlink(const char *path)
{
	return unlink(path) < 0 ? -errno : 0;
}

int file_advise(int fd, uint64_t offset_bytes, uint64_t bytes, enum file_advice advice)
{
	static const int kernel[] = {
		[FILE_ADVISE_NORMAL] = POSIX_FADV_NORMAL,
		[FILE_ADVISE_RANDOM] = POSIX_FADV_RANDOM,
		[FILE_ADVISE_SEQUENTIAL] = POSIX_FADV_SEQUENTIAL,
		[FILE_ADVISE_NOREUSE] = POSIX_FADV_NOREUSE,
		[FILE_ADVISE_WILLNEED] = POSIX_FADV_WILLNEED,
		[FILE_ADVISE_DONTNEED] = POSIX_FADV_DONTNEED,
	};

	fl_assert((size_t)advice < ARRAY_SIZE(kernel));
	/* It returns the error number instead of setting errno. */
	return -posix_fadvise(fd, (off_t)offset_bytes, (off_t)bytes, kernel[advice]);
}

int file_sync_system(const char *path)
{
	int fd = file_open(path, O_RDONLY | O_NONBLOCK, 0, NULL), err;

	if (fd < 0)
		return fd;
	do
		err = syncfs(fd) < 0 ? -errno : 0;
	while (err == -EINTR);
	close(fd);
	return err;
}

int file_write_hint(int fd, unsigned int hint)
{
	uint64_t value = hint;

	return fcntl(fd, F_SET_RW_HINT, &value) < 0 ? -errno : 0;
}

int file_invalidate(int fd, enum file_type type, uint64_t offset_bytes, uint64_t bytes,
		    bool write_back)
{
	if (type != FILE_REGULAR && type != FILE_BLOCK)
		return 0;
	if (write_back && fdatasync(fd) < 0)
		return -errno;
	if (type == FILE_BLOCK && ioctl(fd, BLKFLSBUF, 0) == 0)
		return 0;
	return file_advise(fd, offset_bytes, bytes, FILE_ADVISE_DONTNEED);
}

int file_free_bytes(const char *path, uint64_t *bytes)
{
	struct statvfs v;

	if (statvfs(path, &v) < 0)
		return -errno;
	*bytes = (uint64_t)v.f_bavail * v.f_frsize;
	return 0;
}

int file_place(const char *path, struct file_place *place)
{
	char at[PATH_MAX];
	size_t len = strlen(path);
	struct stat st;

	if (!len || len >= sizeof(at))
		return -ENAMETOOLONG;
	memcpy(at, path, len + 1);
	while (stat(at, &st) < 0) {
		if (errno != ENOENT || !strcmp(at, "/") || !strcmp(at, "."))
			return -errno;
		to_folder(at);
	}
	place->device = st.st_dev;
	return file_free_bytes(at, &place->free_bytes);
}

int64_t file_limit_raise(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return -errno;
	if (r.rlim_cur < r.rlim_max) {
		rlim_t before = r.rlim_cur;

		r.rlim_cur = r.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &r) < 0)
			r.rlim_cur = before;
	}
	return r.rlim_cur > INT32_MAX ? INT32_MAX : (int64_t)r.rlim_cur;
}

int file_table_own(void)
{
#ifdef CONFIG_TSAN
	return -ENOTSUP;	/* ThreadSanitizer takes equal numbers in two tables for one file */
#else
	return unshare(CLONE_FILES) ? -errno : 0;
#endif
}
