/* SPDX-License-Identifier: MIT */
/* Turning numbers into the short forms of the normal output. */
#include "lib/numfmt.h"

#include <stdio.h>
#include <string.h>

#define WHOLE_PLENTY	100	/* of a unit larger than MiB, before num_whole() takes it */

static const char *const decimal_prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
static const char *const binary_prefixes[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };

static unsigned digits_of(uint64_t value)
{
	unsigned digits = 1;

	while (value >= 10) {
		value /= 10;
		digits++;
	}
	return digits;
}

struct num_text num_scaled(uint64_t value, unsigned figures, bool binary, const char *unit)
{
	const char *const *prefixes = binary ? binary_prefixes : decimal_prefixes;
	unsigned base = binary ? 1024 : 1000, rest = 0, step = 0, digits;
	struct num_text text;
	char fraction[16];

	figures = fl_min(fl_max(figures, 1u), NUM_FIGURES_MAX);
	while (digits_of(value) > figures && value >= base) {
		rest = value % base;
		value /= base;
		step++;
	}
	digits = digits_of(value);
	if (step && digits + 1 < figures) {
		/* "0.76", or "1.00" when it rounds up to a whole. */
		snprintf(fraction, sizeof(fraction), "%.*f", (int)(figures - digits - 1),
			 (double)rest / base);
		value += fraction[0] == '1';
	} else {
		value += rest >= base / 2;
		strcpy(fraction, "0");
	}
	snprintf(text.s, sizeof(text.s), "%llu%s%s%.8s", (unsigned long long)value, fraction + 1,
		 prefixes[step], unit);
	return text;
}

struct num_text num_iops(uint64_t iops, struct num_style style)
{
	return num_scaled(iops, style.figures, false, "");
}

struct num_text num_bytes(uint64_t bytes, struct num_style style)
{
	return num_scaled(bytes, style.figures, !style.decimal, "B");
}

struct num_text num_whole(uint64_t bytes)
{
	struct num_text text;
	size_t step = 0;

	/* From MiB on a unit is left only when there are plenty of the next. */
	while (step + 1 < ARRAY_SIZE(binary_prefixes) &&
	       bytes >> 10 * (step + 1) >= (step < 2 ? 1 : WHOLE_PLENTY))
		step++;
	snprintf(text.s, sizeof(text.s), "%llu%sB", (unsigned long long)(bytes >> 10 * step),
		 binary_prefixes[step]);
	return text;
}

struct num_text num_rate(uint64_t bytes_per_second, struct num_style style)
{
	if (!style.bits)
		return num_scaled(bytes_per_second, style.figures, !style.decimal, "B/s");
	return num_scaled(fl_min(bytes_per_second, UINT64_MAX / 8) * 8, style.figures,
			  !style.decimal, "bit/s");
}

struct num_style num_other_base(struct num_style style)
{
	style.decimal = !style.decimal;
	return style;
}

/* pair - "first (second)" */
static struct num_text pair(struct num_text first, struct num_text second)
{
	struct num_text text;

	snprintf(text.s, sizeof(text.s), "%.45s (%.45s)", first.s, second.s);
	return text;
}

struct num_text num_bytes_pair(uint64_t bytes, struct num_style style)
{
	return pair(num_bytes(bytes, style), num_bytes(bytes, num_other_base(style)));
}

struct num_text num_rate_pair(uint64_t bytes_per_second, struct num_style style)
{
	return pair(num_rate(bytes_per_second, style),
		    num_rate(bytes_per_second, num_other_base(style)));
}

static struct num_text range(uint64_t low, uint64_t high, struct num_style style)
{
	struct num_text text;

	snprintf(text.s, sizeof(text.s), "%.31s-%.31s", num_rate(low, style).s,
		 num_rate(high, style).s);
	return text;
}

struct num_text num_rate_range_pair(uint64_t low, uint64_t high, struct num_style style)
{
	return pair(range(low, high, style), range(low, high, num_other_base(style)));
}

/* larger_unit_fits - the rule of num_latency() for a unit of `unit_ns`. */
static bool larger_unit_fits(uint64_t min_ns, uint64_t max_ns, uint64_t unit_ns)
{
	return min_ns > 2 * unit_ns && max_ns >= 100 * unit_ns;
}

struct num_latency num_latency(uint64_t min_ns, uint64_t max_ns, double mean_ns, double stddev_ns)
{
	uint64_t unit_ns = 1;
	const char *unit = "nsec";

	if (larger_unit_fits(min_ns, max_ns, 1000000) && stddev_ns > 1e6) {
		unit_ns = 1000000;
		unit = "msec";
	} else if (larger_unit_fits(min_ns, max_ns, 1000) && stddev_ns > 1e3) {
		unit_ns = 1000;
		unit = "usec";
	}
	return (struct num_latency){
		.unit = unit,
		.min = min_ns / unit_ns,
		.max = max_ns / unit_ns,
		.mean = mean_ns / (double)unit_ns,
		.stddev = stddev_ns / (double)unit_ns,
	};
}

double num_time(double ns, double up_from, const char **unit)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	for (; ns >= up_from && i + 1 < ARRAY_SIZE(units); i++)
		ns /= 1000;
	*unit = units[i];
	return ns;
}

struct num_text num_duration(uint64_t ns)
{
	struct num_text t;
	const char *unit;
	double value = num_time((double)ns, 999.5, &unit);	/* it would be printed as 1000 */
	bool whole = value >= 99.95 || *unit == 'n';

	snprintf(t.s, sizeof(t.s), "%.*f%s", whole ? 0 : value >= 9.995 ? 1 : 2, value, unit);
	return t;
}

struct num_text num_latency_bound(uint64_t value)
{
	return num_scaled(value, NUM_LAT_FIGURES, false, "");
}

struct num_bw_unit num_bw_unit(double mean_kilos, struct num_style style)
{
	unsigned base = style.decimal ? 1000 : 1024;

	if (mean_kilos > (double)base * base)
		return (struct num_bw_unit){ style.decimal ? "MB" : "MiB", base };
	return (struct num_bw_unit){ style.decimal ? "kB" : "KiB", 1 };
}

struct num_percentile_unit num_percentile_unit(uint64_t low_ns, uint64_t high_ns)
{
	if (larger_unit_fits(low_ns, high_ns, 1000000))
		return (struct num_percentile_unit){ "msec", 1000000 };
	if (larger_unit_fits(low_ns, high_ns, 1000))
		return (struct num_percentile_unit){ "usec", 1000 };
	return (struct num_percentile_unit){ "nsec", 1 };
}

uint64_t num_percentile(uint64_t value_ns, struct num_percentile_unit unit)
{
	return value_ns / unit.ns + (value_ns % unit.ns > 0);
}
