/* SPDX-License-Identifier: MIT */
/*
 * Laying out files: giving a file its size, its space, and real bytes.
 *
 * A file that a read job makes for itself must hold data: reading holes measures the file
 * system's speed at making zeros. So space is reserved first (so that the file isn't scattered
 * and a full disk is noticed early), then every byte is written once, by large writes.
 */
#ifndef OS_LAYOUT_H
#define OS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum layout_alloc {
	LAYOUT_NONE,		/* reserve nothing */
	LAYOUT_NATIVE,		/* fallocate(2); nothing where the file system can't */
	LAYOUT_POSIX,		/* posix_fallocate(3); it writes zeros if there is no other way */
	LAYOUT_KEEP,		/* fallocate(2) beyond the end: space without size */
	LAYOUT_TRUNCATE,	/* set the size, reserve no space */
};

/*
 * layout_allocate - make a file reach size_bytes in the given way; it never becomes shorter.
 *
 * Returns 0 when done as asked; 1 when the file system can't do that and the file was left as it
 * was, with a remark for the user in note (a sentence without full stop, cut off to note_size);
 * -errno on failures that writing would meet as well: -ENOSPC, -EFBIG, -EDQUOT, -EIO, -EBADF.
 */
int layout_allocate(int fd, enum layout_alloc how, uint64_t size_bytes, char *note,
		    size_t note_size);

#define LAYOUT_PIECE_BYTES (1u << 20)

/* How layout_fill() gets its bytes and tells about them. ctx is handed to both functions. */
struct layout_source {
	/*
	 * Fill bytes (at most LAYOUT_PIECE_BYTES) of data, which will be written at offset_bytes.
	 */
	void (*fill)(void *ctx, void *data, uint64_t offset_bytes, size_t bytes);
	/*
	 * Called after each piece with the bytes written so far; NULL for no interest. 0 goes on,
	 * any other value ends the fill and is returned by it: -ECANCELED fits a user's ctrl-C.
	 */
	int (*progress)(void *ctx, uint64_t done_bytes);
	void *ctx;
	/* LAYOUT_PIECE_BYTES, page-aligned, lent by who fills many files; NULL: made here */
	void *buffer;
};

/*
 * layout_fill - write every byte of a range, in pieces from a page-aligned buffer (fit for
 * O_DIRECT if offset and bytes are). The data is in the page cache afterwards, not on the medium:
 * layout_sync(). Returns 0, what progress() ended it with, or -errno; -ENOSPC also when the
 * device takes no more bytes.
 */
int layout_fill(int fd, uint64_t offset_bytes, uint64_t bytes, const struct layout_source *source);

/*
 * layout_lacking - how many bytes of a range of a file hold no data: holes, and space that was
 * never written. 0 also where the file system doesn't tell, or the file may not be read.
 */
uint64_t layout_lacking(const char *path, uint64_t offset_bytes, uint64_t bytes);

/*
 * layout_mend - write those bytes of a range, and no others; as layout_fill(). done_bytes of
 * progress() counts what was written.
 */
int layout_mend(int fd, uint64_t offset_bytes, uint64_t bytes, const struct layout_source *source);

/* layout_truncate - set a file's size. Returns 0 or -errno. */
int layout_truncate(int fd, uint64_t size_bytes);

/* layout_sync - wait until all of a file is on the medium. Returns 0 or -errno. */
int layout_sync(int fd);

#endif
