/* SPDX-License-Identifier: MIT */
/*
 * The registry of formats. Each reporter writes into memory first: only so does a failed write keep
 * its errno, since stdio forgets it as soon as the next line goes into the buffer.
 */
#include "core/report.h"

#include "core/report_json.h"
#include "core/report_normal.h"
#include "lib/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order they stand on a stream. */
static const struct reporter *const formats_all[] = {
	&reporter_json,
	&reporter_normal,
};

/* Words of fio's that name formats this version does not write. */
static const char *const formats_unsupported[] = { "json+", "terse", "minimal" };

const struct reporter *report_at(size_t i)
{
	return i < ARRAY_SIZE(formats_all) ? formats_all[i] : NULL;
}

const struct reporter *report_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++)
		if (!strcmp(formats_all[i]->name, name))
			return formats_all[i];
	return NULL;
}

static const char *name_at(void *ctx, size_t i)
{
	(void)ctx;
	return formats_all[i]->name;
}

/* Adds to why; what does not fit is cut off. */
static void say(char *why, size_t why_bytes, const char *word)
{
	size_t used = strlen(why);

	snprintf(why + used, why_bytes - used, "%s", word);
}

static void explain(const char *word, char *why, size_t why_bytes)
{
	const char *near = nearest_name(word, name_at, ARRAY_SIZE(formats_all), NULL);
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(formats_unsupported); i++)
		known |= !strcmp(word, formats_unsupported[i]);
	if (known)
		snprintf(why, why_bytes, "output format '%s' is not supported yet", word);
	else
		snprintf(why, why_bytes, "unknown output format '%s'", word);
	if (near && !known) {
		say(why, why_bytes, "; did you mean ");
		say(why, why_bytes, near);
		say(why, why_bytes, "?");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++) {
		say(why, why_bytes, i ? ", " : "; there are ");
		say(why, why_bytes, formats_all[i]->name);
	}
}

int report_parse(const char *text, report_formats *formats, char *why, size_t why_bytes)
{
	report_formats set = 0;
	const char *at = text;

	for (;;) {
		size_t length = strcspn(at, ",");
		report_formats bit = 0;

		for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++)
			if (strlen(formats_all[i]->name) == length &&
			    !memcmp(formats_all[i]->name, at, length))
				bit = 1u << i;
		if (!bit) {
			char word[32];

			snprintf(word, sizeof(word), "%.*s", (int)fl_min(length, 31u), at);
			explain(word, why, why_bytes);
			return -EINVAL;
		}
		set |= bit;
		if (!at[length])
			break;
		at += length + 1;
	}
	*formats = set;
	return 0;
}

/* A page of text in memory, and its way onto the stream. */
struct page {
	char *text;
	size_t bytes;
	FILE *file;
};

static int page_open(struct page *p)
{
	p->text = NULL;
	p->file = open_memstream(&p->text, &p->bytes);
	return p->file ? 0 : -errno;
}

static int page_send(struct page *p, FILE *out)
{
	int err = 0;

	if (fclose(p->file)) {
		err = -errno;
	} else {
		errno = 0;
		if (fwrite(p->text, 1, p->bytes, out) != p->bytes || fflush(out))
			err = errno ? -errno : -EIO;
		else if (ferror(out))
			err = -EIO;	/* from before; what was written then is lost */
	}
	free(p->text);
	return err;
}

int report_header(const struct result_section *sections, size_t count, report_formats formats,
		  FILE *out)
{
	struct page page;
	int err = page_open(&page);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++)
		if (formats & 1u << i && formats_all[i]->header)
			formats_all[i]->header(sections, count, page.file);
	return page_send(&page, out);
}

int report_layout(const char *job, uint64_t files, uint64_t bytes, report_formats formats,
		  FILE *out)
{
	struct page page;
	int err = page_open(&page);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++)
		if (formats & 1u << i && formats_all[i]->layout)
			formats_all[i]->layout(job, files, bytes, page.file);
	return page_send(&page, out);
}

int report_write(const struct result *r, report_formats formats, FILE *out)
{
	struct page page;
	int err = page_open(&page);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++)
		if (formats & 1u << i)
			formats_all[i]->final(r, page.file);
	return page_send(&page, out);
}
