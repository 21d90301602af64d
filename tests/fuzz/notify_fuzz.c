/* What a service says of itself: messages on its notify socket ('n'), bytes on its ready descriptor ('f'), and what its
 * process reports before it executes the program ('r'). 'd': messages of an instance that is gone. */
#include "fuzz.h"

#include <sys/socket.h>

#include "idle_node.h"

static struct node node;

/* A second look at the message, by lines from its end. */
static bool has_ready_line(const uint8_t *message, size_t len)
{
	for (size_t end = len + 1; end-- > 0;) {
		bool ends = end == len || message[end] == '\n';

		if (ends && end >= 7 && !memcmp(message + end - 7, "READY=1", 7) &&
		    (end == 7 || message[end - 8] == '\n'))
			return true;
	}
	return false;
}

static void make_starting(unsigned i)
{
	idle_node(&node);
	node.status[i][0] = 0;
	node.machine.units[i].state = ST_STARTING;
	node.machine.units[i].main_alive = node.machine.units[i].wanted = true;
}

static void notify(const uint8_t *message, size_t len, bool discard)
{
	size_t seen = len < 4096 ? len : 4096;
	int ends[2];

	make_starting(1);
	PROMISE(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends));
	node.slots[1].notify = ends[0];
	PROMISE(send(ends[1], message, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len);
	notify_drain(&node, 1, discard);
	PROMISE((node.machine.units[1].state == ST_UP) == (!discard && has_ready_line(message, seen)));
	PROMISE(memchr(node.status[1], 0, STATUS_MAX) && !(discard && node.status[1][0]));
	source_close(&node, &node.slots[1].notify);
	close(ends[1]);
}

static void ready(const uint8_t *message, size_t len)
{
	int ends[2];

	make_starting(1);
	PROMISE(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	node.slots[1].ready = ends[0];
	PROMISE(write(ends[1], message, len) == (ssize_t)len);
	if (!len)
		close(ends[1]);
	ready_drain(&node, 1);
	PROMISE((node.machine.units[1].state == ST_UP) == (len && memchr(message, '\n', len < 256 ? len : 256)));
	source_close(&node, &node.slots[1].ready);
	if (len)
		close(ends[1]);
}

static void report(const uint8_t *message, size_t len)
{
	int ends[2];

	make_starting(2);
	len = len < sizeof(struct child_report) ? len : sizeof(struct child_report);
	PROMISE(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	node.slots[2].report = ends[0];
	PROMISE(write(ends[1], message, len) == (ssize_t)len);
	close(ends[1]);
	report_drain(&node, 2);
	PROMISE(node.slots[2].report < 0 && memchr(node.last_words[2], 0, LAST_WORDS_MAX));
	if (len < sizeof(struct child_report))
		PROMISE(node.machine.units[2].state == ST_UP);
	else
		PROMISE(node.machine.units[2].skip || !strncmp(node.last_words[2], "cannot ", 7));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const uint8_t *piece;
	size_t size;
	int kind;

	while ((kind = fuzz_piece(&data, &len, &piece, &size)) >= 0) {
		size = size < 8192 ? size : 8192;
		if (kind == 'n' || kind == 'd')
			notify(piece, size, kind == 'd');
		else if (kind == 'f')
			ready(piece, size);
		else if (kind == 'r')
			report(piece, size);
	}
	return 0;
}
