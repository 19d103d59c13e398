/* SPDX-License-Identifier: MIT */
/*
 * The restricted Damerau-Levenshtein distance ("optimal string alignment"), row by row: row i holds
 * the distances of the first i letters of one name to every beginning of the other.
 */
#include "lib/nearest.h"

#include "lib/span.h"

#define NEAREST_LEN_MAX	63

static char nearest_fold(char c)
{
	return c == '-' ? '_' : span_char_lower(c);
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	return fl_min(fl_min(a, b), c);
}

/* Both names are at most NEAREST_LEN_MAX long. */
static unsigned int nearest_distance(struct span a, struct span b)
{
	unsigned int rows[3][NEAREST_LEN_MAX + 1];
	unsigned int *older = rows[0], *above = rows[1], *row = rows[2];

	for (unsigned int j = 0; j <= b.len; j++)
		above[j] = j;
	for (unsigned int i = 1; i <= a.len; i++) {
		char ca = nearest_fold(a.at[i - 1]);
		unsigned int *spare = older;

		row[0] = i;
		for (unsigned int j = 1; j <= b.len; j++) {
			char cb = nearest_fold(b.at[j - 1]);

			row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == nearest_fold(b.at[j - 2]) &&
			    cb == nearest_fold(a.at[i - 2]))
				row[j] = fl_min(row[j], older[j - 2] + 1);
		}
		older = above;
		above = row;
		row = spare;
	}
	return above[b.len];
}

/* The most errors with which a name of this length is still recognised. */
static unsigned int nearest_limit(size_t len)
{
	unsigned int limit = (unsigned int)(len / 3);

	limit = fl_max(limit, len >= 5 ? 2u : 1u);
	return fl_min(limit, (unsigned int)len - 1);
}

const char *nearest_name(const char *given, const char *(*get)(void *ctx, size_t i), size_t n,
			 void *ctx)
{
	struct span want = span_of(given);
	const char *best = NULL;
	unsigned int limit;

	if (!want.len || want.len > NEAREST_LEN_MAX)
		return NULL;
	limit = nearest_limit(want.len);
	for (size_t i = 0; i < n; i++) {
		const char *name = get(ctx, i);
		struct span other;
		unsigned int distance;

		if (!name)
			continue;
		other = span_of(name);
		/* So many letters at least are missing in one of them. */
		if (other.len > NEAREST_LEN_MAX || other.len > want.len + limit ||
		    want.len > other.len + limit)
			continue;
		distance = nearest_distance(want, other);
		if (distance <= limit && (!best || distance < limit)) {
			best = name;
			limit = distance;
		}
	}
	return best;
}
