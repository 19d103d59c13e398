/* SPDX-License-Identifier: MIT */
/* What stands between the kernel and the hardware, and around the process. */
#ifndef OS_VIRT_H
#define OS_VIRT_H

#include "lib/facts.h"

/*
 * virt_facts - "virtualization": hypervisor ("none", "kvm", "vmware" ...; "unknown" where there is
 * one without a name), what the firmware calls the machine, and the container, if it is one.
 * root: as in os/mounts.h; cpuinfo: the text of that file.
 */
void virt_facts(const char *root, const char *cpuinfo, struct facts *f);

#endif
