/* SPDX-License-Identifier: MIT */
/*
 * sums - do the lines of jsonl add up?
 *
 *	sums FILE
 *
 * For every job its intervals follow one another without a gap, each is sound in itself (extremes,
 * mean and percentiles in order, bins that sum to N), and all of them together have exactly the
 * I/Os, bytes, samples and bins of the line at its end. Prints what is not so, and how many
 * intervals and jobs there were. Status 0 if all is.
 */
#define J_PROGRAM "sums"
#include "t/sound.h"

enum { LINES_MAX = 100000 };

static struct j_node *lines[LINES_MAX];
static size_t count;
static int wrong;

__attribute__((format(printf, 2, 3))) static void say(const struct j_node *line,
						      const char *fmt, ...)
{
	const struct j_node *name = j_member(line, "jobname"), *n = j_member(line, "interval");
	va_list ap;

	printf("%s", name && name->type == J_STRING ? name->text : "?");
	if (n)
		printf(", interval %.*s", (int)(n->to - n->from), n->from);
	printf(": ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	wrong++;
}

static bool is_interval(const struct j_node *line)
{
	const struct j_node *type = j_member(line, "type");

	return type && type->type == J_STRING && !strcmp(type->text, "interval");
}

/* The member of a member ... of a line; NULL where there is none. */
static const struct j_node *at_path(const struct j_node *line, const char *const path[4])
{
	for (int i = 0; i < 4 && path[i] && line; i++)
		line = j_member(line, path[i]);
	return line;
}

/* Do all intervals of this job have together what the job's line has? */
static void compare(const struct j_node *job, const char *const path[4])
{
	uint64_t number = s_whole(j_member(job, "number")), sum = 0;
	uint64_t want = s_whole(at_path(job, path));

	for (size_t i = 0; i < count; i++)
		if (is_interval(lines[i]) && s_whole(j_member(lines[i], "number")) == number)
			sum += s_whole(at_path(lines[i], path));
	if (sum != want)
		say(job, "%s.%s%s%s%s%s: %" PRIu64 " in the intervals, %" PRIu64 " at the end",
		    path[0], path[1], path[2] ? "." : "", path[2] ? path[2] : "",
		    path[3] ? "." : "", path[3] ? path[3] : "", sum, want);
}

static const char *const dirs[] = { "read", "write", "trim", "mixed", "sync" };
static const char *const kinds[] = { "slat_ns", "clat_ns", "lat_ns" };
static const char *const amounts[] = { "io_bytes", "total_ios", "short_ios", "drop_ios" };

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static void compare_bins(const struct j_node *job, const char *dir, const char *kind)
{
	const struct j_node *bins = at_path(job, (const char *const[4]){ dir, kind, "bins" });

	compare(job, (const char *const[4]){ dir, kind, "N" });
	for (const struct j_node *b = bins ? bins->child : NULL; b; b = b->next)
		compare(job, (const char *const[4]){ dir, kind, "bins", b->key });
}

static void compare_all(const struct j_node *job)
{
	for (size_t d = 0; d < COUNT(dirs); d++) {
		for (size_t i = 0; i < COUNT(amounts); i++)
			compare(job, (const char *const[4]){ dirs[d], amounts[i] });
		for (size_t k = 0; k < COUNT(kinds); k++)
			compare_bins(job, dirs[d], kinds[k]);
	}
}

static void sound(const struct j_node *line)
{
	for (size_t d = 0; d < COUNT(dirs); d++)
		for (size_t k = 0; k < COUNT(kinds); k++) {
			const struct j_node *lat =
				at_path(line, (const char *const[4]){ dirs[d], kinds[k] });

			const char *why = lat ? s_latency(lat) : NULL;

			if (why)
				say(line, "%s.%s: %s", dirs[d], kinds[k], why);
		}
}

/* Each interval of a job begins where the one before it ended, the first at 0. */
static void gapless(const struct j_node *job)
{
	uint64_t number = s_whole(j_member(job, "number"));
	double end = 0;

	for (size_t i = 0; i < count; i++) {
		double begin = s_real(j_member(lines[i], "begin_ms"));

		if (!is_interval(lines[i]) || s_whole(j_member(lines[i], "number")) != number)
			continue;
		if (begin != end)
			say(lines[i], "begins at %f ms, behind one that ends at %f", begin, end);
		end = s_real(j_member(lines[i], "end_ms"));
		if (end < begin)
			say(lines[i], "from %f to %f ms", begin, end);
	}
}

int main(int argc, char **argv)
{
	size_t jobs = 0;
	char *text;

	if (argc != 2)
		j_die(2, "usage: sums FILE");
	text = j_read(argv[1]);
	while (count < LINES_MAX && (lines[count] = j_next()))
		count++;
	for (size_t i = 0; i < count; i++) {
		sound(lines[i]);
		if (is_interval(lines[i]))
			continue;
		jobs++;
		compare_all(lines[i]);
		gapless(lines[i]);
	}
	printf("%zu intervals, %zu jobs\n", count - jobs, jobs);
	for (size_t i = 0; i < count; i++)
		j_free(lines[i]);
	free(text);
	return wrong > 0 || !jobs;
}
