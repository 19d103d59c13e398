/* SPDX-License-Identifier: MIT */
/* What a worker has to do with verifying beyond its loop: the verifier it has, and its state. */
#ifndef CORE_WORKER_VERIFY_H
#define CORE_WORKER_VERIFY_H

#include "core/worker.h"

/*
 * worker_verify_load - verify_state_load: the state the job goes by, and the seed that its data was
 * written with. Before anything is drawn. Returns 0, or -errno with a sentence in why.
 */
int worker_verify_load(struct worker *w, char *why, size_t why_bytes);

/*
 * worker_verify_make - the verifier of a job that verifies; w->verify stays NULL for others.
 * Returns 0, or -errno with a sentence in why. worker_verify_free() in all cases.
 */
int worker_verify_make(struct worker *w, char *why, size_t why_bytes);
void worker_verify_free(struct worker *w);

/* worker_verify_stop - no more reads will be judged: the threads of verify_async end. */
void worker_verify_stop(struct worker *w);

#endif
