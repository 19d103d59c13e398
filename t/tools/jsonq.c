/* SPDX-License-Identifier: MIT */
/*
 * jsonq - check JSON and ask it questions, for shell tests.
 *
 *	jsonq FILE [PATH...]	without PATH: is it valid? With: print each value on a line
 *	jsonq --keys FILE	print every path with its type
 *	jsonq --len FILE PATH	print the number of members or elements
 *
 * FILE - is stdin. A path is `jobs[0].read.total_ios`; a key with a dot, bracket or quote in it is
 * written in brackets, `clat_ns.percentile["50.000000"]`; the empty path is the root. Strings are
 * printed unescaped, everything else as it stands in the file. Types: object, array, string, int,
 * float (with a point or an exponent), bool, null.
 *
 * Status: 0 found and valid, 1 not valid or not found (a sentence on stderr), 2 wrong usage.
 *
 * It shares no code with the writer it checks, and is stricter than most parsers: UTF-8 must be
 * well formed, a key may come once per object, nothing may follow the document.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 100 };

enum type { OBJECT, ARRAY, STRING, INT, FLOAT, BOOL, NUL };

static const char *const type_names[] = {
	"object", "array", "string", "int", "float", "bool", "null",
};

struct node {
	enum type type;
	const char *from, *to;		/* the text of the value in the file */
	char *key;			/* unescaped; NULL outside objects */
	char *text;			/* STRING: unescaped */
	struct node *child, *next;
	size_t children;
};

static const char *name;	/* of the file, for messages */
static const char *start;	/* of its text, which ends with a zero byte at `end` */
static const char *end;
static const char *at;		/* where the parser is */

static struct node *parse_value(int depth);

__attribute__((noreturn, format(printf, 2, 3))) static void die(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("jsonq: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

__attribute__((noreturn)) static void bad(const char *what)
{
	size_t line = 1;

	for (const char *p = start; p < at; p++)
		line += *p == '\n';
	die(1, "%s: line %zu: %s", name, line, what);
}

static void *must(void *p)
{
	if (!p)
		die(1, "out of memory");
	return p;
}

static void blanks(void)
{
	while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
		at++;
}

/* take - step over character c after blanks, if it is there. */
static bool take(char c)
{
	blanks();
	if (*at != c)
		return false;
	at++;
	return true;
}

static unsigned hex4(void)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++, at++) {
		const char *digits = "0123456789abcdef", *d;
		char c = *at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at;

		d = c ? strchr(digits, c) : NULL;
		if (!d)
			bad("\\u needs four hexadecimal digits");
		value = value * 16 + (unsigned)(d - digits);
	}
	return value;
}

/* put_utf8 - encode one code point; returns where the next byte goes. */
static char *put_utf8(char *to, unsigned c)
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

static char *escape(char *to)
{
	static const char from_letters[] = "\"\\/bfnrt", to_bytes[] = "\"\\/\b\f\n\r\t";
	const char *letter = *at ? strchr(from_letters, *at) : NULL;
	unsigned c;

	if (letter) {
		at++;
		*to++ = to_bytes[letter - from_letters];
		return to;
	}
	if (*at++ != 'u')
		bad("unknown escape");
	c = hex4();
	if (c >= 0xdc00 && c <= 0xdfff)
		bad("second half of a surrogate pair without the first");
	if (c >= 0xd800 && c <= 0xdbff) {
		unsigned low;

		if (at[0] != '\\' || at[1] != 'u')
			bad("first half of a surrogate pair without the second");
		at += 2;
		low = hex4();
		if (low < 0xdc00 || low > 0xdfff)
			bad("first half of a surrogate pair without the second");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return put_utf8(to, c);
}

/* utf8 - copy one multi-byte character; what it decodes to must need as many bytes as it has. */
static char *utf8(char *to)
{
	unsigned first = (unsigned char)*at++, c;
	int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
	static const unsigned least[] = { 0, 0x80, 0x800, 0x10000 };

	if (first < 0xc0 || first > 0xf7)
		bad("not UTF-8");
	c = first & (0x3f >> more);
	for (int i = 0; i < more; i++, at++) {
		if (((unsigned char)*at & 0xc0) != 0x80)
			bad("not UTF-8");
		c = c << 6 | ((unsigned char)*at & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		bad("not UTF-8");
	return put_utf8(to, c);
}

/* parse_string - the opening quote is taken already. Text never grows by unescaping. */
static char *parse_string(void)
{
	const char *close = at;
	char *text, *to;

	while (close < end && *close != '"')
		close += close[0] == '\\' && close + 1 < end ? 2 : 1;
	text = to = must(malloc((size_t)(close - at) + 1));
	while (*at != '"') {
		unsigned char c = (unsigned char)*at;

		if (at >= end)
			bad("string without end");
		if (c < 0x20)
			bad("control character in a string");
		if (c >= 0x80) {
			to = utf8(to);
		} else if (c == '\\') {
			at++;
			to = escape(to);
		} else {
			*to++ = *at++;
		}
	}
	at++;
	*to = '\0';
	return text;
}

static void digits(void)
{
	if (*at < '0' || *at > '9')
		bad("digit expected");
	while (*at >= '0' && *at <= '9')
		at++;
}

static enum type parse_number(void)
{
	enum type type = INT;

	if (*at == '-')
		at++;
	if (*at == '0')
		at++;
	else
		digits();
	if (*at == '.') {
		type = FLOAT;
		at++;
		digits();
	}
	if (*at == 'e' || *at == 'E') {
		type = FLOAT;
		at++;
		if (*at == '+' || *at == '-')
			at++;
		digits();
	}
	return type;
}

static bool word(const char *w)
{
	if (strncmp(at, w, strlen(w)))
		return false;
	at += strlen(w);
	return true;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_keys(const struct node *object)
{
	char **keys = must(malloc((object->children + 1) * sizeof(*keys)));
	size_t n = 0;

	for (const struct node *c = object->child; c; c = c->next)
		keys[n++] = c->key;
	qsort(keys, n, sizeof(*keys), by_key);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(keys[i - 1], keys[i]))
			die(1, "%s: key \"%s\" twice in one object", name, keys[i]);
	free(keys);
}

static void parse_members(struct node *n, int depth)
{
	struct node **last = &n->child;
	char close = n->type == OBJECT ? '}' : ']';

	if (take(close))
		return;
	do {
		char *key = NULL;

		if (n->type == OBJECT) {
			if (!take('"'))
				bad("key expected");
			key = parse_string();
			if (!take(':'))
				bad("':' expected");
		}
		*last = parse_value(depth + 1);
		(*last)->key = key;
		last = &(*last)->next;
		n->children++;
	} while (take(','));
	if (!take(close))
		bad("',' or closing bracket expected");
	if (n->type == OBJECT)
		check_keys(n);
}

static struct node *parse_value(int depth)
{
	struct node *n = must(calloc(1, sizeof(*n)));

	if (depth > DEPTH_MAX)
		bad("nested too deep");
	blanks();
	n->from = at;
	if (take('{')) {
		n->type = OBJECT;
		parse_members(n, depth);
	} else if (take('[')) {
		n->type = ARRAY;
		parse_members(n, depth);
	} else if (take('"')) {
		n->type = STRING;
		n->text = parse_string();
	} else if (word("true") || word("false")) {
		n->type = BOOL;
	} else if (word("null")) {
		n->type = NUL;
	} else {
		n->type = parse_number();
	}
	n->to = at;
	return n;
}

static struct node *parse_file(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t size = 0, room = 1 << 16, got;
	char *text = must(malloc(room + 1));
	struct node *root;

	name = path;
	if (!f)
		die(1, "%s: cannot open it", path);
	while ((got = fread(text + size, 1, room - size, f)) > 0) {
		size += got;
		if (size == room) {
			room *= 2;
			text = must(realloc(text, room + 1));
		}
	}
	if (ferror(f))
		die(1, "%s: cannot read it", path);
	if (f != stdin)
		fclose(f);
	text[size] = '\0';
	start = at = text;
	end = text + size;
	root = parse_value(1);
	blanks();
	if (at != end)
		bad("text after the document");
	return root;
}

/* path_step - the member of n that the path begins with; moves *path past it. NULL if none. */
static const struct node *path_step(const struct node *n, const char **path)
{
	const char *p = *path, *stop;
	const struct node *c = n->child;
	size_t length;

	if (p[0] == '[' && p[1] != '"') {
		char *after;
		unsigned long index = strtoul(p + 1, &after, 10);

		if (n->type != ARRAY || after == p + 1 || *after != ']')
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
	if (n->type != OBJECT)
		return NULL;
	while (c && (strlen(c->key) != length || memcmp(c->key, p, length)))
		c = c->next;
	return c;
}

static const struct node *find(const struct node *root, const char *path)
{
	const struct node *n = root;
	const char *rest = path;

	while (n && *rest)
		n = path_step(n, &rest);
	if (!n)
		die(1, "%s: no %s", name, path);
	return n;
}

static void print_value(const struct node *n)
{
	if (n->type == STRING)
		puts(n->text);
	else
		printf("%.*s\n", (int)(n->to - n->from), n->from);
}

static void print_keys(const struct node *n, const char *path)
{
	size_t index = 0;

	printf("%s %s\n", *path ? path : ".", type_names[n->type]);
	for (const struct node *c = n->child; c; c = c->next) {
		size_t room = strlen(path) + (c->key ? strlen(c->key) : 0) + 32;
		char *sub = must(malloc(room));

		if (!c->key)
			snprintf(sub, room, "%s[%zu]", path, index++);
		else if (!*c->key || strpbrk(c->key, ".[]\""))
			snprintf(sub, room, "%s[\"%s\"]", path, c->key);
		else
			snprintf(sub, room, "%s%s%s", path, *path ? "." : "", c->key);
		print_keys(c, sub);
		free(sub);
	}
}

static void free_node(struct node *n)
{
	while (n) {
		struct node *next = n->next;

		free_node(n->child);
		free(n->key);
		free(n->text);
		free(n);
		n = next;
	}
}

int main(int argc, char **argv)
{
	bool keys = argc == 3 && !strcmp(argv[1], "--keys");
	bool len = argc == 4 && !strcmp(argv[1], "--len");
	int file_arg = keys || len ? 2 : 1;
	struct node *root;

	if (argc <= file_arg || !strncmp(argv[file_arg], "--", 2))
		die(2, "usage: jsonq FILE [PATH...] | jsonq --keys FILE | jsonq --len FILE PATH");
	root = parse_file(argv[file_arg]);
	if (keys)
		print_keys(root, "");
	else if (len)
		printf("%zu\n", find(root, argv[3])->children);
	else
		for (int i = file_arg + 1; i < argc; i++)
			print_value(find(root, argv[i]));
	free_node(root);
	free((char *)start);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
