/* init: PID 1. Stage 1 in the initramfs finds and verifies the root; stage 2 on the root keeps the services.
 *
 * Which stage it is shows by the file system that / is, so that the same program serves both, and a root that was
 * mounted without an initramfs works too.
 */
#include <stdio.h>
#include <unistd.h>

#include "boot/cmdline.h"
#include "boot/fault.h"
#include "boot/give_up.h"
#include "boot/prepare_node.h"
#include "boot/stage1.h"
#include "boot/tell.h"
#include "supervise/supervise.h"

static _Noreturn void stage2(void)
{
	struct cmdline cmdline = {0};
	struct err err = {""};
	int r = prepare_node(&err);

	tell_open(); /* stays open: for a fault's last words */
	if (r < 0) {
		read_cmdline(&cmdline, NULL); /* stage 1 has told what is wrong with it */
		give_up("init", &err, cmdline.panic_halt);
	}
	start_read_ahead();
	supervise(NULL);
}

int main(void)
{
	if (getpid() != 1) {
		fputs("init: expected to be process 1, which the kernel starts; the operator's tool is keelson\n",
		      stderr);
		return 2;
	}
	prepare_for_faults();
	if (in_initramfs())
		stage1();
	stage2();
}
