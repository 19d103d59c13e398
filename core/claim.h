/* SPDX-License-Identifier: MIT */
/*
 * Which worker opens its block devices exclusively, so that the kernel refuses to others what they
 * might do meanwhile: to mount them, to make a file system, to build a volume.
 *
 * The kernel grants that to one open file at a time, and readers and writers who do not ask for it
 * are let through. So the first worker of a device asks, and the others do not. It is a worker and
 * not the parent, because a device that stays open between two jobs keeps its page cache.
 */
#ifndef CORE_CLAIM_H
#define CORE_CLAIM_H

#include "core/crew.h"

/* claim_decide - set setup.claim of the jobs of a wave that is about to be started. */
void claim_decide(struct crew *crew, uint32_t wave);

#endif
