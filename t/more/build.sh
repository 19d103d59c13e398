#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A build beside the source tree, with the other compiler and no warning allowed; what it installs
# is enough to build a plugin; and what was installed goes away again. Without optimisation: this is
# about warnings and files, and has to be quick.

set -eu
if [ -n "${SANFLAGS-}" ]; then
	echo 'the build without sanitizers tests this'
	exit 77
fi
if command -v clang >/dev/null; then
	compiler=clang
else
	compiler=$CC
	echo "clang is not installed: built with $compiler"
fi

mkdir build
cd build
sh "$SRCDIR/configure" --cc="$compiler" --enable-werror --prefix="$PWD/usr" CFLAGS=-O0 \
	>configure.out
make -j2 test-programs >make.out 2>&1 || { cat make.out; exit 1; }
make -j2 >again.out 2>&1
if grep -E '^ +(CC|SO|LD|AR) ' again.out; then
	echo 'a second make built again what nobody had changed'
	exit 1
fi
touch -r gen/config.h stamp
sh "$SRCDIR/configure" --cc="$compiler" --enable-werror --prefix="$PWD/usr" CFLAGS=-O0 \
	>configure.out
[ ! gen/config.h -nt stamp ] || { echo 'configure wrote the same gen/config.h again'; exit 1; }

dest=$PWD/dest
make install DESTDIR="$dest" >/dev/null
root=$dest$PWD/usr
for file in bin/fio-like include/fio-like/engine.h lib/pkgconfig/fio-like.pc \
	share/bash-completion/completions/fio-like share/zsh/site-functions/_fio-like \
	share/fio-like/examples/etcd-log.ini share/doc/fio-like/README.md; do
	[ -f "$root/$file" ] || { echo "not installed: $file"; exit 1; }
done
if command -v pkg-config >/dev/null; then
	cat >plugin.c <<'END'
#include <fio-like/engine.h>
static const struct fl_engine plugin = { FL_ENGINE_HEAD, .name = "plugin" };
FL_ENGINE_EXPORT(&plugin);
END
	flags=$(PKG_CONFIG_PATH="$root/lib/pkgconfig" \
		pkg-config --define-variable=prefix="$root" --cflags fio-like)
	$CC -shared -fPIC plugin.c -o plugin.so $flags
fi
make uninstall DESTDIR="$dest" >/dev/null
left=$(find "$root" -type f -o -type d -name fio-like)
[ -z "$left" ] || { echo 'left behind by uninstall:'; echo "$left"; exit 1; }

make distclean
left=$(find . -name '*.o' -o -name '*.so' ! -name plugin.so -o -name config.mk)
[ -z "$left" ] || { echo 'left behind by distclean:'; echo "$left"; exit 1; }
