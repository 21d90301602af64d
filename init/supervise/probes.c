/* When a probe runs, and what its answer means. Readiness and liveness are the same probe loop with different ends. */
#include <sys/param.h>

#include "supervise/machine.h"

#define READY_FIRST_MS 200
#define READY_MAX_MS 2000
#define DOUBLED_MOST 8 /* far beyond the most */

static struct words command_of(const struct machine *m, unsigned i)
{
	const struct service *s = &m->set->services[i];

	return m->units[i].state == ST_STARTING ? s->ready : s->liveness;
}

void probes_start(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];
	int64_t now = m->effects->now(m->ctx);

	u->probe_failures = 0;
	if (m->ending)
		return;
	u->probe_at = u->state == ST_STARTING ? now : now + m->set->services[i].liveness_interval;
}

/* The answer of a probe that still runs is of no interest any more. */
void probes_stop(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];

	u->probe_at = u->probe_deadline = 0;
	if (!u->probing || u->probe_overdue)
		return;
	u->probe_overdue = true;
	m->effects->probe_kill(m->ctx, i);
}

static int64_t pause_after(const struct machine *m, unsigned i)
{
	const struct unit *u = &m->units[i];

	if (u->state != ST_STARTING)
		return m->set->services[i].liveness_interval;
	return MIN(READY_FIRST_MS << MIN(MAX(u->probe_failures, 1) - 1, DOUBLED_MOST), READY_MAX_MS);
}

static void failed(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];

	if (u->probe_failures < UINT16_MAX)
		u->probe_failures++;
	u->probe_at = m->effects->now(m->ctx) + pause_after(m, i);
	if (u->state == ST_UP && u->probe_failures >= m->set->services[i].liveness_failures)
		machine_event(m, i, EV_UNHEALTHY);
}

void machine_probe_result(struct machine *m, unsigned i, bool ok)
{
	struct unit *u = &m->units[i];
	bool overdue = u->probe_overdue;

	u->probing = u->probe_overdue = false;
	u->probe_deadline = 0;
	if (m->ending) {
		ending_tick(m);
		return;
	}
	if (overdue || (u->state != ST_STARTING && u->state != ST_UP))
		return;
	if (!ok) {
		failed(m, i);
		return;
	}
	u->probe_failures = 0;
	if (u->state == ST_STARTING)
		machine_event(m, i, EV_READY);
	else
		u->probe_at = m->effects->now(m->ctx) + m->set->services[i].liveness_interval;
}

void probes_tick(struct machine *m, unsigned i, int64_t now)
{
	struct unit *u = &m->units[i];

	if (u->probe_deadline && u->probe_deadline <= now) {
		u->probe_deadline = 0;
		u->probe_overdue = true;
		m->effects->probe_kill(m->ctx, i);
		if (!m->ending)
			failed(m, i);
	}
	if (!u->probe_at || u->probe_at > now)
		return;
	if (u->probing) {
		/* The last one cannot be killed; asking again would pile up more of them. */
		u->probe_at = now + pause_after(m, i);
		return;
	}
	u->probe_at = 0;
	u->probing = true;
	u->probe_deadline = now + m->set->services[i].liveness_timeout;
	m->effects->probe(m->ctx, i, command_of(m, i));
}
