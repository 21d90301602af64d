/* A machine of services that exist only here: the supervisor's decisions against random schedules, on a clock that
 * jumps.
 *
 * Each run is a seed: a random graph of services, each instance with a random fate (fails before exec, becomes ready or
 * not, exits, leaves children, ignores TERM, cannot be killed), random requests of an operator, and an end asked for at
 * a random moment. The invariants are checked at every step; a violation names the seed, which replays it.
 */
#ifndef KEELSON_SIMULATOR_H
#define KEELSON_SIMULATOR_H

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervise/machine.h"

#define SIM_EVENTS 4096
#define SIM_STEPS_WITHOUT_TIME 3000

enum sim_kind {
	SIM_EXECUTED,
	SIM_SKIP,
	SIM_READY,
	SIM_EXIT,
	SIM_CHILD_GONE,
	SIM_PROBE,
	SIM_PHASE,
	SIM_OPERATOR,
	SIM_END
};

struct sim_event {
	int64_t at;
	uint64_t order; /* events of one moment keep their order */
	enum sim_kind kind;
	unsigned service;
	uint32_t instance;
	int value;
};

struct sim_process {
	bool alive, ignores_term, immortal, dying;
	unsigned children;
	uint32_t instance;
	bool probing;
};

struct sim {
	struct machine machine;
	struct service_set set;
	struct sim_process processes[SERVICES_MAX];
	struct sim_event events[SIM_EVENTS];
	unsigned event_count;
	uint64_t order;
	int64_t now;
	uint64_t seed, random;
	bool trace, ended;
	int64_t ended_at;
	unsigned spawns, requests;
	uint32_t spawned[SERVICES_MAX];
	char failure[512];
};

static uint32_t sim_random(struct sim *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)(s->random >> 16);
}

static unsigned sim_below(struct sim *s, unsigned bound)
{
	return sim_random(s) % bound;
}

static bool sim_chance(struct sim *s, unsigned percent)
{
	return sim_below(s, 100) < percent;
}

__attribute__((format(printf, 2, 3))) static void sim_fail(struct sim *s, const char *format, ...)
{
	char what[400];
	va_list args;

	if (s->failure[0])
		return;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	snprintf(s->failure, sizeof s->failure, "seed %" PRIu64 ", %" PRId64 " ms: %s", s->seed, s->now, what);
}

static void sim_later(struct sim *s, int64_t in, enum sim_kind kind, unsigned service, int value)
{
	struct sim_event *e;

	if (s->event_count == SIM_EVENTS) {
		sim_fail(s, "too many events");
		return;
	}
	e = &s->events[s->event_count++];
	*e = (struct sim_event){s->now + in, s->order++, kind, service, s->processes[service].instance, value};
}

static const char *sim_name(struct sim *s, unsigned i)
{
	return s->set.services[i].name;
}

static int64_t sim_now(void *ctx)
{
	return ((struct sim *)ctx)->now;
}

static bool sim_satisfied(const struct unit *u)
{
	return u->state == ST_UP || u->state == ST_DONE || u->state == ST_SKIPPED;
}

static void sim_check_spawn(struct sim *s, unsigned i)
{
	struct sim_process *p = &s->processes[i];

	if (p->alive)
		sim_fail(s, "%s: a second instance is started", sim_name(s, i));
	if (p->children && s->set.services[i].kill_mode == KILL_CONTROL_GROUP)
		sim_fail(s, "%s: started while its last instance has processes", sim_name(s, i));
	if (s->machine.ending)
		sim_fail(s, "%s: started while the machine goes down", sim_name(s, i));
	for (unsigned d = 0; d < s->set.count; d++)
		if (mask_has(&s->set.services[i].requires, d) && !sim_satisfied(&s->machine.units[d]))
			sim_fail(s, "%s: started before %s, which it requires", sim_name(s, i), sim_name(s, d));
}

/* The fate of an instance. */
static int sim_spawn(void *ctx, unsigned i)
{
	struct sim *s = ctx;
	const struct service *service = &s->set.services[i];
	struct sim_process *p = &s->processes[i];
	int64_t executed = sim_below(s, 30);

	sim_check_spawn(s, i);
	s->spawns++;
	s->spawned[i]++;
	if (sim_chance(s, 3))
		return -EAGAIN;
	if (s->trace)
		printf("%8" PRId64 " %-4s spawn\n", s->now, service->name);
	p->instance++;
	p->alive = true;
	p->dying = false;
	p->ignores_term = sim_chance(s, 10);
	p->immortal = sim_chance(s, 2);
	if (sim_chance(s, 5)) {
		sim_later(s, executed, SIM_EXIT, i, 127);
		return 0;
	}
	if (sim_chance(s, 3)) {
		sim_later(s, executed, SIM_SKIP, i, 0);
		sim_later(s, executed, SIM_EXIT, i, 127);
		return 0;
	}
	p->children += sim_chance(s, 20) ? 1 + sim_below(s, 2) : 0;
	sim_later(s, executed, SIM_EXECUTED, i, 0);
	if (service->type == SERVICE_ONESHOT) {
		if (!sim_chance(s, 5))
			sim_later(s, executed + sim_below(s, 3000), SIM_EXIT, i, sim_chance(s, 80) ? 0 : 1);
		return 0;
	}
	if ((service->type == SERVICE_NOTIFY || service->ready_fd) && !sim_chance(s, 10))
		sim_later(s, executed + sim_below(s, 5000), SIM_READY, i, 0);
	if (sim_chance(s, 50))
		sim_later(s, executed + (sim_chance(s, 50) ? sim_below(s, 200) : sim_below(s, 60000)), SIM_EXIT, i,
			  sim_chance(s, 30)   ? 0
			  : sim_chance(s, 50) ? 1
					      : -SIGSEGV);
	return 0;
}

static void sim_deadly(struct sim *s, unsigned i, bool kill)
{
	struct sim_process *p = &s->processes[i];

	if (!p->alive || p->dying || (p->ignores_term && !kill))
		return;
	if (p->immortal) {
		/* Stuck in the kernel: for a while, or for good. */
		if (kill && sim_chance(s, 50)) {
			p->dying = true;
			sim_later(s, 20000 + sim_below(s, 60000), SIM_EXIT, i, -SIGKILL);
		}
		return;
	}
	p->dying = true;
	sim_later(s, kill ? sim_below(s, 3) : sim_below(s, 1500), SIM_EXIT, i, kill ? -SIGKILL : -SIGTERM);
}

static void sim_check_term(struct sim *s, unsigned i, int sig)
{
	if (!s->machine.ending || sig != SIGTERM || s->machine.units[i].goal != GOAL_OFF || !s->processes[i].alive)
		return;
	for (unsigned d = 0; d < s->set.count; d++)
		if (mask_has(&s->set.services[d].after, i) && s->machine.units[d].stop_asked &&
		    unit_active(&s->machine.units[d]))
			sim_fail(s, "%s: stopped before %s, which comes after it", sim_name(s, i), sim_name(s, d));
}

static void sim_signal_main(void *ctx, unsigned i, int sig)
{
	struct sim *s = ctx;

	sim_check_term(s, i, sig);
	if (s->trace)
		printf("%8" PRId64 " %-4s signal %d\n", s->now, sim_name(s, i), sig);
	if (sig != SIGCONT)
		sim_deadly(s, i, sig == SIGKILL);
}

static void sim_signal_group(void *ctx, unsigned i, int sig)
{
	struct sim *s = ctx;

	sim_signal_main(ctx, i, sig);
	if (sig != SIGCONT && s->processes[i].children && !s->processes[i].ignores_term)
		sim_later(s, sim_below(s, 1000), SIM_CHILD_GONE, i, 0);
}

static void sim_kill_group(void *ctx, unsigned i)
{
	struct sim *s = ctx;

	if (s->trace)
		printf("%8" PRId64 " %-4s kill group\n", s->now, sim_name(s, i));
	sim_deadly(s, i, true);
	if (s->processes[i].children && !s->processes[i].immortal)
		sim_later(s, sim_below(s, 5), SIM_CHILD_GONE, i, 0);
}

static void sim_probe(void *ctx, unsigned i, struct words command)
{
	struct sim *s = ctx;

	(void)command;
	if (s->processes[i].probing)
		sim_fail(s, "%s: a second probe is started", sim_name(s, i));
	s->processes[i].probing = true;
	if (!sim_chance(s, 5))
		sim_later(s, sim_below(s, 2000), SIM_PROBE, i, sim_chance(s, 70));
}

static void sim_probe_kill(void *ctx, unsigned i)
{
	struct sim *s = ctx;

	if (s->processes[i].probing)
		sim_later(s, sim_below(s, 5), SIM_PROBE, i, 0);
}

static void sim_tell(void *ctx, int i, const char *text)
{
	struct sim *s = ctx;

	if (s->trace)
		printf("%8" PRId64 " %-4s %s\n", s->now, i < 0 ? "-" : sim_name(s, (unsigned)i), text);
	if (strstr(text, "cannot happen"))
		sim_fail(s, "%s: %s", i < 0 ? "-" : sim_name(s, (unsigned)i), text);
}

static const char *sim_last_words(void *ctx, unsigned i)
{
	(void)ctx;
	(void)i;
	return "";
}

static const char *sim_status(void *ctx, unsigned i)
{
	(void)ctx;
	(void)i;
	return "";
}

static void sim_phase(void *ctx, enum phase phase, enum ending ending)
{
	struct sim *s = ctx;

	if (s->trace)
		printf("%8" PRId64 " -    phase %s\n", s->now, phase_name(phase));
	if (phase == PHASE_END) {
		s->ended = true;
		if (!s->ended_at)
			s->ended_at = s->now;
		if (ending != (enum ending)s->machine.ending)
			sim_fail(s, "the end is not the one asked for");
	} else if (phase >= PHASE_KILL && !sim_chance(s, 10)) {
		sim_later(s, sim_below(s, 1000), SIM_PHASE, 0, (int)phase);
	}
}

static uint32_t sim_rand(void *ctx)
{
	return sim_random(ctx);
}

static const struct effects sim_effects = {
	sim_now,	sim_spawn, sim_signal_main, sim_signal_group, sim_kill_group, sim_probe,
	sim_probe_kill, sim_tell,  sim_last_words,  sim_status,	      sim_phase,      sim_rand,
};

static void sim_service(struct sim *s, unsigned i)
{
	struct service *service = &s->set.services[i];

	memset(service, 0, sizeof *service);
	snprintf(service->name, sizeof service->name, "s%u", i);
	service->text_used = 1;
	service->type = (uint8_t)sim_below(s, 3);
	service->kill_mode = sim_chance(s, 25) ? KILL_PROCESS : KILL_CONTROL_GROUP;
	service->restart = service->type == SERVICE_ONESHOT ? (uint8_t)sim_below(s, 2) : (uint8_t)sim_below(s, 3);
	service->remain_after_exit = service->type == SERVICE_ONESHOT && sim_chance(s, 70);
	service->start_timeout = sim_chance(s, 10) ? SERVICE_FOREVER : 1000 + sim_below(s, 20000);
	service->stop_timeout = 100 + sim_below(s, 5000);
	service->healthy_after = 5000;
	service->liveness_interval = 1000 + sim_below(s, 5000);
	service->liveness_timeout = 1000;
	service->liveness_failures = 1 + (uint16_t)sim_below(s, 3);
	service->give_up_after = sim_chance(s, 20) ? 3 : 0;
	service->before_shutdown_timeout = 1000 + sim_below(s, 5000);
	if (service->type == SERVICE_SIMPLE && sim_chance(s, 30))
		service->ready.count = 1;
	if (service->type != SERVICE_ONESHOT && sim_chance(s, 30))
		service->liveness.count = 1;
	if (service->type == SERVICE_NOTIFY && sim_chance(s, 15))
		service->before_shutdown.count = 1;
	for (unsigned d = 0; d < i; d++) {
		if (sim_chance(s, 20))
			mask_add(&service->after, d);
		if (!sim_chance(s, 15))
			continue;
		mask_add(&service->requires, d);
		mask_add(&service->after, d);
	}
}

static void sim_operator(struct sim *s, unsigned i, int what)
{
	s->requests++;
	if (s->trace)
		printf("%8" PRId64 " %-4s operator %d\n", s->now, sim_name(s, i), what);
	if (what == 0)
		machine_start(&s->machine, i);
	else
		machine_stop(&s->machine, i, what == 2);
}

static void sim_deliver(struct sim *s, struct sim_event e)
{
	struct sim_process *p = &s->processes[e.service];
	bool current = e.instance == p->instance && p->alive;

	switch (e.kind) {
	case SIM_EXECUTED:
		if (current)
			machine_event(&s->machine, e.service, EV_EXECUTED);
		break;
	case SIM_SKIP:
		if (current)
			machine_event(&s->machine, e.service, EV_SKIP);
		break;
	case SIM_READY:
		if (current)
			machine_event(&s->machine, e.service, EV_READY);
		break;
	case SIM_EXIT:
		if (!current)
			break;
		p->alive = false;
		machine_exited(&s->machine, e.service, e.value < 0, e.value < 0 ? -e.value : e.value, p->children > 0);
		break;
	case SIM_CHILD_GONE:
		if (!p->children)
			break;
		p->children = 0;
		if (!p->alive)
			machine_event(&s->machine, e.service, EV_EMPTY);
		break;
	case SIM_PROBE:
		if (!p->probing)
			break;
		p->probing = false;
		machine_probe_result(&s->machine, e.service, e.value);
		break;
	case SIM_PHASE:
		machine_phase_done(&s->machine, (enum phase)e.value);
		break;
	case SIM_OPERATOR:
		sim_operator(s, e.service, e.value);
		break;
	case SIM_END:
		machine_end(&s->machine, END_POWEROFF);
		break;
	}
}

static void sim_check(struct sim *s)
{
	for (unsigned i = 0; i < s->set.count; i++) {
		const struct unit *u = &s->machine.units[i];
		bool runs = u->state == ST_STARTING || u->state == ST_UP;

		if (u->main_alive != s->processes[i].alive)
			sim_fail(s, "%s: its main process %s, the supervisor believes otherwise", sim_name(s, i),
				 s->processes[i].alive ? "runs" : "has ended");
		if (runs && !u->main_alive)
			sim_fail(s, "%s: is %s without a process", sim_name(s, i), state_name(u->state));
		if ((u->state == ST_STOPPING || u->state == ST_KILLING) && !u->deadline && !s->machine.ending)
			sim_fail(s, "%s: is %s without a bound", sim_name(s, i), state_name(u->state));
		if (u->main_alive && (u->state == ST_OFF || u->state == ST_WAITING || u->state == ST_DONE ||
				      u->state == ST_BACKOFF || u->state == ST_FAILED || u->state == ST_SKIPPED))
			sim_fail(s, "%s: is %s with a process", sim_name(s, i), state_name(u->state));
	}
}

/* Everything that a stop may cost, if each has its whole time and they go one after another. */
static int64_t sim_end_bound(const struct sim *s)
{
	int64_t bound = 60000;

	for (unsigned i = 0; i < s->set.count; i++)
		bound += 2 * (s->set.services[i].stop_timeout + 7000) + s->set.services[i].before_shutdown_timeout;
	return bound;
}

static void sim_step(struct sim *s)
{
	int64_t deadline = machine_next_deadline(&s->machine);
	unsigned first = 0;
	struct sim_event e;

	for (unsigned k = 1; k < s->event_count; k++)
		if (s->events[k].at < s->events[first].at ||
		    (s->events[k].at == s->events[first].at && s->events[k].order < s->events[first].order))
			first = k;
	if (deadline && (!s->event_count || deadline <= s->events[first].at)) {
		s->now = deadline > s->now ? deadline : s->now;
		machine_tick(&s->machine);
	} else if (s->event_count) {
		e = s->events[first];
		s->events[first] = s->events[--s->event_count];
		s->now = e.at > s->now ? e.at : s->now;
		sim_deliver(s, e);
	} else {
		s->now += 1000;
		machine_tick(&s->machine);
	}
	sim_check(s);
}

/* One whole life. Returns true when every invariant held; s->failure says what did not. */
static bool sim_run(struct sim *s, uint64_t seed, bool trace)
{
	unsigned count, same = 0;
	int64_t end_at, last = -1;

	memset(s, 0, sizeof *s);
	s->seed = seed;
	s->random = seed * 0x9e3779b97f4a7c15u + 1;
	s->trace = trace;
	for (int k = 0; k < 8; k++)
		sim_random(s);
	s->now = 1000;
	count = 1 + sim_below(s, 12);
	s->set.count = count;
	for (unsigned i = 0; i < count; i++)
		sim_service(s, i);
	end_at = sim_below(s, sim_chance(s, 50) ? 5000 : 200000);
	sim_later(s, end_at, SIM_END, 0, 0);
	for (unsigned k = sim_below(s, 30); k > 0; k--)
		sim_later(s, sim_below(s, (unsigned)end_at + 1), SIM_OPERATOR, sim_below(s, count),
			  (int)sim_below(s, 3));
	machine_init(&s->machine, &s->set, &sim_effects, s);
	machine_boot(&s->machine);
	while (!s->ended && !s->failure[0]) {
		sim_step(s);
		same = s->now == last ? same + 1 : 0;
		last = s->now;
		if (same > SIM_STEPS_WITHOUT_TIME)
			sim_fail(s, "goes round without time passing");
		if (s->machine.ending && s->now > s->machine.ending_since + sim_end_bound(s))
			sim_fail(s, "no end %" PRId64 " ms after it was asked for", s->now - s->machine.ending_since);
	}
	for (unsigned i = 0; i < count; i++)
		/* 200 s, capped back-off: what is not asked for by hand must not start more often than the delays
		 * allow. */
		if (s->spawned[i] > 60 + 3 * s->requests)
			sim_fail(s, "%s: started %u times", sim_name(s, i), s->spawned[i]);
	return !s->failure[0];
}

#endif
