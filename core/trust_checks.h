/* SPDX-License-Identifier: MIT */
/*
 * The checks: each a row with what it needs to be asked at all and what the user can do about it,
 * and a small function that judges the evidence.
 *
 * A check never asks the kernel: what it needs is in the evidence, so that a test can make it up.
 * No check may speak up where all is well: a warning that is there every time is one that nobody
 * reads. Bounds are named in the checks' files and in doc/trust.md.
 */
#ifndef CORE_TRUST_CHECKS_H
#define CORE_TRUST_CHECKS_H

#include "core/trust.h"
#include "core/trust_facts.h"

/* What must be there, or a check of a job isn't asked. */
enum trust_needs {
	TRUST_NEEDS_IO		= 1 << 0,	/* it has finished some */
	TRUST_NEEDS_READS	= 1 << 1,	/* of these, reads; writes */
	TRUST_NEEDS_WRITES	= 1 << 2,
	TRUST_NEEDS_TARGET	= 1 << 3,	/* a file or a block device */
	TRUST_NEEDS_DISK	= 1 << 4,	/* the disk below it is known */
	TRUST_NEEDS_STORAGE	= 1 << 5,	/* the kernel counted what storage was asked for */
	TRUST_NEEDS_MEDIUM	= 1 << 6,	/* the target lies in no memory */
};

struct trust_check {
	const char *id;
	unsigned needs;
	const char *fix;		/* what to do, if the check itself has no better idea */
	/* One of the two. Returns whether there is a finding: severity, text, numbers of *f. */
	bool (*of_job)(const struct trust_scene *s, const struct trust_case *c,
		       struct trust_finding *f);
	bool (*of_run)(const struct trust_scene *s, struct trust_finding *f);
};

/* One table per subject, each ended by a row without an id. */
extern const struct trust_check trust_on_files[];	/* holes, dirty pages */
extern const struct trust_check trust_on_cache[];	/* who answered the reads */
extern const struct trust_check trust_on_device[];	/* cache, compression, strangers, bounds */
extern const struct trust_check trust_on_load[];	/* CPU, depth, rate, time, drift, errors */
extern const struct trust_check trust_on_machine[];	/* steal, throttling, heat, clock */

/* trust_check_all - ask all checks about all jobs and the run; what they find goes to t. */
void trust_check_all(const struct trust_scene *s, struct trust *t);

/* trust_check_at - the i-th of all checks, for tests and the manual; NULL behind the last. */
const struct trust_check *trust_check_at(size_t i);

/* trust_say - set text and severity of a finding in the making. Returns true. */
bool trust_say(struct trust_finding *f, enum trust_grade severity, const char *fmt, ...)
	fl_printf(3, 4);

/* trust_set - was this option given to the job, by itself or in [global]? Canonical name. */
bool trust_set(const struct trust_scene *s, const struct trust_case *c, const char *option);

/* trust_percent_unwritten - what share of a job's reads hit a part of a file or of a device without
 * data, as far as that is known for sure; 0 to 100. */
double trust_percent_unwritten(const struct trust_case *c);

/* trust_is_dax - does the disk hand out its memory, so that nothing is ever asked of it? */
fl_inline bool trust_is_dax(const struct trust_scene *s, const struct trust_case *c)
{
	return c->facts->disk >= 0 && s->disks[c->facts->disk].traits.dax;
}

/* trust_mib - bytes in MiB, for texts. */
fl_inline double trust_mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

#endif
