#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Sixty edits of files behind the program's back, and each damage on the way once; t/long has many.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"
. "$SRCDIR/t/verify-damage.sh"

damages 60 3

stack_builds
uring=io_uring
"$fio" --enghelp=io_uring >eng 2>&1 || uring=vsync
on_the_way none $uring 8 backlog write
on_the_way flip psync 1 after write
on_the_way zeros $uring 8 later write
on_the_way stale $uring 8 backlog write
on_the_way misdirected psync 1 later write
on_the_way torn $uring 8 after write
on_the_way shifted psync 1 backlog write
finish
