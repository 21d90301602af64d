/* The program of the image keelson/base, and of every pod's sandbox: it holds the namespaces, and reaps.
 *
 * A program of its own (build/pause), static, run as process 1 of a pod's PID namespace.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal)
{
	(void)signal;
	_exit(0);
}

static void reap(int signal)
{
	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

int main(void)
{
	static const int ends[] = {SIGINT, SIGTERM};
	struct sigaction on_end = {.sa_handler = end}, on_child = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigaction(ends[i], &on_end, NULL) < 0)
			return 1;
	if (sigaction(SIGCHLD, &on_child, NULL) < 0)
		return 2;
	for (;;)
		pause();
}
