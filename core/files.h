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

#include "core/names.h"
#include "core/opt.h"
#include "os/layout.h"

enum files_sync { FILES_SYNC_NONE = 0, FILES_SYNC_SYNC = 1, FILES_SYNC_DSYNC = 2 };

/* lockfile= */
enum files_lock { FILES_LOCK_NONE = 0, FILES_LOCK_EXCLUSIVE = 1, FILES_LOCK_READWRITE = 2 };

struct files_conf {
	struct names_conf names;
	uint32_t openfiles;		/* 0: all of them */
	struct amount size;		/* all files together */
	struct range filesize;		/* each file */
	struct amount offset;
	uint64_t offset_align;		/* of percentages; 0: the smallest block */
	struct amount offset_increment;	/* per clone */
	uint32_t append;		/* the part used begins at the end of what exists */
	uint32_t fill;			/* until the device is full */
	uint32_t create_fsync, create_on_open, create_only;
	uint32_t allow_file_create;
	bool readonly;			/* --readonly: as allow_file_create=0, by another name */
	uint32_t fallocate;		/* enum layout_alloc */
	uint32_t overwrite;
	uint32_t unlink, unlink_each_loop;
	uint32_t tell;			/* where they are is said at the end */
	uint32_t invalidate, pre_read;
	uint32_t lock;			/* enum files_lock */
	uint32_t filetype;		/* enum fl_file_type of all files; FILES_TYPE_ASK */
	uint32_t write_hint;		/* as file_write_hint() has it; 0: none is given */
	uint32_t direct, atomic;
	uint32_t sync;			/* enum files_sync */
	uint32_t advice;		/* enum fl_advice, or one of ours below */
	uint64_t advice_distance;	/* of the advice that is given as the job goes, bytes */
	uint32_t reopen_each_loop;
	uint32_t end_fsync, end_syncfs, fsync_on_close;
};

/* Advice that engines do not know: by the kind of rw; and as the job goes along (trail.h). */
#define FILES_ADVICE_BY_RW	100
#define FILES_ADVICE_BEHIND	101
#define FILES_ADVICE_AHEAD	102
#define FILES_TYPE_ASK		255	/* filetype: each file is looked at */
#define FILES_NAME_BYTES	NAMES_BYTES
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
	uint8_t dirs;			/* bit per direction: what is done to it */
};

enum files_layout {
	FILES_KEEP = 0,			/* large enough, or made by the first write */
	FILES_ALLOCATE = 1,		/* give it its size; the job will write it */
	FILES_WRITE = 2,		/* write real data beyond what it has */
	FILES_FILL = 3,			/* write until the device is full, or size is reached */
	FILES_MEND = 4,			/* write real data where its part of the file has none */
};

/* The files of one job (one clone). */
struct file_set {
	const struct files_conf *conf;
	struct names names;
	uint32_t nr;
	struct file_plan *plan;		/* nr of them */
	uint64_t bytes;			/* of all plans */
	bool full_size;			/* as files_need says */
	bool to_end;			/* I/O goes on to the ends of files (zonemode=strided) */
	uint64_t zone_bytes;		/* zonemode=zbd: of a zone; else 0 */
	char note[160];			/* a remark for the user; "" if there is none */
};

/* A file that a log names (replay.h), in place of what the options say. */
struct files_given {
	const char *name;		/* copied by files_plan() */
	uint32_t dirs;			/* bit per direction; 0: it is only opened or synced */
	uint64_t end;			/* what is done to it reaches so far, bytes */
	uint64_t needs;			/* so many bytes must be there before */
};

/* What the plan must know of the job beyond the files' own options. */
struct files_need {
	uint32_t dirs;			/* bit per enum fl_op direction */
	uint64_t block_min;
	bool no_files;			/* the engine has no targets (FL_CAP_NO_FILES) */
	bool names;			/* targets are only names (FL_CAP_NAMES) */
	bool device;			/* targets are device-DAX devices (FL_CAP_DEVDAX) */
	bool full_size;			/* files must be at full size before a write too */
	uint64_t seed;			/* for sizes drawn from a range */
	const struct files_given *given;	/* nr_given files; NULL: they are by the options */
	uint32_t nr_given;
	/*
	 * Size of a target by the engine; NULL: the kernel is asked. 0, -ENOENT, other -errno; why:
	 * a sentence if there is one.
	 */
	int (*size_of)(void *ctx, const char *name, uint64_t *bytes, char *why, size_t why_bytes);
	/* How large a zone of it is, for amounts in zones; NULL: there are none. */
	uint64_t (*zone_bytes_of)(const void *zones, const char *name);
	const void *zones;
	void *ctx;
};

/*
 * files_plan - work out the set: names, sizes, ranges, what layout each needs. Touches nothing.
 * Returns 0, or -errno with a sentence in why that names the file or option, what was found, what
 * to do. On failure too files_free() must be called.
 */
int files_plan(struct file_set *set, const struct files_conf *conf, const char *job, uint32_t clone,
	       const struct files_need *need, char *why, size_t why_bytes);
void files_free(struct file_set *set);

/* files_name - the path of file i into buf (FILES_NAME_BYTES). Returns buf. */
fl_inline const char *files_name(const struct file_set *set, uint32_t i, char *buf)
{
	return names_get(&set->names, i, buf);
}

/* files_reach - how many bytes of file i, from its start on, I/O may touch. */
fl_inline uint64_t files_reach(const struct file_set *set, uint32_t i)
{
	const struct file_plan *p = &set->plan[i];

	return set->to_end && p->size > p->start ? p->size - p->start : p->bytes;
}

/* files_wanted - how many files layout makes or makes longer, and by how many bytes in all. */
void files_wanted(const struct file_set *set, uint32_t *files, uint64_t *bytes);

/*
 * files_room - is there room for what files_layout() is going to write or reserve? Returns 0, or
 * -ENOSPC with a sentence in why. fill_device and files of holes need none.
 */
int files_room(const struct file_set *set, char *why, size_t why_bytes);

/*
 * files_layout - create, allocate, write as planned. progress (NULL: none) is told of the bytes
 * written since the last call; it ends the layout by returning other than 0. note gets remarks, ""
 * if none. Where a full device was the end (fill_device), the plan is corrected to what was
 * reached. Returns 0, or -errno with a sentence in why.
 */
int files_layout(struct file_set *set, uint64_t seed, int (*progress)(void *ctx, uint64_t bytes),
		 void *ctx, char *note, size_t note_bytes, char *why, size_t why_bytes);

/*
 * files_trusted - is a file written to of which filetype says what it is?
 * files_type_holds - is that so, of the file that has this name now? Returns 0, or -errno with
 * a sentence in why.
 */
bool files_trusted(const struct file_set *set, uint32_t i);
int files_type_holds(const struct file_set *set, const char *name, char *why, size_t why_bytes);

/*
 * files_unlink - remove the regular files. anew: where they must have their full size, they are
 * made again at once, empty of data. Returns 0, or -errno; a file that is not there is no error.
 */
int files_unlink(const struct file_set *set, bool anew);

/* files_open_flags - the O_* flags the job's files are opened with. */
int files_open_flags(const struct files_conf *conf, uint32_t dirs);

/* How a job goes about its files, as far as their options care. */
struct files_use {
	uint32_t dirs;			/* bit per enum fl_op direction */
	bool random;
	bool passes;			/* it may go over its files more than once */
};

/*
 * files_check - bounds that need more than one row. job: name of the section.
 * 0, or -EINVAL with a sentence in why, or 1 with a note in why.
 */
int files_check(struct files_conf *c, const char *job, const struct files_use *use, char *why,
		size_t why_bytes);

/*
 * files_advice - the advice in force, by the kind of rw where that decides: enum fl_advice, or
 * FILES_ADVICE_BEHIND, FILES_ADVICE_AHEAD.
 * files_advice_name - its word in fadvise_hint. Never NULL.
 */
uint32_t files_advice(const struct files_conf *c, bool random);
const char *files_advice_name(uint32_t advice);
/* files_goes_along - is advice to be given as the job goes (trail.h)? */
fl_inline bool files_goes_along(const struct files_conf *c)
{
	return c->advice == FILES_ADVICE_BEHIND || c->advice == FILES_ADVICE_AHEAD;
}

/* files_full - is this the error at which fill_device ends the job? err: -errno; op: enum fl_op. */
bool files_full(const struct files_conf *c, uint32_t op, int err);

#endif
