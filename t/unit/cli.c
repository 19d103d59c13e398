/* SPDX-License-Identifier: MIT */
/*
 * The command line with a handful of options: every way to write them, and every way to get it
 * wrong.
 */
#define _GNU_SOURCE
#include "core/cli.h"
#include "core/debug.h"
#include "t/fake.h"
#include "t/said.h"
#include "t/test.h"

#include <sys/stat.h>

static const struct fl_opt rows[] = {
	{ .name = "name", .type = FL_OPT_STR }, { .name = "ioengine", .type = FL_OPT_STR },
	{ .name = "bs", .alias = "blocksize", .type = OPT_SIZE_DIRS },
	{ .name = "size", .type = OPT_AMOUNT }, { .name = "numjobs", .type = FL_OPT_U32 },
	{ .name = "iodepth", .type = FL_OPT_U32 }, { .name = "iodepth_low", .type = FL_OPT_U32 },
	{ .name = "direct", .type = FL_OPT_BOOL }, { .name = "thread", .type = FL_OPT_FLAG },
	{ .name = "group_reporting", .type = FL_OPT_FLAG },
	{ .name = "rw", .alias = "readwrite", .type = FL_OPT_STR },
};
static const struct fl_opt engine_rows[] = { { .name = "hipri", .type = FL_OPT_FLAG } };
static const struct opt_table table = OPT_TABLE("Test", rows, 0);
static const struct opt_table engine_table = OPT_TABLE("Engine", engine_rows, 0);

static int find(void *ctx, const char *option, const char *engine, struct fl_opt *out)
{
	int i = opt_find(&table, option);

	(void)ctx;
	if (i >= 0) {
		opt_row(&table, (size_t)i, out);
		return 0;
	}
	if (engine && !strcmp(engine, "null") && opt_find(&engine_table, option) == 0) {
		opt_row(&engine_table, 0, out);
		return 0;
	}
	return -ENOENT;
}

static const char *name_at(void *ctx, const char *engine, size_t i)
{
	static const char *const aliases[] = { "blocksize", "readwrite" };

	(void)ctx;
	if (i < ARRAY_SIZE(rows))
		return rows[i].name;
	i -= ARRAY_SIZE(rows);
	if (i < ARRAY_SIZE(aliases))
		return aliases[i];
	i -= ARRAY_SIZE(aliases);
	return engine && !strcmp(engine, "null") && i == 0 ? "hipri" : NULL;
}

static const struct cli_rows cli_rows = { .find = find, .name = name_at };
static struct cli cli;
static struct diag *diag;

/* Parses a command line whose words are split at blanks; '~' stands for a blank inside a word. */
static int parse(const char *line)
{
	static char words[1024];
	static char *argv[64];
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	argv[0] = "fio-like";
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	for (int i = 1; i < argc; i++)
		for (char *c = argv[i]; *c; c++)
			*c = *c == '~' ? ' ' : *c;
	if (diag) {			/* of the line before, in the same case */
		cli_free(&cli);
		diag_free(diag);
	}
	diag = diag_new(false);
	return cli_parse(&cli, argc, argv, &cli_rows, diag);
}

static void good(const char *line)
{
	if (parse(line))
		T_FAIL("%s: %s", line, said_by(diag));
}

static void bad(const char *line, const char *part)
{
	const char *text;

	T_EQ(parse(line), -EINVAL);
	text = said_by(diag);
	if (!strstr(text, part))
		T_FAIL("%s: %s", line, text);
}

/* The own settings of job i. */
static const char *job(size_t i)
{
	T_TRUE(i < cli.spec->count);
	return said_settings(&cli.spec->sections[i].own);
}

static void enter_dir(void)
{
	fake_begin();
	T_EQ(chdir(fake_root), 0);
}

TEST(four_ways_to_write_an_option)
{
	good("--name=a --bs=4k --size 1m -numjobs=2 -iodepth 8");
	T_EQ(cli.spec->count, 1);
	T_STR(cli.spec->sections[0].name, "a");
	T_STR(job(0), "name=a bs=4k size=1m numjobs=2 iodepth=8");
	T_STR(cli.spec->sections[0].own.list[2].at.text, "--size=1m");
	cli_free(&cli);
}

TEST(defaults_and_jobs)
{
	good("--bs=4k --name=a --size=1m --name=global --direct=1 --name=b --size=2m");
	T_EQ(cli.spec->count, 2);
	T_STR(said_settings(&cli.spec->sections[0].global), "bs=4k");
	T_STR(job(0), "name=a size=1m");
	T_STR(said_settings(&cli.spec->sections[1].global), "bs=4k direct=1");
	T_STR(job(1), "name=b size=2m");
	T_STR(said_settings(&cli.spec->global), "bs=4k direct=1");
	T_EQ(cli.spec->files, 0);
}

TEST(bare_options_take_a_value_only_behind_an_equals_sign)
{
	good("--name=a --thread --group_reporting=0 --direct 1");
	T_STR(job(0), "name=a thread group_reporting=0 direct=1");
	bad("--name=a --group_reporting 0", "cannot read the job file '0'");
	bad("--name=a --direct", "--direct: error: a value is missing: expected is 0 or 1");
	good("--name=a --direct=");
	T_STR(job(0), "name=a direct=");
}

TEST(names_may_be_cut_short)
{
	good("--name=a --numj=2 --block=8k --group_rep --iodepth=4 --iodepth_=2 --group-rep");
	T_STR(job(0), "name=a numjobs=2 blocksize=8k group_reporting iodepth=4 iodepth_low=2 "
	      "group_reporting");
	bad("--name=a --iode=4", "the beginning of several options: --iodepth, --iodepth_low");
	good("--nam=a --parse --output=f --status-int=1");
	T_STR(job(0), "name=a");
	T_EQ(cli.flags.action, CLI_PARSE_ONLY);
	T_STR(cli.flags.output, "f");
}

TEST(one_letter_is_no_beginning)
{
	bad("--name=a -z", "-z: error: there is no option 'z'");
	bad("--name=a -b 1", "there is no option 'b'");
	bad("--name=a --nu=2", "there is no option 'nu'");
	bad("--name=a --tr=2", "there is no option 'tr'");
	/* Each once, by the name that begins so; what only fio has is not offered. */
	bad("--name=a --iod=4", "several options: --iodepth, --iodepth_low\n");
	bad("--name=a --memcpytest=1", "not supported");
	good("--name=a --iodepth=4 --bs=4k --rw=read");
}

TEST(so_many_complaints_and_no_more)
{
	char line[1024];
	size_t used = 0;

	for (int i = 0; i < 60; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used, " --q%d=1", i);
	/* parse() takes 64 words. */
	T_EQ(parse(line), -EINVAL);
	T_EQ(diag_errors(diag), 60);
	T_TRUE(diag_full(diag));
	T_TRUE(strstr(said_by(diag), "\nand 10 more\n") != NULL);
}

TEST(unknown_names)
{
	bad("--name=a --iodpeth=4", "there is no option 'iodpeth'; did you mean 'iodepth'?");
	bad("--name=a --parse-onyl", "did you mean 'parse-only'?");
	bad("--name=a --quuxy=4", "there is no option 'quuxy'");
	good("--name=a --");
	bad("--=4", "the name of an option is missing");
	bad("--name=a --write_bw_log=x", "fio option 'write_bw_log' is not supported");
	bad("--client=host", "fio option '--client' is not supported by fio-like: it belongs to client");
	bad("--name=a --flow=8", "fio option 'flow' is not supported");
}

TEST(engine_options_need_their_engine)
{
	good("--ioengine=null --name=a --hipri --name=b --hipri=0");
	T_STR(job(1), "name=b hipri=0");
	bad("--name=a --ioengine=null --hipri --name=b --hipri", "'hipri'");
	bad("--name=a --hipri --ioengine=null", "--ioengine=null must stand before it");
}

TEST(flags_of_the_run)
{
	enter_dir();
	fake_file("a.fio", "[a]\n[b]\n");
	good("-o out -F json,normal -r -s --eta=never --eta-newline=500ms --status-interval 2 "
	     "-x a -xb --debug=file -P a.fio");
	T_STR(cli.flags.output, "out");
	T_TRUE(cli.flags.readonly);
	T_EQ(cli.flags.action, CLI_SHOWCMD);
	T_EQ(cli.flags.eta, CLI_ETA_NEVER);
	T_EQ(cli.flags.eta_newline_ns, 500000000);
	T_EQ(cli.flags.status_interval_ns, 2000000000);
	T_EQ(cli.flags.only_count, 2);
	T_STR(cli.flags.only[1], "b");
	T_TRUE(debug_on(DEBUG_FILE));
	T_TRUE(!debug_on(DEBUG_IO));
	T_EQ(__builtin_popcount(cli.flags.formats), 2);
	T_EQ(cli.flags.how.terse_version, 3);
	good("-rP --name=a");
	T_EQ(cli.flags.action, CLI_PARSE_ONLY);
	T_TRUE(cli.flags.readonly);
	good("--name=a -ofile");
	T_STR(cli.flags.output, "file");
	good("--minimal --name=a -V 5");
	T_TRUE(cli.flags.formats == report_bit(report_by_name("terse")));
	T_EQ(cli.flags.how.terse_version, 5);
	good("-mV2 --name=a");
	T_TRUE(cli.flags.formats == report_bit(report_by_name("terse")));
	T_EQ(cli.flags.how.terse_version, 2);
	good("--append-terse --name=a");
	T_EQ(__builtin_popcount(cli.flags.formats), 2);
	bad("--name=a --terse-version=1", "2");
	bad("--name=a --terse-version=6", "5");
	bad("--name=a --output-format=xml", "xml");
	bad("--name=a --eta=bogus", "auto, always or never");
	bad("--name=a --showcmd=2", "takes no value but 0 or 1");
	good("--name=a --showcmd=0 --readonly=1");
	T_EQ(cli.flags.action, CLI_RUN);
	T_TRUE(cli.flags.readonly);
	bad("--name=a --status-interval=0", "longer than 0");
	bad("--name=a -o", "a value is missing");
}

TEST(flags_without_effect_leave_a_note)
{
	good("--max-jobs=9 --alloc-size 64 -j 4 --name=a");
	T_EQ(diag_notes(diag), 3);
	T_TRUE(strstr(diag_note_text(diag, 0), "no effect") != NULL);
	bad("--name=a --max-jobs=-3", "'-3' is too small");
	bad("--name=a --alloc-size=foo", "'foo' is not a number");
	good("--output=x --output=y --output=y --name=a");
	T_EQ(diag_notes(diag), 1);
	T_TRUE(strstr(diag_note_text(diag, 0), "goes to y, and nothing to the x") != NULL);
	good("--max-jobs=9 --warnings-fatal --name=a");
	T_EQ(diag_notes(diag), 1);
	good("--name=a --threads 4");
	T_STR(job(0), "name=a threads=4");
}

TEST(actions_that_need_no_job)
{
	good("--version --nonsense");
	T_EQ(cli.flags.action, CLI_VERSION);
	good("-h");
	T_EQ(cli.flags.action, CLI_HELP);
	good("--cmdhelp");
	T_TRUE(!cli.flags.help_on);
	good("--cmdhelp=bs");
	T_STR(cli.flags.help_on, "bs");
	good("--cmdhelp bs");
	T_STR(cli.flags.help_on, "bs");
	good("--enghelp=null,hipri missing.fio");
	T_EQ(cli.flags.action, CLI_ENGHELP);
	T_STR(cli.flags.help_on, "null,hipri");
	good("--ioengine=null --parse-only");
	T_EQ(cli.spec->count, 0);
	T_STR(said_settings(&cli.spec->global), "ioengine=null");
}

TEST(no_job_is_an_error)
{
	bad("", "no job is defined");
	bad("--bs=4k", "no job is defined");
	bad("--name=", "needs a name");
	bad("missing.fio", "cannot read the job file 'missing.fio'");
}

TEST(files_and_jobs)
{
	enter_dir();
	fake_file("a.fio", "[global]\nbs=8k\n[f]\nrw=read\n");
	fake_file("b.fio", "[g]\n");
	good("a.fio --bs=4k --name=j b.fio --size=1m");
	T_EQ(cli.spec->count, 3);
	T_STR(cli.spec->sections[0].name, "j");
	T_STR(job(0), "name=j size=1m");
	T_STR(said_settings(&cli.spec->sections[1].global), "bs=4k bs=8k");
	T_STR(said_settings(&cli.spec->sections[2].global), "");
	T_EQ(cli.spec->sections[1].file, 0);
	T_EQ(cli.spec->sections[2].file, 1);
	T_STR(said_settings(&cli.spec->global), "bs=4k bs=8k");
	T_EQ(cli.spec->files, 2);
	bad("-- a.fio --section", "cannot read the job file '--section'");
}

TEST(sections_must_exist)
{
	enter_dir();
	fake_file("a.fio", "[f]\n[g]\n");
	fake_file("global.fio", "[global]\nbs=8k\n");
	good("a.fio --section=g");
	T_EQ(cli.spec->count, 1);
	bad("a.fio --section=h --section=g", "--section=h: no job file has a section");
	bad("--name=j --section=g", "--section=g: it chooses from job files, and there is none");
	bad("global.fio", "no section besides [global]");
	bad("global.fio --parse-only", "no section besides [global]");
}

TEST(variables_and_keywords)
{
	T_EQ(setenv("CLI_TEST", "7", 1), 0);
	good("--name=${CLI_TEST} --size=${CLI_NONE:-5} --rw=$jobname");
	T_STR(job(0), "name=7 size=5 rw=$jobname");
	bad("--name=a --size=${CLI_NONE}", "CLI_NONE");
}

TEST(mistyped_words_open_no_files)
{
	T_EQ(parse("--quux 5 --name=a"), -EINVAL);
	T_EQ(diag_errors(diag), 1);
}
