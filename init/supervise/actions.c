/* State x event: what a service does. An empty cell is a bug, and is told as one. The table is at the end. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "supervise/machine.h"

#define KILL_WAIT_MS 5000 /* from KILL to "does not die" */
#define STUCK_RETRY_MS 15000
#define REMIND_MS 15000

static const struct service *service_of(const struct machine *m, unsigned i)
{
	return &m->set->services[i];
}

static void enter(struct machine *m, unsigned i, enum state state)
{
	struct unit *u = &m->units[i];

	u->state = (uint8_t)state;
	u->since = m->effects->now(m->ctx);
	u->deadline = 0;
	u->remind_at = state == ST_WAITING || state == ST_STARTING || state == ST_STOPPING ? u->since + REMIND_MS : 0;
}

static void nothing(struct machine *m, unsigned i)
{
	(void)m;
	(void)i;
}

static void to_waiting(struct machine *m, unsigned i)
{
	enter(m, i, ST_WAITING);
}

static void to_off(struct machine *m, unsigned i)
{
	m->units[i].held = false;
	enter(m, i, ST_OFF);
}

static void to_failed(struct machine *m, unsigned i)
{
	enter(m, i, ST_FAILED);
}

/* By the restart policy: at once, later, or no more. */
static void start_again_or_not(struct machine *m, unsigned i)
{
	const struct service *s = service_of(m, i);
	struct unit *u = &m->units[i];
	uint32_t delay;
	char text[32];

	if (u->failures < UINT16_MAX)
		u->failures++;
	if (s->restart == RESTART_NO) {
		to_failed(m, i);
		return;
	}
	if (s->give_up_after && u->failures >= s->give_up_after) {
		machine_tell(m, (int)i, "given up after %u failures in a row: keelson start %s tries again",
			     u->failures, s->name);
		to_failed(m, i);
		return;
	}
	delay = backoff_delay(u->failures, m->effects->random(m->ctx));
	if (!delay) {
		to_waiting(m, i);
		return;
	}
	enter(m, i, ST_BACKOFF);
	u->deadline = u->since + delay;
	format_ms(text, sizeof text, delay);
	machine_tell(m, (int)i, "starts again in %s (failure %u in a row)", text, u->failures);
}

/* Nothing of it runs any more. */
static void gone(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];
	char text[32];

	u->stuck = false;
	probes_stop(m, i);
	if (m->ending || u->goal == GOAL_OFF) {
		format_ms(text, sizeof text, m->effects->now(m->ctx) - u->since);
		machine_tell(m, (int)i, "stopped (%s)", text);
		to_off(m, i);
	} else if (u->goal == GOAL_AGAIN) {
		to_waiting(m, i);
	} else if (u->goal == GOAL_FAILURE || service_of(m, i)->restart == RESTART_ALWAYS) {
		start_again_or_not(m, i);
	} else {
		enter(m, i, ST_DONE);
	}
}

/* Stopped means that the cgroup is empty; with KillMode=process the main process is meant, until the machine goes down.
 */
static bool is_gone(const struct machine *m, unsigned i)
{
	const struct unit *u = &m->units[i];

	if (u->main_alive)
		return false;
	return !u->populated || (service_of(m, i)->kill_mode == KILL_PROCESS && !m->ending);
}

static void kill_all(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];

	enter(m, i, ST_KILLING);
	u->deadline = u->since + KILL_WAIT_MS;
	if (service_of(m, i)->kill_mode == KILL_PROCESS && !m->ending)
		m->effects->signal_main(m->ctx, i, SIGKILL);
	else
		m->effects->kill_group(m->ctx, i);
}

/* End what runs, kindly first. SIGCONT behind TERM: a stopped process would not see it. */
static void terminate(struct machine *m, unsigned i, enum goal goal)
{
	const struct service *s = service_of(m, i);
	struct unit *u = &m->units[i];

	probes_stop(m, i);
	u->goal = (uint8_t)goal;
	if (is_gone(m, i)) {
		gone(m, i);
		return;
	}
	if (s->kill_mode == KILL_PROCESS && !u->main_alive) {
		kill_all(m, i);
		return;
	}
	enter(m, i, ST_STOPPING);
	if (s->stop_timeout != SERVICE_FOREVER || m->ending)
		u->deadline = u->since + (s->stop_timeout == SERVICE_FOREVER ? 10000 : s->stop_timeout);
	if (s->kill_mode == KILL_PROCESS) {
		m->effects->signal_main(m->ctx, i, SIGTERM);
		m->effects->signal_main(m->ctx, i, SIGCONT);
	} else {
		m->effects->signal_group(m->ctx, i, SIGTERM);
		m->effects->signal_group(m->ctx, i, SIGCONT);
	}
}

static void stop(struct machine *m, unsigned i)
{
	terminate(m, i, GOAL_OFF);
}

static void stop_done(struct machine *m, unsigned i)
{
	if (m->units[i].populated && service_of(m, i)->kill_mode == KILL_CONTROL_GROUP)
		terminate(m, i, GOAL_OFF);
	else
		to_off(m, i);
}

static void run(struct machine *m, unsigned i)
{
	const struct service *s = service_of(m, i);
	struct unit *u = &m->units[i];
	int r;

	u->skip = u->held = false;
	u->probe_failures = 0;
	u->run_at = u->ready_at = 0;
	r = m->effects->spawn(m->ctx, i);
	if (r < 0) {
		machine_tell(m, (int)i, "cannot be started: %s", strerror(-r));
		start_again_or_not(m, i);
		return;
	}
	u->main_alive = u->populated = true;
	u->starts++;
	enter(m, i, ST_STARTING);
	u->run_at = u->since;
	if (s->start_timeout != SERVICE_FOREVER)
		u->deadline = u->since + s->start_timeout;
}

static void up(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];
	char text[32];

	probes_stop(m, i);
	enter(m, i, ST_UP);
	u->ready_at = u->since;
	if (!u->first_ready_at)
		u->first_ready_at = u->since;
	snprintf(text, sizeof text, "%lld.%lld s", (long long)(u->ready_at - u->run_at) / 1000,
		 (long long)(u->ready_at - u->run_at) % 1000 / 100);
	machine_tell(m, (int)i, "ready (%s)", text);
	if (service_of(m, i)->liveness.count)
		probes_start(m, i);
}

static void executed(struct machine *m, unsigned i)
{
	const struct service *s = service_of(m, i);

	if (s->ready.count)
		probes_start(m, i);
	else if (s->type == SERVICE_SIMPLE && !s->ready_fd)
		up(m, i);
}

/* READY=1 counts for what waits for it, and for nothing else. */
static void said_ready(struct machine *m, unsigned i)
{
	if (service_of(m, i)->type != SERVICE_ONESHOT)
		up(m, i);
}

static void skip(struct machine *m, unsigned i)
{
	m->units[i].skip = true;
}

static void tell_exit(struct machine *m, unsigned i)
{
	const struct unit *u = &m->units[i];
	const char *words = m->effects->last_words(m->ctx, i);
	bool ok = !u->exit_signalled && u->exit_status == 0;
	char after[32];

	format_ms(after, sizeof after, m->effects->now(m->ctx) - u->run_at);
	if (u->exit_signalled)
		machine_tell(m, (int)i, "ended by signal %d after %s%s%s", u->exit_status, after, *words ? ": " : "",
			     words);
	else
		machine_tell(m, (int)i, "%s: exit status %d after %s%s%s",
			     u->state == ST_STARTING ? "not ready" : "ended", u->exit_status, after,
			     *words && !ok ? ": " : "", ok ? "" : words);
}

/* The main process is gone; what it left in its cgroup goes too, before anything else happens. */
static void end_leftovers(struct machine *m, unsigned i, enum goal goal)
{
	if (m->units[i].stop_asked && !m->units[i].start_again)
		goal = GOAL_OFF;
	terminate(m, i, goal);
}

static void exited_starting(struct machine *m, unsigned i)
{
	const struct service *s = service_of(m, i);
	struct unit *u = &m->units[i];
	bool ok = !u->exit_signalled && u->exit_status == 0;
	char text[32];

	probes_stop(m, i);
	if (u->skip) {
		machine_tell(m, (int)i, "skipped: its condition is not met");
		enter(m, i, ST_SKIPPED);
		return;
	}
	if (s->type != SERVICE_ONESHOT || !ok) {
		tell_exit(m, i);
		end_leftovers(m, i, GOAL_FAILURE);
		return;
	}
	u->failures = 0;
	u->ready_at = m->effects->now(m->ctx);
	if (!u->first_ready_at)
		u->first_ready_at = u->ready_at;
	snprintf(text, sizeof text, "%lld.%lld s", (long long)(u->ready_at - u->run_at) / 1000,
		 (long long)(u->ready_at - u->run_at) % 1000 / 100);
	machine_tell(m, (int)i, "done (%s)", text);
	if (s->remain_after_exit)
		enter(m, i, ST_DONE);
	else
		end_leftovers(m, i, GOAL_SUCCESS);
}

static void judge_health(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];

	if (m->effects->now(m->ctx) - u->ready_at >= service_of(m, i)->healthy_after)
		u->failures = 0;
}

static void exited_up(struct machine *m, unsigned i)
{
	const struct unit *u = &m->units[i];

	judge_health(m, i);
	tell_exit(m, i);
	end_leftovers(m, i, !u->exit_signalled && u->exit_status == 0 ? GOAL_SUCCESS : GOAL_FAILURE);
}

static void start_timeout(struct machine *m, unsigned i)
{
	const char *doing = m->effects->status(m->ctx, i);
	char text[32];

	format_ms(text, sizeof text, service_of(m, i)->start_timeout);
	machine_tell(m, (int)i, "not ready after %s, stopped%s%s", text, *doing ? ": " : "", doing);
	terminate(m, i, GOAL_FAILURE);
}

static void unhealthy(struct machine *m, unsigned i)
{
	const char *words = m->effects->last_words(m->ctx, i);

	judge_health(m, i);
	machine_tell(m, (int)i, "does not answer: %u probes in a row failed, restarted%s%s", m->units[i].probe_failures,
		     *words ? "; its last words: " : "", words);
	terminate(m, i, GOAL_FAILURE);
}

static void less_runs(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];

	if (is_gone(m, i))
		gone(m, i);
	else if (u->state == ST_STOPPING && service_of(m, i)->kill_mode == KILL_PROCESS && !u->main_alive)
		kill_all(m, i);
}

/* What the main process forked while it got its TERM has not got one: the others are asked once more. */
static void main_gone(struct machine *m, unsigned i)
{
	less_runs(m, i);
	if (m->units[i].state == ST_STOPPING)
		m->effects->signal_group(m->ctx, i, SIGTERM);
}

static void stop_timeout(struct machine *m, unsigned i)
{
	char text[32];

	format_ms(text, sizeof text, m->effects->now(m->ctx) - m->units[i].since);
	machine_tell(m, (int)i, "still runs %s after TERM, killed", text);
	kill_all(m, i);
}

/* A task in the kernel cannot be killed. No second instance is started beside it, and a shutdown goes on without it. */
static void does_not_die(struct machine *m, unsigned i)
{
	struct unit *u = &m->units[i];

	if (!u->stuck)
		machine_tell(m, (int)i, "does not die of KILL: a task of it is stuck in the kernel");
	u->stuck = true;
	if (service_of(m, i)->kill_mode == KILL_PROCESS && !m->ending)
		m->effects->signal_main(m->ctx, i, SIGKILL);
	else
		m->effects->kill_group(m->ctx, i);
	u->deadline = m->effects->now(m->ctx) + STUCK_RETRY_MS;
}

static void then_off(struct machine *m, unsigned i)
{
	m->units[i].goal = GOAL_OFF;
	less_runs(m, i);
}

static void then_again(struct machine *m, unsigned i)
{
	m->units[i].goal = GOAL_AGAIN;
}

/* clang-format off */ /* a table is read by its rows */
void (*const actions[STATES][EVENTS])(struct machine *m, unsigned i) = {
	[ST_OFF] = {
		[EV_START] = to_waiting, [EV_STOP] = nothing, [EV_EXECUTED] = nothing, [EV_READY] = nothing,
		[EV_EMPTY] = nothing,
	},
	[ST_WAITING] = {
		[EV_START] = nothing, [EV_STOP] = to_off, [EV_RUN] = run, [EV_READY] = nothing, [EV_EMPTY] = nothing,
	},
	[ST_STARTING] = {
		[EV_START] = nothing, [EV_STOP] = stop, [EV_EXECUTED] = executed, [EV_SKIP] = skip,
		[EV_READY] = said_ready, [EV_EXITED] = exited_starting, [EV_EMPTY] = nothing,
		[EV_TIMEOUT] = start_timeout,
	},
	[ST_UP] = {
		[EV_START] = nothing, [EV_STOP] = stop, [EV_EXECUTED] = nothing, [EV_READY] = nothing,
		[EV_EXITED] = exited_up, [EV_EMPTY] = nothing, [EV_UNHEALTHY] = unhealthy,
	},
	[ST_DONE] = {
		[EV_START] = to_waiting, [EV_STOP] = stop_done, [EV_READY] = nothing, [EV_EMPTY] = nothing,
	},
	[ST_STOPPING] = {
		[EV_START] = then_again, [EV_STOP] = then_off, [EV_EXECUTED] = nothing, [EV_SKIP] = nothing,
		[EV_READY] = nothing, [EV_EXITED] = main_gone, [EV_EMPTY] = less_runs, [EV_TIMEOUT] = stop_timeout,
	},
	[ST_KILLING] = {
		[EV_START] = then_again, [EV_STOP] = then_off, [EV_EXECUTED] = nothing, [EV_SKIP] = nothing,
		[EV_READY] = nothing, [EV_EXITED] = less_runs, [EV_EMPTY] = less_runs, [EV_TIMEOUT] = does_not_die,
	},
	[ST_BACKOFF] = {
		[EV_START] = to_waiting, [EV_STOP] = to_off, [EV_READY] = nothing, [EV_EMPTY] = nothing,
		[EV_TIMEOUT] = to_waiting,
	},
	[ST_FAILED] = {
		[EV_START] = to_waiting, [EV_STOP] = to_off, [EV_READY] = nothing, [EV_EMPTY] = nothing,
	},
	[ST_SKIPPED] = {
		[EV_START] = to_waiting, [EV_STOP] = to_off, [EV_READY] = nothing, [EV_EMPTY] = nothing,
	},
};
/* clang-format on */
