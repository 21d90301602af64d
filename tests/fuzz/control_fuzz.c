/* Requests on PID 1's control socket, and its answers as the client reads them.
 *
 * The input is lines: a request, of a client of its own; or '!', a letter and a digit: something that happens to a
 * service meanwhile. Whoever asks gets one verdict at most, and it is the last line.
 */
#include "fuzz.h"

#include <sys/socket.h>

#include "api/service_rows.h"
#include "idle_node.h"

static struct node node;
static int peers[CLIENTS_MAX];

static void happen(char what, unsigned i)
{
	struct unit *u = &node.machine.units[i];

	idle_time += 700;
	if (what == 't')
		idle_time += 20000;
	else if (what == 'p')
		machine_phase_done(&node.machine, node.machine.phase);
	else if (what == 'g' && u->populated)
		machine_event(&node.machine, i, EV_EMPTY);
	else if (what == 'e' && u->main_alive)
		machine_event(&node.machine, i, EV_EXECUTED);
	else if (what == 'r' && u->main_alive)
		machine_event(&node.machine, i, EV_READY);
	else if ((what == 'x' || what == 'f') && u->main_alive)
		machine_exited(&node.machine, i, what == 'f', what == 'f' ? 9 : 0, false);
	machine_tick(&node.machine);
}

static void ask(const char *request, size_t len)
{
	int ends[2];
	unsigned k = 0;

	while (k < CLIENTS_MAX && peers[k] >= 0)
		k++;
	if (k == CLIENTS_MAX || len > 4096)
		return;
	PROMISE(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
	PROMISE(send(ends[1], request, len, MSG_NOSIGNAL) == (ssize_t)len);
	peers[k] = ends[1];
	node.clients[k] = (struct client){.fd = ends[0], .waiting = -1};
	control_read(&node, k);
	PROMISE(node.clients[k].waiting < (int)node.set.count);
}

/* Everything that a client was sent. */
static size_t receive(int fd, char *text, size_t room)
{
	size_t used = 0;
	ssize_t got;

	while ((got = recv(fd, text + used, room - used - 1, MSG_DONTWAIT)) > 0)
		used += (size_t)got;
	text[used] = 0;
	return used;
}

static void check_answer(unsigned k, struct service_rows *rows)
{
	static char text[65536];
	size_t len = receive(peers[k], text, sizeof text);
	const char *last = strrchr(text, '\n');

	last = last ? last + 1 : text;
	if (node.clients[k].fd >= 0)
		PROMISE(!len && node.clients[k].waiting >= 0);
	else if (len)
		PROMISE(!strncmp(last, "ok", 2) || !strncmp(last, "error ", 6));
	if (strncmp(text, "now=", 4))
		return;
	service_rows_parse(text, rows);
	PROMISE(rows->count == node.set.count);
	for (unsigned i = 0; i < rows->count; i++)
		PROMISE(!strcmp(rows->rows[i].name, node.set.services[i].name) && rows->rows[i].state[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct service_rows rows;

	idle_node(&node);
	memset(peers, 0xff, sizeof peers);
	machine_boot(&node.machine);
	while (len) {
		const uint8_t *newline = memchr(data, '\n', len);
		size_t line = newline ? (size_t)(newline - data) : len;

		if (line == 3 && data[0] == '!')
			happen((char)data[1], data[2] % node.set.count);
		else
			ask((const char *)data, line);
		control_settle(&node);
		data += line + (newline != NULL);
		len -= line + (newline != NULL);
	}
	for (unsigned k = 0; k < CLIENTS_MAX; k++) {
		if (peers[k] < 0)
			continue;
		check_answer(k, &rows);
		close(peers[k]);
		source_close(&node, &node.clients[k].fd);
	}
	return 0;
}
