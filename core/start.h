/* SPDX-License-Identifier: MIT */
/*
 * Bringing workers to life and to an end: forks, the thread host, kills.
 */
#ifndef CORE_START_H
#define CORE_START_H

#include <stdint.h>

struct crew;
struct crew_job;

/*
 * start_wave - start the jobs whose setup.wave is this: a process each, and one process for all of
 * them that are threads. A job that cannot be started gets its error and counts as ended.
 */
void start_wave(struct crew *crew, uint32_t wave);

/* start_kill - SIGKILL to the process of a job; with thread=1 it is that of all the threads. */
void start_kill(const struct crew_job *j);

/* start_wait_all - wait for all processes to be gone: their blocks are final already. */
void start_wait_all(void);

#endif
