/* What a datasource gives: who the machine is (instance id, name) and its document of user-data, read and checked. */
#ifndef KEELSON_SEED_H
#define KEELSON_SEED_H

#include <jansson.h>
#include <stdbool.h>

#include "config/report.h"
#include "lib/buf.h"
#include "lib/err.h"

#define META_DATA_MAX_BYTES ((size_t)64 << 10)

struct seed {
	char *source;	      /* "NoCloud on /dev/sr0" */
	char *instance_id;    /* never NULL when valid */
	char *local_hostname; /* NULL: none given */
	char *text;	      /* the document, unwrapped */
	json_t *values;	      /* the document's values */
	char *problems;	      /* errors and warnings, one a line; NULL: none */
	size_t errors;	      /* 0: valid */
};

void seed_free(struct seed *seed);

/* The two files of a seed as open descriptors; user_data or meta_data -1: it has none. */
struct seed_files {
	int user_data, meta_data;
	bool network_config, vendor_data; /* it has them as well: named, not used */
};

/* Read and check them in a confined child. `open` runs in the child with the caller's rights and fills in what it
 * opened. Returns 0 with seed->errors saying whether it is valid, or negative errno: it could not be read at all.
 * seed->source is the caller's to set. */
int seed_read(int (*open_files)(void *arg, struct seed_files *files, struct err *err), void *arg, struct seed *seed,
	      struct err *err);

/* What the child answered. It comes from where nothing is trusted: only its shape is believed, and applying checks
 * every path again. Pure. */
int seed_take_answer(const struct buf *answer, struct seed *seed, struct err *err);

/* Open the two files in a directory: the mounted seed. Neither may be a link. */
int seed_open_directory(const char *directory, struct seed_files *files, struct err *err);

/* meta_data.c: YAML or JSON; only the keys below are looked at. Strings are allocated, NULL where not given. */
struct meta_data {
	char *instance_id, *local_hostname;
};

int meta_data_read(const char *text, size_t len, struct meta_data *meta, struct report *report);
void meta_data_free(struct meta_data *meta);

#endif
