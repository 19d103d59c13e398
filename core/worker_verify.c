/* SPDX-License-Identifier: MIT */
#include "core/worker_verify.h"
#include "core/verify_state.h"
#include "core/verify_threads.h"
#include "os/output.h"

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
			   w->job->verify.state_file, output_error(err));
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

/* verify_async: nothing to do for threads where nothing is read back. */
static int start_threads(struct worker *w, char *why, size_t why_bytes)
{
	const struct verify_conf *c = &w->job->verify;
	const struct verify_threads_setup setup = {
		.checker = w->verify->checker.s, .count = c->async, .cpus = c->async_cpus,
		.slots = w->slots, .units_max = workload_block_max(&w->job->workload) / c->unit + 1,
		.epoch = &w->b->epoch,
	};
	int err = 0;

	if (verify_judges(c))
		w->judges = verify_threads_start(&setup, &err, why, why_bytes);
	return err;
}

void worker_verify_stop(struct worker *w)
{
	if (w->judges)
		verify_threads_stop(w->judges, &w->judges_cost);
	w->judges = NULL;
}

/* Of what kind of file does nobody promise that it reads as zeroes when it has been trimmed? */
static void note_trims(struct worker *w)
{
	const struct verify_conf *c = &w->job->verify;
	const struct file_set *set = w->setup->files;
	char name[FILES_NAME_BYTES];

	for (uint32_t i = 0; c->trim_percentage && c->trim_verify_zero && i < set->nr; i++) {
		if (verifier_trims_to_zero(w->verify, i))
			continue;
		stats_note(w->b, "trim_verify_zero: what is trimmed of %s is not checked: %s",
			   files_name(set, i, name), w->verify->s.state ?
			   "by the state that was loaded nobody knows what had been trimmed" :
			   "Linux does not promise that a discarded block reads as zeroes; "
			   "trim_method=zeroout or punch does");
		return;
	}
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
		.trims_read_zero = c->trims_read_zero,
	};
	int err;

	if (!verify_on(c))
		return 0;
	if (w->setup->frontier)
		atomic_store(&w->setup->frontier->seed, w->seed);
	w->verify = calloc(1, sizeof(*w->verify));
	w->source = SOURCE_VERIFIER;
	if (!w->verify) {
		snprintf(why, why_bytes, "no memory");
		return -ENOMEM;
	}
	err = verifier_init(w->verify, &setup, why, why_bytes);
	if (err)
		return err;
	note_trims(w);
	if (c->kind.mode == VERIFY_NULL)
		stats_note(w->b, "verify=null: nothing of what is read is checked");
	return start_threads(w, why, why_bytes);
}

void worker_verify_free(struct worker *w)
{
	worker_verify_stop(w);
	if (w->verify)
		verifier_free(w->verify);
	free(w->verify);
	vstate_free(&w->state);
}

/* ---- On the way of an I/O (worker.h) --------------------------------------------------------- */

void worker_back_verified(struct worker *w, const struct io *io, int err)
{
	uint32_t file = io->req.file->index, op = io->req.op;

	if ((op == FL_OP_WRITE || op == FL_OP_TRIM) && err)
		verifier_lost(w->verify, file, io->req.offset - io->moved, io->want);
	if (op == FL_OP_WRITE)
		verifier_written(w->verify, io->req.slot, file, err);
	else if (!err && (op == FL_OP_SYNC || op == FL_OP_DATASYNC))
		verifier_synced(w->verify, file, io->promises);
}

/* A read was wrong. Returns whether the job ends with it. */
static bool found_wrong(struct worker *w, int err, const char *why)
{
	struct worker_block *b = w->b;

	b->errors++;
	b->dir[DIR_READ].errors++;
	if (!faults_fatal_verify(&w->job->faults)) {
		stats_error(b, -err, "%s", why);
		return false;
	}
	if (b->fatal)
		stats_note(b, "%s", why);
	stats_fail(b, -err, "%s", why);
	return w->job->verify.fatal;
}

static struct checker_read read_of(const struct worker *w, const struct io *io)
{
	return (struct checker_read){
		.buf = buffers_at(&w->buffers, io->req.slot), .file = io->req.file->index,
		.offset = io->req.offset - io->moved, .len = io->want,
	};
}

bool worker_check(struct worker *w, const struct io *io)
{
	struct checker_read r = read_of(w, io);
	int err = verifier_check(w->verify, &r);

	return unlikely(err) && found_wrong(w, err, w->verify->checker.why);
}

void worker_give(struct worker *w, const struct io *io)
{
	struct verify_task *task = verify_threads_task(w->judges, io->req.slot);

	task->read = read_of(w, io);
	verifier_read(w->verify, &task->read, task->marks);
	verify_threads_give(w->judges, task);
}

struct io *worker_take(struct worker *w, bool wait, bool *ends)
{
	struct verify_task *task = verify_threads_take(w->judges, wait);

	if (!task)
		return NULL;
	verifier_judged(w->verify, task->blocks, task->wrong);
	if (unlikely(task->err) && found_wrong(w, task->err, task->why))
		*ends = true;
	return &w->ios[task->slot];
}
