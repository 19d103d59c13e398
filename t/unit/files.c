/* SPDX-License-Identifier: MIT */
/*
 * The plan of a job's files: names, which part of each is used, what has to be laid out, and what
 * is said when it cannot be. Each case works in a folder of its own.
 */
#define _GNU_SOURCE
#include "core/files.h"
#include "fio-like/engine.h"
#include "t/test.h"

#include <fcntl.h>
#include <sys/stat.h>

#define KIB 1024ull

static struct files_conf conf;
static struct file_set set;
static struct files_need need;
static char why[512];

/* In an empty folder, with the options of "size=64k nrfiles=4" given. */
static void options(const char *text)
{
	const struct opt_units units = { .kb_base = 1024 };
	char *words = strdup(text), *rest = words, *word, dir[] = "files-XXXXXX";

	T_TRUE(mkdtemp(dir) && !chdir(dir));
	need = (struct files_need){ .dirs = 1u << DIR_READ, .block_min = 4096 };
	opt_defaults(&files_options, &conf, sizeof(conf));
	while ((word = strsep(&rest, " ")) && *word) {
		char *value = strchr(word, '=');
		struct fl_opt row;
		int i;

		if (value)
			*value++ = '\0';
		i = opt_find(&files_options, word);
		T_TRUE(i >= 0);
		opt_row(&files_options, (size_t)i, &row);
		if (opt_set(&row, &conf, value, &units, why, sizeof(why)) < 0)
			T_FAIL("%s", why);
	}
	T_EQ(files_check(&conf, "job", &(struct files_use){ .dirs = 1 }, why, sizeof(why)), 0);
	free(words);
}

static int plan_clone(uint32_t clone)
{
	why[0] = '\0';
	return files_plan(&set, &conf, "job", clone, &need, why, sizeof(why));
}

static void planned(void)
{
	if (plan_clone(0))
		T_FAIL("%s", why);
}

static const char *name(uint32_t i)
{
	static char buf[FILES_NAME_BYTES];

	return files_name(&set, i, buf);
}

/* A file of so many bytes, each 'x'. */
static void make(const char *path, uint64_t bytes)
{
	FILE *f = fopen(path, "w");

	T_TRUE(f);
	for (uint64_t i = 0; i < bytes; i++)
		putc('x', f);
	fclose(f);
}

static long long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : (long long)st.st_size;
}

/* The plan fails with this error, and the sentence has all of the words. */
static void refused(int err, const char *const words[])
{
	T_EQ(plan_clone(0), -err);
	for (; *words; words++)
		if (!strstr(why, *words))
			T_FAIL("\"%s\" does not say '%s'", why, *words);
	files_free(&set);
}

#define REFUSED(err, ...) refused(err, (const char *const[]){ __VA_ARGS__, NULL })

static void lay_out(void)
{
	char note[256];

	planned();
	if (files_layout(&set, 1, NULL, NULL, note, sizeof(note), why, sizeof(why)))
		T_FAIL("%s", why);
	T_STR(note, "");
}

/* ---- Names ----------------------------------------------------------------------------------- */

TEST(generated_names)
{
	options("size=64k nrfiles=2");
	T_EQ(plan_clone(3), 0);
	T_EQ(set.nr, 2);
	T_STR(name(0), "job.3.0");
	T_STR(name(1), "job.3.1");
	files_free(&set);
}

TEST(listed_names)
{
	options("size=64k filename=a:b\\:c::d nrfiles=9");
	planned();
	T_EQ(set.nr, 3);
	T_STR(name(0), "a");
	T_STR(name(1), "b:c");
	T_STR(name(2), "d");
	files_free(&set);
}

TEST(names_lie_in_the_directory)
{
	options("size=64k directory=d:e");
	T_TRUE(!mkdir("d", 0755) && !mkdir("e", 0755));
	for (uint32_t clone = 0; clone < 3; clone++) {
		T_EQ(plan_clone(clone), 0);
		T_EQ(name(0)[0], clone == 1 ? 'e' : 'd');
		files_free(&set);
	}
	conf.names.filename = "x";
	T_EQ(plan_clone(1), 0);
	T_STR(name(0), "d/x");		/* named files are shared by the clones */
	files_free(&set);
}

TEST(path_too_long)
{
	char *longest = calloc(1, FILES_NAME_BYTES + 10);

	options("size=64k");
	memset(longest, 'n', FILES_NAME_BYTES + 5);
	conf.names.filename = longest;
	T_EQ(plan_clone(0), -ENAMETOOLONG);
	files_free(&set);
	free(longest);
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static void part_is(uint32_t i, uint64_t start, uint64_t bytes)
{
	T_EQ(set.plan[i].start, start);
	T_EQ(set.plan[i].bytes, bytes);
}

TEST(size_is_shared)
{
	options("size=65536 nrfiles=3");
	planned();
	for (uint32_t i = 0; i < 3; i++)
		part_is(i, 0, 21845);
	T_EQ(set.bytes, 3 * 21845);
	files_free(&set);
}

TEST(filesize_is_of_each)
{
	options("filesize=16k nrfiles=4");
	planned();
	part_is(3, 0, 16 * KIB);
	T_EQ(set.bytes, 64 * KIB);
	files_free(&set);
}

TEST(filesize_range_is_drawn_once)
{
	uint64_t sizes[8];

	options("filesize=128k-8k nrfiles=8");
	planned();
	for (uint32_t i = 0; i < 8; i++) {
		sizes[i] = set.plan[i].bytes;
		T_TRUE(sizes[i] >= 8 * KIB && sizes[i] <= 128 * KIB);
	}
	T_TRUE(sizes[0] != sizes[1] || sizes[1] != sizes[2]);
	files_free(&set);
	planned();
	for (uint32_t i = 0; i < 8; i++)
		T_EQ(set.plan[i].bytes, sizes[i]);
	files_free(&set);
}

TEST(what_exists_is_the_size)
{
	options("filename=x");
	make("x", 99999);
	planned();
	part_is(0, 0, 99999);
	T_EQ(set.plan[0].layout, FILES_KEEP);
	files_free(&set);
}

TEST(offset)
{
	options("filename=x offset=20k");
	make("x", 64 * KIB);
	planned();
	part_is(0, 20 * KIB, 44 * KIB);
	files_free(&set);
	options("filename=x offset=20k size=64k");
	planned();
	part_is(0, 20 * KIB, 64 * KIB);
	T_EQ(set.plan[0].size, 84 * KIB);
	files_free(&set);
}

TEST(percentages)
{
	options("filename=x offset=25% size=50%");
	make("x", 64 * KIB);
	planned();
	part_is(0, 16 * KIB, 32 * KIB);
	files_free(&set);
	options("filename=x size=10%");
	make("x", 64 * KIB);
	planned();
	part_is(0, 0, 4 * KIB);		/* whole blocks */
	files_free(&set);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

TEST(files_to_read_are_written)
{
	uint32_t files;
	uint64_t bytes;

	options("size=100000 nrfiles=2");
	planned();
	T_EQ(set.plan[1].layout, FILES_WRITE);
	files_wanted(&set, &files, &bytes);
	T_EQ(files, 2);
	T_EQ(bytes, 100000);
	files_free(&set);
	lay_out();
	T_EQ(size_of("job.0.0"), 50000);
	T_EQ(size_of("job.0.1"), 50000);
	files_free(&set);
	planned();
	T_EQ(set.plan[0].layout, FILES_KEEP);
	files_free(&set);
}

TEST(short_file_grows_and_keeps_its_bytes)
{
	char data[5000];
	FILE *f;

	options("filename=x size=64k");
	make("x", 5000);
	lay_out();
	T_EQ(size_of("x"), 64 * KIB);
	f = fopen("x", "r");
	T_EQ(fread(data, 1, sizeof(data), f), sizeof(data));
	for (size_t i = 0; i < sizeof(data); i++)
		T_EQ(data[i], 'x');
	fclose(f);
	files_free(&set);
}

TEST(files_to_write_are_allocated)
{
	options("size=64k");
	need.dirs = 1u << DIR_WRITE;
	lay_out();
	T_EQ(set.plan[0].layout, FILES_ALLOCATE);
	T_EQ(size_of("job.0.0"), 64 * KIB);
	files_free(&set);
}

TEST(fallocate_decides_the_size)
{
	static const struct { const char *options; long long size; } cases[] = {
		{ "size=64k fallocate=none", 0 }, { "size=64k fallocate=0", 0 },
		{ "size=64k fallocate=truncate", 64 * KIB },
		{ "size=64k fallocate=posix", 64 * KIB },
		{ "size=64k fallocate=1", 64 * KIB },
		{ "size=64k overwrite=1 fallocate=none", 64 * KIB },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		options(cases[i].options);
		need.dirs = 1u << DIR_WRITE;
		lay_out();
		T_EQ(size_of("job.0.0"), cases[i].size);
		files_free(&set);
	}
	options("size=64k fallocate=none");
	need.dirs = 1u << DIR_WRITE;
	need.full_size = true;		/* of an engine that maps them */
	lay_out();
	T_EQ(size_of("job.0.0"), 64 * KIB);
	files_free(&set);
}

TEST(create_on_open_lays_out_nothing)
{
	options("size=64k create_on_open=1");
	need.dirs = 1u << DIR_WRITE;
	lay_out();
	T_EQ(size_of("job.0.0"), -1);
	files_free(&set);
}

TEST(folders_are_made)
{
	options("size=8k filename=some/where/x");
	lay_out();
	T_EQ(size_of("some/where/x"), 8 * KIB);
	files_free(&set);
}

static int stop_at_once(void *ctx, uint64_t bytes)
{
	(void)ctx;
	(void)bytes;
	return -ECANCELED;
}

TEST(layout_can_be_stopped)
{
	char note[256];

	options("size=64m");
	planned();
	T_EQ(files_layout(&set, 1, stop_at_once, NULL, note, sizeof(note), why, sizeof(why)),
	     -ECANCELED);
	T_TRUE(size_of("job.0.0") <= 64ll << 20);
	files_free(&set);
}

/* ---- Refused --------------------------------------------------------------------------------- */

TEST(no_size)
{
	options("");
	REFUSED(EINVAL, "no size", "job.0.0", "size=");
	need.no_files = true;
	REFUSED(EINVAL, "no size", "engine");
	options("filename=empty");
	make("empty", 0);
	REFUSED(EINVAL, "empty");
}

TEST(block_larger_than_a_share)
{
	options("size=8k nrfiles=4");
	REFUSED(EINVAL, "bs=4096", "2048");
}

TEST(offset_beyond_the_end)
{
	options("filename=x offset=64k");
	make("x", 64 * KIB);
	REFUSED(EINVAL, "offset=65536", "x", "65536");
}

TEST(offset_and_size_beyond_all_files)
{
	options("size=9223372036854775807 offset=8k");
	REFUSED(EFBIG, "8192");
}

TEST(directory_is_missing)
{
	options("size=64k directory=nope");
	REFUSED(ENOENT, "directory=nope", "no such folder");
	options("size=64k directory=x");
	make("x", 1);
	REFUSED(ENOTDIR, "directory=x", "no folder");
	options("size=64k directory=:");
	REFUSED(EINVAL, "directory");
}

TEST(a_folder_is_no_file)
{
	options("size=64k filename=d");
	T_TRUE(!mkdir("d", 0755));
	REFUSED(EISDIR, "filename=d", "directory=");
}

TEST(creation_is_forbidden)
{
	options("size=64k allow_file_create=0");
	REFUSED(ENOENT, "job.0.0", "does not exist", "allow_file_create");
	options("size=64k filename=x allow_file_create=0");
	make("x", 100);
	REFUSED(ENOENT, "x has 100 bytes", "65536");
}

TEST(names_of_nothing)
{
	options("size=64k filename=::");
	REFUSED(EINVAL, "filename=");
}

/* ---- How they are opened --------------------------------------------------------------------- */

TEST(open_flags)
{
	options("size=64k direct=1 sync=dsync");
	T_EQ(files_open_flags(&conf, 1u << DIR_READ) & O_ACCMODE, O_RDONLY);
	T_EQ(files_open_flags(&conf, 1u << DIR_WRITE) & O_ACCMODE, O_RDWR);
	T_TRUE(files_open_flags(&conf, 1u << DIR_WRITE) & O_DSYNC);
	options("size=64k sync=1 buffered=1");
	T_EQ(files_open_flags(&conf, 1u << DIR_WRITE) & O_SYNC, O_SYNC);
	T_TRUE(!(files_open_flags(&conf, 1u << DIR_READ) & O_CREAT));
}

/* ---- Patterns of names ----------------------------------------------------------------------- */

TEST(format_of_names)
{
	static const struct { const char *format, *name; } cases[] = {
		{ "$jobname-$jobnum-$filenum", "job-2-1" }, { "data.$filenum", "data.1" },
		{ "$filenum$filenum", "11" }, { "x", "x" }, { "$clientuid.$foo$", ".$foo$" },
		{ "sub/$jobname/$jobnum", "sub/job/2" }, { "$jobnumber", "2ber" },
	};

	options("size=64k nrfiles=2");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		conf.names.format = cases[i].format;
		T_EQ(plan_clone(2), 0);
		T_STR(name(1), cases[i].name);
		files_free(&set);
	}
}

static int check_job(const char *job)
{
	const struct files_use use = { .dirs = 1u << DIR_WRITE };

	why[0] = '\0';
	return files_check(&conf, job, &use, why, sizeof(why));
}

TEST(names_that_leave_the_directory)
{
	options("size=64k");
	T_EQ(check_job("a/b"), 0);
	T_EQ(check_job("a..b/..c/d.."), 0);
	T_EQ(check_job("../b"), -EINVAL);
	T_EQ(check_job("a/../b"), -EINVAL);
	T_EQ(check_job(".."), -EINVAL);
	T_TRUE(strstr(why, "'..' in the job's name"));
	conf.names.format = "x.$filenum";	/* the job's name is not in it */
	T_EQ(check_job("../b"), 0);
	conf.names.format = "../$filenum";
	T_EQ(check_job("b"), -EINVAL);
	T_TRUE(strstr(why, "filename_format"));
	conf.names.format = "";
	T_EQ(check_job("b"), -EINVAL);
	conf.names.format = NULL;
	conf.names.filename = "../x";		/* said in full: meant */
	T_EQ(check_job("b"), 0);
}

TEST(folders_in_a_job_name_are_noted)
{
	options("size=8k");
	T_EQ(files_plan(&set, &conf, "a/b", 0, &need, why, sizeof(why)), 0);
	T_STR(name(0), "a/b.0.0");
	T_TRUE(strstr(set.note, "they lie in a"));
	files_free(&set);
	T_EQ(plan_clone(0), 0);
	T_STR(set.note, "");
	files_free(&set);
}

TEST(a_job_named_like_a_device_works_on_it)
{
	options("size=8k");
	T_EQ(files_plan(&set, &conf, "/dev/null", 0, &need, why, sizeof(why)), 0);
	T_STR(name(0), "/dev/null");
	files_free(&set);
}

/* ---- Files below a folder -------------------------------------------------------------------- */

static void make_tree(void)
{
	T_TRUE(!mkdir("d", 0755) && !mkdir("d/b", 0755) && !mkdir("d/b/c", 0755));
	make("d/z", 8192);
	make("d/b/c/y", 4096);
	make("d/a", 4096);
	make("d/b/empty", 0);
	T_TRUE(!symlink("z", "d/link") && !symlink("..", "d/b/loop"));
}

TEST(files_below_a_folder)
{
	options("opendir=d directory=e");
	make_tree();
	T_TRUE(!mkdir("e", 0755));
	planned();
	T_EQ(set.nr, 3);
	T_STR(name(0), "d/a");
	T_STR(name(1), "d/b/c/y");
	T_STR(name(2), "d/z");
	T_EQ(set.bytes, 16384);
	files_free(&set);
	conf.names.nr = 2;
	conf.names.filename = "x:y";
	conf.size.bytes = 16384;
	planned();
	T_EQ(set.nr, 2);
	T_STR(name(1), "e/y");
	files_free(&set);
	conf.names.nr = 0;
	conf.size.bytes = 6 * 4096;
	conf.names.opendir = "d/";
	planned();
	T_EQ(set.nr, 6);		/* a size makes the empty one of use */
	T_STR(name(3), "d/b/c/y");
	T_STR(name(4), "d/b/empty");
	files_free(&set);
}

TEST(no_files_below_a_folder)
{
	options("opendir=nope");
	REFUSED(ENOENT, "opendir=nope", "No such file");
	options("opendir=x");
	make("x", 10);
	REFUSED(ENOTDIR, "opendir=x");
	options("opendir=d");
	T_TRUE(!mkdir("d", 0755));
	REFUSED(ENOENT, "opendir=d", "no files");
	make("d/empty", 0);
	REFUSED(ENOENT, "opendir=d", "not empty");
}

/* ---- Offsets --------------------------------------------------------------------------------- */

static void starts(const char *text, uint32_t clone, uint64_t start)
{
	options(text);
	make("x", 64 * KIB);
	T_EQ(plan_clone(clone), 0);
	T_EQ(set.plan[0].start, start);
	files_free(&set);
}

TEST(offsets_of_clones)
{
	starts("filename=x size=4k offset_increment=9k", 2, 18 * KIB);
	starts("filename=x size=4k offset=1k offset_increment=9k offset_align=4k", 1, 10 * KIB);
	starts("filename=x size=4k offset_increment=10%", 1, 8 * KIB);
	starts("filename=x size=4k offset_increment=10%", 2, 16 * KIB);
	starts("filename=x size=4k offset=10% offset_increment=10%", 2, 20 * KIB);
	starts("filename=x size=4k offset=10% offset_increment=5k", 2, 20 * KIB);
}

TEST(percentages_are_rounded_up)
{
	starts("filename=x offset=10%", 0, 8 * KIB);
	starts("filename=x offset=10% offset_align=512", 0, 6656);
	starts("filename=x offset=10% offset_align=16k", 0, 16 * KIB);
	starts("filename=x offset=25%", 0, 16 * KIB);
}

TEST(percentage_of_nothing_is_noted)
{
	options("offset=25% size=64k");
	planned();
	part_is(0, 0, 64 * KIB);
	T_TRUE(strstr(set.note, "offset counts as 0"));
	files_free(&set);
}

/* ---- At the end, and to the end -------------------------------------------------------------- */

TEST(append)
{
	options("filename=x file_append=1 size=8k");
	make("x", 5000);
	planned();
	part_is(0, 5000, 8 * KIB);
	files_free(&set);
	conf.size.bytes = 0;
	REFUSED(EINVAL, "file_append", "5000", "size=");
	conf.filesize = (struct range){ 16384, 16384 };
	planned();
	part_is(0, 5000, 11384);
	files_free(&set);
	conf.offset.bytes = 4096;
	T_EQ(check_job("job"), 1);
	T_TRUE(strstr(why, "offset has no effect"));
}

TEST(fill_device)
{
	options("fill_device=1 nrfiles=2");
	need.dirs = 1u << DIR_WRITE;
	planned();
	T_EQ(set.plan[1].layout, FILES_KEEP);
	T_TRUE(set.plan[1].bytes > 1ull << 61);
	T_EQ(set.plan[1].bytes % 4096, 0);
	files_free(&set);
	need.full_size = true;
	REFUSED(EINVAL, "fill_device", "size=");
	need.full_size = false;
	need.dirs = 1u << DIR_READ;
	planned();
	T_EQ(set.plan[0].layout, FILES_FILL);
	files_free(&set);
	conf.size.bytes = 64 * KIB;
	lay_out();			/* reached before the device was full */
	T_EQ(size_of("job.0.1"), 32 * KIB);
	files_free(&set);
	T_TRUE(files_full(&conf, FL_OP_WRITE, -ENOSPC) && files_full(&conf, FL_OP_WRITE, -EDQUOT));
	T_TRUE(!files_full(&conf, FL_OP_WRITE, -EIO) && !files_full(&conf, FL_OP_READ, -ENOSPC));
	conf.fill = 0;
	T_TRUE(!files_full(&conf, FL_OP_WRITE, -ENOSPC));
}

TEST(contradictions)
{
	struct files_use use = { .dirs = 1u << DIR_READ, .passes = true };

	options("size=64k unlink_each_loop=1");
	T_EQ(files_check(&conf, "job", &use, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "unlink_each_loop"));
	use.passes = false;
	T_EQ(files_check(&conf, "job", &use, why, sizeof(why)), 0);
	use = (struct files_use){ .dirs = 1u << DIR_WRITE, .passes = true };
	T_EQ(files_check(&conf, "job", &use, why, sizeof(why)), 0);
	conf.allow_file_create = 0;
	T_EQ(files_check(&conf, "job", &use, why, sizeof(why)), -EINVAL);
	options("fill_device=1");
	use.random = true;
	T_EQ(files_check(&conf, "job", &use, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "size="));
	options("size=64k atomic=1");
	T_TRUE(files_open_flags(&conf, 1u << DIR_WRITE) & O_DIRECT);
}

TEST(empty_files_among_others)
{
	options("filename=x:e");
	make("x", 64 * KIB);
	make("e", 0);
	planned();
	part_is(1, 0, 0);
	T_EQ(set.bytes, 64 * KIB);
	files_free(&set);
	options("filename=d:e");
	make("d", 0);
	make("e", 0);
	REFUSED(EINVAL, "no size", "empty");
}

TEST(unlinking)
{
	options("size=64k nrfiles=2");
	lay_out();
	T_EQ(files_unlink(&set, false), 0);
	T_EQ(size_of("job.0.0"), -1);
	T_EQ(files_unlink(&set, true), 0);
	T_EQ(size_of("job.0.0"), -1);
	set.full_size = true;
	T_EQ(files_unlink(&set, true), 0);
	T_EQ(size_of("job.0.1"), 32 * KIB);
	files_free(&set);
}
