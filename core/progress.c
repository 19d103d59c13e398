/* SPDX-License-Identifier: MIT */
/* The live line. A longer line is wiped by blanks, which every terminal understands. */
#include "core/progress.h"

#include "lib/printable.h"
#include "lib/strbuf.h"

#include <inttypes.h>
#include <string.h>

#define LINE_BYTES	512
#define STATES_SHOWN	12		/* groups of equal states before the rest is left out */

void progress_init(struct progress *p, FILE *out, enum progress_when when, bool terminal,
		   unsigned columns)
{
	bool on = when == PROGRESS_ALWAYS || (when == PROGRESS_AUTO && terminal);

	*p = (struct progress){
		.out = on ? out : NULL,
		.redraw = terminal,
		.columns = terminal ? columns : 0,
	};
}

static void put_states(struct strbuf *line, const char *states)
{
	unsigned groups = 0;

	strbuf_puts(line, ": [");
	while (*states && groups < STATES_SHOWN) {
		size_t same = strspn(states, (const char[]){ *states, '\0' });

		strbuf_printf(line, "%s%c(%zu)", groups++ ? "," : "", *states, same);
		states += same;
	}
	strbuf_puts(line, *states ? ",...]" : "]");
}

static const char letters[DIRS] = { [DIR_READ] = 'r', [DIR_WRITE] = 'w', [DIR_TRIM] = 't' };

/* "[r=1GiB/s,w=2GiB/s]" of the directions that move. */
static void put_rates(struct strbuf *line, const struct progress_view *v, struct num_style style)
{
	const char *before = "[";

	for (int i = 0; i < DIRS; i++) {
		if (!v->bytes_per_second[i] && !v->iops[i])
			continue;
		strbuf_printf(line, "%s%c=%s", before, letters[i],
			      num_rate(v->bytes_per_second[i], style).s);
		before = ",";
	}
	if (*before == '[')
		return;
	before = "][";
	for (int i = 0; i < DIRS; i++) {
		if (!v->bytes_per_second[i] && !v->iops[i])
			continue;
		strbuf_printf(line, "%s%c=%s", before, letters[i], num_iops(v->iops[i], style).s);
		before = ",";
	}
	strbuf_puts(line, " IOPS]");
}

/* "[p99=1.20ms]", or "[p99 r=1.20ms,w=340us]" */
static void put_p99(struct strbuf *line, const struct progress_view *v)
{
	int moving = !!v->p99_ns[DIR_READ] + !!v->p99_ns[DIR_WRITE] + !!v->p99_ns[DIR_TRIM];
	const char *before = "[p99 ";

	for (int i = 0; i < DIRS; i++) {
		struct num_text time = num_duration(v->p99_ns[i]);

		if (!v->p99_ns[i])
			continue;
		if (moving == 1)
			strbuf_printf(line, "[p99=%s", time.s);
		else
			strbuf_printf(line, "%s%c=%s", before, letters[i], time.s);
		before = ",";
	}
	if (moving)
		strbuf_puts(line, "]");
}

static void put_eta(struct strbuf *line, int64_t s)
{
	int64_t days = s / 86400, hours = s / 3600 % 24;

	strbuf_puts(line, "[eta ");
	if (days)
		strbuf_printf(line, "%02" PRId64 "d:", days);
	if (days || hours)
		strbuf_printf(line, "%02" PRId64 "h:", hours);
	strbuf_printf(line, "%02" PRId64 "m:%02" PRId64 "s]", s / 60 % 60, s % 60);
}

/* "laying out files: [43.1%][441MiB/1024MiB][900MiB/s][eta 00m:01s]" */
static void put_layout(struct strbuf *line, const struct progress_view *v, struct num_style style)
{
	strbuf_puts(line, v->layout);
	if (v->percent < 0)
		return;
	strbuf_printf(line, ": [%.1f%%]", v->percent);
	if (v->layout_bytes)
		strbuf_printf(line, "[%s/%s]", num_bytes(v->layout_done, style).s,
			      num_bytes(v->layout_bytes, style).s);
	if (v->bytes_per_second[DIR_WRITE])
		strbuf_printf(line, "[%s]", num_rate(v->bytes_per_second[DIR_WRITE], style).s);
	if (v->eta_s >= 0)
		put_eta(line, v->eta_s);
}

static void put_view(struct strbuf *line, const struct progress_view *v)
{
	struct num_style style = v->style;

	if (!style.figures)
		style.figures = NUM_FIGURES_DEFAULT;
	if (v->layout) {
		put_layout(line, v, style);
		return;
	}
	strbuf_printf(line, "Jobs: %u (f=%" PRIu64 ")", v->running, v->open_files);
	if (v->states && *v->states)
		put_states(line, v->states);
	if (v->percent >= 0)
		strbuf_printf(line, "[%.1f%%]", v->percent < 100 ? v->percent : 100.0);
	put_rates(line, v, style);
	put_p99(line, v);
	if (v->eta_s >= 0)
		put_eta(line, v->eta_s);
}

size_t progress_text(const struct progress_view *view, char *text, size_t n)
{
	struct strbuf line = STRBUF_INIT;
	size_t length;

	put_view(&line, view);
	length = fl_min(line.len, n - 1);
	memcpy(text, strbuf_str(&line), length);
	text[length] = '\0';
	printable_fix(text, length);
	strbuf_free(&line);
	return length;
}

void progress_update(struct progress *p, const struct progress_view *view, bool newline)
{
	char text[LINE_BYTES];
	size_t room = sizeof(text), length;

	if (!p->out)
		return;
	if (p->columns)		/* the last column stays free: some terminals wrap there */
		room = fl_min(room, (size_t)fl_max(p->columns, 2u));
	length = progress_text(view, text, room);
	if (!p->redraw) {
		fprintf(p->out, "%s\n", text);
	} else {
		int wipe = p->shown > length ? (int)(p->shown - length) : 0;

		fprintf(p->out, "\r%s%*s%s", text, wipe, "", newline ? "\n" : "");
		p->shown = newline ? 0 : (unsigned)length;
	}
	fflush(p->out);
}

void progress_clear(struct progress *p)
{
	if (!p->out || !p->shown)
		return;
	fprintf(p->out, "\r%*s\r", (int)p->shown, "");
	fflush(p->out);
	p->shown = 0;
}
