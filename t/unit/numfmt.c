/* SPDX-License-Identifier: MIT */
/* Number texts against what fio 3.33 printed for the same numbers. */
#include "t/test.h"

#include "lib/numfmt.h"

#define STYLE		((struct num_style){ .figures = NUM_FIGURES_DEFAULT })
#define STYLE_1000	((struct num_style){ .figures = NUM_FIGURES_DEFAULT, .decimal = true })
#define STYLE_BITS	((struct num_style){ .figures = NUM_FIGURES_DEFAULT, .bits = true })

TEST(iops)
{
	static const struct { uint64_t iops; const char *text; } golden[] = {
		{ 0, "0" }, { 16, "16" }, { 9999, "9999" }, { 11130, "11.1k" }, { 21565, "21.6k" },
		{ 90000, "90.0k" }, { 256000, "256k" }, { 512000, "512k" }, { 3432333, "3432k" },
		{ 3490600, "3491k" }, { 3613714, "3614k" }, { 4177642, "4178k" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(golden); i++)
		T_STR(num_iops(golden[i].iops, STYLE).s, golden[i].text);
}

TEST(bytes)
{
	static const struct { uint64_t bytes; const char *text; } golden[] = {
		{ 6, "6B (6B)" }, { 3584, "3584B (3584B)" }, { 9999, "9999B (9999B)" },
		{ 10000, "9.77KiB (10.0kB)" }, { 65536, "64.0KiB (65.5kB)" },
		{ 69120, "67.5KiB (69.1kB)" }, { 1048576, "1024KiB (1049kB)" },
		{ 2031616, "1984KiB (2032kB)" }, { 1073741824, "1024MiB (1074MB)" },
		{ 32477863936, "30.2GiB (32.5GB)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(golden); i++)
		T_STR(num_bytes_pair(golden[i].bytes, STYLE).s, golden[i].text);
	T_STR(num_bytes(89088, STYLE).s, "87.0KiB");
	T_STR(num_bytes(7340032, STYLE_1000).s, "7340kB");
}

TEST(rounding)
{
	/* Ties go where the binary fraction lies; a carry may add a digit. */
	static const struct { uint64_t bytes; const char *text; } golden[] = {
		{ 10949, "10.9kB" }, { 10950, "10.9kB" }, { 10951, "11.0kB" }, { 10996, "11.0kB" },
		{ 12350, "12.3kB" }, { 12450, "12.5kB" }, { 99950, "99.9kB" },
		{ 99951, "100.0kB" }, { 999499, "999kB" }, { 999500, "1000kB" },
		{ 9999499, "9999kB" }, { 9999500, "10000kB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(golden); i++)
		T_STR(num_bytes(golden[i].bytes, STYLE_1000).s, golden[i].text);
}

TEST(rates)
{
	T_STR(num_rate_pair(45590260, STYLE).s, "43.5MiB/s (45.6MB/s)");
	T_STR(num_rate_pair(149796571, STYLE).s, "143MiB/s (150MB/s)");
	T_STR(num_rate_pair(2097152000, STYLE).s, "2000MiB/s (2097MB/s)");
	T_STR(num_rate_pair(681000, STYLE).s, "665KiB/s (681kB/s)");
	T_STR(num_rate_pair(65536000, STYLE_1000).s, "65.5MB/s (62.5MiB/s)");
	T_STR(num_rate_pair(49000, STYLE_1000).s, "49.0kB/s (47.9KiB/s)");
	T_STR(num_rate_pair(5890500, STYLE_BITS).s, "44.9Mibit/s (47.1Mbit/s)");
	T_STR(num_rate_pair(3145000000, STYLE_BITS).s, "23.4Gibit/s (25.2Gbit/s)");
	T_STR(num_rate_range_pair(51200, 51200, STYLE).s,
	      "50.0KiB/s-50.0KiB/s (51.2kB/s-51.2kB/s)");
}

TEST(whole_amounts)
{
	T_STR(num_whole(0).s, "0B");
	T_STR(num_whole(512).s, "512B");
	T_STR(num_whole(716800).s, "700KiB");
	T_STR(num_whole((1 << 20) - 1).s, "1023KiB");
	T_STR(num_whole(1 << 20).s, "1MiB");
	T_STR(num_whole(1 << 30).s, "1024MiB");
	T_STR(num_whole(UINT64_C(99) << 30).s, "101376MiB");
	T_STR(num_whole(UINT64_C(100) << 30).s, "100GiB");
	T_STR(num_whole(UINT64_C(8796093022207) << 20).s, "8191PiB");
	T_STR(num_whole(UINT64_MAX).s, "16383PiB");
}

TEST(durations)
{
	T_STR(num_duration(0).s, "0ns");
	T_STR(num_duration(999).s, "999ns");
	T_STR(num_duration(1000).s, "1.00us");
	T_STR(num_duration(9994).s, "9.99us");
	T_STR(num_duration(9996).s, "10.0us");
	T_STR(num_duration(99940).s, "99.9us");
	T_STR(num_duration(99960).s, "100us");
	T_STR(num_duration(999499).s, "999us");
	T_STR(num_duration(999500).s, "1.00ms");
	T_STR(num_duration(1500000000).s, "1.50s");
	T_STR(num_duration(7200000000000).s, "7200s");
}

TEST(figures)
{
	struct num_style style = { .figures = 7, .decimal = true };

	T_STR(num_rate_pair(265000000, style).s, "265000kB/s (258789KiB/s)");
	T_STR(num_iops(53000, style).s, "53000");
	style = (struct num_style){ .figures = 10, .bits = true };
	T_STR(num_rate_range_pair(225443840000, 225443840000, style).s,
	      "1761280000Kibit/s-1761280000Kibit/s (1803550720kbit/s-1803550720kbit/s)");
	style = (struct num_style){ .figures = 3, .bits = true };
	T_STR(num_rate_pair(28000, style).s, "219Kibit/s (224kbit/s)");
	style = (struct num_style){ .figures = 5 };
	T_STR(num_bytes_pair(123456, style).s, "120.6KiB (123.5kB)");
}

TEST(numbers_never_vanish)
{
	/* Unlike fio, which prints 0M and 0MiB here. */
	T_STR(num_scaled(122000, 1, false, "").s, "122k");
	T_STR(num_scaled(125000, 2, true, "B").s, "122KiB");
	T_STR(num_scaled(0, 0, true, "B").s, "0B");
	T_STR(num_scaled(UINT64_MAX, 4, true, "B").s, "16.0EiB");
	T_STR(num_scaled(UINT64_MAX, 4, false, "").s, "18.4E");
	T_STR(num_rate(UINT64_MAX, STYLE_BITS).s, "16.0Eibit/s");
}

static void check_latency(double min, double max, double mean, double stddev, const char *text)
{
	struct num_latency l = num_latency(min, max, mean, stddev);
	char got[300];

	snprintf(got, sizeof(got), "(%s): min=%s, max=%s, avg=%.2f, stdev=%.2f", l.unit,
		 num_latency_bound(l.min).s, num_latency_bound(l.max).s, l.mean, l.stddev);
	T_STR(got, text);
}

TEST(latency_lines)
{
	check_latency(781, 1973812, 3359.451, 62514.684,
		      "(nsec): min=781, max=1973.8k, avg=3359.45, stdev=62514.68");
	check_latency(4308, 98143, 9658.96, 12584.03,
		      "(nsec): min=4308, max=98143, avg=9658.96, stdev=12584.03");
	check_latency(50956, 1316121, 198212.512397, 90707.89957,
		      "(usec): min=50, max=1316, avg=198.21, stdev=90.71");
	check_latency(1992534, 126852432, 26950952.6, 35824654.254305,
		      "(usec): min=1992, max=126852, avg=26950.95, stdev=35824.65");
	check_latency(2001488, 126620709, 33632717.7, 37049176.457802,
		      "(msec): min=2, max=126, avg=33.63, stdev=37.05");
	check_latency(2500457, 99161559, 19996378.35, 26201522.181378,
		      "(usec): min=2500, max=99161, avg=19996.38, stdev=26201.52");
	check_latency(100008856, 101644621, 100590554.2, 682513.10456,
		      "(usec): min=100008, max=101644, avg=100590.55, stdev=682.51");
	check_latency(0, 0, 0, 0, "(nsec): min=0, max=0, avg=0.00, stdev=0.00");
}

static void check_percentile(uint64_t low, uint64_t high, uint64_t value, const char *text)
{
	struct num_percentile_unit unit = num_percentile_unit(low, high);
	char got[64];

	snprintf(got, sizeof(got), "%llu %s", (unsigned long long)num_percentile(value, unit),
		 unit.unit);
	T_STR(got, text);
}

TEST(percentile_tables)
{
	check_percentile(812, 1974272, 1974272, "1974272 nsec");
	check_percentile(5408, 109056, 5472, "6 usec");
	check_percentile(2801664, 73924608, 2801664, "2802 usec");
	check_percentile(1990656, 126353408, 126353408, "126354 usec");
	check_percentile(2506752, 99090432, 2506752, "2507 usec");
	check_percentile(2007040, 126353408, 126353408, "127 msec");
	check_percentile(100139008, 100139008, 100139008, "101 msec");
	check_percentile(0, 0, 0, "0 nsec");
}

TEST(sampled_bandwidth_unit)
{
	T_STR(num_bw_unit(923392, STYLE).unit, "KiB");
	T_STR(num_bw_unit(1025792, STYLE).unit, "KiB");
	T_STR(num_bw_unit(1049477, STYLE).unit, "MiB");
	T_EQ(num_bw_unit(1049477, STYLE).kilos, 1024);
	T_STR(num_bw_unit(974336, STYLE_1000).unit, "kB");
	T_STR(num_bw_unit(1025280, STYLE_1000).unit, "MB");
	T_EQ(num_bw_unit(1025280, STYLE_1000).kilos, 1000);
}
