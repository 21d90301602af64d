/* A fault in PID 1's own code ends in a restart. */
#ifndef KEELSON_FAULT_H
#define KEELSON_FAULT_H

/* Handle SIGSEGV, SIGBUS and their like on a stack of its own: one line on the consoles, 3 s for a child
 * to sync, then a restart. Every other signal is blocked: the supervisor takes them by signalfd. */
void prepare_for_faults(void);

#endif
