/* SPDX-License-Identifier: MIT */
/* Memory: every kind comes aligned, zeroed, resident, and goes away again. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "gen/config.h"
#include "lib/base.h"
#include "os/mem.h"
#include "os/usage.h"

/*
 * A sanitizer ends the program at a malloc that large instead of refusing it; that of threads has
 * faults of its own, in the memory where it notes who was where.
 */
#ifdef CONFIG_TSAN
#define SHADOW_FAULTS 1
#else
#define SHADOW_FAULTS 0
#endif
#if defined(CONFIG_ASAN) || SHADOW_FAULTS
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

TEST(sizes)
{
	T_TRUE(mem_page_size() >= 4096);
	T_TRUE(mem_total() > 1 << 20);
	T_TRUE(mem_hugepage_size() == 0 || mem_hugepage_size() > mem_page_size());
}

TEST(shared_with_children)
{
	int error = 0, status;
	size_t bytes = (size_t)1 << 34;
	volatile char *p = mem_shared(bytes, &error);

	T_TRUE(p != NULL);
	T_EQ(p[bytes - 1], 0);
	pid_t pid = fork();
	if (pid == 0) {
		p[5] = 42;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	T_EQ(p[5], 42);
	mem_shared_free((void *)p, bytes);
	T_TRUE(mem_shared(SIZE_MAX / 2, &error) == NULL);
	T_TRUE(error == -ENOMEM || t_emulated());	/* valgrind has another word for it */
}

static void check_kind(enum mem_kind kind, size_t align, size_t skew)
{
	struct mem_want want = { .kind = kind, .bytes = 300001, .align = align, .skew = skew };
	size_t expect = align ? align : mem_page_size(), i;
	struct mem_buf b;
	struct usage before, after;
	char error[160];

	T_EQ(mem_buf_alloc(&b, &want, error, sizeof(error)), 0);
	T_EQ((uintptr_t)b.data % expect, skew);
	T_EQ(b.bytes, 300001);
	T_TRUE((char *)b.data + b.bytes <= (char *)b.map + b.map_bytes);
	usage_take(USAGE_THREAD, &before);
	for (i = 0; i < b.bytes; i++)
		T_TRUE(((char *)b.data)[i] == 0);
	memset(b.data, 1, b.bytes);
	usage_take(USAGE_THREAD, &after);
	T_TRUE(SHADOW_FAULTS || t_emulated() || usage_since(&before, &after).faults_minor < 30);
	mem_buf_free(&b);
	T_TRUE(b.map == NULL);
	mem_buf_free(&b);
}

TEST(every_kind_and_alignment)
{
	static const enum mem_kind kinds[] = { MEM_MALLOC, MEM_SHM, MEM_MMAP, MEM_MMAP_SHARED };
	static const size_t aligns[] = { 0, 16, 4096, 65536, 1 << 20 };
	size_t k, a;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (a = 0; a < ARRAY_SIZE(aligns); a++)
			check_kind(kinds[k], aligns[a], 0);
		check_kind(kinds[k], 4096, 16);
		check_kind(kinds[k], 65536, 16);
	}
}

TEST(alignment_must_be_a_power_of_two)
{
	struct mem_want want = { .kind = MEM_MMAP, .bytes = 10, .align = 48 };
	struct mem_buf b;
	char error[80];

	T_EQ(mem_buf_alloc(&b, &want, error, sizeof(error)), -EINVAL);
	T_STR(error, "alignment 48 is no power of two");
}

TEST(impossible_sizes)
{
	static const enum mem_kind kinds[] = { MEM_SHM, MEM_MMAP, MEM_MALLOC };
	struct mem_buf b;
	char error[160];
	size_t k;

	for (k = 0; k < ARRAY_SIZE(kinds) - SANITIZED; k++) {
		struct mem_want want = { .kind = kinds[k], .bytes = SIZE_MAX / 4 };

		T_TRUE(mem_buf_alloc(&b, &want, error, sizeof(error)) < 0);
		T_TRUE(!strncmp(error, "cannot allocate ", 16));
		want.bytes = SIZE_MAX - 5;
		T_EQ(mem_buf_alloc(&b, &want, error, sizeof(error)), -ENOMEM);
	}
}

TEST(on_a_file)
{
	char dir[] = "/tmp/os_mem.XXXXXX", path[64], error[160];
	struct mem_want want = { .bytes = 10000, .path = path };
	struct mem_buf b;
	struct stat st;
	int fd;

	T_TRUE(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/buffers", dir);

	want.kind = MEM_MMAP_SHARED;
	T_EQ(mem_buf_alloc(&b, &want, error, sizeof(error)), 0);
	T_EQ(stat(path, &st), 0);
	T_EQ(st.st_size, 3 * 4096);
	mem_buf_free(&b);
	T_EQ(access(path, F_OK), -1);

	/* A file that was there is kept, with its bytes. */
	fd = open(path, O_RDWR | O_CREAT, 0600);
	T_EQ(write(fd, "data", 4), 4);
	for (want.kind = MEM_MMAP; want.kind <= MEM_MMAP_SHARED; want.kind += 2) {
		T_EQ(mem_buf_alloc(&b, &want, error, sizeof(error)), 0);
		T_TRUE(!memcmp(b.data, "data", 4));
		mem_buf_free(&b);
		T_EQ(access(path, F_OK), 0);
	}
	close(fd);
	unlink(path);
	rmdir(dir);

	T_EQ(mem_buf_alloc(&b, &want, error, sizeof(error)), -EINVAL);
	want.kind = MEM_MMAP;
	T_EQ(mem_buf_alloc(&b, &want, error, sizeof(error)), -ENOENT);
	T_TRUE(strstr(error, "cannot map 12288 bytes of buffers on /tmp/os_mem.") != NULL);
}

TEST(huge_pages)
{
	struct mem_want want = { .kind = MEM_MMAP_HUGE, .bytes = 1000 };
	struct mem_buf b;
	char error[160];
	int err;

	if (!mem_hugepage_size())
		SKIP("no huge pages on this machine");
	if (t_emulated())
		SKIP("valgrind puts huge pages where it puts others");
	for (; want.kind >= MEM_SHM_HUGE; want.kind -= 2) {
		err = mem_buf_alloc(&b, &want, error, sizeof(error));
		if (err) {
			T_TRUE(err == -ENOMEM || err == -EPERM);
			printf("# %s\n", error);
		} else {
			T_EQ((uintptr_t)b.data % mem_hugepage_size(), 0);
			memset(b.data, 1, b.bytes);
			mem_buf_free(&b);
		}
	}
}

TEST(locked)
{
	int error = 0;
	void *p = mem_lock(65536, &error);

	T_TRUE(p != NULL || error == -ENOMEM || error == -EPERM);
	mem_unlock(p, 65536);
	mem_unlock(NULL, 0);
}
