/* What the machine decided, done on this node. The simulator has a table of the same kind. */
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>

#include "supervise/node.h"

static int64_t do_now(void *ctx)
{
	(void)ctx;
	return now_ms_boot();
}

static int do_spawn(void *ctx, unsigned i)
{
	return spawn_service(ctx, i);
}

static void do_signal_main(void *ctx, unsigned i, int sig)
{
	struct node *n = ctx;

	child_signal(&n->slots[i].main, sig);
}

static void do_signal_group(void *ctx, unsigned i, int sig)
{
	cgroup_signal(ctx, i, sig);
}

static void do_kill_group(void *ctx, unsigned i)
{
	cgroup_kill(ctx, i);
}

/* A probe prints into the log of its service, and runs in PID 1's cgroup: it is no part of what it looks at. */
static void do_probe(void *ctx, unsigned i, struct words command)
{
	struct node *n = ctx;
	struct slot *slot = &n->slots[i];
	pid_t pid;

	if (slot->probe.pid)
		return;
	pid = fork_into(-1, &slot->probe.fd);
	if (pid == 0)
		child_run(n, i, command, true, -1, -1);
	if (pid < 0) {
		machine_probe_result(&n->machine, i, false);
		return;
	}
	slot->probe.pid = pid;
	if (slot->probe.fd >= 0)
		source_add(n, slot->probe.fd, EPOLLIN, SRC_CHILD, i);
}

static void do_probe_kill(void *ctx, unsigned i)
{
	struct node *n = ctx;

	child_signal(&n->slots[i].probe, SIGKILL);
}

static void do_tell(void *ctx, int i, const char *text)
{
	node_tell(ctx, i, text);
}

static const char *do_last_words(void *ctx, unsigned i)
{
	struct node *n = ctx;

	return n->last_words[i];
}

static const char *do_status(void *ctx, unsigned i)
{
	struct node *n = ctx;

	return n->status[i];
}

static void do_phase(void *ctx, enum phase phase, enum ending ending)
{
	phase_do(ctx, phase, ending);
}

static uint32_t do_random(void *ctx)
{
	struct node *n = ctx;

	n->random ^= n->random << 13;
	n->random ^= n->random >> 17;
	n->random ^= n->random << 5;
	return n->random;
}

const struct effects node_effects = {
	.now = do_now,
	.spawn = do_spawn,
	.signal_main = do_signal_main,
	.signal_group = do_signal_group,
	.kill_group = do_kill_group,
	.probe = do_probe,
	.probe_kill = do_probe_kill,
	.tell = do_tell,
	.last_words = do_last_words,
	.status = do_status,
	.phase = do_phase,
	.random = do_random,
};
