/* SPDX-License-Identifier: MIT */
/* Looking around once a second. */
#include "core/around.h"

#include "os/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int around_init(struct around *a, const struct disks *disks, uint64_t now_ns)
{
	memset(a, 0, sizeof(*a));
	a->disks = disks;
	a->nr_disks = fl_min(disks->count, AROUND_DISKS);
	a->list = calloc(AROUND_MAX, sizeof(*a->list));
	if (!a->list)
		return -ENOMEM;
	around_look(a, now_ns);
	a->count = 0;			/* that was no sample, but where the first one begins */
	return 0;
}

void around_free(struct around *a)
{
	free(a->list);
	a->list = NULL;
	a->count = 0;
}

static void look_at_disks(struct around *a, struct around_sample *s)
{
	for (int i = 0; i < a->nr_disks; i++) {
		struct disk_stat now, d;

		if (disk_stat_take(&a->disks->disk[i], &now))
			continue;
		d = disk_stat_since(&a->disk[i], &now);
		s->disk[i].ios = (uint32_t)(d.reads + d.writes);
		s->disk[i].busy_ms = (uint32_t)d.busy_ms;
		s->disk[i].queue_ms = (uint32_t)d.queue_ms;
		a->disk[i] = now;
	}
}

void around_look(struct around *a, uint64_t now_ns)
{
	struct around_sample *s = &a->list[a->count++];
	struct machine_load cpu = { 0 };
	struct throttle_cpu throttle;

	*s = (struct around_sample){ .from_ns = a->last_ns, .to_ns = now_ns };
	machine_cpu("", &cpu);
	throttle_cpu("", &throttle);
	mem_unwritten(&s->dirty_bytes, &s->writeback_bytes);
	look_at_disks(a, s);
	if (cpu.cpu_known && a->cpu.cpu_known) {
		s->steal_ticks = cpu.steal_ticks - a->cpu.steal_ticks;
		s->all_ticks = cpu.all_ticks - a->cpu.all_ticks;
	}
	if (throttle.known && a->throttle.known)
		s->throttled_us = throttle.throttled_us - a->throttle.throttled_us;
	a->last_ns = now_ns;
	a->cpu = cpu;
	a->throttle = throttle;
}

static bool overlaps(const struct around_sample *s, struct around_time t)
{
	return s->from_ns < t.to_ns && s->to_ns > t.from_ns;
}

/* The first sample that ends after this moment. */
static size_t first_after(const struct around *a, uint64_t ns)
{
	size_t low = 0, high = a->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->list[middle].to_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void around_thin(struct around *a, const struct around_time *needed, size_t n)
{
	bool keep[AROUND_MAX] = { false };
	size_t kept = 0, drop;

	for (size_t i = 0; i < n; i++)
		for (size_t k = first_after(a, needed[i].from_ns);
		     k < a->count && overlaps(&a->list[k], needed[i]); k++)
			keep[k] = true;
	for (size_t k = 0; k < a->count; k++)
		if (keep[k])
			a->list[kept++] = a->list[k];
	drop = kept > AROUND_MAX / 2 ? kept - AROUND_MAX / 2 : 0;
	memmove(a->list, a->list + drop, (kept - drop) * sizeof(*a->list));
	a->count = kept - drop;
}

static void add(struct around_sample *sum, const struct around_sample *s, int nr_disks)
{
	sum->from_ns = sum->to_ns ? sum->from_ns : s->from_ns;
	sum->to_ns = s->to_ns;
	sum->steal_ticks += s->steal_ticks;
	sum->all_ticks += s->all_ticks;
	sum->throttled_us += s->throttled_us;
	sum->dirty_bytes = fl_max(sum->dirty_bytes, s->dirty_bytes);
	sum->writeback_bytes = fl_max(sum->writeback_bytes, s->writeback_bytes);
	for (int i = 0; i < nr_disks; i++) {
		sum->disk[i].ios += s->disk[i].ios;
		sum->disk[i].busy_ms += s->disk[i].busy_ms;
		sum->disk[i].queue_ms += s->disk[i].queue_ms;
	}
}

bool around_sum(const struct around *a, struct around_time time, struct around_sample *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t k = first_after(a, time.from_ns); k < a->count; k++) {
		if (!overlaps(&a->list[k], time))
			break;
		add(out, &a->list[k], a->nr_disks);
	}
	return out->to_ns > 0;
}
