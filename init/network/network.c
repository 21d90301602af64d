/* keelson network: the node's links, for as long as it runs.
 *
 * One loop over four sources: news of links, leases from dhcp-event, ended children, and time. Ready once, by
 * readiness.c; what comes later is applied and written, but the node's own address stays the one of this boot.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "config/node_config.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/story.h"
#include "network/apply_link.h"
#include "network/find_links.h"
#include "network/node_link.h"
#include "network/readiness.h"
#include "network/rtnetlink.h"
#include "network/send_event.h"

#define TOLD_EVERY_MS 15000

enum { SOURCE_NEWS, SOURCE_LEASES, SOURCE_SIGNALS, SOURCES };

struct service {
	struct node_network network;
	struct node_config *config;
	char **also; /* links that count as ours beside the physical ones; ends with NULL */
	struct buf machine_id;
	int news, leases, signals;
	int64_t started, told;
	bool ready, fallback, moved, stop;
	uint32_t node_ip;
};

static bool is_ours(const struct service *s, const char *name)
{
	for (char **also = s->also; *also; also++)
		if (!strcmp(*also, name))
			return true;
	return is_physical_link(s->network.sys, name);
}

/* In the order of their numbers, which is the order in which the kernel found them. */
static void find_all_links(struct service *s)
{
	struct if_nameindex *all = if_nameindex();

	for (struct if_nameindex *i = all; i && i->if_index; i++)
		if (is_ours(s, i->if_name) && !link_by_index(&s->network, (int)i->if_index))
			link_add(&s->network, i->if_name, (int)i->if_index);
	if_freenameindex(all);
}

static void take_one_news(struct service *s, const struct link_news *news)
{
	struct node_link *link = link_by_index(&s->network, news->ifindex);

	if (news->gone)
		link_remove(&s->network, news->ifindex);
	else if (link)
		link_carrier(&s->network, link, news->carrier);
	else if (is_ours(s, news->name))
		link_add(&s->network, news->name, news->ifindex);
}

static void take_news(struct service *s)
{
	union {
		struct nlmsghdr align;
		char bytes[16384];
	} data;
	struct link_news news;
	ssize_t n;

	while ((n = recv(s->news, &data, sizeof data, 0)) > 0) {
		size_t at = 0;

		while (rtnl_next_news(&data, (size_t)n, &at, &news) > 0)
			take_one_news(s, &news);
	}
	if (n < 0 && errno == ENOBUFS) /* some were lost */
		find_all_links(s);
}

static void take_leases(struct service *s)
{
	struct lease lease;
	ssize_t n;

	while ((n = recv(s->leases, &lease, sizeof lease, MSG_TRUNC)) >= 0)
		if (lease_check(&lease, (size_t)n) == 0)
			link_event(&s->network, &lease);
}

static void take_signals(struct service *s)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(s->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo != SIGCHLD)
			s->stop = true;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		link_child_ended(&s->network, pid, status);
}

static void look(const struct service *s, struct network_view *view)
{
	memset(view, 0, sizeof *view);
	view->node_ip = s->node_ip;
	view->fallback = s->fallback;
	for (int routed = 1; routed >= 0; routed--)
		for (uint32_t metric = 1024; metric < 1024 + LINKS_MAX; metric++)
			for (size_t i = 0; i < s->network.count; i++) {
				const struct node_link *link = &s->network.links[i];

				if (link->leased && link->metric == metric && (link->plan.gateway != 0) == routed)
					view->leased[view->count++] = (struct leased){&link->lease, &link->plan};
			}
}

/* Say for each link why there is no address. */
static void why(const struct service *s, struct buf *text)
{
	if (!s->network.count)
		buf_add_string(text, "no network card");
	for (size_t i = 0; i < s->network.count; i++) {
		const struct node_link *link = &s->network.links[i];

		if (!link->leased)
			buf_addf(text, "%s%s has no %s", text->len ? ", " : "", link->name,
				 link->carrier ? "DHCP answer" : "carrier");
	}
}

static void tell_waiting(struct service *s, int64_t now)
{
	_cleanup_(buf_free) struct buf reason = {0};

	if (now - s->told < TOLD_EVERY_MS)
		return;
	s->told = now;
	why(s, &reason);
	story("waiting for an address: %s (%d s)", buf_string(&reason), (int)((now - s->started) / 1000));
}

static void fall_back(struct service *s)
{
	_cleanup_(buf_free) struct buf reason = {0};
	struct err err;

	why(s, &reason);
	if (apply_fallback(s->network.rtnl, s->config->cluster.service_cidr, &err) < 0)
		story("%s", err.text);
	s->fallback = true;
	s->node_ip = FALLBACK_ADDRESS;
	story("%s: the node works alone, as %s", buf_string(&reason), ADDRESS(FALLBACK_ADDRESS));
}

/* The node's address is in certificates and in what the cluster knows of it: it changes with a restart alone. */
static void tell_moved(struct service *s, const struct network_view *view)
{
	bool has = s->fallback || !s->node_ip || !view->count;

	for (size_t i = 0; i < view->count; i++)
		has = has || view->leased[i].plan->address == s->node_ip;
	if (!has && !s->moved)
		story("%s is not this node's any more: restart it to go on with %s", ADDRESS(s->node_ip),
		      ADDRESS(view->leased[0].plan->address));
	s->moved = !has;
}

static void write_files(struct service *s)
{
	struct network_view view;
	struct err err;

	look(s, &view);
	tell_moved(s, &view);
	if (!s->node_ip && view.count)
		s->node_ip = view.node_ip = view.leased[0].plan->address;
	s->network.changed = false;
	if (write_network_files(&view, s->config->hostname, &err) < 0)
		story("%s", err.text);
}

static void add_service_route(struct service *s)
{
	struct err err;

	if (apply_service_route(s->network.rtnl, s->node_ip, s->config->cluster.service_cidr, &err) < 0)
		story("%s", err.text);
}

/* Returns the time at which to look again, or -1. */
static int64_t consider(struct service *s, int64_t now)
{
	struct readiness_view view = {.elapsed_ms = now - s->started, .alone = s->config->role == ROLE_SINGLE};
	enum readiness verdict;
	int64_t next;

	if (s->ready)
		return -1;
	for (size_t i = 0; i < s->network.count; i++) {
		const struct node_link *link = &s->network.links[i];

		view.links++;
		view.carriers += link->carrier;
		view.unanswered += link->carrier && !link->leased;
		view.address |= link->leased;
		view.route |= link->leased && link->plan.gateway;
		if (link->grace_ms > view.grace_ms)
			view.grace_ms = link->grace_ms;
	}
	verdict = judge_readiness(&view, &next);
	if (verdict == NETWORK_WAITS) {
		tell_waiting(s, now);
		return next >= 0 && s->started + next < s->told + TOLD_EVERY_MS ? s->started + next
										: s->told + TOLD_EVERY_MS;
	}
	if (verdict == NETWORK_FALLS_BACK)
		fall_back(s);
	write_files(s);
	if (!view.route && !s->fallback)
		add_service_route(s);
	s->ready = true;
	notify_ready();
	return -1;
}

static int until(const struct service *s, int64_t now, int64_t due)
{
	for (size_t i = 0; i < s->network.count; i++)
		due = child_due(&s->network.links[i].client, due);
	if (due < 0)
		return -1;
	return due > now ? (int)(due - now) : 0;
}

static void wait_for_something(struct service *s, int timeout)
{
	struct pollfd fds[SOURCES + LINKS_MAX] = {
		[SOURCE_NEWS] = {s->news, POLLIN, 0},
		[SOURCE_LEASES] = {s->leases, POLLIN, 0},
		[SOURCE_SIGNALS] = {s->signals, POLLIN, 0},
	};
	size_t links = s->network.count;

	for (size_t i = 0; i < links; i++)
		fds[SOURCES + i] = (struct pollfd){s->network.links[i].client.says, POLLIN, 0};
	if (poll(fds, SOURCES + links, timeout) <= 0)
		return;
	for (size_t i = 0; i < links; i++)
		if (fds[SOURCES + i].revents)
			child_listen(&s->network.links[i].client);
	if (fds[SOURCE_LEASES].revents)
		take_leases(s);
	if (fds[SOURCE_SIGNALS].revents)
		take_signals(s);
	if (fds[SOURCE_NEWS].revents)
		take_news(s);
}

static int open_all(struct service *s, struct err *err)
{
	int r = s->signals = service_signals(err);

	if (r >= 0)
		r = s->leases = event_listen(LEASE_SOCKET, err);
	if (r >= 0)
		r = s->news = rtnl_open(RTMGRP_LINK, err);
	if (r >= 0)
		r = s->network.rtnl = rtnl_open(0, err);
	return r < 0 ? r : node_config_load(NODE_CONFIG_PATH, &s->config, err);
}

/* This service may have ended and been started again: the node's address is still that of the boot. */
static void remember(struct service *s)
{
	_cleanup_(buf_free) struct buf json = {0};

	if (file_read(NETWORK_JSON, 1 << 20, &json, NULL) == 0)
		s->node_ip = chosen_node_ip(buf_string(&json), &s->fallback);
	file_read("/etc/machine-id", 64, &s->machine_id, NULL);
	s->network.machine_id = buf_string(&s->machine_id);
	s->network.hostname = s->config->hostname;
	s->network.sys = "/sys";
}

int network_main(int argc, char **argv)
{
	struct service s = {.news = -1, .leases = -1, .signals = -1, .also = argv + (argc ? 1 : 0)};
	struct err err;

	if (open_all(&s, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	remember(&s);
	s.started = s.told = boot_ms();
	find_all_links(&s);
	while (!s.stop) {
		int64_t now = boot_ms(), due;

		link_start_due(&s.network, now);
		due = consider(&s, now);
		if (s.ready && s.network.changed)
			write_files(&s);
		wait_for_something(&s, until(&s, now, due));
	}
	node_config_free(s.config);
	buf_free(&s.machine_id);
	return 0;
}
