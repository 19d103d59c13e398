/* SPDX-License-Identifier: MIT */
/* Files of a job with zonemode=zbd: the part that it uses consists of whole zones. */
#ifndef CORE_ZBD_FIT_H
#define CORE_ZBD_FIT_H

#include "core/files.h"
#include "core/job.h"

/*
 * zbd_zone_bytes - the size of a zone on this device, or of those that are made up for it; 0: none
 * is known. For amounts that are counted in zones.
 */
uint64_t zbd_zone_bytes(const struct job *job, const char *path);

/*
 * zbd_fit - begin and end with a zone; a note in set->note says so where that changes something.
 * Returns 0, or -errno with a sentence in why: no zone is left, or the job cannot write to zones.
 */
int zbd_fit(struct file_set *set, const struct job *job, char *why, size_t why_bytes);

#endif
