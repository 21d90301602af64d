/* Aliases of kernel modules. */
#include "lib/alias.h"

#include <stddef.h>

/* One character against the set behind '['; *pattern moves behind ']'. */
static bool in_set(const char **pattern, char c)
{
	const char *p = *pattern;
	bool found = false;

	while (*p && *p != ']') {
		if (p[1] == '-' && p[2] && p[2] != ']') {
			found = found || (c >= p[0] && c <= p[2]);
			p += 3;
		} else {
			found = found || c == *p;
			p++;
		}
	}
	*pattern = *p ? p + 1 : p;
	return found;
}

/* The usual two-pointer walk: a mismatch goes back to the last '*', one character further. No recursion. */
bool alias_matches(const char *pattern, const char *alias)
{
	const char *star = NULL, *from = NULL;

	while (*alias) {
		const char *p = pattern;
		bool same;

		if (*p == '*') {
			star = ++pattern;
			from = alias;
			continue;
		}
		if (*p == '[') {
			p++;
			same = in_set(&p, *alias);
		} else {
			same = *p && (*p == '?' || *p == *alias);
			p++;
		}
		if (same) {
			pattern = p;
			alias++;
		} else if (star) {
			pattern = star;
			alias = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
