/* SPDX-License-Identifier: MIT */
#include "lib/sprandom.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

double sprandom_fixed_point(double op)
{
	double u = 0, next = exp(-(1 + op));

	/* It grows towards the fixed point below 1, and the slower the smaller op is. */
	for (int i = 0; i < 100000 && next - u > 1e-15; i++) {
		u = next;
		next = exp(-(1 - u) * (1 + op));
	}
	return next;
}

/* The mean of exp(-lambda x) over the region's distance from the head. */
double sprandom_valid(const struct sprandom *s, uint32_t region)
{
	double width = 1.0 / s->regions, near = (s->regions - 1 - region) * width;

	return exp(-s->lambda * near) * -expm1(-s->lambda * width) / (s->lambda * width);
}

/* Where a region ends on the drive, in whole writes from its beginning. */
static uint64_t end_of(const struct sprandom *s, uint32_t region)
{
	return (uint64_t)llround(s->region_blocks * (region + 1.0));
}

static uint64_t writes_of(const struct sprandom *s, uint32_t region)
{
	return end_of(s, region) - (region ? end_of(s, region - 1) : 0);
}

/* How many writes of a region are made invalid by the next. */
static uint64_t chosen_of(const struct sprandom *s, uint32_t region)
{
	double share = 1 - sprandom_valid(s, region);

	return region + 1 == s->regions
		? 0 : (uint64_t)llround(share * (double)writes_of(s, region));
}

int sprandom_init(struct sprandom *s, const struct sprandom_conf *c, uint64_t seed,
		  uint64_t stream)
{
	double physical = (double)c->blocks * (1 + c->op);
	double most = c->apart ? physical / (2.0 * (double)c->apart) : c->regions;

	*s = (struct sprandom){ .seed = seed, .stream = stream, .blocks = c->blocks };
	s->regions = most < c->regions ? (uint32_t)most : c->regions;
	if (s->regions < 2 || c->blocks / s->regions < 2)
		return -ERANGE;
	s->region_blocks = physical / s->regions;
	s->lambda = (1 - sprandom_fixed_point(c->op)) * (1 + c->op);
	s->total = c->blocks;
	for (uint32_t i = 0; i < s->regions; i++) {
		uint64_t chosen = chosen_of(s, i);

		s->room = fl_max(s->room, chosen);
		s->total += chosen;
	}
	s->room = fl_max(s->room, (uint64_t)1);
	for (int i = 0; i < 2; i++)
		s->list[i] = malloc(s->room * sizeof(*s->list[i]));
	if (!s->list[0] || !s->list[1]) {
		sprandom_free(s);
		return -ENOMEM;
	}
	sprandom_begin(s, 0);
	return 0;
}

void sprandom_free(struct sprandom *s)
{
	free(s->list[0]);
	free(s->list[1]);
	s->list[0] = s->list[1] = NULL;
}

/* What a region is made of. The last one takes what is left of the blocks. */
static void enter(struct sprandom *s, uint32_t region)
{
	uint64_t fresh_left = s->blocks - s->fresh;

	s->region = region;
	s->at = 0;
	s->count[region % 2] = 0;
	s->again_left = region ? s->count[(region - 1) % 2] : 0;
	s->left = fl_min(writes_of(s, region), s->again_left + fresh_left);
	s->left = fl_max(s->left, s->again_left);
	if (region + 1 == s->regions)
		s->left = s->again_left + fresh_left;
	s->choose_left = fl_min(chosen_of(s, region), s->left);
}

void sprandom_begin(struct sprandom *s, uint64_t pass)
{
	rand_seed(&s->rand, s->seed, s->stream + (pass << 32));
	s->fresh = 0;
	s->drawn = 0;
	enter(s, 0);
}

bool sprandom_next(struct sprandom *s, uint64_t *block)
{
	while (!s->left) {
		if (s->region + 1 >= s->regions)
			return false;
		enter(s, s->region + 1);
	}
	/* Both choices at once are D. Knuth's selection sampling (TAOCP 2, 3.4.2, algorithm S). */
	if (s->again_left && rand_below(&s->rand, s->left) < s->again_left) {
		*block = s->list[(s->region + 1) % 2][s->at++];
		s->again_left--;
	} else {
		*block = s->fresh++;
	}
	if (s->choose_left && rand_below(&s->rand, s->left) < s->choose_left) {
		s->list[s->region % 2][s->count[s->region % 2]++] = *block;
		s->choose_left--;
	}
	s->left--;
	s->drawn++;
	return true;
}
