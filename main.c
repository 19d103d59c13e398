/* SPDX-License-Identifier: MIT */
/* fio-like: reads the command line and does what it says. */
#include "core/clocks_test.h"
#include "core/crctest.h"
#include "core/complete.h"
#include "core/contract.h"
#include "core/examples.h"
#include "core/help.h"
#include "core/idle_watch.h"
#include "core/job.h"
#include "core/log_inflate.h"
#include "core/reporter.h"
#include "core/session.h"
#include "os/clock.h"
#include "os/sys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int show_options(const struct cli *cli)
{
	size_t n;
	const struct opt_table *const *tables = job_tables(&n);
	char why[512];

	if (!help_options(tables, n, cli->flags.help_on, stdout, why, sizeof(why)))
		return 0;
	fprintf(stderr, "fio-like: %s\n", why);
	return 1;
}

static int show_engines(const struct cli *cli)
{
	char why[512];

	if (!help_engines(cli->flags.help_on, stdout, stderr, why, sizeof(why)))
		return 0;
	fprintf(stderr, "fio-like: %s\n", why);
	return 1;
}

static int show_example(const struct cli *cli)
{
	char why[512];

	if (!examples_print(cli->flags.example, stdout, why, sizeof(why)))
		return 0;
	diag_say(stderr, "fio-like: --example=%s: %s", cli->flags.example, why);
	return 1;
}

static int inflate_log(const struct cli *cli)
{
	char why[512];

	if (!log_inflate(cli->flags.inflate, stdout, why, sizeof(why)))
		return 0;
	diag_say(stderr, "fio-like: --inflate-log=%s: %s", cli->flags.inflate, why);
	return 1;
}

static int test_engine(const struct cli_engine_test *test)
{
	const struct contract_setup setup = {
		.engine = test->engine, .target = test->target, .opts = test->opts,
		.only = test->only, .depth = test->depth, .direct = test->direct, .out = stdout,
	};
	struct contract_tally tally = { 0 };

	clock_init(CLOCK_USE_AUTO);
	contract_run(&setup, &tally);
	contract_sum(&tally, stdout);
	return contract_status(&tally);
}

static int test_checksums(const char *kinds)
{
	char why[512];

	clock_init(CLOCK_USE_AUTO);
	if (!crctest_run(kinds, stdout, why, sizeof(why)))
		return 0;
	diag_say(stderr, "fio-like: --crctest=%s: %s", kinds, why);
	return 1;
}

static int dispatch(const struct cli *cli, struct diag *diag)
{
	switch (cli->flags.action) {
	case CLI_VERSION:
		printf("%s\n", REPORTER_VERSION);
		return 0;
	case CLI_HELP:
		help_usage("fio-like", stdout);
		return 0;
	case CLI_CMDHELP:
		return show_options(cli);
	case CLI_ENGHELP:
		return show_engines(cli);
	case CLI_LIST_EXAMPLES:
		examples_list(stdout);
		return 0;
	case CLI_EXAMPLE:
		return show_example(cli);
	case CLI_INFLATE_LOG:
		return inflate_log(cli);
	case CLI_ENGINE_TEST:
		return test_engine(&cli->flags.test);
	case CLI_CRCTEST:
		return test_checksums(cli->flags.help_on);
	case CLI_IDLE_CALIBRATE:
		return idle_calibrate(stdout);
	case CLI_CPUCLOCK_TEST:
		return clocks_test(stdout);
	default:
		return session_run(cli, diag);
	}
}

int main(int argc, char **argv)
{
	const struct cli_rows rows = { .find = job_option, .name = job_option_name };
	struct diag *diag = diag_new(false);
	struct cli cli;
	int status = 1;

	sys_keep_streams();
	if (argc > 1 && !strcmp(argv[1], "--complete")) {
		diag_free(diag);
		return complete(argc - 2, argv + 2, stdout);
	}
	if (!cli_parse(&cli, argc, argv, &rows, diag))
		status = dispatch(&cli, diag);
	else
		session_check(&cli, diag);
	diag_print(diag, stderr);
	if (status == 0 && fflush(stdout)) {
		fprintf(stderr, "fio-like: standard output: %s\n", strerror(errno));
		status = 1;
	}
	cli_free(&cli);
	diag_free(diag);
	return status;
}
