/* SPDX-License-Identifier: MIT */
/*
 * An engine on top of another one, whose name is an option: it hands every request down and its
 * result back up. Requests and files of its own go down, for priv belongs to one engine alone.
 */
#include <errno.h>
#include <fio-like/engine.h>
#include <string.h>

struct stack_conf { const char *below, *below_opts; };
struct stack { struct fl_queue *below; struct fl_req *reqs; struct fl_file *files; };

static const struct fl_opt stack_opts[] = {
	{ .name = "below", .type = FL_OPT_STR, .offset = offsetof(struct stack_conf, below),
	  .def = "psync", .help = "engine that does the work" },
	{ .name = "below_opts", .type = FL_OPT_STR,
	  .offset = offsetof(struct stack_conf, below_opts), .help = "options for it" },
};

static int stack_open(struct fl_queue *q)
{
	const struct stack_conf *conf = q->opts;
	struct stack *s = q->host->alloc(sizeof(*s), 0);
	int err = -ENOMEM;

	if (!s)
		return err;
	s->reqs = q->host->alloc(q->depth * sizeof(*s->reqs), 64);
	s->files = q->host->alloc(q->job->files * sizeof(*s->files), 0);
	if (s->reqs && s->files)
		err = q->host->stack_open(q, conf->below, conf->below_opts, &s->below);
	if (err < 0) {
		q->host->free(s->reqs);
		q->host->free(s->files);
		q->host->free(s);
		return err;
	}
	q->priv = s;
	q->flags |= s->below->flags & FL_QUEUE_SYNC;
	return 0;
}

static void stack_close(struct fl_queue *q)
{
	struct stack *s = q->priv;

	q->host->stack_close(q, s->below);
	q->host->free(s->reqs);
	q->host->free(s->files);
	q->host->free(s);
}

static int stack_file_open(struct fl_queue *q, struct fl_file *f)
{
	struct stack *s = q->priv;

	s->files[f->index] = *f;
	return s->below->engine->file_open(s->below, &s->files[f->index]);
}

static int stack_file_close(struct fl_queue *q, struct fl_file *f)
{
	struct stack *s = q->priv;

	return s->below->engine->file_close(s->below, &s->files[f->index]);
}

static int stack_queue(struct fl_queue *q, struct fl_req *req)
{
	struct stack *s = q->priv;
	struct fl_req *down = &s->reqs[req->slot];
	void *priv = down->priv;
	int answer;

	*down = *req;
	down->priv = priv;
	down->file = &s->files[req->file->index];
	if (s->below->engine->prep && (answer = s->below->engine->prep(s->below, down)) < 0) {
		req->res = answer;
		return FL_DONE;
	}
	answer = s->below->engine->queue(s->below, down);
	req->res = down->res;
	if (answer == FL_PENDING)
		down->arg = (uint64_t)(uintptr_t)req;
	return answer;
}

static int stack_commit(struct fl_queue *q)
{
	struct stack *s = q->priv;

	/* Without a commit() below, queue() has told the kernel already. */
	return s->below->engine->commit ? s->below->engine->commit(s->below) : (int)q->depth;
}

static int stack_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			  struct fl_req **done)
{
	struct stack *s = q->priv;
	int n = s->below->engine->complete(s->below, min, max, timeout_ns, done);

	for (int i = 0; i < n; i++) {
		struct fl_req *up = (struct fl_req *)(uintptr_t)done[i]->arg;

		up->res = done[i]->res;
		done[i] = up;
	}
	return n;
}

static const struct fl_engine stack = {
	FL_ENGINE_HEAD, .name = "stack", .help = "hands everything to the engine below",
	FL_ENGINE_OPTS(struct stack_conf, stack_opts), .caps = FL_CAP_LAYOUT,
	.open = stack_open, .close = stack_close, .file_open = stack_file_open,
	.file_close = stack_file_close, .queue = stack_queue, .commit = stack_commit,
	.complete = stack_complete,
};

FL_ENGINE_EXPORT(&stack);
