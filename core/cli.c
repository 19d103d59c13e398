/* SPDX-License-Identifier: MIT */
/*
 * One pass over the arguments, then the job files. A name is looked up as it stands first (flags
 * of the run, options of the job, names that only fio knows), and as the beginning of one of our
 * names after that. Files are opened only when the arguments are all right: a word that belongs to
 * a mistyped option looks like a job file, and a complaint about it would only distract.
 */
#include "core/cli.h"

#include "core/engines.h"
#include "core/environ.h"
#include "core/owners.h"
#include "lib/grow.h"
#include "lib/nearest.h"
#include "lib/strbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POSSIBLE_MAX	8	/* names shown when one is ambiguous */
#define PREFIX_MIN	3	/* letters of a name cut short; fewer are a typing error */
#define NAME_BYTES	128

struct parse {
	struct cli *cli;
	const struct cli_rows *rows;
	struct diag *diag;
	char **argv;
	int argc;
	int next;			/* index of the next argument */
	struct settings defaults;
	bool in_job;			/* settings go to the last section, not to the defaults */
	const char *engine;		/* named last, for the job or the defaults; NULL: none */
	const char *default_engine;
	struct origin engine_at;
	const char **files;		/* job files, in order */
	size_t file_count;
};

enum match_kind {
	MATCH_NONE,
	MATCH_FLAG,		/* of the run */
	MATCH_ROW,		/* of a job */
	MATCH_NO_EFFECT,	/* of a job, an obsolete one: takes a value */
	MATCH_REFUSED,		/* of fio's */
	MATCH_AMBIGUOUS,
};

struct match {
	enum match_kind kind;
	const struct cli_flag *flag;
	struct fl_opt row;
	const char *name;		/* in full */
	enum fioname_value value;
	const char *why;		/* MATCH_REFUSED: the reason, or NULL */
};

/* One argument taken apart. */
struct arg {
	const char *text;	/* as typed */
	char name[NAME_BYTES];	/* without dashes and value */
	const char *value;	/* behind '=', or NULL */
	bool one_dash;
	struct origin at;	/* with text "--name=value" */
};

/* ---- Looking names up ---- */

static enum fioname_value row_value(const struct fl_opt *row)
{
	return opt_bare(row) ? FIONAME_MAYBE : FIONAME_VALUE;
}

static bool find_row(const struct parse *p, const char *name, struct match *m)
{
	if (p->rows->find(p->rows->ctx, name, p->engine, &m->row))
		return false;
	m->kind = MATCH_ROW;
	m->name = name;
	m->value = row_value(&m->row);
	return true;
}

static void match_flag(const struct cli_flag *flag, struct match *m)
{
	*m = (struct match){
		.kind = MATCH_FLAG, .flag = flag, .name = flag->name, .value = flag->value,
	};
}

static void match_refused(const struct fioname_flag *flag, struct match *m)
{
	*m = (struct match){
		.kind = MATCH_REFUSED, .name = flag->name, .value = flag->value, .why = flag->why,
	};
}

static bool find_exact(const struct parse *p, const char *name, struct match *m)
{
	const struct cli_flag *flag = cli_flag_by_name(name);
	const struct fioname_flag *theirs;
	const char *why;

	if (flag) {
		match_flag(flag, m);
		return true;
	}
	if (!strcmp(name, "name")) {
		*m = (struct match){ .kind = MATCH_ROW, .name = name, .value = FIONAME_VALUE };
		return true;
	}
	if (find_row(p, name, m))
		return true;
	for (size_t i = 0; (theirs = fionames_flag(i)); i++) {
		if (opt_same_name(name, theirs->name)) {
			match_refused(theirs, m);
			return true;
		}
	}
	if (fionames_no_effect(name, &why)) {
		*m = (struct match){ MATCH_NO_EFFECT, .name = name, .value = FIONAME_VALUE };
		return true;
	}
	return false;
}

static bool begins_with(const char *name, const char *prefix)
{
	for (; *prefix; name++, prefix++)
		if ((*name == '-' ? '_' : *name) != (*prefix == '-' ? '_' : *prefix))
			return false;
	return true;
}

struct prefix_search {
	struct match *best;
	struct {
		const char *proper;		/* the same for bs and blocksize */
		const char *shown;
	} found[POSSIBLE_MAX + 1];		/* different things that begin so */
	size_t count;
};

static void prefix_add(struct prefix_search *s, const struct match *m)
{
	const char *proper = m->kind == MATCH_ROW ? m->row.name : m->name;

	for (size_t i = 0; i < s->count; i++)
		if (opt_same_name(s->found[i].proper, proper))
			return;
	if (s->count == 0)
		*s->best = *m;
	if (s->count == ARRAY_SIZE(s->found))
		return;
	s->found[s->count].proper = proper;
	s->found[s->count++].shown = m->name;
}

static void refuse_ambiguous(struct parse *p, const struct arg *a, const struct prefix_search *s)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < fl_min(s->count, (size_t)POSSIBLE_MAX); i++)
		strbuf_printf(&sb, "%s--%s", i ? ", " : "", s->found[i].shown);
	diag_error(p->diag, &a->at, "'%s' is the beginning of several options: %s%s", a->name,
		   strbuf_str(&sb), s->count > POSSIBLE_MAX ? ", ..." : "");
	strbuf_free(&sb);
}

/*
 * Fills *m by the one name of ours that begins with prefix; MATCH_AMBIGUOUS after a complaint. What
 * only fio has stands back: it could not be meant by anybody who was told what there is.
 */
static void find_prefix(struct parse *p, const struct arg *a, struct match *m)
{
	struct prefix_search s = { .best = m };
	const struct cli_flag *flag;
	const char *name;
	struct match found;

	if (strlen(a->name) < PREFIX_MIN || diag_full(p->diag))
		return;
	for (size_t i = 0; (flag = cli_flag_at(i)); i++) {
		match_flag(flag, &found);
		if (begins_with(flag->name, a->name))
			prefix_add(&s, &found);
	}
	for (size_t i = 0; (name = p->rows->name(p->rows->ctx, p->engine, i)); i++) {
		found = (struct match){ .kind = MATCH_NONE };
		if (begins_with(name, a->name) && find_row(p, name, &found))
			prefix_add(&s, &found);
	}
	if (s.count > 1) {
		m->kind = MATCH_AMBIGUOUS;
		refuse_ambiguous(p, a, &s);
	}
}

/* ---- Names nobody knows ---- */

static const char *known_name(void *ctx, size_t i)
{
	const struct parse *p = ctx;
	size_t flags = 0;

	while (cli_flag_at(flags))
		flags++;
	return i < flags ? cli_flag_at(i)->name :
	       p->rows->name(p->rows->ctx, p->engine, i - flags);
}

static const char *nearest_known(struct parse *p, const char *name)
{
	size_t n = 0;

	while (known_name(p, n))
		n++;
	return nearest_name(name, known_name, n, p);
}

/* An --ioengine further right whose option this is; NULL if there is none. */
static const char *later_engine(const struct parse *p, const char *name)
{
	struct fl_opt row;

	for (int i = p->next; i < p->argc; i++) {
		const char *arg = p->argv[i], *engine = NULL;

		fl_assert(arg);
		arg += strspn(arg, "-");
		if (!strncmp(arg, "ioengine=", strlen("ioengine=")))
			engine = arg + strlen("ioengine=");
		else if (arg != p->argv[i] && !strcmp(arg, "ioengine") && i + 1 < p->argc)
			engine = p->argv[i + 1];
		if (engine && !p->rows->find(p->rows->ctx, name, engine, &row))
			return engine;
	}
	return NULL;
}

static void refuse_unknown(struct parse *p, const struct arg *a)
{
	const struct engine *e;
	const char *engine;
	char why[512];

	if (diag_full(p->diag)) {
		diag_error(p->diag, &a->at, "there is no option '%s'", a->name);
		return;
	}
	engine = later_engine(p, a->name);
	if (engine) {
		diag_error(p->diag, &a->at, "this is an option of the engine '%s': --ioengine=%s "
			   "must stand before it", engine, engine);
		return;
	}
	/* An engine that cannot be loaded is the cause, its options are only what shows it. */
	if (p->engine && engines_find(p->engine, &e, why, sizeof(why))) {
		diag_error(p->diag, &p->engine_at, "%s", why);
		return;
	}
	if (!owners_explain(a->name, p->engine, why, sizeof(why)))
		fionames_explain(a->name, nearest_known(p, a->name), why, sizeof(why));
	diag_error(p->diag, &a->at, "%s", why);
}

/* ---- Settings ---- */

static struct settings *current(struct parse *p)
{
	struct spec *spec = p->cli->spec;

	return p->in_job ? &spec->sections[spec->count - 1].own : &p->defaults;
}

/* --name=JOB begins a job, --name=global leads back to the defaults. */
static void begin_job(struct parse *p, const char *name, const struct origin *at)
{
	struct section *job;

	p->engine = p->default_engine;
	p->in_job = strcmp(name, "global") != 0;
	if (!p->in_job)
		return;
	if (!*name) {
		diag_error(p->diag, at, "the job needs a name");
		name = "?";	/* enough to look at its options */
	}
	job = spec_add_section(p->cli->spec, name, at, 0);
	settings_append(&job->global, &p->defaults);
	settings_add(&job->own, "name", name, at);
}

static void add_setting(struct parse *p, const struct match *m, const char *value,
			const struct origin *at)
{
	if (opt_same_name(m->name, "name")) {
		begin_job(p, value, at);
		return;
	}
	settings_add(current(p), m->name, value, at);
	if (!opt_same_name(m->name, "ioengine") || !value)
		return;
	p->engine = value;
	p->engine_at = *at;
	if (!p->in_job)
		p->default_engine = value;
}

/* The value with ${VAR} and keywords replaced; NULL after a complaint. */
static const char *expand(struct parse *p, const char *value, const struct origin *at)
{
	struct strbuf sb = STRBUF_INIT;
	struct parse_err err;
	const char *text = NULL;

	if (subst_value(span_of(value), environ_subst(), &sb, &err) < 0)
		diag_error(p->diag, at, "%s", err.text);
	else
		text = arena_strdup(&p->cli->spec->arena, strbuf_str(&sb));
	strbuf_free(&sb);
	return text;
}

/* ---- Arguments ---- */

/* Takes the next argument as the value of this one. Returns false after a complaint. */
static bool take_next(struct parse *p, struct arg *a, const struct match *m)
{
	struct strbuf sb = STRBUF_INIT;

	if (p->next == p->argc) {
		diag_error(p->diag, &a->at, "a value is missing%s%s", m->kind == MATCH_ROW &&
			   m->row.type ? ": expected is " : "", m->kind == MATCH_ROW &&
			   m->row.type ? opt_type_name(&m->row) : "");
		return false;
	}
	a->value = p->argv[p->next++];
	strbuf_printf(&sb, "--%s=%s", a->name, a->value);
	a->at.text = arena_strdup(&p->cli->spec->arena, strbuf_str(&sb));
	strbuf_free(&sb);
	return true;
}

/*
 * --cmdhelp bs: these end the program, so a word behind them can only be meant for them.
 * --write_bw_log x: fio always takes the next word.
 */
static bool takes_word(const struct parse *p, const struct match *m)
{
	return ((m->kind == MATCH_FLAG && m->flag->value == FIONAME_WORD) ||
		(m->kind == MATCH_ROW && m->row.type == OPT_STR_BARE)) &&
	       p->next < p->argc && p->argv[p->next][0] != '-';
}

/* A flag that takes no value may say so: --readonly=1 is --readonly, --readonly=0 is nothing. */
static void apply_switch(struct parse *p, struct arg *a, const struct match *m)
{
	if (!strcmp(a->value, "1"))
		m->flag->apply(&p->cli->flags, NULL, &a->at, p->diag);
	else if (strcmp(a->value, "0"))
		diag_error(p->diag, &a->at, "--%s takes no value but 0 or 1", m->name);
}

static void apply(struct parse *p, struct arg *a, const struct match *m)
{
	const char *value;

	if (!a->value && (m->value == FIONAME_VALUE || takes_word(p, m)) && !take_next(p, a, m))
		return;
	if (a->value && m->value == FIONAME_ALONE && m->kind == MATCH_FLAG) {
		apply_switch(p, a, m);
		return;
	}
	if (m->kind == MATCH_REFUSED) {
		diag_error(p->diag, &a->at, "fio option '--%s' is not supported by fio-like%s%s",
			   m->name, m->why ? ": " : " yet", m->why ? m->why : "");
		return;
	}
	value = a->value ? expand(p, a->value, &a->at) : NULL;
	if (a->value && !value)
		return;
	if (m->kind == MATCH_FLAG)
		m->flag->apply(&p->cli->flags, value, &a->at, p->diag);
	else
		add_setting(p, m, value, &a->at);
}

/* -o FILE, -oFILE, -rP. Returns false if the letters are not all short flags. */
static bool read_letters(struct parse *p, struct arg *a)
{
	const char *letters = a->text + 1;
	struct match m;

	for (size_t i = 0; letters[i]; i++) {
		const struct cli_flag *flag = cli_flag_by_letter(letters[i]);

		if (!flag)
			return false;
		if (flag->value == FIONAME_VALUE)
			break;
	}
	for (size_t i = 0; letters[i]; i++) {
		match_flag(cli_flag_by_letter(letters[i]), &m);
		snprintf(a->name, sizeof(a->name), "%s", m.name);
		a->value = NULL;
		if (m.value == FIONAME_VALUE && letters[i + 1])
			a->value = letters + i + 1;
		apply(p, a, &m);
		if (m.value == FIONAME_VALUE)
			break;
	}
	return true;
}

static void read_option(struct parse *p, struct arg *a)
{
	struct match m = { .kind = MATCH_NONE };
	bool letter = a->one_dash && a->text[1] && !a->text[2];

	if (letter && read_letters(p, a))
		return;
	if (!a->name[0]) {
		diag_error(p->diag, &a->at, "the name of an option is missing");
		return;
	}
	if (!find_exact(p, a->name, &m) && !fionames_has(a->name))
		find_prefix(p, a, &m);
	if (m.kind == MATCH_AMBIGUOUS)
		return;
	if (m.kind == MATCH_NONE && a->one_dash && read_letters(p, a))
		return;
	if (m.kind == MATCH_NONE)
		refuse_unknown(p, a);
	else
		apply(p, a, &m);
}

/* Takes the text of one option apart. */
static struct arg split(const char *text, int index)
{
	struct arg a = { .text = text, .one_dash = text[1] != '-' };
	const char *name = text + (a.one_dash ? 1 : 2);
	const char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);

	snprintf(a.name, sizeof(a.name), "%.*s", (int)fl_min(len, sizeof(a.name) - 1), name);
	a.value = equals ? equals + 1 : NULL;
	a.at = (struct origin){ .line = index, .text = text };
	return a;
}

static void add_file(struct parse *p, const char *path)
{
	p->files = grow(p->files, p->file_count, sizeof(*p->files));
	fl_assert(p->files);
	p->files[p->file_count++] = path;
}

static bool is_final(const struct parse *p)
{
	return p->cli->flags.action == CLI_VERSION || p->cli->flags.action == CLI_HELP;
}

static void read_arguments(struct parse *p)
{
	bool options = true;

	for (p->next = 1; p->next < p->argc && !is_final(p);) {
		int index = p->next++;
		const char *text = p->argv[index];
		struct arg a;

		if (!options || text[0] != '-' || !text[1]) {
			add_file(p, text);
		} else if (!strcmp(text, "--")) {
			options = false;
		} else {
			a = split(text, index);
			read_option(p, &a);
		}
	}
}

/* ---- Job files ---- */

static bool has_section(const struct spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->count; i++)
		if (spec->sections[i].at.file && !strcmp(spec->sections[i].name, name))
			return true;
	return false;
}

static void read_files(struct parse *p)
{
	const struct cli_flags *flags = &p->cli->flags;
	struct spec *spec = p->cli->spec;

	for (size_t i = 0; i < p->file_count; i++)
		spec_read_file(spec, p->files[i], spec->files ? NULL : &p->defaults,
			       flags->only_count ? flags->only : NULL, p->diag);
	if (diag_errors(p->diag))
		return;
	for (size_t i = 0; i < flags->only_count; i++) {
		if (!p->file_count)
			diag_error(p->diag, NULL, "--section=%s: it chooses from job files, and "
				   "there is none", flags->only[i]);
		else if (!has_section(spec, flags->only[i]))
			diag_error(p->diag, NULL, "--section=%s: no job file has a section of this "
				   "name", flags->only[i]);
	}
}

static void check_jobs(struct parse *p)
{
	const struct spec *spec = p->cli->spec;

	if (spec->count || diag_errors(p->diag))
		return;
	if (p->file_count)
		diag_error(p->diag, NULL, "no job is defined: '%s' has no section besides [global]",
			   p->files[0]);
	else if (p->cli->flags.action != CLI_PARSE_ONLY)
		diag_error(p->diag, NULL, "no job is defined: name a job file, or begin a job with "
			   "--name=JOB (--help tells more)");
}

/*
 * --engine-test runs no job: of all that a job may have it takes filename and direct alone, and in
 * turn no job takes what is about the test.
 */
static void check_engine_test(struct parse *p)
{
	struct cli_engine_test *test = &p->cli->flags.test;

	if (!test->engine) {
		if (test->depth || test->opts || test->only)
			diag_error(p->diag, NULL, "--%s says how --engine-test is to be done, and "
				   "there is no --engine-test", test->depth ? "depth" : test->opts ?
				   "opts" : "only");
		return;
	}
	if (p->cli->flags.readonly)
		diag_error(p->diag, NULL, "--engine-test writes to its target, and --readonly "
			   "forbids it");
	for (size_t i = 0; i < p->defaults.count; i++) {
		const struct setting *s = &p->defaults.list[i];

		if (opt_same_name(s->name, "filename") && s->value)
			test->target = arena_strdup(&p->cli->spec->arena, s->value);
		else if (opt_same_name(s->name, "direct") && (!s->value || !strcmp(s->value, "1")))
			test->direct = true;
		else
			diag_error(p->diag, &s->at, "--engine-test runs no job; it takes "
				   "--filename, --direct=1, --depth, --opts and --only");
	}
	if (p->cli->spec->count)
		diag_error(p->diag, NULL, "--engine-test runs no job, and --name begins one");
	if (p->file_count)
		diag_error(p->diag, NULL, "--engine-test takes no job file: '%s'", p->files[0]);
}

int cli_parse(struct cli *cli, int argc, char **argv, const struct cli_rows *rows,
	      struct diag *diag)
{
	struct parse p = {
		.cli = cli, .rows = rows, .diag = diag, .argv = argv, .argc = argc,
	};

	*cli = (struct cli){ .spec = spec_new() };
	cli_flags_init(&cli->flags);
	read_arguments(&p);
	check_engine_test(&p);
	if (!diag_errors(diag) && cli->flags.action < CLI_CMDHELP) {
		settings_append(&cli->spec->global, &p.defaults);
		read_files(&p);
		check_jobs(&p);
	}
	settings_free(&p.defaults);
	free(p.files);
	return diag_errors(diag) ? -EINVAL : 0;
}

void cli_free(struct cli *cli)
{
	spec_free(cli->spec);
	cli->spec = NULL;
}
