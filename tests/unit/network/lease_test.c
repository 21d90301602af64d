#include "network/lease.h"
#include "network/plan_link.h"

#include "lib/buf.h"
#include "unit/test.h"

/* NAME=value strings, as udhcpc sets them. */
static const char *from_list(void *arg, const char *name)
{
	size_t len = strlen(name);

	for (const char *const *v = arg; *v; v++)
		if (!strncmp(*v, name, len) && (*v)[len] == '=')
			return *v + len + 1;
	return NULL;
}

static int parse(const char *event, const char *const *variables, struct lease *lease, struct err *err)
{
	return lease_parse(event, from_list, (void *)(uintptr_t)variables, lease, err);
}

static void print(struct buf *out, const char *title, const char *const *variables)
{
	struct link_plan plan;
	struct lease lease;
	struct err err;

	buf_addf(out, "## %s\n", title);
	if (parse("bound", variables, &lease, &err) < 0) {
		buf_addf(out, "refused: %s\n", err.text);
		return;
	}
	assert_int_equal(lease_check(&lease, sizeof lease), 0);
	plan_link(&lease, 1024, &plan);
	plan_text(&plan, out);
	for (uint32_t i = 0; i < lease.dns_count; i++)
		buf_addf(out, "dns %s\n", ADDRESS(lease.dns[i]));
	for (uint32_t i = 0; i < lease.ntp_count; i++)
		buf_addf(out, "ntp %s\n", ADDRESS(lease.ntp[i]));
	if (lease.search[0])
		buf_addf(out, "search %s\n", lease.search);
	if (lease.refused)
		buf_addf(out, "left out %u\n", lease.refused);
}

#define LEASE(...)                                                                                                     \
	(const char *const[])                                                                                          \
	{                                                                                                              \
		"interface=eth0", __VA_ARGS__, NULL                                                                    \
	}

static void a_lease_becomes_addresses_and_routes(void **state)
{
	struct buf out = {0};
	(void)state;

	print(&out, "QEMU's user network",
	      LEASE("ip=10.0.2.15", "subnet=255.255.255.0", "mask=24", "router=10.0.2.2", "dns=10.0.2.3", "lease=86400",
		    "serverid=10.0.2.2"));
	print(&out, "everything",
	      LEASE("ip=192.168.7.20", "subnet=255.255.254.0", "router=192.168.6.1 192.168.6.2",
		    "dns=192.168.6.1 9.9.9.9", "ntpsrv=192.168.6.5", "mtu=1450", "lease=600", "domain=one.example",
		    "search=lab.example. example.org", "hostname=other"));
	print(&out, "no router, no mask, no time: class B, one hour", LEASE("ip=172.16.0.9"));
	print(&out, "option 121: option 3 is ignored, the link's own routes come first",
	      LEASE("ip=10.128.0.2", "subnet=255.255.255.255", "router=10.128.0.9",
		    "staticroutes=0.0.0.0/0 10.128.0.1 10.128.0.1/32 0.0.0.0"));
	print(&out, "Azure's",
	      LEASE("ip=10.0.0.4", "subnet=255.255.255.0", "router=10.0.0.1",
		    "staticroutes=0.0.0.0/0 10.0.0.1 168.63.129.16/32 10.0.0.1 169.254.169.254/32 10.0.0.1"));
	print(&out, "the gateway of a /32 without a route to it",
	      LEASE("ip=10.128.0.2", "subnet=255.255.255.255", "router=10.128.0.1"));
	print(&out, "Microsoft's number for option 121",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "msstaticroutes=172.16.0.0/12 10.0.0.7"));
	print(&out, "host bits in a destination, a destination twice, a gateway that is the node",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0",
		    "staticroutes=172.16.5.5/12 10.0.0.7 172.16.0.0/12 10.0.0.8 192.168.0.0/16 10.0.0.4"));
	print(&out, "a gateway that the link's own route does not reach",
	      LEASE("ip=10.0.0.4", "subnet=255.255.255.0",
		    "staticroutes=10.1.0.0/16 0.0.0.0 10.2.0.0/16 10.1.0.7 10.3.0.0/16 10.9.0.7"));
	assert_golden("network/plans.txt", buf_string(&out));
	buf_free(&out);
}

static void what_a_server_should_not_say_is_left_out(void **state)
{
	static char words[4000], names[4000];
	struct buf out = {0};
	(void)state;

	strcpy(words, "dns=");
	strcpy(names, "search=");
	for (int i = 0; i < 200; i++)
		strcat(words, "10.0.0.9 ");
	for (int i = 0; i < 300; i++)
		strcat(names, "abcdefg.io ");
	print(&out, "no address", LEASE("router=10.0.0.1"));
	print(&out, "an address that is none", LEASE("ip=10.0.0.256"));
	print(&out, "more behind it", LEASE("ip=10.0.0.4;reboot", "subnet=255.0.0.0"));
	print(&out, "loopback", LEASE("ip=127.0.0.1", "subnet=255.0.0.0"));
	print(&out, "link-local", LEASE("ip=169.254.3.4", "subnet=255.255.0.0"));
	print(&out, "multicast", LEASE("ip=224.0.0.5", "subnet=255.255.255.0"));
	print(&out, "zero", LEASE("ip=0.0.0.0", "subnet=255.255.255.0"));
	print(&out, "its network's broadcast address", LEASE("ip=10.0.0.255", "subnet=255.255.255.0"));
	print(&out, "a mask with a hole", LEASE("ip=10.0.0.4", "subnet=255.0.255.0"));
	print(&out, "a mask of nothing", LEASE("ip=10.0.0.4", "subnet=0.0.0.0"));
	print(&out, "numbers", LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "mtu=68", "lease=99999999999999999999"));
	print(&out, "more numbers", LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "mtu=-1", "lease=-1"));
	print(&out, "still more", LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "mtu=70000", "lease=1"));
	print(&out, "for ever", LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "lease=4294967295"));
	print(&out, "servers that cannot be",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "dns=127.0.0.53 0.0.0.0 10.0.0.9 x", "ntpsrv=224.0.1.1",
		    "router=255.255.255.255"));
	print(&out, "good routes before a bad tail",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0",
		    "staticroutes=172.16.0.0/12 10.0.0.7 192.168.0.0/33 10.0.0.7 192.168.0.0/16 what 192.168.0.0/16"));
	print(&out, "only bad routes: option 3 is better than nothing",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "router=10.0.0.1", "staticroutes=1.2.3.4/99 10.0.0.7"));
	print(&out, "a default route to loopback and one into multicast",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "staticroutes=0.0.0.0/0 127.0.0.1 224.0.0.0/4 10.0.0.7"));
	print(&out, "names that are code",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0",
		    "search=good.example $(reboot) a..b -x.example x\\ny .. . under_score.example"));
	print(&out, "a name with a line break",
	      LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "domain=a.example\nnameserver 6.6.6.6"));
	print(&out, "far too many", LEASE("ip=10.0.0.4", "subnet=255.0.0.0", words, names));
	assert_golden("network/hostile.txt", buf_string(&out));
	buf_free(&out);
}

static void events_without_a_lease_need_only_a_link(void **state)
{
	struct lease lease;
	struct err err;
	(void)state;

	assert_int_equal(parse("deconfig", LEASE("x=y"), &lease, &err), 0);
	assert_int_equal(lease.event, LEASE_DECONFIG);
	assert_string_equal(lease.interface, "eth0");
	assert_int_equal(parse("leasefail", LEASE("x=y"), &lease, &err), 0);
	assert_int_equal(parse("explode", LEASE("x=y"), &lease, &err), -EINVAL);
	assert_int_equal(parse(NULL, LEASE("x=y"), &lease, &err), -EINVAL);
	assert_int_equal(parse("nak", (const char *const[]){"interface=../etc", NULL}, &lease, &err), -EINVAL);
	assert_int_equal(parse("nak", (const char *const[]){"interface=a-name-of-more-than-15", NULL}, &lease, &err),
			 -EINVAL);
	assert_int_equal(parse("nak", (const char *const[]){"interface=eth0;x", NULL}, &lease, &err), -EINVAL);
	assert_int_equal(parse("nak", (const char *const[]){"interface=eth0.5-a_b", NULL}, &lease, &err), 0);
	assert_int_equal(parse("nak", (const char *const[]){"interface=.", NULL}, &lease, &err), -EINVAL);
	assert_int_equal(parse("nak", (const char *const[]){NULL}, &lease, &err), -EINVAL);
}

static void a_datagram_that_does_not_hold_together_is_dropped(void **state)
{
	struct lease good, bad;
	struct err err;
	(void)state;

	assert_int_equal(parse("bound", LEASE("ip=10.0.0.4"), &good, &err), 0);
	assert_int_equal(lease_check(&good, sizeof good), 0);
	assert_int_equal(lease_check(&good, sizeof good - 1), -EINVAL);
	bad = good, bad.event = LEASE_EVENTS;
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, bad.prefix = 32, bad.router_count = LEASE_ROUTERS, bad.route_count = LEASE_ROUTES;
	bad.dns_count = bad.ntp_count = LEASE_SERVERS;
	assert_int_equal(lease_check(&bad, sizeof bad), 0);
	bad = good, bad.prefix = 33;
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, bad.router_count = LEASE_ROUTERS + 1;
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, bad.dns_count = LEASE_SERVERS + 1;
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, bad.ntp_count = LEASE_SERVERS + 1;
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, bad.route_count = LEASE_ROUTES + 1;
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, bad.route_count = 1, bad.routes[0].prefix = 33;
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, memset(bad.search, 'x', sizeof bad.search);
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
	bad = good, memset(bad.interface, 'x', sizeof bad.interface);
	assert_int_equal(lease_check(&bad, sizeof bad), -EINVAL);
}

static void a_renewed_lease_changes_nothing_but_time(void **state)
{
	struct link_plan one, two;
	struct lease lease;
	struct err err;
	(void)state;

	parse("bound", LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "router=10.0.0.1", "lease=600"), &lease, &err);
	plan_link(&lease, 1024, &one);
	lease.seconds = 1200;
	plan_link(&lease, 1024, &two);
	assert_true(same_plan(&one, &two));
	lease.routers[0]++;
	plan_link(&lease, 1024, &two);
	assert_false(same_plan(&one, &two));
}

static void any_other_difference_is_one(void **state)
{
	struct link_plan plan, other;
	struct lease lease;
	struct err err;
	(void)state;

	parse("bound", LEASE("ip=10.0.0.4", "subnet=255.0.0.0", "router=10.0.0.1", "mtu=1450"), &lease, &err);
	plan_link(&lease, 1024, &plan);
	other = plan, other.routes[other.route_count].to++; /* behind the last one */
	assert_true(same_plan(&plan, &other));
	other = plan, other.address++;
	assert_false(same_plan(&plan, &other));
	other = plan, other.prefix++;
	assert_false(same_plan(&plan, &other));
	other = plan, other.metric++;
	assert_false(same_plan(&plan, &other));
	other = plan, other.mtu++;
	assert_false(same_plan(&plan, &other));
	other = plan, other.route_count++;
	assert_false(same_plan(&plan, &other));
	other = plan, other.routes[0].to++;
	assert_false(same_plan(&plan, &other));
	other = plan, other.routes[0].prefix++;
	assert_false(same_plan(&plan, &other));
	other = plan, other.routes[0].onlink = !plan.routes[0].onlink;
	assert_false(same_plan(&plan, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_becomes_addresses_and_routes),
		cmocka_unit_test(what_a_server_should_not_say_is_left_out),
		cmocka_unit_test(events_without_a_lease_need_only_a_link),
		cmocka_unit_test(a_datagram_that_does_not_hold_together_is_dropped),
		cmocka_unit_test(a_renewed_lease_changes_nothing_but_time),
		cmocka_unit_test(any_other_difference_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
