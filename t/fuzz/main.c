/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over files that are there already, with no fuzzer and any compiler: each input
 * that once found a bug stays found. Arguments are files or directories of files.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, SKIP_STATUS = 77 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns how many inputs were run, or -errno. */
static int replay_file(const char *path, size_t size)
{
	/* Exactly as large as the input, so that a sanitizer sees a read past its end. */
	uint8_t *data = malloc(size ? size : 1);
	FILE *in = fopen(path, "rb");
	size_t got;

	if (!in || !data) {
		free(data);
		if (in)
			fclose(in);
		return in ? -ENOMEM : -errno;
	}
	got = fread(data, 1, size, in);
	fclose(in);
	/* Named before it runs: if the target crashes, this is the input. */
	printf("%s (%zu bytes)\n", path, got);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, got);
	free(data);
	return 1;
}

static int replay(const char *path)
{
	char inner[PATH_BYTES];
	struct dirent *entry;
	struct stat st;
	int ran = 0, one;
	DIR *dir;

	if (stat(path, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return replay_file(path, (size_t)st.st_size);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		one = replay(inner);
		if (one < 0) {
			closedir(dir);
			return one;
		}
		ran += one;
	}
	closedir(dir);
	return ran;
}

int main(int argc, char **argv)
{
	int ran = 0;

	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		int one = replay(argv[i]);

		if (one == -ENOENT) {
			printf("no corpus at %s\n", argv[i]);
			return SKIP_STATUS;
		}
		if (one < 0) {
			printf("%s: %s\n", argv[i], strerror(-one));
			return 1;
		}
		ran += one;
	}
	printf("%d inputs\n", ran);
	return 0;
}
