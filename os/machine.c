/* SPDX-License-Identifier: MIT */
/* Steal, heat and clock, as /proc and /sys have them. */
#include "os/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/slurp.h"
#include "os/sys.h"

#define CPUINFO_BYTES	8192		/* the first CPU is enough */

/* cpu  user nice system idle iowait irq softirq steal guest guest_nice; user holds the guests */
void machine_cpu(const char *root, struct machine_load *now)
{
	char path[PATH_MAX], text[512];
	uint64_t v[8] = { 0 };
	int n;

	now->cpu_known = false;
	now->steal_ticks = now->all_ticks = 0;
	snprintf(path, sizeof(path), "%s/proc/stat", root);
	if (sys_read_text(path, text, sizeof(text)) <= 0)
		return;
	n = sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]);
	if (n != 8)
		return;
	now->cpu_known = true;
	now->steal_ticks = v[7];
	for (int i = 0; i < 8; i++)
		now->all_ticks += v[i];
}

static void take_heat(const char *root, struct machine_load *now)
{
	static const char *const counters[] = { "core_throttle_count", "package_throttle_count" };
	char folder[PATH_MAX], path[PATH_MAX + 320];
	struct dirent *e;
	DIR *d;

	snprintf(folder, sizeof(folder), "%s/sys/devices/system/cpu", root);
	d = opendir(folder);
	if (!d)
		return;
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, "cpu", 3) || !isdigit((unsigned char)e->d_name[3]))
			continue;
		for (int i = 0; i < 2; i++) {
			uint64_t count;

			snprintf(path, sizeof(path), "%s/%s/thermal_throttle/%s", folder,
				 e->d_name, counters[i]);
			if (sys_read_u64(path, &count))
				continue;
			now->thermal_known = true;
			now->thermal_events += count;
		}
	}
	closedir(d);
}

void machine_load(const char *root, struct machine_load *now)
{
	memset(now, 0, sizeof(*now));
	machine_cpu(root, now);
	take_heat(root, now);
}

/* Is this word in a list parted by blanks? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || isspace((unsigned char)at[-1])) &&
		    (!at[len] || isspace((unsigned char)at[len])))
			return true;
	return false;
}

void machine_clock(const char *root, struct machine_clock *clock)
{
	char path[PATH_MAX], *text, *flags, *end;
	size_t len;

	memset(clock, 0, sizeof(*clock));
	snprintf(path, sizeof(path), "%s/sys/devices/system/clocksource/clocksource0/"
		 "current_clocksource", root);
	sys_read_text(path, clock->source, sizeof(clock->source));
	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	if (slurp_head(path, CPUINFO_BYTES, &text, &len) < 0)
		return;
	flags = strstr(text, "\nflags\t");
	if (flags) {
		end = strchr(flags + 1, '\n');
		if (end)
			*end = '\0';
		clock->is_x86 = true;
		clock->invariant = has_word(flags, "constant_tsc") &&
				   has_word(flags, "nonstop_tsc");
	}
	free(text);
}
