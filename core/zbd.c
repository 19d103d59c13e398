/* SPDX-License-Identifier: MIT */
/* Owners, open zones, write pointers. */
#include "core/zbd.h"
#include "os/futex.h"

#include <errno.h>

/* ---- Zones with data ------------------------------------------------------------------------- */

static void set_readable(struct zbd *d, uint32_t zone, bool yes)
{
	uint64_t bit = 1ull << zone % 64;

	if (yes)
		atomic_fetch_or(&d->readable[zone / 64], bit);
	else
		atomic_fetch_and(&d->readable[zone / 64], ~bit);
}

uint64_t zbd_has_data(const struct zbd_zone *z)
{
	return z->kind == ZBD_OFFLINE ? 0 : z->kind == ZBD_CONVENTIONAL ? z->length : zbd_wp(z);
}

uint32_t zbd_next_readable(const struct zbd *d, uint32_t from, uint32_t end)
{
	while (from < end) {
		uint64_t word = atomic_load_explicit(&d->readable[from / 64],
						     memory_order_relaxed) >> from % 64;

		if (word)
			return fl_min(from + (uint32_t)__builtin_ctzll(word), end);
		from += 64 - from % 64;
	}
	return end;
}

/* ---- Owners ---------------------------------------------------------------------------------- */

void zbd_tell(struct zbd *d)
{
	atomic_fetch_add(&d->changed, 1);
	if (atomic_exchange(&d->waiting, 0))
		futex_wake(&d->changed);
}

bool zbd_take(struct zbd *d, uint32_t zone, uint32_t me)
{
	struct zbd_zone *z = &d->zones[zone];
	uint32_t nobody = ZBD_NOBODY, wanted = atomic_load(&z->wanted);

	/* Who had to wait for it comes first, but not for ever: it may want it no longer. */
	if (wanted && wanted != me && atomic_compare_exchange_strong(&z->wanted, &wanted, 0)) {
		atomic_store(&d->waiting, 1);
		return false;
	}
	if (atomic_compare_exchange_strong(&z->owner, &nobody, me)) {
		if (wanted == me)
			atomic_store(&z->wanted, 0);
		return true;
	}
	zbd_want(d, zone, me);
	return false;
}

void zbd_want(struct zbd *d, uint32_t zone, uint32_t me)
{
	uint32_t nobody = ZBD_NOBODY;

	atomic_compare_exchange_strong(&d->zones[zone].wanted, &nobody, me);
	atomic_store(&d->waiting, 1);
}

void zbd_give(struct zbd *d, uint32_t zone)
{
	atomic_store(&d->zones[zone].owner, ZBD_NOBODY);
	zbd_tell(d);
}

/* ---- The list -------------------------------------------------------------------------------- */

static bool is_partly(const struct zbd_zone *z)
{
	return z->kind == ZBD_SEQUENTIAL && zbd_wp(z) > 0 && zbd_wp(z) < z->capacity;
}

/* The list as the zones themselves have it: who had the lock was killed in the middle. */
static void list_anew(struct zbd *d)
{
	d->nr_open = 0;
	d->nr_active = 0;
	for (uint32_t i = 0; i < d->nr; i++) {
		if (atomic_load(&d->zones[i].open) && d->nr_open < ZBD_OPEN_MAX)
			d->open[d->nr_open++] = i;
		d->nr_active += atomic_load(&d->zones[i].open) || is_partly(&d->zones[i]);
	}
}

static void lock(struct zbd *d)
{
	if (pthread_mutex_lock(&d->lock) != EOWNERDEAD)
		return;
	list_anew(d);
	pthread_mutex_consistent(&d->lock);
}

static void unlock(struct zbd *d)
{
	pthread_mutex_unlock(&d->lock);
}

static uint32_t opened_by(const struct zbd *d, uint32_t me)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->nr_open; i++)
		n += d->zones[d->open[i]].opener == me;
	return n;
}

static enum zbd_says may_open(const struct zbd *d, const struct zbd_zone *z, uint32_t me,
			      uint32_t job_max)
{
	if (d->nr_open >= ZBD_OPEN_MAX || (d->max_open && d->nr_open >= d->max_open))
		return ZBD_LIMIT;
	if (job_max && opened_by(d, me) >= job_max)
		return ZBD_LIMIT;
	if (d->max_active && !is_partly(z) && d->nr_active >= d->max_active)
		return ZBD_LIMIT;
	return ZBD_OK;
}

enum zbd_says zbd_open(struct zbd *d, uint32_t zone, uint32_t me, uint32_t job_max)
{
	struct zbd_zone *z = &d->zones[zone];
	enum zbd_says says = ZBD_OK;

	if (atomic_load(&z->open))
		return ZBD_OK;
	lock(d);
	says = may_open(d, z, me, job_max);
	if (says == ZBD_OK) {
		d->nr_active += !is_partly(z);
		z->opener = me;
		atomic_store(&z->open, 1);
		d->open[d->nr_open++] = zone;
	}
	unlock(d);
	return says;
}

bool zbd_may_open(struct zbd *d, uint32_t zone, uint32_t me, uint32_t job_max)
{
	bool may;

	lock(d);
	may = atomic_load(&d->zones[zone].open) ||
	      may_open(d, &d->zones[zone], me, job_max) == ZBD_OK;
	unlock(d);
	return may;
}

/* Off the list. Under the lock. */
static void drop(struct zbd *d, uint32_t at)
{
	atomic_store(&d->zones[d->open[at]].open, 0);
	d->open[at] = d->open[--d->nr_open];
}

static void drop_zone(struct zbd *d, uint32_t zone)
{
	for (uint32_t i = 0; i < d->nr_open; i++) {
		if (d->open[i] == zone) {
			drop(d, i);
			return;
		}
	}
}

static void close_zone(struct zbd *d, uint32_t zone, bool full_only)
{
	struct zbd_zone *z = &d->zones[zone];

	lock(d);
	if (!full_only || zbd_full(z)) {
		d->nr_active -= (atomic_load(&z->open) || is_partly(z)) && d->nr_active;
		if (atomic_load(&z->open))
			drop_zone(d, zone);
	}
	unlock(d);
	zbd_tell(d);
}

void zbd_close(struct zbd *d, uint32_t zone)
{
	close_zone(d, zone, false);
}

int64_t zbd_pick(struct zbd *d, uint32_t first, uint32_t last, uint64_t start, uint32_t only_of)
{
	int64_t found = -1;

	lock(d);
	for (uint32_t i = 0; i < d->nr_open && found < 0; i++) {
		uint32_t zone = d->open[(start + i) % d->nr_open];
		const struct zbd_zone *z = &d->zones[zone];

		if (zone >= first && zone < last && !zbd_full(z) &&
		    (!only_of || z->opener == only_of))
			found = zone;
	}
	unlock(d);
	return found;
}

/* ---- Write pointers -------------------------------------------------------------------------- */

/* The owner alone moves it, so nothing comes between reading and writing. */
static void move_to(struct zbd *d, uint32_t zone, uint64_t wp)
{
	struct zbd_zone *z = &d->zones[zone];

	atomic_fetch_add(&d->data, wp - zbd_wp(z));
	atomic_store_explicit(&z->wp, wp, memory_order_release);
	set_readable(d, zone, wp > 0);
}

void zbd_advance(struct zbd *d, uint32_t zone, uint64_t bytes)
{
	struct zbd_zone *z = &d->zones[zone];

	fl_assert(zbd_wp(z) + bytes <= z->capacity);
	move_to(d, zone, zbd_wp(z) + bytes);
}

void zbd_emptied(struct zbd *d, uint32_t zone)
{
	move_to(d, zone, 0);
	d->zones[zone].failed = 0;
}

void zbd_finished(struct zbd *d, uint32_t zone)
{
	zbd_close(d, zone);
	move_to(d, zone, d->zones[zone].capacity);
	d->zones[zone].failed = 0;
}

void zbd_found(struct zbd *d, uint32_t zone, uint64_t wp)
{
	struct zbd_zone *z = &d->zones[zone];

	move_to(d, zone, fl_min(wp, z->capacity));
	atomic_store(&z->stale, 0);
	if (zbd_full(z))
		zbd_close(d, zone);
}

void zbd_ended(struct zbd *d, uint32_t zone, bool stale)
{
	struct zbd_zone *z = &d->zones[zone];
	bool last;

	if (stale)
		atomic_store(&z->stale, 1);
	last = atomic_fetch_sub(&z->writes, 1) <= 1;
	/* Only now is a full zone full on the device, too, and another may be opened for it. */
	if (last && zbd_full(z) && !atomic_load(&z->stale) && atomic_load(&z->open))
		close_zone(d, zone, true);
	else if (last)
		zbd_tell(d);
}

/* ---- Ends of jobs ---------------------------------------------------------------------------- */

bool zbd_is_stuck(struct zbd *d)
{
	bool stuck;

	lock(d);
	stuck = !d->nr_open && d->max_active && d->nr_active >= d->max_active;
	unlock(d);
	return stuck;
}

void zbd_leave(struct zbd *d, uint32_t me)
{
	lock(d);
	for (uint32_t i = 0; i < d->nr_open; i++)
		if (d->zones[d->open[i]].opener == me)
			d->zones[d->open[i]].opener = ZBD_NOBODY;
	unlock(d);
	zbd_tell(d);
}

int64_t zbd_abandoned(struct zbd *d, uint32_t first, uint32_t last)
{
	int64_t found = -1;

	lock(d);
	for (uint32_t i = 0; i < d->nr_open && found < 0; i++) {
		uint32_t zone = d->open[i];
		const struct zbd_zone *z = &d->zones[zone];

		if (z->opener == ZBD_NOBODY && (zone < first || zone >= last) &&
		    !atomic_load(&z->owner) && atomic_load(&z->writes) <= 0)
			found = zone;
	}
	unlock(d);
	return found;
}

void zbd_put_off(struct zbd *d, uint32_t zone)
{
	struct zbd_zone *z = &d->zones[zone];

	lock(d);
	if (atomic_load(&z->open)) {
		d->nr_active -= !is_partly(z) && d->nr_active;
		drop_zone(d, zone);
	}
	unlock(d);
	zbd_tell(d);
}

void zbd_forget(struct zbd *d, uint32_t me, _Atomic uint16_t *mine)
{
	for (uint32_t i = 0; i < d->nr; i++) {
		struct zbd_zone *z = &d->zones[i];
		uint16_t writes = atomic_exchange(&mine[i], 0);
		uint32_t owner = me;

		if (writes || atomic_load(&z->owner) == me)
			atomic_store(&z->stale, d->real);
		atomic_fetch_sub(&z->writes, writes);
		atomic_compare_exchange_strong(&z->owner, &owner, ZBD_NOBODY);
	}
	zbd_leave(d, me);
}
