/* SPDX-License-Identifier: MIT */
/*
 * pre_read: what a job will work on is read once, before its clock starts, so that it lies in the
 * page cache as far as it fits.
 */
#ifndef CORE_WARM_H
#define CORE_WARM_H

#include "core/files.h"

/*
 * warm_files - read the part of each file that the job uses; files that are not there yet are left
 * out. stop: other than 0 ends it early.
 * Returns 0, or -errno with a sentence in why.
 */
int warm_files(const struct file_set *set, const _Atomic uint32_t *stop, char *why,
	       size_t why_bytes);

#endif
