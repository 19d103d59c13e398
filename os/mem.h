/* SPDX-License-Identifier: MIT */
/*
 * Memory the runner needs from the kernel: one mapping that parent and workers share, and I/O
 * buffers of the kind a job asks for. Buffers come aligned and touched, so no page fault of theirs
 * falls into the measured time.
 */
#ifndef OS_MEM_H
#define OS_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mem_page_size - bytes in a page of this machine. */
size_t mem_page_size(void);

/*
 * mem_info_line - the line of this key in a text such as /proc/meminfo: bytes where the kernel
 * counts in kB, else the plain number. Returns whether there is one; else *value stays as it is.
 */
bool mem_info_line(const char *text, const char *key, uint64_t *value);

/* mem_info - the same of /proc/meminfo, as it is now; 0 if it doesn't say. */
uint64_t mem_info(const char *key);

/* mem_total - bytes of main memory; 0 if the kernel doesn't say. */
uint64_t mem_total(void);

/*
 * mem_unwritten - bytes in the page cache of the machine that are not on their medium: dirty, not
 * yet on the way; and on the way just now. 0 if the kernel doesn't say.
 */
void mem_unwritten(uint64_t *dirty, uint64_t *writeback);

/* mem_hugepage_size - bytes in a huge page of the default size; 0 where there are none. */
size_t mem_hugepage_size(void);

/*
 * mem_shared - zeroed memory that this process shares with all it forks later. Pages are taken from
 * the system at first touch, so asking for more than is used costs nothing.
 * Returns NULL with *error set to -errno. The caller returns it with mem_shared_free().
 */
void *mem_shared(size_t bytes, int *error);
void mem_shared_free(void *p, size_t bytes);

/*
 * mem_reserve - zeroed memory of this process alone, as mem_shared() otherwise: what is not touched
 * costs nothing. The caller returns it with mem_unreserve().
 */
void *mem_reserve(size_t bytes, int *error);
void mem_unreserve(void *p, size_t bytes);

enum mem_kind {
	MEM_MALLOC,		/* ordinary memory of the process */
	MEM_SHM,		/* System V shared memory */
	MEM_SHM_HUGE,		/* the same in huge pages */
	MEM_MMAP,		/* a private mapping, of a file if a path is given */
	MEM_MMAP_HUGE,		/* huge pages; of a file in hugetlbfs if a path is given */
	MEM_MMAP_SHARED,	/* a shared mapping; of a file if a path is given */
};

/* What to allocate. */
struct mem_want {
	enum mem_kind kind;
	size_t bytes;		/* usable bytes, not 0 */
	size_t align;		/* of the first byte: a power of two, or 0 for a page */
	size_t skew;		/* then this many bytes off that alignment, below align */
	const char *path;	/* for the mmap kinds, or NULL; created or extended as needed */
	size_t hugepage_bytes;	/* 0: the system's default size */
};

/* A buffer. data and bytes are for the user; the rest is how to give it back. */
struct mem_buf {
	void *data;
	size_t bytes;
	enum mem_kind kind;
	void *map;
	size_t map_bytes;
	char *made_path;	/* the file this buffer created, removed with it; or NULL */
};

/*
 * mem_buf_alloc - allocate a buffer, zeroed (a file that was there keeps its bytes) and with
 * every page in memory. Returns 0, or -errno and a sentence without full stop in error: -ENOMEM
 * (for huge pages: none reserved), -EINVAL for an alignment that is no power of two, or what
 * opening the file gave. The caller owns the buffer until mem_buf_free(), which may be called on
 * a zeroed struct, too.
 */
int mem_buf_alloc(struct mem_buf *buf, const struct mem_want *want, char *error, size_t error_size);
void mem_buf_free(struct mem_buf *buf);

/*
 * mem_lock - take that much memory away from everybody else: allocate and lock it. For runs that
 * must behave as on a smaller machine. Returns the memory, or NULL with *error -errno (-EPERM or
 * -ENOMEM beyond RLIMIT_MEMLOCK). The caller returns it with mem_unlock().
 */
void *mem_lock(size_t bytes, int *error);
void mem_unlock(void *p, size_t bytes);

#endif
