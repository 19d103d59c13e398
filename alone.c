#include "fio-like/window.h"
#include "fio-like/window.h"
