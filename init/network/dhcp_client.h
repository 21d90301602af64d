/* How udhcpc is called for a link. */
#ifndef KEELSON_DHCP_CLIENT_H
#define KEELSON_DHCP_CLIENT_H

#include <net/if.h>

#define CLIENT_ID_TEXT 64
#define DHCP_ARGS 40

/* Pure: the client id (option 61) of a machine and a link, as udhcpc's -x takes it: RFC 4361's form, a DUID-UUID made
 * from the machine id and an IAID from the hardware address. The same after an upgrade, an installation, a move of
 * the card to another slot. machine_id: 32 hexadecimal digits, or anything else: then only the address counts. */
void client_id(const char *machine_id, const unsigned char mac[6], char text[CLIENT_ID_TEXT]);

struct dhcp_client {
	char interface[IFNAMSIZ], id[CLIENT_ID_TEXT + 8], hostname[80];
	const char *argv[DHCP_ARGS];
};

/* Pure: fill in argv. hostname may be NULL. */
void dhcp_client_plan(struct dhcp_client *client, const char *interface, const char *id, const char *hostname);

#endif
