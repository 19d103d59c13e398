/* SPDX-License-Identifier: MIT */
/*
 * Files as the kernel knows them: what kind of thing a name is, how big, opening it with flags
 * that a file system may not have, dropping its cached pages, hints. What is in the files is not
 * known here.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum file_type {
	FILE_MISSING,		/* no such file (yet) */
	FILE_REGULAR,
	FILE_DIRECTORY,
	FILE_BLOCK,		/* block device */
	FILE_CHAR,		/* character device */
	FILE_FIFO,
	FILE_OTHER,		/* a socket */
};

struct file_facts {
	enum file_type type;
	uint64_t size_bytes;	/* of a regular file or a block device; else 0 */
	uint64_t used_bytes;	/* space a regular file occupies: less than its size with holes */
	uint32_t block_bytes;	/* preferred size of an I/O; of a block device its logical block */
	dev_t device;		/* the file system's device, or a device file's own */
	ino_t inode;
};

/*
 * file_facts - look at a name, following symbolic links.
 * Returns 0 (a missing file is type FILE_MISSING, no error), or -errno. The size of a block device
 * is asked by opening it for reading: without permission the call gives -EACCES or -EPERM.
 */
int file_facts(const char *path, struct file_facts *facts);

/* file_facts_fd - the same for an open descriptor. Returns 0 or -errno. */
int file_facts_fd(int fd, struct file_facts *facts);

/* file_type_name - the type in words: "regular file", "block device" ... Never NULL. */
const char *file_type_name(enum file_type type);

/*
 * file_make_parents - create the directories that lead to path (not path itself), mode 0777 less
 * the umask. Returns 0 (also when they were there), or -errno: -ENOTDIR, -EACCES, -ENAMETOOLONG
 * ...
 */
int file_make_parents(const char *path);

/* file_make_dirs - create path itself as a directory too. Returns as file_make_parents does. */
int file_make_dirs(const char *path);

/*
 * file_open - open(2) with O_CLOEXEC and mode 0644, giving up flags that are only wishes.
 *
 * O_NOATIME is dropped where the kernel doesn't permit it (-EPERM: somebody else's file).
 * may_drop names further flags to go without when the file system refuses them (-EINVAL,
 * -EOPNOTSUPP), such as O_DIRECT; 0 for none. *dropped (may be NULL) says which of the flags the
 * file was opened without.
 *
 * Returns the descriptor, which the caller closes, or -errno.
 */
int file_open(const char *path, int flags, int may_drop, int *dropped);

/* file_is_block - is it a block device? By what only they answer; nothing is looked up. */
bool file_is_block(int fd);

/*
 * file_may - could this process open path for reading and, or, writing? A missing file is asked for
 * in its place: may it be created, with the folders that lead to it? Nothing is opened.
 * Returns 0, or -errno: -EACCES, -EROFS ...
 */
int file_may(const char *path, bool read, bool write);

/*
 * file_nearest - the name in the folder of path, as path would be written with it, that a mistyped
 * one most likely stands for. Returns near, or NULL: there is none, or it does not fit.
 */
const char *file_nearest(const char *path, char *near, size_t size);

/*
 * file_write_all - write all of it at an offset, whatever signals come. Returns 0, -ENOSPC where
 * the kernel takes nothing, or another -errno.
 */
int file_write_all(int fd, const void *data, size_t bytes, uint64_t offset);

/* file_unlink - remove a name. Returns 0 or -errno; -ENOENT if it wasn't there. */
int file_unlink(const char *path);

enum file_advice {
	FILE_ADVISE_NORMAL,
	FILE_ADVISE_RANDOM,
	FILE_ADVISE_SEQUENTIAL,
	FILE_ADVISE_NOREUSE,
	FILE_ADVISE_WILLNEED,
	FILE_ADVISE_DONTNEED,
};

/*
 * file_advise - tell the kernel how a range will be used; bytes 0 means to the end of the file.
 * Returns 0 or -errno. Some kernels take advice and do nothing, which nobody can see.
 */
int file_advise(int fd, uint64_t offset_bytes, uint64_t bytes, enum file_advice advice);

/*
 * file_sync_system - write back all that the file system of path holds in memory (syncfs). Returns
 * 0 or -errno.
 */
int file_sync_system(const char *path);

/*
 * file_write_hint - how long what is written will live: 0 not set, 1 none, 2 short, 3 medium, 4
 * long, 5 extreme (fcntl F_SET_RW_HINT). Returns 0 or -errno; -EINVAL where the kernel doesn't
 * know it.
 */
int file_write_hint(int fd, unsigned int hint);

/*
 * file_invalidate - drop a file's pages from the page cache; bytes 0 means to the end.
 *
 * Only clean pages can be dropped: with write_back the file's dirty data is written first,
 * without it dirty pages stay. Pages mapped by some process, or in use, stay too. Of a block
 * device the kernel drops all buffers at once (BLKFLSBUF, a privileged call; if it isn't
 * permitted, by advice as a file's). For other types nothing is cached, and nothing is done.
 *
 * Returns 0, or -errno of the write-back or of the advice.
 */
int file_invalidate(int fd, enum file_type type, uint64_t offset_bytes, uint64_t bytes,
		    bool write_back);

/* file_free_bytes - room for an unprivileged user in path's file system. Returns 0 or -errno. */
int file_free_bytes(const char *path, uint64_t *bytes);

/* Where a file lies or would be made. */
struct file_place {
	dev_t device;			/* of the file system */
	uint64_t free_bytes;		/* room for an unprivileged user there */
};

/*
 * file_place - ask about path, or about the nearest folder above it that exists. Returns 0 or
 * -errno.
 */
int file_place(const char *path, struct file_place *place);

/*
 * file_limit_raise - raise the number of descriptors this process may have to what it is permitted.
 * Returns the number now in force (at most INT32_MAX), or -errno.
 */
int64_t file_limit_raise(void);

/*
 * file_table_own - give the calling thread a table of descriptors of its own: what it opens from
 * now on is nobody else's, and is not inherited by processes that other threads fork. Returns 0, or
 * -errno: -EPERM where a sandbox forbids it.
 */
int file_table_own(void);

#endif
