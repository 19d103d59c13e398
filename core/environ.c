/* SPDX-License-Identifier: MIT */
/* Nothing is remembered: a job file asks a handful of times, and the answers are cheap. */
#include "core/environ.h"

#include "os/cpu.h"
#include "os/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *environ_var(void *ctx, const char *name)
{
	(void)ctx;
	return getenv(name);
}

/* The text lives until the next call, which is all that subst_env asks for. */
static const char *environ_keyword(void *ctx, const char *name)
{
	static char text[24];
	struct cpus online;
	uint64_t v;

	(void)ctx;
	if (!strcmp(name, "pagesize"))
		v = mem_page_size();
	else if (!strcmp(name, "mb_memory"))
		v = mem_total() >> 20;
	else if (!strcmp(name, "ncpus"))
		v = cpus_online(&online);
	else
		return NULL;
	snprintf(text, sizeof(text), "%" PRIu64, v);
	return text;
}

const struct subst_env *environ_subst(void)
{
	static const struct subst_env env = { .var = environ_var, .keyword = environ_keyword };

	return &env;
}
