/* Which NTP servers the node asks. */
#include "network/ntp_servers.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void add(struct ntp_servers *servers, const char *name)
{
	if (!name || !*name || strlen(name) >= sizeof servers->names[0] || servers->count == NTP_SERVERS_MAX)
		return;
	for (size_t i = 0; i < servers->count; i++)
		if (!strcmp(servers->names[i], name))
			return;
	snprintf(servers->names[servers->count++], sizeof servers->names[0], "%s", name);
}

static void add_list(struct ntp_servers *servers, const struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		add(servers, list->items[i]);
}

void choose_ntp_servers(const struct node_config *config, const char *network_json, struct ntp_servers *servers)
{
	json_t *root, *ntp, *item;
	size_t i;

	memset(servers, 0, sizeof *servers);
	if (!config->ntp.enabled)
		return;
	add_list(servers, &config->ntp.servers);
	add_list(servers, &config->ntp.pools);
	if (servers->count)
		return;
	root = json_loads(network_json, 0, NULL);
	ntp = json_object_get(root, "ntp");
	json_array_foreach (ntp, i, item)
		add(servers, json_string_value(item));
	json_decref(root);
}

bool same_ntp_servers(const struct ntp_servers *a, const struct ntp_servers *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->names[i], b->names[i]))
			return false;
	return true;
}
