/* SPDX-License-Identifier: MIT */
/*
 * The search for an engine, and the sentence when there is none.
 *
 * Engines live in shelves: the one of those compiled in, and one per shared object. A shelf is
 * filled when something of it is asked for, and stays. Folders are looked at in a fixed order, so
 * what a name means depends on the installation and on --engine-path, never on where one stands.
 */
#define _GNU_SOURCE
#include "core/engines.h"

#include "core/engine_missing.h"
#include "core/plugin.h"
#include "gen/config.h"
#include "lib/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDERS_ADDED_MAX	16
#define FOLDERS_MAX		64
#define NAMES_MAX		256	/* names that a misspelt one is compared with */

extern const struct fl_engine *const *const engines_builtin[];

/* The engines of one shared object, or the ones compiled in (path NULL); or why there are none. */
struct shelf {
	struct shelf *next;
	char *path;
	struct engine *engines;
	uint32_t count;
	int err;
	char why[400];
};

static struct shelf *shelves;
static struct shelf *builtin_shelf;
static const char *folders_added[FOLDERS_ADDED_MAX];
static size_t folders_added_count;
/* Guards all of the above. Recursive: a callback of engines_each() may ask for an engine. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* ---- Folders --------------------------------------------------------------------------------- */

struct folders {
	char *dir[FOLDERS_MAX];
	size_t count;
	size_t added;			/* how many of them come from --engine-path */
	char closed[PATH_MAX];		/* the first that may not be looked into, or "" ... */
	int closed_err;			/* ... and why: -errno */
};

static void folders_closed(struct folders *f, const char *dir)
{
	if (f->closed[0])
		return;
	f->closed_err = -errno;
	snprintf(f->closed, sizeof(f->closed), "%s", dir);
}

/* A folder that is not there holds no engines; one that is there twice is looked at once. */
static void folders_put(struct folders *f, const char *dir, size_t len)
{
	char text[PATH_MAX], *real;

	if (!len || len >= sizeof(text) || f->count == FOLDERS_MAX)
		return;
	memcpy(text, dir, len);
	text[len] = '\0';
	real = realpath(text, NULL);
	if ((!real && errno != ENOENT && errno != ENOTDIR) || (real && access(real, R_OK | X_OK)))
		folders_closed(f, text);
	for (size_t i = 0; real && i < f->count; i++) {
		if (!strcmp(f->dir[i], real)) {
			free(real);
			return;
		}
	}
	if (real)
		f->dir[f->count++] = real;
}

/* The program of a build tree has its engines beside it, and a file there that says so. */
static void folders_put_build_tree(struct folders *f)
{
	char path[PATH_MAX + sizeof("/" FL_BUILD_MARKER)];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return;
	strcpy(slash, "/" FL_BUILD_MARKER);
	if (!access(path, F_OK) || errno == EACCES)
		folders_put(f, path, (size_t)(strrchr(path, '/') - path));
}

static void folders_list(struct folders *f)
{
	const char *env = secure_getenv("FIO_LIKE_ENGINE_PATH");

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < folders_added_count; i++)
		folders_put(f, folders_added[i], strlen(folders_added[i]));
	f->added = f->count;
	while (env && *env) {
		size_t len = strcspn(env, ":");

		folders_put(f, env, len);
		env += len + (env[len] == ':');
	}
	folders_put_build_tree(f);
	folders_put(f, FL_ENGINE_DIR, strlen(FL_ENGINE_DIR));
}

static void folders_free(struct folders *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->dir[i]);
}

int engines_add_path(const char *dir)
{
	int err = 0;

	pthread_mutex_lock(&lock);
	if (folders_added_count == FOLDERS_ADDED_MAX)
		err = -ENOSPC;
	else if (!(folders_added[folders_added_count] = strdup(dir)))
		err = -ENOMEM;
	else
		folders_added_count++;
	pthread_mutex_unlock(&lock);
	return err;
}

/* ---- Shelves --------------------------------------------------------------------------------- */

/* The engines compiled in are ours: one that does not pass adoption is a bug. */
static struct shelf *shelf_builtin(void)
{
	struct shelf *s = builtin_shelf;
	uint32_t n = 0;

	if (s)
		return s;
	for (size_t i = 0; engines_builtin[i]; i++)
		for (size_t k = 0; engines_builtin[i][k]; k++)
			n++;
	s = calloc(1, sizeof(*s));
	fl_assert(s);
	s->engines = calloc(n + 1, sizeof(*s->engines));
	fl_assert(s->engines);
	for (size_t i = 0; engines_builtin[i]; i++) {
		for (size_t k = 0; engines_builtin[i][k]; k++) {
			int err = engine_adopt(&s->engines[s->count++], engines_builtin[i][k],
					       "built in", s->why, sizeof(s->why));

			if (err)
				fprintf(stderr, "fio-like: %s\n", s->why);
			fl_assert(!err);
		}
	}
	builtin_shelf = s;
	return s;
}

/* The shelf of the object at path, loaded if need be. A broken one is kept, with its sentence. */
static struct shelf *shelf_object(const char *path)
{
	struct shelf *s;

	for (s = shelves; s; s = s->next)
		if (!strcmp(s->path, path))
			return s;
	s = calloc(1, sizeof(*s));
	fl_assert(s);
	s->path = strdup(path);
	fl_assert(s->path);
	s->err = plugin_load(path, &s->engines, &s->count, s->why, sizeof(s->why));
	s->next = shelves;
	shelves = s;
	return s;
}

static const struct engine *shelf_find(const struct shelf *s, const char *name)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (!strcmp(s->engines[i].ops.name, name))
			return &s->engines[i];
	return NULL;
}

/* ---- Names in folders ------------------------------------------------------------------------ */

static bool is_object_name(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 3 && !strcmp(d->d_name + len - 3, ".so");
}

static int object_filter(const struct dirent *d)
{
	return is_object_name(d);
}

/* What one look for a name found. */
struct look {
	const char *name;
	const struct engine *found;
	int err;			/* of the first broken object that has the name */
	char *why;
	size_t why_bytes;
};

/* The file NAME.so in one folder. Returns true if the look is over. */
static bool look_for_file(struct look *l, const char *dir)
{
	char path[PATH_MAX];
	const struct shelf *s;

	if (snprintf(path, sizeof(path), "%s/%s.so", dir, l->name) >= (int)sizeof(path) ||
	    access(path, F_OK))
		return false;
	s = shelf_object(path);
	l->found = shelf_find(s, l->name);
	if (s->err) {
		l->err = s->err;
		snprintf(l->why, l->why_bytes, "%s", s->why);
	}
	return l->found || l->err;
}

/* fn for each object of a folder in the order of their names, until it returns true. */
static bool folder_each(const char *dir, bool (*fn)(void *ctx, const struct shelf *s), void *ctx)
{
	struct dirent **list;
	int n = scandir(dir, &list, object_filter, alphasort);
	bool stop = false;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		if (!stop && snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name) <
				     (int)sizeof(path))
			stop = fn(ctx, shelf_object(path));
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return stop;
}

static bool look_on_shelf(void *ctx, const struct shelf *s)
{
	struct look *l = ctx;

	l->found = shelf_find(s, l->name);
	return l->found;
}

static bool look_in_folders(struct look *l, const struct folders *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (look_for_file(l, f->dir[i]))
			return true;
	for (size_t i = from; i < to; i++)
		if (folder_each(f->dir[i], look_on_shelf, l))
			return true;
	return false;
}

/* ---- Names that are nearly right ------------------------------------------------------------- */

struct names {
	const char *name[NAMES_MAX];
	size_t count;
};

static void names_put(struct names *n, const char *name)
{
	if (n->count < NAMES_MAX)
		n->name[n->count++] = name;
}

static const char *names_get(void *ctx, size_t i)
{
	return ((const struct names *)ctx)->name[i];
}

static void names_put_shelf(struct names *n, const struct shelf *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		names_put(n, s->engines[i].ops.name);
}

/*
 * "uring" is a part of io_uring, "liburing" has one of it. Shorter ones than four letters say
 * nothing.
 */
static const char *kindred(const struct names *n, const char *name)
{
	for (size_t skip = 0; strlen(name) >= skip + 4; skip++)
		for (size_t i = 0; i < n->count; i++)
			if (strstr(n->name[i], name + skip))
				return n->name[i];
	return NULL;
}

/* A search that failed has loaded every object of every folder: their names are on the shelves. */
static const char *nearest_engine(const char *name)
{
	struct names n = { .count = 0 };
	const char *near;

	names_put_shelf(&n, shelf_builtin());
	for (const struct shelf *s = shelves; s; s = s->next)
		names_put_shelf(&n, s);
	for (size_t i = 0; engine_absent(i); i++)
		names_put(&n, engine_absent(i));
	near = nearest_name(name, names_get, n.count, &n);
	return near ? near : kindred(&n, name);
}

/* ---- Finding --------------------------------------------------------------------------------- */

static int explain(const char *name, const struct folders *f, char *why, size_t why_bytes)
{
	const struct engine_missing m = {
		.name = name, .near = nearest_engine(name), .folders = f->dir,
		.nr_folders = f->count, .closed = f->closed[0] ? f->closed : NULL,
		.closed_err = f->closed_err,
	};

	return engine_missing_explain(&m, why, why_bytes);
}

static int find_by_name(const char *name, const struct engine **out, char *why, size_t why_bytes)
{
	struct look l = { .name = name, .why = why, .why_bytes = why_bytes };
	struct folders f;

	folders_list(&f);
	if (!look_in_folders(&l, &f, 0, f.added)) {
		l.found = shelf_find(shelf_builtin(), name);
		if (!l.found)
			look_in_folders(&l, &f, f.added, f.count);
	}
	*out = l.found;
	if (l.found)
		l.err = 0;
	else if (!l.err)
		l.err = explain(name, &f, why, why_bytes);
	folders_free(&f);
	return l.err;
}

/* Without a name: the engine that is called as its file is, else the first. */
static const struct engine *pick(const struct shelf *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = strcspn(slash + 1, ".");

	for (uint32_t i = 0; i < s->count; i++) {
		const char *name = s->engines[i].ops.name;

		if (strlen(name) == len && !strncmp(name, slash + 1, len))
			return &s->engines[i];
	}
	return &s->engines[0];
}

/*
 * text: PATH or PATH.so:NAME. A path without a '/' gets one, else the linker would search for it.
 */
static int find_by_path(const char *text, const struct engine **out, char *why, size_t why_bytes)
{
	const char *colon = strstr(text, ".so:");
	const char *name = colon ? colon + 4 : NULL;
	size_t len = colon ? (size_t)(colon + 3 - text) : strlen(text);
	const struct shelf *s;
	char path[PATH_MAX];

	if (!len) {
		snprintf(why, why_bytes, "external: is to be followed by the path of an engine");
		return -EINVAL;
	}
	if (snprintf(path, sizeof(path), "%s%.*s", memchr(text, '/', len) ? "" : "./", (int)len,
		     text) >= (int)sizeof(path)) {
		snprintf(why, why_bytes, "the path of the engine is longer than %d bytes",
			 PATH_MAX);
		return -ENAMETOOLONG;
	}
	s = shelf_object(path);
	if (s->err) {
		snprintf(why, why_bytes, "%s", s->why);
		return s->err;
	}
	if (!name) {
		*out = pick(s, path);
		return 0;
	}
	*out = shelf_find(s, name);
	if (*out)
		return 0;
	snprintf(why, why_bytes, "%s offers no engine called '%s'; its first is '%s'", path, name,
		 s->engines[0].ops.name);
	return -ENOENT;
}

static bool no_paths;

void engines_forbid_paths(void)
{
	no_paths = true;
}

static int refuse_path(char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "it would run code of that file, and --no-exec forbids it; name "
		 "an engine that is installed, or in --engine-path");
	return -EPERM;
}

int engines_find(const char *name, const struct engine **out, char *why, size_t why_bytes)
{
	int err;

	*out = NULL;
	if (no_paths && (strchr(name, '/') || !strncmp(name, "external:", 9)))
		return refuse_path(why, why_bytes);
	pthread_mutex_lock(&lock);
	if (!strncmp(name, "external:", 9))
		err = find_by_path(name + 9, out, why, why_bytes);
	else if (strchr(name, '/'))
		err = find_by_path(name, out, why, why_bytes);
	else if (!strcmp(name, "linuxaio") || !strcmp(name, "aio"))
		err = find_by_name("libaio", out, why, why_bytes);
	else
		err = find_by_name(name, out, why, why_bytes);
	pthread_mutex_unlock(&lock);
	return err;
}

/* ---- All of them ----------------------------------------------------------------------------- */

struct each {
	void (*fn)(void *ctx, const char *name, const struct engine *e, const char *why);
	void *ctx;
	struct names seen;
	const struct engine *seen_as[NAMES_MAX];
};

static void each_engine(struct each *each, const struct engine *e)
{
	char why[500];

	for (size_t i = 0; i < each->seen.count; i++) {
		if (strcmp(each->seen.name[i], e->ops.name))
			continue;
		if (each->seen_as[i] == e)
			return;
		snprintf(why, sizeof(why), "the engine '%s' of %s is hidden behind the one that "
			 "comes first (%s)", e->ops.name, e->origin, each->seen_as[i]->origin);
		each->fn(each->ctx, e->ops.name, NULL, why);
		return;
	}
	if (each->seen.count < NAMES_MAX) {
		each->seen_as[each->seen.count] = e;
		names_put(&each->seen, e->ops.name);
	}
	each->fn(each->ctx, e->ops.name, e, NULL);
}

static bool each_of_shelf(void *ctx, const struct shelf *s)
{
	struct each *each = ctx;
	const char *slash;
	char name[NAME_MAX + 1];

	if (s->err) {
		slash = strrchr(s->path, '/');
		snprintf(name, sizeof(name), "%.*s", (int)(strlen(slash + 1) - 3), slash + 1);
		each->fn(each->ctx, name, NULL, s->why);
		return false;
	}
	for (uint32_t i = 0; i < s->count; i++)
		each_engine(each, &s->engines[i]);
	return false;
}

static bool each_seen(const struct each *each, const char *name)
{
	for (size_t i = 0; i < each->seen.count; i++)
		if (!strcmp(each->seen.name[i], name))
			return true;
	return false;
}

void engines_each(void (*fn)(void *ctx, const char *name, const struct engine *e, const char *why),
		  void *ctx)
{
	struct each each = { .fn = fn, .ctx = ctx };
	struct folders f;
	char why[300];

	pthread_mutex_lock(&lock);
	folders_list(&f);
	for (size_t i = 0; i < f.added; i++)
		folder_each(f.dir[i], each_of_shelf, &each);
	each_of_shelf(&each, shelf_builtin());
	for (size_t i = f.added; i < f.count; i++)
		folder_each(f.dir[i], each_of_shelf, &each);
	if (f.closed[0]) {
		snprintf(why, sizeof(why), "this engine folder cannot be read: %s",
			 strerror(-f.closed_err));
		fn(ctx, f.closed, NULL, why);
	}
	for (size_t i = 0; engine_absent(i); i++) {
		if (each_seen(&each, engine_absent(i)))
			continue;
		engine_absent_explain(i, why, sizeof(why));
		fn(ctx, engine_absent(i), NULL, why);
	}
	folders_free(&f);
	pthread_mutex_unlock(&lock);
}
