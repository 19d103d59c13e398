/* SPDX-License-Identifier: MIT */
/*
 * User time of the processes that a command starts, finer than the kernel counts it: getrusage(2)
 * tells user from system time by the ticks of a timer that jobs full of short sleeps can run in
 * step with. Here a timer of 487 us looks at who runs (perf_event_open(2), the software clock, user
 * mode alone).
 *
 *	usertime COMMAND [ARGUMENT...]
 *
 * The command's own process is left out: it reads options and prints, its children do the work.
 * Prints nanoseconds, or "-" where the kernel permits no such look. The exit status is the
 * command's, and its standard output goes to standard error.
 */
#define _GNU_SOURCE 1
#include "lib/base.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD_NS	487000u
#define RING_BYTES	(128u * 4096)	/* what everybody may lock; 15 s of nothing but user time */

struct sample {
	struct perf_event_header header;
	uint32_t pid, tid;
};

/* The ring of one CPU, or NULL. */
static struct perf_event_mmap_page *look_at(pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS, .sample_type = PERF_SAMPLE_TID, .disabled = 1,
		.inherit = 1, .enable_on_exec = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	void *ring;

	if (fd < 0)
		return NULL;
	ring = mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	/* the descriptor stays: it holds the event */
	return ring == MAP_FAILED ? NULL : ring;
}

/* Samples of any process but this one. */
static uint64_t count(const struct perf_event_mmap_page *ring, pid_t but)
{
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), n = 0;
	const char *data = (const char *)ring + 4096;

	/*
	 * Nothing is ever taken out: the ring does not wrap, and what comes when it is full is
	 * lost.
	 */
	for (uint64_t at = 0; at < head; ) {
		struct sample s;

		memcpy(&s, data + at, fl_min(sizeof(s), RING_BYTES - at));
		n += s.header.type == PERF_RECORD_SAMPLE && (pid_t)s.pid != but;
		at += s.header.size ? s.header.size : head;
	}
	return n;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct perf_event_mmap_page **rings = calloc((size_t)cpus, sizeof(*rings));
	bool known = true;
	uint64_t n = 0;
	int gate[2], status;
	pid_t pid;
	char c = 0;

	if (argc < 2 || !rings || pipe(gate)) {
		fprintf(stderr, "usage: usertime COMMAND [ARGUMENT...]\n");
		return 2;
	}
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		close(gate[1]);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		if (read(gate[0], &c, 1) >= 0)
			execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	for (long cpu = 0; cpu < cpus; cpu++) {
		rings[cpu] = look_at(pid, (int)cpu);
		known &= !!rings[cpu];
	}
	close(gate[1]);		/* only now it may start */
	close(gate[0]);
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	for (long cpu = 0; known && cpu < cpus; cpu++)
		n += count(rings[cpu], pid);
	if (known)
		printf("%llu\n", (unsigned long long)n * PERIOD_NS);
	else
		printf("-\n");
	free(rings);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
