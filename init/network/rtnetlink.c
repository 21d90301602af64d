/* The few rtnetlink requests that the node's links need. Source: rtnetlink(7), Linux include/uapi/linux/rtnetlink.h. */
#include "network/rtnetlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "lib/cleanup.h"

#define ANSWER_SECONDS 5

struct request {
	struct nlmsghdr header;
	union {
		struct ifinfomsg link;
		struct ifaddrmsg address;
		struct rtmsg route;
	};
	char attributes[256];
};

int rtnl_open(uint32_t groups, struct err *err)
{
	int flags = SOCK_RAW | SOCK_CLOEXEC | (groups ? SOCK_NONBLOCK : 0);
	_cleanup_close_ int fd = socket(AF_NETLINK, flags, NETLINK_ROUTE);
	struct sockaddr_nl at = {.nl_family = AF_NETLINK, .nl_groups = groups};
	struct timeval limit = {.tv_sec = ANSWER_SECONDS};

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0)
		return err_errno(err, "open a netlink socket");
	return take_fd(&fd);
}

static void start(struct request *request, uint16_t type, uint16_t flags, size_t body)
{
	memset(request, 0, sizeof *request);
	request->header.nlmsg_type = type;
	request->header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
	request->header.nlmsg_len = (uint32_t)NLMSG_LENGTH(body);
}

static struct rtattr *add(struct request *request, uint16_t type, const void *data, size_t len)
{
	struct rtattr *attribute = (struct rtattr *)(void *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(attribute), data, len);
	request->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len));
	return attribute;
}

static void add_number(struct request *request, uint16_t type, uint32_t value)
{
	add(request, type, &value, sizeof value);
}

static void add_address(struct request *request, uint16_t type, uint32_t address)
{
	add_number(request, type, htonl(address));
}

/* Send, and take the kernel's word on it. Returns 0 or what the kernel says. */
static int talk(int rtnl, struct request *request)
{
	static uint32_t sequence;
	union {
		struct nlmsghdr header;
		char bytes[4096];
	} answer;

	request->header.nlmsg_seq = ++sequence;
	if (send(rtnl, request, request->header.nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		ssize_t n = recv(rtnl, &answer, sizeof answer, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if ((size_t)n < NLMSG_LENGTH(sizeof(struct nlmsgerr)) || answer.header.nlmsg_type != NLMSG_ERROR ||
		    answer.header.nlmsg_seq != sequence)
			continue;
		return ((struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
	}
}

static int tell(int r, struct err *err, const char *what, int ifindex)
{
	return r < 0 ? err_set(err, -r, "link %d: %s: %s", ifindex, what, strerror(-r)) : 0;
}

int rtnl_link_up(int rtnl, int ifindex, struct err *err)
{
	struct request request;

	start(&request, RTM_NEWLINK, 0, sizeof request.link);
	request.link.ifi_index = ifindex;
	request.link.ifi_flags = request.link.ifi_change = IFF_UP;
	return tell(talk(rtnl, &request), err, "bring up", ifindex);
}

int rtnl_link_mtu(int rtnl, int ifindex, uint32_t mtu, struct err *err)
{
	struct request request;

	start(&request, RTM_NEWLINK, 0, sizeof request.link);
	request.link.ifi_index = ifindex;
	add_number(&request, IFLA_MTU, mtu);
	return tell(talk(rtnl, &request), err, "set the MTU", ifindex);
}

int rtnl_add_dummy(int rtnl, const char *name, struct err *err)
{
	struct request request;
	struct rtattr *info;
	int r;

	start(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof request.link);
	add(&request, IFLA_IFNAME, name, strlen(name) + 1);
	info = add(&request, IFLA_LINKINFO, NULL, 0);
	add(&request, IFLA_INFO_KIND, "dummy", 5);
	info->rta_len = (unsigned short)((char *)&request + request.header.nlmsg_len - (char *)info);
	r = talk(rtnl, &request);
	return r < 0 && r != -EEXIST ? err_set(err, -r, "make the dummy link %s: %s", name, strerror(-r)) : 0;
}

int rtnl_set_address(int rtnl, int ifindex, uint32_t address, uint32_t prefix, uint32_t seconds, uint32_t metric,
		     struct err *err)
{
	struct ifa_cacheinfo lives = {.ifa_prefered = seconds, .ifa_valid = seconds};
	struct request request;

	start(&request, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, sizeof request.address);
	request.address.ifa_family = AF_INET;
	request.address.ifa_prefixlen = (uint8_t)prefix;
	request.address.ifa_index = (uint32_t)ifindex;
	add_address(&request, IFA_LOCAL, address);
	add_address(&request, IFA_ADDRESS, address);
	if (prefix < 31)
		add_address(&request, IFA_BROADCAST, address | ~(prefix ? ~(uint32_t)0 << (32 - prefix) : 0));
	add(&request, IFA_CACHEINFO, &lives, sizeof lives);
	add_number(&request, IFA_RT_PRIORITY, metric);
	return tell(talk(rtnl, &request), err, "set the address", ifindex);
}

int rtnl_remove_address(int rtnl, int ifindex, uint32_t address, uint32_t prefix, struct err *err)
{
	struct request request;
	int r;

	start(&request, RTM_DELADDR, 0, sizeof request.address);
	request.address.ifa_family = AF_INET;
	request.address.ifa_prefixlen = (uint8_t)prefix;
	request.address.ifa_index = (uint32_t)ifindex;
	add_address(&request, IFA_LOCAL, address);
	r = talk(rtnl, &request);
	return r == -EADDRNOTAVAIL || r == -ENODEV ? 0 : tell(r, err, "remove the address", ifindex);
}

static void build_route(struct request *request, uint16_t type, uint16_t flags, int ifindex,
			const struct rtnl_route *route)
{
	start(request, type, flags, sizeof request->route);
	request->route.rtm_family = AF_INET;
	request->route.rtm_dst_len = (uint8_t)route->prefix;
	request->route.rtm_table = RT_TABLE_MAIN;
	request->route.rtm_protocol = RTPROT_DHCP;
	request->route.rtm_type = RTN_UNICAST;
	request->route.rtm_scope = route->via ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
	request->route.rtm_flags = route->onlink ? RTNH_F_ONLINK : 0;
	if (route->prefix)
		add_address(request, RTA_DST, route->to);
	if (route->via)
		add_address(request, RTA_GATEWAY, route->via);
	if (route->from)
		add_address(request, RTA_PREFSRC, route->from);
	add_number(request, RTA_OIF, (uint32_t)ifindex);
	add_number(request, RTA_PRIORITY, route->metric);
}

int rtnl_set_route(int rtnl, int ifindex, const struct rtnl_route *route, struct err *err)
{
	struct request request;

	build_route(&request, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, ifindex, route);
	return tell(talk(rtnl, &request), err, "set a route", ifindex);
}

int rtnl_remove_route(int rtnl, int ifindex, const struct rtnl_route *route, struct err *err)
{
	struct request request;
	int r;

	build_route(&request, RTM_DELROUTE, 0, ifindex, route);
	r = talk(rtnl, &request);
	return r == -ESRCH || r == -ENODEV ? 0 : tell(r, err, "remove a route", ifindex);
}

static void take_name(const struct nlmsghdr *message, struct link_news *news)
{
	size_t left = message->nlmsg_len - NLMSG_LENGTH(sizeof(struct ifinfomsg));
	const char *p = (const char *)message + NLMSG_LENGTH(sizeof(struct ifinfomsg));

	while (left >= sizeof(struct rtattr)) {
		struct rtattr attribute;
		size_t step;

		memcpy(&attribute, p, sizeof attribute);
		if (attribute.rta_len < sizeof attribute || attribute.rta_len > left)
			return;
		if (attribute.rta_type == IFLA_IFNAME) {
			size_t len = attribute.rta_len - sizeof attribute;

			len = len < IFNAMSIZ - 1 ? len : IFNAMSIZ - 1;
			memcpy(news->name, p + RTA_LENGTH(0), len);
			news->name[len] = 0;
			return;
		}
		step = MIN(RTA_ALIGN((size_t)attribute.rta_len), left);
		p += step;
		left -= step;
	}
}

int rtnl_next_news(const void *data, size_t len, size_t *at, struct link_news *news)
{
	while (*at + NLMSG_HDRLEN <= len) {
		const struct nlmsghdr *message = (const void *)((const char *)data + *at);
		const struct ifinfomsg *link = NLMSG_DATA(message);

		if (message->nlmsg_len < NLMSG_HDRLEN || message->nlmsg_len > len - *at)
			return -EINVAL;
		*at += NLMSG_ALIGN((size_t)message->nlmsg_len);
		if ((message->nlmsg_type != RTM_NEWLINK && message->nlmsg_type != RTM_DELLINK) ||
		    message->nlmsg_len < NLMSG_LENGTH(sizeof *link))
			continue;
		memset(news, 0, sizeof *news);
		news->ifindex = link->ifi_index;
		news->gone = message->nlmsg_type == RTM_DELLINK;
		news->carrier = link->ifi_flags & IFF_RUNNING; /* up, and something answers at the other end */
		take_name(message, news);
		return 1;
	}
	return 0;
}
