/* Stop pods without containerd: by the cgroups the kubelet made, kubepods/[burstable|besteffort/]podUID/CONTAINER. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "cluster/pods.h"
#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define DEPTH_MAX 5

struct cgroup_walk {
	enum pod_turn turn;
	int signal; /* 0: only count */
	int processes;
};

static bool runs_etcd(pid_t pid)
{
	char path[64], target[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	len = readlink(path, target, sizeof target - 1);
	if (len < 0)
		return false;
	target[len] = 0;
	return !strcmp(target, "/usr/bin/etcd");
}

static void signal_processes(const char *directory, bool is_static, struct cgroup_walk *walk)
{
	_cleanup_(buf_free) struct buf pids = {0};
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/cgroup.procs", directory);
	if (file_read(path, 1 << 20, &pids, NULL) < 0)
		return;
	for (const char *p = buf_string(&pids); *p; p += strcspn(p, "\n"), p += *p == '\n') {
		pid_t pid = (pid_t)strtol(p, NULL, 10);
		enum pod_turn turn = !is_static ? TURN_ORDINARY : (runs_etcd(pid) ? TURN_ETCD : TURN_CONTROL_PLANE);

		if (pid <= 1 || turn != walk->turn)
			continue;
		walk->processes++;
		if (walk->signal)
			kill(pid, walk->signal);
	}
}

/* pod: the uid of the pod this directory lies in, or NULL above pods. */
static void walk_cgroups(const char *directory, const char *pod, int depth, struct cgroup_walk *walk)
{
	DIR *open_directory = opendir(directory);
	struct dirent *entry;

	if (!open_directory)
		return;
	if (pod)
		signal_processes(directory, pod_is_static(pod), walk);
	while (depth < DEPTH_MAX && (entry = readdir(open_directory))) {
		char path[PATH_MAX];

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
		walk_cgroups(path, !pod && !strncmp(entry->d_name, "pod", 3) ? entry->d_name + 3 : pod, depth + 1,
			     walk);
	}
	closedir(open_directory);
}

int pods_cgroup_stop(const char *kubepods, enum pod_turn turn, int seconds)
{
	struct cgroup_walk term = {turn, SIGTERM, 0}, look = {turn, 0, 0};
	struct timespec pause = {0, 200000000};

	walk_cgroups(kubepods, NULL, 0, &term);
	for (int i = 0; term.processes && i < seconds * 5; i++) {
		look.processes = 0;
		walk_cgroups(kubepods, NULL, 0, &look);
		if (!look.processes)
			break;
		nanosleep(&pause, NULL);
	}
	return term.processes;
}

void pods_cgroup_kill(const char *kubepods)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/cgroup.kill", kubepods);
	file_poke(path, "1", NULL);
}
