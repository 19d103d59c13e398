/* SPDX-License-Identifier: MIT */
/*
 * write_iolog: what a worker issues, in the order in which it does, on its way to the writer of the
 * logs (log_iolog.h). It is a part of the gate, which hears of each I/O that starts; files that are
 * opened and closed come by themselves.
 */
#ifndef CORE_RECORDER_H
#define CORE_RECORDER_H

#include "core/gate.h"
#include "core/log_ring.h"

/* recorder_part - the part of a gate, which owns it. NULL with *err -ENOMEM. */
struct gate_part *recorder_part(struct log_ring *ring, int *err);

/*
 * recorder_file - file i has been opened, or is being closed. Waits for room, but not once *stop
 * is set. For openset.h; ctx is a struct recorder_files.
 */
struct recorder_files {
	struct log_ring *ring;
	const _Atomic uint32_t *stop;
};
void recorder_file(void *ctx, uint32_t file, bool open);

/* recorder_sync - an fsync of file i that no workload has asked for begins. */
void recorder_sync(struct recorder_files *r, uint32_t file);

#endif
