#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Which lines of lib/, core/, os/ and engines/ the tests run: a build of its own in DIR, `make check`
# there, and a table per folder, with the files that are run least, and the lines of engines/ that
# nothing has run. Needs lcov.
#
#	coverage.sh [--faults] [--more] [--vm] DIR [WORD...]	words as in make check T=
#
#	--faults	the fault matrix, too
#	--more		make check-more, too, whose scripts find themselves in the words
#	--vm		what is in the virtual machine, too: t/vm/in and t/faults/in-guest.sh;
#			DIR is there by the same name, and must not be in /tmp, which the machine covers
#
# The floor for lib/ and core/ is 85 of 100 lines; below it the script fails.

set -eu
: "${SRCDIR:?}"
floor=85
faults=no more=no vm=no
while :; do
	case ${1-} in
	--faults) faults=yes ;;
	--more) more=yes ;;
	--vm) vm=yes ;;
	*) break ;;
	esac
	shift
done
dir=${1:?a directory for the build}
shift
command -v lcov >/dev/null || { echo 'lcov is not installed (apt-get install lcov)'; exit 77; }
mkdir -p "$dir"
cd "$dir"
dir=$PWD

case $vm:$dir in
yes:/tmp/*)
	echo "$dir: with --vm the directory must be outside of /tmp"
	exit 1
	;;
esac

# A worker ends by _exit(), which writes no counts by itself; and each engine that is a plugin has
# counts, and a function that writes them, of its own.
cat >counts.c <<'END'
static void (*write_counts[256])(void);
void counts_add(void (*fn)(void)) { for (int i = 0; i < 256; i++) if (!write_counts[i]) { write_counts[i] = fn; return; } }
void counts_remove(void (*fn)(void)) { for (int i = 0; i < 256; i++) if (write_counts[i] == fn) write_counts[i] = 0; }
void counts_write(void) { for (int i = 0; i < 256; i++) if (write_counts[i]) write_counts[i](); }
END
cat >exit.c <<'END'
void counts_add(void (*fn)(void));
void counts_remove(void (*fn)(void));
void counts_write(void);
void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
static void mine(void) { __gcov_dump(); }
__attribute__((constructor)) static void come(void) { counts_add(mine); }
__attribute__((destructor)) static void go(void) { counts_remove(mine); }
void __wrap__exit(int status)
{
	counts_write();
	__real__exit(status);
}
END
cc -fPIC -shared counts.c -o libcounts.so
cc -fPIC -c exit.c -o exit.o
"$SRCDIR/configure" CFLAGS='-O0 -g --coverage -fprofile-update=atomic' \
	LDFLAGS="-Wl,--wrap=_exit $dir/exit.o $dir/libcounts.so -Wl,-rpath,$dir" >/dev/null
status=0
# First: each process adds to the counts that it finds.
if [ $vm = yes ]; then
	make -j2 all test-programs >/dev/null
	SRCDIR=$SRCDIR BUILDDIR=$dir TOOLS=$dir/t/tools FIO_LIKE=$dir/fio-like bash \
		"$SRCDIR/t/vm/run.sh" --timeout=1800 --each=900 --mem=2G --out="$dir/vm" \
		--bring=/run/counts --env=GCOV_PREFIX=/run/counts --env=FAULT_STALL=3 \
		"$SRCDIR"/t/vm/in/*.sh "$SRCDIR/t/faults/in-guest.sh" || status=$?
	tar -C / -xzf vm/brought.tar.gz
fi
T_TIMEOUT=60 make check T="$*" || status=$?
[ $more = no ] || T_TIMEOUT=120 make check-more T="$*" || status=$?
if [ $faults = yes ]; then
	mkdir -p faults
	(cd faults && SRCDIR=$SRCDIR BUILDDIR=$dir TOOLS=$dir/t/tools FIO_LIKE=$dir/fio-like \
		FAULT_STALL=3 bash "$SRCDIR/t/faults/matrix.sh") || status=$?
fi

lcov -q --capture --directory . --base-directory "$SRCDIR" -o all.info 2>lcov.err || {
	cat lcov.err
	exit 1
}
lcov -q --extract all.info "$SRCDIR/*" -o ours.info 2>>lcov.err

# A file that two programs hold, as an engine and a test of it, is there twice: a line is run if
# either ran it. "file line count", sorted.
awk -v src="$SRCDIR/" '
	/^SF:/ {
		file = substr($0, 4 + length(src))
		folder = file
		sub("/.*", "", folder)
		counts = folder ~ /^(lib|core|os|engines)$/
	}
	/^DA:/ && counts {
		split(substr($0, 4), part, ",")
		run[file " " part[1]] += part[2]
	}
	END { for (line in run) print line, run[line] }' ours.info | sort -k 1,1 -k 2,2n >lines

# Lines by folder and by file.
awk -v floor=$floor '
	{
		folder = $1
		sub("/.*", "", folder)
		lines[folder]++
		flines[$1]++
		if ($3 > 0) {
			run[folder]++
			frun[$1]++
		}
	}
	END {
		for (file in flines)
			printf "%5.1f %5d %s\n", 100 * frun[file] / flines[file],
				flines[file] - frun[file], file >"files"
		n = split("lib core os engines", order)
		for (i = 1; i <= n; i++) {
			folder = order[i]
			if (!lines[folder])
				continue
			share = 100 * run[folder] / lines[folder]
			printf "%-8s %6d lines, %6d run, %.1f %%\n", folder, lines[folder],
				run[folder], share
			if (i <= 2 && share < floor)
				bad++
		}
		exit bad > 0
	}' lines || status=1
echo 'least run (percent, lines not run):'
sort -n files | head -n 25
echo 'lines of engines that nothing has run:'
awk '/^engines\// && $3 == 0 { print $1, $2 }' lines | while read -r file line; do
	printf '%s:%d:%s\n' "$file" "$line" "$(sed -n "${line}p" "$SRCDIR/$file")"
done
exit $status
