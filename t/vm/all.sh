# SPDX-License-Identifier: MIT
#
# Runs every script of t/vm/in in one virtual machine. To be sourced by bash scripts, which may give
# options for t/vm/run.sh.

exec bash "${SRCDIR:?}/t/vm/run.sh" --timeout=850 --each=500 "$@" "$SRCDIR"/t/vm/in/*.sh
