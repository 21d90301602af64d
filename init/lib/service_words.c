/* Lists and commands of a service file: words with systemd's quoting, kept one behind the other in the service's text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/service_value.h"

#define WORDS_MAX 64

static struct words *words_of(struct service *service, const struct service_key *key)
{
	return (struct words *)((char *)service + key->offset);
}

static int no_room(const struct value *v, size_t offset, struct err *err)
{
	return value_error(v, offset, err, "expected at most %d bytes of text and %d words", SERVICE_TEXT_MAX,
			   WORDS_MAX);
}

/* Append a string to a list. A list must lie in one piece: when other strings lie behind it, it is copied to the end
 * first (its old place stays unused; text is bounded, so this costs at most an early "no room"). */
static bool add_word(struct service *s, struct words *words, const char *word, size_t len)
{
	size_t start = words->first, end = words->first, moved;

	for (unsigned i = 0; i < words->count; i++)
		end += strlen(s->text + end) + 1;
	moved = end == s->text_used ? 0 : end - start;
	if (words->count == WORDS_MAX || s->text_used + moved + len + 1 > sizeof s->text)
		return false;
	if (end != s->text_used) {
		memcpy(s->text + s->text_used, s->text + start, moved);
		words->first = s->text_used;
		s->text_used = (uint16_t)(s->text_used + moved);
	}
	memcpy(s->text + s->text_used, word, len);
	s->text[s->text_used + len] = 0;
	s->text_used = (uint16_t)(s->text_used + len + 1);
	words->count++;
	return true;
}

static int escape(const struct value *v, size_t at, char *out, struct err *err)
{
	static const char from[] = "\\\"'abfnrstv$ ", to[] = "\\\"'\a\b\f\n\r \t\v$ ";
	const char *found = v->text[at] ? strchr(from, v->text[at]) : NULL;

	if (!found)
		return value_error(v, at, err, "unknown escape \\%c", v->text[at] ? v->text[at] : ' ');
	*out = to[found - from];
	return 0;
}

/* "%%" is a percent sign; specifiers are not supported. */
static int percent(const struct value *v, size_t *at, struct err *err)
{
	if (v->text[*at + 1] != '%')
		return value_error(v, *at, err, "specifier %%%c is not supported, write %%%% for a percent sign",
				   v->text[*at + 1] ? v->text[*at + 1] : ' ');
	(*at)++;
	return 0;
}

/* The word at *at: blanks end it, quotes hold it together. Returns 1, 0 at the end, or -EINVAL. */
static int next_word(const struct value *v, size_t *at, char *word, size_t *len, struct err *err)
{
	char quote = 0;
	size_t opened = 0;
	size_t i = *at;

	*len = 0;
	if (!v->text[i])
		return 0;
	for (; v->text[i] && (quote || (v->text[i] != ' ' && v->text[i] != '\t')); i++) {
		char c = v->text[i];

		if (quote && c == quote) {
			quote = 0;
			continue;
		}
		if (!quote && (c == '"' || c == '\'')) {
			quote = c;
			opened = i;
			continue;
		}
		if (c == '\\' && escape(v, ++i, &c, err))
			return -EINVAL;
		if (c == '%' && percent(v, &i, err))
			return -EINVAL;
		word[(*len)++] = c;
	}
	if (quote)
		return value_error(v, opened, err, "expected a closing %c", quote);
	word[*len] = 0;
	*at = i;
	return 1;
}

typedef int check_word(const struct value *v, size_t at, char *word, size_t *len, struct err *err);

static int parse_words(const struct value *v, size_t at, struct service *s, struct words *words, check_word *check,
		       struct err *err)
{
	char word[SERVICE_VALUE_MAX];
	size_t len, start;
	int r;

	if (!v->text[at])
		*words = (struct words){0};
	for (;;) {
		while (v->text[at] == ' ' || v->text[at] == '\t')
			at++;
		start = at;
		r = next_word(v, &at, word, &len, err);
		if (r <= 0)
			return r;
		if (check && check(v, start, word, &len, err))
			return -EINVAL;
		if (!add_word(s, words, word, len))
			return no_room(v, start, err);
	}
}

int value_words(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	return parse_words(v, 0, s, words_of(s, key), NULL, err);
}

/* systemd's DESCRIPTION and names are one string to the end of the line, quotes and all. */
int value_text(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	struct words *words = words_of(s, key);

	*words = (struct words){0};
	if (v->len && !add_word(s, words, v->text, v->len))
		return no_room(v, 0, err);
	return 0;
}

static int check_name(const struct value *v, size_t at, char *word, size_t *len, struct err *err)
{
	static const char suffix[] = ".service";
	size_t cut = sizeof suffix - 1;

	if (*len <= cut || strcmp(word + *len - cut, suffix))
		return value_error(v, at, err, "expected a name such as storage.service, found \"%s\"", word);
	*len -= cut;
	word[*len] = 0;
	if (*len >= SERVICE_NAME_MAX)
		return value_error(v, at, err, "expected a name of at most %d characters", SERVICE_NAME_MAX - 1);
	return 0;
}

int value_names(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	return parse_words(v, 0, s, words_of(s, key), check_name, err);
}

static int check_path(const struct value *v, size_t at, char *word, size_t *len, struct err *err)
{
	(void)len;
	if (word[word[0] == '-'] != '/')
		return value_error(v, at, err, "expected a path from / on, found \"%s\"", word);
	return 0;
}

int value_paths(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	return parse_words(v, 0, s, words_of(s, key), check_path, err);
}

static int check_environment(const struct value *v, size_t at, char *word, size_t *len, struct err *err)
{
	size_t i = 0;

	(void)len;
	while (isalnum((unsigned char)word[i]) || word[i] == '_')
		i++;
	if (!i || word[i] != '=' || isdigit((unsigned char)word[0]))
		return value_error(v, at, err, "expected NAME=value, found \"%s\"", word);
	return 0;
}

int value_environment(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	return parse_words(v, 0, s, words_of(s, key), check_environment, err);
}

int value_command(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	struct words *words = words_of(s, key);

	*words = (struct words){0};
	if (v->text[0] != '/')
		return value_error(v, 0, err, "%s: expected the program's path from / on, found \"%s\"", key->name,
				   v->text);
	return parse_words(v, 0, s, words, NULL, err);
}

/* "exec:COMMAND", looked up in PATH; for Ready also "fd:N". */
int value_probe(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	struct words *words = words_of(s, key);
	unsigned fd;
	char rest;

	*words = (struct words){0};
	if (words == &s->ready && sscanf(v->text, "fd:%3u%c", &fd, &rest) == 1 && fd >= 3 && fd <= 255) {
		s->ready_fd = (uint8_t)fd;
		return 0;
	}
	if (strncmp(v->text, "exec:", 5) || !v->text[5])
		return value_error(v, 0, err, "%s: expected exec:COMMAND%s, found \"%s\"", key->name,
				   words == &s->ready ? " or fd:N (3 … 255)" : "", v->text);
	return parse_words(v, 5, s, words, NULL, err);
}
