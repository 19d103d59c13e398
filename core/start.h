/* SPDX-License-Identifier: MIT */
/*
 * Bringing workers to life and to an end: forks, the thread host, kills.
 */
#ifndef CORE_START_H
#define CORE_START_H

#include <stddef.h>
#include <stdint.h>

struct crew;
struct crew_job;

/* What each new process does first. */
struct start_entry {
	/* 0, or -errno with a sentence in why: the jobs of the process fail; NULL: nothing */
	int (*enter)(void *ctx, char *why, size_t why_bytes);
	void *ctx;
};

/*
 * start_wave - start the jobs whose setup.wave is this: a process each, and one process for all of
 * them that are threads. A job that cannot be started gets its error and counts as ended.
 */
void start_wave(struct crew *crew, uint32_t wave, const struct start_entry *entry);

/* start_kill - SIGKILL to the process of a job; with thread=1 it is that of all the threads. */
void start_kill(const struct crew_job *j);

/* start_wait_all - wait for all workers to be gone: their blocks are final already. */
void start_wait_all(const struct crew *crew);

#endif
