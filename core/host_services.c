/* SPDX-License-Identifier: MIT */
/*
 * struct fl_host: what the runner does for an engine when asked. Every call comes with a queue of
 * ours, of which the engine sees the first part.
 */
#define _GNU_SOURCE
#include "core/host.h"

#include "core/diag.h"
#include "gen/config.h"
#include "os/clock.h"
#include "os/mapguard.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES	512	/* of one log line */

static struct host_queue *host_of(struct fl_queue *q)
{
	return container_of(q, struct host_queue, q);
}

/* ---- Words and memory ------------------------------------------------------------------------ */

fl_printf(3, 4) static void service_log(struct fl_queue *q, int level, const char *fmt, ...)
{
	const struct host_setup *setup = q ? &host_top(host_of(q))->setup : NULL;
	char text[LINE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (setup && setup->log)
		setup->log(setup->ctx, level, text);
	else if (level <= FL_LOG_NOTE)
		diag_say(stderr, "fio-like: %s", text);
}

/* A queue below has no one to read its sentence but the worker of the top one. */
fl_printf(3, 4) static int service_fail(struct fl_queue *q, int err, const char *fmt, ...)
{
	struct host_queue *top;
	va_list ap;

	if (!q)
		return err;
	top = host_top(host_of(q));
	va_start(ap, fmt);
	vsnprintf(top->why, sizeof(top->why), fmt, ap);
	va_end(ap);
	return err;
}

static uint64_t service_now_ns(void)
{
	return clock_now_ns();
}

static void *service_alloc(size_t bytes, size_t align)
{
	void *p;

	if (align < _Alignof(max_align_t))
		align = _Alignof(max_align_t);
	if (posix_memalign(&p, align, bytes ? bytes : 1))
		return NULL;
	return memset(p, 0, bytes);
}

static int guard_err;

static void guard_install(void)
{
	guard_err = mapguard_install();
}

/* The handler is a process's, and the first of its threads that maps a file installs it. */
static int service_map_guard(struct fl_queue *q, void *addr, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)q;
	pthread_once(&once, guard_install);
	return guard_err ? guard_err : mapguard_add(addr, len);
}

static void service_map_unguard(struct fl_queue *q, void *addr, size_t len)
{
	(void)q;
	mapguard_remove(addr, len);
}

/* ---- Completions ----------------------------------------------------------------------------- */

static void service_post(struct fl_queue *q, struct fl_req *req)
{
	mailbox_post(host_of(q)->mailbox, req);
}

static int service_take(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			struct fl_req **done)
{
	return mailbox_take(host_of(q)->mailbox, min, max, timeout_ns, done);
}

static void service_observe(struct fl_queue *q, uint32_t histogram, uint64_t ns)
{
	const struct host_setup *setup = &host_of(q)->setup;

	if (setup->observe && histogram < q->engine->nr_histograms)
		setup->observe(setup->ctx, histogram, ns);
}

/* ---- Queues below queues --------------------------------------------------------------------- */

/* A queue below: its options are its own. */
struct stacked {
	struct host_queue hq;
	struct fl_engine ops;		/* what the engine leaves NULL is the runner's */
	uint64_t counters[HOST_COUNTERS_MAX];	/* where nobody keeps them */
	void *conf;
};

static int stacked_file_open(struct fl_queue *q, struct fl_file *f)
{
	return host_file_open(host_of(q), f);
}

static int stacked_file_close(struct fl_queue *q, struct fl_file *f)
{
	return host_file_close(host_of(q), f);
}

/* "name=value:name=value", with "\:" and "\\" for these two inside of a value. Text is cut up. */
static char *next_option(char **rest)
{
	char *start = *rest, *to = start, *from = start;

	if (!start)
		return NULL;
	while (*from && *from != ':') {
		if (from[0] == '\\' && (from[1] == ':' || from[1] == '\\'))
			from++;
		*to++ = *from++;
	}
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return start;
}

static int set_option(const struct engine *e, void *conf, char *text, char *why, size_t why_bytes)
{
	const struct opt_units units = { .kb_base = 1024 };
	char *value = strchr(text, '=');
	struct fl_opt row;
	int i, err;

	if (value)
		*value++ = '\0';
	i = opt_find(&e->opts, text);
	if (i < 0) {
		snprintf(why, why_bytes, "engine '%s' has no option '%s'", e->ops.name, text);
		return -EINVAL;
	}
	opt_row(&e->opts, (size_t)i, &row);
	err = opt_set(&row, conf, value, &units, why, why_bytes);
	return err < 0 ? err : 0;
}

void *host_options(const struct engine *e, const char *text, int *err, char *why, size_t why_bytes)
{
	char *copy = strdup(text ? text : ""), *rest = copy, *one;
	void *conf = calloc(1, e->ops.conf_size + 1);

	*err = copy && conf ? 0 : -ENOMEM;
	if (!*err && e->defaults)
		memcpy(conf, e->defaults, e->ops.conf_size);
	while (!*err && (one = next_option(&rest)))
		if (*one)
			*err = set_option(e, conf, one, why, why_bytes);
	free(copy);
	if (!*err)
		return conf;
	free(conf);
	return NULL;
}

static uint32_t height_of(const struct host_queue *hq)
{
	uint32_t n = 1;

	for (; hq->above; hq = hq->above)
		n++;
	return n;
}

static int stacked_open(struct stacked *s, struct fl_queue *q, const struct engine *e)
{
	struct host_queue *top = host_top(host_of(q));
	const struct host_setup *above = &top->setup;
	uint64_t *kept = above->below ? above->below(above->ctx, e) : NULL;
	const struct host_setup setup = {
		.engine = e, .job = q->job, .opts = s->conf, .depth = q->depth,
		.counters = kept ? kept : s->counters, .host = host_of(q)->setup.host,
	};
	int err;

	/* Its open() may fail() or go deeper, so the chain upwards has to be there first. */
	host_queue_init(&s->hq, &setup);
	s->hq.above = host_of(q);
	err = host_queue_start(&s->hq);
	if (err < 0)
		return err;
	s->ops = e->ops;
	if (!s->ops.file_open)
		s->ops.file_open = stacked_file_open;
	if (!s->ops.file_close)
		s->ops.file_close = stacked_file_close;
	if (!s->ops.complete)
		s->ops.complete = service_take;
	s->hq.q.engine = &s->ops;
	s->hq.next = top->stacked;
	top->stacked = &s->hq;
	return 0;
}

static int service_stack_open(struct fl_queue *q, const char *engine, const char *options,
			      struct fl_queue **below)
{
	const struct engine *e;
	struct stacked *s;
	char why[HOST_WHY_BYTES] = "";
	int err;

	if (height_of(host_of(q)) >= HOST_STACK_MAX)
		return service_fail(q, -ELOOP, "more than %d engines on top of each other",
				    HOST_STACK_MAX);
	err = engines_find(engine, &e, why, sizeof(why));
	if (err)
		return service_fail(q, err, "%s", why);
	s = calloc(1, sizeof(*s));
	if (!s)
		return service_fail(q, -ENOMEM, "out of memory");
	s->conf = host_options(e, options, &err, why, sizeof(why));
	if (err) {
		service_fail(q, err, "%s", why);
		goto free_s;
	}
	err = stacked_open(s, q, e);
	if (err < 0)
		goto free_conf;
	*below = &s->hq.q;
	return 0;
free_conf:
	free(s->conf);
free_s:
	free(s);
	return err;
}

static void service_stack_close(struct fl_queue *q, struct fl_queue *below)
{
	struct stacked *s = container_of(host_of(below), struct stacked, hq);
	struct host_queue **at = &host_top(host_of(q))->stacked;

	fl_assert(s->hq.above == host_of(q));
	while (*at && *at != &s->hq)
		at = &(*at)->next;
	if (*at)
		*at = s->hq.next;
	host_queue_close(&s->hq);
	free(s->conf);
	free(s);
}

const struct fl_host *host_services(void)
{
	static const struct fl_host services = {
		.size = sizeof(services),
		.abi_minor = FL_ABI_MINOR,
		.version = FL_VERSION,
		.log = service_log,
		.fail = service_fail,
		.now_ns = service_now_ns,
		.alloc = service_alloc,
		.free = free,
		.map_guard = service_map_guard,
		.map_unguard = service_map_unguard,
		.post = service_post,
		.take = service_take,
		.observe = service_observe,
		.stack_open = service_stack_open,
		.stack_close = service_stack_close,
	};

	return &services;
}
