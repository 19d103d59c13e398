/* SPDX-License-Identifier: MIT */
/* Values and back: what is shown of an option is taken for the same value again. */
#include "t/test.h"

#include "core/job.h"

/* The text for one option of a job line. */
static const char *shown(const char *line)
{
	static char text[256];
	struct diag *diag = diag_new(false);
	struct spec *spec = spec_new();
	char name[64], file[512];
	const struct opt_table *const *tables;
	struct jobs jobs;
	size_t count;
	int err = -1;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, "="), line);
	snprintf(file, sizeof(file), "[j]\nsize=1m\n%s\n", line);
	T_EQ(spec_read_text(spec, "t", file, strlen(file), diag), 0);
	if (jobs_parse(&jobs, spec, &(struct jobs_forbidden){ .change = false }, diag)) {
		diag_print(diag, stdout);
		T_FAIL("%s is refused", line);
	}
	tables = job_tables(&count);
	for (size_t i = 0; i < count; i++) {
		int at = opt_find(tables[i], name);
		struct fl_opt row;

		if (at < 0)
			continue;
		opt_row(tables[i], (size_t)at, &row);
		err = opt_show(&row, job_conf(&jobs.list[0], i), text, sizeof(text));
	}
	if (err)
		snprintf(text, sizeof(text), "%s", strerror(-err));
	jobs_free(&jobs);
	spec_free(spec);
	diag_free(diag);
	return text;
}

TEST(values)
{
	T_STR(shown("bs=4k,8k"), "4096,8192,8192");
	T_STR(shown("bsrange=4k-8k"), "4096-8192,4096-8192,4096-8192");
	T_STR(shown("size=50%"), "50%");
	T_STR(shown("size=2m"), "2097152");
	T_STR(shown("runtime=90"), "90s");
	T_STR(shown("runtime=1500ms"), "1500ms");
	T_STR(shown("startdelay=1-2500ms"), "1s-2500ms");
	T_STR(shown("startdelay=2"), "2s");
	T_STR(shown("filesize=4k-8k"), "4096-8192");
	T_STR(shown("direct=1"), "1");
	T_STR(shown("thread"), "1");
	T_STR(shown("fallocate=keep"), "keep");
	T_STR(shown("filename=a\\:b:c"), "a\\:b:c");
	T_STR(shown("randseed=7"), "7");
	T_STR(shown("nice=-5"), "-5");
}

TEST(what_was_not_given)
{
	T_STR(shown("filename=x"), "x");
	T_STR(shown("openfiles=0"), strerror(ENOENT));
	T_STR(shown("percentile_list=50:99"), strerror(ENOTSUP));
}

/* Every default that can be shown is taken back and shown alike. */
TEST(there_and_back)
{
	struct opt_units units = { .kb_base = 1024 };
	const struct opt_table *const *tables;
	size_t count, tried = 0;

	tables = job_tables(&count);
	for (size_t t = 0; t < count; t++) {
		char *conf = calloc(1, 1 << 20);

		opt_defaults(tables[t], conf, 1 << 20);
		for (size_t i = 0; i < tables[t]->count; i++) {
			char first[256], again[256], why[256] = "";
			struct fl_opt row;

			opt_row(tables[t], i, &row);
			if (row.type == OPT_NO_EFFECT ||
			    opt_show(&row, conf, first, sizeof(first)))
				continue;
			if (row.type == FL_OPT_U32 && row.min && !strcmp(first, "0"))
				continue;	/* 0 stands for "not given" */
			if (opt_set(&row, conf, first, &units, why, sizeof(why)) < 0)
				T_FAIL("%s=%s: %s", row.name, first, why);
			T_EQ(opt_show(&row, conf, again, sizeof(again)), 0);
			T_STR(again, first);
			tried++;
		}
		free(conf);
	}
	T_TRUE(tried > 60);
}

TEST(no_room)
{
	struct fl_opt row = { .name = "x", .type = FL_OPT_U64 };
	uint64_t v = 12345;
	char text[5];

	T_EQ(opt_show(&row, &v, text, sizeof(text)), -ENAMETOOLONG);
	v = 1234;
	T_EQ(opt_show(&row, &v, text, sizeof(text)), 0);
	T_STR(text, "1234");
}

/*
 * A refused value leaves no trace, whatever the option: every row of the runner, with texts that
 * begin well and end badly.
 */
TEST(refused_writes_nothing)
{
	static const char *const begins[] = {
		"", "4k/75:8k/", "4k/50,", "only", "1", "1,", "1us,", "1k,2k,", "10:20:", "mmap:", "malloc:",
		"bind:", "prefer:", "default:", "wait_before,", "write:", "write,", "read,", "randread:",
		"read:-", "random:", "gauss:", "zipf:1.2:", "EIO,", "EIO:ENOSPC,", "1-", "0-", "5%,",
	};
	size_t count, refused = 0;
	const struct opt_table *const *tables = job_tables(&count);
	static struct job job, before;

	for (size_t i = 0; i < count; i++) {
		for (size_t r = 0; r < tables[i]->count; r++) {
			struct fl_opt row;

			opt_row(tables[i], r, &row);
			for (size_t b = 0; b < ARRAY_SIZE(begins); b++) {
				char text[64], why[512];

				snprintf(text, sizeof(text), "%s?!", begins[b]);
				job_defaults(&before);
				job = before;
				if (opt_set(&row, (void *)job_conf(&job, i), text,
					    &(struct opt_units){ .kb_base = 1024 }, why, sizeof(why)) >= 0)
					continue;
				if (memcmp(&job, &before, sizeof(job)))
					T_FAIL("%s=%s is refused, and was written", row.name, text);
				refused++;
			}
		}
	}
	T_TRUE(refused > 3000);
}
