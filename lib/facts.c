/* SPDX-License-Identifier: MIT */
/* A list of names and texts; the tree that the names describe is built only when it is written. */
#include "lib/facts.h"
#include "lib/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void facts_free(struct facts *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->list[i].name);
		free(f->list[i].text);
	}
	free(f->list);
	strbuf_free(&f->at);
	memset(f, 0, sizeof(*f));
}

size_t facts_enter(struct facts *f, const char *fmt, ...)
{
	size_t mark = f->at.len;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&f->at, fmt, ap);
	va_end(ap);
	strbuf_putc(&f->at, '.');
	return mark;
}

void facts_leave(struct facts *f, size_t mark)
{
	fl_assert(mark < f->at.len);
	f->at.len = mark;
	f->at.text[mark] = '\0';
}

static void *grown(void *p, size_t bytes)
{
	p = realloc(p, bytes);
	fl_assert(p);
	return p;
}

static void add(struct facts *f, const char *name, const char *text, enum fact_kind kind,
		unsigned int flags)
{
	struct strbuf whole = STRBUF_INIT;
	char *copy;

	if (flags & f->without)
		return;
	if (f->count == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		f->list = grown(f->list, f->room * sizeof(*f->list));
	}
	strbuf_printf(&whole, "%s%s", strbuf_str(&f->at), name);
	copy = strdup(text);
	fl_assert(copy);
	f->list[f->count++] = (struct fact){ strbuf_steal(&whole), copy, kind, flags };
}

void facts_text(struct facts *f, const char *name, const char *text, unsigned int flags)
{
	if (text && *text)
		add(f, name, text, FACT_TEXT, flags);
}

void facts_u64(struct facts *f, const char *name, uint64_t value, unsigned int flags)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add(f, name, text, FACT_U64, flags);
}

void facts_i64(struct facts *f, const char *name, int64_t value, unsigned int flags)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add(f, name, text, FACT_I64, flags);
}

void facts_real(struct facts *f, const char *name, double value, unsigned int flags)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", value);
	add(f, name, text, FACT_REAL, flags);
}

void facts_bool(struct facts *f, const char *name, bool value, unsigned int flags)
{
	add(f, name, value ? "true" : "false", FACT_BOOL, flags);
}

static const struct fact *find(const struct facts *f, const char *name, size_t from)
{
	/* Two lists about the same things are in nearly the same order. */
	for (size_t i = 0; i < f->count; i++) {
		const struct fact *one = &f->list[(from + i) % f->count];

		if (!strcmp(one->name, name))
			return one;
	}
	return NULL;
}

const char *facts_get(const struct facts *f, const char *name)
{
	const struct fact *found = find(f, name, 0);

	return found ? found->text : NULL;
}

/* ---- Redaction ------------------------------------------------------------------------------- */

/* Where in the list this text was seen first: equal texts stay recognizable as equal. */
static size_t number_of(const char *const *seen, size_t count, const char *text)
{
	size_t i = 0;

	while (i < count && strcmp(seen[i], text))
		i++;
	return i;
}

static bool is_harmless(const char *word, size_t len, const char *const *keep)
{
	for (; *keep; keep++) {
		size_t n = strlen(*keep);

		if (n == len && !strncmp(word, *keep, n))
			return true;
		if (n < len && (*keep)[n - 1] == '.' && !strncmp(word, *keep, n))
			return true;
	}
	return false;
}

/* Behind " -- " stands what is no business of the kernel. */
static char *redact_values(const char *text, char between, const char *const *keep)
{
	const char ends[] = { between, '\0' };
	struct strbuf out = STRBUF_INIT;

	while (*text) {
		size_t len = strcspn(text, ends), name = fl_min(strcspn(text, "="), len);

		if (len == 2 && !strncmp(text, "--", 2)) {
			strbuf_puts(&out, "-- redacted");
			break;
		}
		if (name < len && !is_harmless(text, name, keep))
			strbuf_printf(&out, "%.*s=redacted", (int)name, text);
		else
			strbuf_append(&out, text, len);
		text += len;
		if (*text)
			strbuf_putc(&out, *text++);
	}
	return strbuf_steal(&out);
}

void facts_redact(struct facts *f, const char *const *keep)
{
	const char **seen = f->count ? grown(NULL, f->count * sizeof(*seen)) : NULL;
	char **texts = f->count ? grown(NULL, f->count * sizeof(*texts)) : NULL;
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct fact *one = &f->list[i];
		struct strbuf label = STRBUF_INIT;
		size_t number;

		texts[i] = NULL;
		if (one->flags & FACT_ID) {
			number = number_of(seen, count, one->text);
			if (number == count)
				seen[count++] = one->text;
			strbuf_printf(&label, "redacted-%zu", number + 1);
			texts[i] = strbuf_steal(&label);
		} else if (one->flags & (FACT_WORDS | FACT_OPTIONS)) {
			texts[i] = redact_values(one->text, one->flags & FACT_WORDS ? ' ' : ',',
						 keep);
		}
	}
	for (size_t i = 0; i < f->count; i++) {
		if (!texts[i])
			continue;
		free(f->list[i].text);
		f->list[i].text = texts[i];
		f->list[i].kind = FACT_TEXT;
	}
	free(seen);
	free(texts);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A name in its parts, which stay in its text. */
struct path {
	struct {
		const char *at;
		size_t len;
	} part[FACTS_PARTS_MAX];
	size_t count;
};

static struct path path_of(const char *name)
{
	struct path p = { .count = 0 };

	while (true) {
		size_t len = strcspn(name, ".");

		fl_assert(p.count < FACTS_PARTS_MAX);
		p.part[p.count].at = name;
		p.part[p.count++].len = len;
		if (!name[len])
			return p;
		name += len + 1;
	}
}

static bool is_place(const struct path *p, size_t i)
{
	return p->part[i].at[0] >= '0' && p->part[i].at[0] <= '9';
}

static bool same_part(const struct path *a, const struct path *b, size_t i)
{
	return a->part[i].len == b->part[i].len &&
	       !strncmp(a->part[i].at, b->part[i].at, a->part[i].len);
}

static void put(struct json *doc, const char *key, const struct fact *f)
{
	switch (f->kind) {
	case FACT_U64:
		json_u64(doc, key, strtoull(f->text, NULL, 10));
		break;
	case FACT_I64:
		json_i64(doc, key, strtoll(f->text, NULL, 10));
		break;
	case FACT_REAL:
		json_f64(doc, key, strtod(f->text, NULL));
		break;
	case FACT_BOOL:
		json_bool(doc, key, f->text[0] == 't');
		break;
	default:
		json_str(doc, key, f->text);
	}
}

/* The key of part i in an object, NULL in a list. */
static const char *key_of(const struct path *p, size_t i, char *key, size_t bytes)
{
	if (is_place(p, i))
		return NULL;
	snprintf(key, bytes, "%.*s", (int)p->part[i].len, p->part[i].at);
	return key;
}

void facts_json(const struct facts *f, unsigned int without, struct json *doc)
{
	struct path before = { .count = 0 };
	size_t open = 0;
	char key[128];

	for (size_t i = 0; i < f->count; i++) {
		struct path p = path_of(f->list[i].name);
		size_t same = 0;

		if (f->list[i].flags & without)
			continue;
		while (same < open && same + 1 < p.count && same_part(&p, &before, same))
			same++;
		for (; open > same; open--)
			json_end(doc);
		for (; open + 1 < p.count; open++) {
			const char *name = key_of(&p, open, key, sizeof(key));

			if (is_place(&p, open + 1))
				json_array(doc, name);
			else
				json_object(doc, name);
		}
		put(doc, key_of(&p, p.count - 1, key, sizeof(key)), &f->list[i]);
		before = p;
	}
	for (; open; open--)
		json_end(doc);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static bool is_news(const struct fact *was, const struct fact *now)
{
	double a, b;

	if (!was || !(now->flags & FACT_ROUGH))
		return !was || strcmp(was->text, now->text);
	a = strtod(was->text, NULL);
	b = strtod(now->text, NULL);
	return a < 0.8 * b || b < 0.8 * a;
}

void facts_compare(const struct facts *before, const struct facts *after,
		   void (*fn)(void *ctx, const struct fact *was, const struct fact *now),
		   void *ctx)
{
	for (size_t i = 0; i < after->count; i++) {
		const struct fact *now = &after->list[i], *was = find(before, now->name, i);

		if (now->flags & FACT_VARIES)
			continue;
		if (is_news(was, now))
			fn(ctx, was, now);
	}
	for (size_t i = 0; i < before->count; i++) {
		const struct fact *was = &before->list[i];

		if (!(was->flags & FACT_VARIES) && !find(after, was->name, i))
			fn(ctx, was, NULL);
	}
}

void facts_append(struct facts *f, const struct facts *more)
{
	for (size_t i = 0; i < more->count; i++) {
		const struct fact *one = &more->list[i];

		add(f, one->name, one->text, one->kind, one->flags);
	}
}
