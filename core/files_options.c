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

static const struct fl_opt_value lock_names[] = {
	{ "none", FILES_LOCK_NONE, "files are not locked" },
	{ "exclusive", FILES_LOCK_EXCLUSIVE, "one job at a time works on a file" },
	{ "readwrite", FILES_LOCK_READWRITE, "many may read, or one may write or trim" },
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
	{ "dontneed-behind", FILES_ADVICE_BEHIND,
	  "sequential, and drop what was read or written fadvise_distance bytes ago" },
	{ "willneed-ahead", FILES_ADVICE_AHEAD,
	  "sequential, and fetch what will be read fadvise_distance bytes ahead" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value type_names[] = {
	{ "none", FILES_TYPE_ASK, "ask for each file" },
	{ "file", FL_FILE_REGULAR, "regular files" },
	{ "block", FL_FILE_BLOCK, "block devices" },
	{ "char", FL_FILE_CHAR, "character devices" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value life_names[] = {
	{ "none", 1, "nothing can be said of it" },
	{ "short", 2, "short" },
	{ "medium", 3, "longer" },
	{ "long", 4, "long" },
	{ "extreme", 5, "as good as for ever" },
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
	{ .name = "filename", .type = OPT_STR_LIST, AT(names.filename),
	  .help = "file or device; several are separated by ':'",
	  .more = "Write '\\:' for a colon that belongs to the name. Relative names lie in "
		  "directory, or the current directory. All clones of the job share them. Default: "
		  "names made from the job's name, its clone's number and the file's number." },
	{ .name = "directory", .type = FL_OPT_STR, AT(names.directory),
	  .help = "folder of the files; with several (':'), clones take turns" },
	{ .name = "filename_format", .type = FL_OPT_STR, AT(names.format),
	  .help = "pattern of generated names; default $jobname.$jobnum.$filenum",
	  .more = "$jobname is the name of the section, $jobnum the number of the clone, $filenum "
		  "that of the file; $clientuid is empty. Folders in it are made. Jobs whose names "
		  "come out the same share their files." },
	{ .name = "unique_filename", .type = OPT_NO_EFFECT,
	  .help = "it is for jobs that a remote client sends; local names stay as they are" },
	{ .name = "opendir", .type = FL_OPT_STR, AT(names.opendir),
	  .help = "work on all regular files below this folder",
	  .more = "In the order of their names, after those of filename; nrfiles takes only the "
		  "first. Symbolic links are not followed. Empty files are left out unless a size "
		  "is given. The folder is not looked for below directory." },
	{ .name = "filetype", .type = FL_OPT_ENUM, AT(filetype), .def = "none",
	  .values = type_names, .help = "what all files of the job are, without asking",
	  .more = "With size or filesize neither is asked how large they are, where that is not "
		  "needed to make them: regular files that are there (allow_file_create=0), or "
		  "come to be at open (create_on_open=1); devices. Setting up then costs nothing "
		  "per file. What is said must be true; whether a file is a device after all is "
		  "looked at once more when it is opened for writing." },
	{ .name = "nrfiles", .alias = "nr_files", .type = FL_OPT_U32, AT(names.nr), .min = 1,
	  .max = FILES_NR_MAX,
	  .help = "number of files the job works on; default 1, or all that are named" },
	{ .name = "openfiles", .type = FL_OPT_U32, AT(openfiles), .max = FILES_NR_MAX,
	  .help = "how many of them are open at once; 0 is all",
	  .more = "Lowered to what the descriptor limit leaves, with a note." },
	{ .name = "size", .type = OPT_AMOUNT, AT(size), .arg = 100, .unit = "bytes",
	  .help = "size of all files together, from the offset on",
	  .more = "A percentage is taken of files that exist. 0 or not given: what exists. "
		  "With filesize the files are as large as that says, and size is how many bytes "
		  "of them a loop goes over; the next goes on from there." },
	{ .name = "filesize", .type = OPT_RANGE_SIZE, AT(filesize), .min = 1, .max = INT64_MAX,
	  .unit = "bytes", .help = "size of each file; a range draws each at random" },
	{ .name = "offset", .alias = "fileoffset", .type = OPT_AMOUNT, AT(offset), .arg = 100,
	  .unit = "bytes",
	  .help = "first byte of each file that is used; a percentage is taken of its size",
	  .more = "Of the size it has before the job; what comes of a percentage is rounded up, as "
		  "offset_align says." },
	{ .name = "offset_align", .type = FL_OPT_SIZE, AT(offset_align), .max = INT64_MAX,
	  .help = "round offsets that are percentages up to this; 0 is the smallest block" },
	{ .name = "offset_increment", .type = OPT_AMOUNT, AT(offset_increment), .arg = 100,
	  .unit = "bytes", .help = "added to the offset for each clone but the first",
	  .more = "Clone n of a job (numjobs) begins n times this behind offset." },
	{ .name = "file_append", .type = FL_OPT_BOOL, AT(append),
	  .help = "begin at the end of what a file holds; offset does not count" },
	{ .name = "fill_device", .alias = "fill_fs", .type = FL_OPT_BOOL, AT(fill),
	  .help = "go on until no space is left, which is no error then",
	  .more = "Without size there is no other end. Jobs that read fill the device first, and "
		  "then work on what could be written." },
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
	{ .name = "fallocate", .type = FL_OPT_ENUM, AT(fallocate), .def = "native",
	  .values = fallocate_names, .help = "how space is reserved before files are written" },
	{ .name = "overwrite", .type = FL_OPT_BOOL, AT(overwrite),
	  .help = "lay files out with real data before they are written",
	  .more = "Also what an old file has only space for, or not even that, is written "
		  "first; what it holds is kept." },
	{ .name = "unlink", .type = FL_OPT_BOOL, AT(unlink),
	  .help = "remove the files when the job has ended" },
	{ .name = "tell_files", .type = FL_OPT_BOOL, AT(tell),
	  .help = "say at the end of the run where the files are, and how large" },
	{ .name = "unlink_each_loop", .type = FL_OPT_BOOL, AT(unlink_each_loop),
	  .help = "remove the files after each pass but the last; the next one makes them anew" },
	{ .name = "invalidate", .type = FL_OPT_BOOL, AT(invalidate), .def = "1",
	  .help = "drop what is cached of the files before the job starts" },
	{ .name = "pre_read", .type = FL_OPT_BOOL, AT(pre_read),
	  .help = "read the files into the cache before the job starts; invalidate does not "
		  "count" },
	{ .name = "lockfile", .type = FL_OPT_ENUM, AT(lock), .def = "none", .values = lock_names,
	  .help = "lock a file while I/O to it is in flight",
	  .more = "By flock(2), against all other jobs that do the same, processes and threads. "
		  "The wait for a lock is part of the I/O's latency." },
	{ .name = "write_hint", .type = FL_OPT_ENUM, AT(write_hint), .values = life_names,
	  .help = "tell the kernel how long what is written will live, compared with other data",
	  .more = "By fcntl(F_SET_RW_HINT), of each file that is opened to be written; whoever "
		  "writes the file then has it. Not given: nothing is said." },
	{ .name = "direct", .type = FL_OPT_BOOL, AT(direct),
	  .help = "go around the page cache (O_DIRECT)" },
	{ .name = "atomic", .type = FL_OPT_BOOL, AT(atomic),
	  .help = "write each block whole or not at all (RWF_ATOMIC); implies direct",
	  .more = "Linux 6.11 and a device that can; only with engines that pass it on "
		  "(pvsync2)." },
	{ .name = "buffered", .type = OPT_CUSTOM, AT(direct), .parse = parse_buffered,
	  .unit = "0 or 1", .help = "the opposite of direct; the later line counts" },
	{ .name = "sync", .type = FL_OPT_ENUM, AT(sync), .def = "none", .values = sync_names,
	  .help = "what each write waits for" },
	{ .name = "fadvise_hint", .alias = "fadvise", .type = FL_OPT_ENUM, AT(advice), .def = "1",
	  .values = advice_names, .help = "what the kernel is told about the access pattern",
	  .more = "Of a mapping (ioengine=mmap) it is told by madvise(2). The two that go along "
		  "with the job need sequential I/O; the time they take lies between I/Os." },
	{ .name = "fadvise_distance", .type = FL_OPT_SIZE, AT(advice_distance), .min = 4096,
	  .max = INT64_MAX / 4, .def = "1m", .unit = "bytes",
	  .help = "how far behind or ahead of the job dontneed-behind and willneed-ahead work" },
	{ .name = "reopen_each_loop", .type = FL_OPT_BOOL, AT(reopen_each_loop),
	  .help = "close and open the files at every pass, inside the measured time" },
	{ .name = "end_fsync", .type = FL_OPT_BOOL, AT(end_fsync),
	  .help = "fsync written files when the job ends, inside the measured time" },
	{ .name = "end_syncfs", .type = FL_OPT_BOOL, AT(end_syncfs),
	  .help = "write their file system back when the job ends, inside the measured time",
	  .more = "By syncfs(2), once for each file system, instead of an fsync per file; block "
		  "devices get an fsync." },
	{ .name = "fsync_on_close", .type = FL_OPT_BOOL, AT(fsync_on_close),
	  .help = "fsync a file that was written at each close, also when openfiles closes it" },
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

uint32_t files_advice(const struct files_conf *c, bool random)
{
	if (c->advice != FILES_ADVICE_BY_RW)
		return c->advice;
	return random ? FL_ADVICE_RANDOM : FL_ADVICE_SEQUENTIAL;
}

const char *files_advice_name(uint32_t advice)
{
	for (const struct fl_opt_value *v = advice_names; v->name; v++)
		if (v->value == advice && v->name[0] > '9')
			return v->name;
	return "none";
}

/* Options that contradict each other. */
static int check_pairs(const struct files_conf *c, const struct files_use *use, char *why,
		       size_t why_bytes)
{
	const uint32_t reads = use->dirs & 1u << DIR_READ;

	if (c->reopen_each_loop && c->openfiles)
		snprintf(why, why_bytes, "openfiles=%u: with reopen_each_loop=1 all files are open "
			 "in each pass; leave openfiles out", c->openfiles);
	else if (c->unlink_each_loop && reads && use->passes)
		snprintf(why, why_bytes, "unlink_each_loop=1: the second pass would find nothing "
			 "to read; use loops=1 without time_based, or write only");
	else if (c->unlink_each_loop && use->passes && !c->allow_file_create)
		snprintf(why, why_bytes, "unlink_each_loop=1: allow_file_create=0 forbids to make "
			 "the files again; leave one of them out");
	else if (c->fill && !reads && !c->overwrite && use->random && !c->size.bytes &&
		 !(c->size.percent > 0) && !c->filesize.lo)
		snprintf(why, why_bytes, "fill_device=1: random writes need an end; give size=, or "
			 "write sequentially");
	else if (files_goes_along(c) && use->random)
		snprintf(why, why_bytes, "fadvise_hint=%s: random I/O has no behind and no ahead; "
			 "use it with rw=read, write, rw or trimwrite",
			 files_advice_name(c->advice));
	else
		return 0;
	return -EINVAL;
}

int files_check(struct files_conf *c, const char *job, const struct files_use *use, char *why,
		size_t why_bytes)
{
	int err;

	if (c->filesize.lo > c->filesize.hi) {
		uint64_t lo = c->filesize.hi;

		c->filesize.hi = c->filesize.lo;
		c->filesize.lo = lo;
	}
	c->direct |= c->atomic;
	err = names_check(&c->names, job, why, why_bytes);
	if (!err)
		err = check_pairs(c, use, why, why_bytes);
	if (!err && files_goes_along(c) && c->direct) {
		snprintf(why, why_bytes, "fadvise_hint=%s has no effect: direct=1 leaves nothing "
			 "in the page cache", files_advice_name(c->advice));
		return 1;
	}
	if (err || !c->append || (!c->offset.bytes && !(c->offset.percent > 0)))
		return err;
	snprintf(why, why_bytes, "offset has no effect: file_append=1 begins at "
		 "the end of each file");
	return 1;
}

bool files_full(const struct files_conf *c, uint32_t op, int err)
{
	return c->fill && op == FL_OP_WRITE && (err == -ENOSPC || err == -EDQUOT);
}
