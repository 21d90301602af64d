/* "did you mean": edit distance over short names. */
#include "lib/nearest.h"

#include <ctype.h>
#include <string.h>

#define NEAREST_MAX 63
#define EDIT 2 /* cost of an insertion, deletion or substitution; a difference of case costs 1 */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static unsigned exchange_cost(char a, char b)
{
	if (a == b)
		return 0;
	return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : EDIT;
}

/* Levenshtein, one row at a time. */
static unsigned edits(const char *a, const char *b)
{
	size_t columns = strlen(b);
	unsigned row[NEAREST_MAX + 1];

	for (size_t j = 0; j <= columns; j++)
		row[j] = (unsigned)j * EDIT;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i * EDIT;
		for (size_t j = 1; j <= columns; j++) {
			unsigned above = row[j];

			row[j] = least(above + EDIT, row[j - 1] + EDIT, diagonal + exchange_cost(a[i - 1], b[j - 1]));
			diagonal = above;
		}
	}
	return row[columns];
}

const char *nearest_name(const char *name, const char *(*next)(size_t i, const void *data), const void *data)
{
	size_t len = strlen(name);
	/* A third of the name wrong at most: anything farther is a guess, not a help. */
	unsigned best = (unsigned)(len / 3 + 1) * EDIT + 1;
	const char *nearest = NULL;
	const char *candidate;

	if (len > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; (candidate = next(i, data)); i++) {
		unsigned distance;

		if (strlen(candidate) > NEAREST_MAX)
			continue;
		distance = edits(name, candidate);
		if (distance < best) {
			best = distance;
			nearest = candidate;
		}
	}
	return nearest;
}
