/* SPDX-License-Identifier: MIT */
/*
 * fio-like/cmdprio.h - a priority of its own for a share of the requests.
 *
 * Kernel interfaces that carry a priority with each request (io_uring, libaio) share these options:
 * how many of the reads and of the writes get it, and what it is made of. Which requests they are
 * is drawn from the job's seed.
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

#ifdef __cplusplus
extern "C" {
#endif

/* The options as text: one number, or one for reads and one for writes. */
struct fl_cmdprio_conf {
	const char *percentage;
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

/* Indexed by FL_OP_READ and FL_OP_WRITE. */
struct fl_cmdprio {
	uint64_t below[2];		/* of 2^32, what a random number is compared with */
	uint32_t prio[2];		/* as ioprio_set(2) packs it */
	uint64_t random;
};

/* "N" or "N,M" into two numbers. 0 or -EINVAL with a sentence. */
static inline int fl_cmdprio_pair(struct fl_queue *q, const char *name, const char *text,
				  unsigned long max, unsigned long out[2])
{
	const char *at = text;
	char *end;
	int i;

	for (i = 0; text && i < 2; i++) {
		out[i] = strtoul(at, &end, 10);
		if (end == at || *at < '0' || *at > '9' || out[i] > max ||
		    (*end && (i || *end != ',')))
			return q->host->fail(q, -EINVAL, "%s=%s: one number from 0 to %lu is "
					     "expected, or two with a comma between them", name,
					     text, max);
		if (!i)
			out[1] = out[0];
		if (!*end)
			break;
		at = end + 1;
	}
	return 0;
}

/*
 * fl_cmdprio_init - read the options. Returns 1 if some requests get a priority, 0 if none do, or
 * -EINVAL with a sentence.
 */
static inline int fl_cmdprio_init(struct fl_cmdprio *p, struct fl_queue *q,
				  const struct fl_cmdprio_conf *conf)
{
	unsigned long percent[2] = { 0, 0 }, kind[2] = { 1, 1 }, level[2] = { 0, 0 };
	unsigned long hint[2] = { 0, 0 };
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
	p->random = q->job->seed;
	for (i = 0; i < 2; i++) {
		p->below[i] = percent[i] * ((uint64_t)1 << 32) / 100;
		p->prio[i] = (uint32_t)(kind[i] << 13 | hint[i] << 3 | level[i]);
	}
	if (percent[0] || percent[1])
		return 1;
	if (conf->prio_class || conf->level || conf->hint)
		q->host->log(q, FL_LOG_NOTE, "cmdprio, cmdprio_class and cmdprio_hint have no "
			     "effect without cmdprio_percentage");
	return 0;
}

/*
 * fl_cmdprio_pick - the priority of this read or write: one of its own if it is drawn, else
 * req->prio. The generator is Knuth's 64-bit linear congruential one (MMIX), of which the upper
 * half is random enough here.
 */
static inline uint32_t fl_cmdprio_pick(struct fl_cmdprio *p, const struct fl_req *req)
{
	p->random = p->random * 6364136223846793005u + 1442695040888963407u;
	return (p->random >> 32) < p->below[req->op] ? p->prio[req->op] : req->prio;
}

#ifdef __cplusplus
}
#endif
#endif
