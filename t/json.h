/* SPDX-License-Identifier: MIT */
/*
 * A JSON reader for the tools of the test suite: a tree of nodes that point into the text.
 *
 * It shares no code with the writer it checks, and is stricter than most parsers: UTF-8 must be
 * well formed, a key may come once per object. What is wrong ends the program with a sentence and
 * status 1. J_PROGRAM, defined before, is the name that begins it.
 */
#ifndef T_JSON_H
#define T_JSON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { J_DEPTH_MAX = 100 };

enum j_type { J_OBJECT, J_ARRAY, J_STRING, J_INT, J_FLOAT, J_BOOL, J_NUL };

static const char *const j_type_names[] = {
	"object", "array", "string", "int", "float", "bool", "null",
};

struct j_node {
	enum j_type type;
	const char *from, *to;		/* the text of the value in the file */
	char *key;			/* unescaped; NULL outside objects */
	char *text;			/* J_STRING: unescaped */
	struct j_node *child, *next;
	size_t children;
};

static const char *j_name;	/* of the file, for messages */
static const char *j_start;	/* of its text, which ends with a zero byte at `end` */
static const char *j_end;
static const char *j_at;		/* where the parser is */

static struct j_node *j_parse_value(int depth);

__attribute__((noreturn, format(printf, 2, 3))) static void j_die(int status, const char *fmt, ...)
{
	va_list ap;

	fputs(J_PROGRAM ": ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

__attribute__((noreturn)) static void j_bad(const char *what)
{
	size_t line = 1;

	for (const char *p = j_start; p < j_at; p++)
		line += *p == '\n';
	j_die(1, "%s: line %zu: %s", j_name, line, what);
}

static void *j_must(void *p)
{
	if (!p)
		j_die(1, "out of memory");
	return p;
}

static void j_blanks(void)
{
	while (*j_at == ' ' || *j_at == '\t' || *j_at == '\n' || *j_at == '\r')
		j_at++;
}

/* j_take - step over character c after blanks, if it is there. */
static bool j_take(char c)
{
	j_blanks();
	if (*j_at != c)
		return false;
	j_at++;
	return true;
}

static unsigned j_hex4(void)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++, j_at++) {
		const char *digits = "0123456789abcdef", *d;
		char c = *j_at >= 'A' && *j_at <= 'F' ? *j_at - 'A' + 'a' : *j_at;

		d = c ? strchr(digits, c) : NULL;
		if (!d)
			j_bad("\\u needs four hexadecimal digits");
		value = value * 16 + (unsigned)(d - digits);
	}
	return value;
}

/* j_put_utf8 - encode one code point; returns where the next byte goes. */
static char *j_put_utf8(char *to, unsigned c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 63));
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	}
	return to;
}

static char *j_escape(char *to)
{
	static const char from_letters[] = "\"\\/bfnrt", to_bytes[] = "\"\\/\b\f\n\r\t";
	const char *letter = *j_at ? strchr(from_letters, *j_at) : NULL;
	unsigned c;

	if (letter) {
		j_at++;
		*to++ = to_bytes[letter - from_letters];
		return to;
	}
	if (*j_at++ != 'u')
		j_bad("unknown escape");
	c = j_hex4();
	if (c >= 0xdc00 && c <= 0xdfff)
		j_bad("second half of a surrogate pair without the first");
	if (c >= 0xd800 && c <= 0xdbff) {
		unsigned low;

		if (j_at[0] != '\\' || j_at[1] != 'u')
			j_bad("first half of a surrogate pair without the second");
		j_at += 2;
		low = j_hex4();
		if (low < 0xdc00 || low > 0xdfff)
			j_bad("first half of a surrogate pair without the second");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return j_put_utf8(to, c);
}

/* j_utf8 - copy one multi-byte character; what it decodes to must need as many bytes as it has. */
static char *j_utf8(char *to)
{
	unsigned first = (unsigned char)*j_at++, c;
	int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
	static const unsigned least[] = { 0, 0x80, 0x800, 0x10000 };

	if (first < 0xc0 || first > 0xf7)
		j_bad("not UTF-8");
	c = first & (0x3f >> more);
	for (int i = 0; i < more; i++, j_at++) {
		if (((unsigned char)*j_at & 0xc0) != 0x80)
			j_bad("not UTF-8");
		c = c << 6 | ((unsigned char)*j_at & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		j_bad("not UTF-8");
	return j_put_utf8(to, c);
}

/* j_parse_string - the opening quote is taken already. Text never grows by unescaping. */
static char *j_parse_string(void)
{
	const char *close = j_at;
	char *text, *to;

	while (close < j_end && *close != '"')
		close += close[0] == '\\' && close + 1 < j_end ? 2 : 1;
	text = to = j_must(malloc((size_t)(close - j_at) + 1));
	while (*j_at != '"') {
		unsigned char c = (unsigned char)*j_at;

		if (j_at >= j_end)
			j_bad("string without end");
		if (c < 0x20)
			j_bad("control character in a string");
		if (c >= 0x80) {
			to = j_utf8(to);
		} else if (c == '\\') {
			j_at++;
			to = j_escape(to);
		} else {
			*to++ = *j_at++;
		}
	}
	j_at++;
	*to = '\0';
	return text;
}

static void j_digits(void)
{
	if (*j_at < '0' || *j_at > '9')
		j_bad("digit expected");
	while (*j_at >= '0' && *j_at <= '9')
		j_at++;
}

static enum j_type j_parse_number(void)
{
	enum j_type type = J_INT;

	if (*j_at == '-')
		j_at++;
	if (*j_at == '0')
		j_at++;
	else
		j_digits();
	if (*j_at == '.') {
		type = J_FLOAT;
		j_at++;
		j_digits();
	}
	if (*j_at == 'e' || *j_at == 'E') {
		type = J_FLOAT;
		j_at++;
		if (*j_at == '+' || *j_at == '-')
			j_at++;
		j_digits();
	}
	return type;
}

static bool j_word(const char *w)
{
	if (strncmp(j_at, w, strlen(w)))
		return false;
	j_at += strlen(w);
	return true;
}

static int j_by_key(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void j_check_keys(const struct j_node *object)
{
	char **keys = j_must(malloc((object->children + 1) * sizeof(*keys)));
	size_t n = 0;

	for (const struct j_node *c = object->child; c; c = c->next)
		keys[n++] = c->key;
	qsort(keys, n, sizeof(*keys), j_by_key);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(keys[i - 1], keys[i]))
			j_die(1, "%s: key \"%s\" twice in one object", j_name, keys[i]);
	free(keys);
}

static void j_parse_members(struct j_node *n, int depth)
{
	struct j_node **last = &n->child;
	char close = n->type == J_OBJECT ? '}' : ']';

	if (j_take(close))
		return;
	do {
		char *key = NULL;

		if (n->type == J_OBJECT) {
			if (!j_take('"'))
				j_bad("key expected");
			key = j_parse_string();
			if (!j_take(':'))
				j_bad("':' expected");
		}
		*last = j_parse_value(depth + 1);
		(*last)->key = key;
		last = &(*last)->next;
		n->children++;
	} while (j_take(','));
	if (!j_take(close))
		j_bad("',' or closing bracket expected");
	if (n->type == J_OBJECT)
		j_check_keys(n);
}

static struct j_node *j_parse_value(int depth)
{
	struct j_node *n = j_must(calloc(1, sizeof(*n)));

	if (depth > J_DEPTH_MAX)
		j_bad("nested too deep");
	j_blanks();
	n->from = j_at;
	if (j_take('{')) {
		n->type = J_OBJECT;
		j_parse_members(n, depth);
	} else if (j_take('[')) {
		n->type = J_ARRAY;
		j_parse_members(n, depth);
	} else if (j_take('"')) {
		n->type = J_STRING;
		n->text = j_parse_string();
	} else if (j_word("true") || j_word("false")) {
		n->type = J_BOOL;
	} else if (j_word("null")) {
		n->type = J_NUL;
	} else {
		n->type = j_parse_number();
	}
	n->to = j_at;
	return n;
}

/* j_read - all of a file, - is stdin, to be parsed from its beginning. Free the text at last. */
static char *j_read(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t size = 0, room = 1 << 16, got;
	char *text = j_must(malloc(room + 1));

	j_name = path;
	if (!f)
		j_die(1, "%s: cannot open it", path);
	while ((got = fread(text + size, 1, room - size, f)) > 0) {
		size += got;
		if (size == room) {
			room *= 2;
			text = j_must(realloc(text, room + 1));
		}
	}
	if (ferror(f))
		j_die(1, "%s: cannot read it", path);
	if (f != stdin)
		fclose(f);
	text[size] = '\0';
	j_start = j_at = text;
	j_end = text + size;
	return text;
}

/* j_next - the next document of the text; NULL at its end. */
static inline struct j_node *j_next(void)
{
	j_blanks();
	return j_at == j_end ? NULL : j_parse_value(1);
}

/* j_only - the one document that the text holds. */
static inline struct j_node *j_only(void)
{
	struct j_node *root = j_parse_value(1);

	j_blanks();
	if (j_at != j_end)
		j_bad("text after the document");
	return root;
}

/* j_path_step - the member of n that the path begins with; moves *path past it. NULL if none. */
static const struct j_node *j_path_step(const struct j_node *n, const char **path)
{
	const char *p = *path, *stop;
	const struct j_node *c = n->child;
	size_t length;

	if (p[0] == '[' && p[1] != '"') {
		char *after;
		unsigned long index = strtoul(p + 1, &after, 10);

		if (n->type != J_ARRAY || after == p + 1 || *after != ']')
			return NULL;
		*path = after + 1;
		while (c && index--)
			c = c->next;
		return c;
	}
	if (p[0] == '[') {
		p += 2;
		stop = strstr(p, "\"]");
		if (!stop)
			return NULL;
		*path = stop + 2;
	} else {
		p += p[0] == '.';
		stop = p + strcspn(p, ".[");
		*path = stop;
	}
	length = (size_t)(stop - p);
	if (n->type != J_OBJECT)
		return NULL;
	while (c && (strlen(c->key) != length || memcmp(c->key, p, length)))
		c = c->next;
	return c;
}

/* j_member - of an object, by its key; NULL if there is none, or n is no object. */
static inline const struct j_node *j_member(const struct j_node *n, const char *key)
{
	if (!n || n->type != J_OBJECT)
		return NULL;
	for (const struct j_node *c = n->child; c; c = c->next)
		if (!strcmp(c->key, key))
			return c;
	return NULL;
}

/* j_find - the value at a path; there must be one. */
static inline const struct j_node *j_find(const struct j_node *root, const char *path)
{
	const struct j_node *n = root;
	const char *rest = path;

	while (n && *rest)
		n = j_path_step(n, &rest);
	if (!n)
		j_die(1, "%s: no %s", j_name, path);
	return n;
}

/* j_free - of a document; its text stays. */
static void j_free(struct j_node *n)
{
	while (n) {
		struct j_node *next = n->next;

		j_free(n->child);
		free(n->key);
		free(n->text);
		free(n);
		n = next;
	}
}

#endif
