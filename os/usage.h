/* SPDX-License-Identifier: MIT */
/*
 * What a worker cost the machine: CPU time, context switches, page faults, and the system's own
 * count of its I/O. Take a snapshot before and after, and subtract.
 */
#ifndef OS_USAGE_H
#define OS_USAGE_H

#include <stdbool.h>
#include <stdint.h>

enum usage_scope {
	USAGE_THREAD,		/* the calling thread alone */
	USAGE_PROCESS,		/* every thread of the calling process, past and present */
};

/* Counters since the thread or process began, or the difference of two snapshots. */
struct usage {
	uint64_t user_us, system_us;	/* CPU time in microseconds */
	uint64_t wait_us;		/* ready to run, but no CPU was free; the calling thread */
	uint64_t switches_vol;		/* gave the CPU up to wait for something */
	uint64_t switches_invol;	/* was taken off the CPU */
	uint64_t faults_major;		/* page faults that had to read the page from storage */
	uint64_t faults_minor;		/* the others */
	bool io_known;			/* false: the kernel doesn't tell, all below is 0 */
	uint64_t io_read_calls, io_write_calls;	/* read-like and write-like system calls */
	uint64_t io_read_chars, io_write_chars;	/* bytes those moved, from the page cache or not */
	uint64_t io_read_bytes, io_write_bytes;	/* bytes that storage was asked to read or write */
};

/*
 * usage_take - a snapshot. Costs some microseconds (it reads /proc), so never on the I/O path.
 * Cannot fail: what the kernel doesn't tell is 0, and io_known says whether it told.
 */
void usage_take(enum usage_scope scope, struct usage *now);

/* usage_since - after minus before, member by member; io_known only if both had it. */
struct usage usage_since(const struct usage *before, const struct usage *after);

/* usage_add - add the cost of another thread; both are differences of two snapshots. */
void usage_add(struct usage *sum, const struct usage *other);

/* usage_switches - all context switches, of either kind. */
static inline uint64_t usage_switches(const struct usage *u)
{
	return u->switches_vol + u->switches_invol;
}

#endif
