/* SPDX-License-Identifier: MIT */
/*
 * What lies on a target, asked without any engine: a file by read(2) and write(2), a device-DAX
 * device by a plain mapping of all of it.
 *
 *	daxbytes fill TARGET FROM BYTES BYTE            every byte there becomes BYTE
 *	daxbytes offsets TARGET FROM BYTES BLOCK BYTE END
 *	        what a job with buffer_pattern=%o leaves: each block of the range holds its own
 *	        offset, 8 bytes lowest first, again and again; the rest, up to END, still holds BYTE
 *	daxbytes get TARGET FROM BYTES                  to standard output
 *
 * A first byte that is wrong is named, and the status is 1.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char *name;
static unsigned char *at;	/* all of the target */
static uint64_t size;
static int fd;

static void die(const char *what)
{
	fprintf(stderr, "daxbytes: %s: ", name);
	perror(what);
	exit(1);
}

static uint64_t device_bytes(dev_t dev)
{
	char path[80];
	uint64_t bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/size", major(dev), minor(dev));
	f = fopen(path, "r");
	if (!f || fscanf(f, "%" SCNu64, &bytes) != 1)
		die("its size");
	fclose(f);
	return bytes;
}

/* A file is read, so that no mapping but the engine's own has to do with what is seen. */
static void open_target(int writable)
{
	struct stat st;

	fd = open(name, writable ? O_RDWR : O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		die("open");
	if (S_ISCHR(st.st_mode)) {
		size = device_bytes(st.st_rdev);
		at = mmap(NULL, size, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
		if (at == MAP_FAILED)
			die("mmap");
		close(fd);
		fd = -1;
		return;
	}
	size = st.st_size;
	at = malloc(size ? size : 1);
	for (uint64_t have = 0; have < size; ) {
		ssize_t n = pread(fd, at + have, size - have, have);

		if (n <= 0)
			die("read");
		have += n;
	}
}

static void write_back(uint64_t from, uint64_t bytes)
{
	while (fd >= 0 && bytes) {
		ssize_t n = pwrite(fd, at + from, bytes, from);

		if (n <= 0)
			die("write");
		from += n;
		bytes -= n;
	}
}

static int wrong(uint64_t i, int want)
{
	printf("%s: byte %" PRIu64 " is 0x%02x, not 0x%02x\n", name, i, at[i], want);
	return 1;
}

static int holds(uint64_t from, uint64_t to, int byte)
{
	if (from >= to || (at[from] == byte && !memcmp(at + from, at + from + 1, to - from - 1)))
		return 0;
	while (at[from] == byte)
		from++;
	return wrong(from, byte);
}

static int holds_offsets(uint64_t from, uint64_t to, uint64_t block)
{
	for (uint64_t offset = from; offset < to; offset += block)
		for (uint64_t i = offset; i < offset + block; i++)
			if (at[i] != (unsigned char)(offset >> (i - offset) % 8 * 8))
				return wrong(i, (unsigned char)(offset >> (i - offset) % 8 * 8));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int fills = !strcmp(what, "fill") && argc == 6, gets = !strcmp(what, "get") && argc == 5;
	uint64_t from, bytes, end;
	int byte;

	if (!fills && !gets && !(!strcmp(what, "offsets") && argc == 8)) {
		fprintf(stderr, "usage: daxbytes fill TARGET FROM BYTES BYTE\n"
			"       daxbytes offsets TARGET FROM BYTES BLOCK BYTE END\n"
			"       daxbytes get TARGET FROM BYTES\n");
		return 2;
	}
	name = argv[2];
	from = strtoull(argv[3], NULL, 0);
	bytes = strtoull(argv[4], NULL, 0);
	open_target(fills);
	if (from > size || bytes > size - from) {
		fprintf(stderr, "daxbytes: %s has only %" PRIu64 " bytes\n", name, size);
		return 1;
	}
	if (gets)
		return fwrite(at + from, 1, bytes, stdout) != bytes || fflush(stdout);
	if (fills) {
		memset(at + from, (int)strtoul(argv[5], NULL, 0), bytes);
		write_back(from, bytes);
		return 0;
	}
	byte = (int)strtoul(argv[6], NULL, 0);
	end = strtoull(argv[7], NULL, 0);
	return holds(0, from, byte) ||
	       holds_offsets(from, from + bytes, strtoull(argv[5], NULL, 0)) ||
	       holds(from + bytes, end < size ? end : size, byte);
}
