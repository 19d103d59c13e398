/* SPDX-License-Identifier: MIT */
/* Every engine is asked for a row of the name. */
#include "core/owners.h"

#include "core/engines.h"

#include <stdio.h>
#include <string.h>

#define LIST_BYTES	256

struct search {
	const char *option;
	char *list;
	size_t bytes, used;
	unsigned found;
};

static void look(void *ctx, const char *name, const struct engine *e, const char *why)
{
	struct search *s = ctx;
	size_t room = s->bytes - s->used;
	int n;

	(void)why;
	if (!e || opt_find(&e->opts, s->option) < 0)
		return;
	n = snprintf(s->list + s->used, room, "%s%s", s->found++ ? ", " : "", name);
	s->used += fl_min((size_t)n, room - 1);
}

unsigned owners_list(const char *option, char *list, size_t list_bytes)
{
	struct search s = { .option = option, .list = list, .bytes = list_bytes };

	list[0] = '\0';
	engines_each(look, &s);
	return s.found;
}

bool owners_explain(const char *option, const char *engine, char *why, size_t why_bytes)
{
	char list[LIST_BYTES];
	unsigned n = owners_list(option, list, sizeof(list));

	if (!n)
		return false;
	if (engine)
		snprintf(why, why_bytes, "'%s' is an option of engine%s %s, not of %s", option,
			 n > 1 ? "s" : "", list, engine);
	else
		snprintf(why, why_bytes, "'%s' is an option of engine%s %s: choose %s with "
			 "ioengine=, before it", option, n > 1 ? "s" : "", list,
			 n > 1 ? "one" : "it");
	return true;
}
