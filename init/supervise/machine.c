/* Events come in here: what they say about the unit is noted, the table decides, and what follows is settled. */
#include "supervise/machine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#define REMIND_MS 15000
#define REMIND_SLACK_MS 5000 /* its next line may come a little late */

const char *state_name(enum state state)
{
	static const char *const names[STATES] = {"off",      "waiting", "starting", "up",     "done",
						  "stopping", "killing", "backoff",  "failed", "skipped"};

	return state < STATES ? names[state] : "?";
}

const char *event_name(enum event event)
{
	static const char *const names[EVENTS] = {"start", "stop",   "run",   "executed", "skip",
						  "ready", "exited", "empty", "timeout",  "unhealthy"};

	return event < EVENTS ? names[event] : "?";
}

void format_ms(char *text, size_t size, int64_t ms)
{
	if (ms < 100)
		snprintf(text, size, "%lld ms", (long long)ms);
	else if (ms < 10000 && ms % 1000)
		snprintf(text, size, "%lld.%lld s", (long long)ms / 1000, (long long)ms % 1000 / 100);
	else if (ms < 120000)
		snprintf(text, size, "%lld s", (long long)(ms + 500) / 1000);
	else
		snprintf(text, size, "%lld min", (long long)(ms + 30000) / 60000);
}

void machine_tell(struct machine *m, int i, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	m->effects->tell(m->ctx, i, text);
}

void machine_init(struct machine *m, const struct service_set *set, const struct effects *effects, void *ctx)
{
	memset(m, 0, sizeof *m);
	m->set = set;
	m->effects = effects;
	m->ctx = ctx;
}

static void raise_event(struct machine *m, unsigned i, enum event event)
{
	struct unit *u = &m->units[i];

	if (event == EV_EMPTY)
		u->populated = false;
	if (!actions[u->state][event]) {
		machine_tell(m, (int)i, "cannot happen: %s while %s", event_name(event), state_name(u->state));
		return;
	}
	actions[u->state][event](m, i);
}

void machine_event(struct machine *m, unsigned i, enum event event)
{
	if (i >= m->set->count)
		return;
	raise_event(m, i, event);
	machine_settle(m);
}

void machine_exited(struct machine *m, unsigned i, bool signalled, int status, bool populated)
{
	struct unit *u = &m->units[i];

	u->main_alive = false;
	u->populated = populated;
	u->exit_signalled = signalled;
	u->exit_status = status;
	machine_event(m, i, EV_EXITED);
}

void machine_boot(struct machine *m)
{
	int64_t now = m->effects->now(m->ctx);

	for (unsigned i = 0; i < m->set->count; i++) {
		m->units[i].wanted = true;
		m->units[i].asked_at = now;
		raise_event(m, i, EV_START);
	}
	machine_settle(m);
}

static bool on_its_way(const struct machine *m, unsigned i)
{
	const struct unit *u = &m->units[i];

	return u->state == ST_WAITING || u->state == ST_STARTING || u->state == ST_UP ||
	       (u->state == ST_DONE && m->set->services[i].remain_after_exit);
}

/* What Requires and Wants name comes along. Bounded: a unit that is on its way is not walked again. */
static void want(struct machine *m, unsigned i)
{
	const struct service *s = &m->set->services[i];
	struct unit *u = &m->units[i];

	u->wanted = true;
	if (u->stop_asked) {
		u->start_again = true;
		return;
	}
	if (on_its_way(m, i))
		return;
	u->asked_at = m->effects->now(m->ctx);
	u->failures = 0;
	raise_event(m, i, EV_START);
	for (unsigned d = 0; d < m->set->count; d++)
		if ((mask_has(&s->requires, d) || mask_has(&s->wants, d)) && m->units[d].state != ST_BACKOFF &&
		    m->units[d].state != ST_STOPPING && m->units[d].state != ST_KILLING)
			want(m, d);
}

int machine_start(struct machine *m, unsigned i)
{
	if (m->ending)
		return -EBUSY;
	if (on_its_way(m, i) && !m->units[i].stop_asked)
		return -EALREADY;
	want(m, i);
	machine_settle(m);
	return 0;
}

/* Whoever requires it goes first, and comes back with it. */
static void ask_stop(struct machine *m, unsigned i, bool start_again)
{
	struct unit *u = &m->units[i];

	if (u->stop_asked && u->start_again == start_again)
		return;
	u->stop_asked = true;
	u->start_again = start_again;
	u->wanted = start_again;
	for (unsigned d = 0; d < m->set->count; d++)
		if (mask_has(&m->set->services[d].requires, i) && m->units[d].state != ST_OFF)
			ask_stop(m, d, start_again);
}

int machine_stop(struct machine *m, unsigned i, bool start_again)
{
	if (m->ending)
		return -EBUSY;
	if (m->units[i].state == ST_OFF && !start_again)
		return -EALREADY;
	ask_stop(m, i, start_again);
	machine_settle(m);
	return 0;
}

static const char *what_it_waits_for(const struct machine *m, unsigned i)
{
	int blocker = unit_blocker(m, i);

	return blocker < 0 ? "its turn" : m->set->services[blocker].name;
}

/* Told only where it helps: not for a service that waits for another which waits itself. */
static void remind(struct machine *m, unsigned i, int64_t now)
{
	struct unit *u = &m->units[i];
	int blocker = u->state == ST_WAITING ? unit_blocker(m, i) : -1;
	const char *doing = m->effects->status(m->ctx, i), *colon = *doing ? ": " : "";
	char waited[32], left[32];

	u->remind_at = now + REMIND_MS;
	format_ms(waited, sizeof waited, now - u->since);
	format_ms(left, sizeof left, u->deadline - u->since);
	if (u->state == ST_WAITING && blocker >= 0 && m->units[blocker].state != ST_WAITING &&
	    m->units[blocker].state != ST_STARTING)
		machine_tell(m, (int)i, "waiting for %s, which is %s (%s)", what_it_waits_for(m, i),
			     state_name(m->units[blocker].state), waited);
	if (u->state == ST_STARTING && u->deadline)
		machine_tell(m, (int)i, "waiting to be ready (%s; gives up after %s)%s%s", waited, left, colon, doing);
	else if (u->state == ST_STARTING)
		machine_tell(m, (int)i, "waiting to be ready (%s)%s%s", waited, colon, doing);
	if (u->state == ST_STOPPING)
		machine_tell(m, (int)i, "waiting for its end (%s; killed after %s)", waited, left);
}

void machine_heard(struct machine *m, unsigned i)
{
	if (m->units[i].remind_at)
		m->units[i].remind_at = m->effects->now(m->ctx) + REMIND_MS + REMIND_SLACK_MS;
}

void machine_tick(struct machine *m)
{
	int64_t now = m->effects->now(m->ctx);

	for (unsigned i = 0; i < m->set->count; i++) {
		struct unit *u = &m->units[i];

		if (u->deadline && u->deadline <= now) {
			u->deadline = 0;
			raise_event(m, i, EV_TIMEOUT);
		}
		probes_tick(m, i, now);
		if (u->remind_at && u->remind_at <= now)
			remind(m, i, now);
	}
	ending_tick(m);
	machine_settle(m);
}

static void earlier(int64_t *next, int64_t candidate)
{
	if (candidate)
		*next = *next ? MIN(*next, candidate) : candidate;
}

int64_t machine_next_deadline(const struct machine *m)
{
	int64_t next = 0;

	for (unsigned i = 0; i < m->set->count; i++) {
		earlier(&next, m->units[i].deadline);
		earlier(&next, m->units[i].probe_at);
		earlier(&next, m->units[i].probe_deadline);
		earlier(&next, m->units[i].remind_at);
	}
	earlier(&next, m->phase_deadline);
	earlier(&next, m->remind_at);
	return next;
}
