/* SPDX-License-Identifier: MIT */
/* Reading logs through a buffer, and making entries of their lines or records. */
#define _GNU_SOURCE
#include "core/replay_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

/* As much as costs little to read between two I/Os. */
#define PIECE_BYTES	65536u
#define TIME_US_MAX	((uint64_t)INT64_MAX / 1000)
/* Of times that jump back and forth in between; a hundred times as much is a number, too. */
#define TIME_NS_MAX	((uint64_t)INT64_MAX / 64)

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int read_failed(struct replay_log *log, int err, char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "%s: it can't be read: %s", log->path, strerror(-err));
	return err;
}

/* More of the file behind what is there. Returns 0, also at the end, or -errno. */
static int fill(struct replay_log *log)
{
	size_t room;
	ssize_t n;

	fl_assert(!log->whole);
	memmove(log->buf, log->buf + log->begin, log->end - log->begin);
	log->end -= log->begin;
	log->begin = 0;
	room = fl_min((size_t)PIECE_BYTES, log->room - log->end);
	do
		n = pread(log->fd, log->buf + log->end, room, (off_t)log->next_byte);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	log->next_byte += (uint64_t)n;
	log->end += (size_t)n;
	log->ended = n == 0;
	return 0;
}

static void use(struct replay_log *log, size_t n)
{
	log->begin += n;
	log->used += n;
}

/*
 * The next line, without its end. Returns 1; 0: there is none; or -errno. A last line without an
 * end is one.
 */
static int take_line(struct replay_log *log, struct span *line, char *why, size_t why_bytes)
{
	size_t seen = 0;

	for (;;) {
		char *at = log->buf + log->begin;
		size_t have = log->end - log->begin;
		char *end = memchr(at + seen, '\n', have - seen);

		if (end || (log->ended && have)) {
			*line = (struct span){ at, end ? (size_t)(end - at) : have };
			use(log, line->len + (end != NULL));
			log->line++;
			if (line->len <= IOLOG_LINE_MAX)
				return 1;
		}
		if (end || have > IOLOG_LINE_MAX) {
			snprintf(why, why_bytes, "%s:%llu: the line has more than %d bytes: it is "
				 "none of an iolog", log->path, (ull)log->line + !end,
				 IOLOG_LINE_MAX);
			return -EINVAL;
		}
		if (log->ended)
			return 0;
		seen = have;
		int err = fill(log);

		if (err)
			return read_failed(log, err, why, why_bytes);
	}
}

/* Leave out what follows the last record. Returns 0, or -errno. */
static int skip_rest(struct replay_log *log)
{
	while (log->skip_bytes) {
		size_t n = fl_min(log->skip_bytes, (uint64_t)(log->end - log->begin));
		int err;

		use(log, n);
		log->skip_bytes -= n;
		if (!log->skip_bytes || log->ended)
			break;
		err = fill(log);
		if (err)
			return err;
	}
	return 0;
}

int replay_log_event(struct replay_log *log, struct blktrace_event *event, char *why,
		     size_t why_bytes)
{
	int err = skip_rest(log);

	while (!err && log->end - log->begin < BLKTRACE_BYTES && !log->ended)
		err = fill(log);
	if (err)
		return read_failed(log, err, why, why_bytes);
	if (log->end == log->begin)
		return 0;
	log->line++;
	if (log->end - log->begin < BLKTRACE_BYTES) {
		snprintf(why, why_bytes, "%s: record %llu, at byte %llu: the file ends within it; "
			 "%u bytes were expected", log->path, (ull)log->line, (ull)log->used,
			 BLKTRACE_BYTES);
		return -EINVAL;
	}
	if (blktrace_decode(log->buf + log->begin, log->order, event)) {
		snprintf(why, why_bytes, "%s: record %llu, at byte %llu: no record of a trace "
			 "(version 7) begins here", log->path, (ull)log->line, (ull)log->used);
		return -EINVAL;
	}
	use(log, BLKTRACE_BYTES);
	log->skip_bytes = event->pdu_len;
	return 1;
}

/* ---- What is done to entries ----------------------------------------------------------------- */

/* Time goes on from entry to entry; where a log jumps back, or begins anew, it stands still. */
static void tell_time(struct replay_log *log, struct replay_entry *e, uint64_t raw_ns)
{
	uint64_t percent = log->change->time_percent;

	if (raw_ns > log->raw_ns)
		log->own_ns += fl_min(raw_ns - log->raw_ns, TIME_NS_MAX - log->own_ns);
	log->raw_ns = raw_ns;
	e->at_ns = percent == 100 ? log->own_ns :
		   (uint64_t)((unsigned __int128)log->own_ns * 100 / percent);
}

static void place(const struct replay_log *log, struct replay_entry *e)
{
	const struct replay_change *c = log->change;

	if (c->scale > 1)
		e->offset /= c->scale;
	if (c->align)
		e->offset &= ~(c->align - 1);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static int next_of_trace(struct replay_log *log, struct replay_entry *e, char *why,
			 size_t why_bytes)
{
	static const enum iolog_action actions[] = {
		[BLKTRACE_READ] = IOLOG_READ, [BLKTRACE_WRITE] = IOLOG_WRITE,
		[BLKTRACE_TRIM] = IOLOG_TRIM, [BLKTRACE_FLUSH] = IOLOG_SYNC,
	};
	struct blktrace_event event = { 0 };
	enum blktrace_kind kind;
	int ret;

	do {
		ret = replay_log_event(log, &event, why, why_bytes);
		if (ret <= 0)
			return ret;
		kind = blktrace_kind(&event);
	} while (kind == BLKTRACE_OTHER || log->change->skip & 1u << actions[kind]);
	if (event.sector > ((uint64_t)INT64_MAX - event.bytes) / BLKTRACE_SECTOR) {
		snprintf(why, why_bytes, "%s: record %llu: sector %llu lies beyond the largest "
			 "device", log->path, (ull)log->line, (ull)event.sector);
		return -EINVAL;
	}
	*e = (struct replay_entry){
		.action = actions[kind], .of_trace = true, .device = event.device,
		.len = event.bytes, .offset = event.sector * BLKTRACE_SECTOR,
	};
	if (kind == BLKTRACE_FLUSH)
		e->offset = 0;
	/* Requests that are to begin at multiples of it end there, too. */
	if (log->change->align)
		e->len = (e->len + log->change->align - 1) & ~(log->change->align - 1);
	if (!log->begun)
		log->raw_ns = event.time_ns;	/* the first one is the beginning of time */
	log->begun = true;
	tell_time(log, e, event.time_ns);
	place(log, e);
	return 1;
}

static int bad_line(const struct replay_log *log, const struct parse_err *err, char *why,
		    size_t why_bytes)
{
	snprintf(why, why_bytes, "%s:%llu:%d: %s", log->path, (ull)log->line, err->col + 1,
		 err->text);
	return -EINVAL;
}

static int next_of_iolog(struct replay_log *log, struct replay_entry *e, char *why,
			 size_t why_bytes)
{
	struct parse_err err;
	struct iolog_line l;
	struct span line = { 0 };
	int ret;

	for (;;) {
		ret = take_line(log, &line, why, why_bytes);
		if (ret <= 0)
			return ret;
		ret = iolog_parse(line, log->version, &l, &err);
		if (ret < 0)
			return bad_line(log, &err, why, why_bytes);
		if (!ret)
			continue;
		if (l.time_us > TIME_US_MAX ||
		    (l.action == IOLOG_WAIT && l.offset > TIME_US_MAX - log->waited_ns / 1000)) {
			snprintf(why, why_bytes, "%s:%llu: that is more than 292 years after the "
				 "beginning", log->path, (ull)log->line);
			return -EINVAL;
		}
		if (l.action == IOLOG_WAIT)
			log->waited_ns += l.offset * 1000;
		else if (!(log->change->skip & 1u << l.action))
			break;
	}
	*e = (struct replay_entry){
		.action = l.action, .offset = l.offset, .len = l.len, .name = l.name,
	};
	tell_time(log, e, log->version == 2 ? log->waited_ns : l.time_us * 1000);
	place(log, e);
	return 1;
}

int replay_log_next(struct replay_log *log, struct replay_entry *e, char *why, size_t why_bytes)
{
	return log->version ? next_of_iolog(log, e, why, why_bytes) :
	       next_of_trace(log, e, why, why_bytes);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static int no_log(const struct replay_log *log, uint32_t version, char *why, size_t why_bytes)
{
	if (log->end == 0)
		snprintf(why, why_bytes, "%s: the file is empty", log->path);
	else if (version)
		snprintf(why, why_bytes, "%s: it is a block trace of version %u; expected is 7",
			 log->path, version);
	else
		snprintf(why, why_bytes, "%s:1: it is no log that can be replayed; the first line "
			 "must be 'fio version 3 iolog' or 'fio version 2 iolog', or the file a "
			 "trace of blkparse -d", log->path);
	return -EINVAL;
}

/* All of the file, and one byte of room to see that it ends there. Returns 0 or -errno. */
static int read_whole(struct replay_log *log)
{
	int err = 0;

	while (!err && !log->ended && log->end < log->room)
		err = fill(log);
	log->ended = log->whole = true;
	return err;
}

/* As much as the file has, or a piece of it. */
size_t replay_log_room(int fd, bool whole)
{
	struct stat st;

	if (!whole || fstat(fd, &st) || (uint64_t)st.st_size >= SIZE_MAX)
		return PIECE_BYTES + IOLOG_LINE_MAX + 1;
	return (size_t)st.st_size + 1;
}

int replay_log_open(struct replay_log *log, const char *path, int fd, bool whole,
		    const struct replay_change *change, char *why, size_t why_bytes)
{
	uint32_t version;
	struct span line = { 0 };
	int ret = 0;

	memset(log, 0, sizeof(*log));
	log->path = path;
	log->fd = fd;
	log->change = change;
	log->room = replay_log_room(fd, whole);
	log->buf = malloc(log->room);
	if (!log->buf) {
		snprintf(why, why_bytes, "%s: no memory to read it%s", path,
			 whole ? "; read_iolog_chunked=1 needs little" : "");
		return -ENOMEM;
	}
	if (whole)
		ret = read_whole(log);
	while (!ret && log->end < sizeof(uint32_t) && !log->ended)
		ret = fill(log);
	if (ret)
		return read_failed(log, ret, why, why_bytes);
	log->order = blktrace_order(log->buf, log->end, &version);
	if (log->order != BLKTRACE_NONE)
		return 0;
	if (!version && take_line(log, &line, why, why_bytes) == 1)
		log->version = iolog_version(line);
	return log->version ? 0 : no_log(log, version, why, why_bytes);
}

void replay_log_rewind(struct replay_log *log)
{
	log->begin = 0;
	log->used = log->line = log->skip_bytes = 0;
	log->begun = false;
	if (!log->whole) {
		log->end = 0;
		log->next_byte = 0;
		log->ended = false;
	}
	log->raw_ns = log->own_ns = log->waited_ns = 0;
}

void replay_log_free(struct replay_log *log)
{
	free(log->buf);
	log->buf = NULL;
}
