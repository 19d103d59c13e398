/* SPDX-License-Identifier: MIT */
/* Reading a file and naming it, in one step. */
#include "os/sysfacts.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/keyline.h"
#include "os/sys.h"

#define TEXT_BYTES	4096

/* Reads root + path into text, blanks around it dropped. Returns its beginning, "" if none. */
static char *read_at(char text[TEXT_BYTES], const char *root, const char *path, va_list ap)
{
	char at[PATH_MAX];
	int n = snprintf(at, sizeof(at), "%s/", root);
	size_t len;

	text[0] = '\0';
	if (n >= PATH_MAX || n + vsnprintf(at + n, sizeof(at) - (size_t)n, path, ap) >= PATH_MAX)
		return text;
	sys_read_text(at, text, TEXT_BYTES);
	len = strlen(text);
	while (len && strchr(" \t\n", text[len - 1]))
		text[--len] = '\0';
	return text + strspn(text, " \t\n");
}

bool sysfacts_text(struct facts *f, const char *name, unsigned int flags, const char *root,
		   const char *path, ...)
{
	char room[TEXT_BYTES], *text;
	va_list ap;

	if (flags & f->without)
		return false;
	va_start(ap, path);
	text = read_at(room, root, path, ap);
	va_end(ap);
	facts_text(f, name, text, flags);
	return *text;
}

bool sysfacts_u64(struct facts *f, const char *name, unsigned int flags, uint64_t scale,
		  const char *root, const char *path, ...)
{
	char room[TEXT_BYTES], *text;
	va_list ap;

	if (flags & f->without)
		return false;
	va_start(ap, path);
	text = read_at(room, root, path, ap);
	va_end(ap);
	if (*text < '0' || *text > '9')
		return false;
	facts_u64(f, name, strtoull(text, NULL, 10) * scale, flags);
	return true;
}

bool sysfacts_bool(struct facts *f, const char *name, unsigned int flags, const char *root,
		   const char *path, ...)
{
	static const char *const yes[] = { "1", "Y", "y", "on" };
	char room[TEXT_BYTES], *text;
	bool is = false;
	va_list ap;

	if (flags & f->without)
		return false;
	va_start(ap, path);
	text = read_at(room, root, path, ap);
	va_end(ap);
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		is |= !strcmp(text, yes[i]);
	if (*text)
		facts_bool(f, name, is, flags);
	return *text;
}

bool sysfacts_choice(struct facts *f, const char *name, unsigned int flags, const char *root,
		     const char *path, ...)
{
	char room[TEXT_BYTES], word[TEXT_BYTES], *text;
	va_list ap;

	if (flags & f->without)
		return false;
	va_start(ap, path);
	text = read_at(room, root, path, ap);
	va_end(ap);
	facts_text(f, name, sys_choice(text, word, sizeof(word)) ? word : text, flags);
	return *text;
}

bool sysfacts_line(const char *text, const char *key, char *out, size_t out_bytes)
{
	const char *rest = keyline_find(text, key, ':');

	if (rest)
		snprintf(out, out_bytes, "%.*s", (int)strcspn(rest, "\n"), rest);
	return rest;
}
