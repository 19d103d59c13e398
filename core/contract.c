/* SPDX-License-Identifier: MIT */
/* The harness of the contract suite: one child per case, one line per result. */
#define _GNU_SOURCE
#include "core/contract.h"

#include "core/contract_cases.h"
#include "core/safety.h"
#include "os/status.h"
#include "os/trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH_DEFAULT		8
#define TIMEOUT_DEFAULT_MS	10000
#define STATUS_SKIPPED		77
#define SAID_LINES_MAX		20	/* of what the engine said, per failure */

struct run {
	const struct contract_setup *setup;
	struct contract_tally *tally;
	struct contract contract;
	const struct contract_case *current;
	int said;			/* file with what the engine says meanwhile; -1: none */
	bool made_target;		/* the target was not there before */
	char last_why[CONTRACT_WORDS_BYTES];	/* of the failure before */
};

static void say(struct run *run, const char *verdict, const char *name, const char *skip_why)
{
	fprintf(run->setup->out, "%s %u - %s: %s%s%s\n", verdict, ++run->tally->number,
		run->contract.engine ? run->contract.engine->ops.name : run->setup->engine, name,
		skip_why ? " # SKIP " : "", skip_why ? skip_why : "");
}

static void say_passed(struct run *run, const char *name)
{
	say(run, "ok", name, NULL);
	run->tally->passed++;
}

static void say_skipped(struct run *run, const char *name, const char *why)
{
	say(run, "ok", name, why);
	run->tally->skipped++;
}

static void say_failed(struct run *run, const char *name, const char *why)
{
	say(run, "not ok", name, NULL);
	fprintf(run->setup->out, "#   %s\n", why);
	run->tally->failed++;
}

/* The lines that the engine, or a sanitizer, wrote while the case ran; repeated ones once. */
static void say_what_it_said(struct run *run)
{
	int fd = run->said < 0 ? -1 : dup(run->said);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[512], last[512] = "";
	int lines = 0;

	if (f)
		rewind(f);
	while (f && fgets(line, sizeof(line), f) && lines < SAID_LINES_MAX) {
		line[strcspn(line, "\n")] = '\0';
		if (!line[0] || !strcmp(line, last))
			continue;
		fprintf(run->setup->out, "#   it said: %s\n", line);
		strcpy(last, line);
		lines++;
	}
	if (f)
		fclose(f);
}

/* A case that failed: the rule, what came instead, and what was said meanwhile. */
static void say_broken(struct run *run, const char *rule, const char *why)
{
	say(run, "not ok", run->current->name, NULL);
	run->tally->failed++;
	if (!strcmp(why, run->last_why)) {
		fprintf(run->setup->out, "#   as above\n");
		return;
	}
	snprintf(run->last_why, sizeof(run->last_why), "%s", why);
	fprintf(run->setup->out, "#   the rule: %s.\n#   but here: %s\n", rule, why);
	say_what_it_said(run);
}

/* ---- One case -------------------------------------------------------------------------------- */

/* Why the engine cannot take part in this case, or NULL. */
static const char *not_for(const struct contract *c, uint32_t needs)
{
	static const struct { uint32_t need, op; const char *reason; } ops[] = {
		{ CASE_READS, FL_OP_READ, "the engine does not read" },
		{ CASE_WRITES, FL_OP_WRITE, "the engine does not write" },
		{ CASE_STATS, FL_OP_STAT, "the engine does not answer FL_OP_STAT" },
		{ CASE_APPENDS, FL_OP_APPEND, "the engine does not append" },
	};
	uint32_t caps = c->engine->ops.caps;

	if (needs & (CASE_FILES | CASE_OWN_FILES) && caps & FL_CAP_NO_FILES)
		return "the engine has no targets";
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (needs & ops[i].need && !engine_can(c->engine, ops[i].op))
			return ops[i].reason;
	if (needs & CASE_OWN_FILES && (caps & FL_CAP_NAMES || c->target))
		return "the target is no file of the suite's own";
	if (needs & CASE_ODD && c->direct && !(caps & FL_CAP_UNALIGNED))
		return "with direct=1 whole blocks alone are tried";
	if (caps & FL_CAP_DEVDAX && !c->target)
		return "the engine needs a device-DAX device: name one";
	return NULL;
}

static int case_run(void *ctx, void *answer)
{
	struct run *run = ctx;

	if (run->said >= 0)
		dup2(run->said, STDERR_FILENO);
	contract_begin(answer);
	run->current->run(&run->contract);
	return 0;
}

/* What became of a process that did not end by itself. */
static void explain_end(const struct contract_report *report, int err, int wstatus,
			uint32_t timeout_ms, char *text, size_t n)
{
	const char *in = report->hook ? " in " : "", *hook = report->hook ? report->hook : "";
	char status[128];

	if (err == -ETIMEDOUT)
		snprintf(text, n, "stopped after %u s%s%s: %s", timeout_ms / 1000, in, hook,
			 report->hook ? "the hook does not return" :
			 "requests do not come back, or all is very slow");
	else if (err == -ECHILD)
		snprintf(text, n, "the engine crashed%s%s: its process was lost (%s)%s", in, hook,
			 status_text(wstatus, status, sizeof(status)), report->hook ? "" :
			 "; it was in no hook: on a thread of its own, or it had spoilt memory "
			 "that is not its own");
	else
		snprintf(text, n, "no process to run it in: %s", strerror(-err));
}

static void run_case(struct run *run, const struct contract_case *cc)
{
	uint32_t timeout_ms = run->setup->timeout_ms ? run->setup->timeout_ms : TIMEOUT_DEFAULT_MS;
	const char *reason = not_for(&run->contract, cc->needs);
	struct contract_report report = { .hook = NULL };
	struct trial_end end = { 0 };
	char text[500];
	int err;

	if (run->setup->only && !strstr(cc->name, run->setup->only))
		return;
	if (reason) {
		say_skipped(run, cc->name, reason);
		return;
	}
	run->current = cc;
	if (run->said >= 0 && ftruncate(run->said, 0) == 0)
		lseek(run->said, 0, SEEK_SET);
	fflush(NULL);
	err = trial_run(case_run, run, &report, sizeof(report), timeout_ms, &end);
	report.words[sizeof(report.words) - 1] = '\0';
	if (!err) {
		say_passed(run, cc->name);
	} else if (err == -ECHILD && WIFEXITED(end.wstatus) && report.words[0]) {
		if (WEXITSTATUS(end.wstatus) == STATUS_SKIPPED)
			say_skipped(run, cc->name, report.words);
		else
			say_broken(run, report.rule ? report.rule : cc->rule, report.words);
	} else {
		explain_end(&report, err, end.wstatus, timeout_ms, text, sizeof(text));
		say_broken(run, "a hook neither crashes nor hangs", text);
	}
}

/* ---- One engine ------------------------------------------------------------------------------ */

static void run_list(struct run *run, const struct contract_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		run_case(run, &list->cases[i]);
}

static void empty_folder(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

/* With own files: a scratch folder, gone afterwards. */
static void run_in_folder(struct run *run)
{
	const char *base = run->setup->dir ? run->setup->dir : getenv("TMPDIR");
	char dir[200];

	snprintf(dir, sizeof(dir), "%s/fio-like-contract.%d", base && *base ? base : "/tmp",
		 (int)getpid());
	if (mkdir(dir, 0700)) {
		say_failed(run, "scratch folder", "cannot make one; TMPDIR says where");
		return;
	}
	run->contract.dir = dir;
	run_list(run, &contract_life);
	run_list(run, &contract_async);
	run_list(run, &contract_data);
	run_list(run, &contract_more);
	run->contract.dir = NULL;
	empty_folder(dir);
}

/* A path where nothing is yet becomes a file of the suite's own, until the end. */
static void make_target(struct run *run)
{
	const char *target = run->setup->target;
	uint32_t caps = run->contract.engine->ops.caps;
	int fd;

	if (!target || caps & (FL_CAP_NO_FILES | FL_CAP_NAMES | FL_CAP_DEVDAX))
		return;
	fd = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	run->made_target = !posix_fallocate(fd, 0, CONTRACT_FILE_BYTES);
	close(fd);
}

static void run_engine(struct run *run)
{
	run->said = memfd_create("said", MFD_CLOEXEC);
	make_target(run);
	run_in_folder(run);
	if (run->made_target)
		unlink(run->setup->target);
	if (run->said >= 0)
		close(run->said);
}

void contract_run(const struct contract_setup *setup, struct contract_tally *tally)
{
	struct run run = { .setup = setup, .tally = tally };
	char why[512] = "";
	const struct engine *e;
	void *conf = NULL;
	dev_t device;
	int err;

	if (engines_find(setup->engine, &e, why, sizeof(why))) {
		say_failed(&run, "can be loaded", why);
		return;
	}
	run.contract = (struct contract){
		.engine = e, .target = setup->target, .opts_given = setup->opts,
		.depth = setup->depth ? setup->depth : DEPTH_DEFAULT, .direct = setup->direct,
	};
	say_passed(&run, "can be loaded");
	conf = host_options(e, setup->opts, &err, why, sizeof(why));
	if (err) {
		say_failed(&run, "takes its options", why);
		return;
	}
	run.contract.opts = conf;
	if (setup->target && !(e->ops.caps & FL_CAP_NO_FILES) &&
	    !safety_device(setup->target, &device) &&
	    safety_check(NULL, setup->target, device, SAFETY_CLAIM | SAFETY_CONTENT, why,
			 sizeof(why)))
		say_failed(&run, "may write to its target", why);
	else if (host_probe(e, why, sizeof(why)))
		say_skipped(&run, "all cases", why);
	else
		run_engine(&run);
	free(conf);
}

void contract_sum(const struct contract_tally *tally, FILE *out)
{
	fprintf(out, "1..%u\n%u passed, %u failed, %u skipped\n", tally->number, tally->passed,
		tally->failed, tally->skipped);
}

int contract_status(const struct contract_tally *tally)
{
	if (tally->failed || !tally->number)
		return 1;
	return tally->passed ? 0 : STATUS_SKIPPED;
}
