/* SPDX-License-Identifier: MIT */
/*
 * The plan of a job's files: names, which part of each is used, what has to be laid out, and what
 * is said when it cannot be. Each case works in a folder of its own.
 */
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
	T_EQ(files_check(&conf, why, sizeof(why)), 0);
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
	conf.filename = "x";
	T_EQ(plan_clone(1), 0);
	T_STR(name(0), "d/x");		/* named files are shared by the clones */
	files_free(&set);
}

TEST(path_too_long)
{
	char *longest = calloc(1, FILES_NAME_BYTES + 10);

	options("size=64k");
	memset(longest, 'n', FILES_NAME_BYTES + 5);
	conf.filename = longest;
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
		{ "size=64k fallocate=truncate", 64 * KIB }, { "size=64k fallocate=posix", 64 * KIB },
		{ "size=64k fallocate=1", 64 * KIB }, { "size=64k overwrite=1 fallocate=none", 64 * KIB },
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
