/* SPDX-License-Identifier: MIT */
/*
 * A job file as a command line. What is printed means the same when it is run: values are quoted
 * for a shell, ioengine comes before the engine's own options, and a job that saw more global
 * settings than the one before it gets them through --name=global.
 */
#include "core/spec.h"

#include <string.h>

/* Characters that no shell gives a meaning to. */
static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=.,:/%@^";

	return text[strspn(text, plain)] == '\0';
}

static void show_value(const char *text, FILE *out)
{
	if (is_plain(text)) {
		fputs(text, out);
		return;
	}
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	}
	fputc('\'', out);
}

static void show_pair(const char *name, const char *value, FILE *out)
{
	fprintf(out, " --%s", name);
	if (!value)
		return;
	fputc('=', out);
	show_value(value, out);
}

static bool is_engine(const char *name)
{
	return !strcmp(name, "ioengine");
}

static void show_setting(void *ctx, const char *name, const struct setting *s)
{
	/* --name would begin a job of its own: the section's name has to do. */
	if (!is_engine(name) && strcmp(name, "name"))
		show_pair(name, s->value, ctx);
}

static void show_settings(const struct settings *s, FILE *out)
{
	for (size_t i = s->count; i-- > 0;) {
		if (is_engine(s->list[i].name)) {
			show_pair(s->list[i].name, s->list[i].value, out);
			break;
		}
	}
	settings_echo(s, NULL, show_setting, out);
}

void spec_show(const struct spec *s, const char *program, FILE *out)
{
	const struct section *before = NULL;

	for (size_t i = 0; i < s->count; i++) {
		const struct section *now = &s->sections[i];
		struct settings fresh = now->global;

		if (!now->at.file)
			continue;
		if (!before || before->file != now->file) {
			fprintf(out, "%s%s", before ? "\n" : "", program);
		} else if (now->global.count > before->global.count) {
			fresh.list += before->global.count;
			fresh.count -= before->global.count;
			fputs(" --name=global", out);
		} else {
			fresh = (struct settings){ NULL, 0 };
		}
		show_settings(&fresh, out);
		show_pair("name", now->name, out);
		show_settings(&now->own, out);
		before = now;
	}
	if (before)
		fputc('\n', out);
}
