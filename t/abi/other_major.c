/* SPDX-License-Identifier: MIT */
/* An engine of another major version. Behind the first two members nothing is as it was. */
#include <fio-like/engine.h>

static const struct { uint32_t abi_major, size; const char *what; } future = {
	FL_ABI_MAJOR + 1, 4096, "nothing that this version could read"
};

FL_ENGINE_EXPORT((const struct fl_engine *)&future);
