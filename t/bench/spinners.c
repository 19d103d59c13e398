/* SPDX-License-Identifier: MIT */
/*
 * The floor under a run of many jobs: so many bare processes that do nothing but look at the clock
 * until their time is over.
 *
 *	spinners COUNT SECONDS
 *
 * All are forked one after the other and wait for the last (its end of a pipe closes); then each
 * spins for SECONDS from the moment it runs again. Prints the seconds from the first fork until the
 * last has been waited for.
 */
#define _GNU_SOURCE 1
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void spin(int gate, uint64_t ns)
{
	uint64_t end;
	char c;

	if (read(gate, &c, 1))
		_exit(1);
	end = clock_ticks() + clock_ns_to_ticks(ns);

	while (clock_ticks() < end)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	double seconds = argc > 2 ? atof(argv[2]) : 0;
	uint64_t began;
	int gate[2];

	if (argc != 3 || !count || !(seconds > 0)) {
		fprintf(stderr, "usage: spinners COUNT SECONDS\n");
		return 2;
	}
	if (pipe(gate)) {
		perror("pipe");
		return 1;
	}
	clock_init(CLOCK_USE_AUTO);
	began = clock_ticks();
	for (unsigned long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (!pid) {
			close(gate[1]);
			spin(gate[0], (uint64_t)(seconds * 1e9));
		}
		if (pid < 0) {
			perror("fork");
			break;
		}
	}
	close(gate[1]);
	while (wait(NULL) > 0)
		;
	printf("%.3f\n", (double)clock_ns(clock_ticks() - began) / 1e9);
	return 0;
}
