/* SPDX-License-Identifier: MIT */
/* Asking libblkid, and the test for blankness. */
#define _GNU_SOURCE 1
#include "os/signature.h"
#include "gen/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base.h"
#include "lib/strbuf.h"

#define HEAD_BYTES	(4u << 20)
#define TAIL_BYTES	(1u << 20)
#define PIECE_BYTES	(64u << 10)

static int open_device(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

/* 1: zeroes only, to the end of the range or of the device; 0; -errno. */
static int is_zero(int fd, char *buf, uint64_t from, uint64_t to)
{
	while (from < to) {
		size_t want = (size_t)fl_min(to - from, (uint64_t)PIECE_BYTES);
		ssize_t n = pread(fd, buf, want, (off_t)from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 1;
		if (buf[0] || memcmp(buf, buf + 1, (size_t)n - 1))
			return 0;
		from += (uint64_t)n;
	}
	return 1;
}

int signature_blank(const char *path)
{
	int fd = open_device(path), ret;
	char *buf = malloc(PIECE_BYTES);
	off_t end;

	if (fd < 0 || !buf) {
		free(buf);
		if (fd >= 0)
			close(fd);
		return fd < 0 ? fd : -ENOMEM;
	}
	end = lseek(fd, 0, SEEK_END);
	ret = end < 0 ? -errno : is_zero(fd, buf, 0, HEAD_BYTES);
	if (ret == 1 && end > (off_t)TAIL_BYTES)
		ret = is_zero(fd, buf, (uint64_t)end - TAIL_BYTES, (uint64_t)end);
	free(buf);
	close(fd);
	return ret;
}

#ifdef CONFIG_LIB_BLKID
#include <blkid/blkid.h>

#define FINDS_MAX	32	/* more on one device are no news */

static const char *value(blkid_probe pr, const char *name)
{
	const char *text = NULL;

	return blkid_probe_lookup_value(pr, name, &text, NULL) ? NULL : text;
}

/* The words of those whose short names tell little; usage is one of libblkid's four. */
static void describe(struct strbuf *sb, const char *type, const char *usage, const char *label)
{
	static const char *const words[][2] = {
		{ "swap", "swap area" }, { "LVM2_member", "LVM physical volume" },
		{ "LVM1_member", "LVM physical volume" },
		{ "linux_raid_member", "member of an md RAID" },
		{ "zfs_member", "member of a ZFS pool" }, { "bcache", "bcache device" },
		{ "crypto_LUKS", "LUKS volume" }, { "BitLocker", "BitLocker volume" },
	};
	const char *word = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(type, words[i][0]))
			word = words[i][1];
	if (word)
		strbuf_puts(sb, word);
	else
		strbuf_printf(sb, "%s %s", type, !usage || !strcmp(usage, "filesystem") ?
			      "file system" : !strcmp(usage, "raid") ? "RAID member" :
			      !strcmp(usage, "crypto") ? "encrypted volume" : "signature");
	if (label && *label)
		strbuf_printf(sb, " '%s'", label);
}

/* Copies of one thing (the second superblock, the second table) are named once. */
static int add_found(blkid_probe pr, struct strbuf *all, bool tables)
{
	const char *type = value(pr, "TYPE"), *table = value(pr, "PTTYPE");
	struct strbuf one = STRBUF_INIT;
	int added = 0;

	if (type)
		describe(&one, type, value(pr, "USAGE"), value(pr, "LABEL"));
	else if (table && tables)
		strbuf_printf(&one, "partition table (%s)", table);
	if (one.len && !strstr(strbuf_str(all), strbuf_str(&one))) {
		if (all->len)
			strbuf_puts(all, ", ");
		strbuf_puts(all, strbuf_str(&one));
		added = 1;
	}
	strbuf_free(&one);
	return added;
}

static int probe_all(blkid_probe pr, bool tables, struct strbuf *all)
{
	int count = 0, ret = 0;

	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
					  BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_FORCE_GPT);
	for (int i = 0; i < FINDS_MAX && !ret; i++) {
		errno = 0;
		ret = blkid_do_probe(pr);
		if (!ret)
			count += add_found(pr, all, tables);
	}
	return ret < 0 ? -(errno ? errno : EIO) : count;
}

int signature_find(const char *path, bool tables, char *what, size_t what_bytes)
{
	int fd = open_device(path), ret = -ENOMEM;
	struct strbuf all = STRBUF_INIT;
	blkid_probe pr;

	what[0] = '\0';
	if (fd < 0)
		return fd;
	pr = blkid_new_probe();
	if (pr)
		ret = blkid_probe_set_device(pr, fd, 0, 0) ? -(errno ? errno : EIO) :
		      probe_all(pr, tables, &all);
	if (ret > 0)
		snprintf(what, what_bytes, "%s", strbuf_str(&all));
	strbuf_free(&all);
	blkid_free_probe(pr);
	close(fd);
	return ret;
}

#else

int signature_find(const char *path, bool tables, char *what, size_t what_bytes)
{
	int blank = signature_blank(path);

	(void)tables;
	what[0] = '\0';
	if (!blank)
		snprintf(what, what_bytes, "something that this fio-like, built without libblkid, "
			 "cannot name");
	return blank < 0 ? blank : !blank;
}

#endif
