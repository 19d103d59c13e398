/* SPDX-License-Identifier: MIT */
/* What each flag of the run does with its value. */
#include "core/cli_flags.h"

#include "core/debug.h"
#include "core/engines.h"
#include "core/slow.h"
#include "lib/units.h"

#include <string.h>

#define TEST_DEPTH_MAX	65536
#define CONFIDENCE_MIN	50.0
#define CONFIDENCE_MAX	99.9999
#define CONFIDENCE	95.0
#define SLOWEST		3
#define ETA_INTERVAL_NS		1000000000ull
#define ETA_INTERVAL_MIN_NS	250000000ull

/* ---- One function per flag ---- */

static void set_version(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->action = CLI_VERSION;
}

static void set_help(struct cli_flags *f, const char *value, const struct origin *at,
		     struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->action = CLI_HELP;
}

static void set_cmdhelp(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)at;
	(void)diag;
	f->action = CLI_CMDHELP;
	f->help_on = value;
}

static void set_enghelp(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)at;
	(void)diag;
	f->action = CLI_ENGHELP;
	f->help_on = value;
}

static void set_list_examples(struct cli_flags *f, const char *value, const struct origin *at,
			      struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->action = CLI_LIST_EXAMPLES;
}

static void set_example(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)at;
	(void)diag;
	f->action = CLI_EXAMPLE;
	f->example = value;
}

static void set_engine_test(struct cli_flags *f, const char *value, const struct origin *at,
			    struct diag *diag)
{
	if (!*value)
		diag_error(diag, at, "the name or path of an engine is expected");
	f->action = CLI_ENGINE_TEST;
	f->test.engine = value;
}

static void set_crctest(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)at;
	(void)diag;
	f->action = CLI_CRCTEST;
	f->help_on = value ? value : "";
}

static void set_cpuclock_test(struct cli_flags *f, const char *value, const struct origin *at,
			      struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->action = CLI_CPUCLOCK_TEST;
}

static void set_test_depth(struct cli_flags *f, const char *value, const struct origin *at,
			   struct diag *diag)
{
	struct parse_err err;
	uint64_t depth;
	bool kib;

	if (units_uint(span_of(value), 1024, 1, TEST_DEPTH_MAX, &depth, &kib, &err))
		diag_error(diag, at, "%s", err.text);
	else
		f->test.depth = (uint32_t)depth;
}

static void set_test_opts(struct cli_flags *f, const char *value, const struct origin *at,
			  struct diag *diag)
{
	(void)at;
	(void)diag;
	f->test.opts = value;
}

static void set_test_only(struct cli_flags *f, const char *value, const struct origin *at,
			  struct diag *diag)
{
	(void)at;
	(void)diag;
	f->test.only = value;
}

static void set_parse_only(struct cli_flags *f, const char *value, const struct origin *at,
			   struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	if (f->action == CLI_RUN)
		f->action = CLI_PARSE_ONLY;
}

static void set_explain(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	if (value && strcmp(value, "all"))
		diag_error(diag, at, "it stands alone, or it is --explain=all");
	if (f->action == CLI_RUN || f->action == CLI_PARSE_ONLY)
		f->action = CLI_EXPLAIN;
	f->explain_all = value;
}

static void set_showcmd(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	if (f->action == CLI_RUN || f->action == CLI_PARSE_ONLY)
		f->action = CLI_SHOWCMD;
}

static void set_merge_only(struct cli_flags *f, const char *value, const struct origin *at,
			   struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	if (f->action == CLI_RUN)
		f->action = CLI_MERGE;
}

static void set_bandwidth_log(struct cli_flags *f, const char *value, const struct origin *at,
			      struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->bandwidth_log = true;
}

static void set_inflate_log(struct cli_flags *f, const char *value, const struct origin *at,
			    struct diag *diag)
{
	if (!*value)
		diag_error(diag, at, "the name of a compressed log is expected");
	f->action = CLI_INFLATE_LOG;
	f->inflate = value;
}

static void set_aux_path(struct cli_flags *f, const char *value, const struct origin *at,
			 struct diag *diag)
{
	(void)at;
	(void)diag;
	f->aux_path = value;
}

static void set_readonly(struct cli_flags *f, const char *value, const struct origin *at,
			 struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->readonly = true;
}

static void set_no_exec(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->no_exec = true;
	engines_forbid_paths();
}

static void set_strict(struct cli_flags *f, const char *value, const struct origin *at,
		       struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->strict = true;
}

static void set_warnings_fatal(struct cli_flags *f, const char *value, const struct origin *at,
			       struct diag *diag)
{
	(void)f;
	(void)value;
	(void)at;
	diag_warnings_fatal(diag);
}

static void set_output(struct cli_flags *f, const char *value, const struct origin *at,
		       struct diag *diag)
{
	if (!*value)
		diag_error(diag, at, "the name of a file is expected");
	else if (f->output && strcmp(f->output, value))
		diag_note(diag, at, "there is one result: it goes to %s, and nothing to the %s "
			  "given before", value, f->output);
	f->output = value;
}

static void set_output_format(struct cli_flags *f, const char *value, const struct origin *at,
			      struct diag *diag)
{
	char why[256];

	if (report_parse(value, &f->formats, why, sizeof(why)))
		diag_error(diag, at, "%s", why);
}

static void set_minimal(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	(void)value;
	set_output_format(f, "terse", at, diag);
}

static void set_append_terse(struct cli_flags *f, const char *value, const struct origin *at,
			     struct diag *diag)
{
	report_formats before = f->formats;

	set_minimal(f, value, at, diag);
	f->formats |= before;
}

static void set_terse_version(struct cli_flags *f, const char *value, const struct origin *at,
			      struct diag *diag)
{
	struct parse_err err;
	uint64_t number;

	if (units_uint(span_of(value), 1024, REPORTER_TERSE_MIN, REPORTER_TERSE_MAX, &number, NULL,
		       &err))
		diag_error(diag, at, "%s", err.text);
	else
		f->how.terse_version = (unsigned)number;
}

static void set_confidence(struct cli_flags *f, const char *value, const struct origin *at,
			   struct diag *diag)
{
	struct parse_err err;

	f->confidence_text = true;
	if (value && units_percent(span_of(value), 100, &f->confidence, &err))
		diag_error(diag, at, "%s", err.text);
	else if (f->confidence < CONFIDENCE_MIN || f->confidence > CONFIDENCE_MAX)
		diag_error(diag, at, "it must be a percentage from %g to %g, as 95",
			   CONFIDENCE_MIN, CONFIDENCE_MAX);
}

static void set_slowest(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	struct parse_err err;
	uint64_t n;

	if (units_uint(span_of(value), 1000, 0, SLOW_KEPT, &n, NULL, &err))
		diag_error(diag, at, "%s", err.text);
	else
		f->slowest = (uint32_t)n;
}

static void set_junit(struct cli_flags *f, const char *value, const struct origin *at,
		      struct diag *diag)
{
	if (!*value)
		diag_error(diag, at, "the name of a file is expected");
	f->junit = value;
}

static void set_section(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	if (f->only_count == CLI_SECTIONS_MAX)
		diag_error(diag, at, "--section cannot be given more than %d times",
			   CLI_SECTIONS_MAX);
	else
		f->only[f->only_count++] = value;
}

static const char *const env_words[] = {
	[CLI_ENV_SHORT] = "short", [CLI_ENV_FULL] = "full", [CLI_ENV_NONE] = "none",
};

static void set_env(struct cli_flags *f, const char *value, const struct origin *at,
		    struct diag *diag)
{
	for (size_t i = 0; i < ARRAY_SIZE(env_words); i++) {
		if (!strcmp(value, env_words[i])) {
			f->env = (enum cli_env)i;
			return;
		}
	}
	diag_error(diag, at, "it must be short, full or none");
}

static void set_env_redact(struct cli_flags *f, const char *value, const struct origin *at,
			   struct diag *diag)
{
	(void)value;
	(void)at;
	(void)diag;
	f->env_redact = true;
}

static const char *const eta_words[] = {
	[CLI_ETA_AUTO] = "auto", [CLI_ETA_ALWAYS] = "always", [CLI_ETA_NEVER] = "never",
};

static void set_eta(struct cli_flags *f, const char *value, const struct origin *at,
		    struct diag *diag)
{
	for (size_t i = 0; i < ARRAY_SIZE(eta_words); i++) {
		if (!strcmp(value, eta_words[i])) {
			f->eta = (enum cli_eta)i;
			return;
		}
	}
	diag_error(diag, at, "it must be auto, always or never");
}

static void set_time(uint64_t *ns, const char *value, const struct origin *at, struct diag *diag)
{
	struct parse_err err;

	if (units_time(span_of(value), UNITS_S, ns, &err))
		diag_error(diag, at, "%s", err.text);
	else if (!*ns)
		diag_error(diag, at, "the time must be longer than 0");
}

static const char *const idle_words[] = {
	[CLI_IDLE_SYSTEM] = "system", [CLI_IDLE_PERCPU] = "percpu",
};

static void set_idle_prof(struct cli_flags *f, const char *value, const struct origin *at,
			  struct diag *diag)
{
	if (!strcmp(value, "calibrate")) {
		f->action = CLI_IDLE_CALIBRATE;
		return;
	}
	for (size_t i = CLI_IDLE_SYSTEM; i < ARRAY_SIZE(idle_words); i++) {
		if (!strcmp(value, idle_words[i])) {
			f->idle = (enum cli_idle)i;
			return;
		}
	}
	diag_error(diag, at, "it must be system, percpu or calibrate");
}

static void set_trigger(struct cli_flags *f, const char *value, const struct origin *at,
			struct diag *diag)
{
	if (!*value)
		diag_error(diag, at, "a command is expected");
	f->trigger.command = value;
}

static void set_trigger_file(struct cli_flags *f, const char *value, const struct origin *at,
			     struct diag *diag)
{
	if (!*value)
		diag_error(diag, at, "the name of a file is expected");
	f->trigger.file = value;
}

static void set_trigger_timeout(struct cli_flags *f, const char *value, const struct origin *at,
				struct diag *diag)
{
	set_time(&f->trigger.timeout_ns, value, at, diag);
}

static void set_eta_newline(struct cli_flags *f, const char *value, const struct origin *at,
			    struct diag *diag)
{
	set_time(&f->eta_newline_ns, value, at, diag);
}

static void set_eta_interval(struct cli_flags *f, const char *value, const struct origin *at,
			     struct diag *diag)
{
	uint64_t ns = ETA_INTERVAL_MIN_NS;

	set_time(&ns, value, at, diag);
	if (ns < ETA_INTERVAL_MIN_NS)
		diag_error(diag, at, "the time must be 250ms or longer");
	f->eta_interval_ns = ns;
}

static void set_status_interval(struct cli_flags *f, const char *value, const struct origin *at,
				struct diag *diag)
{
	set_time(&f->status_interval_ns, value, at, diag);
}

static void set_metrics_file(struct cli_flags *f, const char *value, const struct origin *at,
			     struct diag *diag)
{
	if (!*value)
		diag_error(diag, at, "the name of a file is expected");
	f->metrics_file = value;
}

/* At once: what is parsed behind it can be told. */
static void set_debug(struct cli_flags *f, const char *value, const struct origin *at,
		      struct diag *diag)
{
	char why[160];

	(void)f;
	if (debug_choose(value, why, sizeof(why)))
		diag_error(diag, at, "%s", why);
}

/* At once: the options of an engine in that folder may be the very next arguments. */
static void set_engine_path(struct cli_flags *f, const char *value, const struct origin *at,
			    struct diag *diag)
{
	(void)f;
	if (!*value)
		diag_error(diag, at, "the name of a directory is expected");
	else if (engines_add_path(value))
		diag_error(diag, at, "--engine-path is given too often");
}

/* A number of the kind that fio wants, and no use for it. */
static void set_nothing(const char *name, const char *value, const struct origin *at,
			struct diag *diag)
{
	const char *why = "";
	struct parse_err err;
	uint64_t number;

	fl_assert(fionames_no_effect(name, &why));
	if (units_uint(span_of(value), 1024, 1, UINT64_MAX, &number, NULL, &err))
		diag_error(diag, at, "%s", err.text);
	else
		diag_remark(diag, at, "--%s is accepted and has no effect: %s", name, why);
}

static void set_max_jobs(struct cli_flags *f, const char *value, const struct origin *at,
			 struct diag *diag)
{
	(void)f;
	set_nothing("max-jobs", value, at, diag);
}

static void set_alloc_size(struct cli_flags *f, const char *value, const struct origin *at,
			   struct diag *diag)
{
	(void)f;
	set_nothing("alloc-size", value, at, diag);
}

/* ---- The table ---- */

static const struct cli_flag flags[] = {
	{ "output", 'o', FIONAME_VALUE, "FILE", "write the result to FILE, not to standard "
	  "output", set_output },
	{ "output-format", 'F', FIONAME_VALUE, "LIST", "what the result looks like: normal, "
	  "json, json+, terse, jsonl, or several with , between", set_output_format },
	{ "minimal", 'm', FIONAME_ALONE, NULL, "the same as --output-format=terse", set_minimal },
	{ "append-terse", 0, FIONAME_ALONE, NULL, "terse, too, beside the other formats",
	  set_append_terse },
	{ "terse-version", 'V', FIONAME_VALUE, "N", "which columns terse has: 2, 3, 4, 5; 3 if "
	  "it is not given", set_terse_version },
	{ "confidence", 0, FIONAME_MAYBE, "PERCENT", "tell between which bounds mean IOPS and "
	  "percentiles lie, with this confidence; 95 if it is not given", set_confidence },
	{ "slowest", 0, FIONAME_VALUE, "N", "how many of the slowest I/Os of each direction normal "
	  "output tells: 0 to 32; 3", set_slowest },
	{ "junit", 0, FIONAME_VALUE, "FILE", "write what became of the expectations (expect=) to "
	  "FILE, in JUnit's XML", set_junit },
	{ "section", 'x', FIONAME_VALUE, "NAME", "run only this section of the job files; may be "
	  "repeated", set_section },
	{ "aux-path", 0, FIONAME_VALUE, "DIR", "keep the states of verifying jobs there",
	  set_aux_path },
	{ "readonly", 'r', FIONAME_ALONE, NULL, "refuse every job that writes or trims",
	  set_readonly },
	{ "idle-prof", 0, FIONAME_VALUE, "WHAT", "measure how idle the CPUs are: system, percpu; "
	  "calibrate: only measure the unit of work", set_idle_prof },
	{ "trigger-file", 0, FIONAME_VALUE, "FILE", "end all jobs when FILE is there, and keep the "
	  "states of those that verify; FILE is removed", set_trigger_file },
	{ "trigger-timeout", 0, FIONAME_VALUE, "TIME", "the same after TIME", set_trigger_timeout },
	{ "trigger", 0, FIONAME_VALUE, "COMMAND", "a command for the shell to run then",
	  set_trigger },
	{ "no-exec", 0, FIONAME_ALONE, NULL, "refuse exec_prerun, exec_postrun, triggers, and "
	  "engines given by path: a strange job file is to run no program", set_no_exec },
	{ "explain", 0, FIONAME_MAYBE, "all", "tell what each job would do, whose word each "
	  "setting is, and what is doubtful; run nothing; all: with every default", set_explain },
	{ "parse-only", 'P', FIONAME_ALONE, NULL, "check everything, run nothing; what is doubtful "
	  "is told", set_parse_only },
	{ "showcmd", 's', FIONAME_ALONE, NULL, "print the job files as command lines, run nothing",
	  set_showcmd },
	{ "merge-blktrace-only", 0, FIONAME_ALONE, NULL, "merge traces (merge_blktrace_file), run "
	  "nothing", set_merge_only },
	{ "warnings-fatal", 0, FIONAME_ALONE, NULL, "stop where there would only be a note",
	  set_warnings_fatal },
	{ "strict", 0, FIONAME_ALONE, NULL, "exit with 4 if the results are doubtful, with 5 if "
	  "they are INVALID", set_strict },
	{ "eta", 0, FIONAME_VALUE, "WHEN", "show progress: auto (only on a terminal), always, "
	  "never", set_eta },
	{ "eta-newline", 0, FIONAME_VALUE, "TIME", "begin a new line of progress so often",
	  set_eta_newline },
	{ "eta-interval", 0, FIONAME_VALUE, "TIME", "show progress anew so often: 250ms or longer; "
	  "1s if it is not given", set_eta_interval },
	{ "status-interval", 0, FIONAME_VALUE, "TIME", "write the result so far so often; with "
	  "jsonl: the length of an interval, 1 s if it is not given", set_status_interval },
	{ "metrics-file", 0, FIONAME_VALUE, "FILE", "write the run as metrics for Prometheus into "
	  "FILE, every second", set_metrics_file },
	{ "bandwidth-log", 0, FIONAME_ALONE, NULL, "log the bandwidth of all jobs together to "
	  "agg-read_bw.log, agg-write_bw.log and agg-trim_bw.log", set_bandwidth_log },
	{ "inflate-log", 0, FIONAME_VALUE, "FILE", "print a log that was stored compressed",
	  set_inflate_log },
	{ "env", 0, FIONAME_VALUE, "LEVEL", "how much of the machine goes into the result: short, "
	  "full, none", set_env },
	{ "env-redact", 0, FIONAME_ALONE, NULL, "leave out of that what names machines, places and "
	  "people", set_env_redact },
	{ "engine-path", 0, FIONAME_VALUE, "DIR", "look for engines in DIR first; may be repeated",
	  set_engine_path },
	{ "debug", 'd', FIONAME_VALUE, "LIST", "tell on standard error what happens: "
	  "process, file, io, engine, parse, all",
	  set_debug },
	{ "max-jobs", 'j', FIONAME_VALUE, NULL, NULL, set_max_jobs },
	{ "alloc-size", 0, FIONAME_VALUE, NULL, NULL, set_alloc_size },
	{ "cmdhelp", 0, FIONAME_WORD, "OPTION", "explain an option; without a name or with 'all': "
	  "list them", set_cmdhelp },
	{ "enghelp", 0, FIONAME_WORD, "ENGINE[,OPTION]", "explain an engine or one of its "
	  "options; without a name: list them", set_enghelp },
	{ "list-examples", 0, FIONAME_ALONE, NULL, "list the job files that come with the program",
	  set_list_examples },
	{ "example", 0, FIONAME_VALUE, "NAME", "print one of them: --example=NAME >mine.ini",
	  set_example },
	{ "engine-test", 0, FIONAME_VALUE, "ENGINE", "try out whether an engine, or a plugin named "
	  "by its path, keeps the rules of engine.h", set_engine_test },
	{ "depth", 0, FIONAME_VALUE, "N", "of its queues (8); only with --engine-test, as the next "
	  "two, --filename and --direct=1", set_test_depth },
	{ "opts", 0, FIONAME_VALUE, "A=B:C=D", "options for that engine", set_test_opts },
	{ "only", 0, FIONAME_VALUE, "WORDS", "only the cases with these words in their name",
	  set_test_only },
	{ "crctest", 0, FIONAME_MAYBE, "KIND[,KIND]", "measure the checksums of verify, all or "
	  "these, and tell whose code computes them", set_crctest },
	{ "cpuclock-test", 0, FIONAME_ALONE, NULL, "try out whether the counter of the CPUs can be "
	  "the clock", set_cpuclock_test },
	{ "version", 'v', FIONAME_ALONE, NULL, "print the version", set_version },
	{ "help", 'h', FIONAME_ALONE, NULL, "print this page", set_help },
};

const struct cli_flag *cli_flag_at(size_t i)
{
	return i < ARRAY_SIZE(flags) ? &flags[i] : NULL;
}

const struct cli_flag *cli_flag_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (opt_same_name(name, flags[i].name))
			return &flags[i];
	return NULL;
}

const struct cli_flag *cli_flag_by_letter(char letter)
{
	for (size_t i = 0; letter && i < ARRAY_SIZE(flags); i++)
		if (flags[i].letter == letter)
			return &flags[i];
	return NULL;
}

void cli_flags_init(struct cli_flags *f)
{
	char why[128];
	int err;

	*f = (struct cli_flags){ .action = CLI_RUN };
	f->confidence = CONFIDENCE;
	f->slowest = SLOWEST;
	f->eta_interval_ns = ETA_INTERVAL_NS;
	f->how.terse_version = REPORTER_TERSE_DEFAULT;
	err = report_parse("normal", &f->formats, why, sizeof(why));
	fl_assert(!err);
}
