/* What a person in front of the console wants to know: who this node is, and what is wrong. */
#ifndef KEELSON_STATUS_H
#define KEELSON_STATUS_H

#include "api/pressure.h"
#include "api/service_rows.h"
#include "lib/buf.h"
#include "lib/err.h"

struct node_status {
	char hostname[65], role[16], cluster[64]; /* role "": not configured yet */
	char version[64], kubernetes[64];
	char slot;	     /* 'A', 'B', or '?' where the root's partition is neither */
	char addresses[512]; /* of the machine's own links, with a blank between; "": none */
	struct pressure pressure;
	struct service_rows services;
};

/* Pure: a line for the node, one for its addresses, one for its services, one more for each service in
 * trouble, and for what pods took too much of.
 * Returns 0 or -ENOMEM. */
int status_text(const struct node_status *status, struct buf *out);

/* Pure: the slot of a root whose partition has that number (3: A, 5: B). */
char slot_of(const char *boot_env);

/* Read all of it: files in /run and on the root, links, PID 1. What is missing stays empty; only PID 1 must answer. */
int status_gather(struct node_status *status, struct err *err);

#endif
