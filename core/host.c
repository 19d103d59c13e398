/* SPDX-License-Identifier: MIT */
/*
 * Queues from birth to death, and what an engine's absent hooks mean. The services that an engine
 * may call are in core/host_services.c.
 */
#define _GNU_SOURCE
#include "core/host.h"

#include "os/file.h"
#include "os/fstype.h"
#include "os/mapguard.h"
#include "os/status.h"
#include "os/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PROBE_MS	5000

/* One process_init() that went well. Entries of a parent process are not ours after a fork. */
struct process_entry {
	struct process_entry *next;
	const struct engine *engine;
	pid_t pid;
	void *process;
};

static struct process_entry *processes;
static pthread_mutex_t processes_lock = PTHREAD_MUTEX_INITIALIZER;

struct host_queue *host_top(struct host_queue *hq)
{
	while (hq->above)
		hq = hq->above;
	return hq;
}

fl_printf(3, 4) static int fail(struct host_queue *hq, int err, const char *fmt, ...)
{
	struct host_queue *top = host_top(hq);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(top->why, sizeof(top->why), fmt, ap);
	va_end(ap);
	return err;
}

/* Has the engine called fail()? It knows more than we could say. */
static bool has_failed(struct host_queue *hq)
{
	return host_top(hq)->why[0];
}

/* ---- What a process shares ------------------------------------------------------------------- */

static struct process_entry *process_find(const struct engine *e)
{
	pid_t pid = getpid();

	for (struct process_entry *p = processes; p; p = p->next)
		if (p->engine == e && p->pid == pid)
			return p;
	return NULL;
}

static int process_make(const struct engine *e, char *why, size_t why_bytes)
{
	struct process_entry *p = calloc(1, sizeof(*p));
	int err;

	if (!p) {
		snprintf(why, why_bytes, "out of memory");
		return -ENOMEM;
	}
	err = e->ops.process_init(host_services(), &p->process);
	if (err < 0) {
		snprintf(why, why_bytes, "engine '%s' cannot set up what its jobs share: %s",
			 e->ops.name, strerror(-err));
		free(p);
		return err;
	}
	p->engine = e;
	p->pid = getpid();
	p->next = processes;
	processes = p;
	return 0;
}

int host_process_init(const struct engine *e, char *why, size_t why_bytes)
{
	int err = 0;

	if (!e->ops.process_init)
		return 0;
	pthread_mutex_lock(&processes_lock);
	if (!process_find(e))
		err = process_make(e, why, why_bytes);
	pthread_mutex_unlock(&processes_lock);
	return err;
}

static void *process_value(const struct engine *e)
{
	const struct process_entry *p;
	void *value = NULL;

	if (!e->ops.process_init)
		return NULL;
	pthread_mutex_lock(&processes_lock);
	p = process_find(e);
	if (p)
		value = p->process;
	pthread_mutex_unlock(&processes_lock);
	return value;
}

void host_process_exit(void)
{
	struct process_entry *p, *next;
	pid_t pid = getpid();

	pthread_mutex_lock(&processes_lock);
	for (p = processes; p; p = next) {
		next = p->next;
		if (p->pid == pid && p->engine->ops.process_exit)
			p->engine->ops.process_exit(p->process);
		free(p);
	}
	processes = NULL;
	pthread_mutex_unlock(&processes_lock);
}

/* ---- A queue's life -------------------------------------------------------------------------- */

void host_queue_init(struct host_queue *hq, const struct host_setup *setup)
{
	const struct engine *e = setup->engine;

	memset(hq, 0, sizeof(*hq));
	hq->setup = *setup;
	hq->q = (struct fl_queue){
		.size = sizeof(hq->q),
		.depth = setup->depth,
		.engine = &e->ops,
		.host = setup->host ? setup->host : host_services(),
		.job = setup->job,
		.opts = setup->opts ? setup->opts : e->defaults,
		.counters = setup->counters,
		.map_faults = mapguard_faults(),
		.poll_fd = -1,
	};
}

int host_queue_start(struct host_queue *hq)
{
	const struct host_setup *setup = &hq->setup;
	const struct fl_engine *e = &setup->engine->ops;
	int err;

	if (!setup->depth || setup->depth > HOST_DEPTH_MAX)
		return fail(hq, -EINVAL, "a queue cannot have a depth of %u: 1 to %d are possible",
			    setup->depth, HOST_DEPTH_MAX);
	err = host_process_init(setup->engine, host_top(hq)->why, HOST_WHY_BYTES);
	if (err < 0)
		return err;
	hq->q.process = process_value(setup->engine);
	if (!e->open) {
		hq->q.flags |= FL_QUEUE_SYNC;
		return 0;
	}
	hq->mailbox = mailbox_new(setup->depth);
	if (!hq->mailbox)
		return fail(hq, -ENOMEM, "no memory for a queue of depth %u", setup->depth);
	err = e->open(&hq->q);
	if (err >= 0)
		return 0;
	mailbox_free(hq->mailbox);
	hq->mailbox = NULL;
	if (!has_failed(hq))
		fail(hq, err, "engine '%s' cannot open its queue: %s", e->name, strerror(-err));
	return err;
}

int host_queue_open(struct host_queue *hq, const struct host_setup *setup)
{
	host_queue_init(hq, setup);
	return host_queue_start(hq);
}

static void bring_up_to_date(struct host_queue *hq)
{
	if (hq->setup.engine->ops.counters)
		hq->setup.engine->ops.counters(&hq->q);
}

void host_counters(struct host_queue *hq)
{
	bring_up_to_date(hq);
	for (struct host_queue *below = hq->stacked; below; below = below->next)
		bring_up_to_date(below);
}

void host_abandon(struct host_queue *hq)
{
	hq->abandoned = true;
}

void host_queue_close(struct host_queue *hq)
{
	if (hq->q.engine->close)
		hq->q.engine->close(&hq->q);
	for (uint32_t i = 0; i < hq->nr_left; i++)
		close(hq->left[i]);
	free(hq->left);
	hq->left = NULL;
	hq->nr_left = 0;
	mailbox_free(hq->mailbox);
	hq->mailbox = NULL;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int explain_open(struct host_queue *hq, const struct fl_file *f, int err)
{
	struct rlimit limit = { 0, 0 };
	char fs[32];

	switch (err) {
	case -EMFILE:
		getrlimit(RLIMIT_NOFILE, &limit);
		return fail(hq, err, "cannot open '%s': this process may have %llu files open "
			    "(RLIMIT_NOFILE); raise it with ulimit -n, or set openfiles= lower",
			    f->name, (unsigned long long)limit.rlim_cur);
	case -ENFILE:
		return fail(hq, err, "cannot open '%s': the whole system has as many files open as "
			    "it may (fs.file-max)", f->name);
	case -EINVAL:
	case -EOPNOTSUPP:
		if (f->open_flags & O_DIRECT)
			return fail(hq, err, "cannot open '%s' with direct=1: its file system (%s) "
				    "refuses O_DIRECT; use direct=0 or another folder", f->name,
				    fstype_name(f->name, fs, sizeof(fs)));
		break;
	case -EBUSY:
		if (f->open_flags & O_EXCL)
			return fail(hq, err, "cannot open '%s': another program has claimed it "
				    "since the run began, as for a mount or a volume", f->name);
		break;
	case -EISDIR:
		return fail(hq, err, "cannot open '%s': it is a directory; directory= names the "
			    "place, filename= the file", f->name);
	}
	return fail(hq, err, "cannot open '%s' for %s: %s", f->name,
		    (f->open_flags & O_ACCMODE) == O_RDONLY ? "reading" :
		    (f->open_flags & O_ACCMODE) == O_WRONLY ? "writing" : "reading and writing",
		    strerror(-err));
}

int host_file_open(struct host_queue *hq, struct fl_file *f)
{
	const struct fl_engine *e = &hq->setup.engine->ops;
	int fd, err;

	f->priv = NULL;
	if (e->file_open) {
		err = e->file_open(&hq->q, f);
		if (err < 0 && !has_failed(hq))
			fail(hq, err, "engine '%s' cannot open '%s': %s", e->name, f->name,
			     strerror(-err));
		return err < 0 ? err : 0;
	}
	f->fd = -1;
	if (e->caps & (FL_CAP_NO_FILES | FL_CAP_NAMES))
		return 0;
	fd = file_open(f->name, f->open_flags | O_NOATIME, 0, NULL);
	if (fd < 0)
		return explain_open(hq, f, fd);
	f->fd = fd;
	return 0;
}

/* Neither *f nor the descriptor changes. Without memory it is open to the end of the process. */
static int leave_open(struct host_queue *hq, const struct fl_file *f)
{
	int *left = reallocarray(hq->left, hq->nr_left + 1, sizeof(*left));

	if (!left)
		return -ENOMEM;
	hq->left = left;
	hq->left[hq->nr_left++] = f->fd;
	return 0;
}

int host_file_close(struct host_queue *hq, struct fl_file *f)
{
	const struct fl_engine *e = &hq->setup.engine->ops;
	int err = 0;

	if (e->file_close) {
		err = e->file_close(&hq->q, f);
		if (err < 0 && !has_failed(hq))
			fail(hq, err, "engine '%s' reports an error of '%s' at its close: %s",
			     e->name, f->name, strerror(-err));
		return err < 0 ? err : 0;
	}
	if (f->fd >= 0 && host_top(hq)->abandoned)
		return leave_open(hq, f);
	/* After an interrupted close(2) Linux has closed the descriptor all the same. */
	if (f->fd >= 0 && close(f->fd) && errno != EINTR)
		err = fail(hq, -errno, "the kernel reports an error of '%s' at its close: %s",
			   f->name, strerror(errno));
	f->fd = -1;
	return err;
}

/* Dirty pages are written first: what stays dirty cannot be dropped. */
int host_file_invalidate(const struct fl_file *f)
{
	static const enum file_type types[] = {
		[FL_FILE_REGULAR] = FILE_REGULAR, [FL_FILE_BLOCK] = FILE_BLOCK,
		[FL_FILE_CHAR] = FILE_CHAR, [FL_FILE_PIPE] = FILE_FIFO,
	};

	if (f->fd < 0 || f->type >= ARRAY_SIZE(types))
		return 0;
	return file_invalidate(f->fd, types[f->type], f->io_start, f->io_bytes, true);
}

/* ---- Completions, errors, probe -------------------------------------------------------------- */

static int complete_by_mailbox(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			       struct fl_req **done)
{
	return mailbox_take(container_of(q, struct host_queue, q)->mailbox, min, max, timeout_ns,
			    done);
}

host_complete_fn host_completer(const struct host_queue *hq)
{
	return hq->q.engine->complete ? hq->q.engine->complete : complete_by_mailbox;
}

int host_complete(struct host_queue *hq, uint32_t min, uint32_t max, int64_t timeout_ns,
		  struct fl_req **done)
{
	int n = host_completer(hq)(&hq->q, min, max, timeout_ns, done);

	return unlikely(n > (int)max) ? host_too_many(hq, n, max) : n;
}

int host_too_many(struct host_queue *hq, int n, uint32_t max)
{
	return fail(hq, -EPROTO, "engine '%s' has a bug: complete() returned %d requests where at "
		    "most %u were asked for", hq->setup.engine->ops.name, n, max);
}

const char *host_explain(struct host_queue *hq, int err, char *buf, size_t n)
{
	if (hq->why[0])
		snprintf(buf, n, "%s", hq->why);
	else
		snprintf(buf, n, "%s", strerror(-err));
	hq->why[0] = '\0';
	return buf;
}

static int probe_child(void *ctx, void *answer)
{
	const struct engine *e = ctx;

	return e->ops.probe(host_services(), answer, HOST_WHY_BYTES);
}

int host_probe(const struct engine *e, char *why, size_t why_bytes)
{
	struct trial_end end = { 0 };
	char answer[HOST_WHY_BYTES], text[128];
	int err;

	if (!e->ops.probe)
		return 0;
	err = trial_run(probe_child, (void *)e, answer, sizeof(answer), PROBE_MS, &end);
	answer[sizeof(answer) - 1] = '\0';
	if (!err && end.value >= 0)
		return 0;
	if (!err && answer[0])
		snprintf(why, why_bytes, "%s", answer);
	else if (!err)
		snprintf(why, why_bytes, "engine '%s' cannot work here: %s", e->ops.name,
			 strerror(-end.value));
	else if (err == -ECHILD)
		snprintf(why, why_bytes, "engine '%s' does not survive its own probe (%s)",
			 e->ops.name, status_text(end.wstatus, text, sizeof(text)));
	else if (err == -ETIMEDOUT)
		snprintf(why, why_bytes, "engine '%s' hangs: its probe did not return within %d s",
			 e->ops.name, PROBE_MS / 1000);
	else
		snprintf(why, why_bytes, "engine '%s' cannot be probed: %s", e->ops.name,
			 strerror(-err));
	return err ? err : end.value;
}
