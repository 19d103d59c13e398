/* SPDX-License-Identifier: MIT */
/*
 * Is the CPU's counter fit to be a clock? It must run evenly, and the counters of all CPUs must
 * agree: a stamp taken on one CPU must not be later than one that is taken after it on another.
 */
#ifndef OS_CLOCK_TEST_H
#define OS_CLOCK_TEST_H

#include <stdint.h>

struct clock_test {
	unsigned cpus;			/* that this process may run on, and so were compared */
	uint64_t readings;		/* taken after one of another CPU had been seen */
	uint64_t backward;		/* of them, earlier than what had been seen */
	uint64_t worst_ticks;		/* by how much at most */
};

/*
 * clock_test_cpus - a thread on each CPU, all at once for so long: each looks at the latest stamp
 * of all, then takes its own. Returns 0, or -errno when the threads could not be started.
 */
int clock_test_cpus(struct clock_test *t, uint64_t ns);

#endif
