/* SPDX-License-Identifier: MIT */
/*
 * fio-like/cmdprio.h - a priority of its own for a share of the requests.
 *
 * Kernel interfaces that carry a priority with each request (io_uring, libaio) share these options:
 * how many of the reads and of the writes, of any or of each size, get it, and what it is made of.
 * Which requests they are is drawn from the job's seed.
 *
 *	conf	struct fl_cmdprio_conf as a member, its rows by FL_OPT_ROWS_CMDPRIO()
 *	open	fl_cmdprio_init()
 *	queue	prio = fl_cmdprio_pick(p, req)
 *
 * Header only; may be included from C++.
 */
#ifndef FIO_LIKE_CMDPRIO_H
#define FIO_LIKE_CMDPRIO_H

#include "fio-like/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The options as text: one value, or one for reads and one for writes. */
struct fl_cmdprio_conf {
	const char *percentage;
	const char *bssplit;
	const char *prio_class;
	const char *level;
	const char *hint;
};

#define FL_OPT_ROW_CMDPRIO_(conf, member_, name_, help_, more_)				\
	{ .name = name_, .type = FL_OPT_STR, .offset = offsetof(conf, member_),		\
	  .help = help_, .more = more_ }

/* FL_OPT_ROWS_CMDPRIO(conf, member) - the rows for `struct fl_cmdprio_conf member` in conf. */
#define FL_OPT_ROWS_CMDPRIO(conf, member)						\
	FL_OPT_ROW_CMDPRIO_(conf, member.percentage, "cmdprio_percentage",		\
			    "share of requests with a priority of their own, percent",	\
			    "One number, or two with a comma: reads, writes. Has an effect "	\
			    "with direct=1 on a device whose scheduler or queues know it."),	\
	FL_OPT_ROW_CMDPRIO_(conf, member.bssplit, "cmdprio_bssplit",			\
			    "share of the requests of each size with a priority of their own",	\
			    "size/percent, or size/percent/class/level, or with /hint after "	\
			    "that, several with a colon between them; one list, or two with "	\
			    "a comma: reads, writes. Without a class, cmdprio_class, cmdprio "	\
			    "and cmdprio_hint count. Excludes cmdprio_percentage."),		\
	FL_OPT_ROW_CMDPRIO_(conf, member.prio_class, "cmdprio_class",			\
			    "class of their priority: 1 real time, 2 best effort, 3 idle",	\
			    "One number, or two with a comma: reads, writes. 1 unless given; "	\
			    "real time needs CAP_SYS_ADMIN or CAP_SYS_NICE."),		\
	FL_OPT_ROW_CMDPRIO_(conf, member.level, "cmdprio",				\
			    "level of their priority, 0 (highest) to 7",		\
			    "One number, or two with a comma: reads, writes."),		\
	FL_OPT_ROW_CMDPRIO_(conf, member.hint, "cmdprio_hint",				\
			    "hint bits of their priority, 0 to 1023",			\
			    "One number, or two with a comma: reads, writes. 1 to 7 are the "	\
			    "limits of a device with command duration limits (Linux 6.5).")

enum { FL_CMDPRIO_SHARES_MAX = 64 };	/* of one direction */

/* Some of the requests of one size. */
struct fl_cmdprio_share {
	uint64_t len;			/* bytes; 0: of any size */
	uint32_t percent;		/* with what shares before it take of the same size */
	uint32_t prio;			/* as ioprio_set(2) packs it */
};

/* Indexed by FL_OP_READ and FL_OP_WRITE. */
struct fl_cmdprio {
	uint64_t random;
	uint32_t count[2];
	struct fl_cmdprio_share share[2][FL_CMDPRIO_SHARES_MAX];
};

static inline uint32_t fl_cmdprio_pack(unsigned long kind, unsigned long level, unsigned long hint)
{
	return (uint32_t)(kind << 13 | hint << 3 | level);
}

/* Reads a number. Returns what follows it, or NULL: no number, or above max. */
static inline const char *fl_cmdprio_number(const char *at, unsigned long max, unsigned long *out)
{
	char *end;

	if (*at < '0' || *at > '9')
		return NULL;
	*out = strtoul(at, &end, 10);
	return *out > max ? NULL : end;
}

/* "N" or "N,M" into two numbers. 0 or -EINVAL with a sentence. */
static inline int fl_cmdprio_pair(struct fl_queue *q, const char *name, const char *text,
				  unsigned long max, unsigned long out[2])
{
	const char *at = text;

	if (!text)
		return 0;
	at = fl_cmdprio_number(at, max, &out[0]);
	out[1] = out[0];
	if (at && *at == ',')
		at = fl_cmdprio_number(at + 1, max, &out[1]);
	if (!at || *at)
		return q->host->fail(q, -EINVAL, "%s=%s: one number from 0 to %lu is expected, or "
				     "two with a comma between them", name, text, max);
	return 0;
}

/*
 * One `size/percent[/class/level[/hint]]` at `at` into *s; prio is for the short form. Returns what
 * follows it, or NULL if it has another form.
 */
static inline const char *fl_cmdprio_entry(const char *at, uint32_t prio,
					   struct fl_cmdprio_share *s)
{
	static const unsigned long max[4] = { 100, 3, 7, 1023 };
	unsigned long size, part[4] = { 0, 0, 0, 0 };
	int n, shift;

	at = fl_cmdprio_number(at, UINT32_MAX, &size);
	if (!at || !size)
		return NULL;
	shift = *at == 'k' || *at == 'K' ? 10 : *at == 'm' || *at == 'M' ? 20 :
		*at == 'g' || *at == 'G' ? 30 : 0;
	at += shift > 0;
	for (n = 0; at && *at == '/' && n < 4; n++)
		at = fl_cmdprio_number(at + 1, max[n], &part[n]);
	if (!at || n == 0 || n == 2)
		return NULL;
	s->len = (uint64_t)size << shift;
	s->percent = (uint32_t)part[0];
	s->prio = n == 1 ? prio : fl_cmdprio_pack(part[1], part[2], part[3]);
	return at;
}

/* The entries of one direction, *at moves behind them. 0 or -EINVAL with a sentence. */
static inline int fl_cmdprio_list(struct fl_cmdprio *p, struct fl_queue *q, int op, uint32_t prio,
				  const char **at)
{
	struct fl_cmdprio_share *first = p->share[op], *s, *before;
	const char *entry;

	while (**at && **at != ',') {
		if (p->count[op] == FL_CMDPRIO_SHARES_MAX)
			return q->host->fail(q, -EINVAL, "cmdprio_bssplit: more than %d entries "
					     "for a direction", FL_CMDPRIO_SHARES_MAX);
		s = first + p->count[op]++;
		entry = *at;
		*at = fl_cmdprio_entry(entry, prio, s);
		if (!*at || (**at && **at != ',' && **at != ':'))
			return q->host->fail(q, -EINVAL, "cmdprio_bssplit: '%.*s' is not "
					     "size/percent[/class/level[/hint]], as in 4k/20 or "
					     "64k/50/2/1; percent is 0 to 100, class 0 to 3, level "
					     "0 to 7, hint 0 to 1023",
					     (int)strcspn(entry, ":,"), entry);
		*at += **at == ':';
		for (before = s; before > first && before[-1].len != s->len; before--)
			;
		if (before > first)
			s->percent += before[-1].percent;
		if (s->percent > 100)
			return q->host->fail(q, -EINVAL, "cmdprio_bssplit: the percentages of %llu "
					     "bytes add up to more than 100",
					     (unsigned long long)s->len);
		if (s->len < q->job->block_min || s->len > q->job->block_max)
			q->host->log(q, FL_LOG_NOTE, "cmdprio_bssplit: no request has %llu bytes",
				     (unsigned long long)s->len);
	}
	return 0;
}

/* Entries for both directions, or for reads, a comma, and for writes. 0 or -EINVAL, as above. */
static inline int fl_cmdprio_split(struct fl_cmdprio *p, struct fl_queue *q, const char *text,
				   const uint32_t prio[2])
{
	const char *at = text;
	int err = fl_cmdprio_list(p, q, FL_OP_READ, prio[FL_OP_READ], &at);

	if (err)
		return err;
	at = *at ? at + 1 : text;
	err = fl_cmdprio_list(p, q, FL_OP_WRITE, prio[FL_OP_WRITE], &at);
	if (!err && *at)
		err = q->host->fail(q, -EINVAL, "cmdprio_bssplit: one list is expected, or two "
				    "with a comma between them: reads, writes; ',%s' is too much",
				    at + 1);
	return err;
}

/*
 * fl_cmdprio_init - read the options into *p, which is all zeroes. Returns 1 if some requests get a
 * priority, 0 if none do, or -EINVAL with a sentence.
 */
static inline int fl_cmdprio_init(struct fl_cmdprio *p, struct fl_queue *q,
				  const struct fl_cmdprio_conf *conf)
{
	unsigned long percent[2] = { 0, 0 }, kind[2] = { 1, 1 }, level[2] = { 0, 0 };
	unsigned long hint[2] = { 0, 0 };
	uint32_t prio[2];
	int i, err;

	err = fl_cmdprio_pair(q, "cmdprio_percentage", conf->percentage, 100, percent);
	if (!err)
		err = fl_cmdprio_pair(q, "cmdprio_class", conf->prio_class, 3, kind);
	if (!err)
		err = fl_cmdprio_pair(q, "cmdprio", conf->level, 7, level);
	if (!err)
		err = fl_cmdprio_pair(q, "cmdprio_hint", conf->hint, 1023, hint);
	if (err)
		return err;
	if (conf->bssplit && (percent[0] || percent[1]))
		return q->host->fail(q, -EINVAL, "cmdprio_bssplit and cmdprio_percentage=%s "
				     "exclude each other: leave one out", conf->percentage);
	p->random = q->job->seed;
	for (i = 0; i < 2; i++) {
		prio[i] = fl_cmdprio_pack(kind[i], level[i], hint[i]);
		p->share[i][0].percent = (uint32_t)percent[i];
		p->share[i][0].prio = prio[i];
		p->count[i] = percent[i] > 0;
	}
	if (conf->bssplit)
		err = fl_cmdprio_split(p, q, conf->bssplit, prio);
	if (err)
		return err;
	if (p->count[0] || p->count[1])
		return 1;
	if (conf->prio_class || conf->level || conf->hint)
		q->host->log(q, FL_LOG_NOTE, "cmdprio, cmdprio_class and cmdprio_hint have no "
			     "effect without cmdprio_percentage or cmdprio_bssplit");
	return 0;
}

/*
 * fl_cmdprio_pick - the priority of this read or write: one of its own if it is drawn, else 0. It
 * stays in req->prio, by which the runner reports latencies. The generator is Knuth's 64-bit linear
 * congruential one (MMIX), of which the upper half is random enough here.
 */
static inline uint32_t fl_cmdprio_pick(struct fl_cmdprio *p, struct fl_req *req)
{
	const struct fl_cmdprio_share *s = p->share[req->op], *end = s + p->count[req->op];
	uint32_t drawn;

	p->random = p->random * 6364136223846793005u + 1442695040888963407u;
	drawn = (uint32_t)((p->random >> 32) * 100 >> 32);
	for (; s < end; s++)
		if (drawn < s->percent && (!s->len || s->len == req->len))
			return req->prio = s->prio;
	return req->prio = 0;
}

#ifdef __cplusplus
}
#endif
#endif
