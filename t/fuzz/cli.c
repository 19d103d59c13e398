/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a command line: arguments with a NUL between them, read as main() reads them, up to
 * where something would be run.
 */
#define _GNU_SOURCE
#include "core/cli.h"
#include "core/complete.h"
#include "core/examples.h"
#include "core/help.h"
#include "t/fuzz/job_text.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The arguments, of just their lengths, so that a read behind one is seen. Returns how many. */
static int split(const char *at, size_t size, char **argv)
{
	int argc = 0;

	argv[argc++] = strdup("fio-like");
	while (size && argc < ARGS_MAX) {
		size_t len = strnlen(at, size);

		argv[argc++] = strndup(at, len);
		len += len < size;
		at += len;
		size -= len;
	}
	argv[argc] = NULL;
	return argc;
}

/* What main() does with it, where that is no more than text. */
static void use(const struct cli *cli, struct diag *diag, FILE *out)
{
	const struct jobs_forbidden forbidden = { cli->flags.readonly, cli->flags.no_exec };
	char why[512] = "";
	size_t n;
	const struct opt_table *const *tables = job_tables(&n);

	if (cli->flags.action < CLI_CMDHELP) {
		spec_show(cli->spec, "fio-like", out);
		parse_jobs(cli->spec, &forbidden, diag);
	} else if (cli->flags.action == CLI_CMDHELP) {
		if (help_options(tables, n, cli->flags.help_on, out, why, sizeof(why)))
			fl_assert(why[0]);
	} else if (cli->flags.action == CLI_EXAMPLE) {
		if (examples_print(cli->flags.example, out, why, sizeof(why)))
			fl_assert(why[0]);
	}
}

static void parse(int argc, char **argv, FILE *out)
{
	const struct cli_rows rows = { .find = job_option, .name = job_option_name };
	struct diag *diag = diag_new(false);
	struct cli cli;
	int err = cli_parse(&cli, argc, argv, &rows, diag);

	fl_assert((err != 0) == (diag_errors(diag) != 0));
	if (!err)
		use(&cli, diag, out);
	diag_print(diag, out);
	cli_free(&cli);
	diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *out = nowhere();
	char *argv[ARGS_MAX + 1];
	int argc = split((const char *)data, size, argv);

	if (argc > 1 && !strcmp(argv[1], "--complete"))
		complete(argc - 2, argv + 2, out);
	else
		parse(argc, argv, out);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return 0;
}
