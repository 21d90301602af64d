/* What follows from a change: services whose turn has come are started, or stopped.
 *
 * No recursion through the graph: the units are walked until nothing changes. Each pass moves at least one unit on, and
 * no unit comes back to a state within one settling more often than its restart policy allows without a delay.
 */
#include "supervise/machine.h"

bool unit_active(const struct unit *u)
{
	return u->state == ST_STARTING || u->state == ST_UP || u->state == ST_STOPPING ||
	       (u->state == ST_KILLING && !u->stuck);
}

static bool satisfied(const struct unit *u)
{
	return u->state == ST_UP || u->state == ST_DONE || u->state == ST_SKIPPED;
}

/* What only comes after it goes on once it has failed for the first time, or cannot start itself. */
static bool let_others_on(const struct unit *u)
{
	return !u->wanted || u->held || u->failures || u->state == ST_OFF;
}

int unit_blocker(const struct machine *m, unsigned i)
{
	const struct service *s = &m->set->services[i];

	for (unsigned d = 0; d < m->set->count; d++) {
		if (!mask_has(&s->after, d) || satisfied(&m->units[d]))
			continue;
		if (mask_has(&s->requires, d) || !let_others_on(&m->units[d]))
			return (int)d;
	}
	return -1;
}

static bool is_held(const struct machine *m, unsigned i)
{
	const struct service *s = &m->set->services[i];

	if (m->units[i].state != ST_WAITING)
		return false;
	for (unsigned d = 0; d < m->set->count; d++)
		if (mask_has(&s->requires, d) && !satisfied(&m->units[d]) && let_others_on(&m->units[d]))
			return true;
	return false;
}

/* Whoever comes after it, and is to be stopped too, stops first. */
static bool may_stop(const struct machine *m, unsigned i)
{
	for (unsigned d = 0; d < m->set->count; d++)
		if (mask_has(&m->set->services[d].after, i) && m->units[d].stop_asked && unit_active(&m->units[d]))
			return false;
	return true;
}

static bool settle_stop(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];

	if (u->state == ST_OFF) {
		u->stop_asked = false;
		if (u->start_again && !m->ending) {
			u->failures = 0;
			u->asked_at = m->effects->now(m->ctx);
			actions[u->state][EV_START](m, i);
		}
		u->start_again = false;
		return true;
	}
	if (u->state == ST_STOPPING || u->state == ST_KILLING) {
		u->goal = GOAL_OFF;
		return false;
	}
	if (!may_stop(m, i))
		return false;
	actions[u->state][EV_STOP](m, i);
	return true;
}

static bool settle_unit(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];
	bool held = is_held(m, i);

	if (u->stop_asked)
		return settle_stop(m, i);
	if (held != u->held) {
		u->held = held;
		return true;
	}
	if (u->state != ST_WAITING || m->ending || unit_blocker(m, i) >= 0)
		return false;
	actions[u->state][EV_RUN](m, i);
	return true;
}

void machine_settle(struct machine *m)
{
	bool changed;

	if (m->settling)
		return;
	m->settling = true;
	do {
		changed = false;
		for (unsigned i = 0; i < m->set->count; i++)
			if (settle_unit(m, i))
				changed = true;
	} while (changed);
	m->settling = false;
	ending_tick(m);
}
