/* The one place that reaps. Services, probes, steps and orphans all end here, so that no status is ever taken by
 * another. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "supervise/node.h"

#define REAP_AT_ONCE 1024

static void main_ended(struct node *n, unsigned i, bool signalled, int status)
{
	bool populated;

	/* What it said before it ended counts, and comes first. */
	report_drain(n, i);
	notify_drain(n, i, false);
	ready_drain(n, i);
	capture_drain(n, i);
	source_close(n, &n->slots[i].ready);
	child_end(n, &n->slots[i].main);
	populated = cgroup_populated(n, i);
	if (populated)
		cgroup_watch(n, i, true);
	machine_exited(&n->machine, i, signalled, status, populated);
}

static void ended(struct node *n, const siginfo_t *info)
{
	bool signalled = info->si_code != CLD_EXITED;
	int status = info->si_status;

	for (unsigned i = 0; i < n->set.count; i++) {
		if (n->slots[i].main.pid == info->si_pid) {
			main_ended(n, i, signalled, status);
			return;
		}
		if (n->slots[i].probe.pid == info->si_pid) {
			child_end(n, &n->slots[i].probe);
			if (n->machine.phase == PHASE_BEFORE)
				capture_drain(n, SLOT_MACHINE);
			machine_probe_result(&n->machine, i, !signalled && status == 0);
			return;
		}
	}
	if (n->writer.pid == info->si_pid) {
		child_end(n, &n->writer);
		log_writer_ended(n);
	} else if (n->step.pid == info->si_pid) {
		child_end(n, &n->step);
		capture_drain(n, SLOT_MACHINE);
		machine_phase_done(&n->machine, n->step_phase);
	}
}

void reap(struct node *n)
{
	n->reap_again = false;
	for (unsigned k = 0; k < REAP_AT_ONCE; k++) {
		siginfo_t info = {0};

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) < 0 || info.si_pid == 0)
			return;
		n->reaped = true;
		ended(n, &info);
	}
	n->reap_again = true; /* a storm of orphans: everything else has its turn between */
}
