/* Options of a command, by a table: parsing, and the help that lists them. */
#ifndef KEELSON_ARGUMENTS_H
#define KEELSON_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"
#include "string_list.h"

struct option_row {
	const char *name;  /* "--profile" */
	const char *value; /* what its value is called in the help, "NAME"; NULL: a flag */
	const char *help;
	bool required;
	const char **text;    /* where the value goes, or: */
	struct strings *list; /* may be given more than once, or: */
	bool *flag;
};

/* Both "--profile NAME" and "--profile=NAME". Returns 0, or -EINVAL naming the option. */
int arguments_parse(int argc, char **argv, const struct option_row *rows, struct err *err);

void arguments_help(FILE *to, const struct option_row *rows);

#endif
