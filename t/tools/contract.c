/* SPDX-License-Identifier: MIT */
/*
 * contract [ENGINE...] - the contract suite from the command line.
 *
 * Without an engine it goes through all there are: those inside, and those in the engine folders.
 * Exit status: 0 passed, 1 failed, 77 when everything was skipped.
 */
#include "core/contract.h"
#include "core/engines.h"
#include "os/clock.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: contract [option...] [ENGINE...]\n"
	"  ENGINE         a name or the path of a plugin; none: every engine there is\n"
	"  --file=TARGET  a device or name to work on; IT IS WRITTEN TO\n"
	"  --dir=DIR      where the suite puts its own files ($TMPDIR or /tmp)\n"
	"  --depth=N      depth of the queues (8)\n"
	"  --direct       as for direct=1\n"
	"  --opts=A=B:C=D options for the engine\n"
	"  --only=WORDS   cases with these words in their name\n"
	"  --timeout=S    seconds that a case may take (10)\n";

struct all {
	const struct contract_setup *setup;
	struct contract_tally tally;
};

static void run_one(void *ctx, const char *name, const struct engine *e, const char *why)
{
	struct all *all = ctx;
	struct contract_setup setup = *all->setup;

	if (!e) {
		printf("ok %u - %s # SKIP %s\n", ++all->tally.number, name, why);
		all->tally.skipped++;
		return;
	}
	setup.engine = name;
	contract_run(&setup, &all->tally);
}

/* The value of --name=value, or NULL. */
static const char *value_of(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return strncmp(arg, name, len) ? NULL : arg + len;
}

static bool take_option(struct contract_setup *setup, const char *arg)
{
	const char *v;

	if ((v = value_of(arg, "--file=")))
		setup->target = v;
	else if ((v = value_of(arg, "--dir=")))
		setup->dir = v;
	else if ((v = value_of(arg, "--depth=")))
		setup->depth = (uint32_t)strtoul(v, NULL, 10);
	else if (!strcmp(arg, "--direct"))
		setup->direct = true;
	else if ((v = value_of(arg, "--opts=")))
		setup->opts = v;
	else if ((v = value_of(arg, "--only=")))
		setup->only = v;
	else if ((v = value_of(arg, "--timeout=")))
		setup->timeout_ms = (uint32_t)strtoul(v, NULL, 10) * 1000;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct contract_setup setup = { .out = stdout };
	struct all all = { .setup = &setup };
	bool named = false;

	clock_init(CLOCK_USE_AUTO);
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-' && !take_option(&setup, argv[i])) {
			fputs(usage, !strcmp(argv[i], "--help") ? stdout : stderr);
			return strcmp(argv[i], "--help") != 0;
		}
	}
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;
		setup.engine = argv[i];
		contract_run(&setup, &all.tally);
		named = true;
	}
	if (!named)
		engines_each(run_one, &all);
	contract_sum(&all.tally, stdout);
	return contract_status(&all.tally);
}
