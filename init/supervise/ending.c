/* The way down: phases in a fixed order, each with a bound. What was asked for happens at the end, whatever failed
 * before. */
#include <errno.h>
#include <stddef.h>

#include "supervise/machine.h"

#define KILL_SLACK_MS 6000 /* for each service, beside its own timeout */

static void ask_all(struct machine *m)
{
	for (unsigned i = 0; i < m->set->count; i++) {
		m->units[i].stop_asked = m->units[i].state != ST_OFF;
		m->units[i].start_again = m->units[i].wanted = false;
	}
}

/* Services that come after one with BeforeShutdown, directly or not: its users. */
static void ask_users(struct machine *m)
{
	struct service_mask users = {0};
	bool changed;

	do {
		changed = false;
		for (unsigned i = 0; i < m->set->count; i++) {
			const struct service *s = &m->set->services[i];
			bool user = false;

			for (unsigned d = 0; d < m->set->count; d++)
				if (mask_has(&s->after, d) &&
				    (m->set->services[d].before_shutdown.count || mask_has(&users, d)))
					user = true;
			if (!user || mask_has(&users, i))
				continue;
			mask_add(&users, i);
			m->units[i].stop_asked = m->units[i].state != ST_OFF;
			changed = true;
		}
	} while (changed);
}

static void run_before(struct machine *m)
{
	for (unsigned i = 0; i < m->set->count; i++) {
		struct unit *u = &m->units[i];

		if (!m->set->services[i].before_shutdown.count || u->state != ST_UP || u->probing)
			continue;
		u->probing = true;
		u->probe_deadline = m->effects->now(m->ctx) + m->set->services[i].before_shutdown_timeout;
		m->effects->probe(m->ctx, i, m->set->services[i].before_shutdown);
	}
}

static bool stopped(const struct machine *m)
{
	for (unsigned i = 0; i < m->set->count; i++)
		if (m->units[i].stop_asked && unit_active(&m->units[i]))
			return false;
	return true;
}

static bool before_done(const struct machine *m)
{
	for (unsigned i = 0; i < m->set->count; i++)
		if (m->units[i].probing && !m->units[i].probe_overdue)
			return false;
	return true;
}

static bool told_done(const struct machine *m)
{
	return m->phase_done;
}

static int64_t stop_bound(const struct machine *m)
{
	int64_t sum = KILL_SLACK_MS;

	for (unsigned i = 0; i < m->set->count; i++)
		if (m->units[i].stop_asked && unit_active(&m->units[i]))
			sum += KILL_SLACK_MS + (m->set->services[i].stop_timeout == SERVICE_FOREVER
							? 10000
							: m->set->services[i].stop_timeout);
	return sum;
}

static int64_t before_bound(const struct machine *m)
{
	int64_t bound = 1000;

	for (unsigned i = 0; i < m->set->count; i++)
		if (m->units[i].probing && m->set->services[i].before_shutdown_timeout + 1000 > bound)
			bound = m->set->services[i].before_shutdown_timeout + 1000;
	return bound;
}

static const struct phase_row {
	const char *name;
	void (*enter)(struct machine *m);
	bool (*done)(const struct machine *m);
	int64_t (*bound)(const struct machine *m);
	int64_t bound_ms;
} phases[PHASES] = {
	[PHASE_USERS] = {"users", ask_users, stopped, stop_bound, 0},
	[PHASE_BEFORE] = {"before", run_before, before_done, before_bound, 0},
	[PHASE_SERVICES] = {"services", ask_all, stopped, stop_bound, 0},
	[PHASE_KILL] = {"kill", NULL, told_done, NULL, 5000},
	[PHASE_LOGS] = {"logs", NULL, told_done, NULL, 3000},
	[PHASE_UNMOUNT] = {"unmount", NULL, told_done, NULL, 15000},
	[PHASE_READONLY] = {"read-only", NULL, told_done, NULL, 5000},
	[PHASE_SYNC] = {"sync", NULL, told_done, NULL, 10000},
	[PHASE_END] = {"end", NULL, NULL, NULL, 10000},
};

const char *phase_name(enum phase phase)
{
	return phase > PHASE_RUN && phase < PHASES ? phases[phase].name : "run";
}

static void enter_phase(struct machine *m, enum phase phase)
{
	m->phase = (uint8_t)phase;
	m->phase_done = false;
	m->phase_since = m->effects->now(m->ctx);
	if (phases[phase].enter)
		phases[phase].enter(m);
	m->phase_deadline = m->phase_since + (phases[phase].bound ? phases[phase].bound(m) : phases[phase].bound_ms);
	m->effects->phase(m->ctx, phase, m->ending);
	machine_settle(m);
}

int machine_end(struct machine *m, enum ending ending)
{
	if (m->ending)
		return -EBUSY;
	m->ending = (uint8_t)ending;
	m->ending_since = m->effects->now(m->ctx);
	for (unsigned i = 0; i < m->set->count; i++)
		probes_stop(m, i);
	m->advancing = true;
	enter_phase(m, PHASE_USERS);
	m->advancing = false;
	ending_tick(m);
	return 0;
}

void machine_phase_done(struct machine *m, enum phase phase)
{
	if (phase != m->phase)
		return;
	m->phase_done = true;
	ending_tick(m);
}

/* To the next phase while this one is done or out of time. */
static void advance(struct machine *m)
{
	char text[32];

	while (m->phase < PHASE_END) {
		int64_t now = m->effects->now(m->ctx);
		bool done = phases[m->phase].done(m);

		if (!done && now < m->phase_deadline)
			return;
		if (!done) {
			format_ms(text, sizeof text, now - m->phase_since);
			machine_tell(m, -1, "%s: not done after %s, goes on without", phases[m->phase].name, text);
		}
		enter_phase(m, m->phase + 1u);
	}
	if (m->effects->now(m->ctx) >= m->phase_deadline) /* reboot(2) did not do it: once more */
		enter_phase(m, PHASE_END);
}

void ending_tick(struct machine *m)
{
	if (!m->ending || m->settling || m->advancing)
		return;
	m->advancing = true;
	advance(m);
	m->advancing = false;
}
