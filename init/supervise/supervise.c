/* Stage 2 of PID 1: everything is opened and sized, then the loop. */
#include "supervise/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/service_table.h"
#include "supervise/node.h"

#define EVENTS_AT_ONCE 32
#define VAIN_ROUNDS 64
#define REST_NS 10000000

static struct node node;

static const struct {
	int sig;
	enum ending ending;
} ending_signals[] = {
	{SIGINT, END_REBOOT},	 {SIGTERM, END_REBOOT},	 {SIGUSR1, END_HALT},
	{SIGUSR2, END_POWEROFF}, {SIGPWR, END_POWEROFF},
};

static void take_signals(struct node *n)
{
	struct signalfd_siginfo info;
	bool child = false;
	unsigned k;

	for (k = 0; k < 64 && read(n->signals, &info, sizeof info) == sizeof info; k++) {
		if (info.ssi_signo == SIGCHLD)
			child = true;
		for (unsigned e = 0; e < sizeof ending_signals / sizeof ending_signals[0]; e++)
			if (info.ssi_signo == (uint32_t)ending_signals[e].sig)
				machine_end(&n->machine, ending_signals[e].ending);
	}
	if (!k)
		n->in_vain = true;
	n->reap_again |= child;
}

/* Once for all that ended, after everything else of this round: a child that replaces one of them need not wait for it.
 * A pidfd may be ready, and yet there is nobody to reap: a process that a debugger holds is dead for both.
 */
static void take_children(struct node *n)
{
	if (!n->reap_again && !n->child_ready)
		return;
	reap(n);
	if (n->child_ready && !n->reaped)
		n->in_vain = true;
	n->child_ready = false;
}

static void take_timer(struct node *n)
{
	uint64_t expirations;

	if (read(n->timer, &expirations, sizeof expirations) < 0)
		n->in_vain = true;
	n->timer_armed = 0;
}

static void dispatch(struct node *n, enum source source, unsigned i)
{
	switch (source) {
	case SRC_SIGNAL:
		take_signals(n);
		break;
	case SRC_TIMER:
		take_timer(n);
		break;
	case SRC_PID:
	case SRC_CHILD:
		n->child_ready = true;
		break;
	case SRC_REPORT:
		report_drain(n, i);
		break;
	case SRC_NOTIFY:
		notify_drain(n, i, false);
		break;
	case SRC_READY:
		ready_drain(n, i);
		break;
	case SRC_CGROUP:
		cgroup_event(n, i);
		break;
	case SRC_OUT:
	case SRC_ERR:
		capture_read(n, i, source == SRC_OUT ? LOG_OUT : LOG_ERR);
		break;
	case SRC_CONSOLE:
		console_flush(n, i);
		break;
	case SRC_WRITER: /* log_pump runs after every round */
		n->writer_has_room = true;
		break;
	case SRC_CONTROL:
		control_accept(n);
		break;
	case SRC_CLIENT:
		control_read(n, i);
		break;
	}
}

static int64_t sooner(int64_t a, int64_t b)
{
	if (!a || !b)
		return a ? a : b;
	return a < b ? a : b;
}

/* One timer for all deadlines, set anew only when the nearest has changed. */
static void arm_timer(struct node *n)
{
	struct itimerspec spec = {0};
	int64_t next = machine_next_deadline(&n->machine);

	next = sooner(next, n->poll_at);
	if (n->watchdog >= 0 || n->watchdog_due)
		next = sooner(next, n->watchdog_at);
	next = sooner(next, log_deadline(n));
	if (next == n->timer_armed)
		return;
	n->timer_armed = next;
	if (next == INT64_MAX)
		next = 0;
	spec.it_value.tv_sec = (time_t)(next / 1000);
	spec.it_value.tv_nsec = (long)(next % 1000) * 1000000;
	timerfd_settime(n->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

/* A call that keeps failing leaves its descriptor ready, which would wake the loop again and again at full speed. One
 * such round is nothing: its event may be older than what was done about it.
 */
static void rest_if_in_vain(struct node *n)
{
	struct timespec rest = {0, REST_NS};

	n->vain_rounds = n->in_vain ? n->vain_rounds + 1 : 0;
	n->in_vain = n->reaped = false;
	if (n->vain_rounds > VAIN_ROUNDS)
		nanosleep(&rest, NULL);
}

static _Noreturn void loop(struct node *n)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	for (;;) {
		int64_t now;
		int count;

		log_pump(n);
		rest_if_in_vain(n);
		arm_timer(n);
		count = epoll_wait(n->epoll, events, EVENTS_AT_ONCE, n->reap_again ? 0 : -1);
		if (count < 0 && errno != EINTR) {
			struct timespec pause = {0, 100000000};

			nanosleep(&pause, NULL); /* cannot happen; if it does, not at full speed */
		}
		for (int k = 0; k < count; k++)
			dispatch(n, (enum source)(uint32_t)events[k].data.u64, (unsigned)(events[k].data.u64 >> 32));
		take_children(n);
		now = now_ms_boot();
		machine_tick(&n->machine);
		phase_poll(n, now);
		watchdog_seek(n, now);
		watchdog_feed(n, now);
		control_settle(n);
	}
}

static void open_signals(struct node *n)
{
	sigset_t set;

	ignore_nothing();
	sigfillset(&set);
	sigdelset(&set, SIGSEGV);
	sigdelset(&set, SIGBUS);
	sigdelset(&set, SIGILL);
	sigdelset(&set, SIGFPE);
	sigdelset(&set, SIGABRT);
	sigdelset(&set, SIGSYS);
	sigdelset(&set, SIGTRAP);
	sigprocmask(SIG_SETMASK, &set, NULL);
	n->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	source_add(n, n->signals, EPOLLIN, SRC_SIGNAL, 0);
	reboot(RB_DISABLE_CAD); /* Ctrl-Alt-Del becomes SIGINT */
}

/* Descriptors 0 to 2 are there, whatever the kernel gave: no later open must get one of them. */
static void open_standard(struct node *n)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			fd = memfd_create("null", MFD_CLOEXEC);
	} while (fd >= 0 && fd < 3);
	n->null = fd;
	n->spare = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	for (int k = 0; k < 3 && fd >= 0; k++)
		dup2(fd, k);
}

static void raise_limits(void)
{
	struct rlimit files = {1048576, 1048576};
	struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};

	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_NPROC, &none);
	setrlimit(RLIMIT_CORE, &none);
}

static void take_options(struct node *n, const struct supervise_options *o)
{
	static const struct supervise_options defaults;

	o = o ? o : &defaults;
	snprintf(n->cgroup_root, sizeof n->cgroup_root, "%s", o->cgroup_root ? o->cgroup_root : "/sys/fs/cgroup");
	snprintf(n->run, sizeof n->run, "%s", o->run ? o->run : "/run/keelson");
	snprintf(n->logs, sizeof n->logs, "%s", o->logs ? o->logs : "/var/log/keelson");
	n->watchdog_path = o->watchdog ? o->watchdog : "/dev/watchdog";
	snprintf(n->logs_after, sizeof n->logs_after, "%s", o->logs_after ? o->logs_after : "storage");
	console_open_all(n, o->console);
}

static void mark_closed(struct node *n)
{
	n->control = n->watchdog = n->writer_pipe = n->writer_end = -1;
	n->writer.fd = n->step.fd = -1;
	for (unsigned i = 0; i <= SLOT_MACHINE; i++) {
		struct slot *s = &n->slots[i];

		s->main.fd = s->probe.fd = s->report = s->notify = s->ready = s->events = -1;
		for (unsigned k = 0; k < 2; k++)
			s->streams[k].read = s->streams[k].write = -1;
	}
	for (unsigned k = 0; k < CLIENTS_MAX; k++)
		n->clients[k].fd = -1;
}

/* Mapped, not read into memory of our own: the pages are the image's. */
static int load_table(struct node *n, const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, "open %s", path);
	if (st.st_size <= 0 || st.st_size > (off_t)SERVICE_TABLE_MAX)
		return err_set(err, EBADMSG, "%s: expected at most %u bytes, found %lld", path, SERVICE_TABLE_MAX,
			       (long long)st.st_size);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_errno(err, "map %s", path);
	r = service_table_decode(data, (size_t)st.st_size, &n->set, err);
	munmap(data, (size_t)st.st_size);
	return r < 0 ? err_wrap(err, r, "%s", path) : 0;
}

_Noreturn void supervise(const struct supervise_options *options)
{
	struct node *n = &node;
	char path[PATH_BYTES + 16];
	struct timespec t;
	struct err err;

	mark_closed(n);
	open_standard(n);
	n->epoll = epoll_create1(EPOLL_CLOEXEC);
	n->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	source_add(n, n->timer, EPOLLIN, SRC_TIMER, 0);
	open_signals(n);
	raise_limits();
	take_options(n, options);
	clock_gettime(CLOCK_BOOTTIME, &t);
	n->random = (uint32_t)t.tv_nsec | 1;
	n->oom_score = oom_score();
	snprintf(path, sizeof path, "%s/notify", n->run);
	make_directories(n->run, 0755, NULL);
	make_directories(path, 0711, NULL);
	machine_init(&n->machine, &n->set, &node_effects, n);
	if (load_table(n, options && options->table ? options->table : SERVICE_TABLE_PATH, &err) < 0)
		node_tell(n, -1, err.text); /* nothing to start: what can be asked for is a restart */
	cgroup_setup(n);
	control_open(n);
	machine_boot(&n->machine);
	loop(n);
}
