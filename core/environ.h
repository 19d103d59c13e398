/* SPDX-License-Identifier: MIT */
/* What ${VAR} and $ncpus mean on this machine, for job files and command lines alike. */
#ifndef CORE_ENVIRON_H
#define CORE_ENVIRON_H

#include "lib/subst.h"

/* environ_subst - the environment variables and the keywords; valid for the life of the process. */
const struct subst_env *environ_subst(void);

#endif
