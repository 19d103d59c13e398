/* SPDX-License-Identifier: MIT */
/*
 * Job files to sections: what is global to whom, includes, the order of the echo, all complaints.
 */
#define _GNU_SOURCE 1
#include "core/spec.h"
#include "t/fake.h"
#include "t/said.h"
#include "t/test.h"

#include <fcntl.h>
#include <sys/stat.h>

static struct spec *spec;
static struct diag *diag;

static void begin(void)
{
	spec = spec_new();
	diag = diag_new(false);
	fake_begin();
	T_EQ(chdir(fake_root), 0);
}

static void end(void)
{
	spec_free(spec);
	diag_free(diag);
}

static void read_good(const char *path)
{
	if (spec_read_file(spec, path, NULL, NULL, diag))
		T_FAIL("%s", said_by(diag));
}

TEST(global_holds_for_jobs_below_only)
{
	begin();
	fake_file("a.fio", "[global]\nbs=4k\n[one]\nrw=read\n[global]\nsize=1m\n[two]\nbs = 8k\n"
		     "[globalx]\n[global]\nlast=1\n");
	read_good("a.fio");
	T_EQ(spec->count, 3);
	T_EQ(spec->files, 1);
	T_STR(spec->sections[0].name, "one");
	T_STR(said_settings(&spec->sections[0].global), "bs=4k");
	T_STR(said_settings(&spec->sections[0].own), "rw=read");
	T_STR(said_settings(&spec->sections[1].global), "bs=4k size=1m");
	T_STR(said_settings(&spec->sections[1].own), "bs=8k");
	T_STR(spec->sections[2].name, "globalx");
	T_STR(said_settings(&spec->global), "bs=4k size=1m last=1");
	end();
}

TEST(origins_lead_to_name_and_value)
{
	const struct setting *s;

	begin();
	fake_file("a.fio", "; comment\n[one]\n  bs =  8k ; why\nthread\n");
	read_good("a.fio");
	s = &spec->sections[0].own.list[0];
	T_STR(s->at.file, "a.fio");
	T_EQ(s->at.line, 3);
	T_EQ(s->at.col, 3);
	T_STR(s->at.text, "  bs =  8k ; why");
	T_EQ(setting_value_at(s).col, 9);
	T_EQ(spec->sections[0].at.line, 2);
	s = &spec->sections[0].own.list[1];
	T_TRUE(!s->value);
	T_EQ(setting_value_at(s).col, 1);
	end();
}

TEST(only_the_wanted_sections)
{
	const char *const only[] = { "two", NULL };

	begin();
	fake_file("a.fio", "[global]\nbs=4k\n[one]\nrw=read\ninclude nowhere\n[two]\nrw=write\n");
	T_EQ(spec_read_file(spec, "a.fio", NULL, only, diag), 0);
	T_EQ(spec->count, 1);
	T_STR(spec->sections[0].name, "two");
	T_STR(said_settings(&spec->sections[0].global), "bs=4k");
	end();
}

TEST(defaults_are_weaker_and_do_not_leak_to_the_next_file)
{
	struct settings defaults = { NULL, 0 };

	begin();
	settings_add(&defaults, "bs", "1k", NULL);
	fake_file("a.fio", "[global]\nbs=4k\n[one]\n");
	T_EQ(spec_read_file(spec, "a.fio", &defaults, NULL, diag), 0);
	T_EQ(spec_read_file(spec, "a.fio", NULL, NULL, diag), 0);
	T_STR(said_settings(&spec->sections[0].global), "bs=1k bs=4k");
	T_STR(said_settings(&spec->sections[1].global), "bs=4k");
	T_EQ(spec->sections[0].file, 0);
	T_EQ(spec->sections[1].file, 1);
	settings_free(&defaults);
	end();
}

TEST(includes_are_looked_for_here_and_beside_the_file)
{
	begin();
	T_EQ(mkdir("sub", 0755), 0);
	T_EQ(mkdir("sub/deep", 0755), 0);
	fake_file("sub/a.fio", "[global]\ninclude common.inc\n[one]\ninclude deep/b.inc\nend=1\n");
	fake_file("sub/common.inc", "bs=4k\n");
	fake_file("sub/deep/b.inc", "include c.inc\n");
	fake_file("sub/deep/c.inc", "deep=1\n");
	read_good("sub/a.fio");
	T_STR(said_settings(&spec->sections[0].global), "bs=4k");
	T_STR(said_settings(&spec->sections[0].own), "deep=1 end=1");
	fake_file("common.inc", "bs=1k\n");
	read_good("./sub/a.fio");
	T_STR(said_settings(&spec->sections[1].global), "bs=1k");
	T_STR(spec->sections[1].own.list[0].at.file, "sub/deep/c.inc");
	end();
}

TEST(an_include_loop_ends)
{
	begin();
	fake_file("a.inc", "x=1\ninclude ./a.inc\n");
	fake_file("a.fio", "[one]\ninclude a.inc\n");
	T_EQ(spec_read_file(spec, "a.fio", NULL, NULL, diag), -EINVAL);
	T_EQ(diag_errors(diag), 1);
	T_TRUE(strstr(said_by(diag), "includes itself") != NULL);
	end();
}

TEST(all_complaints_come_at_once)
{
	const char *text;

	begin();
	fake_file("a.fio", "[one\n[two]\n=1\nx=${NOT_SET_ANYWHERE}\ninclude nowhere\n");
	T_EQ(spec_read_file(spec, "a.fio", NULL, NULL, diag), -EINVAL);
	T_EQ(diag_errors(diag), 4);
	text = said_by(diag);
	T_TRUE(strstr(text, "a.fio:1:1: error: ") != NULL);
	T_TRUE(strstr(text, "a.fio:4:3: error: ") != NULL);
	T_TRUE(strstr(text, "NOT_SET_ANYWHERE") != NULL);
	T_TRUE(strstr(text, "nowhere") != NULL);
	end();
}

TEST(what_is_no_job_file_is_refused)
{
	begin();
	T_EQ(spec_read_file(spec, "missing.fio", NULL, NULL, diag), -EINVAL);
	T_EQ(spec_read_file(spec, ".", NULL, NULL, diag), -EINVAL);
	fake_file("binary", "\001\002\003\004\005\006");
	T_EQ(spec_read_file(spec, "binary", NULL, NULL, diag), -EINVAL);
	T_EQ(diag_errors(diag), 3);
	fake_file("empty", "");
	read_good("empty");
	T_EQ(spec->count, 0);
	end();
}

TEST(standard_input_is_read_once)
{
	int fd;

	begin();
	fake_file("in", "[one]\nbs=4k\n");
	fd = open("in", O_RDONLY);
	T_EQ(dup2(fd, 0), 0);
	read_good("-");
	read_good("-");
	T_EQ(spec->count, 1);
	T_STR(spec->sections[0].at.file, "standard input");
	end();
}

TEST(variables_and_keywords)
{
	char expected[64];

	begin();
	T_EQ(setenv("SPEC_TEST", "7", 1), 0);
	fake_file("a.fio", "[one]\na=${SPEC_TEST}\nb=${SPEC_NONE:-9}\nc=$pagesize\nd=$jobname\n");
	read_good("a.fio");
	snprintf(expected, sizeof(expected), "a=7 b=9 c=%ld d=$jobname", sysconf(_SC_PAGESIZE));
	T_STR(said_settings(&spec->sections[0].own), expected);
	end();
}

static void collect(void *ctx, const char *name, const struct setting *s)
{
	settings_add(ctx, name, s->value, NULL);
}

static const char *canonical(void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "blocksize") ? "bs" : name;
}

static void echo_from(const struct origin *at, const char *expected)
{
	struct settings in = { NULL, 0 }, out = { NULL, 0 };

	settings_add(&in, "filename", "a", at);
	settings_add(&in, "bs", "4k", at);
	settings_add(&in, "thread", NULL, at);
	settings_add(&in, "unit_base", "8", at);
	settings_add(&in, "filename", "b", at);
	settings_add(&in, "blocksize", "8k", at);
	settings_add(&in, "kb_base", "1000", at);
	settings_echo(&in, canonical, collect, &out);
	T_STR(said_settings(&out), expected);
	settings_free(&in);
	settings_free(&out);
}

TEST(the_echo_has_fios_order)
{
	const struct origin in_file = { .file = "a.fio", .line = 1 };

	echo_from(&in_file, "unit_base=8 kb_base=1000 thread bs=8k filename=a filename=b");
	echo_from(NULL, "filename=a thread unit_base=8 filename=b bs=8k kb_base=1000");
}

TEST(showcmd)
{
	static char text[1024];
	FILE *out;

	begin();
	fake_file("a.fio", "[global]\nhipri\nioengine=io_uring\n[one]\nfilename=a b\nrw=read\n"
		     "[global]\nbs=4k\n[it's two]\nname=x\n");
	read_good("a.fio");
	out = fmemopen(text, sizeof(text), "w");
	spec_show(spec, "fio-like", out);
	fclose(out);
	T_STR(text, "fio-like --ioengine=io_uring --hipri --name=one --rw=read --filename='a b' "
	      "--name=global --bs=4k --name='it'\\''s two'\n");
	end();
}
