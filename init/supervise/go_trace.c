/* Which lines are the stack of a Go program. One that ends itself (klog.Fatal, panic) says why and then prints the
 *stacks of all its goroutines, so that its last line says nothing.
 *
 * Their form, from the Go runtime (src/runtime/traceback.go):
 *	goroutine 1 [running]:
 *	main.(*T).run(0xc000012345, 0x1)
 *		/source/main.go:58 +0x70
 *	created by main.start in goroutine 7
 */
#include "supervise/go_trace.h"

#include <string.h>

static bool starts(const char *text, size_t len, const char *with)
{
	size_t wanted = strlen(with);

	return len >= wanted && !memcmp(text, with, wanted);
}

/* A name, its arguments in parentheses: no space before them. */
static bool is_call(const char *text, size_t len)
{
	const char *open = memchr(text, '(', len);

	return open && open > text && !memchr(text, ' ', (size_t)(open - text)) && text[len - 1] == ')';
}

bool go_trace_line(bool *within, const char *text, size_t len)
{
	if (starts(text, len, "goroutine ") && !memcmp(text + len - 2, "]:", 2))
		*within = true;
	else if (*within)
		*within = len && (text[0] == '\t' || starts(text, len, "created by ") || is_call(text, len));
	return *within;
}
