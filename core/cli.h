/* SPDX-License-Identifier: MIT */
/*
 * The command line, as people have typed it for fio for years.
 *
 * --opt=v, --opt v, -opt=v and -opt v are the same; names may be cut short while that is
 * unambiguous; options that may stand bare take a value only behind '='; options and job files
 * come in any order; -- ends the options. --name=JOB begins a job; what stands before the first
 * one, or behind --name=global, is a default for all jobs, weaker than what a job file says.
 */
#ifndef CORE_CLI_H
#define CORE_CLI_H

#include "core/cli_flags.h"
#include "core/opt.h"
#include "core/spec.h"

/* What the command line is told about the options of jobs, which live in a layer above. */
struct cli_rows {
	/*
	 * find - the row of an option, by name or alias, exact ('-' equals '_'), among the
	 * runner's own and those of this engine (NULL: the default one). Returns 0 with a copy in
	 * *out, or -ENOENT.
	 */
	int (*find)(void *ctx, const char *option, const char *engine, struct fl_opt *out);
	/* name - the i-th of these names, aliases too, in any order; NULL behind the last. */
	const char *(*name)(void *ctx, const char *engine, size_t i);
	void *ctx;
};

struct cli {
	struct cli_flags flags;
	struct spec *spec;	/* owned; the jobs of the command line, then of the files */
};

/*
 * cli_parse - read argv[1] and the following, then the job files they name.
 *
 * The default settings of the command line are in cli->spec->global, before those of the files.
 * Values have had ${VAR} and keywords replaced; they are not parsed. Every setting of a job has a
 * row, except for names without effect (fionames_no_effect). Under CLI_PARSE_ONLY there may be no
 * job at all: then the global settings are what is to be checked. For CLI_CMDHELP and below no
 * file is read.
 *
 * Returns 0, or -EINVAL when complaints went to diag. cli is to be freed by cli_free() either way;
 * argv must outlive it.
 */
int cli_parse(struct cli *cli, int argc, char **argv, const struct cli_rows *rows,
	      struct diag *diag);
void cli_free(struct cli *cli);

#endif
