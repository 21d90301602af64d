/* Which NTP servers the node asks. */
#ifndef KEELSON_NTP_SERVERS_H
#define KEELSON_NTP_SERVERS_H

#include "config/node_config.h"

#define NTP_SERVERS_MAX 8

struct ntp_servers {
	char names[NTP_SERVERS_MAX][256];
	size_t count;
};

/* Pure. The configuration's servers and pools; where it names none, those of DHCP (network.json's text). */
void choose_ntp_servers(const struct node_config *config, const char *network_json, struct ntp_servers *servers);

bool same_ntp_servers(const struct ntp_servers *a, const struct ntp_servers *b);

#endif
