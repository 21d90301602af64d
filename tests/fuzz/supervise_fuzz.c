/* What PID 1 and its children read from others: notify messages, control requests, environment files, arguments. The
 * first byte says which. */
#include <stdlib.h>
#include <string.h>

#include "supervise/environment.h"
#include "supervise/node.h"

static struct program program;

static void environment(const char *text, size_t len)
{
	const char *newline = memchr(text, '\n', len);
	char word[4096];
	size_t size = newline ? (size_t)(newline - text) : len;

	memset(&program, 0, offsetof(struct program, text));
	size = size < sizeof word - 1 ? size : sizeof word - 1;
	memcpy(word, text, size);
	word[size] = 0;
	program_read(&program, text, len);
	program_argument(&program, "program", false);
	program_argument(&program, word, true);
	program_argument(&program, "$A", true);
	for (unsigned k = 0; k < program.environment_count; k++)
		if (!strchr(program.environment[k], '='))
			abort();
	for (unsigned k = 0; k < program.argument_count; k++)
		if (!program.arguments[k])
			abort();
}

static void request(const char *text, size_t len)
{
	const char *verb, *name;
	char copy[257];

	len = len < sizeof copy - 1 ? len : sizeof copy - 1;
	memcpy(copy, text, len);
	copy[len] = 0;
	if (control_parse(copy, &verb, &name) && (!*verb || strchr(verb, ' ') || strchr(name, ' ')))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *copy;

	if (!len)
		return 0;
	copy = malloc(len);
	memcpy(copy, data, len);
	if (*copy == 'n')
		notify_says_ready(copy + 1, len - 1);
	else if (*copy == 'c')
		request(copy + 1, len - 1);
	else
		environment(copy + 1, len - 1);
	free(copy);
	return 0;
}
