/* SPDX-License-Identifier: MIT */
/* What parsers left behind, as text that a test can compare. Valid until the next call. */
#ifndef T_SAID_H
#define T_SAID_H

#include "core/diag.h"
#include "core/spec.h"

#include <stdio.h>
#include <string.h>

/* said_by - all complaints of d, as they are printed. */
__attribute__((unused)) static const char *said_by(struct diag *d)
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	memset(text, 0, sizeof(text));
	diag_print(d, out);
	fclose(out);
	return text;
}

/* said_settings - the settings as "a=1 b c=3". */
__attribute__((unused)) static const char *said_settings(const struct settings *s)
{
	static char text[1024];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < s->count; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s%s%s", i ? " " : "",
				      s->list[i].name, s->list[i].value ? "=" : "",
				      s->list[i].value ? s->list[i].value : "");
	return text;
}

#endif
