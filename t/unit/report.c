/* SPDX-License-Identifier: MIT */
/*
 * Reporters: results built by hand, and the text they must become. Golden lines are as fio writes
 * them for the same numbers; scripts cut them, so a changed blank is a failure.
 */
#include "t/test.h"

#include "core/progress.h"
#include "core/report.h"
#include "lib/hist.h"

static struct hist fast, slow, wide;
static const double list[] = { 1, 50, 99.99 };
static struct setting echo[] = {
	{ .name = "name", .value = "job1" },
	{ .name = "rw", .value = "read" },
	{ .name = "filename", .value = "a\"b\\c\n\xff" },
	{ .name = "rw", .value = "randrw" },
	{ .name = "group_reporting", .value = NULL },
};

static report_formats formats(const char *text)
{
	char why[200];
	report_formats set = 0;

	T_EQ(report_parse(text, &set, why, sizeof(why)), 0);
	return set;
}

static const struct reporter_how how = { .terse_version = REPORTER_TERSE_DEFAULT };

static char *text_of(const struct result *r, const char *names)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	T_EQ(report_write(r, formats(names), &how, f), 0);
	fclose(f);
	return text;
}

/* A line of the text, whole, from its first to its last byte. */
static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
			return true;
	return false;
}

#define T_LINE(text, line)							\
	do {									\
		if (!has_line(text, line))					\
			T_FAIL("no line \"%s\" in:\n%s", line, text);		\
	} while (0)

static void fill(struct hist *h, struct result_lat *l, uint64_t low, uint64_t high, double mean)
{
	for (int i = 0; i < 99; i++)
		hist_add(h, low);
	hist_add(h, high);
	*l = (struct result_lat){
		.n = 100, .mean = mean, .stddev = 12.5, .min = low, .max = high, .bins = h->bins,
		.percentiles = true,
	};
}

/* Reads like the sample of a synchronous job, no writes, no trims. */
static struct result_job one_job(void)
{
	struct result_job j = {
		.name = "job1", .jobs = 1, .error_text = "", .pid = 602, .elapsed_s = 1,
		.start_wall_ms = 1796069752660, .start_ms = 1796069752660, .runtime_ms = 32, .wall_ms = 1000,
		.echo = { echo, ARRAY_SIZE(echo) },
		.usr_cpu = 6.25, .sys_cpu = 56.25, .usr_us = 2000, .sys_us = 18000,
		.ctx = 212, .minf = 500,
		.depth = { 496 }, .submit = { 0, 496 }, .complete = { 0, 496 },
		.lat_us_pct = { 37.70, 10.94, 0.78, 0.59, 41.99, 8.01 }, .iodepth = 1,
		.engine = { .name = "psync", .origin = "built in" }, .buffer_mod64 = 16, .passes = 1,
		.percentiles = list, .nr_percentiles = ARRAY_SIZE(list),
	};

	j.dir[DIR_READ] = (struct result_dir){ .bytes = 2031616, .ios = 496, .runtime_ms = 23 };
	fill(&fast, &j.dir[DIR_READ].clat, 4308, 98143, 4567.891);
	fill(&slow, &j.dir[DIR_READ].lat, 4310, 1973800, 9999.5);
	j.dir[DIR_READ].lat.percentiles = false;
	return j;
}

static struct result_group one_group(void)
{
	struct result_group g = { .id = 0 };

	g.dir[DIR_READ].bytes = 2031616;
	g.dir[DIR_READ].agg = g.dir[DIR_READ].min_bw = g.dir[DIR_READ].max_bw = 88331130;
	g.dir[DIR_READ].min_run_ms = g.dir[DIR_READ].max_run_ms = 23;
	return g;
}

static struct result one_result(struct result_job *jobs, size_t nr, struct result_group *groups,
				size_t nr_groups)
{
	setenv("TZ", "UTC", 1);
	return (struct result){
		.wall_ms = 1796069752804, .final = true, .jobs = jobs, .nr_jobs = nr,
		.groups = groups, .nr_groups = nr_groups, .clock = "tsc", .clock_ghz = 2.1,
		.clock_cost_ns = 12.5, .cpus = 2,
	};
}

static report_formats bit(const char *name)
{
	return report_bit(report_by_name(name));
}

TEST(names_are_found)
{
	T_STR(report_by_name("json")->name, "json");
	T_STR(report_by_name("normal")->name, "normal");
	T_TRUE(!report_by_name("jso"));
	T_STR(report_at(0)->name, "jsonl");
	T_STR(report_at(4)->name, "normal");
	T_TRUE(!report_at(5));
	T_EQ(formats("json,normal"), bit("json") | bit("normal"));
	T_EQ(formats("normal,json,normal"), bit("json") | bit("normal"));
	T_EQ(formats("json"), bit("json"));
	T_EQ(formats("json+"), bit("json+"));
	T_EQ(formats("terse,json"), bit("terse") | bit("json"));
	T_EQ(formats("minimal"), bit("terse"));
	T_EQ(formats("json,json+"), bit("json+"));
	T_EQ(formats("json+,normal,json"), bit("json+") | bit("normal"));
}

TEST(wrong_names_are_explained)
{
	report_formats set = 77;
	char why[200];

	T_EQ(report_parse("normal,tersely", &set, why, sizeof(why)), -EINVAL);
	T_STR(why, "unknown output format 'tersely'; did you mean terse?");
	T_EQ(report_parse("norml", &set, why, sizeof(why)), -EINVAL);
	T_STR(why, "unknown output format 'norml'; did you mean normal?");
	T_EQ(report_parse("", &set, why, sizeof(why)), -EINVAL);
	T_STR(why, "unknown output format ''; there are jsonl, terse, json, json+, normal");
	T_EQ(report_parse("json,", &set, why, sizeof(why)), -EINVAL);
	T_EQ(set, 77);
}

TEST(header_lines)
{
	struct result_section s[] = {
		{ .name = "a", .group = 0, .rw = "write", .engine = "null", .iodepth = 1,
		  .clones = 2,
		  .bs = { { { 4096, 4096 }, { 4096, 8192 }, { 16384, 5242880 } } } },
		{ .name = "b", .group = 1, .rw = "randtrim", .engine = "libaio", .iodepth = 8,
		  .clones = 1, .bs = { { { 300, 300 }, { 1, 1048576 }, { 512, 512 } } } },
	};
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	T_EQ(report_header(s, 2, formats("json"), f), 0);
	T_EQ(report_header(s, 2, formats("json,normal"), f), 0);
	s[0].thread = true;
	T_EQ(report_header(s, 2, formats("normal"), f), 0);
	T_EQ(report_header(s + 1, 1, formats("normal"), f), 0);
	T_EQ(report_layout("a", 1, 1 << 30, formats("normal"), f), 0);
	T_EQ(report_layout("a", 4, 4 << 20, formats("normal"), f), 0);
	T_EQ(report_layout("a", 4, 4 << 20, formats("json"), f), 0);
	fclose(f);
#define A "a: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-8192B, (T) 16.0KiB-5120KiB, " \
	"ioengine=null, iodepth=1\n...\n"
#define B "b: (g=1): rw=randtrim, bs=(R) 300B-300B, (W) 1B-1024KiB, (T) 512B-512B, " \
	"ioengine=libaio, iodepth=8\n" REPORTER_VERSION "\n"
	T_STR(text, A B "Starting 3 processes\n" A B "Starting 2 threads and 1 process\n"
	      B "Starting 1 process\n"
	      "a: Laying out IO file (1 file / 1024MiB)\n"
	      "a: Laying out IO files (4 files / total 4MiB)\n");
	free(text);
}

TEST(normal_job)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result r = one_result(&j, 1, &g, 1);
	char *text = text_of(&r, "normal");

	T_EQ(text[0], '\n');
	T_LINE(text, "job1: (groupid=0, jobs=1): err= 0: pid=602: Mon Nov 30 20:15:52 2026");
	T_LINE(text, "  read: IOPS=21.6k, BW=84.2MiB/s (88.3MB/s)(1984KiB/23msec)");
	T_LINE(text, "    clat (nsec): min=4308, max=98143, avg=4567.89, stdev=12.50");
	T_LINE(text, "     lat (nsec): min=4310, max=1973.8k, avg=9999.50, stdev=12.50");
	T_LINE(text, "    clat percentiles (nsec):");
	T_LINE(text, "     |  1.00th=[ 4320], 50.00th=[ 4320], 99.99th=[97792]");
	T_LINE(text, "  lat (usec)   : 2=37.70%, 4=10.94%, 10=0.78%, 20=0.59%, 50=41.99%");
	T_LINE(text, "  lat (usec)   : 100=8.01%");
	T_LINE(text, "  cpu          : usr=6.25%, sys=56.25%, ctx=212, majf=0, minf=500");
	T_LINE(text, "  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, "
		     "32=0.0%, >=64=0.0%");
	T_LINE(text, "     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, "
		     "64=0.0%, >=64=0.0%");
	T_LINE(text, "     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, "
		     "64=0.0%, >=64=0.0%");
	T_LINE(text, "     issued rwts: total=496,0,0,0 short=0,0,0,0 dropped=0,0,0,0");
	T_LINE(text, "     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth=1");
	T_LINE(text, "  faults       : minor=500, major=0, minor/s=500.00, "
		     "minor/IO=1.0081, minor/pass=500.000");
	T_LINE(text, "  buffer       : address modulo 64 is 16");
	T_LINE(text, "Run status group 0 (all jobs):");
	T_LINE(text, "   READ: bw=84.2MiB/s (88.3MB/s), 84.2MiB/s-84.2MiB/s (88.3MB/s-88.3MB/s), "
		     "io=1984KiB (2032kB), run=23-23msec");
	/* What was not used, or not asked for, has no line. */
	T_TRUE(!strstr(text, "write:"));
	T_TRUE(!strstr(text, "slat"));
	T_TRUE(!strstr(text, " lat percentiles"));
	T_TRUE(!strstr(text, "fsync"));
	T_TRUE(!strstr(text, "errors"));
	T_TRUE(!strstr(text, "Disk stats"));
	T_TRUE(!strstr(text, "Stopped"));
	free(text);
}

TEST(normal_rates_sync_and_engine)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result_disk disk = { .name = "vda", .use.read_ios = 7, .use.write_sectors = 8, .use.util = 1.5 };
	const char *note = "iodepth was cut to 64";
	struct result r = one_result(&j, 1, &g, 1);
	char *text;

	j.description = "hello there";
	j.dir[DIR_READ].bw = (struct result_rate){ 16061440, 18307072, 16987064.32, 1174179.84, 3 };
	j.dir[DIR_READ].iops = (struct result_rate){ 12, 12, 12, 0, 1 };
	j.dir[DIR_READ].bw_agg = 100;
	j.sync = j.dir[DIR_READ].clat;
	j.sync_ios = 15;
	j.engine.nr_counters = 2;
	j.engine.counters[0] = (struct result_counter){ .name = "remaps", .value = 3 };
	j.engine.counters[1] = (struct result_counter){ .name = "mapped", .unit = "B", .value = 4096 };
	j.nr_notes = 1;
	j.notes[0] = note;
	r.disk_util = true;
	r.disks = &disk;
	r.nr_disks = 1;
	r.stopped_by = 2;
	r.notes = &note;
	r.nr_notes = 1;
	text = text_of(&r, "normal");
	T_LINE(text, "  Description  : [hello there]");
	T_LINE(text, "   bw (  MiB/s): min=15685, max=17878, per=100.00%, avg=16588.93, "
		     "stdev=1146.66, samples=3");
	T_LINE(text, "   iops        : min=   12, max=   12, avg=12.00, stdev= 0.00, samples=1");
	T_LINE(text, "  fsync/fdatasync/sync_file_range/syncfs:");
	T_LINE(text, "    sync (nsec): min=4308, max=98143, avg=4567.89, stdev=12.50");
	T_LINE(text, "    sync percentiles (nsec):");
	T_LINE(text, "     issued rwts: total=496,0,0,15 short=0,0,0,0 dropped=0,0,0,0");
	T_LINE(text, "  engine       : remaps=3, mapped=4096");
	T_LINE(text, "  note         : iodepth was cut to 64");
	T_LINE(text, "  vda: ios=7/0, sectors=0/8, merge=0/0, ticks=0/0, in_queue=0, util=1.50%");
	T_LINE(text, "Stopped early by signal 2, Interrupt");
	T_LINE(text, "note: iodepth was cut to 64");
	free(text);
}

TEST(percentile_table_layout)
{
	static const double many[] = { 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9,
				       99.95, 99.99 };
	static const double fine[] = { 50, 99.9999, 99.99999, 100 };
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result r = one_result(&j, 1, &g, 1);
	char *text;

	j.percentiles = many;
	j.nr_percentiles = ARRAY_SIZE(many);
	text = text_of(&r, "normal");
	T_LINE(text, "     | 30.00th=[ 4320], 40.00th=[ 4320], 50.00th=[ 4320], 60.00th=[ 4320],");
	T_LINE(text, "     | 99.99th=[97792]");
	free(text);

	fill(&wide, &j.dir[DIR_READ].lat, 812, 1973800, 1000);
	text = text_of(&r, "normal");	/* seven digits: three columns */
	T_LINE(text, "     |  1.00th=[    812],  5.00th=[    812], 10.00th=[    812],");
	T_LINE(text, "     | 99.95th=[1973800], 99.99th=[1973800]");
	free(text);

	j.percentiles = fine;
	j.nr_percentiles = ARRAY_SIZE(fine);
	text = text_of(&r, "normal");
	T_LINE(text, "     | 50.00000th=[ 4320], 99.99990th=[97792], 99.99999th=[97792],");
	T_LINE(text, "     | 100.00000th=[98143]");
	free(text);
}

TEST(errors_are_told_in_words)
{
	struct result_job j = { .name = "e", .jobs = 1, .error = 28, .pid = 742, .iodepth = 1,
				.error_text = "e: /dev/full: write at 0: No space left on device",
				.start_wall_ms = 1, .signal = 9, .engine = { .name = "psync", .origin = "built in" } };
	struct result_group g = { .id = 3 };
	struct result r = one_result(&j, 1, &g, 1);
	char *text;

	j.dir[DIR_WRITE].ios = j.dir[DIR_WRITE].errors = 2;
	j.errors = 2;
	text = text_of(&r, "normal");
	T_LINE(text, "e: (groupid=0, jobs=1): err=28 (e: /dev/full: write at 0: No space left on "
		     "device) (ended by signal 9, Killed): pid=742: Mon Nov 30 20:15:52 2026");
	T_LINE(text, "     issued rwts: total=0,2,0,0 short=0,0,0,0 dropped=0,0,0,0");
	T_LINE(text, "     errors    : total=2, first_error=28/<No space left on device>");
	T_LINE(text, "Run status group 3 (all jobs):");
	T_TRUE(!strstr(text, "WRITE"));
	free(text);
	text = text_of(&r, "json");
	T_LINE(text, "      \"error\" : 28,");
	T_LINE(text, "        \"errors\" : 2,");
	T_LINE(text, "        \"signal\" : 9,");
	T_LINE(text, "        \"error_text\" : "
		     "\"e: /dev/full: write at 0: No space left on device\",");
	free(text);
}

/* A sentence that names the signal is not followed by it. */
TEST(a_killed_worker)
{
	struct result_job j = { .name = "k", .jobs = 1, .error = EOWNERDEAD, .pid = 742,
				.error_text = "the worker was killed by signal 9", .signal = 9,
				.iodepth = 1, .start_wall_ms = 1, .engine = { .name = "psync", .origin = "built in" } };
	struct result r = one_result(&j, 1, NULL, 0);
	char *text = text_of(&r, "normal");

	T_LINE(text, "k: (groupid=0, jobs=1): err=130 (the worker was killed by signal 9): "
		     "pid=742: Mon Nov 30 20:15:52 2026");
	free(text);
}

TEST(what_never_ran_has_no_numbers)
{
	struct result_job j = { .name = "n", .jobs = 1, .error = 27, .iodepth = 1,
				.engine = { .name = "psync", .origin = "built in" },
				.error_text = "laying out file n.0.0: File too large",
				.nr_notes = 1,
				.notes = { "a remark" } };
	struct result_group g = { .id = 3 };
	struct result r = one_result(&j, 1, &g, 1);
	char *text = text_of(&r, "normal");

	T_LINE(text, "n: (groupid=0, jobs=1): err=27 (laying out file n.0.0: File too large): "
		     "pid=0: Mon Nov 30 20:15:52 2026");
	T_LINE(text, "  note         : a remark");
	T_TRUE(!strstr(text, "issued") && !strstr(text, "Run status") && !strstr(text, "cpu"));
	free(text);
}

TEST(nothing_steers_the_terminal)
{
	const char *notes[] = { "run\033[2J" };
	struct result_job j = { .name = "n\033[31m", .jobs = 1, .error = 5, .iodepth = 1,
				.description = "d\xc2\x9b\xff", .error_text = "file a\nb: bad",
				.start_wall_ms = 1, .engine = { .name = "e\a", .origin = "built in" },
				.nr_notes = 1, .notes = { "x\ry" } };
	struct result r = one_result(&j, 1, NULL, 0);
	struct progress_view v = { .layout = "x\033y", .percent = -1 };
	char *text, line[100];

	r.notes = notes;
	r.nr_notes = 1;
	text = text_of(&r, "normal");
	T_LINE(text, "  Description  : [d???]");
	T_LINE(text, "  note         : x?y");
	T_LINE(text, "note: run?[2J");
	T_TRUE(strstr(text, "n?[31m: (groupid=0, jobs=1): err= 5 (file a?b: bad): pid") != NULL);
	for (const char *c = text; *c; c++)
		T_TRUE(*c >= ' ' || *c == '\n');
	free(text);
	progress_text(&v, line, sizeof(line));
	T_STR(line, "x?y");
}

/* What the document has, in order; the blanks tell at which depth. */
static const char *const json_order[] = {
	"{\n  \"fio version\" : \"fio-3.42-like-", "\n  \"timestamp\" : 1796069752,",
	"\n  \"timestamp_ms\" : 1796069752804,", "\n  \"time\" : \"Mon Nov 30 20:15:52 2026\",",
	"\n  \"global options\" : {", "\n  \"jobs\" : [\n    {",
	"\n      \"jobname\" : \"job1\",", "\n      \"groupid\" : 0,",
	"\n      \"job_start\" : 1796069752660,", "\n      \"error\" : 0,",
	"\n      \"eta\" : 0,", "\n      \"elapsed\" : 1,", "\n      \"job options\" : {",
	"\n      \"read\" : {", "\n        \"io_bytes\" : 2031616,",
	"\n        \"io_kbytes\" : 1984,", "\n        \"bw_bytes\" : 88331130,",
	"\n        \"bw\" : 86260,", "\n        \"iops\" : 21565.217391,",
	"\n        \"runtime\" : 23,", "\n        \"total_ios\" : 496,",
	"\n        \"short_ios\" : 0,", "\n        \"drop_ios\" : 0,",
	"\n        \"slat_ns\" : {", "\n          \"N\" : 0\n        },",
	"\n        \"clat_ns\" : {", "\n          \"min\" : 4308,",
	"\n          \"max\" : 98143,", "\n          \"mean\" : 4567.891000,",
	"\n          \"stddev\" : 12.500000,", "\n          \"N\" : 100,",
	"\n          \"percentile\" : {", "\n            \"1.000000\" : 4320,",
	"\n            \"50.000000\" : 4320,", "\n            \"99.990000\" : 97792\n          }",
	"\n        \"lat_ns\" : {", "\n          \"N\" : 100\n        },",
	"\n        \"bw_min\" : 0,", "\n        \"bw_max\" : 0,",
	"\n        \"bw_agg\" : 0.000000,", "\n        \"bw_mean\" : 0.000000,",
	"\n        \"bw_dev\" : 0.000000,", "\n        \"bw_samples\" : 0,",
	"\n        \"iops_min\" : 0,", "\n        \"iops_max\" : 0,",
	"\n        \"iops_mean\" : 0.000000,", "\n        \"iops_stddev\" : 0.000000,",
	"\n        \"iops_samples\" : 0\n      },", "\n      \"write\" : {",
	"\n      \"trim\" : {", "\n      \"sync\" : {", "\n        \"total_ios\" : 0,",
	"\n        \"lat_ns\" : {", "\n      \"job_runtime\" : 32,",
	"\n      \"usr_cpu\" : 6.250000,", "\n      \"sys_cpu\" : 56.250000,",
	"\n      \"ctx\" : 212,", "\n      \"majf\" : 0,", "\n      \"minf\" : 500,",
	"\n      \"iodepth_level\" : {", "\n        \"1\" : 100.000000,",
	"\n        \">=64\" : 0.000000\n      },", "\n      \"iodepth_submit\" : {",
	"\n        \"4\" : 100.000000,", "\n      \"iodepth_complete\" : {",
	"\n      \"latency_ns\" : {", "\n        \"1000\" : 0.000000\n      },",
	"\n      \"latency_us\" : {", "\n        \"50\" : 41.990000,",
	"\n      \"latency_ms\" : {", "\n        \">=2000\" : 0.000000\n      },",
	"\n      \"latency_depth\" : 1,", "\n      \"latency_target\" : 0,",
	"\n      \"latency_target_ns\" : 0,", "\n      \"latency_percentile\" : 100.000000,",
	"\n      \"latency_window\" : 0,", "\n      \"latency_window_us\" : 0,",
	"\n      \"desc\" : \"d\",", "\n      \"fio-like\" : {", "\n        \"engine\" : {",
	"\n          \"counters\" : {", "\n            \"remaps\" : 3\n",
	"\n        \"faults\" : {", "\n          \"minor\" : 500,",
	"\n          \"minor_per_second\" : 500.000000,",
	"\n          \"minor_per_io\" : 1.008065,\n",
	"\n          \"minor_per_pass\" : 500.000000\n", "\n          \"address_mod_64\" : 16\n",
	"\n        \"usr_seconds\" : 0.002000,", "\n  \"disk_util\" : [",
	"\n      \"name\" : \"vda\",", "\n      \"read_ios\" : 7,",
	"\n      \"util\" : 1.500000\n", "\n  \"fio-like\" : {", "\n    \"clock\" : {",
	"\n    \"cpus\" : 2,", "\n    \"notes\" : [", "\n}\n",
};

TEST(json_keys_in_order)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result_disk disk = { .name = "vda", .use.read_ios = 7, .use.util = 1.5 };
	struct result r = one_result(&j, 1, &g, 1);
	const char *at;
	char *text;

	j.description = "d";
	j.engine.nr_counters = 1;
	j.engine.counters[0] = (struct result_counter){ .name = "remaps", .value = 3 };
	r.disk_util = r.echo_global = true;
	r.disks = &disk;
	r.nr_disks = 1;
	text = text_of(&r, "json");
	at = text;
	for (size_t i = 0; i < ARRAY_SIZE(json_order); i++) {
		const char *found = strstr(at, json_order[i]);

		if (!found)
			T_FAIL("key %zu, \"%s\", missing after:\n%.300s", i, json_order[i], at);
		at = found + strlen(json_order[i]) - 1;
	}
	T_STR(at, "\n");
	T_EQ(memcmp(text, "{\n", 2), 0);
	free(text);
}

TEST(json_leaves_out_what_is_not)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result r = one_result(&j, 1, &g, 1);
	char *text;

	r.disk_util = true;
	text = text_of(&r, "json");
	T_TRUE(!strstr(text, "global options"));
	T_TRUE(!strstr(text, "disk_util"));
	T_TRUE(!strstr(text, "desc"));
	T_TRUE(!strstr(text, "histograms"));
	T_TRUE(!strstr(strstr(text, "\"percentile\"") + 1, "\"percentile\""));
	/* The options, escaped; one that came twice counts once. */
	T_TRUE(strstr(text, "\"filename\" : \"a\\\"b\\\\c\\n"));
	T_TRUE(!strstr(text, "\"rw\" : \"read\""));
	T_TRUE(strstr(text, "\"rw\" : \"randrw\",\n        \"group_reporting\" : \"\"\n"));
	free(text);
}

TEST(formats_keep_their_order)
{
	struct result_job jobs[2] = { one_job(), one_job() };
	struct result_group groups[2] = { one_group(), one_group() };
	struct result r = one_result(jobs, 2, groups, 2);
	char *both, *other, *json, *normal, expected[65536];

	jobs[1].name = "job2";
	jobs[1].group = groups[1].id = 1;
	both = text_of(&r, "normal,json");
	other = text_of(&r, "json,normal");
	json = text_of(&r, "json");
	normal = text_of(&r, "normal");
	snprintf(expected, sizeof(expected), "%s%s", json, normal);
	T_STR(both, expected);
	T_STR(other, expected);
	T_TRUE(strstr(both, "\n}\n\njob1: (groupid=0"));
	T_TRUE(strstr(both, "depth=1\n  faults"));
	T_TRUE(strstr(both, "\njob2: (groupid=1, jobs=1)"));
	T_LINE(both, "Run status group 1 (all jobs):");
	free(both);
	free(other);
	free(json);
	free(normal);
}

TEST(write_errors_come_back)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result r = one_result(&j, 1, &g, 1);
	FILE *full = fopen("/dev/full", "w"), *gone;
	int ends[2];

	if (!full)
		SKIP("no /dev/full");
	T_EQ(report_write(&r, formats("json"), &how, full), -ENOSPC);
	T_EQ(report_header(NULL, 0, formats("normal"), full), -ENOSPC);
	T_EQ(pipe(ends), 0);
	signal(SIGPIPE, SIG_IGN);
	gone = fdopen(ends[1], "w");
	close(ends[0]);
	T_EQ(report_write(&r, formats("normal"), &how, gone), -EPIPE);
	fclose(gone);
	fclose(full);
}

/* ---- json+ and terse ---- */

TEST(bins_are_where_percentiles_are)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result r = one_result(&j, 1, &g, 1);
	char *plus = text_of(&r, "json+"), *plain = text_of(&r, "json"), *at;

	at = strstr(plus, "            \"99.990000\" : 97792\n          },\n"
		    "          \"bins\" : {\n            \"4320\" : 99,\n"
		    "            \"97792\" : 1\n          }\n        },\n");
	T_TRUE(at && at > strstr(plus, "\"clat_ns\""));
	T_TRUE(!strstr(strstr(at, "\"bins\"") + 1, "\"bins\""));	/* not of lat */
	T_TRUE(!strstr(plain, "\"bins\""));
	free(plus);
	j.dir[DIR_READ].clat.percentiles = false;
	plus = text_of(&r, "json+");
	T_TRUE(!strstr(plus, "\"bins\""));
	free(plus);
	free(plain);
}

/* What stands between two lines of columns: 20 percentiles and around them. */
#define NO_PERCENTILES	"0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;0%=0;" \
			"0%=0;0%=0;0%=0;0%=0;0%=0"
#define LABELS		"0%=0;0%=0;0%=0;" NO_PERCENTILES
#define DISK		";vda;1;2;3;4;5;6;7;8.12%"
#define NO_LAT		"0;0;0.000000;0.000000;"
#define IDLE		"0;0;0;0;" NO_LAT NO_LAT LABELS ";" NO_LAT \
			"0;0;0.000000%;0.000000;0.000000;"
#define IDLE_IOPS	"0;0;0;0.000000;0.000000;0;"
#define READ_TO_LAT	"1984;86260;21565;23;" NO_LAT "4;98;4.567891;0.012500;1.000000%=4;" \
			"50.000000%=4;99.990000%=97;" NO_PERCENTILES ";4;1973;9.999500;0.012500;"
#define READ_BW		"10;20;90.500000%;15.250000;1.500000;"
#define REST		"6.250000%;56.250000%;212;0;500;100.0%;0.0%;0.0%;0.0%;0.0%;0.0%;0.0%;" \
			"0.00%;10.94%;0.78%;0.59%;41.99%;8.01%;0.00%;0.00%;0.00%;0.00%;" \
			"0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%;0.00%"

/* The text stays for a few calls more. */
static char *terse_of(const struct result *r, unsigned version)
{
	const struct reporter_how this = { .terse_version = version };
	static char *texts[8];
	static unsigned calls;
	char **text = &texts[calls++ % ARRAY_SIZE(texts)];
	size_t bytes;
	FILE *f;

	free(*text);
	f = open_memstream(text, &bytes);
	T_EQ(report_write(r, formats("terse"), &this, f), 0);
	fclose(f);
	return *text;
}

TEST(terse_versions)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result_disk disk = {
		.name = "vda",
		.use = { .read_ios = 1, .write_ios = 2, .read_merges = 3, .write_merges = 4,
			 .read_ticks = 5, .write_ticks = 6, .read_sectors = 99, .in_queue = 7,
			 .util = 8.125 },
	};
	struct result r = one_result(&j, 1, &g, 1);

	j.dir[DIR_READ].bw = (struct result_rate){ 10.9, 20, 15.25, 1.5, 2 };
	j.dir[DIR_READ].iops = (struct result_rate){ 3, 5.5, 4, 0.5, 6 };
	j.dir[DIR_READ].bw_agg = 90.5;
	j.description = "one; two";
	j.counts_errors = true;
	j.error = 28;
	j.group = 3;
	j.dir[DIR_WRITE].errors = 7;
	j.errors = 7;
	r.disk_util = true;
	r.disks = &disk;
	r.nr_disks = 1;
	T_STR(terse_of(&r, 2), "2;job1;3;28;" READ_TO_LAT READ_BW IDLE IDLE REST
	      ";7;28\n;one; two\n");
	T_STR(terse_of(&r, 3), "3;" REPORTER_VERSION ";job1;3;28;" READ_TO_LAT READ_BW IDLE REST
	      DISK ";7;28;one; two\n");
	T_STR(terse_of(&r, 4), "4;" REPORTER_VERSION ";job1;3;28;" READ_TO_LAT READ_BW IDLE
	      IDLE REST DISK ";7;28;one; two\n");
	T_STR(terse_of(&r, 5), "5;" REPORTER_VERSION ";job1;3;28;" READ_TO_LAT READ_BW
	      "2;3;5;4.000000;0.500000;6;" IDLE IDLE_IOPS IDLE IDLE_IOPS REST DISK
	      ";7;28;one; two\n");
}

TEST(terse_leaves_no_column_out)
{
	struct result_job jobs[2] = { one_job(), one_job() };
	struct result_group g = one_group();
	struct result r = one_result(jobs, 2, &g, 1);
	char *text, *second;

	jobs[0].name = "a;b";
	jobs[1].name = "line\nbreak";
	jobs[1].dir[DIR_READ].lat.percentiles = true;
	text = terse_of(&r, 3);
	T_TRUE(strstr(text, ";a,b;0;0;1984;"));
	second = strchr(text, '\n') + 1;
	T_TRUE(strstr(second, ";line?break;0;0;1984;"));
	/* Percentiles of total latency, when there are such. */
	T_TRUE(strstr(second, ";1.000000%=4;50.000000%=4;99.990000%=1973;0%=0;"));
	for (int i = 0; i < DIRS; i++)
		jobs[0].dir[i].clat.percentiles = false;
	T_TRUE(strstr(terse_of(&r, 3), ";0.012500;0%=0;0%=0;0%=0;" NO_PERCENTILES ";4;1973;"));
}

/* Shares below 2 us are those of the samples: 2 of 4 here, in three columns of json. */
TEST(terse_adds_up_nanoseconds)
{
	struct result_job j = one_job();
	struct result_group g = one_group();
	struct result r = one_result(&j, 1, &g, 1);
	static struct hist h;

	hist_add(&h, 15);
	hist_add(&h, 1500);
	hist_add(&h, 2100);
	hist_add(&h, 5000000);
	j.dir[DIR_READ].clat.bins = h.bins;
	j.dir[DIR_READ].clat.n = 4;
	T_TRUE(strstr(terse_of(&r, 3), ";0.0%;50.00%;10.94%;0.78%;"));
}

TEST(disks_of_a_volume)
{
	struct result_job j = one_job();
	struct result_disk disks[] = {
		{ .name = "md0", .use = { 10, 20, 30, 40, 1, 2, 3, 4, 5, 6.5 }, .parts = 2,
		  .of_parts = { 11, 21, 31, 41, 7, 8, 9, 10, 12, 75.25 } },
		{ .name = "sda", .use = { .read_ios = 22 } },
	};
	struct result r = one_result(&j, 1, NULL, 0);
	char *text;

	r.disk_util = true;
	r.disks = disks;
	r.nr_disks = 2;
	text = text_of(&r, "normal");
	T_LINE(text, "    md0: ios=10/20, sectors=30/40, merge=1/2, ticks=3/4, in_queue=5, "
	       "util=6.50%, aggrios=11/21, aggrsectors=31/41, aggrmerge=7/8, aggrticks=9/10, "
	       "aggrin_queue=12, aggrutil=75.25%");
	T_LINE(text, "  sda: ios=22/0, sectors=0/0, merge=0/0, ticks=0/0, in_queue=0, util=0.00%");
	free(text);
	text = terse_of(&r, 3);
	T_TRUE(strstr(text, ";md0;10;20;1;2;3;4;5;6.50%;slaves;11;21;7;8;9;10;12;75.25%"
		      ";sda;22;0;0;0;0;0;0;0.00%\n"));
	free(text);
	text = text_of(&r, "json");
	T_TRUE(strstr(text, "\"util\" : 6.500000,\n      \"aggr_read_ios\" : 11,"));
	T_TRUE(strstr(text, "\"aggr_write_merge\" : 8,"));
	T_TRUE(strstr(text, "\"aggr_util\" : 75.250000\n    },\n"));
	T_TRUE(!strstr(strstr(text, "\"sda\""), "aggr"));
	free(text);
}

static const char *line_of(const struct progress_view *v)
{
	static char text[256];

	size_t length = progress_text(v, text, sizeof(text));

	T_EQ(length, strlen(text));
	return text;
}

TEST(progress_lines)
{
	struct progress_view v = { .running = 2, .open_files = 2, .states = "rw", .percent = 45,
				   .eta_s = 5 };

	v.bytes_per_second[DIR_READ] = 123ull << 20;
	v.iops[DIR_READ] = 31488;
	T_STR(line_of(&v), "Jobs: 2 (f=2): [r(1),w(1)][45.0%][r=123MiB/s]"
	      "[r=31.5k IOPS][eta 00m:05s]");
	v.bytes_per_second[DIR_WRITE] = 45ull << 20;
	v.iops[DIR_WRITE] = 11000;
	v.states = "rrrw__";
	v.eta_s = 90061;
	T_STR(line_of(&v), "Jobs: 2 (f=2): [r(3),w(1),_(2)][45.0%][r=123MiB/s,w=45.0MiB/s]"
	      "[r=31.5k,w=11.0k IOPS][eta 01d:01h:01m:01s]");
	v.p99_ns[DIR_WRITE] = 1200000;
	T_STR(line_of(&v), "Jobs: 2 (f=2): [r(3),w(1),_(2)][45.0%][r=123MiB/s,w=45.0MiB/s]"
	      "[r=31.5k,w=11.0k IOPS][p99=1.20ms][eta 01d:01h:01m:01s]");
	v.p99_ns[DIR_READ] = 97;
	T_TRUE(strstr(line_of(&v), " IOPS][p99 r=97ns,w=1.20ms][eta "));
	v = (struct progress_view){ .running = 1, .percent = -1, .eta_s = -1 };
	T_STR(line_of(&v), "Jobs: 1 (f=0)");
	v.layout = "job1: laying out 1 file";
	v.percent = 12.34;
	T_STR(line_of(&v), "job1: laying out 1 file: [12.3%]");
	v.layout_done = 441ull << 20;
	v.layout_bytes = 1ull << 30;
	v.bytes_per_second[DIR_WRITE] = 900ull << 20;
	v.eta_s = 1;
	v.percent = 43.06;
	T_STR(line_of(&v),
	      "job1: laying out 1 file: [43.1%][441MiB/1024MiB][900MiB/s][eta 00m:01s]");
	v = (struct progress_view){ .running = 1, .eta_s = -1 };
	v.states = "rwrwrwrwrwrwrw";
	v.percent = -1;
	T_TRUE(strstr(line_of(&v), "w(1),...]"));
}

static const char *progress_output(enum progress_when when, bool terminal, unsigned columns)
{
	struct progress_view v = { .running = 10, .percent = 50, .eta_s = -1 };
	static char *text;		/* of this call; that of the last one goes */
	struct progress p;
	size_t bytes;
	FILE *f;

	free(text);
	f = open_memstream(&text, &bytes);
	progress_init(&p, f, when, terminal, columns);
	progress_update(&p, &v, false);
	v.running = 1;
	v.percent = -1;
	progress_update(&p, &v, false);
	progress_clear(&p);
	progress_clear(&p);
	fclose(f);
	return text;
}

TEST(progress_is_drawn_on_terminals_only)
{
	T_STR(progress_output(PROGRESS_AUTO, false, 80), "");
	T_STR(progress_output(PROGRESS_NEVER, true, 80), "");
	T_STR(progress_output(PROGRESS_ALWAYS, false, 80),
	      "Jobs: 10 (f=0)[50.0%]\nJobs: 1 (f=0)\n");
	T_STR(progress_output(PROGRESS_AUTO, true, 80),
	      "\rJobs: 10 (f=0)[50.0%]\rJobs: 1 (f=0)        \r             \r");
	T_STR(progress_output(PROGRESS_AUTO, true, 9), "\rJobs: 10\rJobs: 1 \r        \r");
}
