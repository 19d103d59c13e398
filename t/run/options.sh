#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each option does something: the cases of t/options, run by our program. check-long compares with
# fio, too, and with a build that ignores the option.
#
#	options.sh [WORD...]	only the cases of options whose name contains a word

exec sh "$SRCDIR/t/options/cases.sh" ours "$@"
