/* SPDX-License-Identifier: MIT */
/* Names of files. */
#define _GNU_SOURCE
#include "core/names.h"
#include "lib/grow.h"
#include "lib/span.h"
#include "lib/strbuf.h"
#include "os/file.h"
#include "os/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_format[] = "$jobname.$jobnum.$filenum";

/* ---- Made names ------------------------------------------------------------------------------ */

/* A name being put together; what does not fit is cut off. */
struct text {
	char *at;
	size_t room;			/* with the NUL */
};

static void put(struct text *t, const char *s, size_t len)
{
	len = fl_min(len, t->room - 1);
	memcpy(t->at, s, len);
	t->at += len;
	t->room -= len;
	*t->at = '\0';
}

static void put_number(struct text *t, uint32_t v)
{
	char digits[12];
	char *d = digits + sizeof(digits);

	do
		*--d = (char)('0' + v % 10);
	while (v /= 10);
	put(t, d, (size_t)(digits + sizeof(digits) - d));
}

/* The word that format begins with, or NULL. */
static const char *keyword_at(const char *format)
{
	static const char *const words[] = { "$jobname", "$jobnum", "$filenum", "$clientuid" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(format, words[i], strlen(words[i])))
			return words[i];
	return NULL;
}

static void put_format(struct text *t, const struct names *n, uint32_t file)
{
	const char *f = n->conf->format ? n->conf->format : default_format;

	while (*f) {
		size_t plain = 1 + strcspn(f + 1, "$");
		const char *word = keyword_at(f);

		if (!word)
			put(t, f, plain);
		else if (!strcmp(word, "$jobname"))
			put(t, n->job, strlen(n->job));
		else if (!strcmp(word, "$jobnum"))
			put_number(t, n->clone);
		else if (!strcmp(word, "$filenum"))
			put_number(t, file);
		/* $clientuid is empty: there is no client */
		f += word ? strlen(word) : plain;
	}
}

const char *names_get(const struct names *n, uint32_t i, char *buf)
{
	struct text t = { buf, NAMES_BYTES };
	const char *name = n->list ? n->list[i] : NULL;

	buf[0] = '\0';
	if (!name || (i < n->nr_listed && name[0] != '/'))
		put(&t, n->dir, strlen(n->dir));
	if (name)
		put(&t, name, strlen(name));
	else
		put_format(&t, n, i);
	return buf;
}

bool names_folders(const struct names *n)
{
	const char *f = n->conf->format ? n->conf->format : default_format;

	return !n->list && (strchr(f, '/') || (strstr(f, "$jobname") && strchr(n->job, '/')));
}

/* ".." as a whole component of a path. */
static bool climbs(const char *path)
{
	while (path) {
		if (!strncmp(path, "..", 2) && (!path[2] || path[2] == '/'))
			return true;
		path = strchr(path, '/');
		if (path)
			path++;
	}
	return false;
}

int names_check(const struct names_conf *c, const char *job, char *why, size_t why_bytes)
{
	const char *f = c->format ? c->format : default_format;

	if (c->filename || c->opendir)
		return 0;
	if (c->format && !c->format[0]) {
		snprintf(why, why_bytes, "filename_format= is empty; a name is needed");
		return -EINVAL;
	}
	if (climbs(f) || (strstr(f, "$jobname") && climbs(job))) {
		snprintf(why, why_bytes, "'..' in %s: its files would lie outside of their "
			 "directory; rename it, or give the place with directory= or filename=",
			 climbs(f) ? "filename_format" : "the job's name");
		return -EINVAL;
	}
	return 0;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Cut a ':' list with "\:" for a colon. Returns the number of names; *names is the caller's. */
static uint32_t split_names(const char *list, char ***names)
{
	struct span rest = span_of(list);
	struct strbuf one = { 0 };
	uint32_t n = 0;

	*names = NULL;
	while (span_next_name(&rest, &one)) {
		char **more = grow(*names, n, sizeof(*more));

		if (!more)
			break;
		*names = more;
		(*names)[n++] = strdup(one.text);
	}
	strbuf_free(&one);
	return n;
}

static void free_list(char **list, uint32_t n)
{
	for (uint32_t i = 0; list && i < n; i++)
		free(list[i]);
	free(list);
}

/* The files below opendir come after those of filename. */
static int add_found(struct names *n, bool sized, char *why, size_t why_bytes)
{
	const char *folder = n->conf->opendir;
	char where[256];
	struct walk w;
	char **more;
	int err = walk_below(&w, folder, where, sizeof(where));

	if (err) {
		snprintf(why, why_bytes, "opendir=%s: %s: %s", folder, where[0] ? where : folder,
			 strerror(-err));
		goto out;
	}
	more = realloc(n->list, (n->nr + w.count + 1) * sizeof(*more));
	if (!more) {
		err = -ENOMEM;
		goto out;
	}
	n->list = more;
	for (size_t i = 0; i < w.count; i++) {
		if (!sized && !w.files[i].size_bytes)
			continue;
		n->list[n->nr++] = w.files[i].path;
		w.files[i].path = NULL;
	}
	if (!n->nr) {
		snprintf(why, why_bytes, "opendir=%s: there are no files below it%s", folder,
			 w.count ? " that are not empty; give size= or filesize=" : "");
		err = -ENOENT;
	}
out:
	walk_free(&w);
	return err;
}

static int make_list(struct names *n, bool sized, char *why, size_t why_bytes)
{
	const struct names_conf *c = n->conf;
	int err = 0;

	n->nr = 0;
	if (c->filename) {
		n->nr = n->nr_listed = split_names(c->filename, &n->list);
		if (!n->nr) {
			snprintf(why, why_bytes, "filename=%s: names no file", c->filename);
			return -EINVAL;
		}
	}
	if (c->opendir)
		err = add_found(n, sized, why, why_bytes);
	while (!err && c->nr && n->nr > c->nr)
		free(n->list[--n->nr]);
	n->nr_listed = fl_min(n->nr_listed, n->nr);
	return err;
}

/* A job that is named like a device works on it, if nothing else is said. */
static int take_device(struct names *n)
{
	struct file_facts facts;

	if (n->conf->format || n->conf->nr > 1 || file_facts(n->job, &facts) ||
	    (facts.type != FILE_BLOCK && facts.type != FILE_CHAR && facts.type != FILE_FIFO))
		return 0;
	n->list = malloc(sizeof(*n->list));
	if (!n->list)
		return -ENOMEM;
	n->list[0] = strdup(n->job);
	n->nr = n->nr_listed = 1;
	return n->list[0] ? 0 : -ENOMEM;
}

/* ---- Folders --------------------------------------------------------------------------------- */

/* The folder of this clone: clones take turns for made names; named files lie in the first. */
static int choose_dir(struct names *n, char *why, size_t why_bytes)
{
	const char *list = n->conf->directory;
	struct file_facts facts;
	char **dirs;
	uint32_t nr;
	const char *dir;
	int err = 0;

	n->dir = strdup("");
	if (!list || !n->dir)
		return n->dir ? 0 : -ENOMEM;
	nr = split_names(list, &dirs);
	if (!nr) {
		snprintf(why, why_bytes, "directory=%s: names no folder", list);
		return -EINVAL;
	}
	dir = dirs[n->list ? 0 : n->clone % nr];
	err = file_facts(dir, &facts);
	if (err || facts.type != FILE_DIRECTORY) {
		snprintf(why, why_bytes, "directory=%s: %s; create it first, or name another", dir,
			 err ? strerror(-err) : facts.type == FILE_MISSING ?
			 "there is no such folder" : "it is no folder");
		err = err ? err : facts.type == FILE_MISSING ? -ENOENT : -ENOTDIR;
	} else {
		free(n->dir);
		if (asprintf(&n->dir, "%s/", dir) < 0) {
			n->dir = NULL;
			err = -ENOMEM;
		}
	}
	free_list(dirs, nr);
	return err;
}

int names_init(struct names *n, const struct names_conf *conf, const char *job, uint32_t clone,
	       bool sized, char *why, size_t why_bytes)
{
	int err;

	memset(n, 0, sizeof(*n));
	n->conf = conf;
	n->job = job;
	n->clone = clone;
	n->nr = conf->nr ? conf->nr : 1;
	if (conf->filename || conf->opendir)
		err = make_list(n, sized, why, why_bytes);
	else
		err = take_device(n);
	return err ? err : choose_dir(n, why, why_bytes);
}

int names_init_given(struct names *n, const struct names_conf *conf, uint32_t clone, uint32_t nr,
		     const char *(*get)(const void *ctx, uint32_t i), const void *ctx, char *why,
		     size_t why_bytes)
{
	memset(n, 0, sizeof(*n));
	n->conf = conf;
	n->clone = clone;
	n->list = calloc(nr ? nr : 1, sizeof(*n->list));
	if (!n->list)
		return -ENOMEM;
	n->nr = n->nr_listed = nr;
	for (uint32_t i = 0; i < nr; i++) {
		n->list[i] = strdup(get(ctx, i));
		if (!n->list[i])
			return -ENOMEM;
	}
	return choose_dir(n, why, why_bytes);
}

void names_free(struct names *n)
{
	free_list(n->list, n->nr);
	free(n->dir);
	memset(n, 0, sizeof(*n));
}
