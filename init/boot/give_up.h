/* A boot step failed and the boot cannot go on. */
#ifndef KEELSON_GIVE_UP_H
#define KEELSON_GIVE_UP_H

#include <stdbool.h>

#include "lib/err.h"

/* Say why on every console, count down 10 s, sync, restart. halt: stay on the message instead. */
_Noreturn void give_up(const char *step, const struct err *err, bool halt);

#endif
