#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The cases of t/options by our program, by fio where it has the option, and by a program that
# ignores the option, where they have to fail.
#
#	options.sh [WORD...]	only the cases of options whose name contains a word

exec sh "$SRCDIR/t/options/cases.sh" ours,fio,ignoring "$@"
