/* A boot step failed: the reason stays on the consoles for a moment, then the machine restarts, which costs the boot
 * loader a try and in the end brings the other slot. */
#include "boot/give_up.h"

#include <sys/reboot.h>
#include <time.h>
#include <unistd.h>

#include "boot/tell.h"

#define COUNTDOWN_SECONDS 10

static void pause_seconds(int seconds)
{
	struct timespec left = {seconds, 0};

	while (nanosleep(&left, &left) < 0)
		;
}

static _Noreturn void stay(void)
{
	for (;;) {
		tell("init", "stopped, as keelson.panic=halt asks; switch the machine off or restart it");
		pause_seconds(600);
	}
}

_Noreturn void give_up(const char *step, const struct err *err, bool halt)
{
	tell(step, "%s", err->text);
	if (halt)
		stay();
	for (int left = COUNTDOWN_SECONDS; left > 0; left -= 5) {
		tell("init", "restarts in %d s (keelson.panic=halt on the command line keeps this on the screen)",
		     left);
		pause_seconds(5);
	}
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause_seconds(600);
}
