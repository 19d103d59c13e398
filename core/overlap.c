/* SPDX-License-Identifier: MIT */
/* The board, its lock, and who is woken. */
#include "core/overlap.h"
#include "lib/rand.h"
#include "os/file.h"
#include "os/futex.h"
#include "os/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

enum { FREE = 0, UP = 1, WANTED = 2 };	/* WANTED: up, and somebody waits for it to go */

struct slot {
	_Atomic uint32_t state;
	struct overlap_range range;	/* written under the lock */
};

struct overlap {
	pthread_mutex_t lock;		/* robust: a worker may be killed that holds it */
	_Atomic uint32_t gone;		/* goes up when a wanted range is taken down; a futex */
	uint32_t count;
	size_t bytes;
	struct slot slots[];
};

struct overlap *overlap_new(uint32_t slots, int *err)
{
	size_t bytes = sizeof(struct overlap) + slots * sizeof(struct slot);
	struct overlap *o = mem_shared(bytes, err);
	pthread_mutexattr_t attr;

	if (!o)
		return NULL;
	o->count = slots;
	o->bytes = bytes;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&o->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return o;
}

void overlap_free(struct overlap *o)
{
	if (o)
		mem_shared_free(o, o->bytes);
}

/* A range that was being put up when its worker was killed is not up yet: nothing needs mending. */
static void lock(struct overlap *o)
{
	if (pthread_mutex_lock(&o->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&o->lock);
}

/* Say that somebody waits for this one. Returns false when it has just gone. */
static bool want(struct slot *s)
{
	uint32_t was = UP;

	return atomic_compare_exchange_strong(&s->state, &was, WANTED) || was == WANTED;
}

bool overlap_claim(struct overlap *o, uint32_t slot, const struct overlap_range *r, uint32_t *seen)
{
	struct slot *mine = &o->slots[slot];
	bool clear = true;

	fl_assert(slot < o->count && atomic_load(&mine->state) == FREE);
	*seen = atomic_load(&o->gone);
	lock(o);
	for (uint32_t i = 0; clear && i < o->count; i++) {
		struct slot *s = &o->slots[i];

		if (atomic_load_explicit(&s->state, memory_order_acquire) != FREE &&
		    overlap_conflict(&s->range, r))
			clear = !want(s);
	}
	if (clear) {
		mine->range = *r;
		atomic_store(&mine->state, UP);
	}
	pthread_mutex_unlock(&o->lock);
	return clear;
}

void overlap_release(struct overlap *o, uint32_t slot)
{
	if (atomic_exchange(&o->slots[slot].state, FREE) != WANTED)
		return;
	atomic_fetch_add(&o->gone, 1);
	futex_wake(&o->gone);
}

void overlap_clear(struct overlap *o, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		overlap_release(o, first + i);
}

void overlap_wait(struct overlap *o, uint32_t seen, uint64_t timeout_ns)
{
	futex_wait(&o->gone, seen, timeout_ns);
}

uint64_t overlap_file(const struct fl_file *f)
{
	struct file_facts facts;
	uint64_t id = 0;

	if (f->fd >= 0 ? !file_facts_fd(f->fd, &facts) : f->type != FL_FILE_NAME &&
	    !file_facts(f->name, &facts) && facts.type != FILE_MISSING) {
		id = rand_mix64((uint64_t)facts.device + facts.type);
		return rand_mix64(id ^ (facts.type == FILE_REGULAR ? (uint64_t)facts.inode : 0));
	}
	for (const char *c = f->name; *c; c++)
		id = rand_mix64(id ^ (unsigned char)*c);
	return id;
}
