#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Sixty edits of files behind the program's back; t/long has a thousand.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"
. "$SRCDIR/t/verify-damage.sh"

damages 60 3
finish
