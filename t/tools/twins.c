/* SPDX-License-Identifier: MIT */
/*
 * twins - print every difference between the result of a job by fio and by fio-like.
 *
 *	twins json [OPTION...] THEIRS OURS	two documents of json or json+
 *	twins terse [OPTION...] THEIRS OURS	two files of terse lines
 *
 *	--loose		how much was done is a matter of time or chance: no amounts
 *	--drawn		of each I/O only the direction is drawn: the sum of the directions counts
 *	--plain		ours is json and fio's json+: no bins
 *	--except=PATH	this path, with [] for an index, may differ
 *
 * Keys, their order, their types, and the values that a job decides: amounts, samples, errors,
 * settings. The bins of each side sum to its N. What fio 3.42 has and Debian's does not may be
 * there; of our own there are only the objects "fio-like". One line per difference; status 0
 * without any, 1 with some, 2 on wrong usage.
 */
#include <inttypes.h>
#define J_PROGRAM "twins"
#include "t/json.h"

enum { EXCEPT_MAX = 32, PATH_MAX_BYTES = 1024 };

static bool loose, drawn, plain;
static const char *except[EXCEPT_MAX];
static size_t excepts;
static int differences;

__attribute__((format(printf, 2, 3))) static void differ(const char *path, const char *fmt, ...)
{
	va_list ap;

	for (size_t i = 0; i < excepts; i++)
		if (!strcmp(except[i], path))
			return;
	printf("%s: ", path);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	differences++;
}

static bool among(const char *key, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(key, *list))
			return true;
	return false;
}

/* ---- What may and what must be alike --------------------------------------------------------- */

/* Keys that came after Debian's fio, and ours. */
static const char *const newer[] = {
	"job_start", "latency_target_ns", "latency_window_us", "read_sectors", "write_sectors",
	"aggr_read_sectors", "aggr_write_sectors", "priohint", "fio-like", NULL,
};

static const char *const amounts[] = {
	"io_bytes", "io_kbytes", "total_ios", "short_ios", "drop_ios", "N", "total_err", NULL,
};

static const char *const settled[] = {
	"jobname", "groupid", "error", "desc", "first_error", "latency_depth",
	"latency_target", "latency_percentile", "latency_window", "name", "prioclass", "prio",
	"attained", "criterion", NULL,
};

static const char *const settings[] = { "job options", "global options", NULL };
static const char *const directions[] = { "read", "write", "trim", NULL };

/* Where a walk is. */
struct place {
	char path[PATH_MAX_BYTES];	/* with [] for the index */
	bool setting;			/* below settings */
	bool one_of;			/* below a direction */
};

static struct place below(const struct place *at, const char *key)
{
	struct place p = *at;
	size_t used = strlen(p.path);

	snprintf(p.path + used, sizeof(p.path) - used, "%s%s", *at->path && *key != '[' ? "." : "",
		 key);
	p.setting |= among(key, settings);
	p.one_of |= among(key, directions);
	return p;
}

static bool is_settled(const struct place *p, const char *key)
{
	if (p->setting || among(key, settled))
		return true;
	if (!among(key, amounts) || loose)
		return false;
	return !(drawn && p->one_of);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static size_t length(const struct j_node *n)
{
	return (size_t)(n->to - n->from);
}

static void values(const struct place *p, const char *key, const struct j_node *theirs,
		   const struct j_node *ours)
{
	if (!is_settled(p, key))
		return;
	if (length(theirs) != length(ours) || memcmp(theirs->from, ours->from, length(ours)))
		differ(p->path, "fio %.*s, fio-like %.*s", (int)length(theirs), theirs->from,
		       (int)length(ours), ours->from);
}

static uint64_t number(const struct j_node *n)
{
	return n && n->type == J_INT ? strtoull(n->from, NULL, 10) : 0;
}

/* The bins of one side, which is an object beside "N". */
static void bins(const struct place *p, const char *who, const struct j_node *lat)
{
	const struct j_node *all = j_member(lat, "bins");
	uint64_t sum = 0, last = 0;

	for (const struct j_node *b = all ? all->child : NULL; b; b = b->next) {
		uint64_t value = strtoull(b->key, NULL, 10);

		if (b != all->child && value <= last)
			differ(p->path, "%s: bin %" PRIu64 " behind %" PRIu64, who, value, last);
		last = value;
		sum += number(b);
	}
	if (all && sum != number(j_member(lat, "N")))
		differ(p->path, "%s: %" PRIu64 " in the bins of %" PRIu64, who, sum,
		       number(j_member(lat, "N")));
}

/* What the directions of a job have together. */
static void sums(const struct place *p, const struct j_node *theirs, const struct j_node *ours)
{
	static const char *const paths[][2] = {
		{ "io_bytes", NULL }, { "total_ios", NULL }, { "slat_ns", "N" }, { "clat_ns", "N" },
		{ "lat_ns", "N" },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		uint64_t sum[2] = { 0, 0 };

		for (size_t d = 0; directions[d]; d++) {
			const struct j_node *side[2] = {
				j_member(theirs, directions[d]), j_member(ours, directions[d]),
			};

			for (int s = 0; s < 2; s++) {
				const struct j_node *n = j_member(side[s], paths[i][0]);

				sum[s] += number(paths[i][1] ? j_member(n, paths[i][1]) : n);
			}
		}
		if (sum[0] != sum[1])
			differ(p->path, "%s%s%s of all directions: fio %" PRIu64
			       ", fio-like %" PRIu64, paths[i][0], paths[i][1] ? "." : "",
			       paths[i][1] ? paths[i][1] : "", sum[0], sum[1]);
	}
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void compare(const struct place *p, const char *key, const struct j_node *theirs,
		    const struct j_node *ours);

static void members(const struct place *p, const struct j_node *theirs, const struct j_node *ours)
{
	const struct j_node *before = NULL;

	for (const struct j_node *t = theirs->child; t; t = t->next) {
		struct place here = below(p, t->key);
		const struct j_node *o = j_member(ours, t->key);

		if (plain && !strcmp(t->key, "bins"))
			continue;
		if (!o) {
			differ(here.path, "only fio has it");
			continue;
		}
		if (before && o->from < before->from)
			differ(here.path, "in another order: before %s", before->key);
		before = o;
		compare(&here, t->key, t, o);
	}
	for (const struct j_node *o = ours->child; o; o = o->next)
		if (!j_member(theirs, o->key) && (p->setting || !among(o->key, newer)))
			differ(below(p, o->key).path, "only fio-like has it");
}

static void elements(const struct place *p, const struct j_node *theirs, const struct j_node *ours)
{
	const struct j_node *t = theirs->child, *o = ours->child;
	struct place here = below(p, "[]");

	if (theirs->children != ours->children)
		differ(p->path, "fio %zu of them, fio-like %zu", theirs->children, ours->children);
	for (; t && o; t = t->next, o = o->next)
		compare(&here, "", t, o);
}

static void compare(const struct place *p, const char *key, const struct j_node *theirs,
		    const struct j_node *ours)
{
	if (theirs->type != ours->type) {
		differ(p->path, "fio %s, fio-like %s", j_type_names[theirs->type],
		       j_type_names[ours->type]);
		return;
	}
	if (theirs->type == J_ARRAY) {
		elements(p, theirs, ours);
	} else if (theirs->type == J_OBJECT) {
		if (!strcmp(key, "bins"))
			return;		/* a map; the object around it has looked at it */
		bins(p, "fio", theirs);
		bins(p, "fio-like", ours);
		if (drawn && j_member(theirs, "jobname"))
			sums(p, theirs, ours);
		members(p, theirs, ours);
	} else {
		values(p, key, theirs, ours);
	}
}

static void json(const char *theirs, const char *ours)
{
	struct place root = { .path = "" };
	char *text[2] = { j_read(theirs), NULL };
	struct j_node *a = j_only(), *b;

	text[1] = j_read(ours);
	b = j_only();
	compare(&root, "", a, b);
	j_free(a);
	j_free(b);
	free(text[0]);
	free(text[1]);
}

/* ---- Terse ----------------------------------------------------------------------------------- */

/* What is in front of the directions, columns of one direction, directions, by version. */
static const struct { int version, head, width, dirs; } layouts[] = {
	{ 2, 4, 41, 3 }, { 3, 5, 41, 2 }, { 4, 5, 41, 3 }, { 5, 5, 47, 3 },
};

/* The kind of a column: its text without what depends on speed. */
static void kind(const char *column, char out[64])
{
	size_t whole = strspn(column, "0123456789"), part = 0;
	const char *rest = column + whole, *equals = strchr(column, '=');

	if (*rest == '.') {
		part = strspn(rest + 1, "0123456789");
		rest += 1 + part;
	}
	if (whole && equals)		/* a percentile: which one it is, is settled */
		snprintf(out, 64, "%.*s=N", (int)(equals - column), column);
	else if (whole && (!*rest || !strcmp(rest, "%")))
		snprintf(out, 64, "%zu decimals%s", part, rest);
	else
		snprintf(out, 64, "text %.50s", column);
}

static bool is_program(int layout, int column)
{
	return column == 1 && layouts[layout].version > 2;
}

/*
 * Is the value of a column, from 0, settled by the job? What stands in front is; and KiB, the first
 * column of each direction. There may be fewer directions than usual, then it is a percentage.
 */
static bool column_settled(int layout, int column, const char *text)
{
	int at = column - layouts[layout].head;

	if (at < 0)
		return !is_program(layout, column);
	return !strchr(text, '%') && at < layouts[layout].width * layouts[layout].dirs &&
	       at % layouts[layout].width == 0 && !loose && !drawn;
}

static void line(const char *where, char *theirs, char *ours)
{
	int layout = 0, i = 0, last = (int)(sizeof(layouts) / sizeof(layouts[0])) - 1;
	char *t = theirs, *o = ours;

	while (layout < last && layouts[layout].version != theirs[0] - '0')
		layout++;
	for (; t && o; i++) {
		char *t_next = strchr(t, ';'), *o_next = strchr(o, ';');
		char path[64], a[64], b[64];

		if (t_next)
			*t_next++ = '\0';
		if (o_next)
			*o_next++ = '\0';
		snprintf(path, sizeof(path), "%s column %d", where, i + 1);
		kind(t, a);
		kind(o, b);
		if (column_settled(layout, i, t) && strcmp(t, o))
			differ(path, "fio '%s', fio-like '%s'", t, o);
		else if (strcmp(a, b) && !is_program(layout, i))
			differ(path, "fio '%s' (%s), fio-like '%s' (%s)", t, a, o, b);
		t = t_next;
		o = o_next;
	}
	if (t || o)
		differ(where, "only %s has columns from %d on: %s", t ? "fio" : "fio-like", i + 1,
		       t ? t : o);
}

/* The next line of *text, ended by a zero byte; NULL behind the last. */
static char *take_line(char **text)
{
	char *begin = *text, *newline;

	if (!begin || !*begin)
		return NULL;
	newline = strchr(begin, '\n');
	*text = newline ? newline + 1 : NULL;
	if (newline)
		*newline = '\0';
	return begin;
}

static void terse(const char *theirs, const char *ours)
{
	char *a = j_read(theirs), *b = j_read(ours), *rest[2] = { a, b };

	for (int n = 1;; n++) {
		char *t = take_line(&rest[0]), *o = take_line(&rest[1]), where[32];

		if (!t && !o)
			break;
		snprintf(where, sizeof(where), "line %d", n);
		if (t && o)
			line(where, t, o);
		else
			differ(where, "only %s has it", t ? "fio" : "fio-like");
	}
	free(a);
	free(b);
}

int main(int argc, char **argv)
{
	int i = 2;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--loose"))
			loose = true;
		else if (!strcmp(argv[i], "--drawn"))
			drawn = true;
		else if (!strcmp(argv[i], "--plain"))
			plain = true;
		else if (!strncmp(argv[i], "--except=", 9) && excepts < EXCEPT_MAX)
			except[excepts++] = argv[i] + 9;
		else
			break;
	}
	if (i + 2 != argc || (strcmp(argv[1], "json") && strcmp(argv[1], "terse")))
		j_die(2, "usage: twins json|terse [--loose] [--drawn] [--plain] "
			 "[--except=PATH]... THEIRS OURS");
	if (!strcmp(argv[1], "json"))
		json(argv[i], argv[i + 1]);
	else
		terse(argv[i], argv[i + 1]);
	return differences > 0;
}
