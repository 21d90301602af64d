/* dhcp-event: what udhcpc runs when something happened to a lease. No shell: a program of our own, which believes
 * nothing of what the server sent, and can do nothing but send one datagram. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "keelson.h"
#include "lib/cleanup.h"
#include "network/lease.h"
#include "network/send_event.h"

static const char *from_environment(void *arg, const char *name)
{
	(void)arg;
	return getenv(name);
}

int dhcp_event_main(int argc, char **argv)
{
	_cleanup_close_ int fd = -1;
	struct lease lease;
	struct err err;
	int r;

	fd = event_connect(LEASE_SOCKET, &err);
	if (fd < 0) {
		fprintf(stderr, "dhcp-event: %s\n", err.text);
		return 1;
	}
	give_up_capabilities();
	r = lease_parse(argc > 1 ? argv[1] : NULL, from_environment, NULL, &lease, &err);
	if (r == 0 && send(fd, &lease, sizeof lease, MSG_NOSIGNAL) < 0)
		r = err_errno(&err, "send the lease");
	if (r < 0) {
		fprintf(stderr, "dhcp-event: %s\n", err.text);
		return 1;
	}
	return 0;
}
