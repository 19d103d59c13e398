/* SPDX-License-Identifier: MIT */
/*
 * refuse RULE... -- COMMAND [ARGUMENT...]
 *
 * Runs a command in which chosen system calls fail, in every process and thread it starts, so that a
 * test can see what comes of a kernel that is older, poorer or broken. No privilege is needed.
 *
 *	RULE	CALL[,CONDITION]...[,after=N][,times=N]:ERROR
 *	CONDITION	argN=VALUE, argN&MASK: an argument, counted from 0
 *		path=TAIL: the path that is given ends so; fd=TAIL: that of the descriptor does
 *
 *	io_uring_setup:EPERM			always
 *	io_uring_enter,after=2,times=1:EINTR	the third call alone
 *	fallocate,arg1&0x2:EOPNOTSUPP		only with a bit of the mask in its second argument
 *	openat,path=/proc/self/io:EACCES	one file
 *	pread64,fd=/data,after=9:=512		is not made and returns 512
 *
 * The first rule that fits a call decides. Calls that a rule does not refuse are made as they are.
 * A rule that was never met is told to standard error: then the test tests nothing. The exit status
 * is the command's (128 and the signal that ended it), 77 where the kernel has no such thing, and 2
 * for a rule that cannot be read.
 *
 * By seccomp's user notifications, Linux 5.5: seccomp_unotify(2). Who answers, here, counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH	AUDIT_ARCH_AARCH64
#else
#define ARCH	0
#endif

#define RULES_MAX	16
#define ARGS_MAX	6

#define CALL(name)	{ #name, SYS_ ## name }
static const struct call {
	const char *name;
	int nr;
} calls[] = {
	CALL(openat), CALL(close), CALL(read), CALL(write), CALL(pread64), CALL(pwrite64),
	CALL(readv), CALL(writev), CALL(preadv), CALL(pwritev), CALL(preadv2), CALL(pwritev2),
	CALL(lseek), CALL(fstat),
	CALL(newfstatat), CALL(statx), CALL(statfs), CALL(fstatfs), CALL(ftruncate),
	CALL(fallocate), CALL(fadvise64), CALL(readahead), CALL(sync_file_range), CALL(fsync),
	CALL(fdatasync), CALL(sync), CALL(syncfs), CALL(splice), CALL(sendfile), CALL(vmsplice),
	CALL(tee),
	CALL(copy_file_range), CALL(ioctl), CALL(fcntl), CALL(flock), CALL(unlinkat),
	CALL(mkdirat), CALL(renameat), CALL(mmap), CALL(munmap), CALL(mremap), CALL(mprotect),
	CALL(msync), CALL(madvise), CALL(mlock), CALL(mlock2), CALL(munlock), CALL(mlockall),
	CALL(mincore), CALL(mbind), CALL(set_mempolicy), CALL(io_setup), CALL(io_submit),
	CALL(io_getevents), CALL(io_pgetevents), CALL(io_cancel), CALL(io_destroy),
	CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register), CALL(clone),
	CALL(clone3), CALL(sched_setaffinity), CALL(sched_setscheduler), CALL(setpriority),
	CALL(ioprio_set), CALL(prlimit64), CALL(getrusage), CALL(clock_gettime),
	CALL(clock_nanosleep), CALL(timerfd_create), CALL(timerfd_settime), CALL(eventfd2),
	CALL(epoll_create1), CALL(pipe2), CALL(socket), CALL(kill), CALL(wait4), CALL(waitid),
	CALL(memfd_create), CALL(uname), CALL(shmget), CALL(shmat), CALL(perf_event_open),
	CALL(getrandom),
#ifdef SYS_cachestat
	CALL(cachestat),
#endif
#ifdef SYS_unlink
	CALL(open), CALL(stat), CALL(unlink), CALL(mkdir), CALL(rmdir), CALL(rename), CALL(fork),
	CALL(vfork),
#endif
};

struct rule {
	const char *text;
	int nr;
	struct { bool is, mask; uint64_t value; } arg[ARGS_MAX];
	const char *path_tail, *fd_tail;	/* or NULL */
	uint64_t after, times;		/* calls that pass first; calls that are refused */
	int error;			/* 0: result is returned */
	int64_t result;
	uint64_t met, refused;
};

static struct rule rules[RULES_MAX];
static int nr_rules;
static char **command;
static volatile sig_atomic_t child;
static struct { volatile int listener, err; } *shared;	/* with the child */

/* ---- Rules ----------------------------------------------------------------------------------- */

static void bad(const char *text, const char *part, const char *want)
{
	fprintf(stderr, "refuse: %s: '%s': %s\n", text, part, want);
	exit(2);
}

static uint64_t number(const char *text, const char *part)
{
	char *end;
	uint64_t n = strtoull(part, &end, 0);

	if (!*part || *end)
		bad(text, part, "a number is expected");
	return n;
}

static void read_condition(struct rule *r, char *part)
{
	char *value = strpbrk(part, "=&");
	bool mask = value && *value == '&';

	if (!value)
		bad(r->text, part, "expected argN=VALUE, argN&MASK, path=, fd=, after=N or times=N");
	*value++ = '\0';
	if (!strcmp(part, "after") && !mask) {
		r->after = number(r->text, value);
	} else if (!strcmp(part, "times") && !mask) {
		r->times = number(r->text, value);
	} else if (!strcmp(part, "path") && !mask) {
		r->path_tail = strdup(value);
	} else if (!strcmp(part, "fd") && !mask) {
		r->fd_tail = strdup(value);
	} else if (!strncmp(part, "arg", 3) && part[3] >= '0' && part[3] < '0' + ARGS_MAX &&
		   !part[4]) {
		r->arg[part[3] - '0'].is = true;
		r->arg[part[3] - '0'].mask = mask;
		r->arg[part[3] - '0'].value = number(r->text, value);
	} else {
		bad(r->text, part, "expected arg0 to arg5, path, fd, after or times");
	}
}

static void read_answer(struct rule *r, const char *answer)
{
	if (*answer == '=') {
		r->result = (int64_t)number(r->text, answer + 1);
		return;
	}
	for (int e = 1; e < 134 && !r->error; e++) {
		const char *name = strerrorname_np(e);

		if (name && !strcmp(name, answer))
			r->error = e;
	}
	if (!r->error)
		bad(r->text, answer, "the name of an errno is expected, or =VALUE");
}

static void read_rule(const char *text)
{
	struct rule *r = &rules[nr_rules++];
	char *copy = strdup(text), *answer = copy ? strrchr(copy, ':') : NULL, *rest, *part;

	*r = (struct rule){ .text = text, .nr = -1, .times = UINT64_MAX };
	if (!answer)
		bad(text, text, "an answer is expected, as in fsync:EIO");
	*answer++ = '\0';
	part = strtok_r(copy, ",", &rest);
	for (size_t i = 0; part && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, part))
			r->nr = calls[i].nr;
	if (r->nr < 0)
		bad(text, part ? part : "", "no system call of this name is in t/tools/refuse.c");
	while ((part = strtok_r(NULL, ",", &rest)))
		read_condition(r, part);
	read_answer(r, answer);
	free(copy);
}

/* ---- The command ------------------------------------------------------------------------------ */

static int install_filter(void)
{
	struct sock_filter code[2 * RULES_MAX + 8];
	struct sock_fprog prog = { .filter = code };
	unsigned short n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (int i = 0; i < nr_rules; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 (uint32_t)rules[i].nr, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							 SECCOMP_RET_USER_NOTIF);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prog.len = n;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &prog);
}

/* Shares its table of files with the parent until it is the command: so the listener stays there. */
static void become_command(void)
{
	int fd;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || (fd = install_filter()) < 0) {
		shared->err = errno;
		_exit(77);
	}
	shared->listener = fd;		/* from here on calls may wait to be answered */
	execvp(command[0], command);
	shared->err = errno;
	_exit(127);
}

/* Returns the descriptor by which its calls are answered, or -1: it has ended. */
static int start_command(void)
{
	siginfo_t info;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED) {
		perror("refuse");
		exit(1);
	}
	shared->listener = -1;
	child = (sig_atomic_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (!child)
		become_command();
	while (child > 0 && shared->listener < 0) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid)
			break;
		usleep(200);
	}
	return shared->listener;
}

/* ---- Its calls -------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *tail)
{
	size_t n = strlen(text), m = strlen(tail);

	return n >= m && !strcmp(text + n - m, tail);
}

/* Does the string at this address of the process end so? It waits for us, so it stays there. */
static bool path_fits(pid_t pid, uint64_t at, const char *tail)
{
	char name[64], text[4096];
	ssize_t n = -1;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		/* What lies behind the string may end before the buffer does. */
		for (size_t want = sizeof(text) - 1; n <= 0 && want; want /= 2)
			n = pread(fd, text, want, (off_t)at);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return ends_with(text, tail);
}

static bool fd_fits(pid_t pid, uint64_t fd, const char *tail)
{
	char name[64], text[4096];
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)pid, (int)fd);
	n = readlink(name, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return ends_with(text, tail);
}

static bool is_at_call(int nr)
{
	return nr == SYS_openat || nr == SYS_newfstatat || nr == SYS_statx || nr == SYS_unlinkat ||
	       nr == SYS_mkdirat;
}

static bool fits(const struct rule *r, const struct seccomp_notif *n)
{
	const struct seccomp_data *d = &n->data;

	if (r->nr != d->nr)
		return false;
	for (int i = 0; i < ARGS_MAX; i++) {
		if (!r->arg[i].is)
			continue;
		if (r->arg[i].mask ? !(d->args[i] & r->arg[i].value)
				   : d->args[i] != r->arg[i].value)
			return false;
	}
	return (!r->path_tail ||
		path_fits((pid_t)n->pid, d->args[is_at_call(d->nr)], r->path_tail)) &&
	       (!r->fd_tail || fd_fits((pid_t)n->pid, d->args[0], r->fd_tail));
}

static void answer(struct seccomp_notif_resp *resp, const struct seccomp_notif *n)
{
	for (int i = 0; i < nr_rules; i++) {
		struct rule *r = &rules[i];

		if (!fits(r, n) || r->met++ < r->after || r->refused >= r->times)
			continue;
		r->refused++;
		resp->error = -r->error;
		resp->val = r->error ? 0 : r->result;
		return;
	}
	resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
}

/* Until no process with the filter is left, or the command has ended. */
static int serve(int listener)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	int status;

	for (;;) {
		/* The kernel wants both cleared. Its structures of today are not larger than these. */
		union { struct seccomp_notif n; char room[512]; } req = { 0 };
		union { struct seccomp_notif_resp r; char room[512]; } resp = { 0 };

		poll(&p, 1, 20);
		if (p.revents & POLLIN && !ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &req)) {
			resp.r.id = req.n.id;
			answer(&resp.r, &req.n);
			ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
			continue;
		}
		if (waitpid((pid_t)child, &status, p.revents & POLLHUP ? 0 : WNOHANG) == (pid_t)child)
			return status;
	}
}

static void pass_on(int sig)
{
	if (child > 0)
		kill((pid_t)child, sig);
}

int main(int argc, char **argv)
{
	int i = 1, listener, status = 0;

	for (; i < argc && strcmp(argv[i], "--"); i++) {
		if (nr_rules == RULES_MAX)
			bad(argv[i], argv[i], "too many rules");
		read_rule(argv[i]);
	}
	if (!nr_rules || i + 1 >= argc) {
		fprintf(stderr, "usage: refuse RULE... -- COMMAND [ARGUMENT...]\n");
		return 2;
	}
	command = argv + i + 1;
	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	listener = start_command();
	if (listener < 0) {
		fprintf(stderr, "refuse: seccomp: %s\n", strerror(shared->err));
		return 77;
	}
	status = serve(listener);
	if (shared->err) {
		fprintf(stderr, "refuse: %s: %s\n", command[0], strerror(shared->err));
		return 127;
	}
	for (i = 0; i < nr_rules; i++)
		if (!rules[i].refused)
			fprintf(stderr, "refuse: %s: never met\n", rules[i].text);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
