/* SPDX-License-Identifier: MIT */
/*
 * The files of logs. They are written by one thread in large pieces; thousands of them do not need
 * as many descriptors, and one that cannot be written any more does not hold up the others.
 */
#ifndef CORE_LOG_FILE_H
#define CORE_LOG_FILE_H

#include "lib/zip.h"

#include <stdatomic.h>

struct log_file {
	char *path;			/* owned */
	bool shared;			/* by all jobs that give it this name */
	bool compressed;
	bool keeps_open;		/* a pipe or a device: closing it would be noticed */
	int fd;				/* -1: not open at present */
	_Atomic int error;		/* positive errno: nothing more is written */
	bool told;			/* the user has been told */
	uint64_t bytes;			/* written, in whole pieces; fixed once ->error is set */
	/* compressed: what is not yet enough for a stream */
	char *chunk;
	size_t chunk_bytes, chunk_room, chunk_full;
};

/* All of them; open_max is the caller's to set. */
struct log_files {
	struct log_file **list;
	size_t count, room;
	unsigned open, open_max;	/* descriptors in use, those of keeps_open aside */
	struct zip *zip;		/* NULL: none is compressed */
};

/*
 * log_files_add - a file to be written: created, or emptied. shared: if there is one of that name
 * that is shared too, it is that one. chunk_bytes: 0, or compress at least so many bytes at
 * a time.
 * Returns it, never NULL, with ->error set when it can't be written. The set owns it.
 */
struct log_file *log_files_add(struct log_files *set, const char *path, bool shared,
			       size_t chunk_bytes);
/* log_files_close - give back all descriptors. On the thread that wrote, before it ends. */
void log_files_close(struct log_files *set);
/* log_files_free - forget all files; none is open. */
void log_files_free(struct log_files *set);

/*
 * log_file_write - append n bytes: whole lines, or records if it is compressed. Once there is an
 * error nothing happens, and the file ends with a whole line.
 */
void log_file_write(struct log_files *set, struct log_file *f, const char *bytes, size_t n);

/* log_file_end - nothing more will come, unless others share it. */
void log_file_end(struct log_files *set, struct log_file *f);

#endif
