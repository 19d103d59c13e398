/* SPDX-License-Identifier: MIT */
/*
 * SIGBUS in guarded ranges becomes a counted zero page.
 *
 * The ranges are thread-local: a SIGBUS is delivered to the thread that touched the page, so the
 * handler needs no lock and can never see another thread's half-made entry. Within the thread the
 * handler may come between any two instructions of add and remove; an entry counts from the
 * moment its length is not 0, and the length is the last thing add writes and the first thing
 * remove clears.
 */
#define _GNU_SOURCE 1
#include "os/mapguard.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base.h"

#define RANGES_PER_CHUNK 64
#define HUGE_BYTES (2u << 20)

struct range {
	uintptr_t start;
	volatile size_t bytes;		/* 0: a free entry */
};

struct chunk {
	struct range ranges[RANGES_PER_CHUNK];
	unsigned int used;		/* entries from here on were never used or are free */
	struct chunk *next;
};

static _Thread_local struct chunk first;
static _Thread_local volatile uint32_t faults;
static struct sigaction previous;
static size_t page_bytes;
static bool installed;

static bool range_find(uintptr_t addr)
{
	const struct chunk *c;
	unsigned int i;

	for (c = &first; c; c = c->next)
		for (i = 0; i < c->used; i++)
			if (addr - c->ranges[i].start < c->ranges[i].bytes)
				return true;
	return false;
}

/* mmap is no function POSIX promises to a handler, but on Linux it is a bare system call. */
static bool zero_map(uintptr_t addr, size_t unit)
{
	void *at = (void *)(addr & ~(uintptr_t)(unit - 1));

	return mmap(at, unit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) != MAP_FAILED;
}

/*
 * Cover the page that faulted. A mapping of huge pages (hugetlbfs, device DAX) can't be split at
 * a small page, which the kernel says with EINVAL before it touches anything: then the huge page
 * around the address, which lies wholly within that mapping, is replaced. Of mmap itself older
 * kernels make that ENOMEM (mmap_region() of Linux 6.1), which is also what too many mappings are;
 * mprotect tells one from the other everywhere.
 */
static bool page_replace(uintptr_t addr)
{
	if (zero_map(addr, page_bytes))
		return true;
	if (errno == ENOMEM)
		mprotect((void *)(addr & ~(uintptr_t)(page_bytes - 1)), page_bytes, PROT_NONE);
	return errno == EINVAL && zero_map(addr, HUGE_BYTES);
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr;
	int saved = errno;

	(void)context;
	/*
	 * Codes above 0 come from the kernel on behalf of an access; others were sent by
	 * somebody.
	 */
	if (info->si_code > 0 && range_find(addr) && page_replace(addr)) {
		faults++;
		errno = saved;
		return;
	}
	/*
	 * Returning repeats the access under the old handling: the core dump shows the true
	 * place.
	 */
	sigaction(SIGBUS, &previous, NULL);
	if (info->si_code <= 0)
		raise(sig);
	errno = saved;
}

int mapguard_install(void)
{
	struct sigaction a = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (installed)
		return 0;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&a.sa_mask);
	if (sigaction(SIGBUS, &a, &previous) < 0)
		return -errno;
	installed = true;
	return 0;
}

/* A free entry of a chunk, or NULL. The first free one, so that chunks stay dense. */
static struct range *entry_free(struct chunk *c)
{
	unsigned int i;

	for (i = 0; i < c->used; i++)
		if (!c->ranges[i].bytes)
			return &c->ranges[i];
	return c->used < RANGES_PER_CHUNK ? &c->ranges[c->used++] : NULL;
}

int mapguard_add(const void *addr, size_t bytes)
{
	struct chunk *c = &first;
	struct range *r;

	fl_assert(bytes);
	while (!(r = entry_free(c))) {
		if (!c->next) {
			struct chunk *more = calloc(1, sizeof(*more));

			if (!more)
				return -ENOMEM;
			atomic_signal_fence(memory_order_release);
			c->next = more;
		}
		c = c->next;
	}
	r->start = (uintptr_t)addr;
	atomic_signal_fence(memory_order_release);
	r->bytes = bytes;
	atomic_signal_fence(memory_order_seq_cst);
	return 0;
}

void mapguard_remove(const void *addr, size_t bytes)
{
	struct chunk *c;
	unsigned int i;

	atomic_signal_fence(memory_order_seq_cst);
	for (c = &first; c; c = c->next) {
		for (i = 0; i < c->used; i++) {
			struct range *r = &c->ranges[i];

			if (r->start != (uintptr_t)addr || r->bytes != bytes)
				continue;
			r->bytes = 0;
			while (c->used && !c->ranges[c->used - 1].bytes)
				c->used--;
			return;
		}
	}
	fl_assert(!"a range is removed that was added");
}

volatile uint32_t *mapguard_faults(void)
{
	return &faults;
}

void mapguard_thread_end(void)
{
	struct chunk *c = first.next;

	first.next = NULL;
	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}
