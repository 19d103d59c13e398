/* SPDX-License-Identifier: MIT */
/*
 * The registry of formats. Each reporter writes into memory first: only so does a failed write keep
 * its errno, since stdio forgets it as soon as the next line goes into the buffer.
 */
#include "core/report.h"

#include "core/report_json.h"
#include "core/report_jsonl.h"
#include "core/report_normal.h"
#include "core/report_terse.h"
#include "lib/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order they stand on a stream. */
static const struct reporter *const formats_all[] = {
	&reporter_jsonl,
	&reporter_terse,
	&reporter_json,
	&reporter_json_plus,
	&reporter_normal,
};

/* The word that fio has for it, too. */
static const char terse_alias[] = "minimal";

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

report_formats report_bit(const struct reporter *format)
{
	size_t i = 0;

	while (formats_all[i] != format)
		i++;
	return 1u << i;
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

	snprintf(why, why_bytes, "unknown output format '%s'", word);
	if (near) {
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

/* The bit of the format that is called so; 0 if none is. */
static report_formats format_bit(const char *name, size_t length)
{
	if (length == strlen(terse_alias) && !memcmp(name, terse_alias, length))
		return report_bit(&reporter_terse);
	for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++)
		if (strlen(formats_all[i]->name) == length &&
		    !memcmp(formats_all[i]->name, name, length))
			return 1u << i;
	return 0;
}

int report_parse(const char *text, report_formats *formats, char *why, size_t why_bytes)
{
	report_formats set = 0;
	const char *at = text;

	for (;;) {
		size_t length = strcspn(at, ",");
		report_formats bit = format_bit(at, length);

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
	/* They are one document: the fuller one. */
	if (set & report_bit(&reporter_json_plus))
		set &= ~report_bit(&reporter_json);
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

bool report_has_intervals(report_formats formats)
{
	return formats & report_bit(&reporter_jsonl);
}

int report_intervals(const struct periods *p, FILE *out)
{
	struct page page;
	int err = page_open(&page);

	if (err)
		return err;
	report_jsonl_interval(p, page.file);
	return page_send(&page, out);
}

int report_write(const struct result *r, report_formats formats, const struct reporter_how *how,
		 FILE *out)
{
	struct page page;
	int err = page_open(&page);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(formats_all); i++)
		if (formats & 1u << i)
			formats_all[i]->final(r, how, page.file);
	return page_send(&page, out);
}
