/* A command whose answer was lost did not succeed. */
#include "lib/finish_output.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int finish_output(FILE *file, const char *who, int status)
{
	bool lost = ferror(file);

	errno = 0;
	lost |= fflush(file) != 0;
	/* whoever reads the first lines alone, as head does, misses nothing */
	if (!lost || errno == EPIPE)
		return status;
	fprintf(stderr, "%s: write: %s\n", who, errno ? strerror(errno) : "not all of it could be written");
	return status ? status : 1;
}
