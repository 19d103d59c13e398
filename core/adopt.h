/* SPDX-License-Identifier: MIT */
/*
 * From a plugin's table to one that can be trusted.
 *
 * A plugin was compiled by somebody else, against some version of the header. Its table is copied
 * over zeros (as much as both sides know), and everything that can be checked without calling it is
 * checked here, once, so that no other file has to ask whether a hook, a name or a row makes sense.
 */
#ifndef CORE_ADOPT_H
#define CORE_ADOPT_H

#include "core/opt.h"
#include "fio-like/engine.h"

#define ENGINE_NAME_MAX		63	/* letters in an engine's name */
#define ENGINE_COUNTERS_MAX	32
#define ENGINE_HISTOGRAMS_MAX	4
#define ENGINE_OPTS_MAX		256
#define ENGINE_OPS_MAX		64
#define ENGINE_CONF_MAX		65536	/* bytes of a conf struct */

struct engine {
	struct fl_engine ops;		/* the copy: hooks the plugin never heard of are NULL */
	struct opt_table opts;		/* its rows; base 0 */
	const char *origin;		/* "built in", or the path it was loaded from */
	const void *defaults;		/* ops.conf_size bytes: all defaults; or NULL */
};

/*
 * engine_adopt - copy and check one table. Calls none of its hooks.
 * origin:  kept by pointer.
 * Returns: 0; -ENOEXEC (another major), -EINVAL (contradicts itself, lacks a required hook, too
 *          short), with a sentence in why that names the engine, the row and the way out.
 */
int engine_adopt(struct engine *ours, const struct fl_engine *theirs, const char *origin,
		 char *why, size_t why_bytes);

/* engine_drop - free what engine_adopt() allocated. Engines of the registry live for ever. */
void engine_drop(struct engine *e);

/* engine_can - does it support this operation (enum fl_op, below 64)? */
bool engine_can(const struct engine *e, uint32_t op);

/* engine_counter, engine_histogram, engine_op_name - copy row i, whatever its row size. */
void engine_counter(const struct engine *e, uint32_t i, struct fl_counter *out);
void engine_histogram(const struct engine *e, uint32_t i, struct fl_histogram *out);
void engine_op_name(const struct engine *e, uint32_t i, struct fl_op_name *out);

#endif
