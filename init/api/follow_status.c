/* keelson status --follow, run by init after the boot: the lines of the status that changed, each time they do, so that
 * the console's last lines are true without scrolling; and what the kernel had to do to pods that took too much. */
#include "api/follow_status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/kernel_trouble.h"
#include "api/log_tail.h"
#include "api/status.h"
#include "lib/cleanup.h"
#include "lib/story.h"

#define PAUSE_MS 5000
#define RECORD_MAX 8192
#define POD_LOGS "/var/log/pods"
#define KUBELET_LOG "/var/log/keelson/kubelet.log"
#define TOLD_MAX 16
#define TOLD_AGAIN_S 60

/* Whom a line was printed of, and when: a pod that is ended again and again is told of once a minute. */
static struct told {
	enum trouble_kind kind;
	char whose[64];
	time_t when;
} told[TOLD_MAX];

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_BOOTTIME, &time);
	return time.tv_sec;
}

static bool was_told(const struct kernel_trouble *trouble)
{
	struct told *oldest = told;

	for (size_t i = 0; i < TOLD_MAX; i++) {
		struct told *t = &told[i];

		if (t->when && t->kind == trouble->kind && !strcmp(t->whose, trouble->whose) &&
		    now() - t->when < TOLD_AGAIN_S)
			return true;
		if (t->when < oldest->when)
			oldest = t;
	}
	*oldest = (struct told){.kind = trouble->kind, .when = now()};
	memcpy(oldest->whose, trouble->whose, sizeof oldest->whose);
	return false;
}

static void tell_trouble(const struct kernel_trouble *trouble)
{
	char name[320];

	if (was_told(trouble))
		return;
	if (trouble->pod)
		pod_name(POD_LOGS, trouble->whose, name, sizeof name);
	else
		snprintf(name, sizeof name, "%s", trouble->whose);
	if (trouble->kind == TROUBLE_MEMORY)
		story("%s %s: the kernel ended its program %s, %s", trouble->pod ? "pod" : "service", name,
		      trouble->program, trouble->limit);
	else
		story("%s %s: may have no more processes, its forks are refused", trouble->pod ? "pod" : "service",
		      name);
}

/* Records that were overwritten before they were read (EPIPE) are lost, and the next one is read. */
static void take_records(int kernel_log)
{
	static char record[RECORD_MAX];
	struct kernel_trouble trouble;
	ssize_t n;

	while ((n = read(kernel_log, record, sizeof record - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		record[n > 0 ? n : 0] = 0;
		if (kernel_trouble_parse(record, &trouble))
			tell_trouble(&trouble);
	}
}

/* Lines of text that shown does not hold. */
static void tell_changes(const char *text, const char *shown)
{
	while (*text) {
		size_t len = strcspn(text, "\n") + 1;
		char line[1024];

		snprintf(line, sizeof line, "%.*s", (int)len, text);
		if (!strstr(shown, line))
			story("%.*s", (int)len - 1, text);
		text += strlen(text) < len ? strlen(text) : len;
	}
}

/* What is seen twice in a row is told: a service that is restarted within one pause was told by PID 1 already. */
static void look(void)
{
	static struct node_status status;
	static char last[8192], shown[8192];
	_cleanup_(buf_free) struct buf text = {.max = sizeof last - 1};
	struct err err;

	if (status_gather(&status, &err) < 0 || status_text(&status, &text) < 0)
		return;
	pressure_remember(VAR_FULL, &status.pressure);
	if (!*shown || !strcmp(text.data, last)) {
		tell_changes(text.data, shown);
		memcpy(shown, text.data, text.len + 1);
	}
	memcpy(last, text.data, text.len + 1);
}

/* Whom the kubelet evicted is kept in a file, from which every status has it; so it is told as what changed. */
static void take_evictions(struct log_tail *kubelet, struct evictions *evictions)
{
	const char *line;

	while ((line = log_tail_next(kubelet)))
		if (evictions_take(evictions, line)) {
			evictions->last = time(NULL);
			evictions_save(EVICTED, evictions);
		}
}

_Noreturn void follow_status(void)
{
	struct pollfd log = {open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC), POLLIN, 0};
	static struct evictions evictions;
	static struct log_tail kubelet;
	time_t looked = 0;

	if (log.fd >= 0)
		lseek(log.fd, 0, SEEK_END);
	evictions_load(EVICTED, &evictions);
	log_tail_open(&kubelet, KUBELET_LOG);
	for (;;) {
		if (!looked || now() - looked >= PAUSE_MS / 1000) {
			take_evictions(&kubelet, &evictions);
			look();
			looked = now();
		}
		if (poll(&log, 1, PAUSE_MS) > 0)
			take_records(log.fd);
	}
}
