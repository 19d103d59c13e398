/* SPDX-License-Identifier: MIT */
/* Names of engines that are not there, and a sentence for each. */
#include "core/engine_missing.h"
#include "gen/config.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *engine, *package;	/* package NULL: left out by --disable-ENGINE */
} absent[] = {
#define ABSENT(engine_, package_)	{ engine_, package_ },
	FL_ENGINES_ABSENT(ABSENT)
	{ NULL, NULL }
};

/* Built with this program, each as a file of its own. */
static const char *const plugins[] = {
#define PLUGIN(engine_)			engine_,
	FL_ENGINES_PLUGIN(PLUGIN)
	NULL
};

/* Engines that fio has or had and job files may name. Ours are found before this is read. */
static const char *const fio_engines[] = {
	"cpuio", "mmap", "sync", "psync", "vsync", "pvsync", "pvsync2", "null", "net", "netsplice",
	"ftruncate", "filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete",
	"exec", "posixaio", "falloc", "e4defrag", "splice", "gfapi", "gfapi_async", "mtd", "sg",
	"io_uring", "io_uring_cmd", "nbd", "libaio", "rdma", "rados", "rbd", "pmemblk", "dev-dax",
	"libpmem", "libpmem2", "http", "nfs", "libhdfs", "libcufile", "libzbc", "libiscsi",
	"libblkio", "xnvme", "dfs", "guasi", "solarisaio", "windowsaio", "binject",
	"fusion-aw-sync", "ime_psync", "ime_psyncv", "ime_aio",
};

const char *engine_absent(size_t i)
{
	return absent[i].engine;
}

void engine_absent_explain(size_t i, char *why, size_t why_bytes)
{
#ifdef CONFIG_STATIC
	if (absent[i].package) {
		snprintf(why, why_bytes, "engine '%s' is not in this program, which was configured "
			 "with --static: its library (%s) was missing, or has no static form; "
			 "re-run ./configure without that, then make", absent[i].engine,
			 absent[i].package);
		return;
	}
#endif
	if (absent[i].package)
		snprintf(why, why_bytes, "engine '%s' was not built, because its library was "
			 "missing; install it (apt-get install %s), re-run ./configure, then make",
			 absent[i].engine, absent[i].package);
	else
		snprintf(why, why_bytes, "engine '%s' was left out of this build by --disable-%s; "
			 "re-run ./configure without that, then make", absent[i].engine,
			 absent[i].engine);
}

static int explain_plugin(const struct engine_missing *m, char *why, size_t why_bytes)
{
	struct strbuf where = { 0 };

	for (size_t i = 0; i < m->nr_folders; i++)
		strbuf_printf(&where, "%s%s", i ? ", " : "", m->folders[i]);
	snprintf(why, why_bytes, "engine '%s' is a file of its own, %s.so, which is missing "
		 "(%s%s); run make, or make install, again; or name its folder with --engine-path",
		 m->name, m->name, m->nr_folders ? "looked for in " : "there is no engine folder",
		 strbuf_str(&where));
	strbuf_free(&where);
	return -ENOENT;
}

static int explain_fio(const struct engine_missing *m, char *why, size_t why_bytes)
{
	const char *near = m->near;

	snprintf(why, why_bytes, "fio engine '%s' is not supported by fio-like yet%s%s%s", m->name,
		 near ? "; the nearest there is: '" : "", near ? near : "",
		 near ? "'" : "; --enghelp lists the engines there are");
	return -ENOENT;
}

int engine_missing_explain(const struct engine_missing *m, char *why, size_t why_bytes)
{
	size_t len = strlen(m->name);

	for (size_t i = 0; absent[i].engine; i++) {
		if (strcmp(absent[i].engine, m->name))
			continue;
		engine_absent_explain(i, why, why_bytes);
		return -ENOENT;
	}
	if (m->closed) {
		snprintf(why, why_bytes, "no engine is called '%s' as far as can be seen: the "
			 "engine folder %s cannot be read: %s%s%s%s", m->name, m->closed,
			 strerror(-m->closed_err), m->near ? "; or did you mean '" : "",
			 m->near ? m->near : "", m->near ? "'?" : "");
		return m->closed_err;
	}
	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i], m->name))
			return explain_plugin(m, why, why_bytes);
	for (size_t i = 0; i < ARRAY_SIZE(fio_engines); i++)
		if (!strcmp(fio_engines[i], m->name))
			return explain_fio(m, why, why_bytes);
	if (len > 3 && !strcmp(m->name + len - 3, ".so"))
		snprintf(why, why_bytes, "no engine is called '%s'; to load a file of the current "
			 "directory write ./%s or external:%s", m->name, m->name, m->name);
	else if (m->near)
		snprintf(why, why_bytes, "no engine is called '%s'; did you mean '%s'?", m->name,
			 m->near);
	else
		snprintf(why, why_bytes, "no engine is called '%s'; --enghelp lists the engines "
			 "there are", m->name);
	return -ENOENT;
}
