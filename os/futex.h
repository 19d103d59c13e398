/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a number in shared memory to change, across processes (futex(2)).
 */
#ifndef OS_FUTEX_H
#define OS_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

#define FUTEX_FOREVER	UINT64_MAX

/*
 * futex_wait - sleep while *word is still `seen`, until futex_wake(), a signal, or timeout_ns (or
 * FUTEX_FOREVER) have passed. May return without reason: the caller looks at the word again.
 */
void futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns);

/* futex_wake - wake all who wait for this word. */
void futex_wake(_Atomic uint32_t *word);

#endif
