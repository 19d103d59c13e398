/* SPDX-License-Identifier: MIT */
/*
 * What lies under a target: its file system, the device below it, and what that is built of, down
 * to the hardware.
 */
#ifndef OS_STORAGE_H
#define OS_STORAGE_H

#include "lib/facts.h"

#include <sys/types.h>

/*
 * storage_device - the facts of a block device, "device", and below it those of what it is built of
 * ("below", a list), and so on. Adds nothing if there is no such device. root: as in os/mounts.h.
 */
void storage_device(const char *root, dev_t device, struct facts *f);

/*
 * storage_filesystem - "filesystem" of a path, of which as much as exists counts: type, where it is
 * mounted and how, its size. Returns 0 with the number of the device below it in *device (0: there
 * is none, as for tmpfs or nfs), or -errno.
 */
int storage_filesystem(const char *root, const char *path, struct facts *f, dev_t *device);

/* storage_dax - "dax" of a device-DAX character device: size, alignment, node. */
void storage_dax(const char *root, dev_t device, struct facts *f);

#endif
