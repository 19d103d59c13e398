/* SPDX-License-Identifier: MIT */
/*
 * Telling on standard error what the program does, by topic (--debug=LIST), for whoever looks for a
 * fault in a job, an engine or in here.
 */
#ifndef CORE_DEBUG_H
#define CORE_DEBUG_H

#include "lib/base.h"

enum debug_topic {
	DEBUG_PROCESS,		/* workers start, stop and die */
	DEBUG_FILE,		/* files are planned, made, opened and closed */
	DEBUG_IO,		/* each request: slow, and made so by the telling */
	DEBUG_ENGINE,		/* queues open and close; what engines say */
	DEBUG_PARSE,		/* each setting of each job */
	DEBUG_TOPICS
};

/*
 * debug_choose - add the topics of a list ("file,io"; "all") to those that are told. Before any
 * fork. Returns 0, or -EINVAL with a sentence in why that lists the topics.
 */
int debug_choose(const char *list, char *why, size_t why_bytes);

/* debug_on - is this topic told? */
bool debug_on(enum debug_topic topic);

/* debug_say - one line, without its newline; nothing if the topic is not told. From any process. */
void debug_say(enum debug_topic topic, const char *fmt, ...) fl_printf(2, 3);

#endif
