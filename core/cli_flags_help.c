/* SPDX-License-Identifier: MIT */
/* The subjects in the order in which a reader needs them. */
#include "core/cli_flags_help.h"

#include <string.h>

static const struct {
	const char *title;
	const char *names;		/* a blank around each */
} groups[] = {
	{ "What is run", " section readonly no-exec warnings-fatal strict aux-path engine-path " },
	{ "Before the run", " explain parse-only showcmd list-examples example " },
	{ "Results", " output output-format minimal append-terse terse-version confidence slowest "
	  "junit env env-redact " },
	{ "While it runs", " eta eta-interval eta-newline status-interval metrics-file "
	  "bandwidth-log idle-prof trigger-file trigger-timeout trigger trigger-remote debug " },
	{ "Help", " cmdhelp enghelp version help " },
	{ "Tools", " inflate-log cpuclock-test engine-test depth opts only " },
};

const char *cli_flag_group(size_t i)
{
	return i < ARRAY_SIZE(groups) ? groups[i].title : NULL;
}

static bool names(size_t group, const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", name);
	return strstr(groups[group].names, word);
}

static bool belongs(const struct cli_flag *flag, size_t group)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		any |= names(i, flag->name);
	return names(group, flag->name) || (!any && group == ARRAY_SIZE(groups) - 1);
}

/* Those that the subject names, in its order; then the strangers. */
static const char *next_name(const char *at, char *name, size_t bytes)
{
	size_t len;

	at += strspn(at, " ");
	len = strcspn(at, " ");
	snprintf(name, bytes, "%.*s", (int)len, at);
	return len ? at + len : NULL;
}

const struct cli_flag *cli_flag_in_group(size_t i, size_t k)
{
	const struct cli_flag *flag;
	const char *at = groups[i].names;
	char name[64];

	while ((at = next_name(at, name, sizeof(name)))) {
		flag = cli_flag_by_name(name);
		if (flag && flag->help && !k--)
			return flag;
	}
	for (size_t n = 0; (flag = cli_flag_at(n)); n++)
		if (flag->help && !names(i, flag->name) && belongs(flag, i) && !k--)
			return flag;
	return NULL;
}

const char *cli_flag_words(const struct cli_flag *flag)
{
	static const struct {
		const char *name, *words;
	} lists[] = {
		{ "eta", "auto always never" }, { "env", "short full none" },
		{ "debug", "process file io engine parse all" }, { "terse-version", "2 3 4 5" },
		{ "explain", "all" }, { "idle-prof", "system percpu calibrate" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (!strcmp(lists[i].name, flag->name))
			return lists[i].words;
	return NULL;
}
