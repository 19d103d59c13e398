/* SPDX-License-Identifier: MIT */
/*
 * The handful of macros every file may use. Nothing here has state, and nothing here is about I/O.
 */
#ifndef LIB_BASE_H
#define LIB_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
/* The smaller, the larger of two; each argument is evaluated once. */
#define fl_min(a, b)	({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define fl_max(a, b)	({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define fl_inline	static inline __attribute__((always_inline))
#define fl_printf(f, a)	__attribute__((format(printf, f, a)))
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

/*
 * fl_assert - stop when something is false that only a bug in this program can make false.
 *
 * It stays on in release builds: a benchmark that goes on after a broken invariant prints numbers
 * that are wrong. What the outside world can break is an error to return, never an assertion.
 */
#define fl_assert(cond)								\
	do {									\
		if (unlikely(!(cond)))						\
			fl_assert_failed(#cond, __FILE__, __LINE__, __func__);	\
	} while (0)

/* fl_assert_failed - print what was false and where to stderr, then abort(). Never returns. */
void fl_assert_failed(const char *cond, const char *file, int line, const char *func)
	__attribute__((noreturn, cold));

#endif
