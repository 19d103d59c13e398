/* SPDX-License-Identifier: MIT */
/* Cutting distributions into pieces of nearly constant probability, and drawing from them. */
#include "lib/dist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Within a piece the least likely rank has at least this share of the most likely one's weight. */
#define RATIO_WANTED	0.9375
/* A rest of ranks this unlikely would not be met in 2^64 draws. */
#define RATIO_NEVER	0x1p-64
/* Deviations below this many blocks are integrated over each block, not taken at its middle. */
#define NORMAL_FINE	0x1p20

/* P(rank <= k) of pareto is ((k + 1) / n)^a; the difference to k - 1 without cancellation. */
static double pareto_weight(const struct dist *d, uint64_t k)
{
	double n = d->n, k1 = k + 1.0;
	double log_share = k1 > n / 2 ? log1p(-(double)(d->n - 1 - k) / n) : log(k1 / n);
	double upto = exp(d->param * log_share);

	return k ? upto * -expm1(-d->param * log1p(1.0 / k)) : upto;
}

static double normal_weight(const struct dist *d, uint64_t k)
{
	double from = ((double)k - d->mean) / d->param * M_SQRT1_2;
	double width = M_SQRT1_2 / d->param;
	double to = from + width, mid = from + width / 2;

	if (d->param >= NORMAL_FINE)
		return exp(-mid * mid);
	/* Both on one side: differences of small tails, not of numbers near 1. */
	if (from > 0)
		return erfc(from) - erfc(to);
	if (to < 0)
		return erfc(-to) - erfc(-from);
	return erf(to) - erf(from);
}

/* How likely rank k is, up to a factor common to all. */
static double weight(const struct dist *d, uint64_t k)
{
	switch (d->kind) {
	case DIST_ZIPF:
		return pow(k + 1.0, -d->param);
	case DIST_PARETO:
		return pareto_weight(d, k);
	case DIST_NORMAL:
		return normal_weight(d, k);
	default:
		return 1;
	}
}

/* The most likely rank: weights fall from it to both sides. */
static uint64_t mode(const struct dist *d)
{
	switch (d->kind) {
	case DIST_PARETO:
		return d->param > 1 ? d->n - 1 : 0;
	case DIST_NORMAL:
		return d->mean < (double)d->n ? fl_min((uint64_t)d->mean, d->n - 1) : d->n - 1;
	default:
		return 0;
	}
}

/* Pieces on their way into the struct. */
struct cutting {
	struct dist *d;
	double mass[DIST_PIECES_MAX];	/* of each piece, all ranks counted as its peak */
	double sum;
	double ratio;			/* lowest weight of a piece over its highest */
};

static bool add_piece(struct cutting *c, uint64_t lo, uint64_t width, double peak, double low)
{
	struct dist *d = c->d;
	double sure = low / peak * (1 - 0x1p-40);	/* a safe distance from rounding errors */

	if (d->count == DIST_PIECES_MAX)
		return false;
	c->mass[d->count] = peak * (double)width;
	c->sum += c->mass[d->count];
	d->pieces[d->count++] = (struct dist_piece){
		.lo = lo, .width = width, .peak = peak,
		.sure = low < peak ? (uint64_t)(sure * 0x1p64) : UINT64_MAX,
	};
	return true;
}

/*
 * cut_side - cover the ranks from first to last, where weights do not grow on the way (down: last <
 * first). Widths of pieces hardly vary from one to the next, so each is guessed from the one before
 * it. Returns false when there are too many.
 */
static bool cut_side(struct cutting *c, uint64_t first, uint64_t ranks, bool down)
{
	uint64_t width = 1;

	for (uint64_t done = 0; done < ranks; done += width) {
		uint64_t at = down ? first - done : first + done, end;
		double peak = weight(c->d, at), low;

		if (peak * (double)(ranks - done) <= c->sum * RATIO_NEVER)
			return true;
		width = fl_min(width * 2, ranks - done);
		for (;; width /= 2) {
			end = down ? at - (width - 1) : at + (width - 1);
			low = width == 1 ? peak : weight(c->d, end);
			if (width == 1 || low >= c->ratio * peak)
				break;
		}
		if (!add_piece(c, down ? end : at, width, peak, low))
			return false;
	}
	return true;
}

static void cut_ranks(struct cutting *c)
{
	uint64_t top = mode(c->d);

	/* Steep shapes need coarser pieces; what is then accepted less often stays exact. */
	for (c->ratio = RATIO_WANTED;; c->ratio *= c->ratio) {
		c->d->count = 0;
		c->sum = 0;
		if (cut_side(c, top, c->d->n - top, false) &&
		    (!top || cut_side(c, top - 1, top, true)))
			return;
		fl_assert(c->ratio > 0);
	}
}

/* cut_zones - one piece for each zone that is ever drawn from. Returns 0 or -ERANGE. */
static int cut_zones(struct cutting *c, const struct dist_conf *conf, uint64_t block_bytes)
{
	uint64_t n = c->d->n, lo = 0, end_bytes = 0;
	double end_percent = 0;

	for (uint32_t i = 0; i < conf->count; i++) {
		const struct dist_zone *z = &conf->zones[i];
		uint64_t end;

		if (conf->kind == DIST_ZONED_ABS) {
			if (__builtin_add_overflow(end_bytes, z->size_bytes, &end_bytes))
				end_bytes = UINT64_MAX;
			end = fl_min(end_bytes / block_bytes, n);
			if (lo >= n && z->share > 0)
				return -ERANGE;
		} else {
			end_percent += z->size_percent;
			end = fl_min((uint64_t)roundl(end_percent / 100.0L * n), n);
		}
		if (z->share > 0) {
			uint64_t from = fl_min(lo, n - 1), width = end > from ? end - from : 1;
			double each = z->share / (double)width;

			add_piece(c, from, width, each, each);
		}
		lo = end;
	}
	return 0;
}

/* make_alias - Vose's table: each piece gives what it lacks of the average to a richer one. */
static void make_alias(struct cutting *c)
{
	struct dist *d = c->d;
	uint32_t list[DIST_PIECES_MAX], poor = 0, rich = d->count;

	/* The poor grow from the front of the list, the rich from its end. */
	for (uint32_t i = 0; i < d->count; i++) {
		c->mass[i] *= d->count / c->sum;
		list[c->mass[i] < 1 ? poor++ : --rich] = i;
		d->pieces[i].keep = UINT64_MAX;
		d->pieces[i].alias = i;
	}
	while (poor && rich < d->count) {
		uint32_t give = list[rich], take = list[--poor];

		d->pieces[take].keep = (uint64_t)(c->mass[take] * 0x1p64);
		d->pieces[take].alias = give;
		c->mass[give] -= 1 - c->mass[take];
		if (c->mass[give] < 1) {
			rich++;
			list[poor++] = give;
		}
	}
}

static int make_pieces(struct dist *d, const struct dist_conf *conf, uint64_t block_bytes)
{
	struct cutting *c = calloc(1, sizeof(*c));
	struct dist_piece *smaller;
	int err = 0;

	d->pieces = calloc(DIST_PIECES_MAX, sizeof(*d->pieces));
	if (!c || !d->pieces) {
		free(c);
		return -ENOMEM;
	}
	c->d = d;
	if (d->kind == DIST_ZONED || d->kind == DIST_ZONED_ABS)
		err = cut_zones(c, conf, block_bytes);
	else
		cut_ranks(c);
	if (!err) {
		fl_assert(d->count);
		make_alias(c);
		smaller = realloc(d->pieces, d->count * sizeof(*d->pieces));
		d->pieces = smaller ? smaller : d->pieces;
	}
	free(c);
	return err;
}

/* place_ranks - decide which block each rank of a zipf or pareto is. 0 or -ENOMEM. */
static int place_ranks(struct dist *d, const struct dist_conf *conf, uint64_t key,
		       uint64_t anywhere)
{
	uint64_t top = mode(d), center = anywhere;
	int err;

	if (!conf->in_order) {
		err = permute_init(&d->perm, d->n, key);
		if (err)
			return err;
		top = permute_at(&d->perm, top);
	}
	if (conf->center >= 0)
		center = fl_min((uint64_t)(conf->center * (double)d->n), d->n - 1);
	d->shift = center >= top ? center - top : center + (d->n - top);
	return 0;
}

static int take_sequence(struct dist *d, const struct dist_conf *conf)
{
	fl_assert(conf->count);
	for (uint32_t i = 0; i < conf->count; i++)
		if (conf->sequence[i] >= d->n)
			return -ERANGE;
	d->sequence = conf->sequence;
	d->count = conf->count;
	d->base_step = conf->stride ? conf->count % d->n : 0;
	return 0;
}

/* The constants that weight() works with. */
static void take_param(struct dist *d, const struct dist_conf *conf)
{
	double center = conf->center >= 0 ? conf->center : 0.5;

	d->param = conf->param;
	if (d->kind == DIST_PARETO) {
		fl_assert(conf->param > 0 && conf->param < 1);
		d->param = log1p(-conf->param) / log(conf->param);
	} else if (d->kind == DIST_NORMAL) {
		fl_assert(conf->param > 0);
		d->param = conf->param / 100 * (double)d->n;
		d->mean = center * (double)d->n;
	}
}

int dist_init(struct dist *d, const struct dist_conf *conf, uint64_t n, uint64_t block_bytes,
	      struct rand *seedsource)
{
	uint64_t key = rand_u64(seedsource), anywhere = rand_below(seedsource, n);
	int err = 0;

	*d = (struct dist){ .kind = conf->kind, .n = n };
	if (n < 1 || n > PERMUTE_N_MAX)
		return -EINVAL;
	take_param(d, conf);
	if (d->kind == DIST_SEQUENCE)
		err = take_sequence(d, conf);
	else if (d->kind != DIST_UNIFORM)
		err = make_pieces(d, conf, block_bytes);
	if (!err && (d->kind == DIST_ZIPF || d->kind == DIST_PARETO))
		err = place_ranks(d, conf, key, anywhere);
	if (err)
		dist_free(d);
	return err;
}

static uint64_t next_of_sequence(struct dist *d)
{
	uint64_t block = d->base + d->sequence[d->at];

	if (++d->at == d->count) {
		d->at = 0;
		d->base += d->base_step;
		d->base -= d->base >= d->n ? d->n : 0;
	}
	return block >= d->n ? block - d->n : block;
}

/* accept_doubtful - between the lowest and the highest weight of the piece the weight decides. */
static __attribute__((noinline)) bool accept_doubtful(const struct dist *d,
						      const struct dist_piece *p, uint64_t k,
						      uint64_t chance)
{
	return (double)chance * 0x1p-64 * p->peak < weight(d, k);
}

fl_inline uint64_t draw_rank(const struct dist *d, struct rand *r)
{
	for (;;) {
		unsigned __int128 pick = (unsigned __int128)rand_u64(r) * d->count;
		const struct dist_piece *p = &d->pieces[pick >> 64];
		uint64_t k, chance;

		if ((uint64_t)pick >= p->keep)
			p = &d->pieces[p->alias];
		k = p->lo + rand_below(r, p->width);
		chance = rand_u64(r);
		if (likely(chance <= p->sure) || accept_doubtful(d, p, k, chance))
			return k;
	}
}

uint64_t dist_draw(struct dist *d, struct rand *r)
{
	uint64_t k;

	if (d->kind == DIST_UNIFORM)
		return rand_below(r, d->n);
	if (d->kind == DIST_SEQUENCE)
		return next_of_sequence(d);
	k = draw_rank(d, r);
	if (d->perm.n)
		k = permute_at(&d->perm, k);
	k += d->shift;
	return k >= d->n ? k - d->n : k;
}

void dist_rewind(struct dist *d)
{
	d->at = 0;
	d->base = 0;
}

void dist_free(struct dist *d)
{
	free(d->pieces);
	permute_free(&d->perm);
	*d = (struct dist){ .n = 0 };
}
