/* SPDX-License-Identifier: MIT */
/* The options of files: rows, and the checks across rows. */
#define _GNU_SOURCE
#include "core/files.h"
#include "fio-like/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>

static const struct fl_opt_value fallocate_names[] = {
	{ "none", LAYOUT_NONE, "reserve nothing" },
	{ "native", LAYOUT_NATIVE, "fallocate(2) where the file system has it" },
	{ "posix", LAYOUT_POSIX, "posix_fallocate(3)" },
	{ "keep", LAYOUT_KEEP, "reserve space, leave the size" },
	{ "truncate", LAYOUT_TRUNCATE, "set the size, reserve nothing" },
	{ "0", LAYOUT_NONE, "none" },
	{ "1", LAYOUT_POSIX, "posix" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value sync_names[] = {
	{ "none", FILES_SYNC_NONE, "writes may stay in the cache" },
	{ "0", FILES_SYNC_NONE, "none" },
	{ "sync", FILES_SYNC_SYNC, "O_SYNC: data and metadata before each write returns" },
	{ "1", FILES_SYNC_SYNC, "sync" },
	{ "dsync", FILES_SYNC_DSYNC, "O_DSYNC: data, and the metadata needed to read it" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value advice_names[] = {
	{ "1", FILES_ADVICE_BY_RW, "sequential or random, as the job is" },
	{ "0", FL_ADVICE_NONE, "none" },
	{ "none", FL_ADVICE_NONE, "give no advice" },
	{ "normal", FL_ADVICE_NORMAL, "POSIX_FADV_NORMAL" },
	{ "sequential", FL_ADVICE_SEQUENTIAL, "POSIX_FADV_SEQUENTIAL" },
	{ "random", FL_ADVICE_RANDOM, "POSIX_FADV_RANDOM" },
	{ "noreuse", FL_ADVICE_NOREUSE, "POSIX_FADV_NOREUSE" },
	{ "willneed", FL_ADVICE_WILLNEED, "POSIX_FADV_WILLNEED, once, when the file is opened" },
	{ "dontneed", FL_ADVICE_DONTNEED, "POSIX_FADV_DONTNEED, once, when the file is opened" },
	{ NULL, 0, NULL },
};

/* buffered=X is direct=!X, and the later of the two lines counts. */
static int parse_buffered(void *member, const char *text, char *why, size_t why_bytes)
{
	uint32_t *direct = member;

	if (!text || (text[0] != '0' && text[0] != '1') || text[1]) {
		snprintf(why, why_bytes, "'%s' must be 0 or 1", text ? text : "");
		return -EINVAL;
	}
	*direct = text[0] == '0';
	return 0;
}

#define AT(member)	.offset = offsetof(struct files_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "filename", .type = OPT_STR_LIST, AT(filename),
	  .help = "file or device; several are separated by ':'",
	  .more = "Write '\\:' for a colon that belongs to the name. Relative names lie in directory, or "
		  "the current directory. All clones of the job share them. Default: names made "
		  "from the job's name, its clone's number and the file's number." },
	{ .name = "directory", .type = FL_OPT_STR, AT(directory),
	  .help = "folder of the files; with several (':'), clones take turns" },
	{ .name = "nrfiles", .alias = "nr_files", .type = FL_OPT_U32, AT(nrfiles), .min = 1,
	  .max = FILES_NR_MAX, .def = "1", .help = "number of files the job works on" },
	{ .name = "openfiles", .type = FL_OPT_U32, AT(openfiles), .max = FILES_NR_MAX,
	  .help = "how many of them are open at once; 0 is all",
	  .more = "Lowered to what the descriptor limit leaves, with a note." },
	{ .name = "size", .type = OPT_AMOUNT, AT(size), .arg = 100, .unit = "bytes",
	  .help = "size of all files together, from the offset on",
	  .more = "A percentage is taken of files that exist. 0 or not given: what exists." },
	{ .name = "filesize", .type = OPT_RANGE_SIZE, AT(filesize), .min = 1, .max = INT64_MAX,
	  .unit = "bytes", .help = "size of each file; a range draws each at random" },
	{ .name = "offset", .alias = "fileoffset", .type = OPT_AMOUNT, AT(offset), .arg = 100, .unit = "bytes",
	  .help = "first byte of each file that is used; a percentage is taken of its size" },
	{ .name = "create_serialize", .type = OPT_NO_EFFECT,
	  .help = "files are always laid out one after the other" },
	{ .name = "create_fsync", .type = FL_OPT_BOOL, AT(create_fsync), .def = "1",
	  .help = "fsync each file after it was laid out" },
	{ .name = "create_on_open", .type = FL_OPT_BOOL, AT(create_on_open),
	  .help = "files that are only written come to be at open, without layout" },
	{ .name = "create_only", .type = FL_OPT_BOOL, AT(create_only),
	  .help = "lay the files out and do no I/O" },
	{ .name = "allow_file_create", .type = FL_OPT_BOOL, AT(allow_file_create), .def = "1",
	  .help = "files that are missing or too short may be made" },
	{ .name = "allow_mounted_write", .type = FL_OPT_BOOL, AT(allow_mounted_write),
	  .help = "permit writes to a block device that is mounted or in use" },
	{ .name = "fallocate", .type = FL_OPT_ENUM, AT(fallocate), .def = "native",
	  .values = fallocate_names, .help = "how space is reserved before files are written" },
	{ .name = "overwrite", .type = FL_OPT_BOOL, AT(overwrite),
	  .help = "lay files out with real data before they are written" },
	{ .name = "unlink", .type = FL_OPT_BOOL, AT(unlink), .help = "remove the files when the job has ended" },
	{ .name = "invalidate", .type = FL_OPT_BOOL, AT(invalidate), .def = "1",
	  .help = "drop what is cached of the files before the job starts" },
	{ .name = "direct", .type = FL_OPT_BOOL, AT(direct), .help = "go around the page cache (O_DIRECT)" },
	{ .name = "buffered", .type = OPT_CUSTOM, AT(direct), .parse = parse_buffered, .unit = "0 or 1",
	  .help = "the opposite of direct; the later line counts" },
	{ .name = "sync", .type = FL_OPT_ENUM, AT(sync), .def = "none", .values = sync_names,
	  .help = "what each write waits for" },
	{ .name = "fadvise_hint", .alias = "fadvise", .type = FL_OPT_ENUM, AT(advice), .def = "1",
	  .values = advice_names, .help = "what the kernel is told about the access pattern" },
	{ .name = "reopen_each_loop", .type = FL_OPT_BOOL, AT(reopen_each_loop),
	  .help = "close and open the files at every pass, inside the measured time" },
	{ .name = "end_fsync", .type = FL_OPT_BOOL, AT(end_fsync),
	  .help = "fsync written files when the job ends, inside the measured time" },
};

const struct opt_table files_options = OPT_TABLE("Files", rows, 0);

int files_open_flags(const struct files_conf *conf, uint32_t dirs)
{
	bool writes = dirs & ~(1u << DIR_READ);
	int flags = writes ? O_RDWR : O_RDONLY;

	if (writes && conf->allow_file_create)
		flags |= O_CREAT;
	if (conf->direct)
		flags |= O_DIRECT;
	if (conf->sync == FILES_SYNC_SYNC)
		flags |= O_SYNC;
	else if (conf->sync == FILES_SYNC_DSYNC)
		flags |= O_DSYNC;
	return flags | O_CLOEXEC;
}

int files_check(struct files_conf *c, char *why, size_t why_bytes)
{
	if (c->filesize.lo > c->filesize.hi) {
		uint64_t lo = c->filesize.hi;

		c->filesize.hi = c->filesize.lo;
		c->filesize.lo = lo;
	}
	if (c->reopen_each_loop && c->openfiles) {
		snprintf(why, why_bytes, "openfiles=%u: with reopen_each_loop=1 all files are open in each "
			 "pass; leave openfiles out", c->openfiles);
		return -EINVAL;
	}
	return 0;
}
