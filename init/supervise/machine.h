/* The part of the supervisor that decides: services, their states, and the way down. It does nothing itself.
 *
 * Events come in by machine_event, machine_probe_result and machine_tick; what has to be done goes out through struct
 * effects, which the node (effects.c) and the simulator (tests/sim) each fill. Time is what effects->now says, in
 * milliseconds. Nothing here allocates, sleeps, or knows a file descriptor.
 */
#ifndef KEELSON_MACHINE_H
#define KEELSON_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/service.h"

enum state {
	ST_OFF,	     /* not started, or stopped because somebody asked */
	ST_WAITING,  /* to be started, once what it comes after allows it */
	ST_STARTING, /* its main process runs, and is not ready */
	ST_UP,
	ST_DONE,     /* ended with success, and nothing more is to be done */
	ST_STOPPING, /* TERM is sent */
	ST_KILLING,  /* KILL is sent */
	ST_BACKOFF,  /* to be started again, later */
	ST_FAILED,   /* not started again by itself */
	ST_SKIPPED,  /* its condition is not met */
	STATES
};

enum event {
	EV_START,     /* somebody asks */
	EV_STOP,      /* somebody asks, and its turn has come */
	EV_RUN,	      /* everything that it comes after allows it */
	EV_EXECUTED,  /* the program runs: no error before exec */
	EV_SKIP,      /* the child found a condition unmet; it exits next */
	EV_READY,     /* READY=1, a newline, or the probe succeeded */
	EV_EXITED,    /* the main process has ended and is reaped */
	EV_EMPTY,     /* no process is left in its cgroup */
	EV_TIMEOUT,   /* the state's deadline has passed */
	EV_UNHEALTHY, /* liveness failed so often in a row as it may */
	EVENTS
};

/* What follows when a service that is being stopped has gone. */
enum goal {
	GOAL_OFF,     /* as asked */
	GOAL_AGAIN,   /* as asked: start anew */
	GOAL_FAILURE, /* by its restart policy */
	GOAL_SUCCESS, /* the same, after an end with success */
};

struct unit {
	uint8_t state, goal;
	bool main_alive; /* from spawn to reaped */
	bool populated;	 /* a process is in its cgroup */
	bool skip;
	bool wanted;	  /* to be up: at boot all are, then as asked */
	bool stop_asked;  /* EV_STOP follows once everything that comes after it has stopped */
	bool start_again; /* and then it starts anew */
	bool probing, probe_overdue;
	bool stuck;	   /* did not die of KILL */
	bool held;	   /* waiting, and what it requires has failed or is off */
	uint16_t failures; /* starts and runs in a row that did not last */
	uint16_t probe_failures;
	uint32_t starts;
	int exit_status; /* as waitid: code, or signal when exit_signalled */
	bool exit_signalled;
	int64_t since;			    /* in this state */
	int64_t asked_at, run_at, ready_at; /* the latest start: wanted, executed, ready */
	int64_t first_ready_at;
	int64_t deadline; /* EV_TIMEOUT then; 0: none */
	int64_t probe_at, probe_deadline;
	int64_t remind_at; /* tell what is waited for */
};

enum ending { END_NONE, END_REBOOT, END_POWEROFF, END_HALT };

/* The way down. Each phase has a bound, and the next comes when it is done or out of time. */
enum phase {
	PHASE_RUN,
	PHASE_USERS,	/* services after one that has BeforeShutdown are stopped */
	PHASE_BEFORE,	/* those commands run: pods are stopped */
	PHASE_SERVICES, /* all other services, in reverse order */
	PHASE_KILL,	/* whatever is left */
	PHASE_LOGS,	/* the log writer writes what it has, and ends */
	PHASE_UNMOUNT,
	PHASE_READONLY, /* what could not be unmounted */
	PHASE_SYNC,
	PHASE_END, /* reboot(2) */
	PHASES
};

/* What the machine has done. Every function returns at once. i: index of the service. */
struct effects {
	int64_t (*now)(void *ctx);
	int (*spawn)(void *ctx, unsigned i); /* 0, or -errno: nothing runs */
	void (*signal_main)(void *ctx, unsigned i, int sig);
	void (*signal_group)(void *ctx, unsigned i, int sig);	    /* every process of its cgroup */
	void (*kill_group)(void *ctx, unsigned i);		    /* KILL for all of them, for good */
	void (*probe)(void *ctx, unsigned i, struct words command); /* machine_probe_result follows */
	void (*probe_kill)(void *ctx, unsigned i);
	void (*tell)(void *ctx, int i, const char *text); /* i < 0: the machine itself */
	const char *(*last_words)(void *ctx,
				  unsigned i); /* the last line it wrote to standard error before any Go stack, or "" */
	const char *(*status)(void *ctx, unsigned i);			/* what it says it is doing (STATUS=), or "" */
	void (*phase)(void *ctx, enum phase phase, enum ending ending); /* do it; machine_phase_done may follow */
	uint32_t (*random)(void *ctx);
};

struct machine {
	const struct service_set *set;
	const struct effects *effects;
	void *ctx;
	struct unit units[SERVICES_MAX];
	uint8_t ending, phase;
	bool phase_done;
	bool settling, advancing;
	int64_t ending_since, phase_since, phase_deadline, remind_at;
};

void machine_init(struct machine *m, const struct service_set *set, const struct effects *effects, void *ctx);

/* Start everything that the table has. */
void machine_boot(struct machine *m);

/* Something happened to service i. Decides, acts, and lets what follows from it follow. */
void machine_event(struct machine *m, unsigned i, enum event event);

/* The main process has ended. signalled: status is a signal. populated: its cgroup still has processes. */
void machine_exited(struct machine *m, unsigned i, bool signalled, int status, bool populated);

/* A probe (or BeforeShutdown command) has ended. */
void machine_probe_result(struct machine *m, unsigned i, bool ok);

/* It told something itself: a reminder of what it waits for is not needed yet. */
void machine_heard(struct machine *m, unsigned i);

/* Deadlines: raise those that have passed; when the next is due, or 0 when none is. */
void machine_tick(struct machine *m);
int64_t machine_next_deadline(const struct machine *m);

/* Requests. Return 0, -EBUSY while the machine goes down, -EALREADY when it is so. */
int machine_start(struct machine *m, unsigned i);
int machine_stop(struct machine *m, unsigned i, bool start_again);
int machine_end(struct machine *m, enum ending ending);

/* What the phase was doing is done. */
void machine_phase_done(struct machine *m, enum phase phase);

/* Parts of it, one file each. */
extern void (*const actions[STATES][EVENTS])(struct machine *m, unsigned i); /* actions.c */
void machine_settle(struct machine *m);					     /* settle.c */
bool unit_active(const struct unit *u);
int unit_blocker(const struct machine *m, unsigned i); /* whom it waits for, or -1 */
void ending_tick(struct machine *m);		       /* ending.c */
void probes_start(struct machine *m, unsigned i);      /* probes.c */
void probes_stop(struct machine *m, unsigned i);
void probes_tick(struct machine *m, unsigned i, int64_t now);
uint32_t backoff_delay(unsigned failures, uint32_t random); /* backoff.c: milliseconds */
void machine_tell(struct machine *m, int i, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *state_name(enum state state);
const char *event_name(enum event event);
const char *phase_name(enum phase phase);
void format_ms(char *text, size_t size, int64_t ms); /* "90 s", "5 min", "1.3 s" */

#endif
