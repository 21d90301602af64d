/* A seed for the kernel's random numbers, kept from boot to boot. */
#ifndef KEELSON_RANDOM_SEED_H
#define KEELSON_RANDOM_SEED_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

#define RANDOM_SEED_PATH "/var/lib/keelson/random-seed"
#define SEED_BYTES 64
#define SEED_FILE_BYTES (SEED_BYTES + 1) /* behind it '1' when it may be credited, else '0' */

/* Pure: the next seed, from the last one (len bytes as read; 0: none), and what the kernel gives now, good or not.
 * Returns whether the last one may be credited: it is whole, and was made when the kernel's numbers were good. */
bool next_seed(const unsigned char *last, size_t len, const unsigned char fresh[SEED_BYTES], bool fresh_is_good,
	       unsigned char next[SEED_FILE_BYTES]);

/* At boot: the seed is replaced on the disk, and only then given to the kernel. credited: what became of it. */
int load_random_seed(const char *path, bool *credited, struct err *err);

/* At shutdown, by `keelson time`, which is stopped then: a new one. */
int save_random_seed(const char *path, struct err *err);

#endif
