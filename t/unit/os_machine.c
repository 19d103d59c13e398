/* SPDX-License-Identifier: MIT */
/* What cannot be staged on every machine: steal, heat, clocks, control groups, in trees of files. */
#define _GNU_SOURCE 1
#include "os/machine.h"
#include "os/throttle.h"
#include "t/fake.h"
#include "t/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

TEST(steal)
{
	struct machine_load a, b;

	fake_begin();
	fake_file("proc/stat", "cpu  100 0 50 800 10 0 0 40 7 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n");
	machine_load(fake_root, &a);
	T_TRUE(a.cpu_known);
	T_EQ(a.steal_ticks, 40u);
	T_EQ(a.all_ticks, 1000u);
	fake_file("proc/stat", "cpu  150 0 50 800 10 0 0 90 7 0\n");
	machine_load(fake_root, &b);
	T_EQ(b.steal_ticks - a.steal_ticks, 50u);
	T_EQ(b.all_ticks - a.all_ticks, 100u);
	fake_file("proc/stat", "nonsense\n");
	machine_load(fake_root, &b);
	T_TRUE(!b.cpu_known);
	fake_begin();
	machine_load(fake_root, &b);
	T_TRUE(!b.cpu_known);
	T_TRUE(!b.thermal_known);
}

TEST(heat)
{
	struct machine_load m;

	fake_begin();
	fake_file("sys/devices/system/cpu/cpufreq/boost", "1\n");
	fake_file("sys/devices/system/cpu/cpu0/online", "1\n");
	machine_load(fake_root, &m);
	T_TRUE(!m.thermal_known);
	fake_file("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
	fake_file("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "5\n");
	fake_file("sys/devices/system/cpu/cpu11/thermal_throttle/core_throttle_count", "7\n");
	machine_load(fake_root, &m);
	T_TRUE(m.thermal_known);
	T_EQ(m.thermal_events, 15u);
}

TEST(clock)
{
	struct machine_clock c;

	fake_begin();
	machine_clock(fake_root, &c);
	T_STR(c.source, "");
	T_TRUE(!c.is_x86);
	fake_file("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
	fake_file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc_s3\n\n"
	    "processor\t: 1\nflags\t\t: nonstop_tsc\n");
	machine_clock(fake_root, &c);
	T_STR(c.source, "hpet");
	T_TRUE(c.is_x86);
	T_TRUE(!c.invariant);
	fake_file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc\n");
	machine_clock(fake_root, &c);
	T_TRUE(c.invariant);
	fake_file("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
	machine_clock(fake_root, &c);
	T_TRUE(!c.is_x86);
}

static void mounts(const char *v1_within)
{
	char text[512];

	snprintf(text, sizeof(text), "20 1 0:20 / /proc rw - proc proc rw\n"
		 "30 1 0:30 %s /cg/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpuacct,cpu\n"
		 "31 1 0:31 / /cg/blkio rw - cgroup cgroup rw,blkio\n"
		 "32 1 0:32 / /cg/unified rw - cgroup2 cgroup2 rw\n", v1_within);
	fake_file("proc/self/mountinfo", text);
}

TEST(cpu_of_the_own_group_and_those_above)
{
	struct throttle_cpu t;

	fake_begin();
	throttle_cpu(fake_root, &t);
	T_TRUE(!t.known);
	mounts("/");
	fake_file("proc/self/cgroup", "3:blkio:/\n2:cpuacct,cpu:/a/b\n0::/u\n");
	fake_file("cg/cpu,cpuacct/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	fake_file("cg/cpu,cpuacct/a/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 5000000\n");
	fake_file("cg/cpu,cpuacct/a/b/cpu.stat", "nr_periods 3\nnr_throttled 1\nthrottled_time 7000\n");
	fake_file("cg/cpu,cpuacct/other/cpu.stat", "nr_periods 9\nnr_throttled 9\nthrottled_time 9\n");
	throttle_cpu(fake_root, &t);
	T_TRUE(t.known);
	T_EQ(t.periods, 13u);
	T_EQ(t.throttled, 5u);
	T_EQ(t.throttled_us, 5007u);
	fake_file("cg/unified/u/cpu.stat", "usage_usec 99\nnr_periods 2\nnr_throttled 2\n"
	    "throttled_usec 1000\n");
	throttle_cpu(fake_root, &t);
	T_EQ(t.throttled, 7u);
	T_EQ(t.throttled_us, 6007u);
}

/* A container that sees the host's names, but only its own part of the tree. */
TEST(cpu_in_a_container)
{
	struct throttle_cpu t;

	fake_begin();
	mounts("/docker/abc");
	fake_file("proc/self/cgroup", "2:cpuacct,cpu:/docker/abc/x\n");
	fake_file("cg/cpu,cpuacct/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 1000\n");
	fake_file("cg/cpu,cpuacct/x/cpu.stat", "nr_periods 2\nnr_throttled 2\nthrottled_time 2000\n");
	throttle_cpu(fake_root, &t);
	T_EQ(t.throttled, 3u);
	T_EQ(t.throttled_us, 3u);
	fake_file("proc/self/cgroup", "2:cpuacct,cpu:/docker/other\n");
	throttle_cpu(fake_root, &t);
	T_EQ(t.throttled, 1u);
}

TEST(bounds_of_io)
{
	struct throttle_io io;

	fake_begin();
	throttle_io(fake_root, makedev(253, 0), &io);
	T_TRUE(!throttle_io_any(&io));
	mounts("/");
	fake_file("proc/self/cgroup", "3:blkio:/job\n0::/u\n");
	fake_file("cg/blkio/job/blkio.throttle.read_bps_device", "8:0 5\n253:0 1048576\n253:01 7\n");
	fake_file("cg/blkio/blkio.throttle.read_bps_device", "253:0 9999999\n");
	fake_file("cg/unified/u/io.max", "8:0 rbps=1 wbps=1 riops=1 wiops=1\n"
	    "253:0 rbps=max wbps=2097152 riops=max wiops=120\n");
	throttle_io(fake_root, makedev(253, 0), &io);
	T_TRUE(throttle_io_any(&io));
	T_EQ(io.read_bytes, 1048576u);
	T_EQ(io.write_bytes, 2097152u);
	T_EQ(io.read_ios, UINT64_MAX);
	T_EQ(io.write_ios, 120u);
	throttle_io(fake_root, makedev(8, 0), &io);
	T_EQ(io.read_bytes, 1u);
	throttle_io(fake_root, makedev(9, 9), &io);
	T_TRUE(!throttle_io_any(&io));
}

/* And of the machine the test runs on, whatever it has. */
TEST(this_machine)
{
	struct machine_load m;
	struct machine_clock c;
	struct throttle_cpu t;
	struct throttle_io io;

	machine_load("", &m);
	T_TRUE(m.cpu_known);
	T_TRUE(m.all_ticks > 0);
	machine_clock("", &c);
	throttle_cpu("", &t);
	T_TRUE(t.throttled <= t.periods);
	throttle_io("", makedev(1, 0), &io);
	fake_begin();
}
