/* SPDX-License-Identifier: MIT */
/* The promises about a queue's life: leaving nothing behind, and not disturbing others. */
#define _GNU_SOURCE
#include "core/contract_cases.h"

#include "os/clock.h"

#include "gen/config.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef CONFIG_ASAN
#include <sanitizer/lsan_interface.h>
#endif
#ifdef CONFIG_TSAN
size_t __sanitizer_get_current_allocated_bytes(void);	/* its header comes with clang alone */
#endif

#define ROUNDS	16

/* What a process has open; each number must not grow. */
struct holdings {
	uint64_t descriptors, mappings, heap_bytes, threads;
};

static uint64_t count_names(const char *path)
{
	DIR *d = opendir(path);
	uint64_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* A sanitizer's malloc maps memory as it likes and hands nothing back for a while: then 0. */
static uint64_t count_mappings(void)
{
#if defined(CONFIG_ASAN) || defined(CONFIG_TSAN)
	return 0;
#else
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t n = 0;
	int ch;

	while (f && (ch = getc_unlocked(f)) != EOF)
		n += ch == '\n';
	if (f)
		fclose(f);
	return n;
#endif
}

/* Bytes handed out by malloc; 0 where they are not known. */
static uint64_t heap_bytes(void)
{
#ifdef CONFIG_TSAN
	return __sanitizer_get_current_allocated_bytes();
#elif __GLIBC_PREREQ(2, 33)
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
#else
	return 0;
#endif
}

static struct holdings holdings_now(void)
{
	return (struct holdings){
		.descriptors = count_names("/proc/self/fd"),
		.mappings = count_mappings(),
		.heap_bytes = heap_bytes(),
		.threads = count_names("/proc/self/task"),
	};
}

static void some_io(struct rig *r)
{
	static const uint32_t ops[] = { FL_OP_READ, FL_OP_WRITE, FL_OP_STAT };

	for (uint32_t i = 0; i < 8; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(ops); k++)
			if (engine_can(r->c->engine, ops[k]))
				rig_io(r, ops[k], 0, i * CONTRACT_BLOCK, CONTRACT_BLOCK);
	}
}

static void one_life(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .file_bytes = 65536 });
	some_io(&r);
	rig_close(&r);
}

static struct holdings holdings_after(struct contract *c)
{
	for (int i = 0; i < ROUNDS; i++)
		one_life(c);
	return holdings_now();
}

/* With its sanitizer the suite knows every block that nobody can reach any more. */
static void ask_sanitizer(void)
{
#ifdef CONFIG_ASAN
	if (__lsan_do_recoverable_leak_check())
		contract_fail("memory was not freed after a queue was closed: the sanitizer tells "
			      "where it came from");
#endif
}

/*
 * A leak of something once per queue shows as growth by at least one per round, again and again;
 * what grows for a while only is a cache, malloc's own among them.
 */
static void nothing_is_leaked(struct contract *c)
{
	struct holdings a = holdings_after(c), b;
	uint64_t mappings = UINT64_MAX, bytes = UINT64_MAX;

	for (int i = 0; i < 4; i++, a = b) {
		b = holdings_after(c);
		/* Threads of the kernel's own, such as pollers, end a little after their queue. */
		for (int nap = 0; b.threads > a.threads && nap < 100; nap++) {
			clock_sleep_ns(10000000);
			b.threads = count_names("/proc/self/task");
		}
		if (b.descriptors > a.descriptors)
			contract_fail("%llu descriptors stay open after %d queues were opened and "
				      "closed", (unsigned long long)(b.descriptors - a.descriptors),
				      ROUNDS);
		if (b.threads > a.threads)
			contract_fail("%llu threads go on after %d queues were opened and closed",
				      (unsigned long long)(b.threads - a.threads), ROUNDS);
		mappings = fl_min(mappings, b.mappings - fl_min(a.mappings, b.mappings));
		bytes = fl_min(bytes, b.heap_bytes - fl_min(a.heap_bytes, b.heap_bytes));
	}
	if (mappings >= ROUNDS)
		contract_fail("%llu mappings stay after %d queues were opened and closed",
			      (unsigned long long)mappings, ROUNDS);
	if (bytes >= 16 * ROUNDS)
		contract_fail("%llu bytes of memory were not freed after %d queues were opened and "
			      "closed", (unsigned long long)bytes, ROUNDS);
	ask_sanitizer();
}

static void a_queue_without_files(struct contract *c)
{
	struct rig r;

	rig_open(&r, c, &(struct rig_spec){ .queue_only = true });
	rig_close(&r);
}

static void deep_queues_open(struct contract *c)
{
	static const uint32_t depths[] = { 1, 2, 3, 64, 1024 };
	struct rig r;

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		rig_open(&r, c, &(struct rig_spec){ .depth = depths[i], .queue_only = true });
		rig_close(&r);
	}
}

/* The second queue, of half the depth and with its own file, comes and goes amid other work. */
static void two_queues_in_one_process(struct contract *c)
{
	struct rig a, b;

	rig_open(&a, c, &(struct rig_spec){ .file_bytes = 65536 });
	some_io(&a);
	rig_open(&b, c, &(struct rig_spec){
		.file_bytes = 65536, .first_file = 1, .depth = fl_max(c->depth / 2, 1u),
	});
	if (c->target && !(c->engine->ops.caps & FL_CAP_NO_FILES))
		contract_skip("only one target is given");
	for (int i = 0; i < 20; i++) {
		some_io(&a);
		some_io(&b);
	}
	rig_close(&b);
	some_io(&a);
	rig_close(&a);
}

/* Another value for an option, within its bounds; false if there is none to choose. */
static bool other_value(const struct fl_opt *row, char *text, size_t n)
{
	switch (row->type) {
	case FL_OPT_BOOL:
	case FL_OPT_FLAG:
		snprintf(text, n, "%d", !(row->def && !strcmp(row->def, "1")));
		return true;
	case FL_OPT_ENUM:
		for (const struct fl_opt_value *v = row->values; v->name; v++) {
			if (row->def && !strcmp(row->def, v->name))
				continue;
			snprintf(text, n, "%s", v->name);
			return true;
		}
		return false;
	case FL_OPT_U32:
	case FL_OPT_U64:
	case FL_OPT_SIZE:
		if (!row->max)
			return false;
		snprintf(text, n, "%llu", (unsigned long long)(row->max > row->min ? row->min + 1
									       : row->max));
		return true;
	default:
		return false;
	}
}

/* conf with option i at another value, or NULL. */
static void *other_conf(struct contract *c, size_t i)
{
	const struct opt_units units = { .kb_base = 1024 };
	char text[64], why[200];
	struct fl_opt row;
	void *conf;

	opt_row(&c->engine->opts, i, &row);
	if (!other_value(&row, text, sizeof(text)))
		return NULL;
	conf = malloc(c->engine->ops.conf_size);
	memcpy(conf, c->opts ? c->opts : c->engine->defaults, c->engine->ops.conf_size);
	if (opt_set(&row, conf, text, &units, why, sizeof(why)) < 0)
		contract_fail("option '%s' does not take '%s', though it is within its bounds: %s",
			      row.name, text, why);
	return conf;
}

/* The second queue may fail to open with its options; the first one has to go on as before. */
static void options_of_another_queue_do_no_harm(struct contract *c)
{
	struct rig a;
	uint32_t flags;

	if (!c->engine->opts.count)
		contract_skip("it has no options");
	rig_open(&a, c, &(struct rig_spec){ .file_bytes = 65536 });
	flags = a.hq.q.flags;
	for (size_t i = 0; i < c->engine->opts.count; i++) {
		uint64_t counters[HOST_COUNTERS_MAX] = { 0 };
		struct host_setup setup = a.hq.setup;
		struct host_queue b;
		void *conf = other_conf(c, i);

		if (!conf)
			continue;
		setup.opts = conf;
		setup.counters = counters;
		contract_hook("open() or close()");
		if (!host_queue_open(&b, &setup))
			host_queue_close(&b);
		contract_hook(NULL);
		some_io(&a);
		if (rig_io(&a, FL_OP_READ, 0, 0, CONTRACT_BLOCK) != CONTRACT_BLOCK)
			contract_fail("after a queue with other options was opened, a read of the "
				      "first queue answered res = %lld", (long long)a.reqs[0].res);
		if (a.hq.q.flags != flags)
			contract_fail("opening a queue with other options has changed the flags of "
				      "the first queue");
		free(conf);
	}
	rig_close(&a);
}

struct thread_arg {
	struct contract *c;
	uint32_t number;
};

static void *thread_run(void *arg)
{
	struct thread_arg *t = arg;
	struct rig r;

	for (int i = 0; i < 4; i++) {
		rig_open(&r, t->c, &(struct rig_spec){
			.file_bytes = 65536, .first_file = t->number,
		});
		for (int k = 0; k < 20; k++)
			some_io(&r);
		rig_close(&r);
	}
	return NULL;
}

static void queues_of_several_threads(struct contract *c)
{
	struct thread_arg args[4];
	pthread_t threads[4];
	char why[HOST_WHY_BYTES] = "";

	if (c->target)
		contract_skip("only one target is given");
	if (host_process_init(c->engine, why, sizeof(why)) < 0)
		contract_fail("process_init() failed: %s", why);
	for (uint32_t i = 0; i < 4; i++) {
		args[i] = (struct thread_arg){ c, i };
		if (pthread_create(&threads[i], NULL, thread_run, &args[i]))
			contract_fail("the suite itself cannot make a thread");
	}
	for (uint32_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	host_process_exit();
}

static void shared_state_comes_and_goes(struct contract *c)
{
	if (!c->engine->ops.process_init)
		contract_skip("it has no process_init() hook");
	for (int i = 0; i < 3; i++) {
		one_life(c);
		one_life(c);
		host_process_exit();
	}
}

/* Which alloc() of the engine fails next; counts down. */
static uint32_t alloc_left;

static void *alloc_that_fails(size_t bytes, size_t align)
{
	if (!alloc_left)
		return NULL;
	alloc_left--;
	return host_services()->alloc(bytes, align);
}

/* open() is tried with memory for 0, 1, 2, ... allocations, until it has enough. */
static void opening_without_memory(struct contract *c)
{
	struct fl_host host = *host_services();
	uint64_t counters[HOST_COUNTERS_MAX] = { 0 };
	uint64_t before;
	struct rig r;

	host.alloc = alloc_that_fails;
	rig_open(&r, c, &(struct rig_spec){ .queue_only = true });
	before = count_names("/proc/self/fd");
	for (uint32_t n = 0; n < 1000; n++) {
		struct host_setup setup = r.hq.setup;
		struct host_queue hq;
		int err;

		setup.host = &host;
		setup.counters = counters;
		alloc_left = n;
		contract_hook("open()");
		err = host_queue_open(&hq, &setup);
		contract_hook("close()");
		if (!err)
			host_queue_close(&hq);
		contract_hook(NULL);
		if (count_names("/proc/self/fd") != before)
			contract_fail("a descriptor stays open after open() had memory for %u "
				      "allocations only", n);
		if (!err && alloc_left)
			break;
	}
	rig_close(&r);
}

static const struct contract_case cases[] = {
	{ "a queue without files", "a queue opens and closes without a file", a_queue_without_files,
	  0 },
	{ "deep queues open", "a queue opens at any depth", deep_queues_open, 0 },
	{ "nothing is leaked", "close() gives back all that open() took, file_close() all that "
	  "file_open() took", nothing_is_leaked, 0 },
	{ "two queues in one process", "two queues do not disturb each other",
	  two_queues_in_one_process, 0 },
	{ "options of another queue do no harm", "each queue goes by its own options",
	  options_of_another_queue_do_no_harm, CASE_READS },
	{ "queues of several threads", "queues on different threads do not disturb each other",
	  queues_of_several_threads, 0 },
	{ "shared state comes and goes", "process_init() works again after process_exit()",
	  shared_state_comes_and_goes, 0 },
	{ "opening without memory", "an open() that fails leaves nothing", opening_without_memory,
	  0 },
};

const struct contract_list contract_life = { cases, ARRAY_SIZE(cases) };
