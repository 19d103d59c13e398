/* SPDX-License-Identifier: MIT */
/*
 * tell_files: where the data files of a run are and how large, said at its end. A job file that
 * others run should not leave a gigabyte behind without a word.
 */
#ifndef CORE_LEFTOVER_H
#define CORE_LEFTOVER_H

#include "core/observer.h"

extern const struct observer leftover_observer;

#endif
