/* SPDX-License-Identifier: MIT */
/* The options of a job's control group, and entering it. */
#include "core/cgroups.h"
#include "os/iogroup.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WEIGHT_MAX	10000

#define AT(member)	.offset = offsetof(struct cgroups_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "cgroup", .type = FL_OPT_STR, AT(name), .unit = "name",
	  .help = "control group that the job's I/O counts for",
	  .more = "Below the topmost group of the I/O controller (version 1: blkio, 2: io). Made "
		  "if it is not there, and then removed after the run. Needs root. In version 2 "
		  "threads cannot have one, and there is no memory_limit beside it." },
	{ .name = "cgroup_weight", .type = FL_OPT_U32, AT(weight), .min = 1, .max = WEIGHT_MAX,
	  .help = "share of the disk that this group has beside others",
	  .more = "1 to 1000, in version 2 1 to 10000, where 100 is the default. The scheduler bfq "
		  "heeds it (ioscheduler=bfq), or the kernel's io.cost." },
	{ .name = "cgroup_nodelete", .type = FL_OPT_BOOL, AT(keep),
	  .help = "leave a group that was made where it is" },
};

const struct opt_table cgroups_options = OPT_TABLE("Control group", rows, 0);

int cgroups_check(const struct cgroups_conf *c, char *why, size_t why_bytes)
{
	if (!c->name) {
		if (!c->weight && !c->keep)
			return 0;
		snprintf(why, why_bytes, "%s has no effect: the job is in no group of its own; "
			 "give cgroup=", c->weight ? "cgroup_weight" : "cgroup_nodelete");
		return 1;
	}
	for (const char *part = c->name; *part; part += strspn(part, "/")) {
		size_t len = strcspn(part, "/");

		if (len == 2 && !strncmp(part, "..", 2)) {
			snprintf(why, why_bytes, "cgroup=%.100s: it is to be the name of a group "
				 "below the topmost, without '..'", c->name);
			return -EINVAL;
		}
		part += len;
	}
	if (c->name[strspn(c->name, "/.")])
		return 0;
	snprintf(why, why_bytes, "cgroup=%.100s: it is to be the name of a group", c->name);
	return -EINVAL;
}

int cgroups_enter(const struct cgroups_conf *c, bool thread, char *why, size_t why_bytes)
{
	struct cgroup g;
	bool made;
	int err;

	if (!c->name)
		return 0;
	err = cgroup_named(&g, IOGROUP_CONTROLLER, c->name, false, &made, why, why_bytes);
	if (err)
		return err;
	err = thread ? cgroup_enter_thread(&g) : cgroup_enter(&g);
	if (err)
		snprintf(why, why_bytes, "%.200s cannot be entered: %s", g.path, strerror(-err));
	return err;
}
