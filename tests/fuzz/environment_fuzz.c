/* An environment file, and words of a command with its variables put in. The first line of the input is a word. */
#include "fuzz.h"

#include "supervise/environment.h"

static void check(const struct program *program)
{
	PROMISE(program->used <= sizeof program->text && program->environment_count <= ENVIRONMENT_MAX);
	for (unsigned k = 0; k < program->environment_count; k++) {
		const char *equals = strchr(program->environment[k], '=');

		PROMISE(equals && equals > program->environment[k]);
		PROMISE(program_get(program, program->environment[k], (size_t)(equals - program->environment[k])) ==
			equals + 1);
	}
	for (unsigned k = 0; k < program->argument_count; k++)
		PROMISE(program->arguments[k] >= program->text &&
			program->arguments[k] + strlen(program->arguments[k]) < program->text + program->used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct program program;
	const uint8_t *newline = len ? memchr(data, '\n', len) : NULL;
	size_t first = newline ? (size_t)(newline - data) : len;
	char *word = fuzz_string(data, first);

	memset(&program, 0, offsetof(struct program, text));
	program_read(&program, (const char *)data + first, len - first);
	program_argument(&program, "program", false);
	program_argument(&program, word, false);
	program_argument(&program, word, true);
	program_argument(&program, "$A", true);
	program_argument(&program, "--a=${A} $$x ${MISSING}", true);
	check(&program);
	free(word);
	return 0;
}
