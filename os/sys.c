/* SPDX-License-Identifier: MIT */
/* Small questions to the system: one-line files, names of the machine, the terminal. */
#define _GNU_SOURCE 1
#include "os/slurp.h"
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

int sys_read_text(const char *path, char *text, size_t size)
{
	ssize_t n;
	int fd;

	text[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* a file of /proc may come in several pieces */
	n = slurp_upto(fd, text, size - 1);
	close(fd);
	if (n < 0) {
		text[0] = '\0';
		return (int)n;
	}
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return (int)n;
}

bool sys_choice(const char *list, char *word, size_t bytes)
{
	const char *open = strchr(list, '['), *close = open ? strchr(open, ']') : NULL;

	snprintf(word, bytes, "%.*s", close ? (int)(close - open - 1) : 0, open ? open + 1 : "");
	return close != NULL;
}

void sys_reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void sys_keep_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int sys_read_u64(const char *path, uint64_t *value)
{
	char text[64], *end;
	unsigned long long v;
	int n = sys_read_text(path, text, sizeof(text));

	if (n < 0)
		return n;
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno)
		return -errno;
	*value = v;
	return 0;
}

int sys_write_text(const char *path, const char *text)
{
	size_t len = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != len)
		err = -EIO;
	close(fd);
	return err;
}

void sys_hostname(char *text, size_t size)
{
	struct utsname u;

	if (uname(&u) < 0 || !u.nodename[0])
		snprintf(text, size, "localhost");
	else
		snprintf(text, size, "%s", u.nodename);
}

void sys_kernel(char *text, size_t size)
{
	struct utsname u;

	if (uname(&u) < 0)
		snprintf(text, size, "unknown");
	else
		snprintf(text, size, "%s %s", u.sysname, u.release);
}

bool sys_is_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && !(term && !strcmp(term, "dumb"));
}

unsigned int sys_terminal_width(int fd)
{
	struct winsize w;

	if (ioctl(fd, TIOCGWINSZ, &w) < 0 || !w.ws_col)
		return 80;
	return w.ws_col;
}
