/* SPDX-License-Identifier: MIT */
/* Memory from the kernel: the shared mapping, and I/O buffers of every kind. */
#define _GNU_SOURCE 1
#include "os/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base.h"
#include "lib/keyline.h"
#include "os/sys.h"

/* Where the kernel headers put log2 of the huge page size in flags of mmap and shmget. */
#define HUGE_SIZE_SHIFT 26

size_t mem_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

#define MEMINFO_BYTES 8192

bool mem_info_line(const char *text, const char *key, uint64_t *value)
{
	const char *at = keyline_find(text, key, ':');
	char *end;

	if (!at)
		return false;
	*value = strtoull(at, &end, 10);
	if (!strncmp(end, " kB", 3))
		*value *= 1024;
	return true;
}

uint64_t mem_info(const char *key)
{
	char text[MEMINFO_BYTES];
	uint64_t v = 0;

	if (sys_read_text("/proc/meminfo", text, sizeof(text)) > 0)
		mem_info_line(text, key, &v);
	return v;
}

void mem_unwritten(uint64_t *dirty, uint64_t *writeback)
{
	char text[MEMINFO_BYTES];

	*dirty = *writeback = 0;
	if (sys_read_text("/proc/meminfo", text, sizeof(text)) < 0)
		return;
	mem_info_line(text, "Dirty", dirty);
	mem_info_line(text, "Writeback", writeback);
}

uint64_t mem_total(void)
{
	return mem_info("MemTotal");
}

size_t mem_hugepage_size(void)
{
	return (size_t)mem_info("Hugepagesize");
}

static void *map_anonymous(size_t bytes, int flags, int *error)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED) {
		*error = -errno;
		return NULL;
	}
	return p;
}

void *mem_shared(size_t bytes, int *error)
{
	return map_anonymous(bytes, MAP_SHARED | MAP_NORESERVE, error);
}

void mem_shared_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}

void *mem_reserve(size_t bytes, int *error)
{
	return map_anonymous(bytes, MAP_PRIVATE | MAP_NORESERVE, error);
}

void mem_unreserve(void *p, size_t bytes)
{
	mem_shared_free(p, bytes);
}

static bool kind_is_huge(enum mem_kind kind)
{
	return kind == MEM_SHM_HUGE || kind == MEM_MMAP_HUGE;
}

/*
 * The segment is marked for removal at once: it goes when the last process lets go, crash or not.
 */
static int shm_map(struct mem_buf *buf, int huge_flags)
{
	int id = shmget(IPC_PRIVATE, buf->map_bytes, IPC_CREAT | 0600 | huge_flags);

	if (id < 0)
		return -errno;
	buf->map = shmat(id, NULL, 0);
	if (buf->map == (void *)-1) {
		int err = -errno;

		buf->map = NULL;
		shmctl(id, IPC_RMID, NULL);
		return err;
	}
	shmctl(id, IPC_RMID, NULL);
	return 0;
}

/* Open the buffer's file and make it long enough. A file that is created here is remembered. */
static int backing_open(struct mem_buf *buf, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0) {
			buf->made_path = strdup(path);
			if (!buf->made_path) {
				unlink(path);
				close(fd);
				return -ENOMEM;
			}
		}
	}
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size < buf->map_bytes &&
	    ftruncate(fd, (off_t)buf->map_bytes) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static int file_map(struct mem_buf *buf, const char *path, int flags)
{
	int fd = backing_open(buf, path);
	int err = 0;

	if (fd < 0)
		return fd;
	buf->map = mmap(NULL, buf->map_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (buf->map == MAP_FAILED) {
		err = -errno;
		buf->map = NULL;
	}
	close(fd);
	return err;
}

static int buf_map(struct mem_buf *buf, const struct mem_want *want, int huge_flags)
{
	int err = 0;

	switch (want->kind) {
	case MEM_MALLOC:
		buf->map = malloc(buf->map_bytes);
		return buf->map ? 0 : -ENOMEM;
	case MEM_SHM:
		return shm_map(buf, 0);
	case MEM_SHM_HUGE:
		return shm_map(buf, SHM_HUGETLB | huge_flags);
	case MEM_MMAP:
		if (want->path)
			return file_map(buf, want->path, MAP_PRIVATE);
		buf->map = map_anonymous(buf->map_bytes, MAP_PRIVATE, &err);
		return err;
	case MEM_MMAP_SHARED:
		if (want->path)
			return file_map(buf, want->path, MAP_SHARED);
		buf->map = map_anonymous(buf->map_bytes, MAP_SHARED, &err);
		return err;
	case MEM_MMAP_HUGE:
		/* A file of hugetlbfs knows its page size; the flag is for anonymous memory. */
		if (want->path)
			return file_map(buf, want->path, MAP_SHARED);
		huge_flags |= MAP_PRIVATE | MAP_HUGETLB;
		buf->map = map_anonymous(buf->map_bytes, huge_flags, &err);
		return err;
	}
	return -EINVAL;
}

/*
 * Bring every page into memory by a write: a read alone would only map the shared zero page. A file
 * that was there before keeps its bytes.
 */
static void buf_touch(struct mem_buf *buf, bool keep)
{
	size_t page = mem_page_size(), at;
	volatile char *p = buf->map;

	if (buf->kind == MEM_MALLOC) {
		memset(buf->map, 0, buf->map_bytes);
		return;
	}
	for (at = 0; at < buf->map_bytes; at += page)
		p[at] = keep ? p[at] : 0;
}

static int buf_fail(struct mem_buf *buf, const struct mem_want *want, int err,
		    char *error, size_t size)
{
	if (kind_is_huge(want->kind) && err == -ENOMEM)
		snprintf(error, size, "no %zu bytes of huge pages are free: reserve some in "
			 "/proc/sys/vm/nr_hugepages", buf->map_bytes);
	else if (want->path)
		snprintf(error, size, "cannot map %zu bytes of buffers on %s: %s",
			 buf->map_bytes, want->path, strerror(-err));
	else
		snprintf(error, size, "cannot allocate %zu bytes of buffers: %s",
			 buf->map_bytes, strerror(-err));
	mem_buf_free(buf);
	return err;
}

int mem_buf_alloc(struct mem_buf *buf, const struct mem_want *want, char *error, size_t error_size)
{
	size_t page = mem_page_size();
	size_t align = want->align ? want->align : page;
	size_t unit = page, slack;
	int huge_flags = 0, err;
	uintptr_t start;

	*buf = (struct mem_buf){ .kind = want->kind, .bytes = want->bytes };
	if (align & (align - 1)) {
		snprintf(error, error_size, "alignment %zu is no power of two", align);
		return -EINVAL;
	}
	fl_assert(want->bytes && want->skew < align);
	if (kind_is_huge(want->kind)) {
		unit = want->hugepage_bytes ? want->hugepage_bytes : mem_hugepage_size();
		if (!unit || unit & (unit - 1)) {
			snprintf(error, error_size, "huge pages of %zu bytes don't exist here",
				 unit);
			return -EINVAL;
		}
		if (want->hugepage_bytes)
			huge_flags = __builtin_ctzl(unit) << HUGE_SIZE_SHIFT;
	}
	/* Mappings start at a multiple of their unit; malloc's memory starts anywhere. */
	slack = want->skew;
	if (want->kind == MEM_MALLOC || align > unit)
		slack += align;
	if (__builtin_add_overflow(want->bytes, slack + unit - 1, &buf->map_bytes))
		return buf_fail(buf, want, -ENOMEM, error, error_size);
	buf->map_bytes &= ~(unit - 1);
	err = buf_map(buf, want, huge_flags);
	if (err)
		return buf_fail(buf, want, err, error, error_size);
	buf_touch(buf, want->path);
	start = ((uintptr_t)buf->map + align - 1) & ~(uintptr_t)(align - 1);
	buf->data = (char *)start + want->skew;
	return 0;
}

void mem_buf_free(struct mem_buf *buf)
{
	if (buf->map) {
		if (buf->kind == MEM_MALLOC)
			free(buf->map);
		else if (buf->kind == MEM_SHM || buf->kind == MEM_SHM_HUGE)
			shmdt(buf->map);
		else
			munmap(buf->map, buf->map_bytes);
	}
	if (buf->made_path) {
		unlink(buf->made_path);
		free(buf->made_path);
	}
	memset(buf, 0, sizeof(*buf));
}

void *mem_lock(size_t bytes, int *error)
{
	void *p = map_anonymous(bytes, MAP_PRIVATE, error);

	if (!p)
		return NULL;
	if (mlock(p, bytes) < 0) {
		*error = -errno;
		munmap(p, bytes);
		return NULL;
	}
	return p;
}

void mem_unlock(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}
