/* The cgroup of each service: made, weighed, watched, signalled, killed.
 *
 * PID 1 lives in /init, services in /system/NAME or /kube/NAME, pods (by the kubelet) in /kubepods. Where there is no
 * cgroup2 hierarchy everything goes on without: a service is then its process group.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "supervise/node.h"

static const char *const slice_names[] = {"system", "kube"};

static int poke(const char *folder, const char *file, const char *value)
{
	char path[PATH_BYTES * 2];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	return file_poke(path, value, NULL);
}

static void poke_bytes(const char *folder, const char *file, uint64_t bytes)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
	poke(folder, file, text);
}

/* One at a time: a controller that is not there must not cost the others. */
static void enable_controllers(const char *folder)
{
	static const char *const controllers[] = {"+cpuset", "+cpu", "+io", "+memory", "+pids", "+hugetlb"};

	for (unsigned i = 0; i < sizeof controllers / sizeof controllers[0]; i++)
		poke(folder, "cgroup.subtree_control", controllers[i]);
}

static void folder_of(const struct node *n, unsigned i, char *path, size_t size)
{
	const struct service *s = &n->set.services[i];

	snprintf(path, size, "%s/%s/%s", n->cgroup_root, slice_names[s->slice], s->name);
}

/* Protection of memory counts only as far as the parent has it too. */
static void protect_slice(struct node *n, unsigned slice, const char *folder)
{
	uint64_t min = 0, low = 0;

	for (unsigned i = 0; i < n->set.count; i++) {
		if (n->set.services[i].slice != slice)
			continue;
		min += n->set.services[i].memory_min;
		low += n->set.services[i].memory_low;
	}
	poke_bytes(folder, "memory.min", min);
	poke_bytes(folder, "memory.low", low);
	/* The node before its pods, the runtime and the kubelet before the steps that run beside them: they take
	 * longest. */
	poke(folder, "cpu.weight", slice == SLICE_KUBE ? "1000" : "500");
}

void cgroup_setup(struct node *n)
{
	char folder[PATH_BYTES + 16];
	char self[16];

	snprintf(folder, sizeof folder, "%s/cgroup.procs", n->cgroup_root);
	if (access(folder, W_OK) < 0)
		return;
	/* Processes only in leaves: the root's controllers go on once PID 1 has left it. */
	snprintf(folder, sizeof folder, "%s/init", n->cgroup_root);
	mkdir(folder, 0755);
	snprintf(self, sizeof self, "%d", (int)getpid());
	poke(folder, "cgroup.procs", self);
	enable_controllers(n->cgroup_root);
	for (unsigned slice = 0; slice < 2; slice++) {
		snprintf(folder, sizeof folder, "%s/%s", n->cgroup_root, slice_names[slice]);
		if (mkdir(folder, 0755) < 0 && errno != EEXIST)
			return;
		enable_controllers(folder);
		protect_slice(n, slice, folder);
	}
	n->cgroups = true;
}

static void weigh(const struct service *s, const char *folder)
{
	if (s->memory_min)
		poke_bytes(folder, "memory.min", s->memory_min);
	if (s->memory_low)
		poke_bytes(folder, "memory.low", s->memory_low);
	if (s->memory_max)
		poke_bytes(folder, "memory.max", s->memory_max);
	if (s->cpu_weight)
		poke_bytes(folder, "cpu.weight", s->cpu_weight);
}

/* A new cgroup instead of one on which cgroup.kill was used.
 *
 * Since "cgroup: fix race between fork and cgroup.kill" (6.14, and the stable series) the kernel compares how often the
 * child's cgroup was killed with how often its parent's was, and so kills whatever CLONE_INTO_CGROUP puts into a cgroup
 * that was ever killed. Where the old one cannot go, the child joins by itself.
 */
static void renew(struct node *n, unsigned i, const char *folder)
{
	if (!n->slots[i].killed || rmdir(folder) < 0)
		return;
	source_close(n, &n->slots[i].events);
	n->slots[i].killed = false;
}

int cgroup_prepare(struct node *n, unsigned i)
{
	char folder[PATH_BYTES + SERVICE_NAME_MAX + 16];
	int fd;

	if (!n->cgroups)
		return -1;
	folder_of(n, i, folder, sizeof folder);
	renew(n, i, folder);
	cgroup_watch(n, i, false);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && mkdir(folder, 0755) == 0) {
		source_close(n, &n->slots[i].events); /* of one that somebody removed */
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0)
		return -1;
	if (n->slots[i].events < 0) {
		weigh(&n->set.services[i], folder);
		n->slots[i].events = openat(fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

/* Watched only once its main process has ended and left others: the kernel empties the cgroup before it tells of the
 * end itself, so that PID 1 would be woken twice for each exit. What changed since the last look counts.
 */
void cgroup_watch(struct node *n, unsigned i, bool on)
{
	struct slot *slot = &n->slots[i];

	if (slot->events < 0)
		slot->events_watched = false;
	else if (on && !slot->events_watched)
		slot->events_watched = source_add(n, slot->events, EPOLLPRI, SRC_CGROUP, i) == 0;
	else if (!on && slot->events_watched)
		slot->events_watched = epoll_ctl(n->epoll, EPOLL_CTL_DEL, slot->events, NULL) < 0;
}

static bool events_populated(int fd)
{
	char text[128];
	ssize_t got = pread(fd, text, sizeof text - 1, 0);

	if (got <= 0)
		return false;
	text[got] = 0;
	return strstr(text, "populated 1") != NULL;
}

bool cgroup_populated(struct node *n, unsigned i)
{
	return n->slots[i].events >= 0 && events_populated(n->slots[i].events);
}

void cgroup_event(struct node *n, unsigned i)
{
	char byte;

	if (n->slots[i].events < 0)
		return;
	/* Removed by somebody: it would report that for ever. The next start makes a new one. */
	if (pread(n->slots[i].events, &byte, 1, 0) < 0)
		source_close(n, &n->slots[i].events);
	if (!cgroup_populated(n, i) && n->machine.units[i].populated)
		machine_event(&n->machine, i, EV_EMPTY);
}

/* Each process of the group once; what is forked meanwhile gets it from the KILL that follows in the end. */
static void signal_each(const char *folder, int sig)
{
	char path[PATH_BYTES + SERVICE_NAME_MAX + 32];
	int fd;
	char text[4096];
	ssize_t got;
	long pid = 0;

	snprintf(path, sizeof path, "%s/cgroup.procs", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while ((got = read(fd, text, sizeof text)) > 0)
		for (ssize_t k = 0; k < got; k++) {
			if (text[k] >= '0' && text[k] <= '9') {
				pid = pid * 10 + (text[k] - '0');
				continue;
			}
			if (pid > 1)
				kill((pid_t)pid, sig);
			pid = 0;
		}
	close(fd);
}

void cgroup_signal(struct node *n, unsigned i, int sig)
{
	char folder[PATH_BYTES + SERVICE_NAME_MAX + 16];

	if (n->slots[i].events < 0) {
		if (n->slots[i].main.pid > 0)
			kill(-n->slots[i].main.pid, sig);
		child_signal(&n->slots[i].main, sig);
		return;
	}
	folder_of(n, i, folder, sizeof folder);
	signal_each(folder, sig);
}

void cgroup_kill(struct node *n, unsigned i)
{
	char folder[PATH_BYTES + SERVICE_NAME_MAX + 16];

	folder_of(n, i, folder, sizeof folder);
	n->slots[i].killed = true;
	cgroup_watch(n, i, true); /* again, where it failed */
	if (n->slots[i].events < 0 || poke(folder, "cgroup.kill", "1") < 0)
		cgroup_signal(n, i, SIGKILL);
	child_signal(&n->slots[i].main, SIGKILL);
}

static const char *const trees[] = {"kubepods", "kube", "system"};

void cgroup_kill_tree(struct node *n)
{
	char folder[PATH_BYTES + 16];

	for (unsigned i = 0; i < sizeof trees / sizeof trees[0]; i++) {
		snprintf(folder, sizeof folder, "%s/%s", n->cgroup_root, trees[i]);
		poke(folder, "cgroup.kill", "1");
	}
}

bool cgroup_tree_empty(struct node *n)
{
	for (unsigned i = 0; i < sizeof trees / sizeof trees[0]; i++) {
		char path[PATH_BYTES + 32];
		_cleanup_close_ int fd = -1;

		snprintf(path, sizeof path, "%s/%s/cgroup.events", n->cgroup_root, trees[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && events_populated(fd))
			return false;
	}
	return true;
}
