/* SPDX-License-Identifier: MIT */
/* queue/scheduler of a disk: "none [mq-deadline] kyber bfq". */
#define _GNU_SOURCE 1
#include "os/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "os/blockdev.h"

#define ATTR	"queue/scheduler"

int scheduler_look(const char *root, dev_t disk, struct scheduler *s)
{
	char text[SCHEDULER_LIST_BYTES], *save = NULL;
	int ret = blockdev_attr(root, disk, ATTR, text, sizeof(text));
	size_t at = 0;

	memset(s, 0, sizeof(*s));
	if (ret < 0)
		return ret;
	for (char *word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		size_t len = strlen(word);

		if (word[0] == '[' && word[len - 1] == ']') {
			word[len - 1] = '\0';
			word++;
			snprintf(s->now, sizeof(s->now), "%s", word);
		}
		at += (size_t)snprintf(s->all + at, sizeof(s->all) - at, "%s%s", at ? ", " : "",
				       word);
		if (at >= sizeof(s->all))
			break;
	}
	return s->now[0] ? 0 : -ENOENT;
}

int scheduler_set(const char *root, dev_t disk, const char *name)
{
	struct scheduler s;
	int err = blockdev_set_attr(root, disk, ATTR, name);

	if (!err)
		err = scheduler_look(root, disk, &s);
	if (!err && strcmp(s.now, name))
		err = -EINVAL;	/* some kernels refuse without a word */
	return err;
}
