/* SPDX-License-Identifier: MIT */
/*
 * Tables in memory, good and bad, and what is said about them; the mailbox under many threads;
 * trials that crash and hang; the search for engines; queues below queues.
 */
#define _GNU_SOURCE
#include "core/host.h"
#include "os/clock.h"
#include "os/trial.h"
#include "t/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

static char why[500];

static int done_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	req->res = (int64_t)req->len;
	return FL_DONE;
}

static int ok_open(struct fl_queue *q)
{
	(void)q;
	return 0;
}

static int ok_commit(struct fl_queue *q)
{
	(void)q;
	return 0;
}

static void ok_free(struct fl_queue *q, void *buffers)
{
	(void)q;
	(void)buffers;
}

struct conf { uint32_t a; uint64_t b; const char *s; double d; };

static struct fl_engine table(void)
{
	return (struct fl_engine){
		FL_ENGINE_HEAD, .name = "mine", .help = "x", .queue = done_queue,
	};
}

static int adopt(const struct fl_engine *theirs)
{
	static struct engine e;

	engine_drop(&e);
	why[0] = '\0';
	return engine_adopt(&e, theirs, "here", why, sizeof(why));
}

/* The engine is refused, and the sentence holds this. */
#define REFUSED(theirs, text)							\
	do {									\
		T_EQ(adopt(theirs), -EINVAL);					\
		if (!strstr(why, text))						\
			T_FAIL("'%s' does not say '%s'", why, text);		\
	} while (0)

/* ---- Adoption -------------------------------------------------------------------------------- */

TEST(smallest_table_is_adopted)
{
	struct fl_engine e = table();

	T_EQ(adopt(&e), 0);
}

/* The table ends where readable memory ends. */
TEST(older_table_is_read_to_its_end_only)
{
	long page = sysconf(_SC_PAGESIZE);
	char *m = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fl_engine full = table(), *old;
	struct engine ours;

	T_TRUE(m != MAP_FAILED);
	T_EQ(mprotect(m + page, (size_t)page, PROT_NONE), 0);
	T_TRUE(FL_ENGINE_SIZE_MIN < sizeof(full));
	full.size = FL_ENGINE_SIZE_MIN;
	full.commit = ok_commit;
	old = (struct fl_engine *)(m + page - FL_ENGINE_SIZE_MIN);
	memcpy((void *)old, &full, FL_ENGINE_SIZE_MIN);
	T_EQ(engine_adopt(&ours, old, "here", why, sizeof(why)), 0);
	T_TRUE(ours.ops.queue == done_queue);
	T_TRUE(!ours.ops.commit);
	T_TRUE(!ours.ops.counters);
	engine_drop(&ours);
}

TEST(newer_table_is_adopted)
{
	struct { struct fl_engine e; void *later[8]; } newer = { .e = table() };

	newer.e.size = sizeof(newer);
	newer.later[0] = &newer;
	T_EQ(adopt(&newer.e), 0);
}

TEST(other_major_is_refused)
{
	struct fl_engine e = table();

	e.abi_major = FL_ABI_MAJOR + 1;
	e.name = (const char *)16;	/* must not be looked at */
	T_EQ(adopt(&e), -ENOEXEC);
	T_STR(why, "here was built for version 2 of the engine interface, and this fio-like has "
		   "version 1; rebuild it with the engine.h of this fio-like, or use a newer "
		   "fio-like");
}

TEST(sizes_of_tables)
{
	struct fl_engine e = table();

	e.size = FL_ENGINE_SIZE_MIN - 8;
	REFUSED(&e, "too short to reach its queue() hook");
	e.size = FL_ENGINE_SIZE_MIN + 4;
	REFUSED(&e, "ends in the middle of a hook");
}

TEST(names_of_engines)
{
	static const char *const bad[] = { NULL, "", "Mine", "1st", "a b", "a/b", "a:b", "-x" };
	struct fl_engine e = table();

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		e.name = bad[i];
		REFUSED(&e, "names are up to 63 lower case letters");
	}
	e.name = "dev-dax.2_x";
	T_EQ(adopt(&e), 0);
}

TEST(hooks_that_contradict)
{
	struct fl_engine e = table();

	e.queue = NULL;
	REFUSED(&e, "no queue() hook");
	e = table();
	e.commit = ok_commit;
	REFUSED(&e, "has commit() but no open()");
	e.open = ok_open;
	T_EQ(adopt(&e), 0);
	e = table();
	e.buffers_free = ok_free;
	REFUSED(&e, "has buffers_free() but no buffers_alloc()");
	e = table();
	e.caps = FL_CAP_NAMES;
	REFUSED(&e, "has FL_CAP_NAMES but no file_size()");
	e.caps = FL_CAP_NO_FILES | FL_CAP_LAYOUT;
	REFUSED(&e, "says FL_CAP_NO_FILES, but has another FL_CAP_");
	e = table();
	e.counters = (void (*)(struct fl_queue *))(void *)ok_commit;
	REFUSED(&e, "counters() hook but no counters");
}

static void one_option(struct fl_engine *e, const struct fl_opt *row)
{
	*e = table();
	e->conf_size = sizeof(struct conf);
	e->opts = row;
	e->nr_opts = 1;
	e->opt_size = sizeof(*row);
}

TEST(rows_of_options)
{
	struct fl_opt row = { .name = "a", .type = FL_OPT_U32, .help = "h", .max = 9, .def = "7" };
	const struct fl_opt good = row;
	struct fl_engine e;

	one_option(&e, &row);
	T_EQ(adopt(&e), 0);
	row.name = "Bad-Name";
	REFUSED(&e, "option 0 is called 'Bad-Name'");
	row = good;
	row.alias = "1";
	REFUSED(&e, "has the alias '1'");
	row = good;
	row.type = 63;
	REFUSED(&e, "has type 63, which this fio-like does not know");
	row.type = FL_OPT_HOST + 1;
	REFUSED(&e, "are the runner's own");
	row = good;
	row.offset = sizeof(struct conf) - 2;
	REFUSED(&e, "of a conf struct that has");
	row.offset = 2;
	REFUSED(&e, "lies at byte 2, but its type needs a multiple of 4");
	row = good;
	row.help = "";
	REFUSED(&e, "has no help line");
	row = good;
	row.min = 10;
	REFUSED(&e, "a min above its max");
	row = good;
	row.def = "12";
	REFUSED(&e, "the default of option 'a' cannot be read");
	row = good;
	row.type = FL_OPT_ENUM;
	REFUSED(&e, "an FL_OPT_ENUM without values");
	row = good;
	e.opt_size = 16;
	REFUSED(&e, "which no version of engine.h had");
	e.opt_size = sizeof(row);
	e.conf_size = 0;
	REFUSED(&e, "has 1 options but no conf struct");
}

TEST(two_options_of_one_name)
{
	static const struct fl_opt rows[] = {
		{ .name = "a", .type = FL_OPT_U32, .help = "h" },
		{ .name = "b", .alias = "a", .type = FL_OPT_U32, .help = "h" },
	};
	struct fl_engine e;

	one_option(&e, rows);
	e.nr_opts = 2;
	REFUSED(&e, "two options are called 'a'");
}

TEST(defaults_are_kept)
{
	static const struct fl_opt rows[] = {
		{ .name = "a", .type = FL_OPT_U32, .offset = offsetof(struct conf, a), .help = "h",
		  .def = "7" },
		{ .name = "b", .type = FL_OPT_SIZE, .offset = offsetof(struct conf, b), .help = "h",
		  .def = "4k" },
	};
	const struct conf *conf;
	struct engine ours;
	struct fl_engine e;

	one_option(&e, rows);
	e.nr_opts = 2;
	T_EQ(engine_adopt(&ours, &e, "here", why, sizeof(why)), 0);
	conf = ours.defaults;
	T_EQ(conf->a, 7);
	T_EQ(conf->b, 4096);
	engine_drop(&ours);
}

TEST(rows_of_counters)
{
	struct fl_counter rows[] = {
		{ .name = "maps", .help = "h" }, { .name = "maps", .help = "h" },
	};
	struct fl_engine e = table();

	e.counter_rows = rows;
	e.nr_counters = 2;
	e.counter_size = sizeof(rows[0]);
	REFUSED(&e, "two counters are called 'maps'");
	rows[1].name = "unmaps";
	T_EQ(adopt(&e), 0);
	rows[1].merge = 9;
	REFUSED(&e, "counter 'unmaps' has merge 9");
	e.nr_counters = ENGINE_COUNTERS_MAX + 1;
	REFUSED(&e, "has 33 counters; at most 32 are possible");
}

TEST(own_operations)
{
	static const struct fl_op_name low[] = { { .op = 5, .name = "five" } };
	struct fl_engine e = table();
	struct engine ours;

	e.ops = low;
	e.nr_ops = 1;
	e.op_size = sizeof(low[0]);
	REFUSED(&e, "its operation 'five' has number 5");
	e = table();
	T_EQ(engine_adopt(&ours, &e, "here", why, sizeof(why)), 0);
	T_TRUE(engine_can(&ours, FL_OP_READ) && engine_can(&ours, FL_OP_DATASYNC));
	T_TRUE(!engine_can(&ours, FL_OP_TRIM) && !engine_can(&ours, 64));
	engine_drop(&ours);
}

/* ---- Mailbox --------------------------------------------------------------------------------- */

enum { BOX_DEPTH = 64, BOX_POSTERS = 4, BOX_ROUNDS = 2000 };

static struct fl_req box_reqs[BOX_DEPTH];
static struct mailbox *box;
static uint32_t box_sent[BOX_DEPTH];	/* posted and not yet seen by the owner */
static _Atomic int box_stop;

/* Each poster owns a share of the slots and posts each again as soon as it was taken. */
static void *post_for_ever(void *arg)
{
	uint32_t first = (uint32_t)(uintptr_t)arg;

	while (!box_stop)
		for (uint32_t slot = first; slot < BOX_DEPTH; slot += BOX_POSTERS) {
			uint32_t none = 0;

			if (__atomic_compare_exchange_n(&box_sent[slot], &none, 1, false,
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				mailbox_post(box, &box_reqs[slot]);
		}
	return NULL;
}

static void box_make(void)
{
	box = mailbox_new(BOX_DEPTH);
	for (uint32_t i = 0; i < BOX_DEPTH; i++)
		box_reqs[i].slot = i;
}

TEST(mailbox_with_many_posters)
{
	struct fl_req *done[BOX_DEPTH];
	pthread_t t[BOX_POSTERS];

	box_make();
	for (uintptr_t i = 0; i < BOX_POSTERS; i++)
		T_EQ(pthread_create(&t[i], NULL, post_for_ever, (void *)i), 0);
	for (uint32_t round = 0; round < BOX_ROUNDS; round++) {
		uint32_t max = 1 + round % BOX_DEPTH, min = round % 3 % (max + 1);
		int n = mailbox_take(box, min, max, -1, done);

		T_TRUE(n >= (int)min && n <= (int)max);
		for (int i = 0; i < n; i++) {
			T_TRUE(done[i] == &box_reqs[done[i]->slot]);
			T_EQ(__atomic_exchange_n(&box_sent[done[i]->slot], 0,
						 __ATOMIC_SEQ_CST), 1);
		}
	}
	box_stop = 1;
	for (int i = 0; i < BOX_POSTERS; i++)
		pthread_join(t[i], NULL);
	mailbox_free(box);
}

TEST(mailbox_keeps_the_order)
{
	struct fl_req *done[BOX_DEPTH];

	box_make();
	for (uint32_t i = 0; i < 5; i++)
		mailbox_post(box, &box_reqs[i]);
	T_EQ(mailbox_take(box, 0, 2, 0, done), 2);
	T_EQ(done[0]->slot, 0);
	T_EQ(done[1]->slot, 1);
	mailbox_post(box, &box_reqs[0]);
	T_EQ(mailbox_take(box, 4, BOX_DEPTH, -1, done), 4);
	T_EQ(done[0]->slot, 2);
	T_EQ(done[2]->slot, 4);
	T_EQ(done[3]->slot, 0);
	T_EQ(mailbox_take(box, 0, BOX_DEPTH, -1, done), 0);
	mailbox_free(box);
}

TEST(mailbox_waits_no_longer_than_told)
{
	struct fl_req *done[BOX_DEPTH];
	uint64_t start_ns = clock_gettime_ns(), took_ns;

	box_make();
	mailbox_post(box, &box_reqs[7]);
	T_EQ(mailbox_take(box, 2, 4, 30000000, done), 1);
	took_ns = clock_gettime_ns() - start_ns;
	T_TRUE(took_ns >= 30000000 && took_ns < 3000000000ull);
	T_EQ(mailbox_take(box, 1, 4, 0, done), 0);
	mailbox_free(box);
}

static void *post_later(void *arg)
{
	clock_sleep_ns(20000000);
	mailbox_post(box, arg);
	return NULL;
}

TEST(mailbox_wakes_its_owner)
{
	struct fl_req *done[1];
	pthread_t t;

	box_make();
	pthread_create(&t, NULL, post_later, &box_reqs[3]);
	T_EQ(mailbox_take(box, 1, 1, -1, done), 1);
	T_EQ(done[0]->slot, 3);
	pthread_join(t, NULL);
	mailbox_free(box);
}

/* ---- Trials ---------------------------------------------------------------------------------- */

static int answer_42(void *ctx, void *answer)
{
	*(int *)answer = 42;
	return *(int *)ctx;
}

static int crash(void *ctx, void *answer)
{
	(void)ctx;
	*(int *)answer = 1;
	raise(SIGKILL);
	return 0;
}

static int hang(void *ctx, void *answer)
{
	(void)ctx;
	(void)answer;
	while (pause())
		;
	return 0;
}

TEST(trials_end_in_three_ways)
{
	struct trial_end end;
	int answer = 0, value = -7;

	T_EQ(trial_run(answer_42, &value, &answer, sizeof(answer), 5000, &end), 0);
	T_EQ(answer, 42);
	T_EQ(end.value, -7);
	T_EQ(trial_run(crash, NULL, &answer, sizeof(answer), 5000, &end), -ECHILD);
	T_TRUE(WIFSIGNALED(end.wstatus) && WTERMSIG(end.wstatus) == SIGKILL);
	T_EQ(answer, 1);
	T_EQ(trial_run(hang, NULL, &answer, sizeof(answer), 100, &end), -ETIMEDOUT);
}

/* ---- Search ---------------------------------------------------------------------------------- */

static int find(const char *name)
{
	const struct engine *e;

	why[0] = '\0';
	return engines_find(name, &e, why, sizeof(why));
}

TEST(search_finds_what_is_built_in)
{
	const struct engine *e;

	T_EQ(engines_find("psync", &e, why, sizeof(why)), 0);
	T_STR(e->ops.name, "psync");
	T_STR(e->origin, "built in");
}

TEST(search_explains_what_is_missing)
{
	T_EQ(find("psnc"), -ENOENT);
	T_STR(why, "no engine is called 'psnc'; did you mean 'psync'?");
	T_EQ(find("qqqqqqqq"), -ENOENT);
	T_STR(why, "no engine is called 'qqqqqqqq'; --enghelp lists the engines there are");
	T_EQ(find("rbd"), -ENOENT);
	T_TRUE(strstr(why, "fio engine 'rbd' is not supported by fio-like yet"));
	T_EQ(find("mine.so"), -ENOENT);
	T_TRUE(strstr(why, "write ./mine.so or external:mine.so"));
	T_EQ(find("external:"), -EINVAL);
	T_EQ(find("/nowhere/mine.so"), -ENOENT);
	T_STR(why, "cannot read the engine /nowhere/mine.so: No such file or directory");
}

struct seen { uint32_t good, bad, psync; };

static void count_engine(void *ctx, const char *name, const struct engine *e, const char *reason)
{
	struct seen *seen = ctx;

	T_TRUE(!e == !!reason);
	seen->good += e != NULL;
	seen->bad += e == NULL;
	seen->psync += e && !strcmp(name, "psync");
}

TEST(search_lists_all)
{
	struct seen seen = { 0 };

	engines_each(count_engine, &seen);
	T_TRUE(seen.good >= 5);
	T_EQ(seen.psync, 1);
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static const struct fl_job job = {
	.size = sizeof(job), .name = "unit", .ops = 3, .files = 1, .files_open_max = 1,
	.block_min = 4096, .block_max = 4096,
};
static uint64_t counters[HOST_COUNTERS_MAX];
static struct engine top;
static struct host_queue hq;

static int open_top(int (*open)(struct fl_queue *q), uint32_t depth)
{
	struct fl_engine e = table();
	struct host_setup setup = {
		.engine = &top, .job = &job, .depth = depth, .counters = counters,
	};

	e.open = open;
	T_EQ(engine_adopt(&top, &e, "here", why, sizeof(why)), 0);
	return host_queue_open(&hq, &setup);
}

static int failing_open(struct fl_queue *q)
{
	return q->host->fail(q, -EPERM, "no %s today", "queue");
}

static int silent_open(struct fl_queue *q)
{
	(void)q;
	return -EPERM;
}

TEST(errors_are_explained)
{
	char text[200];

	T_EQ(open_top(failing_open, 4), -EPERM);
	T_STR(host_explain(&hq, -EPERM, text, sizeof(text)), "no queue today");
	T_STR(host_explain(&hq, -EIO, text, sizeof(text)), "Input/output error");
	T_EQ(open_top(silent_open, 4), -EPERM);
	T_STR(hq.why, "engine 'mine' cannot open its queue: Operation not permitted");
	T_EQ(open_top(ok_open, HOST_DEPTH_MAX + 1), -EINVAL);
	T_STR(hq.why, "a queue cannot have a depth of 65537: 1 to 65536 are possible");
}

TEST(without_open_a_queue_is_synchronous)
{
	T_EQ(open_top(NULL, 1), 0);
	T_TRUE(hq.q.flags & FL_QUEUE_SYNC);
	host_queue_close(&hq);
}

static int stacked_open(struct fl_queue *q)
{
	return q->host->stack_open(q, "psync", NULL, (struct fl_queue **)&q->priv);
}

static int badly_stacked_open(struct fl_queue *q)
{
	return q->host->stack_open(q, "psnc", NULL, (struct fl_queue **)&q->priv);
}

TEST(queue_below_a_queue)
{
	struct fl_file f = { .size = sizeof(f), .name = "/proc/self/exe", .fd = -1,
			     .open_flags = O_RDONLY };
	char data[16] = "";
	struct fl_req req = {
		.size = sizeof(req), .op = FL_OP_READ, .len = 16, .buf = data, .file = &f,
	};
	struct fl_queue *below;

	T_EQ(open_top(stacked_open, 4), 0);
	below = hq.q.priv;
	T_EQ(below->depth, 4);
	T_EQ(below->engine->file_open(below, &f), 0);
	T_EQ(below->engine->queue(below, &req), FL_DONE);
	T_EQ(req.res, 16);
	T_MEM(data, "\177ELF", 4);
	T_EQ(below->engine->file_close(below, &f), 0);
	hq.q.host->stack_close(&hq.q, below);
	host_queue_close(&hq);
	T_EQ(open_top(badly_stacked_open, 4), -ENOENT);
	T_STR(hq.why, "no engine is called 'psnc'; did you mean 'psync'?");
}

TEST(files_that_cannot_be_opened)
{
	struct fl_file f = { .size = sizeof(f), .name = "/nowhere/file", .open_flags = O_RDONLY };
	struct rlimit few, before;

	T_EQ(open_top(NULL, 1), 0);
	T_EQ(host_file_open(&hq, &f), -ENOENT);
	T_STR(hq.why, "cannot open '/nowhere/file' for reading: No such file or directory");
	T_EQ(f.fd, -1);
	f.name = "/proc/self/maps";
	f.open_flags |= O_DIRECT;
	T_EQ(host_file_open(&hq, &f), -EINVAL);
	T_STR(hq.why, "cannot open '/proc/self/maps' with direct=1: its file system (proc) refuses "
		      "O_DIRECT; use direct=0 or another folder");
	f.open_flags = O_RDONLY;
	T_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){ 3, before.rlim_max };
	T_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	T_EQ(host_file_open(&hq, &f), -EMFILE);
	T_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	T_STR(hq.why, "cannot open '/proc/self/maps': this process may have 3 files open "
		      "(RLIMIT_NOFILE); raise it with ulimit -n, or set openfiles= lower");
	host_queue_close(&hq);
}

/* What a thread of the engine may be using is what it was until close() has been there. */
TEST(files_outlive_what_is_in_flight)
{
	struct fl_file f = { .size = sizeof(f), .name = "/proc/self/exe", .open_flags = O_RDONLY };
	struct fl_file g = { .size = sizeof(g), .name = "/proc/self/exe", .open_flags = O_RDONLY };
	struct fl_queue *below;

	T_EQ(open_top(stacked_open, 4), 0);
	below = hq.q.priv;
	T_EQ(below->engine->file_open(below, &f), 0);
	T_EQ(host_file_open(&hq, &g), 0);
	T_EQ(host_file_close(&hq, &g), 0);
	T_EQ(g.fd, -1);
	T_EQ(host_file_open(&hq, &g), 0);
	host_abandon(&hq);
	T_EQ(below->engine->file_close(below, &f), 0);
	T_EQ(host_file_close(&hq, &g), 0);
	T_TRUE(fcntl(f.fd, F_GETFD) >= 0);
	T_TRUE(fcntl(g.fd, F_GETFD) >= 0);
	hq.q.host->stack_close(&hq.q, below);
	T_EQ(fcntl(f.fd, F_GETFD), -1);
	T_TRUE(fcntl(g.fd, F_GETFD) >= 0);
	host_queue_close(&hq);
	T_EQ(fcntl(g.fd, F_GETFD), -1);
}

static int inits, exits;

static int count_init(const struct fl_host *host, void **process)
{
	T_TRUE(FL_HAS(host, stack_close));
	*process = &inits;
	inits++;
	return 0;
}

static void count_exit(void *process)
{
	T_TRUE(process == &inits);
	exits++;
}

TEST(a_process_is_set_up_once)
{
	struct fl_engine e = table();
	struct host_setup setup = { .engine = &top, .job = &job, .depth = 1, .counters = counters };

	e.process_init = count_init;
	e.process_exit = count_exit;
	T_EQ(engine_adopt(&top, &e, "here", why, sizeof(why)), 0);
	for (int i = 0; i < 3; i++) {
		T_EQ(host_queue_open(&hq, &setup), 0);
		T_TRUE(hq.q.process == &inits);
		host_queue_close(&hq);
	}
	host_process_exit();
	T_EQ(inits, 1);
	T_EQ(exits, 1);
}

static int bad_probe(const struct fl_host *host, char *text, size_t n)
{
	(void)host;
	snprintf(text, n, "the device is asleep; wake it with a kiss");
	return -ENODEV;
}

static int crashing_probe(const struct fl_host *host, char *text, size_t n)
{
	(void)host;
	(void)text;
	(void)n;
	raise(SIGKILL);
	return 0;
}

TEST(probes_are_thrown_away)
{
	struct engine e = { .ops = table() };

	T_EQ(host_probe(&e, why, sizeof(why)), 0);
	e.ops.probe = bad_probe;
	T_EQ(host_probe(&e, why, sizeof(why)), -ENODEV);
	T_STR(why, "the device is asleep; wake it with a kiss");
	e.ops.probe = crashing_probe;
	T_TRUE(host_probe(&e, why, sizeof(why)) < 0);
	T_STR(why, "engine 'mine' does not survive its own probe (killed by signal 9 (Killed))");
}
