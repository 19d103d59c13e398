/* SPDX-License-Identifier: MIT */
/* The disks that the targets of a run lie on, each once, with what they are and what they did. */
#ifndef CORE_TRUST_DISKS_H
#define CORE_TRUST_DISKS_H

#include "core/trust_facts.h"

/*
 * trust_disks_add - the disk below a path; a file that is not there yet counts as its folder. New
 * ones are looked at.
 * Returns its place in the scene, or -1: there is none, as with tmpfs, or no room for it.
 */
int trust_disks_add(struct trust_scene *s, const char *path);

/* trust_disks_start - the run begins: remember the counters of all of them. */
void trust_disks_start(struct trust_scene *s);

/* trust_disks_begin - remember the counters of the job's disk, and of what is below it. */
void trust_disks_begin(const struct trust_scene *s, struct trust_facts *f);
/* trust_disks_end - what they did since then. */
void trust_disks_end(const struct trust_scene *s, struct trust_facts *f);

/* trust_disks_finish - what all disks did in the run, and whether one is built on another. */
void trust_disks_finish(struct trust_scene *s);

/*
 * trust_disks_compressing - by what the file system of a path compresses, as far as its mount
 * options tell: "btrfs (compress=zstd:3)"; "" if it does not, or nobody knows. table: of mounts, as
 * in os/mounts.h. Returns text.
 */
const char *trust_disks_compressing(const char *table, const char *path, char *text, size_t size);

#endif
