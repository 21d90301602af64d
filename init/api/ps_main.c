/* keelson ps: the processes of each service, by its cgroup. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>

#include "api/control_client.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define CGROUPS "/sys/fs/cgroup"

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* Resident memory in KiB, and the command line with blanks between its words. */
static void describe(long pid, long *rss, char *command, size_t size)
{
	_cleanup_(buf_free) struct buf status = {0}, line = {0};
	char path[64];
	const char *found;

	*rss = 0;
	snprintf(command, size, "-");
	snprintf(path, sizeof path, "/proc/%ld/status", pid);
	if (file_read(path, 65536, &status, NULL) == 0 && (found = strstr(buf_string(&status), "VmRSS:")))
		*rss = strtol(found + 6, NULL, 10);
	snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
	if (file_read(path, 1 << 20, &line, NULL) < 0 || !line.len)
		return;
	for (size_t k = 0; k + 1 < line.len; k++)
		if (!isprint((unsigned char)line.data[k]))
			line.data[k] = ' ';
	snprintf(command, size, "%s", line.data);
}

static void show_group(const char *folder, const char *name)
{
	_cleanup_(buf_free) struct buf procs = {0};
	char path[512];
	char *rest, *word;

	snprintf(path, sizeof path, "%s/cgroup.procs", folder);
	if (file_read(path, 1 << 20, &procs, NULL) < 0)
		return;
	rest = procs.data;
	while (rest && (word = strsep(&rest, "\n"))) {
		char command[160];
		long rss;

		if (!*word)
			continue;
		describe(strtol(word, NULL, 10), &rss, command, sizeof command);
		printf("%-13s %7s %8ld  %s\n", name, word, rss, command);
	}
}

static void show_slice(const char *slice)
{
	char folder[512];
	_cleanup_(closedirp) DIR *dir = NULL;
	struct dirent *entry;

	snprintf(folder, sizeof folder, CGROUPS "/%s", slice);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		char path[800];

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		show_group(path, entry->d_name);
	}
}

int ps_main(int argc, char **argv)
{
	(void)argv;
	if (argc != 1) {
		fputs("usage: keelson ps\n", stderr);
		return 2;
	}
	if (access(CGROUPS "/system", F_OK) < 0) {
		fprintf(stderr, "keelson ps: expected services in %s/system, found none: " RUN_ON_A_NODE "\n", CGROUPS);
		return 1;
	}
	printf("%-13s %7s %8s  %s\n", "SERVICE", "PID", "KIB", "COMMAND");
	show_group(CGROUPS "/init", "init");
	show_slice("system");
	show_slice("kube");
	return 0;
}
