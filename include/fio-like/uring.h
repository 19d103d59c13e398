/* SPDX-License-Identifier: MIT */
/*
 * fio-like/uring.h - a ring of io_uring(7) as an engine needs it.
 *
 * liburing makes the mappings, registers things and knows the entries; heads and tails are moved
 * here, because that is all an I/O needs, and because rings without the index array are younger
 * than the library. Every flag that makes a ring faster is asked for, and left out where the kernel
 * refuses it. The one that shapes the code is DEFER_TASKRUN: completions then appear only when the
 * thread enters the kernel, and a bit in the ring (TASKRUN) says that it should.
 *
 *	open	fl_ring_open()
 *	queue	fl_ring_room(), fill r->sqes[r->tail & r->sq_mask], r->tail++
 *	commit	fl_ring_commit()
 *	complete fl_ring_ready(), r->cqes[r->cq_head & r->cq_mask] ..., fl_ring_seen(); if these
 *		do not suffice: fl_ring_wait()
 *	close	fl_ring_close()
 *
 * Header only; may be included from C++. One thread per ring. Link with -luring.
 */
#ifndef FIO_LIKE_URING_H
#define FIO_LIKE_URING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "fio-like/engine.h"
#include "fio-like/kernel.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Younger than liburing 2.3. */
#define FL_RING_NO_SQARRAY	(1u << 16)

/* The kernel's limit for the submission ring. */
#define FL_RING_ENTRIES_MAX	32768u

#define FL_RING_COLD	__attribute__((noinline, cold, unused))

/* Indexes only grow: sent <= tail, and tail - room <= sq_entries. */
struct fl_ring {
	struct io_uring_sqe *sqes;
	uint32_t sq_mask, sq_entries;
	uint32_t tail;			/* entries filled */
	uint32_t room;			/* the kernel had read so far when last looked */
	uint32_t sent;			/* the kernel has taken so many */
	uint32_t cq_mask;
	uint32_t cq_head;		/* results taken */
	struct io_uring_cqe *cqes;
	unsigned *sq_ktail, *sq_khead, *sq_kflags, *cq_khead, *cq_ktail;
	uint64_t *enters;		/* counts io_uring_enter(2) */
	int enter_fd;
	uint32_t enter_flags;
	uint8_t iopoll;			/* completions come by asking alone */
	uint8_t sqpoll;			/* a thread of the kernel submits */
	uint8_t defers, ext_arg;
	uint32_t flags;			/* IORING_SETUP_* */
	uint32_t features;		/* IORING_FEAT_* */
	uint64_t ops;			/* bit per IORING_OP_* that the kernel has */
	struct io_uring ring;		/* for the register functions of the library */
};

/* ---- Making one ------------------------------------------------------------------------------ */

/* fl_ring_proc_number - of a file in /proc, the number behind the key that begins a line; or -1. */
FL_RING_COLD
static long fl_ring_proc_number(const char *path, const char *key)
{
	size_t key_len = strlen(key);
	FILE *f = fopen(path, "re");
	char line[128];
	long n = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, key_len) && sscanf(line + key_len, "%ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* fl_ring_explain - why there is no ring, and the way out, in why. err: -errno of the setup. */
FL_RING_COLD
static void fl_ring_explain(int err, char *why, size_t why_bytes)
{
	int filtered = fl_ring_proc_number("/proc/self/status", "Seccomp:") > 0;
	long disabled = fl_ring_proc_number("/proc/sys/kernel/io_uring_disabled", "");
	struct rlimit lock;

	if (err == -EPERM && disabled > 0)
		snprintf(why, why_bytes, "the sysctl kernel.io_uring_disabled is %ld: io_uring is "
			 "off %s; set it to 0, or use ioengine=libaio", disabled, disabled > 1 ?
			 "for everybody" : "for all but root and kernel.io_uring_group");
	else if ((err == -EPERM || err == -ENOSYS || err == -EACCES) && filtered)
		snprintf(why, why_bytes, "a seccomp filter keeps io_uring_setup(2) from this "
			 "process (%s); in a container, allow it in the profile or run with "
			 "seccomp=unconfined; or use ioengine=libaio", strerror(-err));
	else if (err == -EPERM)
		snprintf(why, why_bytes, "the kernel permits no such ring: a security module "
			 "forbids it, or it is older than 5.13 and sqthread_poll needs root; use "
			 "ioengine=libaio, or leave sqthread_poll out");
	else if (err == -ENOSYS)
		snprintf(why, why_bytes, "this kernel has no io_uring: it needs Linux 5.1 with "
			 "CONFIG_IO_URING; use ioengine=libaio");
	else if (err == -ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &lock))
		snprintf(why, why_bytes, "no memory for the ring: before Linux 5.12 it counts as "
			 "locked memory, of which %llu KiB are allowed; raise ulimit -l, or lower "
			 "iodepth", (unsigned long long)lock.rlim_cur / 1024);
	else if (err == -EMFILE)
		snprintf(why, why_bytes, "no descriptor is left for the ring: raise ulimit -n");
	else
		snprintf(why, why_bytes, "io_uring_setup(2) failed: %s", strerror(-err));
}

/* Asks for a ring, with ever fewer of the flags that only make it faster. Descriptor or -errno. */
FL_RING_COLD
static int fl_ring_setup(uint32_t entries, const struct io_uring_params *want,
			 struct io_uring_params *p)
{
	/* Youngest first: Linux 6.6, 6.1 and 6.0, 5.19, 5.18, 5.5. */
	static const uint32_t younger[] = {
		FL_RING_NO_SQARRAY,
		IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER,
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
		IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_CQSIZE,
	};
	uint32_t flags = want->flags, i;

	for (i = 0;; i++) {
		int fd;

		*p = *want;
		p->flags = flags;
		fd = io_uring_setup(entries, p);
		if (fd != -EINVAL || i == sizeof(younger) / sizeof(younger[0]))
			return fd;
		flags &= ~younger[i];
	}
}

/* Which operations the kernel has. One before 5.6 does not say: then it has the first ones. */
FL_RING_COLD
static uint64_t fl_ring_ops(struct io_uring *ring)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
	uint64_t ops = 1ull << IORING_OP_READV | 1ull << IORING_OP_WRITEV |
		       1ull << IORING_OP_FSYNC | 1ull << IORING_OP_READ_FIXED |
		       1ull << IORING_OP_WRITE_FIXED;
	int op;

	for (op = 0; probe && op < 64; op++)
		if (io_uring_opcode_supported(probe, op))
			ops |= 1ull << op;
	if (probe)
		io_uring_free_probe(probe);
	return ops;
}

FL_RING_COLD
static void fl_ring_adopt(struct fl_ring *r, const struct io_uring_params *p)
{
	const struct io_uring_sq *sq = &r->ring.sq;
	const struct io_uring_cq *cq = &r->ring.cq;
	uint32_t i;

	r->sqes = sq->sqes;
	r->sq_entries = p->sq_entries;
	r->sq_mask = p->sq_entries - 1;
	r->sq_khead = sq->khead;
	r->sq_ktail = sq->ktail;
	r->sq_kflags = sq->kflags;
	if (!(p->flags & FL_RING_NO_SQARRAY))
		for (i = 0; i < p->sq_entries; i++)
			sq->array[i] = i;
	r->cqes = cq->cqes;
	r->cq_mask = p->cq_entries - 1;
	r->cq_khead = cq->khead;
	r->cq_ktail = cq->ktail;
	r->flags = p->flags;
	r->features = p->features;
	r->sqpoll = !!(p->flags & IORING_SETUP_SQPOLL);
	r->iopoll = p->flags & IORING_SETUP_IOPOLL && !r->sqpoll;
	r->defers = !!(p->flags & IORING_SETUP_DEFER_TASKRUN);
	r->ext_arg = !!(p->features & IORING_FEAT_EXT_ARG);
	/* A descriptor of the ring's own table spares a look-up per call; Linux 5.18. */
	r->enter_fd = r->ring.ring_fd;
	if (io_uring_register_ring_fd(&r->ring) == 1) {
		r->enter_fd = r->ring.enter_ring_fd;
		r->enter_flags = IORING_ENTER_REGISTERED_RING;
	}
}

/*
 * fl_ring_open - a ring for depth requests in flight, in *r, all zero before.
 * want:    flags IOPOLL, SQPOLL, SQ_AFF with what belongs to them; the others are added here.
 * enters:  counts the system calls.
 * Returns 0, or -errno with nothing left: see fl_ring_explain().
 */
FL_RING_COLD
static int fl_ring_open(struct fl_ring *r, uint32_t depth, struct io_uring_params *want,
			uint64_t *enters)
{
	uint32_t entries = 1;
	struct io_uring_params p;
	int fd, err;

	while (entries < depth)
		entries *= 2;
	want->flags |= FL_RING_NO_SQARRAY | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;
	want->cq_entries = entries;
	if (want->flags & IORING_SETUP_SQPOLL)
		entries *= 2;	/* the thread says late which entries it has read */
	else
		want->flags |= IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			       IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
	if (entries > FL_RING_ENTRIES_MAX)
		entries = FL_RING_ENTRIES_MAX;
	if (want->cq_entries < entries)
		want->cq_entries = entries;
	fd = fl_ring_setup(entries, want, &p);
	if (fd < 0)
		return fd;
	err = io_uring_queue_mmap(fd, &p, &r->ring);
	if (err) {
		close(fd);
		return err;
	}
	fl_kernel_mapped();
	r->enters = enters;
	fl_ring_adopt(r, &p);
	r->ops = fl_ring_ops(&r->ring);
	return 0;
}

/* ---- Entering the kernel --------------------------------------------------------------------- */

/*
 * fl_ring_enter - io_uring_enter(2): hand over so many entries, wait for so many completions.
 * timeout_ns below 0: no limit. Returns 0, or -errno when it did neither.
 */
static inline int fl_ring_enter(struct fl_ring *r, uint32_t submit, uint32_t wait, uint32_t flags,
				int64_t timeout_ns)
{
	long n;

	flags |= r->enter_flags;
	++*r->enters;
	if (wait && timeout_ns >= 0) {
		struct __kernel_timespec ts;
		struct io_uring_getevents_arg arg;

		ts.tv_sec = timeout_ns / 1000000000;
		ts.tv_nsec = timeout_ns % 1000000000;
		memset(&arg, 0, sizeof(arg));
		arg.ts = (uintptr_t)&ts;
		n = fl_kernel(__NR_io_uring_enter, r->enter_fd, submit, wait,
			      flags | IORING_ENTER_EXT_ARG, (long)&arg, sizeof(arg));
	} else {
		n = fl_kernel(__NR_io_uring_enter, r->enter_fd, submit, wait, flags, 0, 0);
	}
	if (n < 0)
		return (int)n;
	if (!r->sqpoll)
		r->sent += (uint32_t)n;
	return 0;
}

/*
 * Entries were refused for want of memory or room. What is in flight will make room, and then they
 * are offered again. With nothing in flight there is only time, of which the kernel gets 100 ms.
 */
FL_RING_COLD
static int fl_ring_hold(struct fl_ring *r, int err)
{
	const struct timespec nap = { 0, 1000000 };
	int tries;

	if (err != -EAGAIN && err != -EBUSY && err != -EINTR)
		return err;
	for (tries = 0; r->sent == r->cq_head && tries < 100; tries++) {
		err = fl_ring_enter(r, r->tail - r->sent, 0, IORING_ENTER_GETEVENTS, -1);
		if (err && err != -EINTR)
			nanosleep(&nap, NULL);
	}
	return r->sent == r->cq_head ? err : 0;
}

/* The kernel's thread submits by itself; it only has to be awake. */
FL_RING_COLD
static int fl_ring_wake(struct fl_ring *r)
{
	r->sent = r->tail;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* first the tail, then the look */
	if (__atomic_load_n(r->sq_kflags, __ATOMIC_RELAXED) & IORING_SQ_NEED_WAKEUP)
		return fl_ring_enter(r, 0, 0, IORING_ENTER_SQ_WAKEUP, -1);
	return 0;
}

/*
 * fl_ring_commit - hand over what lies between sent and tail, and move sent. Not all of it when the
 * kernel is short of memory or room. Returns 0 or -errno (the ring is dead).
 */
static inline int fl_ring_commit(struct fl_ring *r)
{
	uint32_t flags = 0, sent;
	int err;

	__atomic_store_n(r->sq_ktail, r->tail, __ATOMIC_RELEASE);
	if (__builtin_expect(r->sqpoll, 0)) {
		err = fl_ring_wake(r);
	} else {
		/* With nothing to take, what is done meanwhile may come out by this call. */
		if (r->defers && __atomic_load_n(r->cq_ktail, __ATOMIC_RELAXED) == r->cq_head)
			flags = IORING_ENTER_GETEVENTS;
		do {
			sent = r->sent;
			err = fl_ring_enter(r, r->tail - sent, 0, flags, -1);
		} while (r->tail != r->sent && r->sent != sent);
	}
	return __builtin_expect(err, 0) ? fl_ring_hold(r, err) : 0;
}

/*
 * The rest of fl_ring_room(): looks, hands over what lies in a full ring, and waits for the
 * kernel's thread if that has yet to read.
 */
FL_RING_COLD
static int fl_ring_find_room(struct fl_ring *r)
{
	int err = 0;

	for (;;) {
		uint32_t sent = r->sent;

		r->room = __atomic_load_n(r->sq_khead, __ATOMIC_ACQUIRE);
		if (r->tail - r->room < r->sq_entries)
			return 1;
		if (r->tail != sent) {
			if (fl_ring_commit(r) || r->sent == sent)
				return 0;
			continue;
		}
		if (!r->sqpoll || (err && err != -EINTR))
			return 0;
		err = fl_ring_enter(r, 0, 0, IORING_ENTER_SQ_WAKEUP | IORING_ENTER_SQ_WAIT, -1);
	}
}

/*
 * fl_ring_room - is there an entry at tail? A ring with fewer entries than requests in flight may
 * have to hand over what it holds for that; fl_ring_commit() is due all the same. If not: something
 * has to come back first, or fl_ring_commit() says what is wrong.
 */
static inline int fl_ring_room(struct fl_ring *r)
{
	return __builtin_expect(r->tail - r->room < r->sq_entries, 1) || fl_ring_find_room(r);
}

/* fl_ring_ready - how many results lie from cq_head on. */
static inline uint32_t fl_ring_ready(const struct fl_ring *r)
{
	return __atomic_load_n(r->cq_ktail, __ATOMIC_ACQUIRE) - r->cq_head;
}

/* fl_ring_seen - so many results were taken: the kernel may use their places again. */
static inline void fl_ring_seen(struct fl_ring *r, uint32_t count)
{
	r->cq_head += count;
	__atomic_store_n(r->cq_khead, r->cq_head, __ATOMIC_RELEASE);
}

/* fl_ring_hides - are there results that only entering the kernel brings to light? */
static inline int fl_ring_hides(const struct fl_ring *r)
{
	return r->iopoll || __atomic_load_n(r->sq_kflags, __ATOMIC_RELAXED) &
			    (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

/* Kernels before 5.11 cannot wait for so long and no longer; poll(2) can, for one at least. */
FL_RING_COLD
static int fl_ring_wait_by_poll(struct fl_ring *r, int64_t timeout_ns)
{
	struct timespec ts;
	struct pollfd p;
	int n;

	ts.tv_sec = timeout_ns / 1000000000;
	ts.tv_nsec = timeout_ns % 1000000000;
	p.fd = r->ring.ring_fd;
	p.events = POLLIN;
	n = ppoll(&p, 1, &ts, NULL);
	return n > 0 ? 0 : n ? -errno : -ETIME;
}

/*
 * fl_ring_wait - enter the kernel once until count more results are there. It may return before:
 * a ring that polls is asked once, and then it is for the caller to ask again. Nothing is handed
 * over here.
 * timeout_ns: 0: look, don't wait; below 0: no limit.
 * Returns 0, -ETIME, -EINTR, or another -errno (the ring is dead).
 */
static inline int fl_ring_wait(struct fl_ring *r, uint32_t count, int64_t timeout_ns)
{
	uint32_t wait = r->iopoll || !timeout_ns ? 0 : count;
	int err;

	if (wait && timeout_ns > 0 && !r->ext_arg)
		return fl_ring_wait_by_poll(r, timeout_ns);
	err = fl_ring_enter(r, 0, wait, IORING_ENTER_GETEVENTS, timeout_ns);
	return err == -EAGAIN || err == -EBUSY ? 0 : err;
}

/*
 * fl_ring_close - undo fl_ring_open(). What runs is cancelled if it can be, and waited for, so that
 * nothing touches a buffer any more. What was not committed is forgotten.
 */
FL_RING_COLD
static void fl_ring_close(struct fl_ring *r)
{
	struct io_uring_sync_cancel_reg all;

	memset(&all, 0, sizeof(all));
	all.fd = -1;
	all.flags = IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL;
	if (r->sent != r->cq_head)
		io_uring_register_sync_cancel(&r->ring, &all);
	r->tail = r->sent;
	while (r->sent != r->cq_head) {
		int err = fl_ring_wait(r, 1, 1000000000);

		fl_ring_seen(r, fl_ring_ready(r));
		if (err && err != -ETIME && err != -EINTR)
			break;
	}
	fl_kernel_unmapping();
	io_uring_queue_exit(&r->ring);
}

#ifdef __cplusplus
}
#endif
#endif
