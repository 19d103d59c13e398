/* SPDX-License-Identifier: MIT */
/* Asking the kernel about names that can be devices, and about no other: files may be a million. */
#include "core/targets.h"

/* An engine that sizes its targets itself may have any kind of them, also devices. */
static bool can_be_device(const struct plan_job *pj, const struct file_plan *p)
{
	return p->type != FL_FILE_REGULAR || pj->job->engine->ops.file_size;
}

/* Also what is read goes there. */
static int look_at_buffers(const struct plan_job *pj,
			   int (*fn)(void *ctx, const char *path, dev_t device), void *ctx)
{
	const struct iomem_conf *mem = &pj->job->buffer.mem;
	dev_t device;

	if (!iomem_shared(mem) || safety_device(mem->path, &device))
		return 0;
	return fn(ctx, mem->path, device);
}

bool targets_written(const struct plan_job *pj, const struct file_plan *p)
{
	bool runs = !pj->job->files.create_only;

	return p->layout != FILES_KEEP ||
	       (runs && p->dirs & ~(1u << DIR_READ));
}

int targets_each(const struct plan_job *pj, int (*fn)(void *ctx, const char *path, dev_t device),
		 void *ctx)
{
	char name[FILES_NAME_BYTES];
	dev_t device;
	int ret = look_at_buffers(pj, fn, ctx);

	if (pj->job->engine->ops.caps & FL_CAP_NO_FILES)
		return ret;
	for (uint32_t i = 0; !ret && i < pj->files.nr; i++) {
		const struct file_plan *p = &pj->files.plan[i];

		if (can_be_device(pj, p) && targets_written(pj, p) &&
		    !safety_device(files_name(&pj->files, i, name), &device))
			ret = fn(ctx, name, device);
	}
	return ret;
}
