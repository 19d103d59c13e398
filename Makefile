# SPDX-License-Identifier: MIT
#
# The whole build in one file. Sources are found by wildcard: a new file needs no line here.
#
#	lib/*.c os/*.c core/*.c main.c	the program
#	engines/NAME.c			built in, or engines/NAME.so, as configure said
#	t/unit t/tools t/bench t/fuzz	one program per .c file
#
# It also serves builds outside of the source tree: configure leaves a Makefile there that names
# the source tree and includes this file. V=1 shows the commands.

srcdir ?= .
S := $(if $(filter .,$(srcdir)),,$(srcdir)/)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += -rR
# Plain 'make' uses the machine; -j on the command line decides otherwise.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# ---- Configuration ------------------------------------------------------------------------------

ifneq ($(filter-out clean distclean dist help,$(or $(MAKECMDGOALS),all)),)
include config.mk
endif

config.mk: $(S)configure $(S)VERSION
	@if [ -f $@ ]; then echo "configure has changed: running it again"; fi; \
	eval "sh $(S)configure $$FL_CONFIGURE_ARGS" || { rm -f $@; exit 1; }
export FL_CONFIGURE_ARGS := $(CONFIGURE_ARGS)

# Only when somebody removed it.
gen/config.h:
	@eval "sh $(S)configure $$FL_CONFIGURE_ARGS"

ifeq ($(V),1)
Q :=
say =
else
Q := @
say = @printf '  %-8s %s\n' $(1) $(2)
endif

# ---- Flags --------------------------------------------------------------------------------------

WARN := -Wall -Wextra $(WERROR)
# In messages and asserts a file has its name in the source tree, wherever the build is.
BASE := -std=gnu11 $(WARN) -fvisibility=hidden $(if $(S),-fmacro-prefix-map=$(S)=)
FL_CPPFLAGS := -I. $(if $(S),-I$(srcdir)) -I$(S)include $(CPPFLAGS)
# Engines get what strangers get: the public headers, nothing else.
FL_ENGINE_CPPFLAGS := -I$(S)include $(CPPFLAGS)
FL_CFLAGS := $(BASE) $(CFLAGS) $(SANFLAGS) -pthread
FL_LDFLAGS := $(LDFLAGS) $(CFLAGS) $(SANFLAGS) $(STATIC) -pthread

# ---- Files --------------------------------------------------------------------------------------

here = $(patsubst $(S)%,%,$(wildcard $(addprefix $(S),$(1))))
words_c = $(subst -,_,$(1))

ENGINE_NAMES := $(filter-out $(ENGINES_ABSENT),$(patsubst engines/%.c,%,$(call here,engines/*.c)))
# What configure knows nothing of needs no library; in a static program it goes inside too.
BUILTIN := $(filter $(if $(STATIC),%,$(ENGINES_BUILTIN)),$(ENGINE_NAMES))
PLUGIN := $(filter-out $(BUILTIN),$(ENGINE_NAMES))
PLUGIN_SO := $(PLUGIN:%=engines/%.so)

CORE_OBJ := $(patsubst %.c,obj/%.o,$(call here,lib/*.c os/*.c core/*.c))
BUILTIN_OBJ := $(BUILTIN:%=obj/builtin/%.o) obj/gen/builtin.o obj/gen/examples.o
MAIN_OBJ := $(patsubst %.c,obj/%.o,$(call here,main.c))
ENGINE_LIBS := $(foreach e,$(BUILTIN),$(ENGINE_LIBS_$(e)))

progs = $(filter-out t/fuzz/main,$(patsubst %.c,%,$(call here,t/$(1)/*.c)))
UNIT := $(call progs,unit)
TOOLS := $(call progs,tools)
BENCH := $(call progs,bench)
FUZZ := $(call progs,fuzz)
REPLAY := $(FUZZ:t/fuzz/%=t/replay/%)
# Tools of test code alone, called by the thousand: no sanitizer looks at them. And what of lib/ is
# theirs.
TOOLS_ALONE := $(addprefix t/tools/,blocks daxbytes hint jsonq layers powercut refuse serve stats sums \
	tally twins valid vcheck)
TOOL_PARTS_blocks := lib/base.c lib/rand.c lib/zip.c
TEST_PROGS := $(UNIT) $(TOOLS) $(BENCH) $(REPLAY)
# The archive gives each test the parts that it uses; a test may bring its own copy of one.
ARCHIVE := obj/fio-like.a

ifneq ($(MAIN_OBJ),)
PROGRAM := fio-like
endif

# ---- Build --------------------------------------------------------------------------------------

.PHONY: all run stories check check-valgrind check-more check-long soak bench doc coverage lint install \
	uninstall clean distclean dist tidy fuzz \
	test-programs help FORCE

all: $(PROGRAM) $(PLUGIN_SO)
	@rm -f $(STALE_SO)

# What an earlier configuration built must not be found beside the program.
STALE_SO := $(ENGINES_ABSENT:%=engines/%.so) $(BUILTIN:%=engines/%.so)

# A file that changes only when its text does, so that other flags rebuild and the same do not.
define write_if_changed
	@mkdir -p $(@D); printf '%s\n' $(1) >$@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef

flags_text := $(CC) $(FL_CPPFLAGS) $(FL_CFLAGS) $(FL_LDFLAGS) $(LIBS) $(ENGINE_LDFLAGS)
gen/flags: FORCE
	$(call write_if_changed,'$(subst ','\'',$(flags_text))')
FORCE:

gen/builtin.c: FORCE
	$(call write_if_changed,'/* Written by make: the engines inside the program. */' \
		'#include "fio-like/engine.h"' '' \
		'extern const struct fl_engine *const *const engines_builtin[];' \
		$(foreach e,$(call words_c,$(BUILTIN)),'extern const struct fl_engine *const fl_builtin_$(e)[];') \
		'' 'const struct fl_engine *const *const engines_builtin[] = {' \
		$(foreach e,$(call words_c,$(BUILTIN)),'	fl_builtin_$(e)$(comma)') '	NULL' '};')
comma := ,

# The job files of examples/ go into the program as strings; C takes them line by line.
EXAMPLES := $(sort $(call here,examples/*.ini))
gen/examples.c: $(EXAMPLES:%=$(S)%) $(S)examples $(S)examples/embed.awk
	$(Q)mkdir -p gen
	$(Q)LC_ALL=C awk -f $(S)examples/embed.awk $(EXAMPLES:%=$(S)%) >$@.new && mv $@.new $@

fio-like: $(MAIN_OBJ) $(CORE_OBJ) $(BUILTIN_OBJ) gen/flags
	$(call say,LD,$@)
	$(Q)$(CC) $(FL_LDFLAGS) -o $@ $(filter %.o,$^) $(ENGINE_LIBS) $(LIBS)

$(ARCHIVE): $(CORE_OBJ) $(BUILTIN_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

obj/%.o: $(S)%.c gen/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FL_CPPFLAGS) $(FL_CFLAGS) -MMD -MP -c -o $@ $<

obj/gen/%.o: gen/%.c gen/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FL_CPPFLAGS) $(FL_CFLAGS) -MMD -MP -c -o $@ $<

obj/builtin/%.o: $(S)engines/%.c gen/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FL_ENGINE_CPPFLAGS) $(FL_CFLAGS) -DFL_BUILTIN=$(call words_c,$*) -MMD -MP -c -o $@ $<

engines/%.so: $(S)engines/%.c gen/flags
	$(call say,SO,$@)
	@mkdir -p $(@D) obj/plugin
	$(Q)$(CC) $(FL_ENGINE_CPPFLAGS) $(FL_CFLAGS) -fPIC -shared $(LDFLAGS) $(ENGINE_LDFLAGS) \
		-MMD -MP -MF obj/plugin/$*.d -MT $@ -o $@ $< $(ENGINE_LIBS_$*)

# ---- Test programs ------------------------------------------------------------------------------

# It holds the engine, with another kernel below it.
t/unit/engine_uring: ENGINE_LIBS += $(ENGINE_LIBS_io_uring)

link_test = $(Q)$(CC) $(FL_LDFLAGS) -o $@ $(filter %.o,$^) $(ARCHIVE) $(ENGINE_LIBS) $(LIBS)

$(UNIT) $(filter-out $(TOOLS_ALONE),$(TOOLS)) $(BENCH): %: obj/%.o $(ARCHIVE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(link_test)

t/tools/blocks: $(TOOL_PARTS_blocks:%=$(S)%)
$(TOOLS_ALONE): t/tools/%: $(S)t/tools/%.c gen/flags
	$(call say,CC,$@)
	@mkdir -p $(@D) obj/t/tools
	$(Q)$(CC) $(FL_CPPFLAGS) $(BASE) $(CFLAGS) $(LDFLAGS) -pthread -MMD -MP -MF obj/t/tools/$*.d \
		-MT $@ -o $@ $(filter %.c,$^) $(LIBS)

$(REPLAY): t/replay/%: obj/t/fuzz/%.o obj/t/fuzz/main.o $(ARCHIVE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(link_test)

# The program, but that it ignores the option named in $FIO_LIKE_IGNORE: for t/options.
IGNORING := $(if $(PROGRAM),obj/ignoring/fio-like)

obj/ignoring/opt_set.o: $(S)core/opt_set.c gen/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(FL_CPPFLAGS) $(FL_CFLAGS) -DOPT_IGNORE -MMD -MP -c -o $@ $<

$(IGNORING): obj/ignoring/opt_set.o $(MAIN_OBJ) $(filter-out obj/core/opt_set.o,$(CORE_OBJ)) $(BUILTIN_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(FL_LDFLAGS) -o $@ $(filter %.o,$^) $(ENGINE_LIBS) $(LIBS)

# Fuzzers carry their own objects: clang's, with coverage and both sanitizers.
FUZZ_FLAGS := -O1 -g -std=gnu11 -Wall -Wextra -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined -fno-omit-frame-pointer -pthread
FUZZ_OBJ := $(CORE_OBJ:obj/%=obj/fuzz/%) $(BUILTIN:%=obj/fuzz/builtin/%.o) obj/fuzz/gen/builtin.o \
	obj/fuzz/gen/examples.o

obj/fuzz/builtin/%.o: $(S)engines/%.c gen/flags
	$(call say,FUZZ-CC,$@)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FL_ENGINE_CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link \
		-DFL_BUILTIN=$(call words_c,$*) -MMD -MP -c -o $@ $<

obj/fuzz/gen/%.o: gen/%.c gen/flags
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FL_CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

obj/fuzz/%.o: $(S)%.c gen/flags
	$(call say,FUZZ-CC,$@)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FL_CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

obj/fuzz/fio-like.a: $(FUZZ_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

$(FUZZ): t/fuzz/%: obj/fuzz/t/fuzz/%.o obj/fuzz/fio-like.a
	$(call say,FUZZ-LD,$@)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(ENGINE_LIBS) $(LIBS)

ifneq ($(FUZZ_CC),)
fuzz: $(FUZZ)
else
fuzz:
	@echo "fuzz: no clang with libFuzzer was found; on Debian: apt-get install clang" \
		"libclang-rt-dev, then run configure again" >&2; exit 1
endif

# ---- Tests --------------------------------------------------------------------------------------

test-programs: all $(TEST_PROGS) $(IGNORING)

test_env = SRCDIR='$(abspath $(srcdir))' BUILDDIR='$(CURDIR)' FIO_LIKE='$(CURDIR)/fio-like' \
	TOOLS='$(CURDIR)/t/tools' CC='$(CC)' SANFLAGS='$(SANFLAGS)'

# T=WORD... runs only the tests whose name contains one of the words.
check: test-programs
	@$(test_env) sh $(S)t/check.sh unit,run,fuzz $(if $(SANFLAGS),300,120) $(T)

# The unit tests under valgrind's memcheck.
check-valgrind: test-programs
	@if command -v valgrind >/dev/null; then \
		$(test_env) CHECK_VALGRIND=1 sh $(S)t/check.sh unit 300 $(T); \
	else \
		echo 'no valgrind here; ./configure --install-deps=vm, as root, installs it'; \
		echo '0 passed, 0 failed, 1 skipped'; \
	fi

check-more: test-programs
	@$(test_env) sh $(S)t/check.sh more 600 $(T)

check-long: test-programs
	@$(test_env) sh $(S)t/check.sh long 900 $(T)

soak: test-programs
	@$(test_env) sh $(S)t/check.sh soak 21600 $(T)

bench: all $(BENCH)
	@$(test_env) sh $(S)t/bench/run.sh

# In the folder cov/ of the build.
coverage:
	@$(test_env) bash $(S)t/coverage.sh cov $(T)

lint:
	@$(test_env) bash $(S)t/long/lint.sh $(T)

tidy: t/tools/layers
	@$(test_env) sh $(S)t/layers.sh --strict

run: all
	./fio-like $(S)jobs/fread.ini

# The charts and outputs of doc/stories.md, from a run of the four story jobs on this machine.
stories: all t/tools/jsonq
	@$(test_env) sh $(S)doc/stories/draw.sh

# The generated parts of the manual. Only where every engine was built: a page must lack none.
doc: $(PLUGIN_SO) t/tools/gendoc
ifneq ($(ENGINES_ABSENT),)
	@echo "doc: these engines could not be built here and would be missing: $(ENGINES_ABSENT)" >&2
	@exit 1
else
	$(Q)t/tools/gendoc --engines=engines options $(S)t/options >$(S)doc/options.md.new
	$(Q)mv $(S)doc/options.md.new $(S)doc/options.md
	$(Q)t/tools/gendoc --engines=engines man $(S)doc/fio-like.1.in >$(S)doc/fio-like.1.new
	$(Q)mv $(S)doc/fio-like.1.new $(S)doc/fio-like.1
endif

# ---- Install ------------------------------------------------------------------------------------

bindir = $(prefix)/bin
share = $(prefix)/share/fio-like
docs = $(prefix)/share/doc/fio-like
enginedir = $(libdir)/fio-like/engines
headers = $(prefix)/include/fio-like
man = $(prefix)/share/man

# Each entry is FILE:DIRECTORY[:MODE]; install and uninstall read the same list.
installed = fio-like:$(bindir):755 gen/fio-like.pc:$(libdir)/pkgconfig \
	$(foreach f,$(PLUGIN_SO),$(f):$(enginedir):755) \
	$(foreach f,$(call here,include/fio-like/*.h),$(S)$(f):$(headers)) \
	$(S)doc/result.schema.json:$(share) \
	$(foreach f,$(call here,README.md CHANGELOG.md LICENSE),$(S)$(f):$(docs)) \
	$(foreach f,$(call here,doc/*.md),$(S)$(f):$(docs)/doc) \
	$(foreach f,$(call here,doc/*.[1-9]),$(S)$(f):$(man)/man$(subst .,,$(suffix $(f)))) \
	$(S)completion/bash/fio-like:$(prefix)/share/bash-completion/completions \
	$(S)completion/zsh/_fio-like:$(prefix)/share/zsh/site-functions \
	$(foreach f,$(shared_files),$(S)$(f):$(patsubst %/,%,$(share)/$(dir $(f))):$(if $(filter %.sh,$(f)),755,644))
shared_files = $(filter-out %.so %.o %.a,$(call plain_files,jobs/* examples/* examples/*/*))
plain_files = $(foreach f,$(call here,$(1)),$(if $(wildcard $(S)$(f)/.),,$(f)))

pc_text = 'prefix=$(prefix)' 'includedir=$${prefix}/include' 'enginedir=$(enginedir)' '' \
	'Name: fio-like' 'Description: the engine interface of fio-like, a storage job runner' \
	'Version: $(VERSION)' 'Cflags: -I$${includedir}'

gen/fio-like.pc: FORCE
	$(call write_if_changed,$(pc_text))

install: all gen/fio-like.pc
	$(call say,INSTALL,$(DESTDIR)$(prefix))
	$(Q)set -e; $(foreach i,$(installed),$(call put,$(subst :, ,$(i))))
put = install -D -m $(or $(word 3,$(1)),644) $(word 1,$(1)) '$(DESTDIR)$(word 2,$(1))/$(notdir $(word 1,$(1)))';

uninstall:
	$(call say,REMOVE,$(DESTDIR)$(prefix))
	$(Q)rm -f $(foreach i,$(installed),$(call gone,$(subst :, ,$(i))))
	$(Q)for d in '$(DESTDIR)$(share)' '$(DESTDIR)$(docs)' '$(DESTDIR)$(libdir)/fio-like' '$(DESTDIR)$(headers)'; do \
		[ ! -d "$$d" ] || find "$$d" -depth -type d -empty -delete; done
gone = '$(DESTDIR)$(word 2,$(1))/$(notdir $(word 1,$(1)))'

# ---- Housekeeping -------------------------------------------------------------------------------

clean:
	$(Q)rm -rf obj gen/flags gen/builtin.c gen/fio-like.pc t/replay $(TEST_PROGS) $(FUZZ)
	$(Q)rm -f fio-like engines/*.so

distclean: clean
	$(Q)rm -rf gen config.mk config.log engines/.build-tree
	$(if $(S),$(Q)rm -f Makefile)

# From the files that git knows, as they lie in the tree.
dist:
	$(Q)set -e; name=fio-like-$$(cat $(S)VERSION); out=$(CURDIR)/$$name.tar.gz; cd $(srcdir); \
	git ls-files -z | tar --null -T - --transform "flags=r;s,^,$$name/," --sort=name \
		--owner=0 --group=0 --numeric-owner -czf "$$out"; echo "$$out"

help:
	@echo 'make [all]        the program and its engines'
	@echo 'make run          build and run jobs/fread.ini'
	@echo 'make stories      run the jobs of doc/stories.md and draw its charts, with gnuplot'
	@echo 'make check        the tests (T=WORD: only those with WORD in their name)'
	@echo 'make check-valgrind  the unit tests under valgrind'
	@echo 'make check-more   whole suites       make check-long   slower tests'
	@echo 'make soak         tests that take hours'
	@echo 'make bench        measure            make fuzz   build the fuzzers, with clang'
	@echo 'make coverage     which lines the tests run, with lcov'
	@echo 'make lint         clang-tidy and cppcheck on all sources, or on the files of T='
	@echo 'make tidy         layers, lengths, widths'
	@echo 'make doc          write doc/options.md and doc/fio-like.1 anew'
	@echo 'make install uninstall dist clean distclean'
	@echo 'V=1 shows the commands; DESTDIR=DIR goes before every installed path'

-include $(wildcard obj/*.d obj/*/*.d obj/*/*/*.d obj/*/*/*/*.d)
