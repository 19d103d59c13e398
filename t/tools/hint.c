/* SPDX-License-Identifier: MIT */
/*
 * hint FILE
 *
 * Prints how long the kernel was told that what is written to a file will live (write_hint): 0 for
 * nothing said, 1 none, 2 short, 3 medium, 4 long, 5 extreme.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

#ifndef F_GET_RW_HINT
#define F_GET_RW_HINT	1035
#endif

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	uint64_t hint;

	if (fd < 0 || fcntl(fd, F_GET_RW_HINT, &hint)) {
		perror("hint");
		return 1;
	}
	printf("%llu\n", (unsigned long long)hint);
	return 0;
}
