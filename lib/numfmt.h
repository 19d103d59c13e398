/* SPDX-License-Identifier: MIT */
/*
 * Numbers as the normal output prints them: 11.1k, 43.5MiB/s (45.6MB/s), 1024KiB (1049kB).
 *
 * Scripts cut these out of the text, so they follow fio's shape to the digit: at most `figures`
 * digits, a decimal point only where digits are left over, four whole digits kept (1024KiB, not
 * 1.00MiB). One difference: with one or two figures fio divides 888k down to 1M and 122k to 0M;
 * here a number that cannot be shown in so few figures keeps the digits it needs. Every function
 * returns its text by value, to be used at once:
 *
 *	printf("IOPS=%s", num_iops(iops, style).s);
 */
#ifndef LIB_NUMFMT_H
#define LIB_NUMFMT_H

#include "lib/base.h"

#define NUM_FIGURES_DEFAULT	4u
#define NUM_FIGURES_MAX		10u
#define NUM_LAT_FIGURES		6u	/* of min and max in a latency line */

struct num_text {
	char s[96];
};

/* How the user wants numbers: significant_figures=, kb_base=, unit_base=. */
struct num_style {
	unsigned figures;	/* 1 to NUM_FIGURES_MAX; values outside are taken as the bound */
	bool decimal;		/* kb_base=1000: units of 1000 come first, those of 1024 second */
	bool bits;		/* unit_base=1: rates count bits */
};

/*
 * num_scaled - value in the largest-digit form that fits: 4178k, 15.9Gi.
 *
 * Divides by 1024 (binary) or 1000 until at most `figures` digits stand before the point, but never
 * down to 0; the digits left over, less one for the point, are decimals. The prefix (k, M, G, T, P,
 * E or Ki, Mi ...) and then `unit` (up to 8 bytes) follow without a blank.
 */
struct num_text num_scaled(uint64_t value, unsigned figures, bool binary, const char *unit);

/* num_iops - I/Os per second, in thousands: 256k. */
struct num_text num_iops(uint64_t iops, struct num_style style);

/* num_bytes - a byte count in the style's first base: 1024KiB. */
struct num_text num_bytes(uint64_t bytes, struct num_style style);

/*
 * num_whole - a byte count in whole units of 1024, rounded down as fio does: MiB from 1 MiB on, GiB
 * from 100 GiB on, TiB from 100 TiB and so forth, where rounding costs little; KiB, B below a MiB.
 */
struct num_text num_whole(uint64_t bytes);

/* num_rate - bytes per second in the style's first base and unit: 43.5MiB/s, 500Mibit/s. */
struct num_text num_rate(uint64_t bytes_per_second, struct num_style style);

/* num_bytes_pair, num_rate_pair - in both bases: 1024KiB (1049kB), 43.5MiB/s (45.6MB/s). */
struct num_text num_bytes_pair(uint64_t bytes, struct num_style style);
struct num_text num_rate_pair(uint64_t bytes_per_second, struct num_style style);

/*
 * num_rate_range_pair - the span between the slowest and the fastest job of a group:
 * 43.5MiB/s-44.0MiB/s (45.6MB/s-46.1MB/s).
 */
struct num_text num_rate_range_pair(uint64_t low, uint64_t high, struct num_style style);

/* num_other_base - the same style with the bases exchanged. */
struct num_style num_other_base(struct num_style style);

/* A latency line in the one unit that its numbers share. */
struct num_latency {
	const char *unit;	/* "nsec", "usec" or "msec" */
	uint64_t min, max;	/* in that unit, fractions dropped */
	double mean, stddev;	/* in that unit */
};

/*
 * num_latency - choose the unit for a line of nanoseconds, and convert.
 *
 * The next larger unit is taken when nothing of interest is lost by it: the minimum is above 2 of
 * them, the maximum at least 100 and the deviation above 1.
 */
struct num_latency num_latency(uint64_t min_ns, uint64_t max_ns, double mean_ns, double stddev_ns);

/* num_latency_bound - how min and max of such a line are printed: 7414, 1973.8k. */
struct num_text num_latency_bound(uint64_t value);

/* num_duration - a time in three figures: 870ns, 12.3us, 1.20ms, 2.10s, 345s. */
struct num_text num_duration(uint64_t ns);

/*
 * num_time - a time in the largest of ns, us, ms and s in which it is below up_from, or in s; the
 * unit's name goes to *unit (a constant). up_from: 1000, or less where rounding would show 1000.
 */
double num_time(double ns, double up_from, const char **unit);

/* The unit of the line of sampled bandwidth: "bw (  KiB/s): min=...". */
struct num_bw_unit {
	const char *unit;	/* "KiB", "MiB", or by 1000 "kB", "MB" */
	unsigned kilos;		/* divide the samples' kilobytes by this: 1, 1024 or 1000 */
};

/* num_bw_unit - the unit for samples whose mean is mean_kilos KiB/s (kB/s if style.decimal). */
struct num_bw_unit num_bw_unit(double mean_kilos, struct num_style style);

/* The unit of a table of percentiles: divide by `ns`, rounding up (num_percentile()). */
struct num_percentile_unit {
	const char *unit;	/* "nsec", "usec" or "msec" */
	uint64_t ns;		/* 1, 1000, 1000000 */
};

/* num_percentile_unit - the unit for percentiles of which low_ns is the first, high_ns the last. */
struct num_percentile_unit num_percentile_unit(uint64_t low_ns, uint64_t high_ns);

/* num_percentile - value_ns in the unit, any started unit counted as whole. */
uint64_t num_percentile(uint64_t value_ns, struct num_percentile_unit unit);

#endif
