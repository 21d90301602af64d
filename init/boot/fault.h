/* When PID 1 cannot go on: a fault in its own code, or a boot step that failed. Both end in a restart. */
#ifndef KEELSON_FAULT_H
#define KEELSON_FAULT_H

#include <stdbool.h>

#include "lib/err.h"

/* Handle SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT on a stack of its own: one line on the consoles, 3 s for a child
 * to sync, then a restart. Every other signal is blocked: the supervisor takes them by signalfd. */
void prepare_for_faults(void);

/* Say why, count down 10 s, sync, restart. halt: stay on the message instead. */
_Noreturn void give_up(const char *step, const struct err *err, bool halt);

#endif
