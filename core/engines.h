/* SPDX-License-Identifier: MIT */
/*
 * Every engine there is: the ones compiled in, those in the engine folders, those named by path.
 *
 * A table is adopted once (core/adopt.h) and kept for the life of the process. A plugin is first
 * opened in a child process that is thrown away (core/plugin.h): its constructors may crash, and
 * that is to be a sentence, not our end.
 */
#ifndef CORE_ENGINES_H
#define CORE_ENGINES_H

#include "core/adopt.h"

/*
 * engines_add_path - search this folder too (--engine-path), before all others. At most 16.
 * Returns 0, -ENOSPC or -ENOMEM.
 */
int engines_add_path(const char *dir);

/* engines_forbid_paths - from now on engines are found by name only (--no-exec). */
void engines_forbid_paths(void);

/*
 * engines_find - the engine of this name, loaded if need be.
 *
 * name: what ioengine= says. One of
 *	NAME			an engine's name, or an old name for it (linuxaio, aio: libaio)
 *	PATH			a plugin; a path holds a '/', so no name is taken for a file
 *	external:PATH		the same; a bare file name is one of the current directory
 *	PATH:NAME		of the plugin's engines the one called NAME; PATH ends in .so then.
 *				Without it: the one named as the file is, else its first
 * A NAME is searched for in the --engine-path folders, among the engines compiled in, then in the
 * folders of $FIO_LIKE_ENGINE_PATH (':' between them), in engines/ beside the program in a build
 * tree, and in the installed folder: first as NAME.so, then as one of several engines of another
 * file. Never in the current directory, never along the linker's path.
 *
 * Returns 0 with *out valid for the life of the process; or -ENOENT, -ENOEXEC, -EINVAL, ... with
 * one or two sentences in why: what is wrong, the nearest name, which package brings what is
 * missing. Any thread.
 */
int engines_find(const char *name, const struct engine **out, char *why, size_t why_bytes);

/*
 * engines_each - call fn for every engine that can be found by name. Broken ones, ones that were
 * not built, and ones hidden behind another of the same name come with e NULL and a sentence in
 * why.
 */
void engines_each(void (*fn)(void *ctx, const char *name, const struct engine *e, const char *why),
		  void *ctx);

#endif
