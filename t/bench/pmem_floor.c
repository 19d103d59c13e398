/* SPDX-License-Identifier: MIT */
/*
 * pmem_floor read|direct|temporal FILE SECONDS
 *
 * What libpmem can do on this machine with nothing around it: 128 KiB at a time over a mapping of
 * the whole file, from its beginning again when the end is reached, by the very call that the
 * engine makes for such a job. Prints I/Os per second. libpmem is looked for when it runs, so that
 * this builds without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define BLOCK		(128u << 10)
#define IOS_BETWEEN	64		/* looks at the clock */

/* As libpmem.h has them. */
#define NODRAIN		(1u << 0)
#define NONTEMPORAL	(1u << 1)
#define TEMPORAL	(1u << 2)

static void *(*map_file)(const char *, size_t, int, mode_t, size_t *, int *);
static void *(*pmem_copy)(void *, const void *, size_t, unsigned);
static void (*drain)(void);

static void load(void)
{
	void *lib = dlopen("libpmem.so.1", RTLD_NOW);

	if (!lib) {
		fprintf(stderr, "pmem_floor: %s\n", dlerror());
		exit(77);
	}
	*(void **)&map_file = dlsym(lib, "pmem_map_file");
	*(void **)&pmem_copy = dlsym(lib, "pmem_memcpy");
	*(void **)&drain = dlsym(lib, "pmem_drain");
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	size_t bytes, at = 0;
	unsigned flags = NODRAIN;
	uint64_t ios = 0;
	double start, end, seconds;
	char *file, *buf;
	int is_pmem, reads;

	if (argc != 4) {
		fprintf(stderr, "usage: pmem_floor read|direct|temporal FILE SECONDS\n");
		return 1;
	}
	load();
	reads = !strcmp(argv[1], "read");
	flags |= !strcmp(argv[1], "direct") ? NONTEMPORAL : TEMPORAL;
	seconds = atof(argv[3]);
	file = map_file(argv[2], 0, 0, 0, &bytes, &is_pmem);
	buf = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!file || buf == MAP_FAILED || bytes < BLOCK) {
		perror(argv[2]);
		return 1;
	}
	memset(buf, 0x5a, BLOCK);
	start = now_s();
	do {
		for (int i = 0; i < IOS_BETWEEN; i++) {
			if (reads) {
				memcpy(buf, file + at, BLOCK);
				/* Nobody looks at the bytes, and the copy must happen all the same. */
				__asm__ volatile("" : : "r"(buf) : "memory");
			} else {
				pmem_copy(file + at, buf, BLOCK, flags);
			}
			at = at + 2 * BLOCK <= bytes ? at + BLOCK : 0;
		}
		ios += IOS_BETWEEN;
		end = now_s();
	} while (end - start < seconds);
	if (!reads)
		drain();
	printf("%.0f\n", ios / (end - start));
	return 0;
}
