/* SPDX-License-Identifier: MIT */
/* Laying files out in a process of its own. */
#define _GNU_SOURCE
#include "core/layout_apart.h"
#include "os/futex.h"
#include "os/mem.h"
#include "os/sig.h"
#include "os/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_NS		50000000ull	/* longest wait without a look at the child */
#define TEXT_BYTES	512

/* What both processes see. */
struct shared {
	_Atomic uint64_t written;	/* bytes so far */
	_Atomic uint32_t events;	/* goes up with each piece, and at the end; a futex */
	int err;			/* the rest is there when the child has exited with 0 */
	uint64_t bytes;			/* of the set */
	char note[TEXT_BYTES], why[TEXT_BYTES];
	struct file_plan plan[];
};

static size_t shared_bytes(const struct file_set *set)
{
	return sizeof(struct shared) + set->nr * sizeof(struct file_plan);
}

/* ---- In the child ---------------------------------------------------------------------------- */

static int piece_done(void *ctx, uint64_t bytes)
{
	struct shared *s = ctx;

	atomic_fetch_add(&s->written, bytes);
	atomic_fetch_add(&s->events, 1);
	futex_wake(&s->events);
	return 0;
}

static void lay_out(struct file_set *set, uint64_t seed, const struct layout_apart *how,
		    struct shared *s, pid_t parent)
{
	if (sig_die_with_parent(parent))
		_exit(1);
	sig_worker();
	s->err = how->enter(how->ctx, s->why, sizeof(s->why));
	if (!s->err)
		s->err = files_layout(set, seed, piece_done, s, s->note, sizeof(s->note), s->why,
				      sizeof(s->why));
	s->bytes = set->bytes;
	memcpy(s->plan, set->plan, set->nr * sizeof(*set->plan));
	_exit(0);
}

/* ---- In the parent --------------------------------------------------------------------------- */

/* Waits for the child. Returns 0, or what progress() ended it with. */
static int watch(const struct layout_apart *how, struct shared *s, pid_t pid, int *status)
{
	uint64_t told = 0;
	int err = 0;

	for (;;) {
		uint32_t seen = atomic_load(&s->events);
		pid_t got = waitpid(pid, status, WNOHANG);
		uint64_t written = atomic_load(&s->written);

		if (!err && how->progress)
			err = how->progress(how->ctx, written - told);
		told = written;
		if (got == pid || (got < 0 && errno != EINTR))
			return err;
		if (err)
			kill(pid, SIGKILL);
		futex_wait(&s->events, seen, LOOK_NS);
	}
}

static int take_over(struct file_set *set, const struct shared *s, int status, char *note,
		     size_t note_bytes, char *why, size_t why_bytes)
{
	char text[96];

	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		status_text(status, text, sizeof(text));
		snprintf(why, why_bytes, "laying out files: the process that did it %s%s",
			 WIFSIGNALED(status) ? "was " : "", text);
		return -EOWNERDEAD;
	}
	memcpy(set->plan, s->plan, set->nr * sizeof(*set->plan));
	set->bytes = s->bytes;
	snprintf(note, note_bytes, "%s", s->note);
	if (s->err)
		snprintf(why, why_bytes, "%s", s->why);
	return s->err;
}

int layout_apart(struct file_set *set, uint64_t seed, const struct layout_apart *how, char *note,
		 size_t note_bytes, char *why, size_t why_bytes)
{
	int err = 0, status = 0;
	struct shared *s = mem_shared(shared_bytes(set), &err);
	pid_t parent = getpid(), pid;

	note[0] = '\0';
	if (!s) {
		snprintf(why, why_bytes, "laying out files: no memory to share: %s",
			 strerror(-err));
		return err;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		lay_out(set, seed, how, s, parent);
	if (pid < 0) {
		err = -errno;
		snprintf(why, why_bytes, "laying out files: no process can be started: %s",
			 strerror(-err));
	} else {
		err = watch(how, s, pid, &status);
		if (!err)
			err = take_over(set, s, status, note, note_bytes, why, why_bytes);
	}
	mem_shared_free(s, shared_bytes(set));
	return err;
}
