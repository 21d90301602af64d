/* keelson status [--follow]: who this node is and what is wrong. --follow, run by init after the boot: the lines that
 * changed, each time they do, so that the console's last lines are true without scrolling. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/status.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/story.h"

#define PAUSE_S 5

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
static _Noreturn void follow(void)
{
	static struct node_status status;
	const struct timespec pause = {PAUSE_S, 0};
	char last[8192] = "", shown[8192] = "";

	for (;; nanosleep(&pause, NULL)) {
		_cleanup_(buf_free) struct buf text = {.max = sizeof last - 1};
		struct err err;

		if (status_gather(&status, &err) < 0 || status_text(&status, &text) < 0)
			continue;
		if (!*shown || !strcmp(text.data, last)) {
			tell_changes(text.data, shown);
			memcpy(shown, text.data, text.len + 1);
		}
		memcpy(last, text.data, text.len + 1);
	}
}

int status_main(int argc, char **argv)
{
	static struct node_status status;
	_cleanup_(buf_free) struct buf text = {0};
	struct err err = {""};
	int r;

	if (argc == 2 && !strcmp(argv[1], "--follow"))
		follow();
	if (argc > 1) {
		fputs("usage: keelson status\n", stderr);
		return 2;
	}
	r = status_gather(&status, &err);
	if (!r && status_text(&status, &text) < 0)
		r = err_set(&err, ENOMEM, "no memory");
	if (r < 0) {
		fprintf(stderr, "keelson status: %s\n", err.text);
		return 1;
	}
	fputs(buf_string(&text), stdout);
	return 0;
}
