/* Ask PID 1 on this node for its services. */
#ifndef KEELSON_ASK_SERVICES_H
#define KEELSON_ASK_SERVICES_H

#include "api/service_rows.h"
#include "lib/err.h"

/* Returns 0, or negative errno with the reason; it waits for 5 s at most. */
int ask_services(struct service_rows *rows, struct err *err);

#endif
