/* SPDX-License-Identifier: MIT */
/* Making a control group, entering it, taking it away. */
#define _GNU_SOURCE 1
#include "os/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base.h"
#include "lib/keyline.h"
#include "os/groups.h"
#include "os/sys.h"

#define NAME_PREFIX	"fio-like."

typedef unsigned long long ull;

/* ---- Where: the tree of a controller, and this process's own group in it --------------------- */

/* What version 2 calls a controller of version 1. */
static const char *name_in(const struct groups *at, const char *controller)
{
	return at->version == 2 && !strcmp(controller, "blkio") ? "io" : controller;
}

/* Is it one of the words between blanks of a file in this folder? -errno of the file. */
static int lists(const char *folder, const char *file, const char *word)
{
	char path[2 * CGROUP_PATH_BYTES + 128], text[512], *save = NULL;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	err = (int)sys_read_text(path, text, sizeof(text));
	if (err < 0)
		return err;
	for (char *w = strtok_r(text, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		if (!strcmp(w, word))
			return 1;
	return 0;
}

static int find_own(const char *controller, struct groups *at)
{
	char top[sizeof(at->folder)];

	if (!groups_of("", controller, at))
		return -ENOENT;
	if (at->version == 1)
		return 0;
	snprintf(top, sizeof(top), "%.*s", (int)at->top, at->folder);
	return lists(top, "cgroup.controllers", name_in(at, controller)) > 0 ? 0 : -ENOENT;
}

/* ---- Names: whose group a folder is ---------------------------------------------------------- */

struct maker {
	ull space, pid, start;		/* PID namespace; ticks since boot */
};

/* When a process began: field 22 of its stat, behind a name that may hold anything. */
static int start_of(ull pid, ull *start)
{
	char path[64], text[1024], *at;

	snprintf(path, sizeof(path), "/proc/%llu/stat", pid);
	if (sys_read_text(path, text, sizeof(text)) <= 0)
		return -ESRCH;
	at = strrchr(text, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", start) == 1 ? 0 : -ESRCH;
}

static void describe_self(struct maker *m)
{
	struct stat st;

	m->space = stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
	m->pid = (ull)getpid();
	if (start_of(m->pid, &m->start))
		m->start = 0;
}

/* Take away what dead makers of our own kind and namespace have left here. */
static void sweep(const char *folder, const struct maker *self)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		struct cgroup g = { .version = 1 };
		struct maker m;
		ull now;
		int end = 0;

		if (sscanf(e->d_name, NAME_PREFIX "%llu.%llu.%llu%n", &m.space, &m.pid, &m.start,
			   &end) != 3 || e->d_name[end] || m.space != self->space)
			continue;
		if (!start_of(m.pid, &now) && now == m.start)
			continue;
		if ((size_t)snprintf(g.path, sizeof(g.path), "%s/%s", folder, e->d_name) <
		    sizeof(g.path))
			cgroup_remove(&g, 0);
	}
	if (dir)
		closedir(dir);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* May children of this group have the controller? Our own group is asked to let them. */
static int admit(const char *folder, const char *controller, bool own)
{
	char path[2 * CGROUP_PATH_BYTES + 128], text[64];
	int has = lists(folder, "cgroup.subtree_control", controller);

	if (has)
		return has < 0 ? has : 0;
	if (!own)
		return -EBUSY;
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", folder);
	snprintf(text, sizeof(text), "+%s", controller);
	return sys_write_text(path, text);
}

static int make_at(struct cgroup *g, int version, const char *folder, const struct maker *self)
{
	if ((size_t)snprintf(g->path, sizeof(g->path), "%s/" NAME_PREFIX "%llu.%llu.%llu", folder,
			     self->space, self->pid, self->start) >= sizeof(g->path))
		return -ENAMETOOLONG;
	sweep(folder, self);
	if (mkdir(g->path, 0755) < 0)
		return -errno;
	g->version = version;
	return 0;
}

static int explain(int err, const char *controller, const char *folder, char *why, size_t why_bytes)
{
	const char *what = err == -EACCES || err == -EPERM || err == -EROFS ?
		"; run it as root, or in a group that was delegated to you (systemd-run --user "
		"--scope -p Delegate=yes)" : err == -EBUSY ?
		"; no group from there upwards lets its children have this controller" : "";

	if (err == -ENOENT)
		snprintf(why, why_bytes, "this system has no control groups with the %s controller "
			 "(neither version 1 nor version 2 is mounted with it)", controller);
	else
		snprintf(why, why_bytes, "no control group can be made in %s: %s%s", folder,
			 strerror(-err), what);
	return err;
}

int cgroup_make(struct cgroup *g, const char *controller, char *why, size_t why_bytes)
{
	struct groups at;
	struct maker self;
	int err = find_own(controller, &at);
	bool own = true;

	g->version = 0;
	if (err)
		return explain(err, controller, "", why, why_bytes);
	describe_self(&self);
	for (;;) {
		char *slash;

		err = at.version == 2 ? admit(at.folder, name_in(&at, controller), own) : 0;
		if (!err)
			err = make_at(g, at.version, at.folder, &self);
		slash = strrchr(at.folder, '/');
		if (!err || at.version == 1 || !slash || (size_t)(slash - at.folder) < at.top)
			break;
		*slash = '\0';
		own = false;
	}
	return err ? explain(err, controller, at.folder, why, why_bytes) : 0;
}

/* Every group on the way down must let its children have the controller. */
static int admit_all(const char *path, size_t top, const char *controller)
{
	char folder[CGROUP_PATH_BYTES];
	int err = 0;

	for (size_t at = top; path[at] && !err; at += 1 + strcspn(path + at + 1, "/")) {
		snprintf(folder, sizeof(folder), "%.*s", (int)at, path);
		err = admit(folder, controller, true);
	}
	return err;
}

int cgroup_named(struct cgroup *g, const char *controller, const char *name, bool make, bool *made,
		 char *why, size_t why_bytes)
{
	struct groups at;
	struct stat st;
	int err = find_own(controller, &at);

	*made = false;
	g->version = 0;
	if (err)
		return explain(err, controller, "", why, why_bytes);
	at.folder[at.top] = '\0';
	name += strspn(name, "/");
	if ((size_t)snprintf(g->path, sizeof(g->path), "%s/%s", at.folder, name) >=
	    sizeof(g->path))
		err = -ENAMETOOLONG;
	if (!err && make && at.version == 2)
		err = admit_all(g->path, at.top, name_in(&at, controller));
	if (!err && make && (stat(g->path, &st) || !S_ISDIR(st.st_mode))) {
		err = mkdir(g->path, 0755) < 0 && errno != EEXIST ? -errno : 0;
		*made = !err;
	}
	if (err == -ENOENT) {
		snprintf(why, why_bytes, "the folder that it is to be made in, %.*s, is not there",
			 (int)(strrchr(g->path, '/') - g->path), g->path);
		return err;
	}
	if (err)
		return explain(err, controller, at.folder, why, why_bytes);
	g->version = at.version;
	return 0;
}

/* ---- Using ----------------------------------------------------------------------------------- */

/* The path of one of its files; false: too long. No stdio: signal handlers and children use it. */
static bool file_of(const struct cgroup *g, const char *file, char out[CGROUP_PATH_BYTES])
{
	size_t dir = strlen(g->path), name = strlen(file);

	if (dir + name + 2 > CGROUP_PATH_BYTES)
		return false;
	memcpy(out, g->path, dir);
	out[dir] = '/';
	memcpy(out + dir + 1, file, name + 1);
	return true;
}

int cgroup_set(const struct cgroup *g, const char *file, const char *text)
{
	char path[CGROUP_PATH_BYTES];

	return file_of(g, file, path) ? sys_write_text(path, text) : -ENAMETOOLONG;
}

int cgroup_get(const struct cgroup *g, const char *file, uint64_t *value)
{
	char path[CGROUP_PATH_BYTES];

	return file_of(g, file, path) ? sys_read_u64(path, value) : -ENAMETOOLONG;
}

int cgroup_get_key(const struct cgroup *g, const char *file, const char *key, uint64_t *value)
{
	char path[CGROUP_PATH_BYTES], text[4096];
	int err;

	if (!file_of(g, file, path))
		return -ENAMETOOLONG;
	err = (int)sys_read_text(path, text, sizeof(text));
	if (err < 0)
		return err;
	return keyline_u64(text, key, ' ', value) ? 0 : -ENOENT;
}

int cgroup_enter(const struct cgroup *g)
{
	return cgroup_set(g, "cgroup.procs", "0");
}

int cgroup_enter_thread(const struct cgroup *g)
{
	return g->version == 1 ? cgroup_set(g, "tasks", "0") : -EOPNOTSUPP;
}

/* ---- Taking away ----------------------------------------------------------------------------- */

/* Kills each process of the list; of one that does not fit the rest comes the next time. */
static void kill_members(const struct cgroup *g)
{
	char path[CGROUP_PATH_BYTES], text[4096];
	ssize_t n = -1;
	pid_t pid = 0;
	int fd;

	if (!file_of(g, "cgroup.procs", path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text));
		close(fd);
	}
	for (ssize_t i = 0; i < n; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			pid = pid * 10 + (text[i] - '0');
			continue;
		}
		if (pid > 1)
			kill(pid, SIGKILL);
		pid = 0;
	}
}

static int take_away(const struct cgroup *g, unsigned int wait_ms, bool kills)
{
	static const struct timespec pause = { .tv_nsec = 5000000 };

	for (unsigned int waited = 0;; waited += 5) {
		int err = rmdir(g->path) == 0 || errno == ENOENT ? 0 : -errno;

		if (err != -EBUSY || waited > wait_ms)
			return err;
		if (kills)
			kill_members(g);
		nanosleep(&pause, NULL);
	}
}

int cgroup_remove(const struct cgroup *g, unsigned int wait_ms)
{
	return take_away(g, wait_ms, true);
}

int cgroup_remove_empty(const struct cgroup *g, unsigned int wait_ms)
{
	return take_away(g, wait_ms, false);
}
