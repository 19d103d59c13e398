/* SPDX-License-Identifier: MIT */
/*
 * May this block device be written to? Storage is tested on machines that hold data, by people in a
 * hurry, with names that move from boot to boot: sdb was blank yesterday.
 *
 * A device that anybody lives on, or that carries anything with a name, is not written to unless
 * the user names that very device. What is blank, or holds only what tests leave behind, is free.
 */
#ifndef CORE_SAFETY_H
#define CORE_SAFETY_H

#include "core/names.h"
#include "core/opt.h"

#include <sys/types.h>

/* Devices that may be destroyed, ':' between them, as in allow_destroy; for automation. */
#define SAFETY_VARIABLE	"FIO_LIKE_ALLOW_DESTROY"

struct safety_conf {
	const char *allow;		/* allow_destroy: ':' list of paths; NULL: none */
	uint32_t allow_mounted;		/* allow_mounted_write */
	const char *require_mount;	/* "0", "1", or a path; NULL: not given */
};

extern const struct opt_table safety_options;

/*
 * safety_device - the block device that a path is, or, as a character device, goes to (/dev/sg0).
 * Returns 0, -ENOTBLK if it is neither, or another -errno.
 */
int safety_device(const char *path, dev_t *device);

/*
 * safety_allows - is the device named by allow_destroy, or by the variable? What counts is the
 * number behind a name. conf: NULL for the variable alone.
 */
bool safety_allows(const struct safety_conf *conf, dev_t device);

/* What safety_check() asks besides the kernel's tables. */
#define SAFETY_CLAIM	1u		/* whether it can be opened exclusively */
#define SAFETY_CONTENT	2u		/* what lies on it */

/*
 * safety_check - may path, a block device of this number, be written to?
 * conf: NULL for the variable alone. Returns 0; or -EBUSY with the reason and the remedy in why, in
 * two sentences that begin with path.
 */
int safety_check(const struct safety_conf *conf, const char *path, dev_t device, unsigned int what,
		 char *why, size_t why_bytes);

/*
 * safety_mount - require_mount: are the files where a file system has been mounted? names: of the
 * job's files. first: path of one of them.
 * Returns 0, or -ENOENT with a sentence in why.
 */
int safety_mount(const struct safety_conf *conf, const struct names_conf *names, const char *first,
		 char *why, size_t why_bytes);

#endif
