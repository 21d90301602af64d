/* The control socket: requests of `keelson services|start|stop|restart|reboot|poweroff|halt` on this node, by root.
 *
 * /run/keelson/control, SOCK_SEQPACKET, one request per connection: "keelson 1 VERB [NAME]". The answer is packets of
 * lines: any number of "service key=value …", then "ok" or "error TEXT". A client that does not read is dropped, and
 * the one that came first where there are too many: a reboot must not wait for those who say nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "supervise/node.h"

#define REQUEST_MAX 256
#define PACKET_MAX 4096
#define VERSION "keelson 1 "

void control_open(struct node *n)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 ||
	    snprintf(address.sun_path, sizeof address.sun_path, "%s/control", n->run) >= (int)sizeof address.sun_path)
		return;
	unlink(address.sun_path);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(address.sun_path, 0600) < 0 ||
	    listen(fd, 64) < 0 || source_add(n, fd, EPOLLIN, SRC_CONTROL, 0) < 0)
		return;
	n->control = take_fd(&fd);
}

/* Shut down too: a child that was just forked holds a copy, and the client waits for the end. */
static void drop(struct node *n, unsigned client)
{
	if (n->clients[client].fd >= 0)
		shutdown(n->clients[client].fd, SHUT_RDWR);
	source_close(n, &n->clients[client].fd);
	n->clients[client].waiting = -1;
}

static void answer(struct node *n, unsigned client, const char *text, size_t len)
{
	struct client *c = &n->clients[client];

	if (c->fd >= 0 && send(c->fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL | MSG_EOR) < 0)
		drop(n, client);
}

static void finish(struct node *n, unsigned client, const char *text)
{
	answer(n, client, text, strlen(text));
	drop(n, client);
}

static bool from_root(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == 0;
}

/* Without a descriptor the connection could not even be refused, and would wake the loop for ever. */
static void refuse_one(struct node *n)
{
	int fd;

	close(n->spare);
	fd = accept4(n->control, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	n->spare = fcntl(n->null, F_DUPFD_CLOEXEC, 3);
}

/* A free place, or that of the client that came first. */
static unsigned make_room(struct node *n)
{
	unsigned first = 0;

	for (unsigned k = 0; k < CLIENTS_MAX; k++) {
		if (n->clients[k].fd < 0)
			return k;
		if ((int32_t)(n->clients[k].number - n->clients[first].number) < 0)
			first = k;
	}
	finish(n, first, "error too many requests at once: this one is not waited for");
	return first;
}

void control_accept(struct node *n)
{
	int fd = accept4(n->control, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	unsigned k;

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		refuse_one(n);
	if (fd < 0) {
		n->in_vain = true;
		return;
	}
	if (!from_root(fd)) {
		close(fd);
		return;
	}
	k = make_room(n);
	if (source_add(n, fd, EPOLLIN, SRC_CLIENT, k) < 0)
		close(fd);
	else
		n->clients[k] = (struct client){.fd = fd, .waiting = -1, .number = n->clients_seen++};
}

static int describe(struct node *n, unsigned i, char *text, size_t size)
{
	const struct unit *u = &n->machine.units[i];
	const struct service *s = &n->set.services[i];
	int blocker = u->state == ST_WAITING ? unit_blocker(&n->machine, i) : -1;

	return snprintf(
		text, size,
		"service name=%s state=%s pid=%d starts=%u failures=%u since=%lld asked=%lld run=%lld ready=%lld "
		"first_ready=%lld exit=%d signalled=%d stuck=%d blocker=%s slice=%s description=%s\n",
		s->name, state_name(u->state), (int)n->slots[i].main.pid, u->starts, u->failures, (long long)u->since,
		(long long)u->asked_at, (long long)u->run_at, (long long)u->ready_at, (long long)u->first_ready_at,
		u->exit_status, u->exit_signalled, u->stuck, blocker < 0 ? "" : n->set.services[blocker].name,
		s->slice == SLICE_KUBE ? "kube" : "system", service_word(s, s->description, 0));
}

static void list(struct node *n, unsigned client)
{
	char packet[PACKET_MAX], line[PACKET_MAX / 2];
	size_t used = (size_t)snprintf(packet, sizeof packet, "now=%lld dropped=%llu\n", (long long)now_ms_boot(),
				       (unsigned long long)n->ring.dropped_total);

	for (unsigned i = 0; i < n->set.count; i++) {
		int size = describe(n, i, line, sizeof line);

		if (size >= (int)sizeof line) {
			size = (int)sizeof line - 1;
			line[size - 1] = '\n';
		}
		if (used + (size_t)size > sizeof packet) {
			answer(n, client, packet, used);
			used = 0;
		}
		memcpy(packet + used, line, (size_t)size);
		used += (size_t)size;
	}
	answer(n, client, packet, used);
	finish(n, client, "ok");
}

static void wait_for(struct node *n, unsigned client, int r, unsigned service, enum event what)
{
	if (r == -EBUSY) {
		finish(n, client, "error the machine goes down");
		return;
	}
	n->clients[client].waiting = (int)service;
	n->clients[client].wait_for = (uint8_t)what;
}

/* Whoever waits is answered once what it asked for is so, or cannot be. */
void control_settle(struct node *n)
{
	for (unsigned k = 0; k < CLIENTS_MAX; k++) {
		struct client *c = &n->clients[k];
		const struct unit *u;
		char text[LAST_WORDS_MAX + 64];

		if (c->fd < 0 || c->waiting < 0)
			continue;
		u = &n->machine.units[c->waiting];
		if (n->machine.ending) {
			finish(n, k, "error the machine goes down");
		} else if (u->stuck) {
			finish(n, k, "error it does not die of KILL");
		} else if (c->wait_for == EV_STOP) {
			if (u->state == ST_OFF)
				finish(n, k, "ok");
			else if (!u->stop_asked)
				finish(n, k, "error it was asked to start again");
		} else if (!u->stop_asked && (u->state == ST_UP || u->state == ST_DONE || u->state == ST_SKIPPED)) {
			finish(n, k, u->state == ST_SKIPPED ? "ok skipped, its condition is not met" : "ok");
		} else if (!u->stop_asked && (u->state == ST_FAILED || u->state == ST_BACKOFF || u->state == ST_OFF)) {
			snprintf(text, sizeof text, "error it is %s: %s", state_name(u->state),
				 n->last_words[c->waiting]);
			finish(n, k, text);
		} else if (u->held) {
			int blocker = unit_blocker(&n->machine, (unsigned)c->waiting);

			snprintf(text, sizeof text, "error it waits for %s, which is not up",
				 blocker < 0 ? "?" : n->set.services[blocker].name);
			finish(n, k, text);
		}
	}
}

static void end_machine(struct node *n, unsigned client, enum ending ending)
{
	finish(n, client, machine_end(&n->machine, ending) < 0 ? "error the machine goes down already" : "ok");
}

static void act(struct node *n, unsigned client, const char *verb, const char *name)
{
	bool named = !strcmp(verb, "start") || !strcmp(verb, "stop") || !strcmp(verb, "restart");
	int i = *name ? service_find(&n->set, name) : -1;
	char text[REQUEST_MAX + 32];

	if (*name && !named) {
		finish(n, client, "error unknown request");
	} else if (!strcmp(verb, "services")) {
		list(n, client);
	} else if (!strcmp(verb, "reboot")) {
		end_machine(n, client, END_REBOOT);
	} else if (!strcmp(verb, "poweroff")) {
		end_machine(n, client, END_POWEROFF);
	} else if (!strcmp(verb, "halt")) {
		end_machine(n, client, END_HALT);
	} else if (!named) {
		finish(n, client, "error unknown request");
	} else if (i < 0) {
		snprintf(text, sizeof text, "error no service \"%s\"", name);
		finish(n, client, text);
	} else if (!strcmp(verb, "start")) {
		wait_for(n, client, machine_start(&n->machine, (unsigned)i), (unsigned)i, EV_START);
	} else {
		bool again = !strcmp(verb, "restart");

		wait_for(n, client, machine_stop(&n->machine, (unsigned)i, again), (unsigned)i,
			 again ? EV_START : EV_STOP);
	}
}

bool control_parse(char *text, const char **verb, const char **name)
{
	size_t prefix = strlen(VERSION);
	char *blank;

	if (strncmp(text, VERSION, prefix))
		return false;
	*verb = text + prefix;
	*name = "";
	blank = strchr(*verb, ' ');
	if (blank) {
		*blank = 0;
		*name = blank + 1;
	}
	return **verb && !strchr(*name, ' ');
}

void control_read(struct node *n, unsigned client)
{
	struct client *c = &n->clients[client];
	char request[REQUEST_MAX];
	const char *verb, *name;
	ssize_t got;

	if (c->fd < 0)
		return;
	got = receive_text(c->fd, request, sizeof request - 1);
	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		n->in_vain = true;
		return;
	}
	if (got <= 0 || c->waiting >= 0) {
		drop(n, client);
		return;
	}
	request[got] = 0;
	if (strlen(request) == (size_t)got && control_parse(request, &verb, &name))
		act(n, client, verb, name);
	else
		finish(n, client, "error expected \"keelson 1 VERB [NAME]\"");
}
