/* SPDX-License-Identifier: MIT */
#include "core/worker_verify.h"
#include "core/verify_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct verify_state_of state_of(const struct worker *w)
{
	return (struct verify_state_of){
		w->job->name, w->setup->number, w->job->verify.unit, w->setup->aux_path,
	};
}

/* verify_state_file */
static void append_state(void *ctx)
{
	struct worker *w = ctx;
	struct verify_state_of of = state_of(w);
	int err = verify_state_append(&of, w->job->verify.state_file, w->setup->frontier);

	if (err)
		stats_note(w->b, "verify_state_file=%s: the state could not be added: %s",
			   w->job->verify.state_file, strerror(-err));
}

int worker_verify_load(struct worker *w, char *why, size_t why_bytes)
{
	const struct verify_conf *c = &w->job->verify;
	struct verify_state_of of = state_of(w);
	int err;

	if (!c->state_load)
		return 0;
	err = verify_state_load(&of, c->state_file, &w->state, why, why_bytes);
	if (!err)
		w->seed = w->state.seed;
	return err;
}

int worker_verify_make(struct worker *w, char *why, size_t why_bytes)
{
	const struct verify_conf *c = &w->job->verify;
	const struct verifier_setup setup = {
		.conf = c, .files = w->setup->files, .block = w->b, .seed = w->seed,
		.job = w->setup->number, .block_max = workload_block_max(&w->job->workload),
		.frontier = w->setup->frontier, .state = c->state_load ? &w->state : NULL,
		.promised = c->state_file && w->setup->frontier ? append_state : NULL, .ctx = w,
		.synchronous = w->job->files.sync != FILES_SYNC_NONE,
	};

	if (!verify_on(c))
		return 0;
	if (w->setup->frontier)
		atomic_store(&w->setup->frontier->seed, w->seed);
	w->verify = calloc(1, sizeof(*w->verify));
	if (w->verify)
		return verifier_init(w->verify, &setup, why, why_bytes);
	snprintf(why, why_bytes, "no memory");
	return -ENOMEM;
}

void worker_verify_free(struct worker *w)
{
	if (w->verify)
		verifier_free(w->verify);
	free(w->verify);
	vstate_free(&w->state);
}

/* ---- On the way of an I/O (worker.h) --------------------------------------------------------- */

void worker_back_verified(struct worker *w, const struct io *io, int err)
{
	uint32_t file = io->req.file->index, op = io->req.op;

	if (op == FL_OP_WRITE && err)
		verifier_lost(w->verify, file, io->req.offset - io->moved, io->want);
	if (op == FL_OP_WRITE)
		verifier_written(w->verify, io->req.slot, file, err);
	else if (!err && (op == FL_OP_SYNC || op == FL_OP_DATASYNC))
		verifier_synced(w->verify, file, io->promises);
}

bool worker_check(struct worker *w, const struct io *io, const void *buf)
{
	struct worker_block *b = w->b;
	int err = verifier_check(w->verify, buf, io->req.file->index, io->req.offset - io->moved,
				 io->want);

	if (likely(!err))
		return false;
	b->errors++;
	b->dir[DIR_READ].errors++;
	if (!faults_fatal_verify(&w->job->faults)) {
		stats_error(b, -err, "%s", w->verify->why);
		return false;
	}
	if (b->fatal)
		stats_note(b, "%s", w->verify->why);
	stats_fail(b, -err, "%s", w->verify->why);
	return w->job->verify.fatal;
}
