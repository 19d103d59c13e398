/* SPDX-License-Identifier: MIT */
/* The way back: from the member that a row names to a text that opt_set() would take for it. */
#include "core/opt.h"
#include "lib/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The largest unit in which the time is a whole number. */
static int show_time(uint64_t ns, char *buf, size_t n)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { UNITS_S, "s" }, { UNITS_MS, "ms" }, { UNITS_US, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	return snprintf(buf, n, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
}

static int show_range(const struct range *r, bool times, char *buf, size_t n)
{
	char lo[32], hi[32];

	if (!times && r->lo == r->hi)
		return snprintf(buf, n, "%" PRIu64, r->lo);
	if (!times)
		return snprintf(buf, n, "%" PRIu64 "-%" PRIu64, r->lo, r->hi);
	show_time(r->lo, lo, sizeof(lo));
	show_time(r->hi, hi, sizeof(hi));
	return r->lo == r->hi ? snprintf(buf, n, "%s", lo) : snprintf(buf, n, "%s-%s", lo, hi);
}

static int show_range_dirs(const struct range_dirs *r, char *buf, size_t n)
{
	char one[DIRS][64];

	for (int i = 0; i < DIRS; i++)
		snprintf(one[i], sizeof(one[i]), "%" PRIu64 "-%" PRIu64, r->v[i].lo, r->v[i].hi);
	return snprintf(buf, n, "%s,%s,%s", one[0], one[1], one[2]);
}

static int show_amount(const struct amount *a, char *buf, size_t n)
{
	if (a->percent > 0)
		return snprintf(buf, n, "%.15g%%", a->percent);
	if (a->zones)
		return snprintf(buf, n, "%" PRIu64 "z", a->zones);
	return snprintf(buf, n, "%" PRIu64, a->bytes);
}

static int show_word(const struct fl_opt *row, uint32_t value, char *buf, size_t n)
{
	for (const struct fl_opt_value *v = row->values; v->name; v++)
		if (v->value == value)
			return snprintf(buf, n, "%s", v->name);
	return -ENOENT;
}

static int show_text(const char *text, char *buf, size_t n)
{
	return text ? snprintf(buf, n, "%s", text) : -ENOENT;
}

/* Zero without a default that says so: the option was not given. */
static bool is_unset(const struct fl_opt *row, const void *member)
{
	static const char zeroes[sizeof(struct range_dirs)];
	size_t bytes;

	switch (row->type) {
	case FL_OPT_U32:
		bytes = sizeof(uint32_t);
		break;
	case FL_OPT_U64: case FL_OPT_SIZE: case FL_OPT_TIME:
		bytes = sizeof(uint64_t);
		break;
	case FL_OPT_DOUBLE:
		bytes = sizeof(double);
		break;
	case OPT_AMOUNT:
		bytes = sizeof(struct amount);
		break;
	case OPT_SIZE_DIRS:
		bytes = sizeof(struct per_dir);
		break;
	case OPT_RANGE_DIRS:
		bytes = sizeof(struct range_dirs);
		break;
	case OPT_RANGE_SIZE: case OPT_RANGE_TIME:
		bytes = sizeof(struct range);
		break;
	default:
		return false;
	}
	return !row->def && !memcmp(member, zeroes, bytes);
}

static int show(const struct fl_opt *row, const void *member, char *buf, size_t n)
{
	const struct per_dir *dirs = member;

	switch (row->type) {
	case FL_OPT_BOOL: case FL_OPT_FLAG: case FL_OPT_U32:
		return snprintf(buf, n, "%" PRIu32, *(const uint32_t *)member);
	case FL_OPT_U64: case FL_OPT_SIZE:
		return snprintf(buf, n, "%" PRIu64, *(const uint64_t *)member);
	case FL_OPT_I64:
		return snprintf(buf, n, "%" PRId64, *(const int64_t *)member);
	case FL_OPT_TIME:
		return show_time(*(const uint64_t *)member, buf, n);
	case FL_OPT_DOUBLE:
		return snprintf(buf, n, "%.15g", *(const double *)member);
	case FL_OPT_ENUM:
		return show_word(row, *(const uint32_t *)member, buf, n);
	case FL_OPT_STR: case OPT_STR_LIST: case OPT_STR_BARE:
		return show_text(*(const char *const *)member, buf, n);
	case OPT_AMOUNT:
		return show_amount(member, buf, n);
	case OPT_SIZE_DIRS:
		return snprintf(buf, n, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, dirs->v[0], dirs->v[1],
				dirs->v[2]);
	case OPT_RANGE_DIRS:
		return show_range_dirs(member, buf, n);
	case OPT_RANGE_SIZE: case OPT_RANGE_TIME:
		return show_range(member, row->type == OPT_RANGE_TIME, buf, n);
	default:
		return -ENOTSUP;
	}
}

int opt_show(const struct fl_opt *row, const void *conf, char *buf, size_t n)
{
	const void *member = (const char *)conf + row->offset;
	int len = is_unset(row, member) ? -ENOENT : show(row, member, buf, n);

	if (len < 0)
		return len;
	return (size_t)len < n ? 0 : -ENAMETOOLONG;
}
