/* Start the main process of a service, and probes. Everything that can fail before exec is told through a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "supervise/node.h"

const char *stage_name(int stage)
{
	static const char *const names[] = {"start",
					    "condition",
					    "redirect its output",
					    "join its cgroup",
					    "set its limits",
					    "set its OOM score",
					    "read its environment",
					    "become its user",
					    "enter its directory",
					    "make its namespaces",
					    "make paths read-only",
					    "bound its capabilities",
					    "execute it"};

	return stage >= 0 && stage <= STAGE_EXEC ? names[stage] : "start";
}

static int make_pipe(int *reader, int *writer)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*reader = ends[0];
	*writer = ends[1];
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

/* Written to only where it changes something: each page is shared with the children until then, and copied. */
static void empty(char *text)
{
	if (*text)
		*text = 0;
}

/* What is left of the instance before: its report, its readiness, its unread messages. */
static void forget_last(struct node *n, unsigned i)
{
	source_close(n, &n->slots[i].report);
	source_close(n, &n->slots[i].ready);
	notify_drain(n, i, true);
	empty(n->last_words[i]);
	empty(n->status[i]);
	n->slots[i].in_trace = false;
}

static int open_channels(struct node *n, unsigned i, int *report, int *ready)
{
	const struct service *s = &n->set.services[i];
	struct slot *slot = &n->slots[i];
	int r = capture_open(n, i);

	if (!r && s->type == SERVICE_NOTIFY)
		r = notify_open(n, i);
	if (!r)
		r = make_pipe(&slot->report, report);
	if (!r && s->ready_fd)
		r = make_pipe(&slot->ready, ready);
	if (!r)
		r = source_add(n, slot->report, EPOLLIN, SRC_REPORT, i);
	if (!r && s->ready_fd)
		r = source_add(n, slot->ready, EPOLLIN, SRC_READY, i);
	return r;
}

int spawn_service(struct node *n, unsigned i)
{
	const struct service *s = &n->set.services[i];
	struct slot *slot = &n->slots[i];
	_cleanup_close_ int report = -1, ready = -1, cgroup = -1;
	pid_t pid;
	int r;

	forget_last(n, i);
	r = open_channels(n, i, &report, &ready);
	if (r < 0) {
		source_close(n, &slot->report);
		source_close(n, &slot->ready);
		return r;
	}
	cgroup = cgroup_prepare(n, i);
	pid = slot->killed ? fork_and_join(cgroup, &slot->main.fd) : fork_into(cgroup, &slot->main.fd);
	if (pid == 0)
		child_run(n, i, s->exec_start, false, report, ready);
	if (pid < 0) {
		r = -errno;
		source_close(n, &slot->report);
		source_close(n, &slot->ready);
		return r;
	}
	slot->main.pid = pid;
	log_after_child(n);
	if (slot->main.fd >= 0)
		source_add(n, slot->main.fd, EPOLLIN, SRC_PID, i);
	return 0;
}
