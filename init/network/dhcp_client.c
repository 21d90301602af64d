/* How udhcpc is called for a link.
 *
 * It asks at once and then each second, six times (a server may try an address for 3 s before it offers it), and again
 * after 5 s, for ever. The first answer sets the network, so nothing waits longer than the server takes.
 */
#include "network/dhcp_client.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define UDHCPC "/usr/sbin/udhcpc"
#define SCRIPT "/usr/lib/keelson/dhcp-event"

void client_id(const char *machine_id, const unsigned char mac[6], char text[CLIENT_ID_TEXT])
{
	size_t n = 0;

	while (n < 32 && isxdigit((unsigned char)machine_id[n]))
		n++;
	if (n == 32)
		snprintf(text, CLIENT_ID_TEXT, "ff%02x%02x%02x%02x0004%.32s", mac[2], mac[3], mac[4], mac[5],
			 machine_id);
	else
		snprintf(text, CLIENT_ID_TEXT, "01%02x%02x%02x%02x%02x%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
			 mac[5]);
}

void dhcp_client_plan(struct dhcp_client *client, const char *interface, const char *id, const char *hostname)
{
	static const char *const options[] = {"mtu", "staticroutes", "msstaticroutes", "ntpsrv", "search", "domain"};
	static const char *const fixed[] = {UDHCPC, "-f", "-s", SCRIPT, "-t", "6", "-T", "1", "-A", "5", "-C"};
	size_t n = 0;

	snprintf(client->interface, sizeof client->interface, "%s", interface);
	snprintf(client->id, sizeof client->id, "0x3d:%s", id);
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		client->argv[n++] = fixed[i];
	client->argv[n++] = "-i";
	client->argv[n++] = client->interface;
	client->argv[n++] = "-x";
	client->argv[n++] = client->id;
	if (hostname && strlen(hostname) <= 63) {
		snprintf(client->hostname, sizeof client->hostname, "hostname:%s", hostname);
		client->argv[n++] = "-x";
		client->argv[n++] = client->hostname;
	}
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		client->argv[n++] = "-O";
		client->argv[n++] = options[i];
	}
	client->argv[n] = NULL;
}
