/* SPDX-License-Identifier: MIT */
/*
 * The files of a job: their names, how large they are to be, which part of each the job works on,
 * and laying them out before the clock starts.
 *
 * Names are generated when needed and never stored, so that a million files cost a few bytes each.
 * What exists already is kept: a file that is too short grows, its old bytes stay.
 */
#ifndef CORE_FILES_H
#define CORE_FILES_H

#include "core/opt.h"
#include "os/layout.h"

enum files_sync { FILES_SYNC_NONE = 0, FILES_SYNC_SYNC = 1, FILES_SYNC_DSYNC = 2 };

struct files_conf {
	const char *filename;		/* ':' list, "\:" is a colon; NULL: generated */
	const char *directory;		/* ':' list; NULL: the current directory */
	uint32_t nrfiles;
	uint32_t openfiles;		/* 0: all of them */
	struct amount size;		/* all files together */
	struct range filesize;		/* each file */
	struct amount offset;
	uint32_t create_fsync, create_on_open, create_only;
	uint32_t allow_file_create, allow_mounted_write;
	uint32_t fallocate;		/* enum layout_alloc */
	uint32_t overwrite;
	uint32_t unlink;
	uint32_t invalidate;
	uint32_t direct;
	uint32_t sync;			/* enum files_sync */
	uint32_t advice;		/* enum fl_advice; FILES_ADVICE_BY_RW: by the kind of rw */
	uint32_t reopen_each_loop;
	uint32_t end_fsync;
};

#define FILES_ADVICE_BY_RW	100
#define FILES_NAME_BYTES	4096
#define FILES_NR_MAX		100000000u

extern const struct opt_table files_options;

/* One file as planned. */
struct file_plan {
	uint64_t start;			/* first byte of the job */
	uint64_t bytes;			/* how many from there */
	uint64_t size;			/* of the target, after layout */
	uint64_t have;			/* size it has now */
	uint8_t type;			/* enum fl_file_type */
	uint8_t layout;			/* enum files_layout */
};

enum files_layout {
	FILES_KEEP = 0,			/* large enough, or made by the first write */
	FILES_ALLOCATE = 1,		/* give it its size; the job will write it */
	FILES_WRITE = 2,		/* write real data beyond what it has */
};

/* The files of one job (one clone). */
struct file_set {
	const struct files_conf *conf;
	const char *job;		/* name of the section, for generated names */
	uint32_t clone;			/* number among the clones of the section */
	uint32_t nr;
	char **names;			/* of filename=, nr of them; NULL: generated */
	char *dir;			/* folder of this clone, with its '/', or "" */
	struct file_plan *plan;		/* nr of them */
	uint64_t bytes;			/* of all plans */
	bool full_size;			/* as files_need says */
};

/* What the plan must know of the job beyond the files' own options. */
struct files_need {
	uint32_t dirs;			/* bit per enum fl_op direction */
	uint64_t block_min;
	bool no_files;			/* the engine has no targets (FL_CAP_NO_FILES) */
	bool names;			/* targets are only names (FL_CAP_NAMES) */
	bool full_size;			/* files must be at full size before a write too */
	uint64_t seed;			/* for sizes drawn from a range */
	/* size of a target by the engine; NULL: the kernel is asked. 0, -ENOENT, -errno */
	int (*size_of)(void *ctx, const char *name, uint64_t *bytes);
	void *ctx;
};

/*
 * files_plan - work out the set: names, sizes, ranges, what layout each needs. Touches nothing.
 * Returns 0, or -errno with a sentence in why that names the file or option, what was found, what to do.
 * On failure too files_free() must be called.
 */
int files_plan(struct file_set *set, const struct files_conf *conf, const char *job, uint32_t clone,
	       const struct files_need *need, char *why, size_t why_bytes);
void files_free(struct file_set *set);

/* files_name - the path of file i into buf (FILES_NAME_BYTES). Returns buf. */
const char *files_name(const struct file_set *set, uint32_t i, char *buf);

/* files_wanted - how many files layout makes or makes longer, and by how many bytes in all. */
void files_wanted(const struct file_set *set, uint32_t *files, uint64_t *bytes);

/*
 * files_layout - create, allocate, write as planned. progress (NULL: none) is told of the bytes written
 * since the last call; it ends the layout by returning other than 0. note gets remarks, "" if none.
 * Returns 0, or -errno with a sentence in why.
 */
int files_layout(const struct file_set *set, uint64_t seed, int (*progress)(void *ctx, uint64_t bytes),
		 void *ctx, char *note, size_t note_bytes, char *why, size_t why_bytes);

/* files_open_flags - the O_* flags the job's files are opened with. */
int files_open_flags(const struct files_conf *conf, uint32_t dirs);

/* files_check - bounds that need more than one row. 0, or -EINVAL with a sentence in why. */
int files_check(struct files_conf *c, char *why, size_t why_bytes);

#endif
