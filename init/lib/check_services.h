/* Many services become one set: every name known, no cycle, dependencies resolved to indexes. */
#ifndef KEELSON_CHECK_SERVICES_H
#define KEELSON_CHECK_SERVICES_H

#include "lib/err.h"
#include "lib/service.h"

/* Put one more service into the set. Returns 0, -EEXIST for a name that is there, -E2BIG when the set is full. */
int service_set_add(struct service_set *set, const struct service *service, struct err *err);

/* Sort by name, resolve After, Before, Requires and Wants, and refuse unknown names ("kubelet.service: After: no
 * service "contanerd", did you mean "containerd"?") and cycles ("cycle: a after b after a"). Returns 0 or -EINVAL. */
int check_services(struct service_set *set, struct err *err);

/* All of it for a folder: every NAME.service in it, parsed and checked. Returns 0 or negative errno. */
int service_set_load(const char *folder, struct service_set *set, struct err *err);

#endif
