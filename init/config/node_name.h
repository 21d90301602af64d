/* What the node is called: decided once, from the first configuration, and kept; a Node is never renamed. */
#ifndef KEELSON_NODE_NAME_H
#define KEELSON_NODE_NAME_H

#include <jansson.h>

#include "lib/err.h"

struct node_name {
	char name[64];	   /* the hostname and the Node's name */
	char full[254];	   /* the full name for /etc/hosts; empty: none */
	char refused[254]; /* the name that the configuration says now, where it is not the one that is kept; else empty
			    */
	char odd[254];	   /* a local-hostname that is no name and was passed over; else empty */
};

/* Pure. values: of the document; local_hostname: of meta-data or NULL; machine_id: 32 hex digits; kept: the name of
 * an earlier boot, or NULL. Order: kept, hostname and fqdn, local-hostname, node- and six digits of the machine id.
 * cloud-init's rules for the two keys: a hostname with dots is the full name and its first part the name; fqdn alone
 * gives both; prefer_fqdn_over_hostname makes fqdn the name. */
void choose_node_name(const json_t *values, const char *local_hostname, const char *machine_id, const char *kept,
		      struct node_name *chosen);

/* /etc/hosts for that name. */
struct buf;
int render_hosts(const struct node_name *name, struct buf *text);

#endif
