/* How a program that udhcpc or ntpd ran hands its message to the service that started it. */
#ifndef KEELSON_SEND_EVENT_H
#define KEELSON_SEND_EVENT_H

#include <stddef.h>

#include "lib/err.h"

/* Connect to the service's datagram socket. Returns the descriptor. */
int event_connect(const char *path, struct err *err);

/* Give up every capability for good: what comes next reads what a stranger sent. */
void give_up_capabilities(void);

/* The service's end: a socket of its own at PATH, not blocking, for root alone. Returns the descriptor. */
int event_listen(const char *path, struct err *err);

#endif
