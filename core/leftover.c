/* SPDX-License-Identifier: MIT */
/* Looking for data files when all jobs have ended, and naming them. */
#define _GNU_SOURCE
#include "core/leftover.h"
#include "core/reporter.h"
#include "lib/numfmt.h"
#include "os/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILES_SHOWN	16u		/* by name */
#define FILES_LOOKED_AT	10000u		/* of one job; of more it is said that there are more */

struct left_file {
	char *name;			/* owned */
	uint64_t used_bytes;		/* space it takes */
	dev_t device;
	ino_t inode;
};

struct leftover {
	bool wanted;			/* a job asked for it */
	struct left_file *files;	/* the first FILES_SHOWN; owned */
	uint32_t shown;
	uint64_t count, bytes;		/* of all that were looked at */
	bool more;
};

static bool known(const struct leftover *l, const struct file_facts *f)
{
	for (uint32_t i = 0; i < l->shown; i++)
		if (l->files[i].inode == f->inode && l->files[i].device == f->device)
			return true;
	return false;
}

static void add(struct leftover *l, const char *name)
{
	struct file_facts f;

	if (file_facts(name, &f) || f.type != FILE_REGULAR || known(l, &f))
		return;
	l->count++;
	l->bytes += f.used_bytes;
	if (l->shown == FILES_SHOWN)
		return;
	l->files[l->shown] = (struct left_file){ strdup(name), f.used_bytes, f.device, f.inode };
	l->shown += l->files[l->shown].name != NULL;
}

static void add_job(struct leftover *l, const struct plan_job *pj)
{
	char name[FILES_NAME_BYTES];

	l->wanted = true;
	if (pj->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES))
		return;
	for (uint32_t i = 0; i < pj->files.nr && i < FILES_LOOKED_AT; i++)
		add(l, files_name(&pj->files, i, name));
	l->more |= pj->files.nr > FILES_LOOKED_AT;
}

static void finish(void *self, const struct observed *run)
{
	struct leftover *l = self;

	l->files = calloc(FILES_SHOWN, sizeof(*l->files));
	for (size_t i = 0; l->files && i < run->plan->count; i++)
		if (run->plan->jobs[i].job->files.tell)
			add_job(l, &run->plan->jobs[i]);
}

static void run_text(const void *self, const struct result *r, FILE *out)
{
	const struct num_style style = { .figures = NUM_FIGURES_DEFAULT };
	const struct leftover *l = self;

	(void)r;
	if (!l->wanted)
		return;
	fprintf(out, "Data files: %s%" PRIu64 " left, %s of disk space%s\n",
		l->more ? "more than " : "", l->count, num_bytes(l->bytes, style).s,
		l->count ? ":" : "");
	for (uint32_t i = 0; i < l->shown; i++) {
		fprintf(out, "  %9s  ", num_bytes(l->files[i].used_bytes, style).s);
		reporter_text(l->files[i].name, out);
		fputc('\n', out);
	}
	if (l->count > l->shown)
		fprintf(out, "  and %" PRIu64 " more\n", l->count - l->shown);
}

static void run_json(const void *self, const struct result *r, struct json *doc)
{
	const struct leftover *l = self;

	(void)r;
	if (!l->wanted)
		return;
	json_object(doc, "data_files");
	json_u64(doc, "count", l->count);
	json_u64(doc, "bytes", l->bytes);
	json_array(doc, "files");
	for (uint32_t i = 0; i < l->shown; i++) {
		json_object(doc, NULL);
		json_str(doc, "name", l->files[i].name);
		json_u64(doc, "bytes", l->files[i].used_bytes);
		json_end(doc);
	}
	json_end(doc);
	json_end(doc);
}

static void done(void *self)
{
	struct leftover *l = self;

	for (uint32_t i = 0; i < l->shown; i++)
		free(l->files[i].name);
	free(l->files);
}

const struct observer leftover_observer = {
	.name = "leftover", .state_bytes = sizeof(struct leftover), .finish = finish,
	.run_text = run_text, .run_json = run_json, .done = done,
};
