/* SPDX-License-Identifier: MIT */
/*
 * ramp_size: counting begins when so many bytes have been moved, by the job or by all jobs that
 * group_reporting puts together.
 */
#ifndef CORE_GATE_RAMP_H
#define CORE_GATE_RAMP_H

#include "core/gate.h"
#include "core/pace.h"

/*
 * gate_ramp_new - the part that counts into *sum, which jobs of a group share. When that is enough
 * it sets *deadline (clock_ticks()), of the worker, to now or when ramp_time is over, so that the
 * loop ends before it has chosen another I/O. It leaves the gate in gate_anew(). All pointers
 * outlive it. NULL: no memory.
 */
struct gate_part *gate_ramp_new(const struct pace_conf *c, _Atomic uint64_t *sum,
				uint64_t *deadline);

/* gate_ramp_reached - have so many bytes been moved? True of jobs without ramp_size. */
fl_inline bool gate_ramp_reached(const struct pace_conf *c, _Atomic uint64_t *sum)
{
	return !c->ramp_bytes || atomic_load_explicit(sum, memory_order_relaxed) >= c->ramp_bytes;
}

#endif
