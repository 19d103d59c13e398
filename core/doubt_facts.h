/* SPDX-License-Identifier: MIT */
/* What is to be known of the machine and of a job's target before its settings can be judged. */
#ifndef CORE_DOUBT_FACTS_H
#define CORE_DOUBT_FACTS_H

#include "core/plan.h"
#include "os/disk.h"
#include "os/disktraits.h"

struct doubt_machine {
	uint32_t cpus;			/* that this process may use */
	uint64_t memory_bytes;		/* of the machine */
	uint64_t memory_free;		/* that could be had now; 0: not known */
	uint64_t huge_bytes;		/* in free huge pages of the default size */
	uint64_t files_max;		/* descriptors */
};

enum doubt_target {
	DOUBT_TARGET_NONE,		/* nothing, or names that only the engine knows */
	DOUBT_TARGET_FILES,
	DOUBT_TARGET_DISK,		/* a block device itself */
};

struct doubt_facts {
	bool sync;			/* the engine has one I/O in flight at a time */
	char broken[256];		/* why the engine cannot work here; "": it can */
	enum doubt_target target;
	char name[96];			/* of the first file, shortened in front */
	bool exists;			/* it is there already, with so many bytes */
	uint64_t have_bytes;
	char fs[24];			/* its file system */
	bool memory;			/* which is memory: tmpfs and the like */
	char compresses[64];		/* by what its data is made smaller; "": not known to */
	uint32_t direct_bytes;		/* what direct I/O must be a multiple of; 0: not known */
	bool direct_refused;		/* the file system has none */
	bool disk_known;
	struct disk disk;
	struct disktraits traits;
};

/* doubt_machine_look - ask the kernel. */
void doubt_machine_look(struct doubt_machine *m);

/*
 * doubt_facts_look - about the first file of a clone, and about its engine. planned: its files have
 * been. Nothing is changed; of devices nothing is read.
 */
void doubt_facts_look(struct doubt_facts *f, const struct plan_job *pj, bool planned);

#endif
