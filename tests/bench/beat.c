/* beat [NAME]: the service of `make bench-init`. Says when it began to run, prints one line, and sleeps.
 *
 * Where a supervisor gives no arguments (s6 and runit execute ./run), the folder it runs in is its name.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "beat.h"

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
	int fd = open(BEATS, O_WRONLY | O_CLOEXEC);

	beat(fd, now, own_name(argc, argv));
	close(fd);
	(void)!write(1, "it runs\n", 8);
	for (;;)
		pause();
}
