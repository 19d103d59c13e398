/* SPDX-License-Identifier: MIT */
/* Work for idle CPUs. */
#define _GNU_SOURCE 1
#include "os/idle.h"
#include "os/clock.h"
#include "os/cpu.h"
#include "os/mem.h"
#include "os/sig.h"
#include "os/sys.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS		1024		/* a unit mixes so many, some microseconds' worth */
#define BATCHES		10		/* measured, of which the shortest counts ... */
#define BATCH_UNITS	20		/* ... each so many units */
#define LOOK_NS		1000000u

struct idle_shared {
	_Atomic uint32_t measured;	/* threads that have measured their unit */
	_Atomic uint32_t end;
	_Atomic int err;		/* -errno of one that could not */
	struct idle_cpu cpu[];
};

/* Never read back, so that no compiler can do without the work. */
static __thread volatile uint64_t sink;

static void unit(void)
{
	uint64_t x = sink | 1;

	for (int i = 0; i < WORDS; i++) {	/* xorshift64, G. Marsaglia, 2003 */
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

/* An interruption can only add: the shortest batch tells. */
static double measure(void)
{
	double best = INFINITY;

	for (int b = 0; b < BATCHES; b++) {
		uint64_t begin = clock_gettime_ns();

		for (int i = 0; i < BATCH_UNITS; i++)
			unit();
		best = fmin(best, (double)(clock_gettime_ns() - begin) / BATCH_UNITS);
	}
	return best;
}

/* ---- The process that counts ----------------------------------------------------------------- */

struct counter {
	pthread_t thread;
	struct idle_shared *shared;
	struct idle_cpu *cpu;
	pthread_mutex_t *turn;		/* one measures at a time */
};

static int settle(struct counter *c)
{
	const struct sched_param param = { 0 };
	struct cpus one;
	int err;

	memset(&one, 0, sizeof(one));
	cpus_add(&one, c->cpu->cpu);
	pthread_mutex_lock(c->turn);
	err = cpus_apply(&one);
	if (!err)
		c->cpu->unit_ns = measure();
	pthread_mutex_unlock(c->turn);
	if (!err && sched_setscheduler(0, SCHED_IDLE, &param))
		err = -errno;
	return err;
}

static void *count(void *arg)
{
	struct counter *c = arg;
	int err = settle(c);

	if (err)
		atomic_store(&c->shared->err, err);
	atomic_fetch_add(&c->shared->measured, 1);
	while (!err && !atomic_load_explicit(&c->shared->end, memory_order_relaxed)) {
		unit();
		__atomic_store_n(&c->cpu->units, c->cpu->units + 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Returns its exit status. */
static int count_all(struct idle_shared *shared, size_t cpus, pid_t parent)
{
	pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	struct counter *list = calloc(cpus, sizeof(*list));
	size_t started = 0;
	sigset_t before;
	int err = list ? sig_die_with_parent(parent) : -ENOMEM;

	sig_block(&before);
	cpu_name("fio-like-idle");
	for (; !err && started < cpus; started++) {
		struct counter *c = &list[started];

		*c = (struct counter){
			.shared = shared, .cpu = &shared->cpu[started], .turn = &turn,
		};
		err = -pthread_create(&c->thread, NULL, count, c);
		if (err)
			break;
	}
	if (err)
		atomic_store(&shared->err, err);
	for (size_t i = 0; i < started; i++)
		pthread_join(list[i].thread, NULL);
	free(list);
	return err ? 1 : 0;
}

/* ---- The one that wants to know -------------------------------------------------------------- */

static int wait_until_measured(struct idle *idle)
{
	while (atomic_load(&idle->shared->measured) < idle->cpus) {
		int err = atomic_load(&idle->shared->err);

		if (err)
			return err;
		if (waitpid(idle->pid, NULL, WNOHANG))
			return -ECHILD;
		clock_sleep_ns(LOOK_NS);
	}
	return atomic_load(&idle->shared->err);
}

int idle_start(struct idle *idle)
{
	pid_t parent = getpid();
	struct cpus mine;
	int err = 0, count = cpus_allowed(&mine);

	if (count < 0)
		return count;
	idle->cpus = (size_t)count;
	idle->bytes = sizeof(*idle->shared) + idle->cpus * sizeof(*idle->cpu);
	idle->shared = mem_shared(idle->bytes, &err);
	if (!idle->shared)
		return err;
	idle->cpu = idle->shared->cpu;
	for (size_t i = 0; i < idle->cpus; i++)
		idle->cpu[i].cpu = (unsigned)cpus_nth(&mine, (unsigned)i);
	idle->pid = fork();
	if (!idle->pid)
		_exit(count_all(idle->shared, idle->cpus, parent));
	err = idle->pid < 0 ? -errno : wait_until_measured(idle);
	if (err)
		idle_stop(idle);
	return err;
}

/* Somebody else may have reaped it: then there is none to wait for. */
void idle_stop(struct idle *idle)
{
	atomic_store(&idle->shared->end, 1);
	if (idle->pid > 0)
		sys_reap(idle->pid);
	mem_shared_free(idle->shared, idle->bytes);
	memset(idle, 0, sizeof(*idle));
}

void idle_unit(const struct idle *idle, double *mean_ns, double *stddev_ns)
{
	double sum = 0, squares = 0, n = (double)idle->cpus;

	for (size_t i = 0; i < idle->cpus; i++)
		sum += idle->cpu[i].unit_ns;
	*mean_ns = sum / n;
	for (size_t i = 0; i < idle->cpus; i++)
		squares += (idle->cpu[i].unit_ns - *mean_ns) * (idle->cpu[i].unit_ns - *mean_ns);
	*stddev_ns = n > 1 ? sqrt(squares / (n - 1)) : 0;
}
