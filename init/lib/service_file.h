/* A service file: the part of systemd's unit files that Keelson supports, read strictly (configs/services/README.md).
 */
#ifndef KEELSON_SERVICE_FILE_H
#define KEELSON_SERVICE_FILE_H

#include <stddef.h>

#include "lib/err.h"
#include "lib/service.h"

#define SERVICE_FILE_MAX 65536

/* Parse the text of one file. file names it in errors ("configs/services/time.service:7:1: unknown key …") and gives
 * the service its name. Dependencies stay names: check_services resolves them. Returns 0, or -EINVAL with
 * file:line:column. */
int service_file_parse(const char *file, const char *text, size_t len, struct service *service, struct err *err);

/* Read and parse one file. Returns 0 or negative errno. */
int service_file_load(const char *path, struct service *service, struct err *err);

#endif
