/* SPDX-License-Identifier: MIT */
/* verify_dump: the images of a wrong block, for whoever looks for the reason. */
#ifndef CORE_VERIFY_DUMP_H
#define CORE_VERIFY_DUMP_H

#include <stddef.h>
#include <stdint.h>

/*
 * verify_dump - write FILE.OFFSET.received and FILE.OFFSET.expected to the current directory, FILE
 * without its folders. What is there already is replaced. What goes wrong is told on stderr.
 */
void verify_dump(const char *name, uint64_t offset, const void *received, const void *expected,
		 size_t bytes);

#endif
