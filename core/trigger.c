/* SPDX-License-Identifier: MIT */
/* Waiting for the moment, and what happens then. */
#include "core/trigger.h"
#include "core/verify_state.h"
#include "os/command.h"
#include "os/sig.h"
#include "os/status.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define OUTCOME_BYTES	160

struct trigger {
	const struct trigger_flags *flags;
	bool fired, by_file;
	uint64_t after_ns;		/* the start of the run */
	struct command_apart command;
	char outcome[OUTCOME_BYTES];	/* of the command, in words */
	bool failed;			/* it was not run to a good end */
};

static int begin(void *self, const struct observed *run, struct diag *diag)
{
	struct trigger *t = self;

	t->flags = &run->flags->trigger;
	if (t->flags->command && run->flags->no_exec) {
		diag_error(diag, NULL, "--trigger=%s would run a command, and --no-exec forbids it",
			   t->flags->command);
		return -EINVAL;
	}
	if (t->flags->command && !t->flags->file && !t->flags->timeout_ns)
		diag_note(diag, NULL, "--trigger has no effect: --trigger-file or "
			  "--trigger-timeout says when");
	return 0;
}

static void start_command(struct trigger *t)
{
	int err = command_apart(&t->command, t->flags->command, STDERR_FILENO);

	snprintf(t->outcome, sizeof(t->outcome), "it goes on");
	if (!err)
		return;
	t->failed = true;
	snprintf(t->outcome, sizeof(t->outcome), "it could not be started: %s", strerror(-err));
}

static void fire(struct trigger *t, const struct observed *run, uint64_t now_ns, bool by_file)
{
	const struct crew *crew = run->crew;

	t->fired = true;
	t->by_file = by_file;
	t->after_ns = now_ns - crew->start_ns;
	for (size_t i = 0; i < crew->count; i++)
		if (crew_running(&crew->jobs[i]))
			verify_state_keep(run, i);
	for (size_t i = 0; i < crew->count; i++)
		atomic_store(&crew->jobs[i].block->stop, 1);
	if (t->flags->command)
		start_command(t);
}

static void look(void *self, const struct observed *run, uint64_t now_ns)
{
	struct trigger *t = self;

	if (t->flags->timeout_ns && !t->fired &&
	    now_ns >= run->crew->start_ns + t->flags->timeout_ns)
		fire(t, run, now_ns, false);
}

/* The file is taken away, so that the next run does not find it. */
static void tick(void *self, const struct observed *run, uint64_t now_ns)
{
	struct trigger *t = self;
	const char *file = t->flags->file;

	if (!file || t->fired || access(file, F_OK))
		return;
	if (unlink(file))
		diag_say(stderr, "fio-like: --trigger-file=%s: it is there, and cannot be removed: "
			 "%s", file, strerror(errno));
	fire(t, run, now_ns, true);
}

static bool asked_to_stop(void *ctx)
{
	(void)ctx;
	return sig_stops() > 0;
}

static void finish(void *self, const struct observed *run)
{
	struct trigger *t = self;
	int status, err;

	(void)run;
	if (!t->fired || !t->flags->command || t->failed)
		return;
	err = command_apart_end(&t->command, asked_to_stop, NULL, &status);
	t->failed = err || status;
	if (err)
		snprintf(t->outcome, sizeof(t->outcome), "%s", err == -ECANCELED ?
			 "it was stopped with the run" : strerror(-err));
	else
		status_text(status, t->outcome, sizeof(t->outcome));
	if (t->failed)
		diag_say(stderr, "fio-like: --trigger=%s: %s", t->flags->command, t->outcome);
}

static void run_text(const void *self, const struct result *r, FILE *out)
{
	const struct trigger *t = self;

	(void)r;
	if (!t->fired)
		return;
	fprintf(out, "Trigger: %s, %.3f s after the start; ", t->by_file ? "the file was there" :
		"the time had come", (double)t->after_ns / 1e9);
	fprintf(out, "command: %s\n", t->flags->command ? t->outcome : "none");
}

static void run_json(const void *self, const struct result *r, struct json *doc)
{
	const struct trigger *t = self;

	(void)r;
	if (!t->fired)
		return;
	json_object(doc, "trigger");
	json_str(doc, "by", t->by_file ? "file" : "timeout");
	json_f64(doc, "seconds", (double)t->after_ns / 1e9);
	json_str(doc, "command", t->flags->command ? t->flags->command : "");
	json_str(doc, "outcome", t->outcome);
	json_end(doc);
}

static int status(const void *self)
{
	const struct trigger *t = self;

	return t->failed ? 1 : 0;
}

const struct observer trigger_observer = {
	.name = "trigger",
	.state_bytes = sizeof(struct trigger),
	.begin = begin,
	.look = look,
	.tick = tick,
	.finish = finish,
	.run_text = run_text,
	.run_json = run_json,
	.status = status,
};
