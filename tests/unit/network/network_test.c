#include <linux/rtnetlink.h>
#include <math.h>
#include <sys/stat.h>

#include "lib/file.h"
#include "network/apply_link.h"
#include "network/dhcp_client.h"
#include "network/find_links.h"
#include "network/network_files.h"
#include "network/ntp_servers.h"
#include "network/time_silence.h"
#include "network/readiness.h"
#include "network/rtnetlink.h"
#include "network/time_message.h"
#include "network/watched_child.h"

#include "unit/test.h"

#define MACHINE_ID "0123456789abcdef0123456789abcdef\n"

static const unsigned char mac[6] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};

static void the_client_id_is_the_machines_and_the_cards(void **state)
{
	char text[CLIENT_ID_TEXT];
	(void)state;

	client_id(MACHINE_ID, mac, text);
	assert_string_equal(text, "ff0012345600040123456789abcdef0123456789abcdef");
	client_id("0123456789abcdef0123456789abcdef0", mac, text); /* what lies behind the 32 is not looked at */
	assert_string_equal(text, "ff0012345600040123456789abcdef0123456789abcdef");
	client_id("0123456789abcdef0123456789abcde", mac, text);
	assert_string_equal(text, "01525400123456");
	client_id("", mac, text);
	assert_string_equal(text, "01525400123456");
}

static void udhcpc_is_asked_for_what_we_use(void **state)
{
	struct dhcp_client client;
	struct buf out = {0};
	(void)state;

	dhcp_client_plan(&client, "eth0", "ff00", "cp-1");
	for (size_t i = 0; client.argv[i]; i++)
		buf_addf(&out, "%s\n", client.argv[i]);
	assert_golden("network/udhcpc.txt", buf_string(&out));
	buf_free(&out);
}

static size_t arguments_for(const char *hostname)
{
	struct dhcp_client client;
	size_t n = 0;

	dhcp_client_plan(&client, "eth0", "ff00", hostname);
	while (client.argv[n])
		n++;
	return n;
}

static void a_name_that_dhcp_cannot_carry_is_left_out(void **state)
{
	char name[65];
	size_t without = arguments_for(NULL);
	(void)state;

	memset(name, 'n', sizeof name);
	name[64] = 0;
	assert_int_equal(arguments_for(name), without);
	name[63] = 0;
	assert_int_equal(arguments_for(name), without + 2);
}

static void a_client_that_keeps_failing_is_started_ever_later(void **state)
{
	(void)state;
	assert_int_equal(backoff_ms(0), 100);
	assert_int_equal(backoff_ms(3), 800);
	assert_int_equal(backoff_ms(8), 25600);
	assert_int_equal(backoff_ms(9), 30000);
	assert_int_equal(backoff_ms(4000000000u), 30000);
}

/* Two cards with leases, the second without a default route. */
static void two_links(struct network_view *view)
{
	static struct lease leases[2];
	static struct link_plan plans[2];

	memset(leases, 0, sizeof leases);
	memset(view, 0, sizeof *view);
	for (uint32_t i = 0; i < 2; i++) {
		snprintf(leases[i].interface, IFNAMSIZ, "eth%u", i);
		leases[i].address = 10u << 24 | i << 16 | 15;
		leases[i].prefix = 24;
		leases[i].dns_count = 2;
		leases[i].dns[0] = 10u << 24 | 53;
		leases[i].dns[1] = 10u << 24 | (54 + i);
		leases[i].ntp_count = 1;
		leases[i].ntp[0] = 10u << 24 | 123;
		snprintf(leases[i].search, LEASE_SEARCH, "lab%u.example example.org", i);
	}
	leases[0].router_count = 1;
	leases[0].routers[0] = 10u << 24 | 1;
	for (uint32_t i = 0; i < 2; i++) {
		plan_link(&leases[i], 1024 + i, &plans[i]);
		view->leased[view->count++] = (struct leased){&leases[i], &plans[i]};
	}
	view->node_ip = plans[0].address;
}

static void the_files_say_what_the_network_is(void **state)
{
	struct network_view view, nothing = {.node_ip = FALLBACK_ADDRESS, .fallback = true}, lost = {0};
	struct buf out = {0};
	(void)state;

	two_links(&view);
	buf_add_string(&out, "## network.json\n");
	network_json_text(&view, &out);
	buf_add_string(&out, "## resolv.conf of the node\n");
	resolv_conf_text(&view, true, &out);
	buf_add_string(&out, "## resolv.conf of pods\n");
	resolv_conf_text(&view, false, &out);
	buf_add_string(&out, "## hosts\n");
	hosts_text("", view.node_ip, "cp-1", &out);
	buf_add_string(&out, "## network.json of a node alone\n");
	network_json_text(&nothing, &out);
	buf_add_string(&out, "## resolv.conf of a node alone\n");
	resolv_conf_text(&nothing, true, &out);
	buf_add_string(&out, "## network.json without any address\n");
	network_json_text(&lost, &out);
	assert_golden("network/files.txt", buf_string(&out));
	buf_free(&out);
}

static void the_lines_of_others_in_hosts_stay(void **state)
{
	struct buf once = {0}, twice = {0};
	(void)state;

	hosts_text("127.0.0.1 localhost\n10.1.1.1 db\n10.0.0.1 old # keelson: this node\n10.1.1.2 last", 10u << 24 | 15,
		   "cp-1", &once);
	assert_string_equal(buf_string(&once),
			    "127.0.0.1 localhost\n10.1.1.1 db\n10.1.1.2 last\n10.0.0.15 cp-1 # keelson: this node\n");
	hosts_text(buf_string(&once), 10u << 24 | 15, "cp-1", &twice);
	assert_string_equal(buf_string(&twice), buf_string(&once));
	buf_free(&once);
	buf_free(&twice);
}

/* A node may be called localhost-1: that line is ours, and says nothing of the loopback. */
static void our_own_line_does_not_pass_for_localhost(void **state)
{
	struct buf once = {0}, twice = {0};
	(void)state;

	hosts_text("10.0.0.1 localhost-1 # keelson: this node\n", 10u << 24 | 15, "localhost-1", &once);
	assert_string_equal(buf_string(&once), "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"
					       "10.0.0.15 localhost-1 # keelson: this node\n");
	hosts_text(buf_string(&once), 10u << 24 | 15, "localhost-1", &twice);
	assert_string_equal(buf_string(&twice), buf_string(&once));
	buf_free(&once);
	buf_free(&twice);
}

static void the_nodes_address_outlives_the_service(void **state)
{
	struct network_view view;
	struct buf json = {0};
	bool fallback;
	(void)state;

	two_links(&view);
	network_json_text(&view, &json);
	assert_int_equal(chosen_node_ip(buf_string(&json), &fallback), view.node_ip);
	assert_false(fallback);
	assert_int_equal(chosen_node_ip("{\"node_ip\":\"10.0.0.300\",\"fallback\":true}", &fallback), 0);
	assert_int_equal(chosen_node_ip("", &fallback), 0);
	buf_free(&json);
}

static void the_boot_waits_only_for_what_may_come(void **state)
{
	static const struct {
		struct readiness_view view;
		enum readiness verdict;
		int64_t next;
	} rows[] = {
		/* elapsed, alone, address, route, links, carriers, unanswered, grace */
		{{100, true, true, true, 1, 1, 0, 0}, NETWORK_IS_READY, -1},
		{{100, true, true, true, 2, 2, 1, 4000}, NETWORK_IS_READY, -1},
		{{100, true, true, false, 1, 1, 0, 0}, NETWORK_IS_READY, -1}, /* nobody else will answer */
		{{100, true, true, false, 2, 2, 1, 0}, NETWORK_WAITS, 10000}, /* the other may bring the route */
		{{10000, true, true, false, 2, 2, 1, 0}, NETWORK_IS_READY, -1},
		{{100, true, false, false, 1, 1, 1, 0}, NETWORK_WAITS, 10000},
		{{9999, true, false, false, 1, 1, 1, 0}, NETWORK_WAITS, 10000},
		{{10000, true, false, false, 1, 1, 1, 0}, NETWORK_FALLS_BACK, -1},
		{{0, true, false, false, 1, 0, 0, 0}, NETWORK_FALLS_BACK, -1}, /* a virtual card without a cable */
		{{0, true, false, false, 1, 0, 0, 4000}, NETWORK_WAITS, 4000}, /* a real one negotiates */
		{{4000, true, false, false, 1, 0, 0, 4000}, NETWORK_FALLS_BACK, -1},
		{{0, true, false, false, 0, 0, 0, 0}, NETWORK_WAITS, 2000}, /* its driver may be loading */
		{{2000, true, false, false, 0, 0, 0, 0}, NETWORK_FALLS_BACK, -1},
		{{2000, false, false, false, 0, 0, 0, 0}, NETWORK_WAITS, -1}, /* a worker has nothing to do alone */
		{{3600000, false, false, false, 1, 1, 1, 0}, NETWORK_WAITS, -1},
		{{3600000, false, true, true, 1, 1, 0, 0}, NETWORK_IS_READY, -1},
	};
	int64_t next;
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(judge_readiness(&rows[i].view, &next), rows[i].verdict);
		assert_int_equal(next, rows[i].next);
	}
}

static void only_links_with_hardware_are_ours(void **state)
{
	char sys[] = "/tmp/keelson-links-XXXXXX", path[300], command[300];
	unsigned char address[6];
	struct err err;
	(void)state;

	assert_non_null(mkdtemp(sys));
	snprintf(path, sizeof path, "%s/class/net/eth0/device", sys);
	assert_int_equal(make_directories(path, 0755, &err), 0);
	snprintf(path, sizeof path, "%s/class/net/eth0/device/driver", sys);
	assert_int_equal(symlink("../../../bus/virtio/drivers/virtio_net", path), 0);
	snprintf(path, sizeof path, "%s/class/net/eth0/type", sys);
	assert_int_equal(file_write_atomic(path, "1\n", 2, 0644, &err), 0);
	snprintf(path, sizeof path, "%s/class/net/eth0/address", sys);
	assert_int_equal(file_write_atomic(path, "52:54:00:12:34:56\n", 18, 0644, &err), 0);
	snprintf(path, sizeof path, "%s/class/net/cni0/type", sys);
	assert_int_equal(file_write_atomic(path, "1\n", 2, 0644, &err), 0);
	snprintf(path, sizeof path, "%s/class/net/ib0/device", sys);
	assert_int_equal(make_directories(path, 0755, &err), 0);
	snprintf(path, sizeof path, "%s/class/net/ib0/type", sys);
	assert_int_equal(file_write_atomic(path, "32\n", 3, 0644, &err), 0);

	assert_true(is_physical_link(sys, "eth0"));
	assert_false(is_physical_link(sys, "cni0"));
	assert_false(is_physical_link(sys, "ib0"));
	assert_false(is_physical_link(sys, ""));
	assert_false(is_physical_link(sys, "../net/eth0"));
	assert_int_equal(link_address(sys, "eth0", address), 0);
	assert_memory_equal(address, mac, 6);
	assert_int_equal(carrier_grace_ms(sys, "eth0"), 1500);
	assert_int_equal(carrier_grace_ms(sys, "ib0"), 4000);
	snprintf(command, sizeof command, "rm -rf %s", sys);
	assert_int_equal(system(command), 0);
}

static size_t add_news(char *to, uint16_t type, int ifindex, unsigned flags, const char *name)
{
	struct nlmsghdr *message = (void *)to;
	struct ifinfomsg *link = NLMSG_DATA(message);
	struct rtattr *attribute = (void *)(to + NLMSG_LENGTH(sizeof *link));

	memset(to, 0, 128);
	message->nlmsg_type = type;
	link->ifi_index = ifindex;
	link->ifi_flags = flags;
	attribute->rta_type = IFLA_IFNAME;
	attribute->rta_len = (unsigned short)RTA_LENGTH(strlen(name) + 1);
	memcpy(RTA_DATA(attribute), name, strlen(name) + 1);
	message->nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof *link) + RTA_ALIGN(attribute->rta_len));
	return NLMSG_ALIGN(message->nlmsg_len);
}

static void news_of_links_is_read_one_by_one(void **state)
{
	union {
		struct nlmsghdr align;
		char bytes[1024];
	} data;
	size_t len, at = 0;
	struct link_news news;
	(void)state;

	len = add_news(data.bytes, RTM_NEWLINK, 2, IFF_UP | IFF_RUNNING, "eth0");
	len += add_news(data.bytes + len, RTM_NEWADDR, 2, 0, "eth0");
	len += add_news(data.bytes + len, RTM_DELLINK, 3, 0, "a-name-far-longer-than-any");
	assert_int_equal(rtnl_next_news(&data, len, &at, &news), 1);
	assert_int_equal(news.ifindex, 2);
	assert_true(news.carrier && !news.gone);
	assert_string_equal(news.name, "eth0");
	assert_int_equal(rtnl_next_news(&data, len, &at, &news), 1);
	assert_true(news.gone && !news.carrier);
	assert_string_equal(news.name, "a-name-far-long");
	assert_int_equal(rtnl_next_news(&data, len, &at, &news), 0);
	at = 0;
	data.align.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg));
	assert_int_equal(rtnl_next_news(&data, NLMSG_LENGTH(sizeof(struct ifinfomsg)), &at, &news), 1);
	assert_string_equal(news.name, "");
	at = 0;
	data.align.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)) - 1;
	assert_int_equal(rtnl_next_news(&data, NLMSG_LENGTH(sizeof(struct ifinfomsg)), &at, &news), 0);
	at = 0;
	data.align.nlmsg_len = 4;
	assert_int_equal(rtnl_next_news(&data, len, &at, &news), -EINVAL);
	data.align.nlmsg_len = 5000;
	assert_int_equal(rtnl_next_news(&data, len, &at, &news), -EINVAL);
	assert_int_equal(rtnl_next_news(&data, 3, &at, &news), 0);
}

static void silent_time_servers_are_told_of_ever_more_seldom(void **state)
{
	static const char *const expected[] = {"60 s",	 "2 min", "4 min", "8 min", "16 min", "32 min",
					       "64 min", "2 h",	  "4 h",   "8 h",   "14 h"};
	int64_t since = 7000, now = since;
	char text[32];
	(void)state;

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		now = next_silence_reminder(since, now);
		silence_text(now - since, text, sizeof text);
		assert_string_equal(text, expected[i]);
	}
	assert_int_equal(next_silence_reminder(since, now) - now, 6 * 3600 * 1000);
}

static void the_configurations_ntp_servers_come_first(void **state)
{
	char *servers[] = {"time.example", "10.0.0.1", "time.example"}, *pools[] = {"pool.example"};
	struct node_config config = {.ntp = {.enabled = true}};
	struct ntp_servers chosen, dhcp;
	(void)state;

	choose_ntp_servers(&config, "{\"ntp\":[\"10.0.2.2\",\"10.0.2.3\"]}", &dhcp);
	assert_int_equal(dhcp.count, 2);
	assert_string_equal(dhcp.names[1], "10.0.2.3");
	choose_ntp_servers(&config, "not json", &chosen);
	assert_int_equal(chosen.count, 0);
	assert_false(same_ntp_servers(&dhcp, &chosen));
	config.ntp.servers.items = servers;
	config.ntp.servers.count = 3;
	config.ntp.pools.items = pools;
	config.ntp.pools.count = 1;
	choose_ntp_servers(&config, "{\"ntp\":[\"10.0.2.2\"]}", &chosen);
	assert_int_equal(chosen.count, 3);
	assert_string_equal(chosen.names[2], "pool.example");
	assert_true(same_ntp_servers(&chosen, &chosen));
	dhcp = chosen;
	snprintf(dhcp.names[2], sizeof dhcp.names[2], "other.example");
	assert_false(same_ntp_servers(&dhcp, &chosen));
	config.ntp.enabled = false;
	choose_ntp_servers(&config, "{\"ntp\":[\"10.0.2.2\"]}", &chosen);
	assert_int_equal(chosen.count, 0);
}

static void names_of_ntp_servers_are_taken_once_and_as_far_as_there_is_room(void **state)
{
	struct node_config config = {.ntp = {.enabled = true}};
	struct ntp_servers chosen, other;
	char json[1000];
	(void)state;

	snprintf(json, sizeof json, "{\"ntp\":[5,\"\",\"%0256d\",\"%0255d\",\"a\",\"a\",\"b\"]}", 1, 2);
	choose_ntp_servers(&config, json, &chosen);
	assert_int_equal(chosen.count, 3);
	assert_int_equal(strlen(chosen.names[0]), 255);
	assert_int_equal(chosen.names[0][254], '2');
	assert_string_equal(chosen.names[1], "a");
	assert_string_equal(chosen.names[2], "b");
	other = chosen;
	strcpy(other.names[3], "behind the last");
	assert_true(same_ntp_servers(&chosen, &other));
	choose_ntp_servers(&config, "{\"ntp\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}", &chosen);
	assert_int_equal(chosen.count, NTP_SERVERS_MAX);
	assert_string_equal(chosen.names[NTP_SERVERS_MAX - 1], "8");
}

static const char *from_pairs(void *arg, const char *name)
{
	const char *const *pairs = arg;

	return !strcmp(name, "stratum") ? pairs[0] : !strcmp(name, "offset") ? pairs[1] : NULL;
}

static void only_a_servers_time_counts_as_synchronised(void **state)
{
	static const struct {
		const char *event, *pairs[2];
		int result;
		bool synchronised;
	} rows[] = {
		{"step", {"16", "-1e9"}, 0, true},     {"stratum", {"3", "0.002"}, 0, true},
		{"stratum", {"16", "0"}, 0, false},    {"periodic", {"2", "0.1"}, 0, true},
		{"periodic", {"16", "0.1"}, 0, false}, {"periodic", {NULL, NULL}, 0, false},
		{"periodic", {"15", "0.1"}, 0, true},  {"periodic", {"0", "0.1"}, 0, false},
		{"stratum", {"1", "0"}, 0, true},      {"periodic", {"what", "nan"}, 0, false},
		{"unsync", {"3", "0"}, 0, false},      {"other", {"3", "0"}, -EINVAL, false},
		{NULL, {NULL, NULL}, -EINVAL, false},
	};
	struct time_message message;
	struct err err;
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(
			time_message_parse(rows[i].event, from_pairs, (void *)(uintptr_t)rows[i].pairs, &message, &err),
			rows[i].result);
		assert_true(isfinite(message.offset));
		if (!rows[i].result)
			assert_int_equal(is_synchronised(&message), rows[i].synchronised);
	}
}

static void a_step_of_the_clock_is_told_in_words(void **state)
{
	static const struct {
		double offset;
		const char *text;
	} rows[] = {
		{-2310000000.0, "73 years ahead"},
		{1764600000.0, "55 years behind"},
		{-36000.5, "10 hours ahead"},
		{86400.0 * 400, "400 days behind"},
		{-150, "2 minutes ahead"},
		{1.26, "1.3 s behind"},
		{0, "0.0 s behind"},
		{120, "2 minutes behind"},
		{-119.9, "119.9 s ahead"},
		{-1e300, NULL},
	};
	char text[64];
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		clock_was_text(rows[i].offset, text, sizeof text);
		if (rows[i].text)
			assert_string_equal(text, rows[i].text);
	}
}

static size_t add_attribute(struct nlmsghdr *message, uint16_t type, uint16_t len)
{
	size_t at = NLMSG_ALIGN(message->nlmsg_len);
	struct rtattr attribute = {.rta_type = type, .rta_len = len};

	memcpy((char *)message + at, &attribute, sizeof attribute);
	message->nlmsg_len = (uint32_t)(at + (len < sizeof attribute ? sizeof attribute : len));
	return message->nlmsg_len;
}

static const char *name_behind(uint16_t len)
{
	static struct link_news news;
	static union {
		struct nlmsghdr message;
		char bytes[256];
	} data;
	size_t at = 0, whole;

	memset(&data, 0, sizeof data);
	data.message.nlmsg_type = RTM_NEWLINK;
	data.message.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg));
	add_attribute(&data.message, IFLA_MTU, len);
	memcpy(data.bytes + NLMSG_ALIGN(data.message.nlmsg_len) + sizeof(struct rtattr), "eth0", 5);
	whole = add_attribute(&data.message, IFLA_IFNAME, sizeof(struct rtattr) + 5);
	assert_int_equal(rtnl_next_news(&data, whole, &at, &news), 1);
	return news.name;
}

static void a_name_is_found_behind_other_attributes_that_are_whole(void **state)
{
	(void)state;
	assert_string_equal(name_behind(sizeof(struct rtattr) + 4), "eth0");
	assert_string_equal(name_behind(sizeof(struct rtattr) + 1), "eth0");
	assert_string_equal(name_behind(sizeof(struct rtattr)), "eth0"); /* nothing in it */
	assert_string_equal(name_behind(sizeof(struct rtattr) - 1), "");
	assert_string_equal(name_behind(0), ""); /* no step from there on */
}

/* The last attribute may end where the message does, or say that it does not. */
static void an_attribute_ends_inside_its_message(void **state)
{
	union {
		struct nlmsghdr message;
		char bytes[256];
	} data = {.message = {.nlmsg_type = RTM_NEWLINK, .nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg))}};
	const size_t start = data.message.nlmsg_len;
	struct link_news news;
	size_t at = 0, whole;
	(void)state;

	memcpy(data.bytes + start + sizeof(struct rtattr), "eth0", 5);
	whole = add_attribute(&data.message, IFLA_IFNAME, sizeof(struct rtattr) + 5);
	data.message.nlmsg_len--;
	assert_int_equal(rtnl_next_news(&data, whole, &at, &news), 1);
	assert_string_equal(news.name, "");
	at = 0;
	data.message.nlmsg_len = (uint32_t)start;
	whole = add_attribute(&data.message, IFLA_MTU, sizeof(struct rtattr) + 1);
	assert_int_equal(rtnl_next_news(&data, whole, &at, &news), 1);
	assert_string_equal(news.name, "");
}

/* What ends an answer of the kernel is a header and nothing else. */
static void a_message_of_a_header_alone_is_passed_over(void **state)
{
	union {
		struct nlmsghdr message;
		char bytes[256];
	} data = {.message = {.nlmsg_type = NLMSG_DONE, .nlmsg_len = NLMSG_HDRLEN}};
	size_t len, at = 0;
	struct link_news news;
	(void)state;

	len = NLMSG_HDRLEN + add_news(data.bytes + NLMSG_HDRLEN, RTM_NEWLINK, 2, 0, "eth0");
	assert_int_equal(rtnl_next_news(&data, len, &at, &news), 1);
	assert_string_equal(news.name, "eth0");
	at = 0;
	assert_int_equal(rtnl_next_news(&data, NLMSG_HDRLEN, &at, &news), 0);
	assert_int_equal(at, NLMSG_HDRLEN);
	at = 0;
	data.message.nlmsg_len++;
	assert_int_equal(rtnl_next_news(&data, NLMSG_HDRLEN, &at, &news), -EINVAL);
}

static void of_more_name_servers_than_are_read_the_first_are_named(void **state)
{
	struct lease leases[2] = {{.dns_count = 2, .dns = {1, 2}}, {.dns_count = 3, .dns = {1, 3, 4}}};
	struct network_view view = {.leased = {{&leases[0], NULL}, {&leases[1], NULL}}, .count = 2};
	struct buf out = {0};
	(void)state;

	resolv_conf_text(&view, false, &out);
	assert_non_null(strstr(buf_string(&out), "nameserver 0.0.0.1\nnameserver 0.0.0.2\nnameserver 0.0.0.3\n"));
	assert_null(strstr(buf_string(&out), "0.0.0.4"));
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_client_id_is_the_machines_and_the_cards),
		cmocka_unit_test(udhcpc_is_asked_for_what_we_use),
		cmocka_unit_test(a_name_that_dhcp_cannot_carry_is_left_out),
		cmocka_unit_test(a_client_that_keeps_failing_is_started_ever_later),
		cmocka_unit_test(the_files_say_what_the_network_is),
		cmocka_unit_test(the_lines_of_others_in_hosts_stay),
		cmocka_unit_test(our_own_line_does_not_pass_for_localhost),
		cmocka_unit_test(the_nodes_address_outlives_the_service),
		cmocka_unit_test(the_boot_waits_only_for_what_may_come),
		cmocka_unit_test(only_links_with_hardware_are_ours),
		cmocka_unit_test(news_of_links_is_read_one_by_one),
		cmocka_unit_test(the_configurations_ntp_servers_come_first),
		cmocka_unit_test(silent_time_servers_are_told_of_ever_more_seldom),
		cmocka_unit_test(names_of_ntp_servers_are_taken_once_and_as_far_as_there_is_room),
		cmocka_unit_test(only_a_servers_time_counts_as_synchronised),
		cmocka_unit_test(a_step_of_the_clock_is_told_in_words),
		cmocka_unit_test(a_name_is_found_behind_other_attributes_that_are_whole),
		cmocka_unit_test(an_attribute_ends_inside_its_message),
		cmocka_unit_test(a_message_of_a_header_alone_is_passed_over),
		cmocka_unit_test(of_more_name_servers_than_are_read_the_first_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
