/* SPDX-License-Identifier: MIT */
/*
 * Both ends of the ring. Sleeping without missing the other's news is done as in offload.c: one
 * says that it sleeps and then looks once more, the other writes its news and then looks whether
 * anybody sleeps; all four are sequentially consistent.
 */
#include "core/log_ring.h"
#include "os/futex.h"

#include <string.h>

#define SHARES		4		/* the bell rings that often on the way around the ring */

size_t log_ring_bytes(uint64_t entries)
{
	size_t bytes = sizeof(struct log_ring) + entries * sizeof(union log_entry);

	return (bytes + 4095) & ~(size_t)4095;
}

void log_ring_init(struct log_ring *r, struct log_bell *bell, uint64_t entries, uint32_t depth,
		   uint64_t window_ns)
{
	r->bell = bell;
	r->size = entries;
	r->mask = entries - 1;
	r->share = entries / SHARES - 1;
	r->window_ns = window_ns;
	r->reserve = window_ns ? 0 : fl_max(depth, LOG_BATCH_MAX);
	fl_assert(!(entries & r->mask) && entries >= LOG_ENTRIES_MIN && entries >= 4ull * depth);
}

void log_bell_ring(struct log_bell *b)
{
	atomic_fetch_add(&b->rung, 1);
	if (atomic_load(&b->asleep) && atomic_exchange(&b->asleep, 0))
		futex_wake(&b->rung);
}

void log_bell_wait(struct log_bell *b, uint32_t seen, uint64_t timeout_ns)
{
	atomic_store(&b->asleep, 1);
	futex_wait(&b->rung, seen, timeout_ns);
	atomic_store(&b->asleep, 0);
}

/* ---- The worker's end ------------------------------------------------------------------------ */

void log_ring_start(struct log_ring *r, uint64_t start_ns, uint64_t deadline_ns)
{
	memset(r->sum, 0, sizeof(r->sum));
	r->window_next = start_ns + r->window_ns;
	r->deadline_ns = deadline_ns;
}

/* Are so many entries free? */
fl_inline bool has_free(struct log_ring *r, uint64_t n)
{
	uint64_t used_to = atomic_load_explicit(&r->head, memory_order_relaxed) + n;

	if (likely(used_to - r->tail_seen <= r->size))
		return true;
	r->tail_seen = atomic_load(&r->tail);
	return used_to - r->tail_seen <= r->size;
}

bool log_ring_inherit(struct log_ring *r, uint64_t n)
{
	r->tail_seen = atomic_load(&r->tail);
	return has_free(r, n);
}

static void publish(struct log_ring *r, uint64_t n)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed), next = head + n;

	fl_assert(next - r->tail_seen <= r->size);
	atomic_store_explicit(&r->head, next, memory_order_release);
	if (unlikely((head ^ next) & ~r->share))
		log_bell_ring(r->bell);
}

void log_ring_publish(struct log_ring *r, uint32_t n)
{
	if (!r->window_ns)
		publish(r, n);
}

static void end_window(struct log_ring *r, uint64_t now_ns)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed), n = 0;
	bool room = has_free(r, LOG_WINDOW_ENTRIES);

	for (unsigned i = 0; room && i < LOG_WINDOW_ENTRIES; i++) {
		struct log_sum *sum = &r->sum[i / DIRS][i % DIRS];

		if (!sum->n)
			continue;
		r->entries[(head + n++) & r->mask].window = (struct log_window){
			.end = r->window_next, .sum = *sum, .what = i,
		};
		memset(sum, 0, sizeof(*sum));
	}
	publish(r, n);
	do
		r->window_next += r->window_ns;
	while (r->window_next <= now_ns);
}

fl_inline void gather(struct log_sum *s, uint64_t ns)
{
	s->n++;
	s->sum += ns;
	s->max = fl_max(s->max, ns);
}

void log_ring_gather(struct log_ring *r, const struct log_io *io)
{
	uint64_t now_ns = clock_ns_at(io->end);
	uint32_t dir = log_what_dir(io->what);

	if (unlikely(now_ns >= r->window_next) && now_ns < r->deadline_ns)
		end_window(r, now_ns);
	gather(&r->sum[0][dir], clock_ns(io->issue - io->start));
	gather(&r->sum[1][dir], clock_ns(io->end - io->issue));
	gather(&r->sum[2][dir], clock_ns(io->end - io->start));
}

void log_ring_end(struct log_ring *r)
{
	if (!r->wait_since)
		return;
	r->wait_ns += clock_ns(clock_ticks() - r->wait_since);
	r->wait_since = 0;
	atomic_store(&r->full, 0);
}

bool log_ring_room(struct log_ring *r)
{
	if (likely(has_free(r, r->reserve))) {
		if (unlikely(r->wait_since))
			log_ring_end(r);
		return true;
	}
	if (!r->wait_since) {
		r->wait_since = clock_ticks();
		r->waits++;
		log_bell_ring(r->bell);
	}
	return false;
}

uint32_t log_ring_expect(struct log_ring *r, _Atomic uint32_t **word)
{
	uint32_t seen = atomic_load(&r->room);

	atomic_store(&r->full, 1);
	*word = &r->room;
	/* Should there be room by now, it is seen at once. */
	return has_free(r, r->reserve) ? seen - 1 : seen;
}

void log_ring_wait(struct log_ring *r, uint64_t timeout_ns)
{
	uint32_t seen = atomic_load(&r->room);

	atomic_store(&r->full, 1);
	if (!has_free(r, r->reserve))
		futex_wait(&r->room, seen, timeout_ns);
}

/* ---- The writer's end ------------------------------------------------------------------------ */

void log_ring_drop(struct log_ring *r, uint64_t n)
{
	atomic_store(&r->tail, atomic_load_explicit(&r->tail, memory_order_relaxed) + n);
	if (!atomic_load(&r->full) || !atomic_exchange(&r->full, 0))
		return;
	atomic_fetch_add(&r->room, 1);
	futex_wake(&r->room);
}
