/* SPDX-License-Identifier: MIT */
/* Candidates from the tables of flags, options, engines, formats and examples. */
#include "core/complete.h"
#include "core/cli_flags_help.h"
#include "core/engines.h"
#include "core/examples.h"
#include "core/job.h"
#include "lib/grow.h"
#include "lib/strbuf.h"

#include <stdlib.h>
#include <string.h>

/* The command line, put together again. */
struct completing {
	char **words;
	size_t count, index;		/* of the word to be completed */
	size_t strip;			/* bytes of it that the shell does not want to see again */
	const struct engine *engine;	/* named before it; NULL: the default one */
	FILE *out;
	const char *prefix;		/* what candidates of a value stand behind: "--rw=" */
	size_t prefix_len;
	const char *typed;		/* the beginning of the value */
	const char *seen[64];		/* engines shown already */
	size_t nr_seen;
};

/* ---- Words ----------------------------------------------------------------------------------- */

static void add_word(struct completing *c, const char *text)
{
	c->words = grow(c->words, c->count, sizeof(*c->words));
	fl_assert(c->words);
	c->words[c->count] = strdup(text);
	fl_assert(c->words[c->count]);
	c->count++;
}

static void join_word(struct completing *c, const char *text)
{
	char **last = &c->words[c->count - 1];
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, *last);
	strbuf_puts(&sb, text);
	free(*last);
	*last = strbuf_steal(&sb);
}

static bool is_break(const char *word)
{
	return !strcmp(word, "=") || !strcmp(word, ":");
}

/* bash cuts "--rw=read" in three, and wants back what belongs in place of the last. */
static void take_words(struct completing *c, int n, char **words, int index, bool cut)
{
	bool joined = false;

	for (int i = 0; i < n; i++) {
		bool breaks = cut && i > 1 && is_break(words[i]);

		if (breaks || (joined && i > 1 && is_break(words[i - 1])))
			join_word(c, words[i]);
		else
			add_word(c, words[i]);
		joined = breaks;
		if (i != index)
			continue;
		c->index = c->count - 1;
		c->strip = strlen(c->words[c->index]) - (breaks ? 0 : strlen(words[i]));
	}
	if (index >= n) {
		add_word(c, "");
		c->index = c->count - 1;
	}
}

static void free_words(struct completing *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->words[i]);
	free(c->words);
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void put(struct completing *c, const char *word, const char *help)
{
	if (strlen(word) >= c->strip)
		fprintf(c->out, "%s\t%s\n", word + c->strip, help ? help : "");
}

/* A value, behind what is in front of it. */
static void put_value(struct completing *c, const char *value, const char *help)
{
	struct strbuf sb = STRBUF_INIT;

	if (!starts(value, c->typed))
		return;
	strbuf_append(&sb, c->prefix, c->prefix_len);
	strbuf_puts(&sb, value);
	put(c, strbuf_str(&sb), help);
	strbuf_free(&sb);
}

static void put_files(struct completing *c, bool folders)
{
	fputs(folders ? ":dirs\n" : ":files\n", c->out);
}

static void put_engine(void *ctx, const char *name, const struct engine *e, const char *why)
{
	struct completing *c = ctx;

	(void)why;
	for (size_t i = 0; i < c->nr_seen; i++)
		if (!strcmp(c->seen[i], name))
			return;
	if (!e)
		return;
	if (c->nr_seen < ARRAY_SIZE(c->seen))
		c->seen[c->nr_seen++] = e->ops.name;
	put_value(c, name, e->ops.help);
}

static void put_engines(struct completing *c)
{
	if (strchr(c->typed, '/'))
		put_files(c, false);
	else
		engines_each(put_engine, c);
}

static void put_examples(struct completing *c)
{
	const struct example *e;

	for (size_t i = 0; (e = examples_at(i)); i++) {
		size_t len;
		const char *text = examples_sentence(e, &len);
		struct strbuf sb = STRBUF_INIT;

		strbuf_append(&sb, text, len);
		put_value(c, e->name, strbuf_str(&sb));
		strbuf_free(&sb);
	}
}

/* The sections of the job files on the command line, as far as they can be read. */
static void put_sections(struct completing *c)
{
	struct diag *diag = diag_new(false);
	struct spec *spec = spec_new();

	for (size_t i = 1; i < c->count; i++)
		if (i != c->index && c->words[i][0] != '-' && c->words[i][0])
			spec_read_file(spec, c->words[i], NULL, NULL, diag);
	for (size_t i = 0; i < spec->count; i++)
		put_value(c, spec->sections[i].name, "");
	spec_free(spec);
	diag_free(diag);
}

static void put_names(struct completing *c)
{
	size_t n;
	const struct opt_table *const *tables = job_tables(&n);
	struct fl_opt row;

	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < tables[t]->count; i++) {
			opt_row(tables[t], i, &row);
			put_value(c, row.name, row.help);
		}
}

/* Of a list with commas the last part is to be completed. */
static void into_list(struct completing *c)
{
	const char *comma = strrchr(c->typed, ',');

	if (!comma)
		return;
	c->prefix_len += (size_t)(comma + 1 - c->typed);
	c->typed = comma + 1;
}

static void put_formats(struct completing *c)
{
	const struct reporter *format;

	into_list(c);
	for (size_t i = 0; (format = report_at(i)); i++)
		put_value(c, format->name, format->help);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void put_words(struct completing *c, const char *words)
{
	char word[64];

	for (size_t len; *words; words += len + strspn(words + len, " ")) {
		len = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		put_value(c, word, "");
	}
}

static void put_flag_value(struct completing *c, const struct cli_flag *flag)
{
	static const struct {
		const char *name;
		void (*put)(struct completing *c);
	} special[] = {
		{ "section", put_sections }, { "example", put_examples }, { "cmdhelp", put_names },
		{ "enghelp", put_engines }, { "engine-test", put_engines },
		{ "output-format", put_formats },
	};

	for (size_t i = 0; i < ARRAY_SIZE(special); i++) {
		if (strcmp(special[i].name, flag->name))
			continue;
		special[i].put(c);
		return;
	}
	if (cli_flag_words(flag)) {
		into_list(c);
		put_words(c, cli_flag_words(flag));
	} else if (flag->value_name && !strcmp(flag->value_name, "FILE")) {
		put_files(c, false);
	} else if (flag->value_name && !strcmp(flag->value_name, "DIR")) {
		put_files(c, true);
	}
}

static bool is_folder(const struct fl_opt *row)
{
	return !strcmp(row->name, "directory") || !strcmp(row->name, "opendir");
}

static void put_row_value(struct completing *c, const struct fl_opt *row)
{
	if (!strcmp(row->name, "ioengine")) {
		put_engines(c);
		return;
	}
	for (const struct fl_opt_value *v = row->values; v && v->name; v++)
		put_value(c, v->name, v->help);
	if (row->values)
		return;
	if (row->type == FL_OPT_BOOL || row->type == FL_OPT_FLAG)
		put_words(c, "0 1");
	else if (row->type == FL_OPT_STR || row->type == OPT_STR_LIST ||
		 row->type == OPT_STR_BARE)
		put_files(c, is_folder(row));
}

/* ---- Options --------------------------------------------------------------------------------- */

static void put_name(struct completing *c, const char *name, bool needs_value, const char *help)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "--%s%s", name, needs_value ? "=" : "");
	if (starts(strbuf_str(&sb), c->words[c->index]))
		put(c, strbuf_str(&sb), help);
	strbuf_free(&sb);
}

static void put_table(struct completing *c, const struct opt_table *t)
{
	const char *typed = c->words[c->index];
	size_t dashes = strspn(typed, "-");
	struct fl_opt row;

	for (size_t i = 0; i < t->count; i++) {
		opt_row(t, i, &row);
		if (row.type == OPT_NO_EFFECT)
			continue;
		put_name(c, row.name, !opt_bare(&row), row.help);
		/* A second name is for those who have begun to type it. */
		if (row.alias && typed[dashes] && !starts(row.name, typed + dashes))
			put_name(c, row.alias, !opt_bare(&row), row.help);
	}
}

static void put_options(struct completing *c)
{
	const struct cli_flag *flag;
	size_t n;
	const struct opt_table *const *tables = job_tables(&n);

	for (size_t i = 0; (flag = cli_flag_at(i)); i++)
		if (flag->help)
			put_name(c, flag->name, flag->value == FIONAME_VALUE, flag->help);
	for (size_t t = 0; t < n; t++)
		put_table(c, tables[t]);
	if (c->engine)
		put_table(c, &c->engine->opts);
}

/* The value of the option that this text names, "--rw" or "-o"; false: it takes none. */
static bool put_value_of(struct completing *c, const char *option, size_t len)
{
	const struct cli_flag *flag;
	struct fl_opt row;
	char name[128];
	size_t dashes = strspn(option, "-");

	snprintf(name, sizeof(name), "%.*s", (int)(len - fl_min(dashes, len)), option + dashes);
	flag = cli_flag_by_name(name);
	if (!flag && name[0] && !name[1])
		flag = cli_flag_by_letter(name[0]);
	if (flag) {
		put_flag_value(c, flag);
		return flag->value != FIONAME_ALONE;
	}
	if (job_option(NULL, name, c->engine ? c->engine->ops.name : NULL, &row))
		return false;
	put_row_value(c, &row);
	return true;
}

/* Does the option before take this word for its value? */
static bool follows_option(const struct completing *c)
{
	const char *before = c->index > 1 ? c->words[c->index - 1] : "";
	const struct cli_flag *flag;
	struct fl_opt row;
	const char *name = before + strspn(before, "-");

	if (before[0] != '-' || strchr(before, '=') || !*name)
		return false;
	flag = cli_flag_by_name(name);
	if (!flag && !name[1])
		flag = cli_flag_by_letter(name[0]);
	if (flag)
		return flag->value == FIONAME_VALUE || flag->value == FIONAME_WORD;
	return !job_option(NULL, name, c->engine ? c->engine->ops.name : NULL, &row) &&
	       !opt_bare(&row);
}

/* Engine folders and the engine as they are known by then. */
static void look_back(struct completing *c)
{
	char why[512];

	for (size_t i = 1; i < c->index; i++) {
		const char *given = c->words[i] ? c->words[i] : "";
		const char *word = given + strspn(given, "-");
		bool split = given[0] == '-' && !strchr(word, '=') && i + 1 < c->index;
		const char *equals = strchr(word, '=');
		const char *value = equals ? equals + 1 : split ? c->words[i + 1] : NULL;

		if (given[0] != '-' || !value)
			continue;
		if (starts(word, "engine-path") || starts(word, "engine_path"))
			engines_add_path(value);
		if (starts(word, "ioengine"))
			engines_find(value, &c->engine, why, sizeof(why));
	}
}

static void put_candidates(struct completing *c)
{
	const char *word = c->words[c->index];
	const char *equals = strchr(word, '=');

	look_back(c);
	c->typed = word;
	c->prefix = word;
	if (word[0] != '-' && follows_option(c)) {
		put_value_of(c, c->words[c->index - 1], strlen(c->words[c->index - 1]));
	} else if (word[0] == '-' && equals) {
		c->typed = equals + 1;
		c->prefix_len = (size_t)(equals + 1 - word);
		put_value_of(c, word, (size_t)(equals - word));
	} else if (word[0] == '-') {
		put_options(c);
	} else {
		put_files(c, false);
	}
}

int complete(int argc, char **argv, FILE *out)
{
	struct completing c = { .out = out };
	char *end;
	long index = argc > 1 ? strtol(argv[1], &end, 10) : -1;

	if (argc < 3 || index < 1 || index > argc || *end)
		return 1;
	take_words(&c, argc - 2, argv + 2, (int)index, !strcmp(argv[0], "bash"));
	put_candidates(&c);
	free_words(&c);
	return ferror(out) ? 1 : 0;
}
