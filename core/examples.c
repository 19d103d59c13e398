/* SPDX-License-Identifier: MIT */
/* The table that make wrote from examples/, and looking into it. */
#include "core/examples.h"
#include "lib/nearest.h"

#include <errno.h>
#include <string.h>

/* Written by make (gen/examples.c), ended by a row without a name. */
extern const struct example examples_embedded[];

const struct example *examples_at(size_t i)
{
	for (size_t k = 0; examples_embedded[k].name; k++)
		if (k == i)
			return &examples_embedded[k];
	return NULL;
}

const char *examples_sentence(const struct example *e, size_t *len)
{
	size_t line = strcspn(e->text, "\n");
	const char *colon = memchr(e->text, ':', line);
	const char *at = colon ? colon + 1 : e->text;

	at += strspn(at, " ");
	*len = (size_t)(e->text + line - at);
	return at;
}

void examples_list(FILE *out)
{
	const struct example *e;
	const char *sentence;
	size_t len;

	for (size_t i = 0; (e = examples_at(i)); i++) {
		sentence = examples_sentence(e, &len);
		fprintf(out, "%-18s  %.*s\n", e->name, (int)len, sentence);
	}
}

static const char *name_of(void *ctx, size_t i)
{
	(void)ctx;
	return examples_at(i)->name;
}

int examples_print(const char *name, FILE *out, char *why, size_t why_bytes)
{
	const struct example *e;
	const char *near;
	size_t n;

	for (n = 0; (e = examples_at(n)); n++) {
		if (strcmp(e->name, name))
			continue;
		fputs(e->text, out);
		return 0;
	}
	near = nearest_name(name, name_of, n, NULL);
	snprintf(why, why_bytes, "there is no example of this name; %s%s%s", near ?
		 "did you mean '" : "--list-examples has them all", near ? near : "",
		 near ? "'?" : "");
	return -ENOENT;
}
