/* SPDX-License-Identifier: MIT */
/*
 * The help pages, over a small table and the engines of this build; and the names that fio knows.
 */
#include "core/help.h"

#include "core/fionames.h"
#include "t/test.h"

static const struct fl_opt rows[] = {
	{ .name = "bs", .alias = "blocksize", .type = OPT_SIZE_DIRS, .def = "4k", .help = "size" },
	{ .name = "rw", .type = FL_OPT_STR, .help = "direction" },
};
static const struct opt_table table = OPT_TABLE("Workload", rows, 0);
static const struct opt_table *const tables[] = { &table };
static char text[65536], why[512];

static int options(const char *name)
{
	FILE *out = fmemopen(text, sizeof(text), "w");
	int rc;

	memset(text, 0, sizeof(text));
	rc = help_options(tables, 1, name, out, why, sizeof(why));
	fclose(out);
	return rc;
}

static int engines(const char *arg)
{
	FILE *out = fmemopen(text, sizeof(text), "w"), *err = fopen("/dev/null", "w");
	int rc;

	memset(text, 0, sizeof(text));
	rc = help_engines(arg, out, err, why, sizeof(why));
	fclose(out);
	fclose(err);
	return rc;
}

#define HAS(what, part)	do { if (!strstr(what, part)) T_FAIL("%s", what); } while (0)

TEST(usage_names_every_flag_and_format)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	help_usage("fio-like", out);
	fclose(out);
	HAS(text, "--output=FILE");
	HAS(text, "--enghelp[=ENGINE[,OPTION]]");
	HAS(text, "-o, ");
	HAS(text, "json");
	T_TRUE(!strstr(text, "alloc-size"));
}

TEST(options_are_listed_and_explained)
{
	T_EQ(options(NULL), 0);
	HAS(text, "Workload\n  bs, blocksize");
	T_EQ(options("all"), 0);
	T_EQ(options("blocksize"), 0);
	HAS(text, "4k");
	T_EQ(options("blocksise"), -ENOENT);
	HAS(why, "did you mean 'blocksize'?");
	T_EQ(options("xnvme_mem"), -ENOENT);
	HAS(why, "belongs to fio's engine xnvme");
}

TEST(engines_are_listed_and_explained)
{
	T_EQ(engines(NULL), 0);
	HAS(text, "\n  null ");
	T_EQ(engines("null"), 0);
	HAS(text, "built in");
	T_EQ(engines("nope"), -ENOENT);
	HAS(why, "nope");
	T_EQ(engines("null,nope"), -ENOENT);
	HAS(why, "has no option 'nope'");
}

TEST(names_of_fio)
{
	const char *reason;

	T_TRUE(fionames_has("allow_file_create"));
	T_TRUE(fionames_has("hugepage-size"));
	T_TRUE(fionames_has("zoneskip"));
	T_TRUE(!fionames_has("bananas"));
	T_TRUE(!fionames_has(""));
	T_TRUE(fionames_no_effect("threads", &reason));
	T_TRUE(fionames_no_effect("max-jobs", &reason));
	T_TRUE(!fionames_no_effect("thread", &reason));
	T_EQ(fionames_explain("verifysort", NULL, why, sizeof(why)), 1);
	T_EQ(fionames_explain("zoneskp", NULL, why, sizeof(why)), -EINVAL);
	HAS(why, "'zoneskip' is not supported");
}
