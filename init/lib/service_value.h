/* One value of a service file, and the rows of the table of keys. Private to service_file.c, service_keys.c,
 * service_value.c. */
#ifndef KEELSON_SERVICE_VALUE_H
#define KEELSON_SERVICE_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/service.h"

#define SERVICE_VALUE_MAX 4096
#define SERVICE_VALUE_LINES 64

/* A value with its continuation lines joined, which still knows where each character stands in the file. */
struct value {
	const char *file;
	char text[SERVICE_VALUE_MAX];
	size_t len;
	struct {
		size_t offset;	       /* from here on … */
		unsigned line, column; /* … the text stands here */
	} pieces[SERVICE_VALUE_LINES];
	unsigned piece_count;
};

struct service_key {
	const char *section, *name;
	int (*parse)(const struct value *value, const struct service_key *key, struct service *service,
		     struct err *err);
	size_t offset;		  /* of the field in struct service */
	int64_t min, max;	  /* where they mean something */
	const char *const *names; /* of an enum */
	const char *help;
};

extern const struct service_key service_keys[]; /* ends with a NULL name */

/* "file:line:column: …" for a character of the value. Returns -EINVAL. */
int value_error(const struct value *value, size_t offset, struct err *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Parsers, by kind of value. Lists append, and an empty value empties them, as in systemd. */
int value_bool(const struct value *, const struct service_key *, struct service *, struct err *);
int value_enum(const struct value *, const struct service_key *, struct service *, struct err *);
int value_time(const struct value *, const struct service_key *, struct service *, struct err *);
int value_bytes(const struct value *, const struct service_key *, struct service *, struct err *);
int value_limit(const struct value *, const struct service_key *, struct service *, struct err *);
int value_i16(const struct value *, const struct service_key *, struct service *, struct err *);
int value_text(const struct value *, const struct service_key *, struct service *, struct err *);
int value_names(const struct value *, const struct service_key *, struct service *, struct err *);
int value_words(const struct value *, const struct service_key *, struct service *, struct err *);
int value_paths(const struct value *, const struct service_key *, struct service *, struct err *);
int value_environment(const struct value *, const struct service_key *, struct service *, struct err *);
int value_command(const struct value *, const struct service_key *, struct service *, struct err *);
int value_probe(const struct value *, const struct service_key *, struct service *, struct err *);
int value_capabilities(const struct value *, const struct service_key *, struct service *, struct err *);

#endif
