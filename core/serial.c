/* SPDX-License-Identifier: MIT */
/* The ranges in flight of one worker, and its places on the board. */
#include "core/serial.h"

bool serial_may_start(struct worker *w, const struct io *io, uint32_t *seen)
{
	const struct worker_setup *s = w->setup;
	struct overlap_range range;

	if (io->req.op >= DIRS)
		return true;
	range = (struct overlap_range){
		.file = s->board ? container_of(io->req.file, struct open_file, f)->id
				 : io->req.file->index,
		.lo = io->req.offset, .hi = io->req.offset + io->req.len,
		.write = io->req.op != FL_OP_READ,
	};
	if (s->board) {
		if (!overlap_claim(s->board, s->board_first + io->req.slot, &range, seen))
			return false;
	} else {
		for (uint32_t i = 0; i < w->slots; i++)
			if (overlap_conflict(&w->ranges[i], &range))
				return false;
	}
	w->ranges[io->req.slot] = range;
	return true;
}

void serial_release(struct worker *w, uint32_t slot)
{
	if (!w->ranges[slot].hi)
		return;
	w->ranges[slot].hi = 0;
	if (w->setup->board)
		overlap_release(w->setup->board, w->setup->board_first + slot);
}
