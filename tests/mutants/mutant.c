/* Take from the environment which mutant is alive (MUTANT=number, none: the program as written), and where to note
 * which of them were come by (MUTANTS_SEEN=file of MUTANTS_MOST bytes, shared with whatever a test forks). */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned char nowhere[MUTANTS_MOST];

int mutant = -1;
unsigned char *mutants_seen = nowhere;

static void note_in(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *seen = MAP_FAILED;

	if (fd >= 0)
		seen = mmap(NULL, MUTANTS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (seen == MAP_FAILED)
		abort();
	mutants_seen = seen;
	close(fd);
}

__attribute__((constructor)) static void choose_mutant(void)
{
	const char *number = getenv("MUTANT"), *path = getenv("MUTANTS_SEEN");

	if (number)
		mutant = atoi(number);
	if (path)
		note_in(path);
}
