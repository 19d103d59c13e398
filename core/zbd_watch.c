/* SPDX-License-Identifier: MIT */
#include "core/zbd_watch.h"
#include "core/zbd_share.h"

struct watch {
	const struct crew *crew;
};

struct sums {
	uint64_t resets, finishes, recovered, waits, dropped;
	bool any;
};

static void on_fill(void *self, const struct observed *run, struct result *r)
{
	(void)r;
	((struct watch *)self)->crew = run->crew;
}

static struct sums sum(const struct watch *w, const struct result_job *j)
{
	struct sums s = { .any = false };

	for (size_t i = 0; w->crew && i < (size_t)j->jobs; i++) {
		const struct zbd_share *z = w->crew->jobs[j->members[i]].setup.zones;

		if (!z)
			continue;
		s.any = true;
		s.resets += z->resets;
		s.finishes += z->finishes;
		s.recovered += z->recovered;
		s.waits += z->waits;
		s.dropped += z->dropped;
	}
	return s;
}

static void job_text(const void *self, const struct result *r, const struct result_job *j,
		     FILE *out)
{
	struct sums s = sum(self, j);

	(void)r;
	if (!s.any)
		return;
	fprintf(out, "  zones        : %llu reset, %llu finished", (unsigned long long)s.resets,
		(unsigned long long)s.finishes);
	if (s.recovered)
		fprintf(out, ", %llu recovered", (unsigned long long)s.recovered);
	if (s.waits)
		fprintf(out, ", %llu waits", (unsigned long long)s.waits);
	if (s.dropped)
		fprintf(out, ", %llu I/Os without a zone", (unsigned long long)s.dropped);
	fprintf(out, "\n");
}

static void job_json(const void *self, const struct result *r, const struct result_job *j,
		     struct json *doc)
{
	struct sums s = sum(self, j);

	(void)r;
	if (!s.any)
		return;
	json_object(doc, "zones");
	json_u64(doc, "resets", s.resets);
	json_u64(doc, "finishes", s.finishes);
	json_u64(doc, "recovered", s.recovered);
	json_u64(doc, "waits", s.waits);
	json_u64(doc, "without_zone", s.dropped);
	json_end(doc);
}

const struct observer zbd_observer = {
	.name = "zones",
	.state_bytes = sizeof(struct watch),
	.fill = on_fill,
	.job_text = job_text,
	.job_json = job_json,
};
