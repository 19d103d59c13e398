/* SPDX-License-Identifier: MIT */
/* All observers there are, and calling each of them. The hooks are described in core/observer.h. */
#ifndef CORE_OBSERVERS_H
#define CORE_OBSERVERS_H

#include "core/observer.h"

#define OBSERVERS_MAX	24

struct observers {
	struct observed run;
	void *self[OBSERVERS_MAX];
	struct trust trust;		/* what they have found */
	struct series series;
	bool begun;
};

/*
 * observers_begin - make the state of every observer and let it begin, in the order of the rows,
 * until one refuses. Returns 0 or its -errno. observers_done() in both cases.
 */
int observers_begin(struct observers *o, const struct cli_flags *flags, const struct jobs *jobs,
		    const struct plan *plan, struct diag *diag);
/* observers_enter - 0, or the -errno of the first that objects, with its sentence in why. */
int observers_enter(const struct observers *o, char *why, size_t why_bytes);
void observers_ready(struct observers *o, const struct crew *crew, const struct disks *disks);
void observers_job_begins(struct observers *o, size_t job);
int observers_may_go(struct observers *o, size_t job, char *why, size_t why_bytes);
void observers_job_measured(struct observers *o, size_t job);
void observers_job_ended(struct observers *o, size_t job);
void observers_look(struct observers *o, uint64_t now_ns);
void observers_tick(struct observers *o, uint64_t now_ns);
void observers_finish(struct observers *o);
void observers_fill(struct observers *o, struct result *r);
void observers_done(struct observers *o);

/* observers_added - what all of them add to a result; valid as long as o is. */
struct result_added observers_added(const struct observers *o);

/* observers_status - the first exit status other than 0 that one demands; 0: none does. */
int observers_status(const struct observers *o);

#endif
