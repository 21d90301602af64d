/* PID 1's side of the logs: records go from the ring into the socket of the log writer, as far as that has room.
 *
 * A stalled disk blocks the writer, then its socket fills, then the ring, and then lines are dropped and counted. PID 1
 * and the services never wait.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/node.h"

#define RETRY_MS 1000
#define CHILD_FIRST_MS 20
#define CHILD_FIRST_BYTES (RING_BYTES / 4)

/* The place of the logs is there: its service is done, or the table has none. */
static bool may_start(const struct node *n)
{
	int i = service_find(&n->set, n->logs_after);

	return i < 0 || n->machine.units[i].state == ST_DONE || n->machine.units[i].state == ST_UP ||
	       n->machine.units[i].state == ST_SKIPPED;
}

static int writer_start(struct node *n)
{
	static bool again;
	int ends[2];
	int r;

	if (n->writer_pipe < 0) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
			return -errno;
		n->writer_pipe = ends[0];
		n->writer_end = ends[1];
	}
	r = child_start(n, &n->writer, 0);
	if (r == 0) {
		prctl(PR_SET_NAME, "log-writer");
		log_writer_run(&n->set, n->logs, n->writer_end, again);
	}
	again = true;
	return r < 0 ? r : 0;
}

static void watch(struct node *n, bool on)
{
	if (on == n->writer_watched)
		return;
	if (on)
		n->writer_watched = source_add(n, n->writer_pipe, EPOLLOUT, SRC_WRITER, 0) == 0;
	else
		n->writer_watched = epoll_ctl(n->epoll, EPOLL_CTL_DEL, n->writer_pipe, NULL) < 0;
}

int64_t log_deadline(const struct node *n)
{
	if (n->writer_ended || !ring_peek(&n->ring))
		return 0;
	if (n->writer.pid)
		return n->pump_at;
	return may_start(n) ? n->writer_retry_at : 0;
}

/* The writer, woken beside a child that was just forked, takes its processor, and the child's exec moves to another
 * one: a third of the time that a restart takes. Lines wait for a moment, and as long as the ring has room.
 * Source: Linux kernel/sched/core.c, sched_exec().
 */
void log_after_child(struct node *n)
{
	if (!n->pump_at)
		n->pump_at = now_ms_boot() + CHILD_FIRST_MS;
}

static bool child_is_first(struct node *n)
{
	if (n->pump_at && (ring_used(&n->ring) > CHILD_FIRST_BYTES || now_ms_boot() >= n->pump_at))
		n->pump_at = 0;
	return n->pump_at;
}

void log_pump(struct node *n)
{
	const struct log_record *record;

	if (!ring_peek(&n->ring) || n->writer_ended || (n->writer.pid && child_is_first(n)))
		return;
	if (!n->writer.pid) {
		int64_t now = now_ms_boot();

		if (!may_start(n) || now < n->writer_retry_at)
			return;
		n->writer_retry_at = now + RETRY_MS;
		if (writer_start(n) < 0)
			return;
	}
	while (n->writer_pipe >= 0 && (record = ring_peek(&n->ring))) {
		if (send(n->writer_pipe, record, record->size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
			n->in_vain |= n->writer_has_room;
			break;
		}
		n->writer_has_room = false;
		ring_pop(&n->ring);
	}
	n->writer_has_room = false;
	if (n->writer_pipe >= 0)
		watch(n, ring_peek(&n->ring) != NULL);
}

/* What it has not read yet waits for the next one: PID 1 keeps both ends. */
void log_writer_ended(struct node *n)
{
	if (n->writer_pipe >= 0)
		watch(n, false); /* there is room, but nobody who makes it */
	n->writer_retry_at = now_ms_boot() + RETRY_MS;
	if (n->machine.phase >= PHASE_LOGS) {
		n->writer_ended = true;
		machine_phase_done(&n->machine, PHASE_LOGS);
	}
}

/* Nothing more comes: the writer writes what it has, and ends. */
void log_close(struct node *n)
{
	n->pump_at = 0;
	log_pump(n);
	source_close(n, &n->writer_pipe);
	source_close(n, &n->writer_end);
	if (n->writer.pid)
		return;
	n->writer_ended = true;
	machine_phase_done(&n->machine, PHASE_LOGS);
}
