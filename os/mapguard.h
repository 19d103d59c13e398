/* SPDX-License-Identifier: MIT */
/*
 * An error of mapped I/O is a signal: when the file behind a mapping was truncated, or the medium
 * has a bad page, touching that page gives SIGBUS. The guard turns it into an I/O error of the
 * one I/O.
 *
 * A thread names the ranges whose faults it can stand. On a SIGBUS in one of them the handler
 * puts a fresh zero page over the address, counts, and returns, so the copy runs on to its end;
 * whoever started the copy compares the count before and after and fails that I/O with EIO. No
 * setjmp, no cost per I/O.
 *
 * The zero page stays until the range is mapped anew: after a fault, the mapping no longer shows
 * the file there. Whoever sees the count change must unmap that window before the next I/O.
 *
 * A SIGBUS anywhere else, or one that was sent by a process, ends the process as it always does.
 */
#ifndef OS_MAPGUARD_H
#define OS_MAPGUARD_H

#include <stddef.h>
#include <stdint.h>

/*
 * mapguard_install - catch SIGBUS in this process; children inherit it. Calling it again does
 * nothing. Returns 0 or -errno.
 */
int mapguard_install(void);

/*
 * mapguard_add - guard a range for the calling thread; ranges may overlap. Long-lived (a whole
 * mapping window) or just around one copy: both are a few nanoseconds while few ranges are alive.
 * Returns 0, or -ENOMEM: only possible when a multiple of 64 ranges are alive, for the list then
 * grows.
 */
int mapguard_add(const void *addr, size_t bytes);

/*
 * mapguard_remove - stop guarding a range that this thread added with the same numbers. Anything
 * else is a bug.
 */
void mapguard_remove(const void *addr, size_t bytes);

/*
 * mapguard_faults - where the calling thread's count of caught faults is. It only grows (and
 * wraps at 2^32): compare it before and after a copy. The pointer is valid as long as the thread
 * lives.
 */
volatile uint32_t *mapguard_faults(void);

/*
 * mapguard_thread_end - free what the list grew; for a thread that guarded more than 64 ranges at
 * once.
 */
void mapguard_thread_end(void);

#endif
