/* keelson time: BusyBox's ntpd for as long as there is a server to ask.
 *
 * Ready when the clock is a server's, or after 10 s, or at once where no server is known: a node without time is still
 * a node. Only a time that a server gave is saved and put into the hardware clock. When it is stopped, which mostly is
 * the node's shutdown, the random seed is renewed too.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "config/node_config.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/story.h"
#include "network/network_files.h"
#include "network/ntp_servers.h"
#include "network/save_time.h"
#include "network/send_event.h"
#include "network/time_message.h"
#include "network/time_silence.h"
#include "network/watched_child.h"
#include "storage/clock_floor.h"
#include "storage/random_seed.h"

#define NTPD "/usr/sbin/ntpd"
#define SCRIPT "/usr/lib/keelson/time-event"
#define READY_AT_MOST_MS 10000
#define SAVE_EVERY_MS (3600 * 1000)

struct time_service {
	struct node_config *config;
	struct ntp_servers servers;
	struct watched_child ntpd;
	int messages, signals, watch;
	int64_t started, save_at;	 /* save_at 0: the clock is nobody's */
	int64_t silent_since, remind_at; /* remind_at 0: servers answer, or there is none */
	bool ready, stop, told;
};

static void be_ready(struct time_service *s)
{
	if (s->ready)
		return;
	s->ready = true;
	notify_ready();
}

static void start_ntpd(struct time_service *s)
{
	const char *argv[4 + 2 * NTP_SERVERS_MAX + 1] = {NTPD, "-n", "-S", SCRIPT};
	struct err err;
	size_t n = 4;

	for (size_t i = 0; i < s->servers.count; i++) {
		argv[n++] = "-p";
		argv[n++] = s->servers.names[i];
	}
	if (child_start(&s->ntpd, argv, &err) < 0)
		story("%s", err.text);
}

static void expect_answers(struct time_service *s)
{
	s->silent_since = boot_ms();
	s->remind_at = s->servers.count ? next_silence_reminder(s->silent_since, s->silent_since) : 0;
}

/* The servers as they are now: DHCP may name others, or the first ones, long after the boot. */
static void look_for_servers(struct time_service *s)
{
	_cleanup_(buf_free) struct buf json = {0};
	struct ntp_servers servers;

	file_read(NETWORK_JSON, 1 << 20, &json, NULL);
	choose_ntp_servers(s->config, buf_string(&json), &servers);
	if (same_ntp_servers(&servers, &s->servers))
		return;
	s->servers = servers;
	s->told = false;
	s->ntpd.failures = 0;
	if (!s->save_at)
		expect_answers(s);
	if (!servers.count)
		child_stop(&s->ntpd);
	else if (s->ntpd.pid > 0)
		child_renew(&s->ntpd);
	else
		start_ntpd(s);
}

static void names(const struct time_service *s, struct buf *text)
{
	for (size_t i = 0; i < s->servers.count; i++)
		buf_addf(text, "%s%s", i ? ", " : "", s->servers.names[i]);
}

static void keep(struct time_service *s)
{
	struct err err;

	s->save_at = boot_ms() + SAVE_EVERY_MS;
	if (save_time(SAVED_TIME_PATH, &err) < 0)
		story("%s", err.text);
	if (set_hardware_clock("/dev/rtc0", &err) < 0)
		story("%s", err.text);
}

static void tell(struct time_service *s, const struct time_message *message)
{
	_cleanup_(buf_free) struct buf who = {0};
	char was[64];

	names(s, &who);
	if (message->event == TIME_STEP) {
		clock_was_text(message->offset, was, sizeof was);
		story("clock set by %s, was %s", buf_string(&who), was);
	} else if (!s->told) {
		story("in step with %s, stratum %u, off by %.3f s", buf_string(&who), message->stratum,
		      message->offset);
	}
	s->told = true;
}

static void take_messages(struct time_service *s)
{
	struct time_message message;

	while (recv(s->messages, &message, sizeof message, MSG_TRUNC) == sizeof message) {
		if (message.size != sizeof message || message.event >= TIME_EVENTS)
			continue;
		if (!is_synchronised(&message)) {
			if (s->save_at && message.event == TIME_UNSYNC)
				story("no NTP server answers any more, the clock runs on its own");
			if (s->save_at)
				expect_answers(s);
			s->save_at = 0;
			s->told = false;
			continue;
		}
		tell(s, &message);
		s->remind_at = 0;
		if (!s->save_at || message.event == TIME_STEP)
			keep(s);
		be_ready(s);
	}
}

static void take_time_signals(struct time_service *s)
{
	struct signalfd_siginfo info;
	char text[SAID_BYTES + 64];
	int status;
	pid_t pid;

	while (read(s->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo != SIGCHLD)
			s->stop = true;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == s->ntpd.pid && child_ended(&s->ntpd, status, text, sizeof text))
			story("ntpd ended: %s", text);
}

static void take_changes(struct time_service *s)
{
	char events[4096] __attribute__((aligned(8)));

	while (read(s->watch, events, sizeof events) > 0)
		;
	look_for_servers(s);
}

static void remind_of_silence(struct time_service *s, int64_t now)
{
	_cleanup_(buf_free) struct buf who = {0};
	char text[32];

	if (!s->remind_at || now < s->remind_at)
		return;
	names(s, &who);
	silence_text(now - s->silent_since, text, sizeof text);
	story("no NTP answer from %s for %s, the clock runs on its own", buf_string(&who), text);
	s->remind_at = next_silence_reminder(s->silent_since, now);
}

/* What time itself brings. Returns when to look again, or -1. */
static int64_t consider_time(struct time_service *s, int64_t now)
{
	_cleanup_(buf_free) struct buf who = {0};
	int64_t due = -1;

	if (child_is_due(&s->ntpd, now) && s->servers.count)
		start_ntpd(s);
	if (!s->ready && !s->servers.count) {
		story(s->config->ntp.enabled ? "no NTP server is known" : "NTP is switched off");
		be_ready(s);
	} else if (!s->ready && now >= s->started + READY_AT_MOST_MS) {
		names(s, &who);
		story("no NTP answer from %s yet, going on", buf_string(&who));
		be_ready(s);
	}
	remind_of_silence(s, now);
	if (s->save_at && now >= s->save_at)
		keep(s);
	if (!s->ready)
		due = s->started + READY_AT_MOST_MS;
	else if (s->save_at)
		due = s->save_at;
	if (s->remind_at && (due < 0 || s->remind_at < due))
		due = s->remind_at;
	return s->servers.count ? child_due(&s->ntpd, due) : due;
}

static void wait_for_time(struct time_service *s, int64_t due)
{
	struct pollfd fds[] = {
		{s->messages, POLLIN, 0}, {s->signals, POLLIN, 0}, {s->watch, POLLIN, 0}, {s->ntpd.says, POLLIN, 0}};
	int64_t now = boot_ms();

	if (poll(fds, 4, due < 0 ? -1 : due > now ? (int)(due - now) : 0) <= 0)
		return;
	if (fds[3].revents)
		child_listen(&s->ntpd);
	if (fds[0].revents)
		take_messages(s);
	if (fds[1].revents)
		take_time_signals(s);
	if (fds[2].revents)
		take_changes(s);
}

static int open_time(struct time_service *s, struct err *err)
{
	int r = node_config_load(NODE_CONFIG_PATH, &s->config, err);

	if (r >= 0)
		r = s->signals = service_signals(err);
	if (r >= 0)
		r = s->messages = event_listen(TIME_SOCKET, err);
	if (r < 0)
		return r;
	s->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (s->watch < 0 || inotify_add_watch(s->watch, "/run/keelson", IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
		return err_errno(err, "watch /run/keelson");
	return 0;
}

int time_main(int argc, char **argv)
{
	struct time_service s = {.ntpd = WATCHED_CHILD_NONE, .messages = -1, .signals = -1, .watch = -1};
	struct err err;

	(void)argv;
	if (argc > 1) {
		fprintf(stderr, "usage: keelson time\n");
		return 2;
	}
	if (open_time(&s, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	s.started = boot_ms();
	look_for_servers(&s);
	while (!s.stop)
		wait_for_time(&s, consider_time(&s, boot_ms()));
	/* What the next boot starts from. */
	if (s.save_at && save_time(SAVED_TIME_PATH, &err) < 0)
		fprintf(stderr, "%s\n", err.text);
	if (save_random_seed(RANDOM_SEED_PATH, &err) < 0)
		fprintf(stderr, "%s\n", err.text);
	node_config_free(s.config);
	return 0;
}
