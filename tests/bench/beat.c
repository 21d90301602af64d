/* beat [NAME]: the service of `make bench-init`. Says when it began to run, prints one line, and sleeps.
 *
 * Where a supervisor gives no arguments (s6 and runit execute ./run), the folder it runs in is its name. A newline on
 * descriptor 3, where it is open, tells s6 that it is ready: a service that never says so is started again a second
 * late.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "beat.h"

#define READY_FD 3

static const char *own_name(int argc, char **argv)
{
	static char folder[256];
	const char *slash;

	if (argc > 1)
		return argv[1];
	slash = getcwd(folder, sizeof folder) ? strrchr(folder, '/') : NULL;
	return slash ? slash + 1 : "?";
}

int main(int argc, char **argv)
{
	int64_t now = now_ns();
	bool told = write(READY_FD, "\n", 1) == 1;
	int fd = open(BEATS, O_WRONLY | O_CLOEXEC);

	if (told)
		close(READY_FD);
	beat(fd, now, own_name(argc, argv));
	close(fd);
	(void)!write(1, "it runs\n", 8);
	for (;;)
		pause();
}
