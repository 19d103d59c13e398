/* SPDX-License-Identifier: MIT */
/* dlopen(3), first for a trial and then for good. */
#include "core/plugin.h"

#include "gen/config.h"
#include "os/status.h"
#include "os/trial.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHY_BYTES 512

/* What a trial tells. */
struct verdict {
	int err;
	char why[WHY_BYTES];
};

#ifdef CONFIG_STATIC
static int object_open(const char *path, const struct fl_engine *const **tables, char *why,
		       size_t why_bytes)
{
	(void)tables;
	snprintf(why, why_bytes, "cannot load %s: this fio-like was configured with --static, and "
		 "a static program loads no plugins", path);
	return -ENOSYS;
}
#else
static int object_open(const char *path, const struct fl_engine *const **tables, char *why,
		       size_t why_bytes)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!object) {
		/* The text of dlerror(3) names the path. */
		snprintf(why, why_bytes, "cannot load the engine: %s", dlerror());
		return -ENOEXEC;
	}
	*tables = dlsym(object, "fl_engines");
	if (*tables)
		return 0;
	if (dlsym(object, "ioengine") || dlsym(object, "get_ioengine"))
		snprintf(why, why_bytes, "%s is an engine for fio itself, whose interface is "
			 "another one; it has to be rewritten against fio-like/engine.h", path);
	else
		snprintf(why, why_bytes, "%s is no engine: it exports no symbol 'fl_engines', "
			 "which FL_ENGINE_EXPORT() makes", path);
	dlclose(object);
	return -ENOEXEC;
}
#endif

static int object_adopt(const char *path, struct engine *engines, uint32_t *count, char *why,
			size_t why_bytes)
{
	const struct fl_engine *const *tables = NULL;
	int err = object_open(path, &tables, why, why_bytes);
	uint32_t n = 0;

	for (; !err && tables[n]; n++) {
		if (n == PLUGIN_ENGINES_MAX) {
			snprintf(why, why_bytes, "%s offers more than %d engines, or its list does "
				 "not end with NULL; FL_ENGINE_EXPORT() takes care of that", path,
				 PLUGIN_ENGINES_MAX);
			return -EINVAL;
		}
		err = engine_adopt(&engines[n], tables[n], path, why, why_bytes);
	}
	if (!err && !n) {
		snprintf(why, why_bytes, "%s offers no engine: its list of engines is empty", path);
		return -EINVAL;
	}
	*count = n;
	return err;
}

static int try_object(void *ctx, void *answer)
{
	static struct engine engines[PLUGIN_ENGINES_MAX];
	struct verdict *v = answer;
	uint32_t count;

	v->err = object_adopt(ctx, engines, &count, v->why, sizeof(v->why));
	return v->err;
}

static int trial(const char *path, char *why, size_t why_bytes)
{
	struct verdict v = { 0 };
	struct trial_end end = { 0 };
	char text[128];
	int err = trial_run(try_object, (void *)path, &v, sizeof(v), PLUGIN_TRIAL_MS, &end);

	switch (err) {
	case 0:
		if (v.err)
			snprintf(why, why_bytes, "%s", v.why);
		return v.err;
	case -ECHILD:
		snprintf(why, why_bytes, "%s does not survive being loaded (%s); its constructors "
			 "or its engine tables are at fault", path,
			 status_text(end.wstatus, text, sizeof(text)));
		return -ENOEXEC;
	case -ETIMEDOUT:
		snprintf(why, why_bytes, "%s hangs when it is loaded: its constructors did not "
			 "return within %d s", path, PLUGIN_TRIAL_MS / 1000);
		return -ENOEXEC;
	default:
		snprintf(why, why_bytes, "cannot make a process to try %s in: %s", path,
			 strerror(-err));
		return err;
	}
}

int plugin_load(const char *path, struct engine **engines, uint32_t *count, char *why,
		size_t why_bytes)
{
	struct stat st;
	struct engine *all;
	char *kept;
	int err;

	if (access(path, R_OK)) {
		err = -errno;
		snprintf(why, why_bytes, "cannot read the engine %s: %s", path, strerror(-err));
		return err;
	}
	if (stat(path, &st) || !S_ISREG(st.st_mode)) {
		snprintf(why, why_bytes, "%s is no engine: it is no regular file", path);
		return -ENOEXEC;
	}
	err = trial(path, why, why_bytes);
	if (err)
		return err;
	all = calloc(PLUGIN_ENGINES_MAX, sizeof(*all));
	kept = strdup(path);
	err = all && kept ? object_adopt(kept, all, count, why, why_bytes) : -ENOMEM;
	if (err) {
		free(all);
		free(kept);
		return err;
	}
	*engines = all;	/* kept is theirs: NOLINT(clang-analyzer-unix.Malloc) */
	return 0;
}
