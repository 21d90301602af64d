/* Where the node's state is read from. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/ask_services.h"
#include "api/status.h"
#include "config/node_config.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/kubernetes_version.h"
#include "lib/physical_link.h"

#define BOOT_ENV "/run/keelson/boot.env"
#define SMALL_FILE 4096

static void read_slot(struct node_status *status)
{
	_cleanup_(buf_free) struct buf content = {0};

	file_read(BOOT_ENV, SMALL_FILE, &content, NULL);
	status->slot = slot_of(buf_string(&content));
}

static void read_role(struct node_status *status)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;

	if (node_config_load(NODE_CONFIG_PATH, &config, NULL) < 0)
		return;
	snprintf(status->role, sizeof status->role, "%s", role_name(config->role));
	snprintf(status->cluster, sizeof status->cluster, "%s", config->cluster.name);
}

static void add_address(struct node_status *status, const struct sockaddr *address)
{
	size_t len = strlen(status->addresses);
	char text[INET6_ADDRSTRLEN];
	const void *bytes;

	if (address->sa_family == AF_INET)
		bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
	else if (address->sa_family == AF_INET6)
		bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
	else
		return;
	if (address->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)bytes))
		return;
	if (!inet_ntop(address->sa_family, bytes, text, sizeof text) ||
	    len + strlen(text) + 2 > sizeof status->addresses)
		return;
	snprintf(status->addresses + len, sizeof status->addresses - len, "%s%s", len ? " " : "", text);
}

static void read_addresses(struct node_status *status)
{
	struct ifaddrs *list = NULL;

	if (getifaddrs(&list) < 0)
		return;
	for (const struct ifaddrs *a = list; a; a = a->ifa_next)
		if (a->ifa_addr && is_physical_link("/sys", a->ifa_name))
			add_address(status, a->ifa_addr);
	freeifaddrs(list);
}

int status_gather(struct node_status *status, struct err *err)
{
	int r;

	memset(status, 0, sizeof *status);
	r = ask_services(&status->services, err);
	if (r < 0)
		return r;
	gethostname(status->hostname, sizeof status->hostname - 1);
	snprintf(status->version, sizeof status->version, "%s", KEELSON_VERSION);
	(void)kubernetes_version_read(status->kubernetes, sizeof status->kubernetes, NULL);
	read_slot(status);
	read_role(status);
	read_addresses(status);
	pressure_gather(&pressure_paths, &status->pressure);
	return 0;
}
