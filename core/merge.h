/* SPDX-License-Identifier: MIT */
/*
 * From the workers' blocks to the result: the one place where jobs are put together.
 *
 * May be called while workers run (a status dump): it only reads. N, minimum, maximum, mean and
 * bins of merged jobs are exact; deviations follow from the sums.
 */
#ifndef CORE_MERGE_H
#define CORE_MERGE_H

#include "core/crew.h"
#include "core/disks.h"
#include "core/result.h"

/*
 * merge_make - build the result of a crew. jobs: for the echo of the options; disks, diag: NULL if
 * not wanted. The result points into crew, jobs and diag, and must not outlive them.
 */
void merge_make(struct result *r, const struct crew *crew, const struct jobs *jobs,
		const struct disks *disks, const struct diag *diag, bool final);
void merge_free(struct result *r);

/*
 * merge_sections - the announcements of a plan, one per section. *count of them; free() the array.
 */
struct result_section *merge_sections(const struct plan *plan, size_t *count);

#endif
