/* SPDX-License-Identifier: MIT */
/* The harness of the contract suite: one child per case, one line per result. */
#define _GNU_SOURCE
#include "core/contract.h"

#include "core/contract_cases.h"
#include "os/status.h"
#include "os/trial.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH_DEFAULT		8
#define TIMEOUT_DEFAULT_MS	10000
#define STATUS_SKIPPED		77

struct run {
	const struct contract_setup *setup;
	struct contract_tally *tally;
	struct contract contract;
	const struct contract_case *current;
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
	fprintf(run->setup->out, "# %s\n", why);
	run->tally->failed++;
}

/* ---- One case -------------------------------------------------------------------------------- */

/* Why the engine cannot take part in this case, or NULL. */
static const char *not_for(const struct contract *c, uint32_t needs)
{
	uint32_t caps = c->engine->ops.caps;

	if (needs & (CASE_FILES | CASE_OWN_FILES) && caps & FL_CAP_NO_FILES)
		return "the engine has no targets";
	if (needs & CASE_WRITES && !engine_can(c->engine, FL_OP_WRITE))
		return "the engine does not write";
	if (needs & CASE_OWN_FILES && (caps & FL_CAP_NAMES || c->target))
		return "the target is no file of the suite's own";
	if (caps & FL_CAP_DEVDAX && !c->target)
		return "the engine needs a device-DAX device: name one with --file";
	return NULL;
}

static int case_run(void *ctx, void *answer)
{
	struct run *run = ctx;

	contract_begin(answer);
	run->current->run(&run->contract);
	return 0;
}

static void run_case(struct run *run, const struct contract_case *cc)
{
	uint32_t timeout_ms = run->setup->timeout_ms ? run->setup->timeout_ms : TIMEOUT_DEFAULT_MS;
	const char *reason = not_for(&run->contract, cc->needs);
	char words[CONTRACT_WORDS_BYTES], text[200], status[128];
	struct trial_end end = { 0 };
	int err;

	if (run->setup->only && !strstr(cc->name, run->setup->only))
		return;
	if (reason) {
		say_skipped(run, cc->name, reason);
		return;
	}
	run->current = cc;
	fflush(NULL);
	err = trial_run(case_run, run, words, sizeof(words), timeout_ms, &end);
	words[sizeof(words) - 1] = '\0';
	if (!err) {
		say_passed(run, cc->name);
	} else if (err == -ECHILD && WIFEXITED(end.wstatus) && words[0]) {
		if (WEXITSTATUS(end.wstatus) == STATUS_SKIPPED)
			say_skipped(run, cc->name, words);
		else
			say_failed(run, cc->name, words);
	} else {
		if (err == -ETIMEDOUT)
			snprintf(text, sizeof(text), "stopped after %u s: a hook of the engine "
				 "does not return, or requests do not come back",
				 timeout_ms / 1000);
		else if (err == -ECHILD)
			snprintf(text, sizeof(text), "the engine crashed: its process was lost "
				 "(%s)", status_text(end.wstatus, status, sizeof(status)));
		else
			snprintf(text, sizeof(text), "no process to run it in: %s", strerror(-err));
		say_failed(run, cc->name, text);
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
		say_failed(run, "scratch folder", "cannot make one; say with --dir where");
		return;
	}
	run->contract.dir = dir;
	run_list(run, &contract_life);
	run_list(run, &contract_async);
	run_list(run, &contract_data);
	empty_folder(dir);
}

void contract_run(const struct contract_setup *setup, struct contract_tally *tally)
{
	struct run run = { .setup = setup, .tally = tally };
	char why[512] = "";
	const struct engine *e;
	void *conf = NULL;
	int err;

	if (engines_find(setup->engine, &e, why, sizeof(why))) {
		say_failed(&run, "can be loaded", why);
		return;
	}
	run.contract = (struct contract){
		.engine = e, .target = setup->target,
		.depth = setup->depth ? setup->depth : DEPTH_DEFAULT,
	};
	say_passed(&run, "can be loaded");
	conf = host_options(e, setup->opts, &err, why, sizeof(why));
	if (err) {
		say_failed(&run, "takes its options", why);
		return;
	}
	run.contract.opts = conf;
	if (host_probe(e, why, sizeof(why)))
		say_skipped(&run, "all cases", why);
	else
		run_in_folder(&run);
	free(conf);
}

int contract_status(const struct contract_tally *tally)
{
	if (tally->failed || !tally->number)
		return 1;
	return tally->passed ? 0 : STATUS_SKIPPED;
}
