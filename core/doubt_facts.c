/* SPDX-License-Identifier: MIT */
/* Asking about targets what the settings of a job are judged by. */
#define _GNU_SOURCE
#include "core/doubt_facts.h"
#include "core/ask.h"
#include "core/trust_disks.h"
#include "os/cpu.h"
#include "os/file.h"
#include "os/fstype.h"
#include "os/mem.h"
#include "os/mounts.h"
#include "os/sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void doubt_machine_look(struct doubt_machine *m)
{
	struct cpus cpus;
	struct rlimit files;

	*m = (struct doubt_machine){ .files_max = UINT64_MAX };
	m->cpus = (uint32_t)fl_max(cpus_allowed(&cpus), 1);
	m->memory_bytes = mem_total();
	m->memory_free = mem_info("MemAvailable");
	m->huge_bytes = mem_info("HugePages_Free") * mem_hugepage_size();
	if (!getrlimit(RLIMIT_NOFILE, &files))
		m->files_max = files.rlim_max == RLIM_INFINITY ? UINT64_MAX : files.rlim_max;
}

/* The kernel tells since 6.1 what direct I/O to a file has to be a multiple of (statx(2)). */
static void look_direct(struct doubt_facts *f, const char *name)
{
#ifdef STATX_DIOALIGN
	struct statx st;

	if (!statx(AT_FDCWD, name, 0, STATX_DIOALIGN, &st) && st.stx_mask & STATX_DIOALIGN) {
		f->direct_bytes = st.stx_dio_offset_align;
		f->direct_refused = !st.stx_dio_offset_align;
		return;
	}
#else
	(void)name;
#endif
	if (f->disk_known)
		f->direct_bytes = f->traits.sector_bytes;
}

static void look_fs(struct doubt_facts *f, const char *name)
{
	fstype_name(name, f->fs, sizeof(f->fs));
	f->memory = fstype_in_memory(f->fs);
	trust_disks_compressing(MOUNTS_SELF, name, f->compresses, sizeof(f->compresses));
}

static void look_engine(struct doubt_facts *f, const struct job *job)
{
	int sync;

	if (host_probe(job->engine, f->broken, sizeof(f->broken)))
		return;
	f->sync = job->depth.depth == 1;
	if (f->sync)
		return;
	sync = ask_sync(job, f->broken, sizeof(f->broken));
	f->sync = sync == 1;
}

/* The end of a path says more than its beginning. */
static void shorten(char *out, size_t bytes, const char *path)
{
	size_t len = strlen(path), keep = fl_min(len, bytes - 1);

	memcpy(out, path + len - keep, keep);
	out[keep] = '\0';
	if (keep < len)
		memcpy(out, "...", 3);
}

void doubt_facts_look(struct doubt_facts *f, const struct plan_job *pj, bool planned)
{
	const struct file_plan *p = pj->files.plan;
	char name[FILES_NAME_BYTES];

	memset(f, 0, sizeof(*f));
	look_engine(f, pj->job);
	if (pj->job->engine->ops.caps & (FL_CAP_NO_FILES | FL_CAP_NAMES) || !planned)
		return;
	if (p->type != FL_FILE_REGULAR && p->type != FL_FILE_BLOCK)
		return;
	files_name(&pj->files, 0, name);
	shorten(f->name, sizeof(f->name), name);
	f->target = p->type == FL_FILE_BLOCK ? DOUBT_TARGET_DISK : DOUBT_TARGET_FILES;
	f->have_bytes = p->have;
	f->exists = p->have > 0;
	f->disk_known = !disk_find_path(name, &f->disk) &&
			!disktraits_look("", f->disk.device, &f->traits);
	if (f->target == DOUBT_TARGET_FILES)
		look_fs(f, name);
	else
		snprintf(f->compresses, sizeof(f->compresses), "%s", f->traits.compresses);
	look_direct(f, name);
}
