/* The compiled table of services: what mkimage writes to /usr/lib/keelson/services.table and PID 1 loads. */
#ifndef KEELSON_SERVICE_TABLE_H
#define KEELSON_SERVICE_TABLE_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/service.h"

#define SERVICE_TABLE_PATH "/usr/lib/keelson/services.table"
#define SERVICE_TABLE_MAX (SERVICES_MAX * 4096u)

/* Append the table of a set that check_services has passed. Returns 0 or -ENOMEM. */
int service_table_encode(const struct service_set *set, struct buf *out, struct err *err);

/* Read a table. Every offset, enum and string is checked before the set is used; nothing is allocated. Returns 0,
 * -EBADMSG when it is damaged, -EPROTONOSUPPORT for another version. */
int service_table_decode(const void *data, size_t len, struct service_set *set, struct err *err);

#endif
