/* Whether a kernel can run a node: its .config against kernel/required.config. */
#include "boot/check_kernel_config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define CONFIG_MAX ((size_t)1 << 20)

struct requirement {
	char option[80];
	char value[4]; /* y, m, ym or n */
	char why[160];
};

/* One line of required.config. Returns 1 a requirement, 0 an empty line or a comment, -EINVAL. */
static int read_requirement(const char *line, size_t len, struct requirement *q, struct err *err)
{
	char text[320];
	int words;

	if (len >= sizeof text)
		return err_set(err, EINVAL, "expected at most %zu bytes, found %zu", sizeof text - 1, len);
	snprintf(text, sizeof text, "%.*s", (int)len, line);
	if (!text[strspn(text, " \t")] || text[strspn(text, " \t")] == '#')
		return 0;
	q->why[0] = 0;
	words = sscanf(text, "%79[A-Z0-9_a-z]=%3[ymn] %159[^\n]", q->option, q->value, q->why);
	if (words != 3 || strncmp(q->option, "CONFIG_", 7) ||
	    (strcmp(q->value, "y") && strcmp(q->value, "m") && strcmp(q->value, "ym") && strcmp(q->value, "n")))
		return err_set(err, EINVAL, "expected \"CONFIG_NAME=y|m|ym|n  why\", found \"%s\"", text);
	return 1;
}

/* The value of OPTION: "y", "m", a number, a string; "n" where it is absent or not set. */
static void find_value(const char *config, const char *option, char value[16])
{
	size_t len = strlen(option);

	strcpy(value, "n");
	for (const char *line = config; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, option, len) && line[len] == '=') {
			snprintf(value, 16, "%.*s", (int)strcspn(line + len + 1, "\n"), line + len + 1);
			return;
		}
}

static int check_one(const struct requirement *q, const char *config, struct buf *misses)
{
	char value[16];
	bool met;

	find_value(config, q->option, value);
	met = !strcmp(value, q->value) || (q->value[0] != 'n' && strchr(q->value, 'm') && !strcmp(value, "y")) ||
	      (!strcmp(q->value, "ym") && !strcmp(value, "m"));
	if (met)
		return 0;
	return buf_addf(misses, "%s: expected %s, found %s (%s)\n", q->option,
			strchr(q->value, 'm') ? "y or m" : q->value, value, q->why);
}

int check_kernel_config(const char *required, const char *config, struct buf *misses, struct err *err)
{
	size_t before = misses->len;
	unsigned number = 1;

	if (!strstr(config, "CONFIG_"))
		return err_set(err, EINVAL, "expected lines such as CONFIG_BLOCK=y, found none");
	for (const char *line = required; *line; number++) {
		size_t len = strcspn(line, "\n");
		struct requirement q;
		int r = read_requirement(line, len, &q, err);

		if (r < 0)
			return err_wrap(err, r, "required, line %u", number);
		if (r > 0)
			r = check_one(&q, config, misses);
		if (r < 0)
			return err_set(err, -r, "list of misses: %s", strerror(-r));
		line += len + (line[len] == '\n');
	}
	return misses->len > before;
}

int check_kernel_config_file(const char *required_path, const char *config_path, struct err *err)
{
	_cleanup_(buf_free) struct buf required = {0}, config = {0}, misses = {0};
	int r = file_read(required_path, CONFIG_MAX, &required, err);

	if (r < 0)
		return r;
	r = file_read(config_path, CONFIG_MAX, &config, err);
	if (r < 0)
		return r;
	r = check_kernel_config(buf_string(&required), buf_string(&config), &misses, err);
	if (r < 0)
		return err_wrap(err, r, "check %s against %s", config_path, required_path);
	if (r > 0)
		return err_set(err, ENOTSUP, "%s lacks what %s wants:\n%s", config_path, required_path,
			       buf_string(&misses));
	return 0;
}
