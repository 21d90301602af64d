/* Environment and arguments of a program.
 *
 * Source: systemd.exec(5), EnvironmentFile=; systemd.service(5), "Command lines".
 */
#include "supervise/environment.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static char *keep(struct program *p, const char *text, size_t len)
{
	char *place = p->text + p->used;

	if (len + 1 > sizeof p->text - p->used)
		return NULL;
	memcpy(place, text, len);
	place[len] = 0;
	p->used += len + 1;
	return place;
}

static size_t name_length(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && (isalnum((unsigned char)text[i]) || text[i] == '_'))
		i++;
	return i && !isdigit((unsigned char)text[0]) ? i : 0;
}

static int find_variable(const struct program *p, const char *name, size_t len)
{
	for (unsigned i = 0; i < p->environment_count; i++)
		if (!strncmp(p->environment[i], name, len) && p->environment[i][len] == '=')
			return (int)i;
	return -1;
}

const char *program_get(const struct program *p, const char *name, size_t len)
{
	int i = find_variable(p, name, len);

	return i < 0 ? NULL : p->environment[i] + len + 1;
}

int program_set(struct program *p, const char *assignment, size_t len)
{
	size_t name = name_length(assignment, len);
	const char *kept;
	int i;

	if (!name || name == len || assignment[name] != '=')
		return 0;
	kept = keep(p, assignment, len);
	if (!kept)
		return -E2BIG;
	i = find_variable(p, assignment, name);
	if (i < 0 && p->environment_count == ENVIRONMENT_MAX)
		return -E2BIG;
	if (i < 0)
		i = (int)p->environment_count++;
	p->environment[i] = kept;
	return 0;
}

struct reader {
	const char *p, *end;
};

/* One value up to the end of its line into out. Quotes count where a value or a part of it begins, as in systemd;
 * within a word they are characters, which the splitting of $VAR looks at. Returns its length, or -1 when it does not
 * fit. */
static long read_env_value(struct reader *r, char *out, size_t room)
{
	size_t len = 0, solid = 0; /* solid: up to here blanks are part of it */
	bool begins = true;
	char quote = 0;

	for (; r->p < r->end && (quote || *r->p != '\n'); r->p++) {
		char c = *r->p;

		if (quote ? c == quote : begins && (c == '"' || c == '\'')) {
			quote = quote ? 0 : c;
			begins = true;
			continue;
		}
		if (!quote && begins && (c == ' ' || c == '\t'))
			continue;
		begins = false;
		if (c == '\\' && quote != '\'' && r->p + 1 < r->end) {
			c = *++r->p;
			if (c == '\n')
				continue;
			if (quote && !strchr("\"\\$`", c)) {
				if (len + 1 >= room)
					return -1;
				out[len++] = '\\';
			}
			solid = len + 1;
		}
		if (len + 1 >= room)
			return -1;
		out[len++] = c;
		if (quote || (c != ' ' && c != '\t' && c != '\r'))
			solid = len;
	}
	return (long)solid;
}

static void skip_line(struct reader *r)
{
	while (r->p < r->end && *r->p != '\n')
		r->p++;
}

int program_read(struct program *p, const char *text, size_t len)
{
	struct reader r = {text, text + len};
	char line[8192];

	for (; r.p < r.end; r.p++) {
		size_t name;
		long value;

		while (r.p < r.end && (*r.p == ' ' || *r.p == '\t'))
			r.p++;
		name = name_length(r.p, (size_t)(r.end - r.p));
		if (!name || r.p + name >= r.end || r.p[name] != '=' || name > 255) {
			skip_line(&r);
			continue;
		}
		memcpy(line, r.p, name + 1);
		r.p += name + 1;
		value = read_env_value(&r, line + name + 1, sizeof line - name - 1);
		if (value < 0)
			return -E2BIG;
		if (program_set(p, line, name + 1 + (size_t)value) < 0)
			return -E2BIG;
	}
	return 0;
}

static int add_argument(struct program *p, const char *text, size_t len)
{
	const char *kept = p->argument_count < ARGUMENTS_MAX ? keep(p, text, len) : NULL;

	if (!kept)
		return -E2BIG;
	p->arguments[p->argument_count++] = kept;
	return 0;
}

/* A value becomes words: blanks divide, quotes hold together and go. */
static int split_value(struct program *p, const char *value)
{
	char word[8192];

	for (;;) {
		size_t len = 0;
		char quote = 0;

		value += strspn(value, " \t\n");
		if (!*value)
			return 0;
		for (; *value && (quote || !strchr(" \t\n", *value)); value++) {
			if (quote ? *value == quote : *value == '"' || *value == '\'') {
				quote = quote ? 0 : *value;
				continue;
			}
			if (*value == '\\' && quote != '\'' && value[1])
				value++;
			if (len == sizeof word)
				return -E2BIG;
			word[len++] = *value;
		}
		if (add_argument(p, word, len) < 0)
			return -E2BIG;
	}
}

/* Copies a word with ${NAME} and $$ replaced; any other $ stays. Returns the length or -E2BIG. */
static long expand(const struct program *p, const char *word, char *out, size_t room)
{
	size_t len = 0;

	while (*word) {
		size_t name = word[0] == '$' && word[1] == '{' ? name_length(word + 2, strlen(word + 2)) : 0;

		if (name && word[2 + name] == '}') {
			const char *value = program_get(p, word + 2, name);
			size_t size = value ? strlen(value) : 0;

			if (len + size > room)
				return -E2BIG;
			if (size)
				memcpy(out + len, value, size);
			len += size;
			word += name + 3;
			continue;
		}
		if (word[0] == '$' && word[1] == '$')
			word++;
		if (len == room)
			return -E2BIG;
		out[len++] = *word++;
	}
	return (long)len;
}

static int add_expanded(struct program *p, const char *word)
{
	char out[16384];
	long size = expand(p, word, out, sizeof out);

	return size < 0 ? (int)size : add_argument(p, out, (size_t)size);
}

int program_argument(struct program *p, const char *word, bool expanded)
{
	size_t len = strlen(word);
	const char *value;

	if (!expanded || !memchr(word, '$', len))
		return add_argument(p, word, len);
	if (word[0] == '$' && len > 1 && name_length(word + 1, len - 1) == len - 1) {
		value = program_get(p, word + 1, len - 1);
		return value ? split_value(p, value) : 0;
	}
	return add_expanded(p, word);
}
