/* The part of the supervisor that does: descriptors, processes, cgroups, logs and consoles of the running node.
 *
 * One static struct, sized for SERVICES_MAX; pages that no service uses are never touched. Everything is non-blocking,
 * and whatever could sleep on a disk is done by a child.
 */
#ifndef KEELSON_NODE_H
#define KEELSON_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervise/machine.h"
#include "supervise/ring.h"
#include "supervise/supervise.h"

#define CONSOLES_MAX 4
#define CONSOLE_PENDING 8192
#define CLIENTS_MAX 8
#define PATH_BYTES 128
#define LAST_WORDS_MAX 160
#define STATUS_MAX 256
#define SLOT_MACHINE SERVICES_MAX /* not a service: what BeforeShutdown and the steps of the end print */

/* What an epoll event is about; the index of the service, console or client is in the upper half. */
enum source {
	SRC_SIGNAL,
	SRC_TIMER,
	SRC_PID,    /* main process */
	SRC_CHILD,  /* probe, writer or step */
	SRC_REPORT, /* what the child says before exec */
	SRC_NOTIFY,
	SRC_READY, /* Ready=fd:N */
	SRC_CGROUP,
	SRC_OUT,
	SRC_ERR,
	SRC_WRITER, /* the log writer's socket has room */
	SRC_CONSOLE,
	SRC_CONTROL,
	SRC_CLIENT,
};

struct child {
	pid_t pid; /* 0: none */
	int fd;	   /* pidfd, or -1 */
};

struct stream {
	int read, write;
	uint16_t len; /* of the unfinished line */
};

struct slot {
	struct child main, probe;
	int report, notify, ready, events; /* descriptors or -1; events: cgroup.events */
	struct stream streams[2];
	bool killed;	     /* cgroup.kill was used on its cgroup */
	bool events_watched; /* the loop is told when its cgroup empties */
	bool in_trace;	     /* go_trace.h: of its standard error */
};

struct console {
	int fd; /* -1: not open */
	char path[64];
	int64_t retry_at;
	uint32_t len, dropped;
	bool watched;
	char pending[CONSOLE_PENDING];
};

struct client {
	int fd;		  /* -1: free */
	int waiting;	  /* index of the service it waits for, or -1 */
	uint8_t wait_for; /* enum event: EV_START or EV_STOP */
	uint32_t number;  /* in the order of their coming */
};

struct node {
	struct machine machine;
	struct service_set set;
	char cgroup_root[PATH_BYTES], run[PATH_BYTES], logs[PATH_BYTES], logs_after[SERVICE_NAME_MAX];
	int epoll, signals, timer, null, control, watchdog;
	int spare;		   /* given up to refuse a client when all are used */
	const char *watchdog_path; /* not ours */
	int64_t timer_armed, watchdog_at, watchdog_period;
	uint32_t random;
	int oom_score;		 /* PID 1's own: what a child has without a word */
	bool cgroups;		 /* there is a cgroup2 hierarchy to use */
	bool reap_again, reaped; /* somebody may have ended; somebody was reaped in this round */
	bool child_ready;	 /* in this round a pidfd was */
	bool watchdog_due;	 /* it is looked for again at watchdog_at */
	bool in_vain;		 /* in this round a descriptor was ready, and its call got nothing */
	unsigned vain_rounds;
	struct slot slots[SERVICES_MAX + 1];
	struct child writer, step;   /* log writer; unmount, read-only, sync or reboot */
	int writer_pipe, writer_end; /* a socket pair: records go in, the writer has the other */
	bool writer_watched, writer_has_room, writer_ended;
	int64_t writer_retry_at, poll_at;
	int64_t pump_at; /* lines wait until then, or 0 */
	enum phase step_phase;
	unsigned console_count;
	struct console consoles[CONSOLES_MAX];
	struct client clients[CLIENTS_MAX];
	uint32_t clients_seen;
	struct ring ring;
	char last_words[SERVICES_MAX + 1][LAST_WORDS_MAX];
	char status[SERVICES_MAX][STATUS_MAX];
	char partial[SERVICES_MAX + 1][2][LOG_LINE_MAX];
};

extern const struct effects node_effects; /* effects.c */

/* sources.c */
int source_add(struct node *n, int fd, uint32_t events, enum source source, unsigned index);
void source_close(struct node *n, int *fd); /* out of epoll, closed, -1 */
int64_t now_ms_boot(void);

/* cgroup.c */
void cgroup_setup(struct node *n);
int cgroup_prepare(struct node *n, unsigned i); /* made, knobs set; its descriptor, to be closed, or -1 */
bool cgroup_populated(struct node *n, unsigned i);
void cgroup_watch(struct node *n, unsigned i, bool on); /* for its end; before a start off again */
void cgroup_event(struct node *n, unsigned i);
void cgroup_signal(struct node *n, unsigned i, int sig);
void cgroup_kill(struct node *n, unsigned i);
void cgroup_kill_tree(struct node *n); /* services and pods, all of them */
bool cgroup_tree_empty(struct node *n);

/* spawn.c, child.c, child_process.c */
pid_t fork_into(int cgroup, int *pidfd);     /* as fork; pidfd may be -1 */
pid_t fork_and_join(int cgroup, int *pidfd); /* the same without CLONE_INTO_CGROUP */
int spawn_service(struct node *n, unsigned i);
_Noreturn void child_run(struct node *n, unsigned i, struct words command, bool probe, int report, int ready);
void child_output(struct node *n, unsigned slot);		      /* standard input, output and error, in a child */
int child_start(struct node *n, struct child *child, unsigned index); /* 0 in the child, its pid, or -errno */
void ignore_nothing(void);			     /* PID 1, once: what is ignored stays so in children */
void child_reset(void);				     /* session and signal mask, in a child */
int oom_score(void);				     /* of the caller, or INT_MIN */
void child_end(struct node *n, struct child *child); /* reaped: forget it */
void child_signal(const struct child *child, int sig);

enum child_stage {
	STAGE_CONDITION = 1,
	STAGE_OUTPUT,
	STAGE_CGROUP,
	STAGE_LIMITS,
	STAGE_OOM,
	STAGE_ENVIRONMENT,
	STAGE_USER,
	STAGE_DIRECTORY,
	STAGE_NAMESPACES,
	STAGE_MOUNTS,
	STAGE_CAPABILITIES,
	STAGE_EXEC,
};
struct child_report {
	int32_t stage, errnum;
};
const char *stage_name(int stage);

/* receive_text.c: as recv(2), without waiting; descriptors that were sent along are closed where that holds nobody */
ssize_t receive_text(int fd, void *text, size_t size);

/* notify.c */
int notify_open(struct node *n, unsigned i);
void notify_drain(struct node *n, unsigned i, bool discard);
bool notify_says_ready(const char *message, size_t len);
void notify_take_status(const char *message, size_t len, char *status, size_t size);
void report_drain(struct node *n, unsigned i);
void ready_drain(struct node *n, unsigned i);

/* capture.c */
int capture_open(struct node *n, unsigned i);
void capture_read(struct node *n, unsigned i, unsigned stream);
void capture_drain(struct node *n, unsigned i);
void node_tell(struct node *n, int i, const char *text);

/* log_feed.c, log_writer.c */
void log_pump(struct node *n);
int64_t log_deadline(const struct node *n); /* when log_pump has something to do without an event, or 0 */
void log_after_child(struct node *n);	    /* a child was forked: it goes first */
void log_close(struct node *n);
void log_writer_ended(struct node *n);
_Noreturn void log_writer_run(const struct service_set *set, const char *folder, int records, bool again);

/* console.c */
void console_open_all(struct node *n, const char *only);
void console_line(struct node *n, const char *name, const char *text, size_t len);
void console_flush(struct node *n, unsigned index);

/* reap.c */
void reap(struct node *n);

/* steps.c, unmount.c */
void phase_do(struct node *n, enum phase phase, enum ending ending);
void phase_poll(struct node *n, int64_t now);
int unmount_all(void);
int remount_all_readonly(void);

/* control.c */
void control_open(struct node *n);
void control_accept(struct node *n);
void control_read(struct node *n, unsigned client);
void control_settle(struct node *n);
bool control_parse(char *text, const char **verb, const char **name); /* "keelson 1 VERB [NAME]", cut in place */

/* watchdog.c */
void watchdog_seek(struct node *n, int64_t now); /* arm it when it is there; its driver may come later than PID 1 */
void watchdog_feed(struct node *n, int64_t now);

#endif
