/* SPDX-License-Identifier: MIT */
/*
 * --trigger-file, --trigger-timeout, --trigger: at some moment of a run, keep the states of the
 * verifying jobs, end all jobs, and run a command, which may well cut the power.
 *
 * The states are written before anything else is done, the command is started while I/O is still in
 * flight, and does not hold up the parent; the run ends when the command has, too.
 */
#ifndef CORE_TRIGGER_H
#define CORE_TRIGGER_H

#include "core/observer.h"

extern const struct observer trigger_observer;

#endif
