/* SPDX-License-Identifier: MIT */
/*
 * fuzzjobs - runs a program with job files and command lines made of real options.
 *
 *	fuzzjobs [--seed=N] [--count=N] [--seconds=N] [--show] [--engines=DIR] PROGRAM
 *
 * Case k has the seed N + k; t/jobgen.h makes it. It is run in ./case, a directory made anew, as a
 * user without rights where we are root, and must end by itself or by SIGINT, without a crash,
 * without a report of a sanitizer, with a JSON document that is one where JSON was asked for, and
 * what it refuses must be told with the name of the option and its value. --show prints the cases.
 * Each case that breaks a rule is printed, with its seed: --seed=THAT --count=1 repeats it.
 *
 * Prints 'N passed, M failed'. Status 0 if all passed.
 */
#define _GNU_SOURCE	/* memmem, nftw */
#include "lib/units.h"
#include "t/jobgen.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	PATIENCE_MS = 10000,		/* then it gets a SIGINT */
	MERCY_MS = 5000,		/* then another, and after as long again it hangs */
	MEMORY_MAX = 1500,		/* MiB of all its processes: more is no fault, but is ended */
	REPORT_MAX = 1 << 20,
};

struct run {
	int status;			/* as of waitpid() */
	bool interrupted, hung, too_large;
	long ms;
	char *out, *err;		/* what it wrote, at most REPORT_MAX bytes of each */
};

static struct {
	uint64_t seed, count;
	long seconds;
	bool show;
	const char *engines, *program;
	uint64_t passed, failed, refused, interrupted, large;
} fuzz = { .count = UINT64_MAX };

static void die(const char *what)
{
	fprintf(stderr, "fuzzjobs: %s: %s\n", what, strerror(errno));
	exit(2);
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- The directory of a case ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void put_file(const char *path, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || fchmod(fd, 0666))
		die(path);
	close(fd);
}

/* ./case with a job file, and some files that values name. */
static void make_case_dir(const struct gen *g)
{
	static const char log[] = "fio version 2 iolog\na add\na open\na read 0 4096\n"
				  "a write 8192 4096\na close\n";
	static char zeroes[65536];
	const char *job = strbuf_str(&g->file);

	if (nftw("case", remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
		die("case");
	if (mkdir("case", 0777) || chmod("case", 0777) || mkdir("case/sub", 0777) ||
	    chmod("case/sub", 0777))
		die("case");
	put_file("case/a", zeroes, sizeof(zeroes));
	put_file("case/log", log, strlen(log));
	if (*job)
		put_file("case/job.ini", job, strlen(job));
}

/* ---- Running ---- */

static void limit(int what, rlim_t most)
{
	struct rlimit l = { most, most };

	setrlimit(what, &l);
}

static void become_program(struct gen *g)
{
	char *argv[GEN_ARGS_MAX + 2] = { (char *)fuzz.program };
	int out, err, in = open("/dev/null", O_RDONLY);

	if (chdir("case"))
		_exit(126);
	setpgid(0, 0);
	setenv("HOME", "sub", 1);	/* values ask for it, and are paths at times */
	out = open("../out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	err = open("../err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	/* A disk is not to be filled, nor the table of processes. */
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_FSIZE, 64 << 20);
	limit(RLIMIT_CORE, 0);
	if (!geteuid()) {
		limit(RLIMIT_NPROC, 300);
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(126);
	}
	for (size_t i = 0; i < g->arg_count; i++)
		argv[i + 1] = g->args[i];
	execv(fuzz.program, argv);
	_exit(126);
}

/* MiB that the processes of a group have in memory. */
static long group_mib(pid_t group)
{
	char line[256];
	long pages, sum = 0;
	FILE *ps = popen("cat /proc/[0-9]*/stat 2>/dev/null", "r");

	while (ps && fgets(line, sizeof(line), ps)) {
		const char *at = strrchr(line, ')');
		int pgrp;

		if (at && sscanf(at, ") %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
				 "%*d %*d %*d %*d %*u %*u %ld", &pgrp, &pages) == 2 &&
		    pgrp == group)
			sum += pages / 256;
	}
	if (ps)
		pclose(ps);
	return sum;
}

static void wait_for_end(pid_t pid, struct run *r)
{
	long start = now_ms(), passed, looked = 0;
	int signals = 0;

	while (waitpid(pid, &r->status, WNOHANG) != pid) {
		usleep(2000);
		passed = now_ms() - start;
		if (passed > PATIENCE_MS + signals * MERCY_MS) {
			r->interrupted = true;
			r->hung = signals == 2;
			kill(signals < 2 ? pid : -pid, signals < 2 ? SIGINT : SIGKILL);
			signals += signals < 2;
		}
		if (passed - looked > 200) {
			looked = passed;
			if (group_mib(pid) > MEMORY_MAX) {
				r->too_large = true;
				kill(-pid, SIGKILL);
			}
		}
	}
	r->ms = now_ms() - start;
	kill(-pid, SIGKILL);
}

static char *slurp(const char *path)
{
	char *text = calloc(1, REPORT_MAX + 1);
	FILE *f = fopen(path, "r");

	if (f && fread(text, 1, REPORT_MAX, f) == 0)
		text[0] = '\0';
	if (f)
		fclose(f);
	return text;
}

static void run_case(struct gen *g, struct run *r)
{
	pid_t pid;

	memset(r, 0, sizeof(*r));
	make_case_dir(g);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		become_program(g);
	wait_for_end(pid, r);
	r->out = slurp("out");
	r->err = slurp("err");
}

/* ---- Judging ---- */

static const char *sanitizer_words[] = {
	"AddressSanitizer", "LeakSanitizer", "runtime error:", "ThreadSanitizer", "Assertion",
	"fl_assert",
};

static const char *told_by_sanitizer(const struct run *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(sanitizer_words); i++)
		if (strstr(r->err, sanitizer_words[i]))
			return sanitizer_words[i];
	return NULL;
}

/* Does the text hold this name, as a word of its own? */
static bool has_word(const char *from, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = from; (at = memmem(at, n - (size_t)(at - from), word, len)); at++) {
		char before = at > from ? at[-1] : ' ', behind = at + len < from + n ? at[len] : ' ';

		if (!isalnum((unsigned char)before) && before != '_' &&
		    !isalnum((unsigned char)behind) && behind != '_')
			return true;
	}
	return false;
}

/* A size may be told by its bytes: 4k as 4096, or as 4000 with kb_base=1000. */
static bool has_size(const char *from, size_t n, const char *value)
{
	static const int bases[] = { 1024, 1000 };
	struct parse_err err;
	bool odd = false;
	char text[32];
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		if (units_size(span_of(value), bases[i], &v, &odd, &err))
			return false;
		snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
		if (has_word(from, n, text))
			return true;
	}
	return false;
}

/* The text between two places names this setting, and its value if it has one. */
static bool names(const char *from, const char *to, const struct gen_setting *s)
{
	size_t n = (size_t)(to - from);
	const char *value = s->value;
	size_t value_len;

	if (!has_word(from, n, s->name))
		return false;
	while (value && *value && strchr(" \t\"'", *value))
		value++;
	value_len = value ? strcspn(value, " \t,:;#\"'\\\xff$") : 0;
	return !value_len || memmem(from, n, value, fl_min(value_len, (size_t)12)) ||
	       has_size(from, n, value);
}

/*
 * Every complaint of a refused run names an option of the case with its value: an error, which may
 * have the line it is about below it. Returns the first that does not, as a copy; NULL.
 */
static char *nameless_error(const struct gen *g, const char *err)
{
	for (const char *at = strstr(err, ": error: "); at; at = strstr(at + 1, ": error: ")) {
		const char *from = at, *to = strchr(at, '\n');
		const char *next = to ? strstr(to, ": error: ") : NULL;
		bool known = false;

		while (from > err && from[-1] != '\n')
			from--;
		/* To the end of the line below, unless that is a complaint of its own. */
		if (to && to[1] == ' ' && strchr(to + 1, '\n'))
			to = strchr(to + 1, '\n');
		to = to ? to : from + strlen(from);
		to = next && next < to ? next : to;
		for (size_t i = 0; i < g->setting_count && !known; i++)
			known = names(from, to, &g->settings[i]);
		for (size_t i = 0; i < g->arg_count && !known; i++)
			known = g->args[i][0] == '-' && memmem(from, (size_t)(to - from), g->args[i],
				       strlen(g->args[i])) != NULL;
		if (!known)
			return strndup(from, (size_t)(to - from));
	}
	return NULL;
}

static bool has_arg(const struct gen *g, const char *text)
{
	for (size_t i = 0; i < g->arg_count; i++)
		if (!strcmp(g->args[i], text))
			return true;
	return false;
}

/* One document, and nothing else, where the run went well and only JSON was asked for. */
static bool bad_document(const struct gen *g, const struct run *r)
{
	char command[PATH_MAX];

	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) || r->out[0] != '{' ||
	    strlen(r->out) == REPORT_MAX || !has_arg(g, "--output-format=json") ||
	    !getenv("TOOLS"))
		return false;
	for (size_t i = 0; i < g->arg_count; i++)
		if (!strncmp(g->args[i], "--status-int", 12) || !strncmp(g->args[i], "--output=", 9) ||
		    (!strncmp(g->args[i], "--output-format", 15) && g->args[i][15] == '=' &&
		     strcmp(g->args[i], "--output-format=json")) ||
		    !strcmp(g->args[i], "--minimal") || !strcmp(g->args[i], "--append-terse"))
			return false;
	snprintf(command, sizeof(command), "%s/jsonq out >json 2>&1", getenv("TOOLS"));
	return system(command) != 0;
}

/* What is wrong, in words into sb; "": nothing. */
static const char *judge(const struct gen *g, const struct run *r, struct strbuf *sb)
{
	const char *word = told_by_sanitizer(r);
	int code = WIFEXITED(r->status) ? WEXITSTATUS(r->status) : -1;
	char *nameless;

	strbuf_clear(sb);
	if (r->too_large)
		return strbuf_str(sb);
	if (r->hung)
		strbuf_puts(sb, "it hangs");
	else if (word)
		strbuf_printf(sb, "%s", word);
	else if (code < 0)
		strbuf_printf(sb, "killed by signal %d", WTERMSIG(r->status));
	else if (code == 126 || (code > 5 && !(r->interrupted && code == 128 + SIGINT)))
		strbuf_printf(sb, "exit status %d", code);
	else if (code == 1 && !*r->err && !*r->out)
		strbuf_puts(sb, "it fails without a word");
	else if (bad_document(g, r))
		strbuf_puts(sb, "its JSON is none");
	if (*strbuf_str(sb) || code != 1 || g->mutated)
		return strbuf_str(sb);
	nameless = nameless_error(g, r->err);
	if (nameless)
		strbuf_printf(sb, "a complaint without option and value: %s", nameless);
	free(nameless);
	return strbuf_str(sb);
}

/* ---- Telling ---- */

static void print_case(const struct gen *g)
{
	printf("  arguments:");
	for (size_t i = 0; i < g->arg_count; i++)
		printf(" '%s'", g->args[i]);
	printf("\n");
	if (*strbuf_str(&g->file))
		printf("  job.ini:\n%s\n", strbuf_str(&g->file));
}

static void print_tail(const char *what, const char *text)
{
	size_t n = strlen(text);

	printf("  %s:\n%s\n", what, n > 3000 ? text + n - 3000 : text);
}

static void one(uint64_t seed)
{
	struct strbuf sb = STRBUF_INIT;
	const char *wrong;
	struct gen g;
	struct run r;

	gen_make(&g, seed);
	if (fuzz.show) {
		printf("seed %llu\n", (unsigned long long)seed);
		print_case(&g);
	}
	run_case(&g, &r);
	wrong = judge(&g, &r, &sb);
	fuzz.large += r.too_large;
	fuzz.interrupted += r.interrupted && !r.too_large;
	fuzz.refused += WIFEXITED(r.status) && WEXITSTATUS(r.status) == 1;
	if (r.interrupted && !*wrong)
		printf("# seed %llu: ended by SIGINT after %ld ms\n", (unsigned long long)seed, r.ms);
	if (*wrong) {
		printf("not ok: seed %llu: %s\n", (unsigned long long)seed, wrong);
		print_case(&g);
		print_tail("stderr", r.err);
	}
	if (fuzz.show)
		printf("status %d after %ld ms\n%s%s", r.status, r.ms, r.err, r.out);
	fuzz.failed += *wrong != '\0';
	fuzz.passed += *wrong == '\0';
	fflush(stdout);
	free(r.out);
	free(r.err);
	strbuf_free(&sb);
	gen_free(&g);
}

static void take_engine(void *ctx, const char *name, const struct engine *e, const char *why)
{
	(void)ctx;
	(void)name;
	(void)why;
	if (e)
		gen_tables_add(e->ops.name, &e->opts);
}

static void read_arguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');

		value = value ? value + 1 : "";
		if (!strncmp(argv[i], "--seed=", 7))
			fuzz.seed = strtoull(value, NULL, 0);
		else if (!strncmp(argv[i], "--count=", 8))
			fuzz.count = strtoull(value, NULL, 0);
		else if (!strncmp(argv[i], "--seconds=", 10))
			fuzz.seconds = strtol(value, NULL, 0);
		else if (!strncmp(argv[i], "--engines=", 10))
			fuzz.engines = value;
		else if (!strcmp(argv[i], "--show"))
			fuzz.show = true;
		else
			fuzz.program = argv[i];
	}
	if (!fuzz.program || (fuzz.count == UINT64_MAX && !fuzz.seconds)) {
		fprintf(stderr, "usage: fuzzjobs [--seed=N] [--count=N] [--seconds=N] [--show] "
			"[--engines=DIR] PROGRAM\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	const struct opt_table *const *tables;
	long start = now_ms();
	size_t n;

	read_arguments(argc, argv);
	tables = job_tables(&n);
	for (size_t i = 0; i < n; i++)
		gen_tables_add(NULL, tables[i]);
	unsetenv("FIO_LIKE_ENGINE_PATH");
	if (fuzz.engines)
		engines_add_path(fuzz.engines);
	engines_each(take_engine, NULL);
	printf("# seeds from %llu on\n", (unsigned long long)fuzz.seed);
	fflush(stdout);
	for (uint64_t k = 0; k < fuzz.count; k++) {
		if (fuzz.seconds && now_ms() - start > fuzz.seconds * 1000)
			break;
		one(fuzz.seed + k);
	}
	printf("# %llu refused or failed, %llu ended by SIGINT, %llu ended for their size\n",
	       (unsigned long long)fuzz.refused, (unsigned long long)fuzz.interrupted,
	       (unsigned long long)fuzz.large);
	printf("%llu passed, %llu failed\n", (unsigned long long)fuzz.passed,
	       (unsigned long long)fuzz.failed);
	return fuzz.failed > 0;
}
