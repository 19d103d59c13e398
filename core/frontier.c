/* SPDX-License-Identifier: MIT */
#include "core/frontier.h"
#include "os/mem.h"

#include <errno.h>
#include <stdlib.h>

struct frontier *frontier_new(uint32_t slots, uint32_t files, int *err)
{
	size_t head = sizeof(struct frontier) + (size_t)slots * sizeof(struct frontier_slot);
	size_t bytes = head + (size_t)files * sizeof(uint64_t);
	struct frontier *f = mem_shared(bytes, err);

	if (!f)
		return NULL;
	f->bytes = bytes;
	f->slots = slots;
	f->files = files;
	f->promised = (_Atomic uint64_t *)((char *)f + head);
	return f;
}

void frontier_free(struct frontier *f)
{
	if (f)
		mem_shared_free(f, f->bytes);
}

void frontier_failed(struct frontier *f, uint32_t slot)
{
	uint32_t n = atomic_load(&f->nr_lost);

	if (n < FRONTIER_LOST_MAX)
		atomic_store(&f->lost[n], atomic_load(&f->slot[slot].number));
	atomic_store(&f->nr_lost, n + 1);
	frontier_end(f, slot);
}

uint64_t frontier_candidate(const struct frontier *f, uint32_t file)
{
	uint64_t upto = atomic_load(&f->issued), number;
	uint32_t lost = fl_min(atomic_load(&f->nr_lost), FRONTIER_LOST_MAX);

	for (uint32_t i = 0; i < f->slots; i++) {
		number = atomic_load(&f->slot[i].number);
		if (number && atomic_load(&f->slot[i].file) == file)
			upto = fl_min(upto, number - 1);
	}
	for (uint32_t i = 0; i < lost; i++)
		upto = fl_min(upto, atomic_load(&f->lost[i]) - 1);
	return upto;
}

void frontier_promise(struct frontier *f, uint32_t file, uint64_t upto)
{
	if (upto > atomic_load(&f->promised[file]))
		atomic_store(&f->promised[file], upto);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * A worker that was killed between two stores may have entered a number it had not handed out. The
 * failed ones come last: of a worker at work, whatever was no longer in flight is among them if it
 * failed.
 */
static void collect_inflight(const struct frontier *f, struct vstate *s)
{
	uint32_t lost, kept = 0;

	for (uint32_t i = 0; i < f->slots; i++) {
		uint64_t number = atomic_load(&f->slot[i].number);

		if (number && number <= s->issued)
			s->inflight[s->nr_inflight++] = number;
	}
	lost = fl_min(atomic_load(&f->nr_lost), FRONTIER_LOST_MAX);
	for (uint32_t i = 0; i < lost; i++)
		s->inflight[s->nr_inflight++] = atomic_load(&f->lost[i]);
	qsort(s->inflight, s->nr_inflight, sizeof(*s->inflight), ascending);
	for (size_t i = 0; i < s->nr_inflight; i++)
		if (!i || s->inflight[i] != s->inflight[i - 1])
			s->inflight[kept++] = s->inflight[i];
	s->nr_inflight = kept;
}

int frontier_state(const struct frontier *f, struct vstate *s)
{
	uint32_t files = 0;

	s->nr_inflight = s->nr_promised = 0;
	s->issued = atomic_load(&f->issued);
	s->seed = atomic_load(&f->seed);
	for (uint32_t i = 0; i < f->files; i++)
		files += atomic_load(&f->promised[i]) != 0;
	s->inflight = calloc((size_t)f->slots + FRONTIER_LOST_MAX, sizeof(*s->inflight));
	s->promised = calloc(files ? files : 1, sizeof(*s->promised));
	if (!s->inflight || !s->promised) {
		vstate_free(s);
		return -ENOMEM;
	}
	collect_inflight(f, s);
	for (uint32_t i = 0; i < f->files && s->nr_promised < files; i++)
		if (atomic_load(&f->promised[i]))
			s->promised[s->nr_promised++] = (struct vstate_promise){
				i, fl_min(atomic_load(&f->promised[i]), s->issued),
			};
	return atomic_load(&f->nr_lost) > FRONTIER_LOST_MAX ? -EOVERFLOW : 0;
}
