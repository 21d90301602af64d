/* Options of a command, by a table. */
#include "arguments.h"

#include <errno.h>
#include <string.h>

static const struct option_row *find_row(const struct option_row *rows, const char *argument, const char **value)
{
	for (const struct option_row *row = rows; row->name; row++) {
		size_t len = strlen(row->name);

		if (strncmp(argument, row->name, len) || (argument[len] && argument[len] != '='))
			continue;
		*value = argument[len] ? argument + len + 1 : NULL;
		return row;
	}
	return NULL;
}

static bool was_given(const struct option_row *row)
{
	return (row->text && *row->text) || (row->list && row->list->count) || (row->flag && *row->flag);
}

static int take(const struct option_row *row, const char *value, struct err *err)
{
	if (row->flag) {
		if (value)
			return err_set(err, EINVAL, "%s: expected no value, found \"%s\"", row->name, value);
		*row->flag = true;
		return 0;
	}
	if (!value || !*value)
		return err_set(err, EINVAL, "%s: expected %s, found nothing", row->name, row->value);
	if (row->list)
		return strings_add(row->list, value) < 0 ? err_set(err, ENOMEM, "no memory") : 0;
	*row->text = value;
	return 0;
}

int arguments_parse(int argc, char **argv, const struct option_row *rows, struct err *err)
{
	for (int i = 1; i < argc; i++) {
		const char *value;
		const struct option_row *row = find_row(rows, argv[i], &value);
		int r;

		if (!row)
			return err_set(err, EINVAL, "expected an option, found \"%s\"", argv[i]);
		if (!value && !row->flag && i + 1 < argc)
			value = argv[++i];
		r = take(row, value, err);
		if (r < 0)
			return r;
	}
	for (const struct option_row *row = rows; row->name; row++)
		if (row->required && !was_given(row))
			return err_set(err, EINVAL, "expected %s %s, found none", row->name, row->value);
	return 0;
}

void arguments_help(FILE *to, const struct option_row *rows)
{
	for (const struct option_row *row = rows; row->name; row++) {
		char left[64];

		snprintf(left, sizeof left, "%s %s", row->name, row->value ? row->value : "");
		fprintf(to, "  %-24s %s%s\n", left, row->help, row->required ? "" : " (optional)");
	}
}
