/* SPDX-License-Identifier: MIT */
/* What the fuzzers of logs share: the bytes as a file that a job is to replay. */
#ifndef T_FUZZ_LOG_FILE_H
#define T_FUZZ_LOG_FILE_H

#include "core/replay_facts.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_bytes(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("log", MFD_CLOEXEC);
	fl_assert(fd >= 0 && !ftruncate(fd, 0));
	fl_assert(pwrite(fd, data, size, 0) == (ssize_t)size);
	return fd;
}

/* Go through it again: time never goes back, and nothing is there that the facts do not know. */
static void compare(struct replay_facts *f, struct replay_log *log, uint64_t align)
{
	uint64_t ios[IOLOG_ACTIONS] = { 0 }, bytes = 0, last_ns = 0;
	struct replay_entry e;
	char why[8192];

	while (replay_log_next(log, &e, why, sizeof(why)) > 0) {
		int64_t i = replay_facts_find(f, &e);

		fl_assert(i >= 0 && i < f->nr && e.at_ns >= last_ns);
		last_ns = e.at_ns;
		ios[e.action]++;
		if (e.action > IOLOG_TRIM)
			continue;
		fl_assert(e.offset % align == 0 && e.offset + e.len <= f->files[i].end);
		fl_assert(f->files[i].dirs & 1u << e.action);
		bytes += e.len;
	}
	fl_assert(last_ns == f->end_ns);
	for (int d = 0; d < DIRS; d++)
		fl_assert(ios[d] == f->ios[d]);
	fl_assert(bytes == f->bytes[0] + f->bytes[1] + f->bytes[2]);
}

static void look_through(const uint8_t *data, size_t size)
{
	const struct replay_change change = {
		.scale = 1 + size % 3, .align = 1u << size % 13, .time_percent = 50 + size % 200,
	};
	struct replay_log log;
	struct replay_facts f;
	char why[8192];
	bool whole = size & 1;

	if (!replay_log_open(&log, "log", open_bytes(data, size), whole, &change, why,
			     sizeof(why)) &&
	    !replay_facts_init(&f, size & 2 ? "elsewhere" : NULL)) {
		if (!replay_facts_gather(&f, &log, 1, why, sizeof(why))) {
			replay_log_rewind(&log);
			compare(&f, &log, change.align);
		} else {
			fl_assert(why[0]);
		}
		replay_facts_free(&f);
	}
	replay_log_free(&log);
}

#endif
