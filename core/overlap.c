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
#include <string.h>

enum { FREE = 0, UP = 1, WANTED = 2 };	/* WANTED: up, and somebody waits for it to go */

/*
 * A place in the list of a bucket; 0 is none in all three. Each slot has two of them, as a range
 * can lie in two regions: node n belongs to slot n / 2.
 */
struct place {
	uint32_t bucket, next, prev;	/* numbers plus 1 */
};

/* A slot that was taken down stays in its lists until it is used again. */
struct slot {
	_Atomic uint32_t state;
	struct place place[2];		/* this and the range: written under the lock */
	struct overlap_range range;
};

struct overlap {
	pthread_mutex_t lock;		/* robust: a worker may be killed that holds it */
	_Atomic uint32_t gone;		/* goes up when a wanted range is taken down; a futex */
	bool shared;
	uint32_t count;
	uint32_t region_shift;		/* a region has 2^that bytes */
	uint32_t mask;			/* of bucket numbers; one more bucket is for long ranges */
	size_t bytes;
	uint32_t *first;		/* by bucket: its first node plus 1 */
	struct slot slots[];
};

struct overlap *overlap_new(uint32_t slots, uint64_t block_max, bool shared, int *err)
{
	uint32_t buckets = 1;
	struct overlap *o;
	size_t bytes;
	pthread_mutexattr_t attr;

	fl_assert(slots && slots <= OVERLAP_SLOTS_MAX);
	while (buckets < 2 * slots)
		buckets *= 2;
	bytes = sizeof(*o) + slots * sizeof(struct slot) + (buckets + 1) * sizeof(*o->first);
	o = shared ? mem_shared(bytes, err) : mem_reserve(bytes, err);
	if (!o)
		return NULL;
	o->shared = shared;
	o->count = slots;
	o->bytes = bytes;
	o->mask = buckets - 1;
	o->first = (uint32_t *)(o->slots + slots);
	while (o->region_shift < 63 && 1ull << o->region_shift < block_max)
		o->region_shift++;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&o->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return o;
}

void overlap_free(struct overlap *o)
{
	if (o && o->shared)
		mem_shared_free(o, o->bytes);
	else if (o)
		mem_unreserve(o, o->bytes);
}

/* ---- Lists, under the lock ------------------------------------------------------------------- */

static struct place *place_of(struct overlap *o, uint32_t node)
{
	return &o->slots[node / 2].place[node % 2];
}

static void link_node(struct overlap *o, uint32_t node, uint32_t bucket)
{
	struct place *p = place_of(o, node);

	*p = (struct place){ .bucket = bucket + 1, .next = o->first[bucket] };
	if (p->next)
		place_of(o, p->next - 1)->prev = node + 1;
	o->first[bucket] = node + 1;
}

static void unlink_node(struct overlap *o, uint32_t node)
{
	struct place *p = place_of(o, node);

	if (!p->bucket)
		return;
	if (p->prev)
		place_of(o, p->prev - 1)->next = p->next;
	else
		o->first[p->bucket - 1] = p->next;
	if (p->next)
		place_of(o, p->next - 1)->prev = p->prev;
	*p = (struct place){ 0 };
}

static uint32_t bucket_of(const struct overlap *o, const struct overlap_range *r, uint64_t region)
{
	return (uint32_t)rand_mix64(r->file ^ rand_mix64(region)) & o->mask;
}

/* The buckets of a range, one or two: of its regions, or the one for long ranges. */
static unsigned buckets_of(const struct overlap *o, const struct overlap_range *r, uint32_t out[2])
{
	uint64_t first = r->lo >> o->region_shift, last = (r->hi - 1) >> o->region_shift;

	out[0] = last - first > 1 ? o->mask + 1 : bucket_of(o, r, first);
	out[1] = last - first > 1 ? out[0] : bucket_of(o, r, last);
	return out[0] == out[1] ? 1 : 2;
}

static void link_slot(struct overlap *o, uint32_t slot)
{
	uint32_t buckets[2];
	unsigned n = buckets_of(o, &o->slots[slot].range, buckets);

	for (unsigned i = 0; i < n; i++)
		link_node(o, 2 * slot + i, buckets[i]);
}

/* The lock's owner has died, in the middle of anything: make all lists anew. */
static void mend(struct overlap *o)
{
	memset(o->first, 0, (o->mask + 2ull) * sizeof(*o->first));
	for (uint32_t i = 0; i < o->count; i++)
		memset(o->slots[i].place, 0, sizeof(o->slots[i].place));
	for (uint32_t i = 0; i < o->count; i++)
		if (atomic_load(&o->slots[i].state) != FREE)
			link_slot(o, i);
}

/* A range that was being put up when its worker was killed is not up yet. */
static void lock(struct overlap *o)
{
	if (!o->shared || pthread_mutex_lock(&o->lock) != EOWNERDEAD)
		return;
	mend(o);
	pthread_mutex_consistent(&o->lock);
}

static void unlock(struct overlap *o)
{
	if (o->shared)
		pthread_mutex_unlock(&o->lock);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* Say that somebody waits for this one. Returns false when it has just gone. */
static bool want(struct slot *s)
{
	uint32_t was = UP;

	return atomic_compare_exchange_strong(&s->state, &was, WANTED) || was == WANTED;
}

/* Is it in the way? */
static bool blocks(struct slot *s, const struct overlap_range *r)
{
	return atomic_load_explicit(&s->state, memory_order_acquire) != FREE &&
	       overlap_conflict(&s->range, r) && want(s);
}

static bool bucket_clear(struct overlap *o, uint32_t bucket, const struct overlap_range *r)
{
	for (uint32_t at = o->first[bucket]; at; at = place_of(o, at - 1)->next)
		if (blocks(&o->slots[(at - 1) / 2], r))
			return false;
	return true;
}

static bool all_clear(struct overlap *o, const struct overlap_range *r)
{
	uint32_t buckets[2], lengthy = o->mask + 1;
	unsigned n = buckets_of(o, r, buckets);

	if (buckets[0] == lengthy) {
		for (uint32_t i = 0; i < o->count; i++)
			if (blocks(&o->slots[i], r))
				return false;
		return true;
	}
	for (unsigned i = 0; i < n; i++)
		if (!bucket_clear(o, buckets[i], r))
			return false;
	return bucket_clear(o, lengthy, r);
}

bool overlap_claim(struct overlap *o, uint32_t slot, const struct overlap_range *r, uint32_t *seen)
{
	struct slot *mine = &o->slots[slot];
	bool clear;

	fl_assert(slot < o->count && atomic_load(&mine->state) == FREE && r->lo < r->hi);
	*seen = atomic_load(&o->gone);
	lock(o);
	clear = all_clear(o, r);
	if (clear) {
		unlink_node(o, 2 * slot);
		unlink_node(o, 2 * slot + 1);
		mine->range = *r;
		link_slot(o, slot);
		atomic_store(&mine->state, UP);
	}
	unlock(o);
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
