/* SPDX-License-Identifier: MIT */
/*
 * valid - do JSON documents keep a schema?
 *
 *	valid SCHEMA FILE...	every document of every file; - is stdin
 *	valid --described SCHEMA FILE...	keys that are only allowed, and described nowhere,
 *				are violations too, where others are described
 *
 * SCHEMA may end in #/$defs/NAME: that part of it alone.
 *
 * The schema is JSON Schema (2020-12), of which these words are known: $ref within the document,
 * type, properties, patternProperties, additionalProperties, required, minProperties, items,
 * minItems, enum, const, minimum, maximum, pattern, anyOf, oneOf, allOf, not, and true and false
 * for all and nothing. An unknown word is an error, so that nothing goes unchecked. Stricter than
 * the standard: an integer is written without a point, and "format": "decimal" is one with a point.
 *
 * Whatever looks like a latency must be sound, too (t/sound.h). Prints a line for each violation:
 * the file, the path, what was expected. Status 0 without any.
 */
#include <regex.h>
#define J_PROGRAM "valid"
#include "t/sound.h"

enum { PATH_BYTES = 1024, TEXT_BYTES = 16384, REPORTS_MAX = 20 };

/* Violations of one value against one schema; kept, since a branch of anyOf may not count. */
struct report {
	int count;
	char text[TEXT_BYTES];
};

static const struct j_node *schema_root, *schema_top;	/* all of it; what documents keep */
static bool described;

__attribute__((format(printf, 3, 4))) static void violate(struct report *r, const char *path,
							  const char *fmt, ...)
{
	size_t used = strlen(r->text);
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (r->count++ < REPORTS_MAX)
		snprintf(r->text + used, sizeof(r->text) - used, "%s: %s\n", *path ? path : ".",
			 line);
}

static void check(const struct j_node *value, const struct j_node *schema, const char *path,
		  struct report *r);

/* ---- Values ---------------------------------------------------------------------------------- */

static bool equal(const struct j_node *a, const struct j_node *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == J_STRING)
		return !strcmp(a->text, b->text);
	return a->to - a->from == b->to - b->from &&
	       !memcmp(a->from, b->from, (size_t)(a->to - a->from));
}

static bool is_type(const struct j_node *value, const char *name)
{
	static const char *const names[] = {
		[J_OBJECT] = "object", [J_ARRAY] = "array", [J_STRING] = "string",
		[J_INT] = "integer", [J_FLOAT] = "number", [J_BOOL] = "boolean", [J_NUL] = "null",
	};

	return !strcmp(names[value->type], name) ||
	       (value->type == J_INT && !strcmp(name, "number"));
}

/* word: a name, or a list of names. */
static bool is_one_type(const struct j_node *value, const struct j_node *word)
{
	if (word->type == J_STRING)
		return is_type(value, word->text);
	for (const struct j_node *one = word->child; one; one = one->next)
		if (is_type(value, one->text))
			return true;
	return false;
}

static bool matches(const char *pattern, const char *text)
{
	regex_t re;
	bool yes;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		j_die(2, "the pattern '%s' is none", pattern);
	yes = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return yes;
}

static void check_format(const struct j_node *v, const struct j_node *word, const char *path,
			 struct report *r)
{
	if (strcmp(word->text, "decimal"))
		j_die(2, "unknown format '%s'", word->text);
	if (v->type == J_INT)
		violate(r, path, "%.*s is written without a point", (int)(v->to - v->from),
			v->from);
}

static void check_enum(const struct j_node *v, const struct j_node *word, const char *path,
		       struct report *r)
{
	for (const struct j_node *one = word->child; one; one = one->next)
		if (equal(v, one))
			return;
	violate(r, path, "%.*s is none of the allowed", (int)(v->to - v->from), v->from);
}

/* Words about single values. Returns false if it is none of them. */
static bool check_value(const struct j_node *v, const struct j_node *word, const char *path,
			struct report *r)
{
	bool number = v->type == J_INT || v->type == J_FLOAT;
	int len = (int)(v->to - v->from);

	len = len > 60 ? 60 : len;
	if (!strcmp(word->key, "type")) {
		if (!is_one_type(v, word))
			violate(r, path, "%.*s expected, it is %.*s", (int)(word->to - word->from),
				word->from, len, v->from);
	} else if (!strcmp(word->key, "format")) {
		check_format(v, word, path, r);
	} else if (!strcmp(word->key, "const")) {
		if (!equal(v, word))
			violate(r, path, "it is %.*s", len, v->from);
	} else if (!strcmp(word->key, "enum")) {
		check_enum(v, word, path, r);
	} else if (!strcmp(word->key, "minimum")) {
		if (number && s_real(v) < s_real(word))
			violate(r, path, "%.*s is below %g", len, v->from, s_real(word));
	} else if (!strcmp(word->key, "maximum")) {
		if (number && s_real(v) > s_real(word))
			violate(r, path, "%.*s is above %g", len, v->from, s_real(word));
	} else if (!strcmp(word->key, "pattern")) {
		if (v->type == J_STRING && !matches(word->text, v->text))
			violate(r, path, "'%.60s' does not match %s", v->text, word->text);
	} else {
		return false;
	}
	return true;
}

/* ---- Objects and arrays ---------------------------------------------------------------------- */

static void member_path(const char *path, const char *key, char out[PATH_BYTES])
{
	snprintf(out, PATH_BYTES, "%s%s%s", path, *path ? "." : "", key);
}

/* One member against properties, patternProperties and additionalProperties of one schema. */
static void check_member(const struct j_node *m, const struct j_node *schema, const char *path,
			 struct report *r)
{
	const struct j_node *known = j_member(j_member(schema, "properties"), m->key);
	const struct j_node *patterns = j_member(schema, "patternProperties");
	const struct j_node *others = j_member(schema, "additionalProperties");
	char sub[PATH_BYTES];
	bool met = known;

	member_path(path, m->key, sub);
	if (known)
		check(m, known, sub, r);
	for (const struct j_node *p = patterns ? patterns->child : NULL; p; p = p->next) {
		if (!matches(p->key, m->key))
			continue;
		met = true;
		check(m, p, sub, r);
	}
	if (met || !others)
		return;
	if (others->type == J_BOOL && (*others->from == 'f' ||
				       (described && j_member(schema, "properties"))))
		violate(r, sub, "the schema knows no such key");
	else
		check(m, others, sub, r);
}

static void check_object(const struct j_node *v, const struct j_node *schema, const char *path,
			 struct report *r)
{
	const struct j_node *required = j_member(schema, "required");
	const struct j_node *least = j_member(schema, "minProperties");

	for (const struct j_node *m = v->child; m; m = m->next)
		check_member(m, schema, path, r);
	for (const struct j_node *q = required ? required->child : NULL; q; q = q->next)
		if (!j_member(v, q->text))
			violate(r, path, "\"%s\" is missing", q->text);
	if (least && v->children < s_whole(least))
		violate(r, path, "it has %zu members", v->children);
	if (s_is_lat(v)) {
		const char *why = s_latency(v);

		if (why)
			violate(r, path, "%s", why);
	}
}

static void check_array(const struct j_node *v, const struct j_node *schema, const char *path,
			struct report *r)
{
	const struct j_node *items = j_member(schema, "items");
	const struct j_node *least = j_member(schema, "minItems");
	size_t i = 0;

	if (least && v->children < s_whole(least))
		violate(r, path, "it has %zu elements", v->children);
	for (const struct j_node *e = v->child; items && e; e = e->next) {
		char sub[PATH_BYTES];

		snprintf(sub, sizeof(sub), "%s[%zu]", path, i++);
		check(e, items, sub, r);
	}
}

/* ---- Schemas --------------------------------------------------------------------------------- */

static const struct j_node *resolve(const char *ref)
{
	const struct j_node *defs = j_member(schema_root, "$defs"), *found = NULL;

	if (!strcmp(ref, "#"))
		return schema_root;
	if (!strncmp(ref, "#/$defs/", 8))
		found = j_member(defs, ref + 8);
	if (!found)
		j_die(2, "$ref leads nowhere: %s", ref);
	return found;
}

/* anyOf, oneOf, allOf, not: how many branches hold decides. What the nearest one lacks is told. */
static void check_branches(const struct j_node *v, const struct j_node *word, const char *path,
			   struct report *r)
{
	struct report *best = j_must(calloc(1, sizeof(*best))), *one;
	size_t hold = 0, branches = 0;

	one = j_must(calloc(1, sizeof(*one)));
	for (const struct j_node *b = word->child; b; b = b->next) {
		memset(one, 0, sizeof(*one));
		check(v, b, path, one);
		hold += !one->count;
		if (!branches++ || one->count < best->count)
			memcpy(best, one, sizeof(*best));
	}
	if (!strcmp(word->key, "allOf") ? hold < branches : !hold)
		violate(r, path, "%s: nearest: %s", word->key, best->text);
	else if (!strcmp(word->key, "oneOf") && hold > 1)
		violate(r, path, "oneOf: %zu of them hold", hold);
	free(one);
	free(best);
}

static void check_not(const struct j_node *v, const struct j_node *word, const char *path,
		      struct report *r)
{
	struct report *inner = j_must(calloc(1, sizeof(*inner)));

	check(v, word, path, inner);
	if (!inner->count)
		violate(r, path, "it is what it must not be");
	free(inner);
}

static bool among(const char *key, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(key, *list))
			return true;
	return false;
}

static void check(const struct j_node *value, const struct j_node *schema, const char *path,
		  struct report *r)
{
	static const char *const elsewhere[] = {	/* what check_object(), check_array() read */
		"properties", "patternProperties", "additionalProperties", "required",
		"minProperties", "items", "minItems", NULL,
	};
	static const char *const remarks[] = { "$schema", "title", "description", "$defs", NULL };
	static const char *const branches[] = { "anyOf", "oneOf", "allOf", NULL };

	if (schema->type == J_BOOL) {
		if (*schema->from == 'f')
			violate(r, path, "it must not be there");
		return;
	}
	for (const struct j_node *w = schema->child; w; w = w->next) {
		if (!strcmp(w->key, "$ref"))
			check(value, resolve(w->text), path, r);
		else if (among(w->key, branches))
			check_branches(value, w, path, r);
		else if (!strcmp(w->key, "not"))
			check_not(value, w, path, r);
		else if (!among(w->key, elsewhere) && !among(w->key, remarks) &&
			 !check_value(value, w, path, r))
			j_die(2, "the schema has a word that is not known here: %s", w->key);
	}
	if (value->type == J_OBJECT)
		check_object(value, schema, path, r);
	else if (value->type == J_ARRAY)
		check_array(value, schema, path, r);
}

static int check_file(const char *path)
{
	struct report *r = j_must(calloc(1, sizeof(*r)));
	char *text = j_read(path);
	struct j_node *document;
	size_t number = 0;
	int wrong = 0;

	while ((document = j_next())) {
		number++;
		memset(r, 0, sizeof(*r));
		check(document, schema_top, "", r);
		if (r->count)
			printf("%s: document %zu: %d violations\n%s", path, number, r->count,
			       r->text);
		wrong += r->count > 0;
		j_free(document);
	}
	if (!number)
		printf("%s: there is no document\n", path);
	free(text);
	free(r);
	return wrong || !number;
}

int main(int argc, char **argv)
{
	struct j_node *root;
	char *schema, *part;
	int wrong = 0;

	described = argc > 1 && !strcmp(argv[1], "--described");
	argv += described;
	argc -= described;
	if (argc < 3)
		j_die(2, "usage: valid [--described] SCHEMA FILE...");
	part = strchr(argv[1], '#');
	part = strdup(part ? part : "#");
	argv[1][strcspn(argv[1], "#")] = '\0';
	schema = j_read(argv[1]);
	schema_root = root = j_only();
	schema_top = resolve(part);
	for (int i = 2; i < argc; i++)
		wrong |= check_file(argv[i]);
	j_free(root);
	free(schema);
	free(part);
	return wrong;
}
