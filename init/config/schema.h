/* The one table of keys: what a document may say, what each value must look like, what holds when it says nothing.
 *
 * Reading, `keelson validate --keys`, the JSON schema for editors and the defaults of struct node_config all come
 * from it. A path names a key from the top: "a.b" is b in a, "a[]" an entry of list a, "a.*" any other key of map a.
 */
#ifndef KEELSON_SCHEMA_H
#define KEELSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/err.h"

enum value_type {
	TYPE_WORD, /* any name: the keys of a free map */
	TYPE_MAP,
	TYPE_LIST,
	TYPE_FREE, /* whatever it is, it is handed on as JSON */
	TYPE_BOOL,
	TYPE_CHOICE,
	TYPE_CONTENT,
	TYPE_LINE,
	TYPE_HOSTNAME,
	TYPE_DOMAIN,
	TYPE_HOST,
	TYPE_SAN,
	TYPE_TIMEZONE,
	TYPE_PATH,
	TYPE_OWNER,
	TYPE_PERMISSIONS,
	TYPE_PREFIX,
	TYPE_ENDPOINT,
	TYPE_URL,
	TYPE_LISTEN,
	TYPE_TOKEN,
	TYPE_CERTIFICATES,
	TYPE_PRIVATE_KEY,
	TYPE_FLAG,
	TYPE_LABEL,
	TYPE_LABEL_VALUE,
	TYPE_TAINT,
	TYPE_REGISTRY,
	TYPE_SYSCTL,
	TYPE_MODULE,
	TYPE_SIZE,
	TYPE_DURATION,
	TYPE_COUNT,
};

enum {
	KEY_REQUIRED = 1, /* the map it lies in must have it */
	KEY_SECRET = 2,	  /* its value is never printed */
	KEY_IGNORED = 4,  /* cloud-init's; has no effect here, which harms nothing: a warning */
	KEY_REFUSED = 8,  /* cloud-init's; the node would not be what was asked for: an error */
};

struct key {
	const char *path;
	enum value_type type;
	unsigned flags;
	long min, max;	   /* TYPE_PREFIX: its bits; TYPE_LIST, TYPE_MAP: entries; text: bytes. max 0: the type's own */
	const char *words; /* TYPE_CHOICE: the words, split by | */
	enum value_type name; /* of a ".*": what the key itself must look like */
	const char *standard; /* the default, as a person would write it; NULL: nothing */
	const char *help;     /* one line; of an ignored or refused key: why */
};

struct type_info {
	const char *name;     /* for --keys and the schema */
	const char *json;     /* JSON schema's type */
	const char *pattern;  /* JSON schema's pattern, or NULL */
	const char *expected; /* "expected %s, found …" */
	long max;	      /* bytes, where the key says nothing */
	/* Whether text is one. On false, expected may say more exactly what would be. NULL: not a text type. */
	bool (*check)(const struct key *key, const char *text, struct err *expected);
};

extern const struct key schema_keys[]; /* ends with a NULL path; parents before their children */
extern const struct type_info type_infos[TYPE_COUNT];

/* The row of a path; NULL when there is none. */
const struct key *schema_find(const char *path);

/* The row for a key `name` in the map at `path` ("" is the top): its own, else the one for any key, else NULL. */
const struct key *schema_child(const char *path, const char *name);

/* The name at `path` that is nearest to `name`, or NULL when none is near. */
const char *schema_nearest(const char *path, const char *name);

/* A key elsewhere with exactly this name, below the same top-level key where there are several; or NULL. */
const struct key *schema_elsewhere(const char *path, const char *name);

/* The last part of a row's path: "pod_cidr". */
const char *key_name(const struct key *key);

/* Whether the row lies directly in the map at `path`. */
bool key_is_child(const struct key *key, const char *path);

/* The default of a path: never NULL for a key that has one. */
const char *schema_default(const char *path);

/* The document as JSON schema (draft-07) for editors. The caller drops the reference. */
json_t *schema_to_json(void);

#endif
