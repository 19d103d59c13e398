/* SPDX-License-Identifier: MIT */
/* One walk over the lines, whatever the file. */
#include "lib/keyline.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS	" \t"

const char *keyline_find(const char *text, const char *key, char mark)
{
	size_t n = strlen(key);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const char *rest = text + n;

		if (strncmp(text, key, n))
			continue;
		if (mark != ' ')
			rest += strspn(rest, BLANKS);
		if (*rest == mark)
			return rest + 1 + strspn(rest + 1, BLANKS);
	}
	return NULL;
}

bool keyline_u64(const char *text, const char *key, char mark, uint64_t *value)
{
	const char *at = keyline_find(text, key, mark);

	if (at)
		*value = strtoull(at, NULL, 10);
	return at;
}
