/* A fault in PID 1's own code.
 *
 * Without a handler the kernel panics at once and what services wrote is lost. The handler runs on its own stack and
 * uses async-signal-safe calls only. A second fault while it runs finds the default action, and so the panic.
 */
#include "boot/fault.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boot/tell.h"
#include "lib/last_words_path.h"

#define SYNC_SECONDS 3
#define STACK_BYTES 16384

static const struct {
	int number;
	const char *name;
} faults[] = {
	{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"},	{SIGFPE, "SIGFPE"},
	{SIGABRT, "SIGABRT"}, {SIGSYS, "SIGSYS"}, {SIGTRAP, "SIGTRAP"},
};

static size_t append(char *line, size_t at, const char *text)
{
	size_t len = strlen(text);

	memcpy(line + at, text, len);
	return at + len;
}

/* "fault in PID 1: SIGSEGV at 0x…\n"; returns its length. */
static size_t describe(char line[160], int number, const void *address)
{
	static const char digits[] = "0123456789abcdef";
	unsigned long value = (unsigned long)address;
	const char *name = "signal";
	size_t at;

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (faults[i].number == number)
			name = faults[i].name;
	at = append(line, 0, "fault in PID 1: ");
	at = append(line, at, name);
	at = append(line, at, " at 0x");
	for (int shift = 60; shift >= 0; shift -= 4)
		line[at++] = digits[value >> shift & 15];
	return append(line, at, "\n");
}

static void say(const char *what, size_t len)
{
	char line[256];
	size_t at = append(line, 0, "\ninit        ");

	memcpy(line + at, what, len);
	at = append(line, at + len, "init        syncs for at most 3 s and restarts\n");
	tell_raw(line, at);
}

/* For the next boot. In a child: the disk may be what does not answer. Before stage 2 has /var there is no such file.
 */
static void keep_and_sync(const char *what, size_t len)
{
	int fd = open(FAULT_PATH, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd >= 0)
		(void)!write(fd, what, len);
	sync();
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	const struct timespec moment = {0, 50000000};
	char what[160];
	size_t len = describe(what, number, info->si_addr);
	pid_t child;

	(void)context;
	say(what, len);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* not fork(): it takes locks */
	if (!child) {
		keep_and_sync(what, len);
		_exit(0);
	}
	for (int i = 0; child > 0 && i < SYNC_SECONDS * 20; i++) {
		if (waitpid(child, NULL, WNOHANG) == child)
			break;
		nanosleep(&moment, NULL);
	}
	reboot(RB_AUTOBOOT);
	_exit(1);
}

void prepare_for_faults(void)
{
	static char stack[STACK_BYTES];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
	sigset_t blocked;

	sigaltstack(&alternate, NULL);
	sigfillset(&action.sa_mask);
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		sigaction(faults[i].number, &action, NULL);
		sigdelset(&blocked, faults[i].number);
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}
