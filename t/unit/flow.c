/* SPDX-License-Identifier: MIT */
/* Flow: who may go, as members come, go, and do I/Os in every order. */
#include "core/flow.h"
#include "lib/rand.h"
#include "t/test.h"

static struct flows *flows;

static struct flow_member *add(uint32_t weight, uint32_t id)
{
	struct flow_conf c = { .weight = weight, .id = id };
	int err = 0;

	if (!flows)
		flows = flows_new(16, &err);
	T_EQ(err, 0);
	return flows_add(flows, &c);
}

/* As it is from outside: n I/Os started by whoever is drawn and may. */
static void go(struct flow_member **m, size_t nr, uint64_t n, struct rand *r)
{
	uint64_t refused = 0;

	while (n) {
		struct flow_member *one = m[rand_below(r, nr)];

		if (flow_may(one)) {
			flow_count(one);
			n--;
			refused = 0;
			continue;
		}
		T_TRUE(++refused < 10000);	/* somebody always may */
	}
}

TEST(in_step)
{
	struct flow_member *m[3] = { add(3, 0), add(2, 0), add(1, 0) };
	struct rand r;

	rand_seed(&r, 1, 0);
	for (int i = 0; i < 3; i++)
		flow_enter(m[i]);
	for (uint64_t n = 600; n <= 600000; n *= 10) {
		go(m, 3, n - m[0]->group->ios, &r);
		for (uint64_t i = 0; i < 3; i++)
			T_NEAR(m[i]->ios, n * (3 - i) / 6, 2 * 64 + 1);
	}
	flows_free(flows);
}

/* Fewer than 64 I/Os: nobody is more than one I/O ahead. */
TEST(strictly_at_first)
{
	struct flow_member *a = add(1, 0), *b = add(1, 0);

	flow_enter(a);
	flow_enter(b);
	for (int i = 0; i < 20; i++) {
		T_TRUE(flow_may(a));
		flow_count(a);
		T_TRUE(!flow_may(a));
		T_TRUE(flow_may(b));
		flow_count(b);
	}
	flows_free(flows);
}

TEST(groups_know_nothing_of_each_other)
{
	struct flow_member *a = add(1, 0), *b = add(1, 7), *c = add(1, 7);

	flow_enter(a);
	flow_enter(b);
	flow_enter(c);
	for (int i = 0; i < 1000; i++) {
		T_TRUE(flow_may(a));
		flow_count(a);
	}
	flow_count(b);
	T_TRUE(!flow_may(b));
	T_TRUE(flow_may(c));
	flows_free(flows);
}

TEST(who_leaves_holds_up_nobody)
{
	struct flow_member *m[2] = { add(1, 0), add(999, 0) };
	struct rand r;

	rand_seed(&r, 2, 0);
	flow_enter(m[0]);
	flow_enter(m[1]);
	go(m, 2, 5000, &r);
	flow_leave(m[1]);
	flow_leave(m[1]);
	T_EQ(m[0]->group->weight, 1);
	T_EQ(m[0]->group->ios, m[0]->ios);
	go(m, 1, 100000, &r);
	flow_leave(m[0]);
	T_EQ(m[0]->group->weight, 0);
	T_EQ(m[0]->group->ios, 0);
	flows_free(flows);
}

TEST(who_comes_later_begins_where_the_others_are)
{
	struct flow_member *m[3] = { add(3, 0), add(1, 0), add(2, 0) };
	uint64_t before[3];
	struct rand r;

	rand_seed(&r, 3, 0);
	flow_enter(m[0]);
	flow_enter(m[1]);
	go(m, 2, 40000, &r);
	flow_enter(m[2]);
	T_NEAR(m[2]->ios, 20000, 1);
	for (int i = 0; i < 3; i++)
		before[i] = m[i]->ios;
	go(m, 3, 60000, &r);
	T_NEAR(m[0]->ios - before[0], 30000, 130);
	T_NEAR(m[1]->ios - before[1], 10000, 130);
	T_NEAR(m[2]->ios - before[2], 20000, 130);
	flows_free(flows);
}

/* Coming and going at random: the books stay right, and somebody always may. */
TEST(coming_and_going)
{
	struct flow_member *m[6], *in[6];
	struct rand r;

	rand_seed(&r, 4, 0);
	for (uint32_t i = 0; i < 6; i++)
		m[i] = add(1 + i * i * 7, 0);
	for (int round = 0; round < 500; round++) {
		uint64_t ios = 0, weight = 0;
		size_t nr = 0;

		for (int i = 0; i < 6; i++) {
			if (rand_below(&r, 2))
				flow_enter(m[i]);
			else
				flow_leave(m[i]);
			if (!m[i]->in)
				continue;
			in[nr++] = m[i];
			ios += m[i]->ios;
			weight += m[i]->weight;
		}
		T_EQ(m[0]->group->ios, ios);
		T_EQ(m[0]->group->weight, weight);
		if (nr)
			go(in, nr, 1000, &r);
	}
	flows_free(flows);
}

/* A worker killed between the two counts: the group keeps one I/O, and goes on. */
TEST(killed_while_counting)
{
	struct flow_member *m[2] = { add(1, 0), add(1, 0) };
	struct rand r;

	rand_seed(&r, 5, 0);
	flow_enter(m[0]);
	flow_enter(m[1]);
	m[0]->group->ios++;
	flow_leave(m[1]);
	go(m, 1, 1000, &r);
	flow_enter(m[1]);
	go(m, 2, 1000, &r);
	flows_free(flows);
}

TEST(options)
{
	struct flow_conf c;
	char why[256];

	opt_defaults(&flow_options, &c, sizeof(c));
	T_EQ(flow_check(&c, why, sizeof(why)), 0);
	c.id = 3;
	T_EQ(flow_check(&c, why, sizeof(why)), 1);
	T_TRUE(strstr(why, "flow_id has no effect"));
	c.weight = 1;
	T_EQ(flow_check(&c, why, sizeof(why)), 0);
}
