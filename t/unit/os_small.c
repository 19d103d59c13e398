/* SPDX-License-Identifier: MIT */
/* The small questions: sys, status, usage, cpu. */
#define _GNU_SOURCE 1
#include "t/test.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "lib/base.h"
#include "os/cpu.h"
#include "os/status.h"
#include "os/sys.h"
#include "os/usage.h"

TEST(sys_reads_small_files)
{
	char text[64], tiny[4];
	uint64_t v = 7;

	T_TRUE(sys_read_text("/proc/sys/kernel/ostype", text, sizeof(text)) == 5);
	T_STR(text, "Linux");
	T_EQ(sys_read_text("/proc/sys/kernel/ostype", tiny, sizeof(tiny)), 3);
	T_STR(tiny, "Lin");
	T_EQ(sys_read_text("/proc/no-such-file", text, sizeof(text)), -ENOENT);
	T_STR(text, "");
	T_EQ(sys_read_text("/proc", text, sizeof(text)), -EISDIR);
	T_EQ(sys_read_u64("/proc/sys/kernel/pid_max", &v), 0);
	T_TRUE(v > 100);
	v = 7;
	T_EQ(sys_read_u64("/proc/sys/kernel/ostype", &v), -EINVAL);
	T_EQ(v, 7);
	T_EQ(sys_write_text("/dev/null", "x"), 0);
	T_EQ(sys_write_text("/dev/full", "x"), -ENOSPC);
	T_EQ(sys_write_text("/proc/no-such-file", "x"), -ENOENT);
}

TEST(sys_reads_numbers_to_the_limit)
{
	char name[] = "/tmp/os_small.XXXXXX";
	int fd = mkstemp(name);
	uint64_t v = 0;

	T_TRUE(fd >= 0);
	T_EQ(sys_write_text(name, "18446744073709551615\n"), 0);
	T_EQ(sys_read_u64(name, &v), 0);
	T_TRUE(v == UINT64_MAX);
	T_EQ(sys_write_text(name, "18446744073709551616\n"), 0);
	T_EQ(sys_read_u64(name, &v), -ERANGE);
	close(fd);
	unlink(name);
}

TEST(sys_names)
{
	char text[128], tiny[3];

	sys_hostname(text, sizeof(text));
	T_TRUE(text[0]);
	sys_hostname(tiny, sizeof(tiny));
	T_TRUE(strlen(tiny) < sizeof(tiny));
	sys_kernel(text, sizeof(text));
	T_TRUE(!strncmp(text, "Linux ", 6));
	int fd = open("/dev/null", O_RDWR);
	T_TRUE(!sys_is_terminal(fd));
	T_EQ(sys_terminal_width(fd), 80);
	close(fd);
}

static int child_status(int sig, int code)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		if (sig) {
			signal(sig, SIG_DFL);
			raise(sig);
		}
		_exit(code);
	}
	waitpid(pid, &status, 0);
	return status;
}

TEST(status_in_words)
{
	char text[80], tiny[8];

	T_STR(status_text(child_status(0, 3), text, sizeof(text)), "exited with status 3");
	T_STR(status_text(child_status(SIGKILL, 0), text, sizeof(text)),
	      "killed by signal 9 (Killed)");
	status_text(child_status(SIGSEGV, 0), text, sizeof(text));
	T_TRUE(!strncmp(text, "killed by signal 11 (Segmentation fault)", 40));
	T_STR(status_text(child_status(0, 3), tiny, sizeof(tiny)), "exited ");
	T_STR(status_signal_name(SIGTERM, text, sizeof(text)), "SIGTERM");
	T_STR(status_signal_name(63, text, sizeof(text)), "signal 63");
}

TEST(usage_counts_what_happened)
{
	struct usage before, after, d;
	char *p = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, fd = open("/dev/zero", O_RDONLY);
	volatile unsigned int spin = 0;

	madvise(p, 64 * 4096, MADV_NOHUGEPAGE);
	usage_take(USAGE_THREAD, &before);
	for (i = 0; i < 64; i++)
		T_EQ(read(fd, p + i * 4096, 4096), 4096);
	usleep(1000);
	while (spin < 20000000)
		spin++;
	usage_take(USAGE_THREAD, &after);
	d = usage_since(&before, &after);
	T_TRUE(d.faults_minor >= 32);
	T_TRUE(usage_switches(&d) >= 1);
	T_TRUE(d.user_us + d.system_us > 1000 && d.user_us + d.system_us < 9000000);
	if (!after.io_known)
		SKIP("this kernel doesn't count I/O of processes");
	T_TRUE(d.io_known);
	T_TRUE(d.io_read_calls >= 64 && (d.io_read_calls < 80 || t_emulated()));
	T_TRUE(d.io_read_chars >= 64 * 4096);
	T_EQ(d.io_write_bytes, 0);
	usage_take(USAGE_PROCESS, &after);
	T_TRUE(after.user_us >= d.user_us);
}

TEST(usage_without_io_accounting)
{
	struct usage a = { .user_us = 5, .io_read_calls = 9 };
	struct usage b = { .user_us = 8, .io_known = true };
	struct usage d = usage_since(&a, &b);

	T_EQ(d.user_us, 3);
	T_TRUE(!d.io_known);
	T_EQ(d.io_read_calls, 0);
}

TEST(cpu_sets)
{
	struct cpus s = { { 0 } };
	char text[64], tiny[6];

	T_EQ(cpus_count(&s), 0);
	T_EQ(cpus_nth(&s, 0), -ENOENT);
	T_STR(cpus_format(&s, text, sizeof(text)), "");
	cpus_add(&s, 1);
	cpus_add(&s, 2);
	cpus_add(&s, 3);
	cpus_add(&s, 63);
	cpus_add(&s, 64);
	cpus_add(&s, CPUS_MAX - 1);
	T_EQ(cpus_count(&s), 6);
	T_STR(cpus_format(&s, text, sizeof(text)), "1-3,63-64,4095");
	T_TRUE(strlen(cpus_format(&s, tiny, sizeof(tiny))) < sizeof(tiny));
	T_EQ(cpus_nth(&s, 0), 1);
	T_EQ(cpus_nth(&s, 5), CPUS_MAX - 1);
	T_EQ(cpus_nth(&s, 6), 1);
	T_EQ(cpus_nth(&s, 4000000000u), cpus_nth(&s, 4000000000u % 6));
	cpus_drop(&s, 2);
	T_TRUE(!cpus_has(&s, 2) && cpus_has(&s, 3) && !cpus_has(&s, CPUS_MAX));
}

TEST(cpu_lists_in_text)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "", "a CPU number is missing in \"\"" },
		{ "a", "a CPU number is missing in \"a\"" },
		{ "0,", "a CPU number is missing in \"0,\"" },
		{ "0-", "a CPU range in \"0-\" has no end" },
		{ "1-0", "CPU range 1-0 runs backwards" },
		{ "0;1", "';' doesn't belong in the CPU list \"0;1\"" },
		{ "0 0", "'0' doesn't belong in the CPU list \"0 0\"" },
		{ "4096", "CPU numbers end at 4095" },
		{ "0-99999999999999999999", "CPU numbers end at 4095" },
	};
	struct cpus s;
	char error[160];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		T_EQ(cpus_parse(&s, bad[i].text, error, sizeof(error)), -EINVAL);
		T_STR(error, bad[i].error);
	}
	T_EQ(cpus_parse(&s, " 0 , 0 - 0 ", error, sizeof(error)), 0);
	T_EQ(cpus_count(&s), 1);
	T_EQ(cpus_parse(&s, "0,4090-4095", error, sizeof(error)), -EINVAL);
	T_TRUE(!strncmp(error, "CPU 4090-4095 is not online here (online: 0", 43));
	T_EQ(cpus_from_mask(&s, 1, error, sizeof(error)), 0);
	T_TRUE(cpus_has(&s, 0));
	T_EQ(cpus_from_mask(&s, 0, error, sizeof(error)), -EINVAL);
	T_EQ(cpus_from_mask(&s, 1ull << 63, error, sizeof(error)), -EINVAL);
}

TEST(cpu_binding)
{
	struct cpus online, allowed, one = { { 0 } }, none = { { 0 } };
	int cpu;

	T_TRUE(cpus_online(&online) >= 1);
	T_TRUE(cpus_allowed(&allowed) >= 1);
	cpu = cpus_nth(&allowed, 0);
	T_TRUE(cpus_has(&online, (unsigned int)cpu));
	cpus_add(&one, (unsigned int)cpu);
	T_EQ(cpus_apply(&one), 0);
	T_EQ(cpus_allowed(&allowed), 1);
	T_TRUE(cpus_has(&allowed, (unsigned int)cpu));
	T_EQ(cpus_apply(&none), -EINVAL);
}

TEST(cpu_priorities)
{
	char name[20];

	T_EQ(cpu_nice(5), 0);
	T_EQ(getpriority(PRIO_PROCESS, 0), 5);
	T_EQ(cpu_ioprio(CPU_IO_BEST_EFFORT, 4, 0), 0x4004);
	T_EQ(cpu_ioprio(CPU_IO_REALTIME, 7, CPU_IO_HINT_MAX), 0x3fff);
	T_EQ(cpu_ioprio_apply(cpu_ioprio(CPU_IO_BEST_EFFORT, 6, 0)), 0);
	cpu_name("a-name-longer-than-the-kernel-keeps");
	prctl(PR_GET_NAME, name);
	T_STR(name, "a-name-longer-t");
}
