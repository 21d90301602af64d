/* The supervisor as PID 1 of a pid namespace: namespace_init FOLDER, where FOLDER holds services.table, run/, log/, the
 * file console, and cgroup (a link to a cgroup2 directory of its own). */
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>

#include "supervise/supervise.h"

int main(int argc, char **argv)
{
	static char table[256], cgroup[256], run[256], logs[256], console[256];
	struct supervise_options options = {table, cgroup, run, logs, "storage", console};

	if (argc != 2)
		return 2;
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL);
	snprintf(table, sizeof table, "%s/services.table", argv[1]);
	snprintf(cgroup, sizeof cgroup, "%s/cgroup", argv[1]);
	snprintf(run, sizeof run, "%s/run", argv[1]);
	snprintf(logs, sizeof logs, "%s/log", argv[1]);
	snprintf(console, sizeof console, "%s/console", argv[1]);
	supervise(&options);
}
