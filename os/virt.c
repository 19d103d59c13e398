/* SPDX-License-Identifier: MIT */
/*
 * Three witnesses: the CPU (CPUID leaf 0x40000000, where every hypervisor signs), the firmware's
 * tables, and the flag in cpuinfo that says no more than that there is one.
 */
#define _GNU_SOURCE 1
#include "os/virt.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "os/sys.h"
#include "os/sysfacts.h"

struct sign {
	const char *text, *name;
};

static const char *named(const struct sign *signs, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(text, signs[i].text))
			return signs[i].name;
	return NULL;
}

#if defined(__x86_64__) || defined(__i386__)
static const char *by_cpu(void)
{
	static const struct sign signs[] = {
		{ "KVMKVMKVM", "kvm" }, { "VMwareVMware", "vmware" }, { "Microsoft Hv", "hyperv" },
		{ "XenVMMXenVMM", "xen" }, { "bhyve bhyve ", "bhyve" }, { "TCGTCGTCGTCG", "qemu" },
		{ "VBoxVBoxVBox", "virtualbox" }, { "QNXQVMBSQG", "qnx" },
		{ " lrpepyh vr", "parallels" }, { "ACRNACRNACRN", "acrn" },
		{ "Jailhouse", "jailhouse" },
	};
	unsigned int a, b, c, d;
	char text[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return NULL;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(text, &b, 4);
	memcpy(text + 4, &c, 4);
	memcpy(text + 8, &d, 4);
	return named(signs, ARRAY_SIZE(signs), text);
}
#else
static const char *by_cpu(void)
{
	return NULL;
}
#endif

static const char *by_firmware(const char *root)
{
	static const struct sign signs[] = {
		{ "KVM", "kvm" }, { "OpenStack", "kvm" }, { "KubeVirt", "kvm" },
		{ "Amazon EC2", "amazon" }, { "Google Compute", "google" }, { "QEMU", "qemu" },
		{ "VMware", "vmware" }, { "VirtualBox", "virtualbox" }, { "innotek", "virtualbox" },
		{ "Virtual Machine", "hyperv" }, { "Xen", "xen" }, { "BHYVE", "bhyve" },
		{ "Parallels", "parallels" }, { "Apple Virtualization", "apple" },
	};
	static const char *const files[] = { "product_name", "sys_vendor", "board_vendor",
					     "bios_vendor" };
	char path[PATH_MAX], text[128];
	const char *name = NULL;

	for (size_t i = 0; !name && i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%.3000s/sys/class/dmi/id/%s", root, files[i]);
		if (sys_read_text(path, text, sizeof(text)) > 0)
			name = named(signs, ARRAY_SIZE(signs), text);
	}
	return name;
}

static bool is_there(const char *root, const char *file)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", root, file) < PATH_MAX && !access(path, F_OK);
}

/* The cloud vendors' bare metal carries their name, too: the flag decides whether it counts. */
static const char *hypervisor(const char *root, const char *cpuinfo)
{
	char flags[4096] = "";
	const char *name = *root ? NULL : by_cpu();
	bool flag;

	sysfacts_line(cpuinfo, "flags", flags, sizeof(flags));
	flag = strstr(flags, " hypervisor");
	if (!name && (flag || !flags[0]))
		name = by_firmware(root);
	if (!name && is_there(root, "sys/hypervisor/type"))
		name = "xen";
	return name ? name : flag ? "unknown" : "none";
}

static const char *container(const char *root)
{
	static const struct sign marks[] = {
		{ ".dockerenv", "docker" }, { "run/.containerenv", "podman" },
		{ "dev/lxd/sock", "lxd" }, { "run/secrets/kubernetes.io", "kubernetes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (is_there(root, marks[i].text))
			return marks[i].name;
	return NULL;
}

void virt_facts(const char *root, const char *cpuinfo, struct facts *f)
{
	size_t mark = facts_enter(f, "virtualization");

	facts_text(f, "hypervisor", hypervisor(root, cpuinfo), 0);
	if (!sysfacts_text(f, "container", 0, root, "run/systemd/container"))
		facts_text(f, "container", container(root), 0);
	sysfacts_text(f, "vendor", 0, root, "sys/class/dmi/id/sys_vendor");
	sysfacts_text(f, "product", 0, root, "sys/class/dmi/id/product_name");
	facts_leave(f, mark);
}
