/* SPDX-License-Identifier: MIT */
/* Reading distributions: every number is checked against its bounds here, and nowhere later. */
#include "lib/dist_parse.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/units.h"

/* Shares written with decimals add up to 100 with rounding errors. */
#define PERCENT_EPS	1e-6

static const struct {
	const char *name;
	enum dist_kind kind;
	double param;		/* when it is left out */
} kinds[] = {
	{ "random",	DIST_UNIFORM,	0 },
	{ "zipf",	DIST_ZIPF,	DIST_ZIPF_THETA },
	{ "pareto",	DIST_PARETO,	DIST_PARETO_H },
	{ "normal",	DIST_NORMAL,	DIST_NORMAL_DEV },
	{ "zoned",	DIST_ZONED,	0 },
	{ "zoned_abs",	DIST_ZONED_ABS,	0 },
	{ "sequence",	DIST_SEQUENCE,	0 },
};

/* What is being read: places of errors are counted from the beginning of all. */
struct reader {
	const char *start;
	int kb_base;
	struct parse_err *err;
};

static size_t col_of(const struct reader *r, struct span piece)
{
	return (size_t)(piece.at - r->start);
}

/* bad_number - the number's own parser has said what is wrong; add whose number it is. */
static int bad_number(const struct reader *r, struct span piece, const char *whose)
{
	parse_fail_shift(r->err, col_of(r, piece));
	parse_fail_prefix(r->err, span_of(whose));
	return -EINVAL;
}

static int read_param(const struct reader *r, struct span s, struct dist_conf *conf)
{
	static const char *const whose[] = {
		[DIST_ZIPF] = "zipf theta", [DIST_PARETO] = "pareto h",
		[DIST_NORMAL] = "normal deviation",
	};
	double max = conf->kind == DIST_ZIPF ? DIST_ZIPF_THETA_MAX :
		     conf->kind == DIST_PARETO ? 1 : 100;
	double value;

	if (units_double(s, 0, max, &value, r->err))
		return bad_number(r, s, whose[conf->kind]);
	if (conf->kind == DIST_PARETO && !(value > 0 && value < 1))
		return parse_fail(r->err, col_of(r, s), "pareto h is '%s', expected more than 0 "
				  "and less than 1", parse_show(s).text);
	if (conf->kind == DIST_NORMAL && value == 0)
		value = DIST_NORMAL_DEV;
	if (conf->kind == DIST_NORMAL && (value < DIST_NORMAL_DEV_MIN || value == 100))
		return parse_fail(r->err, col_of(r, s), "normal deviation is '%s', expected 0 or "
				  "0.000001 to less than 100", parse_show(s).text);
	conf->param = value;
	return 0;
}

/* read_shape - `:param[:center]` of zipf, pareto and normal; rest.at is NULL without any. */
static int read_shape(const struct reader *r, struct span rest, struct dist_conf *conf)
{
	struct span item;

	if (!span_next(&rest, ":", &item))
		return 0;
	if (read_param(r, item, conf))
		return -EINVAL;
	if (!span_next(&rest, ":", &item))
		return 0;
	if (units_double(item, 0, 1, &conf->center, r->err))
		return bad_number(r, item, "center");
	if (!span_next(&rest, ":", &item))
		return 0;
	return parse_fail(r->err, col_of(r, item), "'%s' is one value too many, expected "
			  "PARAMETER:CENTER", parse_show(item).text);
}

/* read_zone - `share/size`; a size that is left out comes back as -1 percent. */
static int read_zone(const struct reader *r, struct span item, enum dist_kind kind,
		     struct dist_zone *zone)
{
	struct span share, size;

	*zone = (struct dist_zone){ .size_percent = -1 };
	span_next(&item, "/", &share);
	if (units_percent(share, 100, &zone->share, r->err))
		return bad_number(r, share, "share of a zone");
	if (!span_next(&item, "/", &size))
		size = span_from(share, share.len);
	if (item.at)
		return parse_fail(r->err, col_of(r, item), "'%s' is one value too many, expected "
				  "SHARE/SIZE", parse_show(item).text);
	if (kind == DIST_ZONED) {
		if (size.len && units_percent(size, 100, &zone->size_percent, r->err))
			return bad_number(r, size, "size of a zone in percent");
		return 0;
	}
	if (!size.len)
		return parse_fail(r->err, col_of(r, size), "a zone of zoned_abs has no size, "
				  "expected SHARE/BYTES");
	if (units_size(size, r->kb_base, &zone->size_bytes, NULL, r->err))
		return bad_number(r, size, "size of a zone in bytes");
	if (!zone->size_bytes && zone->share > 0)
		return parse_fail(r->err, col_of(r, size), "a zone of size 0 has a share of the "
				  "I/O");
	return 0;
}

/* check_zones - shares and sizes as wholes; what is left over becomes the sizes left out. */
static int check_zones(const struct reader *r, struct span all, struct dist_conf *conf)
{
	double share = 0, size = 0;
	uint32_t open = 0;

	for (uint32_t i = 0; i < conf->count; i++) {
		const struct dist_zone *z = &conf->zones[i];

		share += z->share;
		open += z->size_percent < 0;
		size += z->size_percent < 0 ? 0 : z->size_percent;
	}
	if (share < 100 - PERCENT_EPS || share > 100 + PERCENT_EPS)
		return parse_fail(r->err, col_of(r, all), "the shares of the zones '%s' add up to "
				  "%g, expected 100", parse_show(all).text, share);
	if (conf->kind == DIST_ZONED_ABS)
		return 0;
	if (size > 100 + PERCENT_EPS)
		return parse_fail(r->err, col_of(r, all), "the sizes of the zones '%s' add up to "
				  "%g percent, expected at most 100", parse_show(all).text, size);
	if (open && size >= 100 - PERCENT_EPS)
		return parse_fail(r->err, col_of(r, all), "nothing is left for a zone without size "
				  "in '%s'", parse_show(all).text);
	for (uint32_t i = 0; i < conf->count; i++) {
		struct dist_zone *z = &conf->zones[i];

		z->size_percent = z->size_percent < 0 ? (100 - size) / open : z->size_percent;
		if (z->size_percent == 0 && z->share > 0)
			return parse_fail(r->err, col_of(r, all), "a zone of size 0 has a share of "
					  "the I/O in '%s'", parse_show(all).text);
	}
	return 0;
}

static int read_zones(const struct reader *r, struct span rest, struct dist_conf *conf)
{
	struct span all = rest, item;

	conf->zones = calloc(DIST_ZONES_MAX, sizeof(*conf->zones));
	if (!conf->zones)
		return -ENOMEM;
	while (span_next(&rest, ":", &item)) {
		if (conf->count == DIST_ZONES_MAX)
			return parse_fail(r->err, col_of(r, item), "more than %d zones",
					  DIST_ZONES_MAX);
		if (read_zone(r, item, conf->kind, &conf->zones[conf->count]))
			return -EINVAL;
		conf->count++;
	}
	return check_zones(r, all, conf);
}

static int read_sequence(const struct reader *r, struct span rest, struct dist_conf *conf)
{
	struct span counted = rest, item;
	size_t count = 0;

	while (span_next(&counted, ",", &item))
		if (++count > DIST_SEQUENCE_MAX)
			return parse_fail(r->err, col_of(r, item), "more than %d blocks in the "
					  "sequence", DIST_SEQUENCE_MAX);
	conf->sequence = calloc(count, sizeof(*conf->sequence));
	if (!conf->sequence)
		return -ENOMEM;
	while (span_next(&rest, ",", &item)) {
		if (units_uint(item, r->kb_base, 0, PERMUTE_N_MAX - 1,
			       &conf->sequence[conf->count], NULL, r->err))
			return bad_number(r, item, "block of the sequence");
		conf->count++;
	}
	return 0;
}

/* find_kind - which distribution `name:...` is; the values (at == NULL: none) go to *rest. */
static int find_kind(const struct reader *r, struct span text, struct dist_conf *conf,
		     struct span *rest)
{
	struct span name = { text.at, 0 };

	*rest = text;
	span_next(rest, ":", &name);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (span_is(name, kinds[i].name)) {
			*conf = (struct dist_conf){
				.kind = kinds[i].kind, .param = kinds[i].param,
				.center = DIST_CENTER_DEFAULT,
			};
			return 0;
		}
	}
	return parse_fail(r->err, col_of(r, name), "'%s' is no distribution, expected random, "
			  "zipf, pareto, normal, zoned, zoned_abs or sequence",
			  parse_show(name).text);
}

/* read_values - what stands behind the name of the kind. */
static int read_values(const struct reader *r, struct span text, struct span rest,
		       struct dist_conf *conf)
{
	bool list = conf->kind == DIST_ZONED || conf->kind == DIST_ZONED_ABS ||
		    conf->kind == DIST_SEQUENCE;

	if (list && !rest.at)
		return parse_fail(r->err, col_of(r, text), "'%s' lacks its list, expected %s",
				  parse_show(text).text,
				  conf->kind == DIST_SEQUENCE ? "sequence:BLOCK,BLOCK,..." :
				  conf->kind == DIST_ZONED ? "zoned:SHARE/PERCENT:..." :
				  "zoned_abs:SHARE/BYTES:...");
	if (conf->kind == DIST_UNIFORM && rest.at)
		return parse_fail(r->err, col_of(r, rest), "'%s' stands behind random, which takes "
				  "no value", parse_show(rest).text);
	if (conf->kind == DIST_SEQUENCE)
		return read_sequence(r, rest, conf);
	return list ? read_zones(r, rest, conf) : read_shape(r, rest, conf);
}

/* read_one - one direction's text; before is the direction before it, or NULL. */
static int read_one(const struct reader *r, struct span text, const struct dist_conf *before,
		    struct dist_conf *conf)
{
	struct span rest = text;

	if (before && before->zones && text.len && span_char_digit(text.at[0]))
		*conf = (struct dist_conf){ .kind = before->kind, .center = DIST_CENTER_DEFAULT };
	else if (find_kind(r, text, conf, &rest))
		return -EINVAL;
	return read_values(r, text, rest, conf);
}

static bool is_sequence(struct span text)
{
	struct span name = { text.at, 0 };

	span_next(&text, ":", &name);
	return span_is(name, "sequence");
}

/*
 * read_dirs - the list of up to three; a sequence takes all commas as its own.
 * Returns how many were written, or -errno.
 */
static int read_dirs(const struct reader *r, struct span text, struct dist_confs *confs)
{
	struct span item;
	int count = 0, err;

	if (is_sequence(text)) {
		err = read_one(r, text, NULL, &confs->dir[0]);
		return err ? err : 1;
	}
	for (; span_next(&text, ",", &item); count++) {
		if (count == SPAN_DIRS)
			return parse_fail(r->err, col_of(r, item), "'%s' is a fourth distribution, "
					  "expected read,write,trim", parse_show(item).text);
		if (is_sequence(item))
			return parse_fail(r->err, col_of(r, item), "a sequence is for all "
					  "directions and cannot follow another distribution");
		err = read_one(r, item, count ? &confs->dir[count - 1] : NULL, &confs->dir[count]);
		if (err)
			return err;
	}
	return count;
}

/* share_last - trims written nowhere are as the writes: a copy, for each conf owns its zones. */
static int share_last(struct dist_confs *confs)
{
	struct dist_conf *last = &confs->dir[SPAN_DIRS - 1];

	*last = confs->dir[SPAN_DIRS - 2];
	fl_assert(!last->sequence);	/* it would have taken all commas as its own */
	if (!last->zones)
		return 0;
	last->zones = calloc(DIST_ZONES_MAX, sizeof(*last->zones));
	if (!last->zones)
		return -ENOMEM;
	memcpy(last->zones, confs->dir[SPAN_DIRS - 2].zones, last->count * sizeof(*last->zones));
	return 0;
}

int dist_parse(struct span text, int kb_base, struct dist_confs *confs, struct parse_err *err)
{
	struct reader r = { .start = text.at, .kb_base = kb_base, .err = err };
	int written;

	*confs = (struct dist_confs){ .per_dir = false };
	written = read_dirs(&r, span_trim(text), confs);
	confs->per_dir = written > 1;
	if (written == SPAN_DIRS - 1)
		written = share_last(confs);
	if (written < 0)
		dist_confs_free(confs);
	return fl_min(written, 0);
}

void dist_confs_free(struct dist_confs *confs)
{
	for (int i = 0; i < SPAN_DIRS; i++) {
		free(confs->dir[i].zones);
		free(confs->dir[i].sequence);
	}
	*confs = (struct dist_confs){ .per_dir = false };
}
