/* SPDX-License-Identifier: MIT */
/* Going through a log once. */
#include "core/replay_facts.h"
#include "core/sizes.h"
#include "lib/grow.h"
#include "lib/rand.h"
#include "os/blockdev.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

typedef unsigned long long ull;

/* ---- Names ----------------------------------------------------------------------------------- */

static uint64_t hash_of(struct span name)
{
	uint64_t h = name.len, word;

	for (; name.len >= sizeof(word); name = span_from(name, sizeof(word))) {
		memcpy(&word, name.at, sizeof(word));
		h = rand_mix64(h ^ word);
	}
	word = 0;
	memcpy(&word, name.at, name.len);
	return rand_mix64(h ^ word);
}

static bool same_name(const struct replay_file *file, struct span name)
{
	return file->name_len == name.len && !memcmp(file->name, name.at, name.len);
}

/* The place of a name in the table, or the free one where it belongs. */
static uint32_t *slot_of(const struct replay_facts *f, struct span name)
{
	uint32_t mask = f->table_room - 1, i = (uint32_t)hash_of(name) & mask;

	while (f->table[i] && !same_name(&f->files[f->table[i] - 1], name))
		i = (i + 1) & mask;
	return &f->table[i];
}

static int grow_table(struct replay_facts *f)
{
	uint32_t room = f->table_room ? 2 * f->table_room : 16;
	uint32_t *table = calloc(room, sizeof(*table));

	if (!table)
		return -ENOMEM;
	free(f->table);
	f->table = table;
	f->table_room = room;
	for (uint32_t i = 0; i < f->nr; i++)
		*slot_of(f, span_of(f->files[i].name)) = i + 1;
	return 0;
}

/* One more file. Returns its index, or -ENOMEM. */
static int64_t add_file(struct replay_facts *f, struct span name, uint32_t device)
{
	struct replay_file *files = grow(f->files, f->nr, sizeof(*files));
	char *copy;

	if (!files)
		return -ENOMEM;
	f->files = files;
	copy = strndup(name.at, name.len);
	if (!copy)
		return -ENOMEM;
	f->files[f->nr] = (struct replay_file){
		.name = copy, .name_len = name.len, .device = device,
	};
	f->nr++;
	if (2 * f->nr <= f->table_room)
		*slot_of(f, name) = f->nr;
	else if (grow_table(f))
		return -ENOMEM;
	return (int64_t)f->nr - 1;
}

static int64_t find_device(struct replay_facts *f, uint32_t device)
{
	if (f->last < f->nr && f->files[f->last].device == device)
		return f->last;
	for (uint32_t i = 0; i < f->nr; i++)
		if (f->files[i].device == device)
			return f->last = i;
	return -1;
}

int64_t replay_facts_find(struct replay_facts *f, const struct replay_entry *e)
{
	uint32_t found;

	if (f->redirect)
		return 0;
	if (!f->nr)
		return -1;
	if (e->of_trace)
		return find_device(f, e->device);
	if (likely(same_name(&f->files[f->last], e->name)))
		return f->last;
	found = *slot_of(f, e->name);
	if (!found)
		return -1;
	return f->last = found - 1;
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* "FILE:LINE", or the like for a trace. */
static int at_entry(const struct replay_log *log, char *why, size_t why_bytes)
{
	return snprintf(why, why_bytes, log->version ? "%s:%llu: " : "%s: record %llu: ",
			log->path, (ull)log->line);
}

static int no_memory(const struct replay_log *log, char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "%s: no memory for the names of its files", log->path);
	return -ENOMEM;
}

/* Here, devices go by names; in a trace, by numbers of the machine it was made on. */
static int64_t add_device(struct replay_facts *f, const struct replay_log *log, uint32_t device,
			  char *why, size_t why_bytes)
{
	uint32_t major = blktrace_major(device), minor = blktrace_minor(device);
	struct blockdev b;
	char name[BLOCKDEV_NAME_BYTES + 8];
	int64_t i;

	if (blockdev_find("", makedev(major, minor), &b)) {
		at_entry(log, why, why_bytes);
		snprintf(why + strlen(why), why_bytes - strlen(why), "device %u:%u is none of this "
			 "machine; say with replay_redirect= where to replay it", major, minor);
		return -ENODEV;
	}
	snprintf(name, sizeof(name), "/dev/%s", b.name);
	i = add_file(f, span_of(name), device);
	return i < 0 ? no_memory(log, why, why_bytes) : i;
}

/* The file of an entry, made where that is right. Returns its index, or -errno with a sentence. */
static int64_t file_of(struct replay_facts *f, const struct replay_log *log,
		       const struct replay_entry *e, char *why, size_t why_bytes)
{
	int64_t i = replay_facts_find(f, e);

	if (i >= 0 && (f->redirect || e->of_trace || f->files[i].added))
		return i;
	if (e->of_trace)
		return add_device(f, log, e->device, why, why_bytes);
	if (e->action != IOLOG_ADD) {
		int n = at_entry(log, why, why_bytes);

		snprintf(why + n, why_bytes - (size_t)n, "file %s has not been added; a line '%s%s "
			 "add' is expected before", parse_show(e->name).text,
			 log->version == 3 ? "TIME " : "", parse_show(e->name).text);
		return -EINVAL;
	}
	if (f->nr >= REPLAY_FILES_MAX || e->name.len >= REPLAY_PATH_BYTES ||
	    memchr(e->name.at, '\0', e->name.len)) {
		int n = at_entry(log, why, why_bytes);

		snprintf(why + n, why_bytes - (size_t)n, "%s", f->nr >= REPLAY_FILES_MAX ?
			 "there are more than 1000000 files" : "that is no name of a file");
		return -EINVAL;
	}
	i = add_file(f, e->name, 0);
	return i < 0 ? no_memory(log, why, why_bytes) : i;
}

static void range_add(uint64_t *lo, uint64_t *hi, uint64_t v)
{
	*lo = *hi ? fl_min(*lo, v) : v;
	*hi = fl_max(*hi, v);
}

static void note_io(struct replay_facts *f, struct replay_file *file, const struct replay_entry *e,
		    uint64_t times)
{
	uint64_t end = e->offset + e->len;

	f->dirs |= 1u << e->action;
	f->ios[e->action] += times;
	f->bytes[e->action] += e->len * times;
	file->dirs |= 1u << e->action;
	file->end = fl_max(file->end, end);
	if (e->action == IOLOG_TRIM) {
		range_add(&f->trim_min, &f->trim_max, e->len);
		return;
	}
	range_add(&f->len_min, &f->len_max, e->len);
	if (e->action == IOLOG_WRITE) {
		file->written_end = fl_max(file->written_end, end);
		return;
	}
	file->read_end = fl_max(file->read_end, end);
	if (end > file->written_end)
		file->lacks_end = fl_max(file->lacks_end, end);
}

/* Of traces, with replay_align: what has been rounded up may be too much. */
static int too_far(const struct replay_log *log, const struct replay_entry *e, char *why,
		   size_t why_bytes)
{
	int n = at_entry(log, why, why_bytes);

	snprintf(why + n, why_bytes - (size_t)n, "a %s ends beyond the largest file",
		 iolog_action_name(e->action));
	return -EINVAL;
}

static int too_large(const struct replay_log *log, const struct replay_entry *e, char *why,
		     size_t why_bytes)
{
	int n = at_entry(log, why, why_bytes);

	snprintf(why + n, why_bytes - (size_t)n, "a %s of %llu bytes is larger than any I/O may "
		 "be (%llu)", iolog_action_name(e->action), (ull)e->len, SIZES_BYTES_MAX);
	return -EINVAL;
}

static int note(struct replay_facts *f, const struct replay_log *log, const struct replay_entry *e,
		uint64_t times, char *why, size_t why_bytes)
{
	int64_t i = file_of(f, log, e, why, why_bytes);

	if (i < 0)
		return (int)i;
	f->end_ns = fl_max(f->end_ns, e->at_ns);
	switch (e->action) {
	case IOLOG_ADD:
		f->files[i].added = true;
		break;
	case IOLOG_OPEN:
		f->files[i].opens = true;
		break;
	case IOLOG_READ:
	case IOLOG_WRITE:
		if (e->len > SIZES_BYTES_MAX)
			return too_large(log, e, why, why_bytes);
		/* fall through */
	case IOLOG_TRIM:
		if (e->len > INT64_MAX - e->offset)
			return too_far(log, e, why, why_bytes);
		note_io(f, &f->files[i], e, times);
		break;
	default:
		f->syncs += iolog_is_io(e->action) ? times : 0;
	}
	return 0;
}

int replay_facts_gather(struct replay_facts *f, struct replay_log *log, uint64_t times, char *why,
			size_t why_bytes)
{
	struct replay_entry e;
	int ret;

	while ((ret = replay_log_next(log, &e, why, why_bytes)) > 0) {
		ret = note(f, log, &e, times, why, why_bytes);
		if (ret)
			return ret;
	}
	return ret;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

int replay_facts_init(struct replay_facts *f, const char *redirect)
{
	memset(f, 0, sizeof(*f));
	if (!redirect)
		return 0;
	if (add_file(f, span_of(redirect), 0) < 0)
		return -ENOMEM;
	f->redirect = f->files[0].name;
	return 0;
}

void replay_facts_free(struct replay_facts *f)
{
	for (uint32_t i = 0; i < f->nr; i++)
		free(f->files[i].name);
	free(f->files);
	free(f->table);
	memset(f, 0, sizeof(*f));
}
