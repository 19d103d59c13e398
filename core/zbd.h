/* SPDX-License-Identifier: MIT */
/*
 * The zones of one device, as all workers of a run see them: in shared memory, made before the
 * first fork.
 *
 * A zone belongs to one worker at a time, from the moment it takes the write pointer to the moment
 * its write has been handed to the kernel: so writes reach the device in the order of their places.
 * With engines that do not keep that order it also waits until no write to the zone is in flight.
 * The owner is a number in the zone and no lock of a process, so that the parent can give back what
 * a killed worker had (zbd_forget()). What such a worker had in flight may be written or not: its
 * zones are stale, and whoever takes one next asks the device where it ends.
 *
 * The list of open zones, which has limits, is under one lock that survives its holder.
 *
 * A file or device without zones is treated as if it had them: all empty when the run begins, and a
 * reset moves the write pointer back, no more.
 */
#ifndef CORE_ZBD_H
#define CORE_ZBD_H

#include "core/zbd_conf.h"
#include "os/zoned.h"

#include <pthread.h>
#include <stdatomic.h>

#define ZBD_NOBODY	0u		/* workers are numbered from 1 here */

enum zbd_kind {
	ZBD_SEQUENTIAL,			/* written at its write pointer */
	ZBD_CONVENTIONAL,		/* written anywhere */
	ZBD_READONLY,
	ZBD_OFFLINE,
};

/* Bytes count from the start of the zone. */
struct zbd_zone {
	_Atomic uint64_t wp;		/* what is before it has been handed out; the owner's */
	uint64_t capacity, length;
	uint64_t failed;		/* 1 + where a write failed last; 0; the owner's */
	_Atomic uint32_t owner;
	_Atomic uint32_t wanted;	/* by this worker, next */
	_Atomic int32_t writes;		/* in flight */
	uint32_t opener;		/* who opened it; under the lock of the list */
	uint8_t kind;			/* enum zbd_kind */
	uint8_t was_open;		/* when the run began */
	_Atomic uint8_t open;		/* on the list */
	_Atomic uint8_t stale;		/* wp is to be asked of the device */
};

struct zbd {
	size_t map_bytes;		/* of all this */
	uint64_t id[2];			/* device and number of the file */
	char path[512];
	bool real;			/* the device has zones */
	uint32_t sector;		/* smallest write, bytes */
	uint64_t bytes, zone_bytes;
	uint32_t shift;			/* zone_bytes is 1 << shift; 0: no power of two */
	uint32_t nr;
	/* the list, under its lock */
	pthread_mutex_t lock;
	uint32_t max_open, max_active;	/* limits; 0: none */
	uint32_t nr_open, nr_active;	/* active: written in part, on the list or not */
	uint32_t open[ZBD_OPEN_MAX];
	/* goes up when something has changed that somebody may wait for; a futex */
	_Atomic uint32_t changed, waiting;
	_Atomic uint64_t data;		/* bytes before all write pointers */
	_Atomic uint64_t *readable;	/* a bit for each zone that has data */
	struct zbd_zone *zones;
};

/* What zbd_new() must know. */
struct zbd_want {
	const char *path;
	uint64_t bytes;			/* of the file, where it has no zones */
	bool no_file;			/* it is only a name */
	const struct zones_conf *zones;
	const struct zbd_conf *conf;
};

/*
 * zbd_new - look at the zones of a device, or make some up. In the parent, before any fork.
 * Returns NULL with *err -errno and a sentence in why. zbd_free() gives it back; NULL is fine.
 */
struct zbd *zbd_new(const struct zbd_want *want, int *err, char *why, size_t why_bytes);
void zbd_free(struct zbd *d);

/* zbd_identify - what is the same for the same device, by whatever name. 0 or -errno. */
int zbd_identify(const struct zbd_want *want, uint64_t id[2]);

/*
 * zbd_join - another job uses zones first to last - 1 for writing: zones of them that are open
 * already go on the list. Returns 0, or -errno with a sentence: too many, or the job's limits are
 * not those of an earlier one.
 */
int zbd_join(struct zbd *d, const struct zbd_conf *conf, uint32_t first, uint32_t last, char *why,
	     size_t why_bytes);

/* zbd_at - the zone a byte lies in; zbd_start - where a zone begins. */
fl_inline uint32_t zbd_at(const struct zbd *d, uint64_t offset)
{
	return (uint32_t)(d->shift ? offset >> d->shift : offset / d->zone_bytes);
}

fl_inline uint64_t zbd_start(const struct zbd *d, uint32_t zone)
{
	return zone * d->zone_bytes;
}

fl_inline uint64_t zbd_wp(const struct zbd_zone *z)
{
	return atomic_load_explicit(&z->wp, memory_order_acquire);
}

fl_inline bool zbd_full(const struct zbd_zone *z)
{
	return z->kind == ZBD_SEQUENTIAL && zbd_wp(z) >= z->capacity;
}

/* zbd_has_data - how much of a zone can be read; 0 for one that is offline. */
uint64_t zbd_has_data(const struct zbd_zone *z);

/* zbd_next_readable - the first zone from `from` on, and before `end`, with data; or `end`. */
uint32_t zbd_next_readable(const struct zbd *d, uint32_t from, uint32_t end);

/* zbd_take - become the owner of a zone. False: another one is. zbd_give: no longer. */
bool zbd_take(struct zbd *d, uint32_t zone, uint32_t me);
void zbd_give(struct zbd *d, uint32_t zone);

/* zbd_want - ask to be the next owner; zbd_take() does, where it cannot take. */
void zbd_want(struct zbd *d, uint32_t zone, uint32_t me);

/* zbd_tell - something has changed: wake those who wait for d->changed. */
void zbd_tell(struct zbd *d);

/* For the owner of a zone. */

enum zbd_says {
	ZBD_OK,
	ZBD_LIMIT,			/* as many zones are open as may be */
};

/* zbd_open - put a zone on the list before it is written. job_max: 0 is no limit. */
enum zbd_says zbd_open(struct zbd *d, uint32_t zone, uint32_t me, uint32_t job_max);
/* zbd_may_open - would it? By the time it is asked, another may have been faster. */
bool zbd_may_open(struct zbd *d, uint32_t zone, uint32_t me, uint32_t job_max);
/* zbd_close - take it off, if it is on: it is full, or is about to be empty. */
void zbd_close(struct zbd *d, uint32_t zone);
/*
 * zbd_pick - an open zone of first to last - 1 that can be written, the first on the list from a
 * place on it, any number; only_of: opened by this worker. -1: there is none.
 */
int64_t zbd_pick(struct zbd *d, uint32_t first, uint32_t last, uint64_t start, uint32_t only_of);

/*
 * zbd_abandoned - a zone outside of first to last - 1 that is open, nobody's and idle; or -1. Who
 * takes it closes it on the device, and zbd_put_off() takes it off the list: there is room again.
 */
int64_t zbd_abandoned(struct zbd *d, uint32_t first, uint32_t last);
void zbd_put_off(struct zbd *d, uint32_t zone);

/* zbd_is_stuck - is none open, and yet none may be, because too many are written in part? */
bool zbd_is_stuck(struct zbd *d);

/* zbd_advance - so many bytes more are handed out. */
void zbd_advance(struct zbd *d, uint32_t zone, uint64_t bytes);
/* zbd_emptied, zbd_finished - the zone has been reset, or finished: as the device has it now. */
void zbd_emptied(struct zbd *d, uint32_t zone);
void zbd_finished(struct zbd *d, uint32_t zone);
/* zbd_found - the write pointer is here. */
void zbd_found(struct zbd *d, uint32_t zone, uint64_t wp);

/*
 * zbd_ended - a write to the zone is no longer in flight; failed: it is stale where the device has
 * a write pointer of its own and `recover` is set.
 */
void zbd_ended(struct zbd *d, uint32_t zone, bool stale);

/*
 * zbd_leave - a job has ended: zones it opened are nobody's, but stay open, as others may write.
 * zbd_forget - it may have left more behind: zones it owned, and writes in flight (mine: how many
 * in each zone), of which nobody knows whether they have been done.
 */
void zbd_leave(struct zbd *d, uint32_t me);
void zbd_forget(struct zbd *d, uint32_t me, _Atomic uint16_t *mine);

#endif
