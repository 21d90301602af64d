/* Which links are the node's own. Source: Linux Documentation/ABI/testing/sysfs-class-net. */
#include "network/find_links.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define NEGOTIATION_MS 4000
/* A virtual card's driver asks the host from a work queue, and the kernel tells of carriers once a second
 * (net/core/link_watch.c): not at once, as was seen. */
#define VIRTUAL_MS 1500

static int read_attribute(const char *sys, const char *name, const char *attribute, struct buf *value)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/class/net/%s/%s", sys, name, attribute);
	return file_read(path, 256, value, NULL);
}

int link_address(const char *sys, const char *name, unsigned char mac[6])
{
	_cleanup_(buf_free) struct buf text = {0};
	int r = read_attribute(sys, name, "address", &text);

	if (r < 0)
		return r;
	if (sscanf(buf_string(&text), "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", &mac[0], &mac[1], &mac[2], &mac[3],
		   &mac[4], &mac[5]) != 6)
		return -EINVAL;
	return 0;
}

int carrier_grace_ms(const char *sys, const char *name)
{
	static const char *const virtual_cards[] = {"virtio_net", "vmxnet3",	    "ena", "gve",
					      "hv_netvsc",  "xen_netfront", "vif"};
	char path[PATH_MAX], target[PATH_MAX];
	const char *driver;
	ssize_t len;

	snprintf(path, sizeof path, "%s/class/net/%s/device/driver", sys, name);
	len = readlink(path, target, sizeof target - 1);
	if (len < 0)
		return NEGOTIATION_MS;
	target[len] = 0;
	driver = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	for (size_t i = 0; i < sizeof virtual_cards / sizeof *virtual_cards; i++)
		if (!strcmp(driver, virtual_cards[i]))
			return VIRTUAL_MS;
	return NEGOTIATION_MS;
}
