/* Build JSON trees without a check at every step: out of memory ends the process, which has written nothing yet. */
#ifndef KEELSON_CLUSTER_JSON_BUILD_H
#define KEELSON_CLUSTER_JSON_BUILD_H

#include <jansson.h>

#include "config/node_config.h"
#include "lib/buf.h"

/* Ends the process with a line on standard error. */
_Noreturn void json_out_of_memory(void);

/* The value itself; NULL ends the process. */
json_t *json_must(json_t *value);

/* A string, by printf's rules. */
json_t *json_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Set object[key] = value, taking the reference. */
void json_put(json_t *object, const char *key, json_t *value);
void json_put_text(json_t *object, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
void json_push(json_t *array, json_t *value);

/* Put overlay over base: objects are merged key by key, anything else replaces. */
void json_merge(json_t *base, const json_t *overlay);

#endif
