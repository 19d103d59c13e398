/* SPDX-License-Identifier: MIT */
/* Which libraries this process runs with. */
#ifndef OS_LIBS_H
#define OS_LIBS_H

#include "lib/facts.h"

/*
 * libs_facts - "libraries": a list of names with the versions that their files carry
 * ("liburing.so.2.3.0"), of all that are loaded now, in order; the C library by its own word.
 */
void libs_facts(unsigned int flags, struct facts *f);

#endif
