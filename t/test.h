/* SPDX-License-Identifier: MIT */
/*
 * The unit test frame: one header, one program per test file.
 *
 *	#include "t/test.h"
 *
 *	TEST(adds_up)
 *	{
 *		T_EQ(1 + 1, 2);
 *	}
 *
 * Each case runs in a process of its own, so that a crash, an exit() or a leaked thread costs that
 * case and no other. The parent holds the clock: a case that blocks its signals is stopped all the
 * same. A case that returns leaves through exit(), which lets a leak checker speak.
 *
 * Run with words as arguments, a program runs only the cases whose name contains one of them.
 * T_TIMEOUT sets the seconds that a case may take (10). Exit status: 0 passed, 1 failed, 77 when
 * every case was skipped.
 */
#ifndef T_TEST_H
#define T_TEST_H

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { T_CASES_MAX = 512, T_WHY_MAX = 256, T_SKIP_STATUS = 77 };

struct t_case {
	const char *name;
	void (*run)(void);
};

static struct t_case t_cases[T_CASES_MAX];
static int t_case_count;
static char *t_skip_why;		/* shared with the parent, T_WHY_MAX bytes */
static volatile pid_t t_running;	/* process group of the case that runs now */
static volatile sig_atomic_t t_timed_out;

/* TEST - define a case; it registers itself, in the order of the file. */
#define TEST(case_name)								\
	static void t_case_##case_name(void);					\
	__attribute__((constructor)) static void t_register_##case_name(void)	\
	{									\
		t_register(#case_name, t_case_##case_name);			\
	}									\
	static void t_case_##case_name(void)

/* T_TRUE - fail the case unless x holds. */
#define T_TRUE(x)								\
	do {									\
		if (!(x))							\
			t_fail(__FILE__, __LINE__, "'%s' does not hold", #x);	\
	} while (0)

/* T_EQ - fail unless two integers are equal; floating point values belong in T_NEAR. */
#define T_EQ(a, b)								\
	do {									\
		_Static_assert(t_is_integer(a) && t_is_integer(b), "T_NEAR compares these"); \
		t_eq(__FILE__, __LINE__, #a, #b, (long long)(a), (long long)(b)); \
	} while (0)

/* T_STR - fail unless two strings are equal; NULL equals only NULL. */
#define T_STR(a, b)	t_str(__FILE__, __LINE__, #a, #b, (a), (b))

/* T_NEAR - fail unless two numbers differ by at most eps (absolute); a NaN is near nothing. */
#define T_NEAR(a, b, eps)							\
	t_near(__FILE__, __LINE__, #a, #b, (double)(a), (double)(b), (double)(eps))

/* T_MEM - fail unless the first len bytes of a and b are equal; names the first that differs. */
#define T_MEM(a, b, len)	t_mem(__FILE__, __LINE__, #a, #b, (a), (b), (len))

/* T_FAIL - fail the case with a message of its own, printf style. */
#define T_FAIL(...)	t_fail(__FILE__, __LINE__, __VA_ARGS__)

/*
 * t_emulated - is the processor made of software (T_EMULATED is set: valgrind)? Then a long double
 * has 64 bits, times mean nothing, and some calls are not as the kernel has them.
 */
static inline bool t_emulated(void)
{
	return getenv("T_EMULATED") != NULL;
}

/* SKIP - end the case here as skipped; the reason is shown. */
#define SKIP(why)	t_skip(why)

#define t_is_integer(x)	_Generic((x), float: 0, double: 0, long double: 0, default: 1)

static inline void t_register(const char *name, void (*run)(void))
{
	if (t_case_count == T_CASES_MAX) {
		fprintf(stderr, "more than %d cases in one file\n", T_CASES_MAX);
		_exit(1);
	}
	t_cases[t_case_count++] = (struct t_case){ .name = name, .run = run };
}

__attribute__((noreturn, format(printf, 3, 4)))
static inline void t_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(NULL);
	_exit(1);
}

__attribute__((noreturn)) static inline void t_skip(const char *why)
{
	snprintf(t_skip_why, T_WHY_MAX, "%s", why);
	fflush(NULL);
	_exit(T_SKIP_STATUS);
}

static inline void t_eq(const char *file, int line, const char *a_text, const char *b_text,
			long long a, long long b)
{
	if (a != b)
		t_fail(file, line, "%s is %lld (0x%llx), %s is %lld (0x%llx)", a_text, a,
		       (unsigned long long)a, b_text, b, (unsigned long long)b);
}

static inline void t_str(const char *file, int line, const char *a_text, const char *b_text,
			 const char *a, const char *b)
{
	if (a && b && !strcmp(a, b))
		return;
	if (a != b)
		t_fail(file, line, "%s is %s%s%s,\n#     %s is %s%s%s", a_text, a ? "\"" : "",
		       a ? a : "NULL", a ? "\"" : "", b_text, b ? "\"" : "", b ? b : "NULL",
		       b ? "\"" : "");
}

static inline void t_near(const char *file, int line, const char *a_text, const char *b_text,
			  double a, double b, double eps)
{
	if (a == b || fabs(a - b) <= eps)
		return;
	t_fail(file, line, "%s is %.17g, %s is %.17g: %.6g apart, %.6g allowed", a_text, a,
	       b_text, b, fabs(a - b), eps);
}

static inline void t_mem(const char *file, int line, const char *a_text, const char *b_text,
			 const void *a, const void *b, size_t len)
{
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;

	for (size_t i = 0; i < len; i++)
		if (x[i] != y[i])
			t_fail(file, line, "byte %zu of %zu: %s has 0x%02x, %s has 0x%02x", i,
			       len, a_text, x[i], b_text, y[i]);
}

static inline void t_on_alarm(int sig)
{
	(void)sig;
	t_timed_out = 1;
	if (t_running > 0)
		kill(-t_running, SIGKILL);
}

__attribute__((noreturn)) static inline void t_child(const struct t_case *c)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_DFL);
	c->run();
	fflush(NULL);
	exit(0);
}

/* Runs one case and returns its wait status; whatever the case left running is ended. */
static inline int t_fork(const struct t_case *c, unsigned int timeout_s)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	t_skip_why[0] = '\0';
	t_timed_out = 0;
	pid = fork();
	if (pid == 0)
		t_child(c);
	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	setpgid(pid, pid);	/* both sides call it: whoever comes first */
	t_running = pid;
	alarm(timeout_s);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	alarm(0);
	kill(-pid, SIGKILL);
	t_running = 0;
	return status;
}

static inline bool t_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return argc < 2;
}

/* Prints the line of one case; returns the exit status that the case amounts to. */
static inline int t_tell(int number, const char *name, int status, unsigned int timeout_s)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		printf("ok %d - %s\n", number, name);
		return 0;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == T_SKIP_STATUS) {
		printf("ok %d - %s # SKIP %s\n", number, name, t_skip_why);
		return T_SKIP_STATUS;
	}
	printf("not ok %d - %s", number, name);
	if (t_timed_out)
		printf(" (stopped after %u s)", timeout_s);
	else if (WIFSIGNALED(status))
		printf(" (signal %d, %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 1)
		printf(" (exit status %d)", WEXITSTATUS(status));
	printf("\n");
	return 1;
}

int main(int argc, char **argv)
{
	const char *limit = getenv("T_TIMEOUT");
	unsigned int timeout_s = limit && atoi(limit) > 0 ? (unsigned int)atoi(limit) : 10;
	struct sigaction on_alarm = { .sa_handler = t_on_alarm };
	int number = 0, passed = 0, failed = 0, skipped = 0;

	t_skip_why = (char *)mmap(NULL, T_WHY_MAX, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t_skip_why == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	sigaction(SIGALRM, &on_alarm, NULL);
	for (int i = 0; i < t_case_count; i++) {
		const struct t_case *c = &t_cases[i];
		int verdict;

		if (!t_wanted(c->name, argc, argv))
			continue;
		verdict = t_tell(++number, c->name, t_fork(c, timeout_s), timeout_s);
		passed += verdict == 0;
		skipped += verdict == T_SKIP_STATUS;
		failed += verdict == 1;
	}
	printf("1..%d\n%d passed, %d failed", number, passed, failed);
	if (skipped)
		printf(", %d skipped", skipped);
	printf("\n");
	if (failed || !number)
		return 1;
	return passed ? 0 : T_SKIP_STATUS;
}

#endif
