/* SPDX-License-Identifier: MIT */
/* serve PATH: listens at a UNIX socket, gives standard input to the first who comes, and ends. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int serve(int to)
{
	char data[65536];
	ssize_t n, done;

	while ((n = read(STDIN_FILENO, data, sizeof(data))) > 0)
		for (ssize_t at = 0; at < n; at += done) {
			done = write(to, data + at, (size_t)(n - at));
			if (done < 0)
				return 1;
		}
	return n < 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), to;

	if (argc != 2 || strlen(argv[1]) >= sizeof(addr.sun_path)) {
		fprintf(stderr, "usage: serve PATH\n");
		return 2;
	}
	strcpy(addr.sun_path, argv[1]);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1)) {
		fprintf(stderr, "serve: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	to = accept(fd, NULL, NULL);
	return to < 0 || serve(to);
}
