/* SPDX-License-Identifier: MIT */
/* Machines that this one is not, in trees of /proc and /sys that are made up. */
#define _GNU_SOURCE 1
#include "t/fake.h"

#include "os/hostfacts.h"
#include "os/libs.h"
#include "os/limits.h"
#include "os/sysfacts.h"

static struct facts f;

static const char *get(const char *name)
{
	return facts_get(&f, name);
}

/* A server with two sockets, four CPUs, two nodes. */
static void server(void)
{
	char path[128];

	fake_begin();
	fake_file("proc/sys/kernel/ostype", "Linux\n");
	fake_file("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
	fake_file("proc/sys/kernel/hostname", "alpha\n");
	fake_file("proc/cmdline", "quiet root=UUID=1 mitigations=off\n");
	fake_file("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n"
		  "model name\t: Some CPU @ 2.00GHz\nflags\t\t: fpu vme\ncpu MHz\t\t: 2000.5\n\n"
		  "processor\t: 1\nmodel name\t: Another\n");
	fake_file("sys/devices/system/cpu/online", "0-3\n");
	fake_file("sys/devices/system/cpu/smt/active", "1\n");
	fake_file("sys/devices/system/cpu/isolated", "2-3\n");
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/"
			 "physical_package_id", i);
		fake_file(path, i < 2 ? "0\n" : "7\n");
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpufreq/policy%d/"
			 "scaling_governor", i);
		fake_file(path, i == 3 ? "powersave\n" : "performance\n");
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpufreq/policy%d/"
			 "scaling_max_freq", i);
		fake_file(path, i == 1 ? "3500000\n" : "2000000\n");
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpufreq/policy%d/"
			 "scaling_min_freq", i);
		fake_file(path, i == 1 ? "800000\n" : "1000000\n");
	}
	fake_file("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	fake_file("sys/devices/system/cpu/vulnerabilities/l1tf", "Mitigation: PTE Inversion\n");
	fake_file("sys/devices/system/node/online", "0-1\n");
	fake_file("sys/devices/system/node/node0/cpulist", "0-1\n");
	fake_file("sys/devices/system/node/node1/cpulist", "2-3\n");
	fake_file("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       4096 kB\n");
	fake_file("proc/meminfo", "MemTotal:       16384 kB\nHugePages_Total:      12\n");
	fake_file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
}

TEST(a_server)
{
	char nodes[32];

	server();
	hostfacts_add(fake_root, &f);
	T_STR(get("host.name"), "alpha");
	T_STR(get("kernel.release"), "6.1.0-18-amd64");
	T_STR(get("kernel.command_line"), "quiet root=UUID=1 mitigations=off");
	T_STR(get("virtualization.hypervisor"), "none");
	T_STR(get("cpu.model"), "Some CPU @ 2.00GHz");
	T_STR(get("cpu.count"), "4");
	T_STR(get("cpu.sockets"), "2");
	T_STR(get("cpu.smt"), "true");
	T_STR(get("cpu.isolated"), "2-3");
	T_TRUE(!strcmp(get("cpu.governor"), "performance, powersave") ||
	       !strcmp(get("cpu.governor"), "powersave, performance"));
	T_STR(get("cpu.mhz_max"), "3500");
	T_STR(get("cpu.mhz_min"), "800");
	T_STR(get("cpu.no_turbo"), "true");
	T_STR(get("cpu.mhz_now"), "2000.5");
	T_STR(get("cpu.vulnerabilities.l1tf"), "Mitigation: PTE Inversion");
	T_STR(get("numa.count"), "2");
	T_STR(get("numa.nodes.1.cpus"), "2-3");
	T_STR(get("numa.nodes.1.memory_bytes"), "4194304");
	T_STR(get("memory.total_bytes"), "16777216");
	T_STR(get("memory.huge_pages"), "12");
	T_STR(get("memory.transparent_huge_pages"), "madvise");
	T_STR(hostfacts_nodes(fake_root, "1-2", nodes, sizeof(nodes)), "0-1");
	T_STR(hostfacts_nodes(fake_root, "3", nodes, sizeof(nodes)), "1");
	T_STR(hostfacts_nodes(fake_root, "", nodes, sizeof(nodes)), "");
}

/* Nothing is there: no fact, no crash. */
TEST(nowhere)
{
	fake_begin();
	hostfacts_add(fake_root, &f);
	limits_facts(fake_root, &f);
	T_STR(get("cpu.count"), NULL);
	T_STR(get("numa.count"), NULL);
	T_STR(get("limits.cgroup.version"), NULL);
}

TEST(other_architectures)
{
	fake_begin();
	fake_file("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
	hostfacts_add(fake_root, &f);
	T_STR(get("cpu.model"), "implementer 0x41 part 0xd0c");
}

static const char *hypervisor(const char *flags, const char *vendor, const char *product)
{
	char text[256];

	facts_free(&f);
	fake_remove();
	fake_begin();
	snprintf(text, sizeof(text), "model name\t: X\nflags\t\t: fpu%s\n", flags);
	fake_file("proc/cpuinfo", text);
	fake_file("sys/class/dmi/id/sys_vendor", vendor);
	fake_file("sys/class/dmi/id/product_name", product);
	hostfacts_add(fake_root, &f);
	return get("virtualization.hypervisor");
}

TEST(hypervisors)
{
	T_STR(hypervisor(" hypervisor", "QEMU\n", "Standard PC\n"), "qemu");
	T_STR(get("virtualization.product"), "Standard PC");
	T_STR(hypervisor(" hypervisor", "VMware, Inc.\n", "VMware7,1\n"), "vmware");
	T_STR(hypervisor(" hypervisor", "Amazon EC2\n", "m5.large\n"), "amazon");
	T_STR(hypervisor(" hypervisor", "Nobody\n", "X\n"), "unknown");
	T_STR(hypervisor("", "Amazon EC2\n", "m5.metal\n"), "none");
	fake_file("run/systemd/container", "lxc\n");
	facts_free(&f);
	hostfacts_add(fake_root, &f);
	T_STR(get("virtualization.container"), "lxc");
}

TEST(limits_of_version_2)
{
	fake_begin();
	fake_file("proc/self/cgroup", "0::/a.slice/b\n");
	fake_file("proc/self/mountinfo",
		  "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
	fake_file("sys/fs/cgroup/a.slice/memory.max", "1073741824\n");
	fake_file("sys/fs/cgroup/a.slice/b/memory.max", "max\n");
	fake_file("sys/fs/cgroup/a.slice/b/memory.high", "536870912\n");
	fake_file("sys/fs/cgroup/a.slice/cpu.max", "150000 100000\n");
	fake_file("sys/fs/cgroup/a.slice/b/cpu.max", "max 100000\n");
	fake_file("sys/fs/cgroup/a.slice/b/cpuset.cpus.effective", "0-1\n");
	fake_file("sys/fs/cgroup/a.slice/b/io.max", "259:0 rbps=1048576 wbps=max\n8:0 riops=5\n");
	fake_file("sys/fs/cgroup/a.slice/b/pids.max", "100\n");
	limits_facts(fake_root, &f);
	T_STR(get("limits.cgroup.version"), "2");
	T_STR(get("limits.cgroup.path"), "/a.slice/b");
	T_STR(get("limits.cgroup.memory_bytes"), "1073741824");
	T_STR(get("limits.cgroup.memory_high_bytes"), "536870912");
	T_STR(get("limits.cgroup.cpus"), "1.5");
	T_STR(get("limits.cgroup.cpuset"), "0-1");
	T_STR(get("limits.cgroup.io_max"), "259:0 rbps=1048576 wbps=max; 8:0 riops=5");
	T_STR(get("limits.cgroup.processes"), "100");
}

TEST(limits_of_version_1)
{
	fake_begin();
	fake_file("proc/self/cgroup", "4:memory:/c/d\n3:cpuset:/\n2:cpu,cpuacct:/c\n1:blkio:/c\n"
		  "0::/\n");
	fake_file("proc/self/mountinfo",
		  "30 20 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		  "31 20 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		  "32 20 0:28 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"
		  "33 20 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	fake_file("sys/fs/cgroup/memory/c/d/memory.limit_in_bytes", "9223372036854771712\n");
	fake_file("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "268435456\n");
	fake_file("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "50000\n");
	fake_file("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
	fake_file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
	fake_file("sys/fs/cgroup/blkio/c/blkio.throttle.write_bps_device", "8:0 1048576\n");
	limits_facts(fake_root, &f);
	T_STR(get("limits.cgroup.version"), "1");
	T_STR(get("limits.cgroup.path"), "/c/d");
	T_STR(get("limits.cgroup.memory_bytes"), "268435456");
	T_STR(get("limits.cgroup.memory_high_bytes"), NULL);
	T_STR(get("limits.cgroup.cpus"), "0.5");
	T_STR(get("limits.cgroup.io_max"), "8:0 1048576 written bytes/s");
}

/* In a container the top of the mount is the container's own group. */
TEST(limits_in_a_container)
{
	fake_begin();
	fake_file("proc/self/cgroup", "0::/docker/x/mine\n");
	fake_file("proc/self/mountinfo",
		  "30 20 0:26 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fake_file("sys/fs/cgroup/mine/memory.max", "4096\n");
	limits_facts(fake_root, &f);
	T_STR(get("limits.cgroup.memory_bytes"), "4096");
}

TEST(loaded_libraries)
{
	libs_facts(FACT_DETAIL, &f);
	T_TRUE(get("libraries.0") && !strncmp(get("libraries.0"), "glibc 2.", 8));
	for (size_t i = 1; i < f.count; i++)
		T_TRUE(strstr(f.list[i].text, ".so"));
}

TEST(lines_and_words)
{
	char text[32];

	T_TRUE(sysfacts_line("a: 1\nab\t:  two words\n", "ab", text, sizeof(text)));
	T_STR(text, "two words");
	T_TRUE(!sysfacts_line("abc: 1\n", "ab", text, sizeof(text)));
	T_TRUE(!sysfacts_line("", "ab", text, sizeof(text)));
	fake_begin();
	fake_file("x", "  a b \n\n");
	fake_file("n", "12kB\n");
	T_TRUE(sysfacts_text(&f, "x", 0, fake_root, "%s", "x"));
	T_STR(get("x"), "a b");
	T_TRUE(sysfacts_u64(&f, "n", 0, 10, fake_root, "n"));
	T_STR(get("n"), "120");
	T_TRUE(!sysfacts_u64(&f, "y", 0, 1, fake_root, "x"));
	T_TRUE(sysfacts_choice(&f, "c", 0, fake_root, "x"));
	T_STR(get("c"), "a b");
	T_TRUE(!sysfacts_bool(&f, "none", 0, fake_root, "none"));
}
