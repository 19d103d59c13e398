/* SPDX-License-Identifier: MIT */
/*
 * Planning and laying out the files of a job.
 *
 * Sizes follow the rules job files were written for: size is shared equally among the files,
 * filesize is each file's own (or drawn from a range), neither means what exists.
 */
#define _GNU_SOURCE
#include "core/files.h"
#include "core/debug.h"
#include "fio-like/engine.h"
#include "lib/rand.h"
#include "os/file.h"
#include "os/fstype.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static int facts_error(const char *name, int err, char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "file %s: %s%s", name, strerror(-err), err == -EACCES ?
		 "; who may read it is told by ls -l, and devices are mostly root's" : "");
	return err;
}

/* The same, of a target that only its engine knows. A device that is not there cannot be made. */
static int look_by_engine(const char *name, const struct files_need *need, struct file_plan *p,
			  bool *exists, char *why, size_t why_bytes)
{
	int err;

	p->type = need->names ? FL_FILE_NAME : need->device ? FL_FILE_CHAR : FL_FILE_REGULAR;
	err = need->size_of(need->ctx, name, &p->have, why, why_bytes);
	*exists = err == 0;
	if (!err || (err == -ENOENT && !need->device)) {
		why[0] = '\0';
		return 0;
	}
	return why[0] ? err : facts_error(name, err, why, why_bytes);
}

/*
 * filetype: is all that must be known of a file said by options? Not where it may have to be made
 * first, or where a size is one that it has.
 */
static bool is_trusted(const struct files_conf *c, const struct files_need *need)
{
	bool sized = (c->size.bytes || c->filesize.lo) && !(c->size.percent > 0) &&
		     c->filesize.lo == c->filesize.hi && !(c->offset.percent > 0) &&
		     !(c->offset_increment.percent > 0) && !c->append && !c->fill;
	bool laid_out = need->dirs & 1u << DIR_READ || c->overwrite || need->full_size ||
			!c->create_on_open;

	if (c->filetype == FILES_TYPE_ASK || need->size_of || !sized)
		return false;
	return c->filetype != FL_FILE_REGULAR || !c->allow_file_create || !laid_out;
}

/* Neither a file nor a device. What is at fault is whatever made the name. */
static int wrong_type(const struct names_conf *c, const char *name, enum file_type type, char *why,
		      size_t why_bytes)
{
	char from[128] = "filename=";

	if (c->format && !c->filename)
		snprintf(from, sizeof(from), "filename_format=%.80s: ", c->format);
	snprintf(why, why_bytes, "%s%s: it is a %s; give a file or a device%s", from, name,
		 file_type_name(type),
		 type == FILE_DIRECTORY ? ", or directory= for a folder" : "");
	return -EISDIR;
}

/* What is there now: type and size. A missing file is a regular one of 0 bytes. */
static int look(const struct file_set *set, const char *name, const struct files_need *need,
		struct file_plan *p, bool *exists, char *why, size_t why_bytes)
{
	struct file_facts facts;
	int err;

	if (need->size_of)
		return look_by_engine(name, need, p, exists, why, why_bytes);
	err = file_facts(name, &facts);
	if (err)
		return facts_error(name, err, why, why_bytes);
	*exists = facts.type != FILE_MISSING;
	p->have = facts.size_bytes;
	switch (facts.type) {
	case FILE_BLOCK:
		p->type = FL_FILE_BLOCK;
		break;
	case FILE_CHAR:
		p->type = FL_FILE_CHAR;
		break;
	case FILE_FIFO:
		p->type = FL_FILE_PIPE;
		break;
	case FILE_DIRECTORY:
	case FILE_OTHER:
		return wrong_type(&set->conf->names, name, facts.type, why, why_bytes);
	default:
		p->type = FL_FILE_REGULAR;
	}
	return 0;
}

static uint64_t percent_of(double percent, uint64_t bytes)
{
	return (uint64_t)((double)bytes * percent / 100.0);
}

/* Bytes of an amount that is no percentage. */
static uint64_t bytes_of(const struct files_need *need, const char *name, const struct amount *a)
{
	return a->zones ? a->zones * need->zone_bytes_of(need->zones, name) : a->bytes;
}

/*
 * Where the part begins. Percentages are taken of what the file has now; what comes of them is
 * rounded up to offset_align, or to the smallest block.
 */
static uint64_t plan_start(struct file_set *set, const struct files_need *need, const char *name,
			   const struct file_plan *p)
{
	const struct files_conf *c = set->conf;
	const struct amount *off = &c->offset, *step = &c->offset_increment;
	bool by_percent = off->percent > 0 || step->percent > 0;
	uint64_t align = c->offset_align ? c->offset_align : need->block_min, start;

	if (c->append && p->type == FL_FILE_REGULAR)
		return p->have;
	start = off->percent > 0 ? percent_of(off->percent, p->have) : bytes_of(need, name, off);
	if (set->names.clone)
		start += set->names.clone * (step->percent > 0 ? percent_of(step->percent, p->have)
							       : bytes_of(need, name, step));
	if (!by_percent)
		return start;
	if (!p->have)
		snprintf(set->note, sizeof(set->note), "a percentage as %s counts as 0: file %.60s "
			 "has no size yet", off->percent > 0 ? "offset" : "offset_increment", name);
	return start % align ? start + align - start % align : start;
}

/* How much the device may take, without an end known before. */
static uint64_t plan_endless(const struct file_set *set, const struct files_need *need,
			     const struct file_plan *p)
{
	uint64_t share = (INT64_MAX - p->start) / set->nr;

	return share - share % need->block_min;
}

/* The part of the file: start and bytes, before any clipping. */
static int plan_range(struct file_set *set, const struct files_need *need, const char *name,
		      struct rand *r, struct file_plan *p, char *why, size_t why_bytes)
{
	const struct files_conf *c = set->conf;
	uint64_t share = c->size.percent > 0 ? 0 : bytes_of(need, name, &c->size) / set->nr;
	uint64_t whole = p->have;

	if (c->filesize.lo) {
		whole = c->filesize.lo;
		if (p->have >= c->filesize.lo && p->have <= c->filesize.hi)
			whole = p->have;
		else if (c->filesize.hi > c->filesize.lo)
			whole += rand_below(r, c->filesize.hi - c->filesize.lo + 1);
	}
	p->start = plan_start(set, need, name, p);
	if (share && !c->filesize.lo) {
		p->bytes = share;
		return 0;
	}
	if (c->fill && !c->filesize.lo && !(c->size.percent > 0) && !need->no_files &&
	    p->type == FL_FILE_REGULAR) {
		if (need->full_size && !c->overwrite && !(need->dirs & 1u << DIR_READ)) {
			snprintf(why, why_bytes, "fill_device=1: the engine wants to know how "
				 "large file %s will be; give size=, or use another "
				 "ioengine", name);
			return -EINVAL;
		}
		p->bytes = plan_endless(set, need, p);
		return 0;
	}
	if (p->start > whole || (p->start == whole && whole)) {
		snprintf(why, why_bytes, "%s=%llu: file %s ends at %llu bytes; %s",
			 c->append ? "file_append: offset" : "offset", (ull)p->start, name,
			 (ull)whole, c->append ? "say with size= how much is to be appended" :
			 "begin before that");
		return -EINVAL;
	}
	p->bytes = whole - p->start;
	if (c->size.percent > 0 && c->size.percent < 100) {
		p->bytes = fl_min(percent_of(c->size.percent, whole), p->bytes);
		p->bytes -= p->bytes % need->block_min;
	}
	return 0;
}

/* Is there a part of the job's part that was never written, and may that be changed? */
static bool lacks_data(const char *name, const struct file_plan *p)
{
	return p->type == FL_FILE_REGULAR && !file_may(name, true, true) &&
	       layout_lacking(name, p->start, p->bytes) > 0;
}

/* Too short, or not there: may it be made, and how? */
static int plan_layout(const struct file_set *set, const struct files_need *need, const char *name,
		       bool exists, struct file_plan *p, char *why, size_t why_bytes)
{
	const struct files_conf *c = set->conf;
	bool reads = need->dirs & 1u << DIR_READ;
	char fs[32];

	p->size = p->start + p->bytes;
	if (p->have >= p->size && exists) {
		p->size = p->have;
		if (c->overwrite && c->allow_file_create && lacks_data(name, p))
			p->layout = FILES_MEND;
		return 0;
	}
	if (p->type == FL_FILE_BLOCK || p->type == FL_FILE_NAME || need->device) {
		if (p->type == FL_FILE_NAME && !exists && c->allow_file_create) {
			p->layout = FILES_WRITE;
			return 0;
		}
		snprintf(why, why_bytes, "%s has %llu bytes, but the job needs %llu (offset %llu + "
			 "size %llu); lower size or offset", name, (ull)p->have, (ull)p->size,
			 (ull)p->start, (ull)p->bytes);
		return -ENOSPC;
	}
	if (p->type != FL_FILE_REGULAR)
		return 0;
	if (fstype_of_kernel(name)) {
		snprintf(why, why_bytes, "file %s is one of the kernel's own (%s): it is neither "
			 "made nor made longer; %s", name, fstype_name(name, fs, sizeof(fs)),
			 exists ? "lower size or offset" : "name another");
		return -EPERM;
	}
	if (!c->allow_file_create) {
		const char *by = c->readonly ? "--readonly" : "allow_file_create=0";

		if (exists)
			snprintf(why, why_bytes, "file %s has %llu bytes, but the job needs %llu, "
				 "and %s forbids to make it longer", name, (ull)p->have,
				 (ull)p->size, by);
		else
			snprintf(why, why_bytes, "file %s does not exist, and %s forbids to make "
				 "it", name, by);
		return -ENOENT;
	}
	if (reads || c->overwrite)
		p->layout = c->fill ? FILES_FILL : FILES_WRITE;
	else if (c->fill && !need->full_size)
		p->layout = FILES_KEEP;
	else if (need->full_size || !c->create_on_open)
		p->layout = FILES_ALLOCATE;
	return 0;
}

/* What the run will want of the file is asked for now, before anything of any job has happened. */
static int check_access(const struct files_need *need, const char *name, const struct file_plan *p,
			char *why, size_t why_bytes)
{
	bool write = need->dirs & ~(1u << DIR_READ) || p->layout != FILES_KEEP;
	int err = file_may(name, true, write);

	if (err)
		snprintf(why, why_bytes, "file %s may not be %s: %s", name,
			 !write ? "read" : p->have ? "read and written" : "made or written",
			 strerror(-err));
	return err;
}

static const char *const layout_words[] = {
	[FILES_KEEP] = "nothing is to be made", [FILES_ALLOCATE] = "space is to be reserved",
	[FILES_WRITE] = "it is to be written first", [FILES_FILL] = "the device is to be filled",
	[FILES_MEND] = "what was never written of it is to be written first",
};

/* Its type is trusted, if one is given; but not against what was seen. */
static int check_type(const struct files_conf *c, const char *name, const struct file_plan *p,
		      bool exists, char *why, size_t why_bytes)
{
	static const char *const types[] = {
		[FL_FILE_REGULAR] = "regular file", [FL_FILE_BLOCK] = "block device",
		[FL_FILE_CHAR] = "character device", [FL_FILE_PIPE] = "pipe",
	};

	if (c->filetype == FILES_TYPE_ASK || c->filetype == p->type || !exists)
		return 0;
	snprintf(why, why_bytes, "filetype: file %s is a %s, not a %s", name,
		 p->type < ARRAY_SIZE(types) && types[p->type] ? types[p->type] : "name",
		 types[c->filetype]);
	return -EINVAL;
}

bool files_trusted(const struct file_set *set, uint32_t i)
{
	const struct file_plan *p = &set->plan[i];

	return set->conf->filetype == p->type && p->dirs & ~(1u << DIR_READ);
}

int files_type_holds(const struct file_set *set, const char *name, char *why, size_t why_bytes)
{
	const struct files_need need = { 0 };
	struct file_plan now = { 0 };
	bool exists;
	int err = look(set, name, &need, &now, &exists, why, why_bytes);

	return err ? err : check_type(set->conf, name, &now, exists, why, why_bytes);
}

static int plan_one(struct file_set *set, const struct files_need *need, struct rand *r, uint32_t i,
		    char *why, size_t why_bytes)
{
	struct file_plan *p = &set->plan[i];
	char name[FILES_NAME_BYTES];
	bool exists = true, trusted = !need->no_files && is_trusted(set->conf, need);
	int err = 0;

	p->dirs = (uint8_t)need->dirs;
	files_name(set, i, name);
	if (strlen(name) + 1 >= FILES_NAME_BYTES) {
		snprintf(why, why_bytes, "the path of file %u has more than %d bytes", i,
			 FILES_NAME_BYTES - 2);
		return -ENAMETOOLONG;
	}
	if (trusted)
		p->type = (uint8_t)set->conf->filetype;
	else if (!need->no_files)
		err = look(set, name, need, p, &exists, why, why_bytes);
	if (!err && !trusted && !need->no_files)
		err = check_type(set->conf, name, p, exists, why, why_bytes);
	if (err)
		return err;
	err = plan_range(set, need, name, r, p, why, why_bytes);
	if (err)
		return err;
	/* An empty file among others is left alone. */
	if (!p->bytes && exists && !p->have && set->nr > 1)
		return 0;
	if (!p->bytes) {
		if (exists && !need->no_files && p->have)
			snprintf(why, why_bytes, "file %s: nothing is left of its %llu bytes to "
				 "work on; check size and offset", name, (ull)p->have);
		else
			snprintf(why, why_bytes, "no size is given, and %s%s; say how much with "
				 "size= or filesize=", need->no_files ? "the engine has no files "
				 "to take one from" : exists ? name : "there is no file ",
				 need->no_files ? "" : exists ? " has none of its own" : name);
		return -EINVAL;
	}
	if (p->start + p->bytes < p->start || p->start + p->bytes > INT64_MAX) {
		snprintf(why, why_bytes, "offset %llu and size %llu end beyond the largest file",
			 (ull)p->start, (ull)p->bytes);
		return -EFBIG;
	}
	if (trusted)
		p->size = p->have = p->start + p->bytes;
	if (trusted || need->no_files)
		return 0;
	err = plan_layout(set, need, name, exists, p, why, why_bytes);
	debug_say(DEBUG_FILE, "job %s: %s: has %llu bytes, %llu are used from %llu on, %s",
		  set->names.job, name, (ull)p->have, (ull)p->bytes, (ull)p->start,
		  layout_words[p->layout]);
	if (err || (need->size_of && !need->device))
		return err;
	return check_access(need, name, p, why, why_bytes);
}

/*
 * The same for a file that a log names. Only what is read before it is written has to be there; a
 * file that is only written comes to be by that, unless the engine wants its size.
 */
static int plan_given(struct file_set *set, const struct files_need *need, uint32_t i, char *why,
		      size_t why_bytes)
{
	const struct files_given *given = &need->given[i];
	struct file_plan *p = &set->plan[i];
	struct files_need own = *need;
	char name[FILES_NAME_BYTES];
	bool exists = true;
	int err = 0;

	files_name(set, i, name);
	own.dirs = given->dirs ? given->dirs : 1u << DIR_READ;
	p->dirs = (uint8_t)own.dirs;
	if (!need->no_files)
		err = look(set, name, need, p, &exists, why, why_bytes);
	if (err || need->no_files) {
		p->bytes = p->size = given->end;
		return err;
	}
	if (exists && p->type != FL_FILE_REGULAR && p->type != FL_FILE_PIPE &&
	    p->have < given->end) {
		snprintf(why, why_bytes, "read_iolog: %s has %llu bytes, but the log reaches to "
			 "%llu; bring it down with replay_scale= and replay_align=, or choose "
			 "another with replay_redirect=", name, (ull)p->have, (ull)given->end);
		return -ENOSPC;
	}
	p->bytes = p->type == FL_FILE_REGULAR && !need->full_size ? given->needs : given->end;
	err = plan_layout(set, &own, name, exists, p, why, why_bytes);
	if (p->layout != FILES_KEEP && !need->full_size && !given->needs &&
	    given->dirs & ~(1u << DIR_READ))
		p->layout = FILES_KEEP;
	p->bytes = given->end;
	debug_say(DEBUG_FILE, "log: %s: has %llu bytes, the log reaches to %llu, %s", name,
		  (ull)p->have, (ull)p->bytes, layout_words[p->layout]);
	if (err || (need->size_of && !need->device))
		return err;
	return check_access(&own, name, p, why, why_bytes);
}

static const char *given_name(const void *ctx, uint32_t i)
{
	return ((const struct files_given *)ctx)[i].name;
}

/* Folders that a name makes are fio's way; they should surprise nobody. */
static void note_folders(struct file_set *set)
{
	char name[FILES_NAME_BYTES];
	char *slash;

	if (set->names.clone || !names_folders(&set->names))
		return;
	files_name(set, 0, name);
	slash = strrchr(name, '/');
	if (slash)
		*slash = '\0';
	snprintf(set->note, sizeof(set->note), "the '/' in the name of its files means folders: "
		 "they lie in %.80s", name);
}

static void nothing_fits(const struct file_set *set, const struct files_need *need, char *why,
			 size_t why_bytes)
{
	const struct files_conf *c = set->conf;
	char of[64] = "";

	if (c->filesize.lo)
		snprintf(of, sizeof(of), " of filesize=%llu", (ull)c->filesize.lo);
	else if (c->size.bytes)
		snprintf(of, sizeof(of), " of size=%llu in %u file%s", (ull)c->size.bytes, set->nr,
			 set->nr == 1 ? "" : "s");
	if (set->bytes)
		snprintf(why, why_bytes, "bs=%llu is larger than any file's share (%llu bytes%s); "
			 "lower bs or raise size", (ull)need->block_min, (ull)set->plan[0].bytes,
			 of);
	else
		snprintf(why, why_bytes, "no size is given, and all of its files are empty; say "
			 "how much with size= or filesize=");
}

int files_plan(struct file_set *set, const struct files_conf *conf, const char *job, uint32_t clone,
	       const struct files_need *need, char *why, size_t why_bytes)
{
	bool sized = conf->size.bytes || conf->size.zones || conf->filesize.lo || conf->fill;
	struct rand r;
	bool fits = false;
	int err;

	memset(set, 0, sizeof(*set));
	set->conf = conf;
	set->full_size = need->full_size;
	rand_seed(&r, need->seed, (1ull << 32) + clone);
	if (need->given)
		err = names_init_given(&set->names, &conf->names, clone, need->nr_given,
				       given_name, need->given, why, why_bytes);
	else
		err = names_init(&set->names, &conf->names, job, clone, sized, why, why_bytes);
	set->nr = set->names.nr;
	if (!err) {
		set->plan = calloc(set->nr, sizeof(*set->plan));
		err = set->plan ? 0 : -ENOMEM;
	}
	if (!err && !need->no_files && !need->names && !need->given)
		note_folders(set);
	for (uint32_t i = 0; !err && i < set->nr; i++) {
		err = need->given ? plan_given(set, need, i, why, why_bytes) :
		      plan_one(set, need, &r, i, why, why_bytes);
		set->bytes += set->plan[i].bytes;
		fits |= need->given || set->plan[i].bytes >= need->block_min;
	}
	if (!err && !fits) {
		nothing_fits(set, need, why, why_bytes);
		err = -EINVAL;
	}
	if (err == -ENOMEM && !why[0])
		snprintf(why, why_bytes, "no memory for the plan of %u files", set->nr);
	return err;
}

void files_free(struct file_set *set)
{
	names_free(&set->names);
	free(set->plan);
	memset(set, 0, sizeof(*set));
}
