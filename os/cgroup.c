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
#include "os/slurp.h"
#include "os/sys.h"

#define NAME_PREFIX	"fio-like."
#define TABLE_BYTES_MAX	(1u << 20)	/* of /proc/self/mountinfo, /proc/self/cgroup */

typedef unsigned long long ull;

/* ---- Where: the hierarchy of a controller, and this process's own group in it ---------------- */

/* Is word one of the comma- or blank-separated words of list? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ", \n");

		if (n == len && !strncmp(list, word, len))
			return true;
		list += n + strspn(list + n, ", \n");
	}
	return false;
}

/* Paths in the table have blanks, tabs, newlines and backslashes as \ooo. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		unsigned code;

		if (s[0] == '\\' && sscanf(s + 1, "%3o", &code) == 1 && strlen(s) >= 4) {
			*to++ = (char)code;
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* A mounted hierarchy. */
struct mount {
	int version;
	char *root;		/* the group that is seen at at; in the table's memory */
	char *at;
};

/* One line of mountinfo: "36 35 98:0 ROOT AT OPTIONS [FIELDS] - TYPE SOURCE SUPEROPTIONS". */
static bool read_mount(char *line, const char *controller, struct mount *m)
{
	char *behind = strstr(line, " - "), *type, *options, *save = NULL;

	if (!behind)
		return false;
	*behind = '\0';
	type = strtok_r(behind + 3, " ", &save);
	options = strtok_r(NULL, " ", &save) ? strtok_r(NULL, " ", &save) : NULL;
	if (!type || !options)
		return false;
	if (!strcmp(type, "cgroup") && has_word(options, controller))
		m->version = 1;
	else if (!strcmp(type, "cgroup2"))
		m->version = 2;
	else
		return false;
	save = NULL;
	for (int i = 0; i < 5; i++) {
		char *field = strtok_r(i ? NULL : line, " ", &save);

		if (!field)
			return false;
		if (i == 3)
			m->root = field;
		if (i == 4)
			m->at = field;
	}
	unescape(m->root);
	unescape(m->at);
	return true;
}

/* The mount with the controller: of version 1, else the one of version 2. text is cut up. */
static bool find_mount(char *text, const char *controller, struct mount *found)
{
	char *save = NULL;

	found->version = 0;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct mount m;

		if (!read_mount(line, controller, &m))
			continue;
		if (m.version == 1 || !found->version)
			*found = m;
		if (m.version == 1)
			break;
	}
	return found->version != 0;
}

/* This process's group: "4:memory:/a/b", of version 2 "0::/a/b". NULL: not told. */
static char *own_group(char *text, int version, const char *controller)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		list++;
		if (version == 1 ? has_word(list, controller) : !*list)
			return path;
	}
	return NULL;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder of our own group. What a container hides of the way to it is not there to be seen. */
static void own_folder(const struct mount *m, const char *path, char *out, size_t size)
{
	size_t root = strcmp(m->root, "/") ? strlen(m->root) : 0;

	snprintf(out, size, "%s", m->at);
	if (!path || strncmp(path, m->root, root) || (path[root] && path[root] != '/'))
		return;
	snprintf(out, size, "%s%s", m->at, path + root);
	if (!is_folder(out))
		snprintf(out, size, "%s", m->at);
	root = strlen(out);
	if (root > 1 && out[root - 1] == '/')
		out[root - 1] = '\0';
}

/* Returns 0 with the version and our own group's folder in *own, top the length of the mount's. */
static int find_own(const char *controller, struct cgroup *own, size_t *top)
{
	char *mounts = NULL, *groups = NULL, controllers[CGROUP_PATH_BYTES + 32], list[512];
	struct mount m;
	size_t len;
	int err = slurp_file("/proc/self/mountinfo", TABLE_BYTES_MAX, &mounts, &len);

	if (!err)
		err = slurp_file("/proc/self/cgroup", TABLE_BYTES_MAX, &groups, &len);
	if (!err && !find_mount(mounts, controller, &m))
		err = -ENOENT;
	if (!err) {
		own->version = m.version;
		own_folder(&m, own_group(groups, m.version, controller), own->path,
			   sizeof(own->path));
		*top = strlen(m.at);
	}
	if (!err && m.version == 2) {
		snprintf(controllers, sizeof(controllers), "%s/cgroup.controllers", m.at);
		err = sys_read_text(controllers, list, sizeof(list)) < 0 ||
		      !has_word(list, controller) ? -ENOENT : 0;
	}
	free(mounts);
	free(groups);
	return err;
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
	char path[CGROUP_PATH_BYTES + 32], text[512];
	int err;

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", folder);
	err = (int)sys_read_text(path, text, sizeof(text));
	if (err < 0)
		return err;
	if (has_word(text, controller))
		return 0;
	if (!own)
		return -EBUSY;
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
	struct cgroup at;
	struct maker self;
	size_t top = 0;
	int err = find_own(controller, &at, &top);
	bool own = true;

	g->version = 0;
	if (err)
		return explain(err, controller, "", why, why_bytes);
	describe_self(&self);
	for (;;) {
		char *slash;

		err = at.version == 2 ? admit(at.path, controller, own) : 0;
		if (!err)
			err = make_at(g, at.version, at.path, &self);
		slash = strrchr(at.path, '/');
		if (!err || at.version == 1 || !slash || (size_t)(slash - at.path) < top)
			break;
		*slash = '\0';
		own = false;
	}
	return err ? explain(err, controller, at.path, why, why_bytes) : 0;
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
	size_t len = strlen(key);
	int err;

	if (!file_of(g, file, path))
		return -ENAMETOOLONG;
	err = (int)sys_read_text(path, text, sizeof(text));
	if (err < 0)
		return err;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len) && line[len] == ' ') {
			*value = strtoull(line + len + 1, NULL, 10);
			return 0;
		}
	}
	return -ENOENT;
}

int cgroup_enter(const struct cgroup *g)
{
	return cgroup_set(g, "cgroup.procs", "0");
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

int cgroup_remove(const struct cgroup *g, unsigned int wait_ms)
{
	static const struct timespec pause = { .tv_nsec = 5000000 };

	for (unsigned int waited = 0;; waited += 5) {
		int err = rmdir(g->path) == 0 || errno == ENOENT ? 0 : -errno;

		if (err != -EBUSY || waited > wait_ms)
			return err;
		kill_members(g);
		nanosleep(&pause, NULL);
	}
}
