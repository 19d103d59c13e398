/* SPDX-License-Identifier: MIT */
/*
 * The flags that concern the run as a whole and no job: one row per flag, as options have, so that
 * the scanner and --help know the same flags.
 */
#ifndef CORE_CLI_FLAGS_H
#define CORE_CLI_FLAGS_H

#include "core/diag.h"
#include "core/fionames.h"
#include "core/report.h"

#define CLI_SECTIONS_MAX	256

enum cli_action {
	CLI_RUN,
	CLI_PARSE_ONLY,		/* everything is checked, nothing is run */
	CLI_EXPLAIN,		/* explain_text() or explain_json() */
	CLI_SHOWCMD,		/* spec_show() */
	CLI_MERGE,		/* traces are merged, nothing is run */
	CLI_CMDHELP,		/* help_options() with help_on */
	CLI_ENGHELP,		/* help_engines() with help_on */
	CLI_LIST_EXAMPLES,	/* examples_list() */
	CLI_EXAMPLE,		/* examples_print() of example */
	CLI_INFLATE_LOG,	/* log_inflate() of inflate */
	CLI_ENGINE_TEST,	/* contract_run() with test */
	CLI_CRCTEST,		/* crctest_run() with help_on */
	CLI_IDLE_CALIBRATE,	/* idle_calibrate() */
	CLI_CPUCLOCK_TEST,	/* clocks_test() */
	CLI_VERSION,
	CLI_HELP,		/* help_usage() */
};

enum cli_eta { CLI_ETA_AUTO, CLI_ETA_ALWAYS, CLI_ETA_NEVER };

/* How much of the machine goes into the result. */
enum cli_env { CLI_ENV_SHORT, CLI_ENV_FULL, CLI_ENV_NONE };

/* --idle-prof: what of the idle time of the CPUs is told. */
enum cli_idle { CLI_IDLE_NONE, CLI_IDLE_SYSTEM, CLI_IDLE_PERCPU };

/* What --engine-test is to do. */
struct cli_engine_test {
	const char *engine;		/* name or path; NULL: there is no --engine-test */
	const char *target;		/* --filename */
	const char *opts;		/* --opts: for the engine, "a=b:c=d" */
	const char *only;		/* --only: cases with these words */
	uint32_t depth;			/* --depth; 0: not given */
	bool direct;			/* --direct */
};

/* A moment of the run, and what is done then. */
struct trigger_flags {
	const char *file;		/* when it is there; NULL: not given */
	uint64_t timeout_ns;		/* after so long; 0: not given */
	const char *command;		/* --trigger; NULL: none */
};

/* What the flags said. Texts point into argv. */
struct cli_flags {
	enum cli_action action;
	bool explain_all;		/* --explain=all */
	const char *help_on;		/* of --cmdhelp, --enghelp; NULL: all there is, in short */
	const char *example;		/* --example; NULL: not given */
	const char *output;		/* --output; NULL: standard output */
	report_formats formats;		/* --output-format; normal if it was not given */
	struct reporter_how how;	/* they are written */
	double confidence;		/* of the intervals in the result, percent */
	bool confidence_text;		/* they are wanted in normal output, too */
	uint32_t slowest;		/* so many of the slowest I/Os are in normal output */
	const char *junit;		/* --junit; NULL: not given */
	enum cli_env env;
	bool env_redact;
	bool readonly, no_exec;
	const char *aux_path;		/* --aux-path; NULL: the current directory */
	bool strict;			/* the exit status tells of a grade other than ok */
	bool bandwidth_log;
	const char *inflate;		/* --inflate-log */
	enum cli_eta eta;
	uint64_t eta_newline_ns;	/* 0: not given */
	uint64_t eta_interval_ns;	/* between two updates of the line of progress */
	uint64_t status_interval_ns;	/* 0: not given */
	const char *metrics_file;	/* --metrics-file; NULL: none */
	const char *only[CLI_SECTIONS_MAX + 1];	/* the names of --section, NULL-ended */
	size_t only_count;
	struct trigger_flags trigger;
	enum cli_idle idle;
	struct cli_engine_test test;
};

struct cli_flag {
	const char *name;		/* without the -- */
	char letter;			/* of the short form; 0: none */
	enum fioname_value value;
	const char *value_name;		/* for --help; NULL: takes none */
	const char *help;		/* one line; NULL: not worth a line in --help */
	/* apply - what is wrong with value goes to diag. value: NULL if none was given. */
	void (*apply)(struct cli_flags *f, const char *value, const struct origin *at,
		      struct diag *diag);
};

/* cli_flag_at - the flags by index, in the order of --help; NULL behind the last. */
const struct cli_flag *cli_flag_at(size_t i);

/*
 * cli_flag_by_name - exact, '-' equals '_'; NULL if there is none. cli_flag_by_letter - the same.
 */
const struct cli_flag *cli_flag_by_name(const char *name);
const struct cli_flag *cli_flag_by_letter(char letter);

/* cli_flags_init - the state before the first argument. */
void cli_flags_init(struct cli_flags *f);

#endif
