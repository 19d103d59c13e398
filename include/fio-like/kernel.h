/* SPDX-License-Identifier: MIT */
/*
 * fio-like/kernel.h - the system call of an I/O without a library around it.
 *
 * While the kernel works, or sleeps, the caches forget, and the processor forgets where returns
 * lead to. Each function between an engine and the kernel then costs a return that is mispredicted
 * and a line of code that has to be fetched again: of io_uring_enter(2) by way of its library that
 * was a fifth of all user time, with a disk that lets the CPU sleep (Zen 4, a virtual machine). So
 * the one or two calls that every I/O makes are made right here. Anything else can use syscall(2).
 *
 * Header only; may be included from C++.
 */
#ifndef FIO_LIKE_KERNEL_H
#define FIO_LIKE_KERNEL_H

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Is this compiled for ThreadSanitizer? gcc says it in one way, clang in another. */
#if defined(__SANITIZE_THREAD__)
#define FL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FL_TSAN 1
#endif
#endif

#ifdef FL_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * fl_kernel - a system call by its number and six arguments, of which it may need fewer. Returns
 * what the kernel does: a result, or -errno. What it does to errno is not said.
 */
static inline long fl_kernel(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#else
	long ret = syscall(number, a, b, c, d, e, f);

	return ret < 0 ? -errno : ret;
#endif
}

/*
 * fl_kernel_mapped, fl_kernel_unmapping - a call that goes past libc has mapped memory, is about to
 * unmap some. ThreadSanitizer does not see such calls (io_setup(2), what liburing does), and takes
 * memory that one thread gave back and another got for a place that both use at a time. These say
 * what the kernel sees to: that the one comes after the other. Without the sanitizer they are
 * nothing.
 */
static inline void fl_kernel_mapped(void)
{
#ifdef FL_TSAN
	__tsan_acquire(stderr);		/* of all addresses one that every engine knows */
#endif
}

static inline void fl_kernel_unmapping(void)
{
#ifdef FL_TSAN
	__tsan_release(stderr);
#endif
}

#ifdef __cplusplus
}
#endif
#endif
