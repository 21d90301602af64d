/* time-event: what ntpd runs when something happened to the clock. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "keelson.h"
#include "lib/cleanup.h"
#include "network/send_event.h"
#include "network/time_message.h"

static const char *from_environment(void *arg, const char *name)
{
	(void)arg;
	return getenv(name);
}

int time_event_main(int argc, char **argv)
{
	_cleanup_close_ int fd = -1;
	struct time_message message;
	struct err err;
	int r;

	fd = event_connect(TIME_SOCKET, &err);
	if (fd < 0) {
		fprintf(stderr, "time-event: %s\n", err.text);
		return 1;
	}
	give_up_capabilities();
	r = time_message_parse(argc > 1 ? argv[1] : NULL, from_environment, NULL, &message, &err);
	if (r == 0 && send(fd, &message, sizeof message, MSG_NOSIGNAL) < 0)
		r = err_errno(&err, "send");
	if (r < 0) {
		fprintf(stderr, "time-event: %s\n", err.text);
		return 1;
	}
	return 0;
}
