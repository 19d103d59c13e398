/* SPDX-License-Identifier: MIT */
/* Breaks nothing: what the others of this folder break is their own doing. */
#include "honest.h"

BROKEN("honest", "keeps every rule", honest_close, honest_queue, honest_complete);
