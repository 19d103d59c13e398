/* SPDX-License-Identifier: MIT */
/*
 * Eats so many MiB inside of a memory group, as one of its processes, until it is killed or has
 * them all: eater MIB GROUP. Who else is in the group and has a higher
 * oom_score_adj is killed first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fputs(text, f);
	return fclose(f);
}

int main(int argc, char **argv)
{
	char path[4096], pid[32];

	if (argc != 3)
		return 2;
	snprintf(path, sizeof(path), "%s/cgroup.procs", argv[2]);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (put(path, pid))
		return 2;
	usleep(300000);
	for (int i = 0; i < atoi(argv[1]); i++) {
		char *p = malloc(1 << 20);

		if (!p)
			return 1;
		memset(p, 1, 1 << 20);
		usleep(1000);
	}
	return 0;
}
