/* What a program gets: its environment from EnvironmentFile=, and its arguments with $VAR put in. Bounded, no malloc.
 */
#ifndef KEELSON_ENVIRONMENT_H
#define KEELSON_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define ENVIRONMENT_MAX 256 /* variables */
#define ARGUMENTS_MAX 512
#define PROGRAM_TEXT_MAX (128 << 10)

/* A program's strings. Used in the child, which has memory of its own. */
struct program {
	const char *environment[ENVIRONMENT_MAX + 1];
	const char *arguments[ARGUMENTS_MAX + 1];
	unsigned environment_count, argument_count;
	size_t used;
	char text[PROGRAM_TEXT_MAX];
};

/* Set NAME=value; a later one replaces an earlier. Returns 0 or -E2BIG. */
int program_set(struct program *program, const char *assignment, size_t len);

/* Read an environment file: NAME=value, quotes and \ as in systemd's, # and ; comments. A line that is none of it is
 * ignored, as systemd does. Returns 0 or -E2BIG. */
int program_read(struct program *program, const char *text, size_t len);

/* Add one word of ExecStart: $NAME alone becomes as many words as its value has, ${NAME} its value, $$ a dollar. */
int program_argument(struct program *program, const char *word, bool expand);

/* The value of a variable, or NULL. */
const char *program_get(const struct program *program, const char *name, size_t len);

#endif
