/* SPDX-License-Identifier: MIT */
/*
 * Makes job files and command lines out of the rows of all options, for t/tools/fuzzjobs.c: real
 * options of all kinds together, with values that suit them, that almost do, or that are noise. The
 * same seed gives the same case as long as the rows stay as they are.
 *
 * What is made is run, so it stays in its directory: no absolute path and no ".." comes out of it.
 */
#ifndef T_JOBGEN_H
#define T_JOBGEN_H

#include "core/engines.h"
#include "core/job.h"
#include "lib/rand.h"
#include "lib/strbuf.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { GEN_ARGS_MAX = 64, GEN_SETTINGS_MAX = 128, GEN_TABLES_MAX = 256, GEN_SECTIONS_MAX = 3 };

struct gen_setting {
	char *name, *value;		/* value NULL: bare */
};

/* One case. */
struct gen {
	struct rand r;
	char *args[GEN_ARGS_MAX];	/* behind the name of the program */
	size_t arg_count;
	struct strbuf file;		/* job.ini; empty: there is none */
	struct gen_setting settings[GEN_SETTINGS_MAX];
	size_t setting_count;
	bool noisy;			/* they are to be, often */
	bool mutated;			/* bytes were changed at random */
};

static const struct opt_table *gen_tables[GEN_TABLES_MAX];
static const char *gen_engine_names[GEN_TABLES_MAX];	/* NULL: the runner's own */
static size_t gen_table_count;

/* ---- Dice ---- */

static uint64_t gen_below(struct gen *g, uint64_t n)
{
	return rand_below(&g->r, n);
}

static bool gen_chance(struct gen *g, unsigned percent)
{
	return gen_below(g, 100) < percent;
}

#define GEN_PICK(g, list)	((list)[gen_below(g, ARRAY_SIZE(list))])

/* ---- Values ---- */

/* Of options whose text has a form of its own. */
static const struct {
	const char *name;
	const char *values[12];
} gen_texts[] = {
	{ "bssplit", { "4k/50:8k/50", "4k/10:16k/", "4k:8k", "512/100", "4k/60:8k/60", "4k/50,8k/",
		       "/", "4k//2" } },
	{ "buffer_pattern", { "0xdeadface", "\"abcd\"", "\"a\"-12", "%o", "'log'", "0x", "\"",
			      "0xabc%o\"x\"" } },
	{ "verify_pattern", { "0xff", "%o", "\"ab\"%o", "0xdead", "-1", "''", "99999999999" } },
	{ "cpus_allowed", { "0", "0-1", "0,1", "1-0", "9999", "0-", ",", "a" } },
	{ "verify_async_cpus", { "0", "0-1", "77", "0-0" } },
	{ "log_compression_cpus", { "0", "1", "0-5" } },
	{ "cpumask", { "1", "3", "0", "0x3", "-1" } },
	{ "ignore_error", { "EIO", "ENOSPC:EAGAIN,EIO", ",EINTR", "5", "EBLA", "0", "EIO,,,EIO" } },
	{ "iodepth_batch", { "0", "1", "4", "all", "al", "-1" } },
	{ "max_latency", { "1s", "10ms", "1", "1s,2s,3s", "0" } },
	{ "mem", { "malloc", "mmap", "mmap:a", "shm", "mmaphuge", "mmapshared:b", "shmhuge" } },
	{ "numa_cpu_nodes", { "0", "all", "0-1", "7" } },
	{ "numa_mem_policy", { "local", "bind:0", "prefer:0", "interleave:0", "bind:", "prefer" } },
	{ "percentage_random", { "0", "50", "100", "10,20", "101" } },
	{ "percentile_list", { "50", "1:99.9", "99.99:50", "0:100", "101", "x" } },
	{ "random_distribution", { "random", "zipf:1.2", "zipf:0.5:0.3", "pareto:0.2", "normal:30",
				   "zoned:50/10:50/90", "zoned_abs:60/16k:40/48k", "sequence:0,3,1",
				   "zipf:", "zoned:50/50:60/60", "pareto:2", "sequence:" } },
	{ "file_service_type", { "random", "roundrobin:3", "sequential", "zipf:1.1", "pareto:0.3",
				 "normal:10", "gauss", "zipf:x" } },
	{ "rw", { "read", "write", "randread", "randwrite", "rw", "randrw", "trim", "randtrim",
		  "trimwrite", "randread:4", "write:8k", "rw:-4k" } },
	{ "sync_file_range", { "write:4", "wait_before,write:2", "write", "all:1" } },
	{ "verify", { "md5", "crc32c", "meta", "pattern", "null", "sha512", "xxhash", "none",
		      "crc64" } },
	{ "merge_blktrace_scalars", { "100", "50:200", "0" } },
	{ "merge_blktrace_iters", { "1", "2:3", "0" } },
	{ "replay_align", { "4k", "512", "3" } },
	{ "replay_skip", { "read", "write,trim", "sync", "x" } },
	{ "read_iolog", { "log", "log:log", "-", "none", "a" } },
	{ "expect", { "cpu>1", "runtime<9s", "trust=ok", "errors=0", "runtime>1s; ctx<9",
		      "read.iops>1" } },
	{ "rate", { "100m", "10m,20m", "1m" } },
	{ "rate_iops", { "10000", "1000,2000", "5000" } },
	{ "rate_min", { "1k", "100" } },
	{ "rate_iops_min", { "1", "10" } },
	{ "wait_for", { "j1", "j1", "j0", "none" } },
	{ "job_start_clock_id", { "0", "1", "7" } },
	{ "log_alternate_epoch_clock_id", { "0", "1", "4" } },
	{ "steadystate", { "iops:10%", "bw_slope:1", "lat:5%", "iops_slope:0.01%", "x:1", "iops" } },
	{ "sprandom", { "0", "1" } },
	{ "runtime", { "100ms", "50ms", "200ms", "0", "1ms" } },
	{ "ramp_time", { "10ms", "50ms", "0" } },
	{ "startdelay", { "10ms", "1ms-20ms", "0", "20ms-1ms" } },
	{ "thinktime", { "1", "100", "1ms", "0", "10ms" } },
	{ "thinkcycles", { "0", "1", "1000", "1000000" } },
	{ "null_hang_one_in", { "0" } },
	{ "null_delay", { "1us", "100us", "1ms", "0" } },
	{ "null_slow", { "100us", "1ms", "0" } },
	{ "null_stall", { "1ms", "10ms", "0" } },
	{ "null_stall_every", { "5ms", "100ms", "0" } },
	{ "numjobs", { "1", "2", "3", "0", "-1", "65537" } },
	{ "size", { "4k", "64k", "100k", "1m", "256k", "12345", "4m" } },
	{ "io_size", { "4k", "64k", "1m", "50%", "12345", "200%" } },
	{ "filesize", { "4k", "8k-64k", "100", "1m" } },
	{ "bs", { "4k", "512", "1k,2k", "64k", "2k", "8k,,4k", "4k-8k", "1k", "64k" } },
	{ "nrfiles", { "1", "2", "8", "100", "0" } },
	{ "loops", { "1", "2", "5", "0" } },
	{ "iodepth", { "1", "2", "8", "64", "0", "65537", "3" } },
	{ "lockmem", { "4k", "64k" } },
	{ "filename", { "a", "b", "a:b", "sub/c", "a\\:b", "c d", "$jobname" } },
	{ "opendir", { ".", "sub", "none" } },
	{ "directory", { ".", "sub", ".:sub", "none" } },
	{ "name", { "other", "with space", "a/b", "\xc3\xa4", "x;y" } },
	{ "dedupe_percentage", { "0", "50", "100" } },
	{ "buffer_compress_percentage", { "0", "50", "100" } },
	{ "ioengine", { "null", "psync", "sync" } },
	{ "uid", { "0", "65534", "nobody", "-1" } },
	{ "gid", { "0", "nogroup", "x" } },
	{ "zonesize", { "16k", "64k", "4k", "0" } },
	{ "zonerange", { "16k", "64k", "128k" } },
	{ "zoneskip", { "0", "16k", "64k" } },
};

static const char *const gen_sizes[] = {
	"0", "1", "512", "4k", "4096", "8k", "64k", "1m", "3k", "1000kib", "4KB", "1g", "16e", "-4k",
	"4k-8k", "5%", "2*4k", "(1+1)k", "4kx", "0x1000",
};
static const char *const gen_times[] = {
	"0", "1us", "10us", "1ms", "5ms", "10ms", "20ms", "100", "1", "0.01s", "1x", "-1", "36501d",
	"500ns", "1h30m",
};
static const char *const gen_counts[] = {
	"0", "1", "2", "3", "4", "7", "8", "10", "16", "64", "100", "-1", "1k", "0x10", "1e3", "5%",
	"1", "2", "4294967296", "18446744073709551616", "1,2", "three",
};
static const char *const gen_bools[] = { "0", "1", "1", "0", "true", "2", "-1", "yes", "" };
static const char *const gen_doubles[] = { "0", "0.5", "1.0", "99.9", "-1", "1e400", "nan", "1,5" };
static const char *const gen_words[] = {
	"a", "b", "sub", "x:y", "log", "none", "1", "0", "", "%", "$jobname", "${HOME:-h}", "\"q\"",
	"long-long-long-long-long-long-long-long-long-long-long-long-long-name", "\xff\xfe", "a,b",
};

static const char *gen_own_text(struct gen *g, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(gen_texts); i++) {
		size_t n = 0;

		if (strcmp(gen_texts[i].name, name))
			continue;
		while (n < ARRAY_SIZE(gen_texts[i].values) && gen_texts[i].values[n])
			n++;
		return gen_texts[i].values[gen_below(g, n)];
	}
	return NULL;
}

static bool gen_by_bounds(struct gen *g, const struct fl_opt *row, struct strbuf *out)
{
	struct { uint64_t v; } edges[] = { { row->min }, { row->max }, { row->max + 1 },
					   { row->min - 1 } };

	if (!(row->min || row->max) || row->max > 1000 || !gen_chance(g, 60))
		return false;
	if (gen_chance(g, 60))
		strbuf_printf(out, "%lld", (long long)(row->min +
			      gen_below(g, row->max - row->min + 1)));
	else
		strbuf_printf(out, "%lld", (long long)GEN_PICK(g, edges).v);
	return true;
}

static const char *gen_word_of(struct gen *g, const struct fl_opt_value *v)
{
	size_t n = 0;

	while (v[n].name)
		n++;
	return v[gen_below(g, n)].name;
}

/* A text for the option of a row; false: bare. */
static bool gen_value(struct gen *g, const struct fl_opt *row, struct strbuf *out)
{
	const char *own = gen_own_text(g, row->name);

	if (opt_bare(row) && gen_chance(g, 60))
		return false;
	if (own) {
		strbuf_puts(out, own);
		return true;
	}
	if (row->values && gen_chance(g, 90)) {
		strbuf_puts(out, gen_word_of(g, row->values));
		return true;
	}
	switch (row->type) {
	case FL_OPT_BOOL:
	case FL_OPT_FLAG:
	case OPT_NO_EFFECT:
		strbuf_puts(out, GEN_PICK(g, gen_bools));
		break;
	case FL_OPT_U32:
	case FL_OPT_U64:
	case FL_OPT_I64:
		if (!gen_by_bounds(g, row, out))
			strbuf_puts(out, GEN_PICK(g, gen_counts));
		break;
	case FL_OPT_DOUBLE:
		strbuf_puts(out, GEN_PICK(g, gen_doubles));
		break;
	case FL_OPT_TIME:
	case OPT_RANGE_TIME:
		strbuf_puts(out, GEN_PICK(g, gen_times));
		break;
	case FL_OPT_SIZE:
	case OPT_AMOUNT:
	case OPT_RANGE_SIZE:
		strbuf_puts(out, GEN_PICK(g, gen_sizes));
		break;
	case OPT_SIZE_DIRS:
	case OPT_RANGE_DIRS:
		strbuf_puts(out, GEN_PICK(g, gen_sizes));
		if (row->type == OPT_RANGE_DIRS)
			strbuf_printf(out, "-%s", GEN_PICK(g, gen_sizes));
		if (gen_chance(g, 30))
			strbuf_printf(out, ",%s", GEN_PICK(g, gen_sizes));
		break;
	default:
		strbuf_puts(out, GEN_PICK(g, gen_words));
	}
	return true;
}

/* Would the option take this? Most jobs are to get further than to their first line. */
static bool gen_suits(const struct fl_opt *row, const char *text)
{
	static _Alignas(16) char conf[1 << 20];
	const struct opt_units units = { .kb_base = 1024 };
	char why[512];

	fl_assert(row->offset < sizeof(conf) / 2);
	memset(conf, 0, sizeof(conf) / 2 + 4096);
	return opt_set(row, conf, text, &units, why, sizeof(why)) >= 0;
}

/* ---- Noise ---- */

static char gen_byte(struct gen *g)
{
	static const char likely[] = "0123456789kmgt%:,-.=;#'\"\\ ${}()[]*+e_ax\t";

	return gen_chance(g, 90) ? likely[gen_below(g, sizeof(likely) - 1)] :
				   (char)(1 + gen_below(g, 255));
}

/* A few bytes of a text are others, more or fewer. */
static void gen_mutate(struct gen *g, struct strbuf *sb)
{
	size_t len = strlen(strbuf_str(sb)), times = 1 + gen_below(g, 3);
	struct strbuf out = STRBUF_INIT;
	const char *from = strbuf_str(sb);

	for (size_t i = 0; i <= len; i++) {
		bool here = times && gen_below(g, len + 1) < times;
		uint64_t what = here ? gen_below(g, 4) : 4;

		if (here)
			times--;
		if (what == 0 || what == 3)
			strbuf_putc(&out, gen_byte(g));
		if (i < len && what != 0 && what != 1)
			strbuf_putc(&out, from[i]);
		if (what == 2 && i < len)
			strbuf_putc(&out, from[i]);
	}
	strbuf_clear(sb);
	strbuf_puts(sb, strbuf_str(&out));
	strbuf_free(&out);
	g->mutated = true;
}

/*
 * Keeps a text in its directory: a '/' stays only behind a digit (bssplit=4k/50) or a letter that
 * is in the middle of a word, and no two dots follow each other.
 */
static void gen_tame(char *text)
{
	for (char *at = text; *at; at++) {
		if (*at == '/' && (at == text || !isalnum((unsigned char)at[-1])))
			*at = '_';
		if (*at == '.' && at[1] == '.')
			*at = '_';
	}
}

/* ---- Settings ---- */

static bool gen_banned(const char *name)
{
	static const char *const names[] = {
		/* They would run commands, or take the machine's memory. */
		"exec_prerun", "exec_postrun", "hugepage-size",
		/* Whole devices. */
		"allow_destroy", "ioscheduler", "memory_limit",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* A row for engine `engine`: mostly the runner's, at times the engine's, rarely of another. */
static void gen_row(struct gen *g, const char *engine, struct fl_opt *row)
{
	for (;;) {
		size_t t = gen_below(g, gen_table_count);
		const char *of = gen_engine_names[t];

		if (!gen_tables[t]->count)
			continue;
		if (of && strcmp(of, engine) && gen_below(g, 150))
			continue;
		opt_row(gen_tables[t], gen_below(g, gen_tables[t]->count), row);
		if (!gen_banned(row->name))
			return;
	}
}

static void gen_remember(struct gen *g, const char *name, const char *value)
{
	if (g->setting_count == GEN_SETTINGS_MAX)
		return;
	g->settings[g->setting_count].name = strdup(name);
	g->settings[g->setting_count].value = value ? strdup(value) : NULL;
	g->setting_count++;
}

/* "name=value" or "name" into out; a line of a file, or an argument without its dashes. */
static void gen_setting(struct gen *g, const char *engine, struct strbuf *out)
{
	struct strbuf value = STRBUF_INIT;
	struct fl_opt row;
	const char *name;
	char *text;
	bool has;

	gen_row(g, engine, &row);
	name = row.alias && gen_chance(g, 20) ? row.alias : row.name;
	has = gen_value(g, &row, &value);
	for (int again = gen_chance(g, 95) ? 8 : 0; again; again--) {
		if (gen_suits(&row, has ? strbuf_str(&value) : NULL))
			break;
		strbuf_clear(&value);
		has = gen_value(g, &row, &value);
	}
	if (has && gen_chance(g, g->noisy ? 30 : 3))
		gen_mutate(g, &value);
	text = strbuf_steal(&value);
	gen_tame(text);
	gen_remember(g, name, has ? text : NULL);
	strbuf_clear(out);
	strbuf_printf(out, "%s%s%s", name, has ? "=" : "", has ? text : "");
	free(text);
}

static const char *gen_engine(struct gen *g)
{
	static const char *const names[] = {
		"null", "null", "null", "null", "null", "psync", "sync", "pvsync2", "mmap", "stdio",
		"io_uring", "libaio", "libpmem", "copy", "vsync",
	};

	return GEN_PICK(g, names);
}

/* ---- Files and command lines ---- */

static void gen_fixed(struct gen *g, struct strbuf *file, const char *name, const char *value)
{
	strbuf_printf(file, "%s=%s\n", name, value);
	gen_remember(g, name, value);
}

static void gen_file(struct gen *g)
{
	size_t sections = 1 + gen_below(g, GEN_SECTIONS_MAX);
	const char *engine = gen_engine(g);
	struct strbuf line = STRBUF_INIT;

	strbuf_puts(&g->file, "[global]\n");
	gen_fixed(g, &g->file, "ioengine", engine);
	gen_fixed(g, &g->file, "size", gen_own_text(g, "size"));
	gen_fixed(g, &g->file, "runtime", "100ms");
	for (size_t s = 0; s <= sections; s++) {
		size_t n = gen_below(g, 7);

		if (s)
			strbuf_printf(&g->file, "%s[j%zu]\n", gen_chance(g, 10) ? "; x\n\n" : "", s);
		if (s && gen_chance(g, 20)) {
			engine = gen_engine(g);
			gen_fixed(g, &g->file, "ioengine", engine);
		}
		for (size_t i = 0; i < n; i++) {
			gen_setting(g, engine, &line);
			strbuf_printf(&g->file, "%s\n", strbuf_str(&line));
		}
	}
	strbuf_free(&line);
	if (gen_chance(g, g->noisy ? 70 : 6)) {
		char *text;

		gen_mutate(g, &g->file);
		text = strbuf_steal(&g->file);
		gen_tame(text);
		strbuf_puts(&g->file, text);
		free(text);
	}
}

static void gen_arg(struct gen *g, const char *text)
{
	if (g->arg_count + 1 < GEN_ARGS_MAX)
		g->args[g->arg_count++] = strdup(text);
}

static void gen_option_arg(struct gen *g, const char *engine)
{
	struct strbuf setting = STRBUF_INIT, arg = STRBUF_INIT;

	gen_setting(g, engine, &setting);
	strbuf_printf(&arg, "--%s", strbuf_str(&setting));
	gen_arg(g, strbuf_str(&arg));
	strbuf_free(&setting);
	strbuf_free(&arg);
}

static void gen_command(struct gen *g)
{
	size_t jobs = 1 + gen_below(g, 2);
	const char *engine = gen_engine(g);
	struct strbuf arg = STRBUF_INIT;

	strbuf_printf(&arg, "--ioengine=%s", engine);
	gen_arg(g, strbuf_str(&arg));
	gen_remember(g, "ioengine", engine);
	gen_arg(g, "--size=64k");
	gen_remember(g, "size", "64k");
	gen_arg(g, "--runtime=100ms");
	gen_remember(g, "runtime", "100ms");
	for (size_t j = 0; j < jobs; j++) {
		strbuf_clear(&arg);
		strbuf_printf(&arg, "--name=j%zu", j);
		gen_arg(g, strbuf_str(&arg));
		for (size_t i = gen_below(g, 8); i > 0; i--)
			gen_option_arg(g, engine);
	}
	strbuf_free(&arg);
}

static void gen_flags(struct gen *g)
{
	static const char *const flags[] = {
		"--output-format=json", "--output-format=json+", "--output-format=terse",
		"--output-format=jsonl", "--output-format=normal,json", "--minimal",
		"--terse-version=3", "--confidence", "--slowest=5", "--section=j1", "--explain",
		"--explain=all", "--parse-only", "--showcmd", "--warnings-fatal", "--strict",
		"--eta=always", "--status-interval=20ms", "--env=none", "--env=full",
		"--env-redact", "--debug=all", "--bandwidth-log", "--append-terse",
		"--metrics-file=metrics", "--junit=junit.xml", "--output=result",
		"--eta-newline=1",
	};
	static const char *const odd[] = {
		"--output-format=xml", "--terse-version=9", "--slowest=99", "--section=nope",
		"--readonly", "--eta=x", "--debug=foo", "--no-such-flag", "--status-interval=x",
		"--cmdhelp=bs", "--idle-prof=system", "--enghelp=null", "--enghelp=nope",
	};

	for (size_t i = gen_below(g, 3); i > 0; i--)
		gen_arg(g, GEN_PICK(g, flags));
	if (gen_chance(g, 4))
		gen_arg(g, GEN_PICK(g, odd));
}

/* gen_tables_add - rows to choose from; engine NULL: the runner's. */
static void gen_tables_add(const char *engine, const struct opt_table *t)
{
	fl_assert(gen_table_count < GEN_TABLES_MAX);
	gen_engine_names[gen_table_count] = engine;
	gen_tables[gen_table_count++] = t;
}

/* gen_make - the case of a seed. gen_free() */
static void gen_make(struct gen *g, uint64_t seed)
{
	memset(g, 0, sizeof(*g));
	rand_seed(&g->r, seed, 0);
	g->noisy = seed % 8 == 7;
	gen_arg(g, "--no-exec");
	gen_flags(g);
	if (gen_chance(g, 70)) {
		gen_file(g);
		if (gen_chance(g, 15))
			gen_option_arg(g, "null");
		gen_arg(g, "job.ini");
	} else {
		gen_command(g);
	}
}

static void gen_free(struct gen *g)
{
	for (size_t i = 0; i < g->arg_count; i++)
		free(g->args[i]);
	for (size_t i = 0; i < g->setting_count; i++) {
		free(g->settings[i].name);
		free(g->settings[i].value);
	}
	strbuf_free(&g->file);
}

#endif
