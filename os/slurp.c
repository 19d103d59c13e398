/* SPDX-License-Identifier: MIT */
/* Read until there is no more: a size asked for beforehand would be a lie for pipes and /proc. */
#include "os/slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define SLURP_FIRST_BYTES	4096

/* Makes room for one more byte than is there. Returns 0 or -ENOMEM. */
static int slurp_room(char **text, size_t len, size_t *room)
{
	size_t wanted = *room ? 2 * *room : SLURP_FIRST_BYTES;
	char *grown;

	if (len + 1 < *room)
		return 0;
	grown = realloc(*text, wanted);
	if (!grown)
		return -ENOMEM;
	*text = grown;
	*room = wanted;
	return 0;
}

int slurp_fd(int fd, uint64_t max, char **text, size_t *len)
{
	size_t got = 0, room = 0;
	char *all = NULL;
	ssize_t n;
	int err;

	for (;;) {
		err = slurp_room(&all, got, &room);
		if (err)
			goto free_all;
		n = read(fd, all + got, room - got - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = -errno;
		else if (got + (size_t)n > max)
			err = -EFBIG;
		if (err)
			goto free_all;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	all[got] = '\0';
	*text = all;
	*len = got;
	return 0;
free_all:
	free(all);
	return err;
}

int slurp_file(const char *path, uint64_t max, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = slurp_fd(fd, max, text, len);
	close(fd);
	return err;
}

ssize_t slurp_upto(int fd, char *text, size_t max)
{
	size_t got = 0;
	ssize_t n;

	while (got < max) {
		n = read(fd, text + got, max - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int slurp_head(const char *path, size_t max, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *head, *fits;
	ssize_t got;

	if (fd < 0)
		return -errno;
	/* A byte more than is wanted tells whether there is more. */
	head = malloc(max + 1);
	got = head ? slurp_upto(fd, head, max + 1) : -ENOMEM;
	close(fd);
	if (got < 0) {
		free(head);
		return (int)got;
	}
	*len = (size_t)got > max ? max : (size_t)got;
	head[*len] = '\0';
	fits = realloc(head, *len + 1);
	*text = fits ? fits : head;
	return (size_t)got > max;
}
