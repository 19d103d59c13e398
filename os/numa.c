/* SPDX-License-Identifier: MIT */
/* Sets of nodes, in libnuma's terms where that is there. */
#include "os/numa.h"
#include "gen/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

unsigned int nodes_count(const struct nodes *set)
{
	unsigned int n = 0;

	for (size_t i = 0; i < NODES_MAX / 64; i++)
		n += (unsigned int)__builtin_popcountll(set->bits[i]);
	return n;
}

#ifdef CONFIG_LIB_NUMA
#include <numa.h>
#include <numaif.h>

/*
 * libnuma prints to stderr when it dislikes a list; its own words would come twice. Only a symbol
 * that libnuma sees replaces its own.
 */
__attribute__((visibility("default"))) void numa_warn(int number, char *where, ...)
{
	(void)number;
	(void)where;
}

int nodes_parse(struct nodes *set, const char *text, char *error, size_t error_size)
{
	struct bitmask *mask;

	memset(set, 0, sizeof(*set));
	if (numa_available() < 0) {
		snprintf(error, error_size, "this machine's kernel knows no NUMA nodes");
		return -ENOTSUP;
	}
	mask = *text ? numa_parse_nodestring(text) : NULL;
	if (!mask) {
		snprintf(error, error_size, "'%s' must be nodes from 0 to %d, as in 0-1,3, or all",
			 text, numa_max_node());
		return -EINVAL;
	}
	for (unsigned int i = 0; i < mask->size && i < NODES_MAX; i++)
		if (numa_bitmask_isbitset(mask, i))
			set->bits[i / 64] |= 1ull << i % 64;
	numa_bitmask_free(mask);
	if (nodes_count(set))
		return 0;
	snprintf(error, error_size, "'%s' names no node", text);
	return -EINVAL;
}

static struct bitmask *to_mask(const struct nodes *set)
{
	struct bitmask *mask = numa_allocate_nodemask();

	for (unsigned int i = 0; i < mask->size && i < NODES_MAX; i++)
		if (set->bits[i / 64] >> i % 64 & 1)
			numa_bitmask_setbit(mask, i);
	return mask;
}

int nodes_run_on(const struct nodes *set)
{
	struct bitmask *mask = to_mask(set);
	int err = numa_run_on_node_mask(mask) ? -errno : 0;

	numa_bitmask_free(mask);
	return err;
}

int nodes_memory(enum nodes_policy policy, const struct nodes *set)
{
	static const int modes[] = {
		[NODES_DEFAULT] = MPOL_DEFAULT, [NODES_PREFER] = MPOL_PREFERRED,
		[NODES_BIND] = MPOL_BIND,
		[NODES_INTERLEAVE] = MPOL_INTERLEAVE, [NODES_LOCAL] = MPOL_LOCAL,
	};
	unsigned long mask[NODES_MAX / (8 * sizeof(unsigned long))] = { 0 };
	int mode = modes[policy];

	if (policy == NODES_DEFAULT || policy == NODES_LOCAL)
		return set_mempolicy(mode, NULL, 0) ? -errno : 0;
	for (unsigned int i = 0; i < NODES_MAX; i++)
		if (set->bits[i / 64] >> i % 64 & 1)
			mask[i / (8 * sizeof(mask[0]))] |= 1ul << i % (8 * sizeof(mask[0]));
	return set_mempolicy(mode, mask, NODES_MAX) ? -errno : 0;
}

#else

int nodes_parse(struct nodes *set, const char *text, char *error, size_t error_size)
{
	(void)set;
	(void)text;
	snprintf(error, error_size, "this fio-like was built without libnuma; install libnuma-dev "
		 "and run ./configure && make again");
	return -ENOTSUP;
}

int nodes_run_on(const struct nodes *set)
{
	(void)set;
	return -ENOTSUP;
}

int nodes_memory(enum nodes_policy policy, const struct nodes *set)
{
	(void)policy;
	(void)set;
	return -ENOTSUP;
}

#endif
