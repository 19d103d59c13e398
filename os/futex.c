/* SPDX-License-Identifier: MIT */
/* futex(2) has no wrapper in the C library. */
#define _GNU_SOURCE
#include "os/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(timeout_ns / 1000000000),
		.tv_nsec = (long)(timeout_ns % 1000000000),
	};

	syscall(SYS_futex, word, FUTEX_WAIT, seen, timeout_ns == FUTEX_FOREVER ? NULL : &ts,
		NULL, 0);
}

void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
