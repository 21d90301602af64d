/* A node of three services of which nothing runs: for targets that hand foreign bytes to the supervisor. */
#ifndef KEELSON_IDLE_NODE_H
#define KEELSON_IDLE_NODE_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "supervise/node.h"

static int64_t idle_time;

static int64_t idle_now(void *ctx)
{
	(void)ctx;
	return idle_time;
}

/* The last service cannot be started. */
static int idle_spawn(void *ctx, unsigned i)
{
	struct node *n = ctx;

	return i + 1 == n->set.count ? -ENOENT : 0;
}

static void idle_signal(void *ctx, unsigned i, int sig)
{
	(void)ctx, (void)i, (void)sig;
}

static void idle_act(void *ctx, unsigned i)
{
	(void)ctx, (void)i;
}

static void idle_probe(void *ctx, unsigned i, struct words command)
{
	(void)ctx, (void)i, (void)command;
}

static void idle_tell(void *ctx, int i, const char *text)
{
	(void)ctx, (void)i, (void)text;
}

static const char *idle_last_words(void *ctx, unsigned i)
{
	struct node *n = ctx;

	return n->last_words[i];
}

static void idle_phase(void *ctx, enum phase phase, enum ending ending)
{
	(void)ctx, (void)phase, (void)ending;
}

static uint32_t idle_random(void *ctx)
{
	(void)ctx;
	return 1;
}

static const struct effects idle_effects = {
	.now = idle_now,
	.spawn = idle_spawn,
	.signal_main = idle_signal,
	.signal_group = idle_signal,
	.kill_group = idle_act,
	.probe = idle_probe,
	.probe_kill = idle_act,
	.tell = idle_tell,
	.last_words = idle_last_words,
	.status = idle_last_words,
	.phase = idle_phase,
	.random = idle_random,
};

static void idle_service(struct node *n, const char *name, uint8_t type)
{
	struct service *s = &n->set.services[n->set.count++];

	snprintf(s->name, sizeof s->name, "%s", name);
	s->type = type;
	s->text_used = (uint16_t)(snprintf(s->text + 1, sizeof s->text - 1, "what %s does", name) + 2);
	s->description = (struct words){1, 1};
	s->exec_start = (struct words){1, 1};
	s->start_timeout = s->stop_timeout = 10000;
	s->liveness_failures = 3;
}

/* storage <- runtime <- broken; runtime says READY=1 */
static void idle_node(struct node *n)
{
	memset(&n->machine, 0, sizeof n->machine);
	n->set.count = 0;
	idle_time = 1000;
	idle_service(n, "storage", SERVICE_ONESHOT);
	idle_service(n, "runtime", SERVICE_NOTIFY);
	idle_service(n, "broken", SERVICE_SIMPLE);
	n->set.services[1].after.bits[0] = n->set.services[1].requires.bits[0] = 1;
	n->set.services[2].after.bits[0] = n->set.services[2].requires.bits[0] = 2;
	n->epoll = n->control = n->null = n->spare = -1;
	n->console_count = 0;
	for (unsigned i = 0; i < n->set.count; i++) {
		struct slot *slot = &n->slots[i];

		memset(slot, 0, sizeof *slot);
		slot->report = slot->notify = slot->ready = slot->events = slot->main.fd = slot->probe.fd = -1;
		for (unsigned k = 0; k < 2; k++)
			slot->streams[k].read = slot->streams[k].write = -1;
		n->last_words[i][0] = 0;
	}
	for (unsigned k = 0; k < CLIENTS_MAX; k++)
		n->clients[k] = (struct client){.fd = -1, .waiting = -1};
	machine_init(&n->machine, &n->set, &idle_effects, n);
}

#endif
