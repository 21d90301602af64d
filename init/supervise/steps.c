/* The machine's part of the way down. What can sleep runs in a child, which the phase's bound leaves behind. */
#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/node.h"

#define POLL_MS 20

static void tell(struct node *n, const char *text)
{
	node_tell(n, -1, text);
}

static const char *ending_text(enum ending ending)
{
	static const char *const texts[] = {"", "reboot", "power off", "halt"};

	return texts[ending];
}

static void reboot_now(enum ending ending)
{
	static const unsigned commands[] = {
		[END_NONE] = LINUX_REBOOT_CMD_RESTART,
		[END_REBOOT] = LINUX_REBOOT_CMD_RESTART,
		[END_POWEROFF] = LINUX_REBOOT_CMD_POWER_OFF,
		[END_HALT] = LINUX_REBOOT_CMD_HALT,
	};

	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, commands[ending], NULL);
}

static int run_step(enum phase phase, enum ending ending)
{
	switch (phase) {
	case PHASE_UNMOUNT:
		return unmount_all();
	case PHASE_READONLY:
		return remount_all_readonly();
	case PHASE_SYNC:
		sync();
		return 0;
	default:
		/* From a child: where reboot(2) returns by ending its caller, that must not be PID 1. */
		reboot_now(ending);
		return 1;
	}
}

static void start_step(struct node *n, enum phase phase, enum ending ending)
{
	int r;

	if (n->step.pid) {
		/* The one before sleeps in the kernel. Its phase is over. */
		child_signal(&n->step, SIGKILL);
		child_end(n, &n->step);
	}
	n->step_phase = phase;
	r = child_start(n, &n->step, 0);
	if (r == 0) {
		prctl(PR_SET_NAME, phase_name(phase));
		child_output(n, SLOT_MACHINE);
		_exit(run_step(phase, ending));
	}
	if (r < 0 && phase == PHASE_END)
		reboot_now(ending);
	else if (r < 0)
		machine_phase_done(&n->machine, phase);
}

static void tell_beginning(struct node *n, enum ending ending)
{
	char text[64];

	snprintf(text, sizeof text, "%s: services are stopped", ending_text(ending));
	tell(n, text);
}

static void tell_end(struct node *n, enum ending ending)
{
	int64_t ms = now_ms_boot() - n->machine.ending_since;
	char text[64];

	snprintf(text, sizeof text, "%s (%lld.%lld s)", ending_text(ending), (long long)ms / 1000,
		 (long long)ms % 1000 / 100);
	tell(n, text);
}

void phase_do(struct node *n, enum phase phase, enum ending ending)
{
	switch (phase) {
	case PHASE_USERS:
		capture_open(n, SLOT_MACHINE);
		tell_beginning(n, ending);
		break;
	case PHASE_BEFORE:
	case PHASE_SERVICES:
		break;
	case PHASE_KILL:
		cgroup_kill_tree(n);
		n->poll_at = now_ms_boot();
		break;
	case PHASE_LOGS:
		log_close(n);
		break;
	case PHASE_UNMOUNT:
		kill(-1, SIGKILL); /* what was in no cgroup */
		start_step(n, phase, ending);
		break;
	case PHASE_END:
		tell_end(n, ending);
		if (ending == END_HALT && n->watchdog >= 0)
			(void)!write(n->watchdog, "V", 1); /* a halted machine is to stay so */
		start_step(n, phase, ending);
		break;
	default:
		start_step(n, phase, ending);
	}
}

/* Has everything died? Asked by a clock, as no single descriptor tells it. */
void phase_poll(struct node *n, int64_t now)
{
	if (!n->poll_at || now < n->poll_at)
		return;
	n->poll_at = 0;
	if (n->machine.phase != PHASE_KILL)
		return;
	if (!cgroup_tree_empty(n)) {
		n->poll_at = now + POLL_MS;
		return;
	}
	machine_phase_done(&n->machine, PHASE_KILL);
}
