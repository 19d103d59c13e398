/* SPDX-License-Identifier: MIT */
/*
 * The judgement: every expectation of every job against the final result. An observer writes it to
 * the results, to --junit=FILE, and into the exit status.
 */
#ifndef CORE_JUDGE_H
#define CORE_JUDGE_H

#include "core/observer.h"

#define JUDGE_STATUS	3	/* the exit status when an expectation was missed */

extern const struct observer judge_observer;

#endif
