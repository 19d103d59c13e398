/* SPDX-License-Identifier: MIT */
/*
 * The zones of a device as jobs share them: owners, the list of open zones and its limits, what a
 * killed worker leaves behind. On zones that are made up; those of devices are in t/vm/in/zbd.sh.
 */
#include "core/zbd.h"
#include "core/zbd_conf.h"
#include "t/test.h"

#include <sys/wait.h>
#include <unistd.h>

#define ZONE	65536ull

static struct zones_conf zones;
static struct zbd_conf conf;
static char why[256];

static struct zbd *make(uint32_t nr, uint32_t max_open)
{
	const struct zbd_want want = {
		.path = "made up", .bytes = nr * ZONE, .no_file = true, .zones = &zones,
		.conf = &conf,
	};
	struct zbd *d;
	int err = 0;

	zones = (struct zones_conf){ .mode = ZONES_ZBD, .size = ZONE };
	conf = (struct zbd_conf){ .max_open = max_open };
	d = zbd_new(&want, &err, why, sizeof(why));
	if (!d)
		T_FAIL("%s", why);
	T_EQ(zbd_join(d, &conf, 0, nr, why, sizeof(why)), 0);
	return d;
}

/* A write of this worker that has been handed out and is in flight. */
static void start(struct zbd *d, uint32_t zone, uint64_t bytes, _Atomic uint16_t *mine)
{
	mine[zone]++;
	d->zones[zone].writes++;
	zbd_advance(d, zone, bytes);
}

TEST(zones_lie_in_a_row)
{
	struct zbd *d = make(70, 0);

	T_EQ(d->nr, 70);
	T_EQ(zbd_at(d, 3 * ZONE + 1), 3);
	T_EQ(zbd_start(d, 3), 3 * ZONE);
	T_EQ(zbd_next_readable(d, 0, 70), 70);
	zbd_advance(d, 69, 4096);
	T_EQ(zbd_next_readable(d, 0, 70), 69);
	T_EQ(zbd_next_readable(d, 0, 69), 69);
	T_EQ(d->data, 4096);
	zbd_emptied(d, 69);
	T_EQ(zbd_next_readable(d, 0, 70), 70);
	T_EQ(d->data, 0);
	zbd_free(d);
}

TEST(one_owner_and_who_waits_comes_next)
{
	struct zbd *d = make(4, 0);

	T_TRUE(zbd_take(d, 1, 1));
	T_TRUE(!zbd_take(d, 1, 2));
	T_TRUE(zbd_take(d, 2, 2));
	zbd_give(d, 1);
	T_TRUE(!zbd_take(d, 1, 1));	/* 2 has waited */
	T_TRUE(zbd_take(d, 1, 2));
	zbd_give(d, 1);
	T_TRUE(zbd_take(d, 1, 3));
	zbd_give(d, 1);
	/* who wants it no longer holds up nobody for long */
	T_TRUE(zbd_take(d, 1, 1));
	T_TRUE(!zbd_take(d, 1, 2));
	zbd_give(d, 1);
	T_TRUE(!zbd_take(d, 1, 1));
	T_TRUE(zbd_take(d, 1, 1));
	zbd_free(d);
}

TEST(limits_of_the_list)
{
	_Atomic uint16_t mine[8] = { 0 };
	struct zbd *d = make(8, 2);

	T_EQ(zbd_open(d, 0, 1, 0), ZBD_OK);
	T_EQ(zbd_open(d, 0, 2, 0), ZBD_OK);
	T_EQ(zbd_open(d, 1, 1, 1), ZBD_LIMIT);	/* the job's own limit */
	T_EQ(zbd_open(d, 1, 2, 1), ZBD_OK);
	T_EQ(zbd_open(d, 2, 1, 0), ZBD_LIMIT);
	T_TRUE(!zbd_may_open(d, 2, 1, 0) && zbd_may_open(d, 1, 1, 0));
	T_EQ(d->nr_open, 2);
	T_EQ(zbd_pick(d, 0, 8, 7, ZBD_NOBODY) < 2, 1);
	T_EQ(zbd_pick(d, 0, 8, 0, 2), 1);
	T_EQ(zbd_pick(d, 2, 8, 0, ZBD_NOBODY), -1);
	/* a full zone stays open until its last write has come back */
	start(d, 0, ZONE, mine);
	T_EQ(zbd_pick(d, 0, 1, 0, ZBD_NOBODY), -1);
	T_EQ(d->nr_open, 2);
	zbd_ended(d, 0, false);
	T_EQ(d->nr_open, 1);
	T_EQ(zbd_open(d, 2, 1, 0), ZBD_OK);
	/* what a job leaves open stays so until somebody else needs the room */
	T_EQ(zbd_abandoned(d, 2, 8), -1);
	zbd_leave(d, 2);
	T_EQ(d->nr_open, 2);
	T_EQ(zbd_abandoned(d, 0, 8), -1);
	T_EQ(zbd_abandoned(d, 2, 8), 1);
	zbd_put_off(d, 1);
	T_EQ(d->nr_open, 1);
	T_TRUE(!d->zones[1].open && d->zones[2].open);
	zbd_free(d);
}

TEST(limit_of_active_zones)
{
	struct zbd *d = make(8, 0);

	d->max_active = 2;
	for (uint32_t zone = 0; zone < 2; zone++) {
		T_EQ(zbd_open(d, zone, 1, 0), ZBD_OK);
		zbd_advance(d, zone, 4096);
	}
	T_EQ(zbd_open(d, 2, 1, 0), ZBD_LIMIT);
	zbd_put_off(d, 0);
	zbd_put_off(d, 1);
	T_EQ(d->nr_open, 0);
	T_EQ(d->nr_active, 2);
	T_TRUE(zbd_is_stuck(d));
	T_EQ(zbd_open(d, 2, 1, 0), ZBD_LIMIT);
	T_EQ(zbd_open(d, 1, 1, 0), ZBD_OK);	/* it is active already */
	zbd_finished(d, 1);
	T_EQ(d->nr_active, 1);
	T_EQ(zbd_open(d, 2, 1, 0), ZBD_OK);
	T_EQ(d->nr_active, 2);
	zbd_free(d);
}

TEST(what_a_killed_worker_leaves)
{
	_Atomic uint16_t mine[8] = { 0 };
	struct zbd *d = make(8, 2);

	d->real = true;
	T_TRUE(zbd_take(d, 3, 5));
	T_EQ(zbd_open(d, 3, 5, 0), ZBD_OK);
	T_EQ(zbd_open(d, 4, 5, 0), ZBD_OK);
	start(d, 3, 8192, mine);
	start(d, 4, 4096, mine);
	start(d, 4, 4096, mine);
	zbd_forget(d, 5, mine);
	for (uint32_t zone = 3; zone < 5; zone++) {
		T_EQ(d->zones[zone].writes, 0);
		T_EQ(d->zones[zone].stale, 1);
		T_EQ(d->zones[zone].owner, ZBD_NOBODY);
	}
	T_EQ(d->zones[5].stale, 0);
	T_EQ(d->nr_open, 2);
	T_EQ(zbd_abandoned(d, 0, 3), 3);
	zbd_found(d, 3, 4096);
	T_EQ(zbd_wp(&d->zones[3]), 4096);
	T_EQ(d->zones[3].stale, 0);
	zbd_forget(d, 5, mine);
	T_EQ(d->zones[3].stale, 0);
	zbd_free(d);
}

/* Whoever has the lock of the list in hand when it is killed does not take it along. */
TEST(the_lock_of_the_list_survives)
{
	struct zbd *d = make(8, 2);
	pid_t pid;

	T_EQ(zbd_open(d, 1, 1, 0), ZBD_OK);
	pid = fork();
	if (!pid) {
		pthread_mutex_lock(&d->lock);
		d->nr_open = 77;
		_exit(0);
	}
	T_EQ(waitpid(pid, NULL, 0), pid);
	T_EQ(zbd_open(d, 2, 1, 0), ZBD_OK);
	T_EQ(d->nr_open, 2);
	T_EQ(zbd_open(d, 3, 1, 0), ZBD_LIMIT);
	zbd_free(d);
}

/* Two processes write zones to their ends: each byte is handed out once. */
TEST(two_processes)
{
	struct zbd *d = make(16, 3);
	pid_t pid = fork();
	uint32_t me = pid ? 1 : 2, done = 0;

	while (done < 16) {
		done = 0;
		for (uint32_t i = 0; i < 16; i++) {
			uint32_t zone = pid ? i : 15 - i;

			done += zbd_full(&d->zones[zone]);
			if (zbd_full(&d->zones[zone]) || !zbd_take(d, zone, me))
				continue;
			if (!zbd_full(&d->zones[zone]) && zbd_open(d, zone, me, 0) == ZBD_OK) {
				d->zones[zone].writes++;
				zbd_advance(d, zone, 512);
				fl_assert(d->nr_open <= 3);
				zbd_ended(d, zone, false);
			}
			zbd_give(d, zone);
		}
	}
	if (!pid)
		_exit(0);
	T_EQ(waitpid(pid, NULL, 0), pid);
	T_EQ(d->data, 16 * ZONE);
	T_EQ(d->nr_open, 0);
	T_EQ(d->nr_active, 0);
	zbd_free(d);
}

static int refusal(const struct zbd_conf *c, const struct zones_conf *z, struct zbd_need need)
{
	why[0] = '\0';
	return zbd_check(c, z, &need, why, sizeof(why));
}

TEST(what_does_not_go_together)
{
	const struct zones_conf none = { .mode = ZONES_NONE }, zbd = { .mode = ZONES_ZBD, .size = ZONE };
	const struct zones_conf skip = { .mode = ZONES_ZBD, .size = ZONE, .skip.bytes = ZONE };

	T_EQ(refusal(&(struct zbd_conf){ .max_open = 3 }, &none, (struct zbd_need){ 0 }), 1);
	T_TRUE(strstr(why, "max_open_zones has no effect"));
	T_EQ(refusal(&(struct zbd_conf){ .reset_above = 0.5 }, &zbd, (struct zbd_need){ 0 }), -EINVAL);
	T_EQ(refusal(&(struct zbd_conf){ 0 }, &skip, (struct zbd_need){ .random = true }), 1);
	T_TRUE(strstr(why, "zoneskip"));
	T_EQ(refusal(&(struct zbd_conf){ 0 }, &skip, (struct zbd_need){ 0 }), 0);
}
