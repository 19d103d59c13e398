/* SPDX-License-Identifier: MIT */
/*
 * The runner's side of the engine interface: makes queues, and is the struct fl_host they see.
 *
 * One host_queue per worker. It owns the mailbox of requests posted from other threads, the
 * sentence of the last fail(), and the queues stacked below.
 */
#ifndef CORE_HOST_H
#define CORE_HOST_H

#include "core/engines.h"
#include "core/mailbox.h"

#define HOST_WHY_BYTES		256
#define HOST_COUNTERS_MAX	ENGINE_COUNTERS_MAX
#define HOST_HISTOGRAMS_MAX	ENGINE_HISTOGRAMS_MAX
#define HOST_DEPTH_MAX		65536
#define HOST_STACK_MAX		8	/* queues on top of each other */

/*
 * Where lines of fl_host.log go. level: enum fl_log. Any thread. NULL sink: errors and notes go to
 * stderr. Lines that belong to no queue (from probe, process_init) go to stderr too.
 */
typedef void (*host_log_fn)(void *ctx, int level, const char *text);

/* What a queue is made from; all pointers outlive it. */
struct host_setup {
	const struct engine *engine;
	const struct fl_job *job;
	const void *opts;		/* engine->ops.conf_size bytes, or NULL: its defaults */
	uint32_t depth;
	uint64_t *counters;		/* HOST_COUNTERS_MAX numbers, zeroed by the caller */
	void (*observe)(void *ctx, unsigned histogram, uint64_t ns);
	/* a place for the counters of an engine that is opened below, as above; NULL: not kept */
	uint64_t *(*below)(void *ctx, const struct engine *e);
	host_log_fn log;
	void *ctx;			/* of log, observe and below */
	const struct fl_host *host;	/* NULL: host_services(). Tests give a copy with changes */
};

struct guard;
struct zbd_trim;

struct host_queue {
	struct fl_queue q;		/* first: its pointer is a host_queue pointer too */
	char why[HOST_WHY_BYTES];	/* last fail(), "" if none; used in the top queue only */
	struct host_setup setup;
	struct mailbox *mailbox;	/* from host_queue_open() to host_queue_close() */
	struct host_queue *above;	/* who opened this one by stack_open(), or NULL */
	struct host_queue *stacked;	/* top queue: all that lie below, in a list ... */
	struct host_queue *next;	/* ... by this member of theirs */
	struct guard *guard;		/* of core/guard.h, or NULL */
	struct zbd_trim *trims;		/* of core/zbd_trim.h, or NULL */
	bool abandoned;			/* top queue: host_abandon() */
	int *left;			/* descriptors to close after close() */
	uint32_t nr_left;
};

/* host_services - the runner's services, as q->host gives them. */
const struct fl_host *host_services(void);

/* host_top - the queue of the worker, if hq is one that is stacked below it; else hq. */
struct host_queue *host_top(struct host_queue *hq);

/* host_queue_init - fill *hq without opening it, as file_size() and file_layout() get it. */
void host_queue_init(struct host_queue *hq, const struct host_setup *setup);

/*
 * host_queue_open - init, process_init once per process, open(). On the thread that will use it.
 * Returns 0, or -errno with a sentence in hq->why; then nothing is left to close.
 */
int host_queue_open(struct host_queue *hq, const struct host_setup *setup);
/*
 * host_queue_start - the rest of host_queue_open(), for a queue that host_queue_init() has filled.
 */
int host_queue_start(struct host_queue *hq);
/* host_counters - let the engine, and those below it, bring their counters up to date. */
void host_counters(struct host_queue *hq);
/*
 * host_abandon - requests are in flight, and nobody waits for them: what follows is file_close() of
 * all files, then close(). A thread of the engine may be about to use a descriptor, which by then
 * must not be another file's. So those that the runner opened stay open until close() has returned.
 * On the queue of the worker.
 */
void host_abandon(struct host_queue *hq);
/* host_queue_close - close() of the engine. The files are closed already. */
void host_queue_close(struct host_queue *hq);

/*
 * host_options - options of an engine from one line, "name=value:name=value". NULL or "": defaults.
 * In a value "\:" and "\\" stand for ':' and '\'.
 * Returns a conf struct to free(), or NULL with *err below 0 and a sentence in why.
 */
void *host_options(const struct engine *e, const char *text, int *err, char *why, size_t why_bytes);

/*
 * host_process_init - process_init() of this engine, if this process has not had it. Called by
 * host_queue_open(); a process that will have several threads calls it before it makes them.
 * Returns 0, or -errno with a sentence in why.
 */
int host_process_init(const struct engine *e, char *why, size_t why_bytes);
/*
 * host_process_exit - process_exit() of every engine that had a process_init() here. Main thread.
 */
void host_process_exit(void);

/*
 * host_file_open, host_file_close - by the engine's hooks, or by the runner's own open(2).
 * 0 or -errno, with a sentence for host_explain().
 */
int host_file_open(struct host_queue *hq, struct fl_file *f);
int host_file_close(struct host_queue *hq, struct fl_file *f);

/*
 * host_file_invalidate - what the runner does where an engine has no file_invalidate().
 * 0 or -errno.
 */
int host_file_invalidate(const struct fl_file *f);

/* host_completer - complete() of the engine, or one that asks the mailbox for engines that post. */
typedef int (*host_complete_fn)(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
				struct fl_req **done);
host_complete_fn host_completer(const struct host_queue *hq);

/* host_too_many - complete() answered n, above max: a bug. -EPROTO, with a sentence. */
int host_too_many(struct host_queue *hq, int n, uint32_t max);

/* host_complete - the two in one, where it is not done for every I/O. */
int host_complete(struct host_queue *hq, uint32_t min, uint32_t max, int64_t timeout_ns,
		  struct fl_req **done);

/*
 * host_explain - the best sentence for an error: what fail() said since the last call, or the text
 * of the errno. Clears hq->why. Returns buf.
 */
const char *host_explain(struct host_queue *hq, int err, char *buf, size_t n);

/*
 * host_probe - can the engine work here? In a throw-away child.
 * 0, or -errno with a sentence in why.
 */
int host_probe(const struct engine *e, char *why, size_t why_bytes);

#endif
