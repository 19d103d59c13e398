/* SPDX-License-Identifier: MIT */
/*
 * Disks with a volatile write cache, and the hand on their plug: a server for block devices of
 * qemu, by the NBD protocol (doc/proto.md of NetworkBlockDevice/nbd), fixed newstyle, simple
 * replies.
 *
 *	powercut SOCKET SEED WRITES keep|lie FILE...
 *
 * Exports "0", "1" ... are the files; "go" is a button. What is written stays in memory until it is
 * flushed, or is written with FUA. When the button has been written to, power goes off after some
 * more writes, 1 to WRITES by SEED: at one moment for all disks, each sector of 512 bytes that has
 * not been flushed has reached its disk or not, by chance, as it is when a disk writes its cache
 * back in an order of its own. Then the program ends, and says how it was.
 *
 * lie: from the button on the first disk takes flushes and does nothing, and loses all; power goes
 * off after just WRITES.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SECTOR		512u
#define DISKS_MAX	8
#define CLIENTS_MAX	32
#define DATA_MAX	(32u << 20)
#define GO_BYTES	65536u

#define MAGIC_OPTION	0x49484156454f5054ull	/* "IHAVEOPT" */
#define MAGIC_REPLY	0x0003e889045565a9ull
#define MAGIC_REQUEST	0x25609513u
#define MAGIC_ANSWER	0x67446698u
#define EXPORT_FLAGS	(1u | 4u | 8u)		/* has flags, flush, FUA */

enum { OPT_EXPORT_NAME = 1, OPT_ABORT = 2, OPT_INFO = 6, OPT_GO = 7 };
enum { CMD_READ, CMD_WRITE, CMD_DISC, CMD_FLUSH };

struct disk {
	uint8_t *medium;		/* the file */
	uint8_t *now;			/* what is read: the medium and what is in the cache */
	uint8_t *dirty;			/* a byte per sector */
	uint64_t bytes;
	bool lies;
};

static struct disk disks[DISKS_MAX + 1];	/* the last one is the button */
static int nr_disks;
static uint64_t seed, countdown, writes_max, writes;
static bool lie;
static uint8_t data[DATA_MAX];

static uint64_t draw(void)
{
	uint64_t x = seed += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- Disks ----------------------------------------------------------------------------------- */

static void open_disk(struct disk *d, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	d->bytes = (uint64_t)st.st_size;
	d->medium = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	d->now = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	d->dirty = calloc(d->bytes / SECTOR, 1);
	if (d->medium == MAP_FAILED || d->now == MAP_FAILED || !d->dirty)
		die(path);
	close(fd);
}

static void persist(struct disk *d, uint64_t sector)
{
	memcpy(d->medium + sector * SECTOR, d->now + sector * SECTOR, SECTOR);
	d->dirty[sector] = 0;
}

static void flush(struct disk *d, uint64_t offset, uint64_t bytes)
{
	for (uint64_t s = offset / SECTOR; s < (offset + bytes) / SECTOR; s++)
		if (d->dirty[s] && !d->lies)
			persist(d, s);
}

static void power_off(void)
{
	static const unsigned percents[] = { 0, 10, 50, 90 };
	unsigned percent = percents[draw() % 4];
	uint64_t kept = 0, lost = 0;

	for (int i = 0; i < nr_disks; i++)
		for (uint64_t s = 0; s < disks[i].bytes / SECTOR; s++) {
			if (!disks[i].dirty[s])
				continue;
			if (!disks[i].lies && draw() % 100 < percent) {
				persist(&disks[i], s);
				kept++;
			} else {
				lost++;
			}
		}
	printf("power off after %llu writes: %llu sectors lost, %llu kept\n",
	       (unsigned long long)writes, (unsigned long long)lost, (unsigned long long)kept);
	fflush(stdout);
	_exit(0);
}

static void press_button(void)
{
	countdown = lie ? writes_max : 1 + draw() % writes_max;
	if (!lie)
		return;
	flush(&disks[0], 0, disks[0].bytes);
	disks[0].lies = true;
}

/* ---- The protocol ---------------------------------------------------------------------------- */

static bool get(int fd, void *to, size_t bytes)
{
	return !bytes || recv(fd, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

static bool put(int fd, const void *from, size_t bytes)
{
	const char *at = from;

	while (bytes) {
		ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static struct disk *find(const uint8_t *name, uint32_t len)
{
	if (len == 2 && !memcmp(name, "go", 2))
		return &disks[DISKS_MAX];
	if (len == 1 && name[0] >= '0' && name[0] < '0' + nr_disks)
		return &disks[name[0] - '0'];
	return NULL;
}

static bool reply(int fd, uint32_t option, uint32_t type, const void *more, uint32_t bytes)
{
	struct __attribute__((packed)) {
		uint64_t magic;
		uint32_t option, type, bytes;
	} head = { htobe64(MAGIC_REPLY), htobe32(option), htobe32(type), htobe32(bytes) };

	return put(fd, &head, sizeof(head)) && put(fd, more, bytes);
}

static bool describe(int fd, uint32_t option, const struct disk *d)
{
	struct __attribute__((packed)) {
		uint16_t kind;
		uint64_t bytes;
		uint16_t flags;
	} info = { 0, htobe64(d->bytes), htobe16(EXPORT_FLAGS) };

	return reply(fd, option, 3, &info, sizeof(info)) && reply(fd, option, 1, NULL, 0);
}

/* Settle on an export. Returns NULL when the client has gone. */
static struct disk *negotiate(int fd)
{
	struct __attribute__((packed)) {
		char magic[8];
		uint64_t option;
		uint16_t flags;
	} hello = { "NBDMAGIC", htobe64(MAGIC_OPTION), htobe16(1 | 2) };
	struct __attribute__((packed)) {
		uint64_t magic;
		uint32_t option, bytes;
	} ask;
	struct __attribute__((packed)) {
		uint64_t bytes;
		uint16_t flags;
	} old;
	uint32_t flags, name_bytes;
	struct disk *d;

	memcpy(hello.magic, "NBDMAGIC", 8);
	if (!put(fd, &hello, sizeof(hello)) || !get(fd, &flags, 4))
		return NULL;
	while (get(fd, &ask, sizeof(ask)) && be32toh(ask.bytes) <= DATA_MAX &&
	       get(fd, data, be32toh(ask.bytes))) {
		uint32_t option = be32toh(ask.option);

		switch (option) {
		case OPT_EXPORT_NAME:
			d = find(data, be32toh(ask.bytes));
			old.bytes = htobe64(d ? d->bytes : 0);
			old.flags = htobe16(EXPORT_FLAGS);
			return d && put(fd, &old, sizeof(old)) ? d : NULL;
		case OPT_INFO:
		case OPT_GO:
			memcpy(&name_bytes, data, 4);
			d = find(data + 4, be32toh(name_bytes));
			if (!d || !describe(fd, option, d))
				return NULL;
			if (option == OPT_GO)
				return d;
			break;
		case OPT_ABORT:
			return NULL;
		default:
			if (!reply(fd, option, 0x80000001u, NULL, 0))
				return NULL;
		}
	}
	return NULL;
}

static bool answer(int fd, uint64_t handle, uint32_t error)
{
	struct __attribute__((packed)) {
		uint32_t magic, error;
		uint64_t handle;
	} a = { htobe32(MAGIC_ANSWER), htobe32(error), handle };

	return put(fd, &a, sizeof(a));
}

static void take_write(struct disk *d, uint64_t offset, uint32_t bytes, bool fua)
{
	if (d == &disks[DISKS_MAX]) {
		press_button();
		return;
	}
	memcpy(d->now + offset, data, bytes);
	memset(d->dirty + offset / SECTOR, 1, bytes / SECTOR);
	if (fua)
		flush(d, offset, bytes);
	writes++;
	if (countdown && !--countdown)
		power_off();
}

/* One request. Returns false when the client has gone. */
static bool serve(int fd, struct disk *d)
{
	struct __attribute__((packed)) {
		uint32_t magic;
		uint16_t flags, type;
		uint64_t handle, offset;
		uint32_t bytes;
	} ask;
	uint64_t offset;
	uint32_t bytes;

	if (!get(fd, &ask, sizeof(ask)) || be32toh(ask.magic) != MAGIC_REQUEST)
		return false;
	offset = be64toh(ask.offset);
	bytes = be32toh(ask.bytes);
	if (offset > d->bytes || bytes > d->bytes - offset || bytes > DATA_MAX)
		return false;
	switch (be16toh(ask.type)) {
	case CMD_READ:
		return answer(fd, ask.handle, 0) && put(fd, d->now + offset, bytes);
	case CMD_WRITE:
		if (!get(fd, data, bytes))
			return false;
		take_write(d, offset, bytes, be16toh(ask.flags) & 1);
		return answer(fd, ask.handle, 0);
	case CMD_FLUSH:
		flush(d, 0, d->bytes);
		return answer(fd, ask.handle, 0);
	case CMD_DISC:
		return false;
	}
	return answer(fd, ask.handle, 22 /* EINVAL */);
}

static int listen_at(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 16))
		die(path);
	return fd;
}

int main(int argc, char **argv)
{
	struct pollfd fds[1 + CLIENTS_MAX];
	struct disk *of[1 + CLIENTS_MAX];
	nfds_t count = 1;

	if (argc < 6 || argc > 5 + DISKS_MAX) {
		fprintf(stderr, "usage: powercut SOCKET SEED WRITES keep|lie FILE...\n");
		return 2;
	}
	seed = strtoull(argv[2], NULL, 10);
	writes_max = strtoull(argv[3], NULL, 10);
	lie = !strcmp(argv[4], "lie");
	for (nr_disks = 0; nr_disks < argc - 5; nr_disks++)
		open_disk(&disks[nr_disks], argv[5 + nr_disks]);
	disks[DISKS_MAX] = (struct disk){ .bytes = GO_BYTES, .now = calloc(1, GO_BYTES),
					  .dirty = calloc(1, GO_BYTES / SECTOR) };
	fds[0] = (struct pollfd){ listen_at(argv[1]), POLLIN, 0 };
	for (;;) {
		if (poll(fds, count, -1) < 0 && errno != EINTR)
			die("poll");
		for (nfds_t i = count - 1; i > 0; i--) {
			if (!fds[i].revents || serve(fds[i].fd, of[i]))
				continue;
			close(fds[i].fd);
			fds[i] = fds[--count];
			of[i] = of[count];
		}
		if (!(fds[0].revents & POLLIN) || count > CLIENTS_MAX)
			continue;
		fds[count] = (struct pollfd){ accept(fds[0].fd, NULL, NULL), POLLIN, 0 };
		of[count] = fds[count].fd < 0 ? NULL : negotiate(fds[count].fd);
		if (of[count])
			count++;
		else if (fds[count].fd >= 0)
			close(fds[count].fd);
	}
}
