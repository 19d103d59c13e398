/* SPDX-License-Identifier: MIT */
/*
 * What the user wrote, as text: sections and their settings in order, each with its origin.
 *
 * Nothing is interpreted here, so that the result can echo the words of the user, and so that the
 * job file, its includes and the command line all arrive in one form.
 */
#ifndef CORE_SPEC_H
#define CORE_SPEC_H

#include "core/diag.h"
#include "core/opt.h"
#include "lib/arena.h"

struct setting {
	char *name;		/* as written */
	char *value;		/* variables and keywords replaced; NULL: bare option */
	struct origin at;	/* at.col: where the name begins */
	int value_col;		/* where the value begins in at.text; 0: not known */
};

/* An ordered list of settings. All zero is an empty one. The arrays are owned by the spec. */
struct settings {
	struct setting *list;
	size_t count;
};

/*
 * One job section, with the global settings that were in force where it stood (a copy; weaker
 * than its own). Command-line defaults come first in `global`, before those of the file.
 */
struct section {
	char *name;
	struct origin at;
	struct settings global;
	struct settings own;
	int file;		/* which input it came from: 0 is the command line's jobs and the
				 * first job file; each later job file begins a new group after a
				 * stonewall */
};

struct spec {
	struct section *sections;
	size_t count;
	struct settings global;	/* all global settings, for the echo in the result */
	int files;		/* how many job files were read */
	bool stdin_read;	/* "-" was among them */
	struct arena arena;	/* what the origins point to; for whoever adds to the spec, too */
};

/* spec_new, spec_free - an empty spec, never NULL; free everything it owns. */
struct spec *spec_new(void);
void spec_free(struct spec *s);

/*
 * settings_add - append one setting; strings are copied, origin strings are kept by pointer.
 * Returns it; valid until the next call.
 */
struct setting *settings_add(struct settings *s, const char *name, const char *value,
			     const struct origin *at);
/* settings_append - append copies of all settings of another list. */
void settings_append(struct settings *s, const struct settings *more);
/* settings_free - for lists that no spec owns; it is empty afterwards. */
void settings_free(struct settings *s);

/*
 * setting_value_at - the origin for a complaint about the value: its column, if known, else the
 * name's.
 */
struct origin setting_value_at(const struct setting *s);

/* settings_last - the last setting of this name, '-' equals '_'; or NULL. */
const struct setting *settings_last(const struct settings *s, const char *name);
/* section_last - the same among those that a section's job has: its own go before the global. */
const struct setting *section_last(const struct section *sec, const char *name);
/* section_given - the same for an option, under whichever of its names it was given. */
const struct setting *section_given(const struct section *sec, const struct fl_opt *row);

/*
 * settings_echo - call fn for the settings as a result shows them: in order, those of a job file
 * with kb_base and unit_base first and filename last; and of options given twice the last one only
 * (of filename all).
 * canon: the name an alias stands for; NULL: names are shown as written.
 */
void settings_echo(const struct settings *s, const char *(*canon)(void *ctx, const char *name),
		   void (*fn)(void *ctx, const char *name, const struct setting *setting),
		   void *ctx);

/*
 * spec_read_file - read one job file ("-" is standard input) with its includes, which are looked
 * for as given first and then beside the file that names them.
 * defaults: settings of the command line that are weaker than the file's own; may be NULL. They are
 *           not added to s->global.
 * only:     names of the sections wanted (--section), NULL-ended; NULL: all. [global] is
 *           always read.
 * Returns 0, or -EINVAL when complaints went to diag (all of the file's at once). A file without a
 * section is no error here. "-" for a second time adds nothing.
 */
int spec_read_file(struct spec *s, const char *path, const struct settings *defaults,
		   const char *const *only, struct diag *diag);

/*
 * spec_read_text - the same for all sections of a text in memory, called name in messages.
 * Nothing is opened: an include is an error.
 */
int spec_read_text(struct spec *s, const char *name, const char *text, size_t len,
		   struct diag *diag);

/*
 * spec_add_section - begin a section (--name on the command line). The pointer lives until the
 * next call.
 */
struct section *spec_add_section(struct spec *s, const char *name, const struct origin *at,
				 int file);

/*
 * spec_show - print the jobs that came from files as one command line per file (--showcmd), quoted
 * for a shell: the global settings first, then each job behind its --name.
 */
void spec_show(const struct spec *s, const char *program, FILE *out);

#endif
