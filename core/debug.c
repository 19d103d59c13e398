/* SPDX-License-Identifier: MIT */
/*
 * One line, one write: the lines of several workers do not mix. The chosen topics are a global of
 * the process, inherited by its workers, because they belong to no job.
 */
#include "core/debug.h"

#include "lib/parse_err.h"
#include "lib/printable.h"
#include "lib/span.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES	512	/* what is longer is cut */

static const char *const names[DEBUG_TOPICS] = {
	[DEBUG_PROCESS] = "process", [DEBUG_FILE] = "file", [DEBUG_IO] = "io",
	[DEBUG_ENGINE] = "engine", [DEBUG_PARSE] = "parse",
};

static unsigned told;	/* a bit per topic */

static unsigned topics_of(struct span word)
{
	if (span_is(word, "all"))
		return (1u << DEBUG_TOPICS) - 1;
	for (unsigned i = 0; i < DEBUG_TOPICS; i++)
		if (span_is(word, names[i]))
			return 1u << i;
	return 0;
}

/* What does not fit is cut. */
static void add_text(char *text, size_t text_bytes, const char *word, const char *after)
{
	size_t used = strlen(text);

	snprintf(text + used, text_bytes - used, "%s%s", word, after);
}

int debug_choose(const char *list, char *why, size_t why_bytes)
{
	struct span rest = span_of(list), word;
	unsigned chosen = 0;

	while (span_next(&rest, ",", &word)) {
		unsigned topics = topics_of(span_trim(word));

		if (!topics) {
			snprintf(why, why_bytes, "there is no topic '%s'; there are ",
				 parse_show(word).text);
			for (int i = 0; i < DEBUG_TOPICS; i++)
				add_text(why, why_bytes, names[i], ", ");
			add_text(why, why_bytes, "all", "");
			return -EINVAL;
		}
		chosen |= topics;
	}
	told |= chosen;
	return 0;
}

bool debug_on(enum debug_topic topic)
{
	return told >> topic & 1;
}

void debug_say(enum debug_topic topic, const char *fmt, ...)
{
	char line[LINE_BYTES];
	int head, body;
	size_t bytes;
	va_list ap;

	if (!debug_on(topic))
		return;
	head = snprintf(line, sizeof(line), "%-7s %d ", names[topic], (int)getpid());
	va_start(ap, fmt);
	body = vsnprintf(line + head, sizeof(line) - (size_t)head, fmt, ap);
	va_end(ap);
	bytes = fl_min((size_t)head + (size_t)fl_max(body, 0), sizeof(line) - 1);
	printable_fix(line, bytes);
	line[bytes] = '\n';
	/* Nobody could be told that telling failed. */
	if (write(STDERR_FILENO, line, bytes + 1) < 0)
		return;
}
