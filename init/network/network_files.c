/* The files that say what the network is.
 *
 * Pods get a resolv.conf without the search list of the node: a name such as `db` would otherwise be asked in the
 * site's domain, and the answer of a wildcard there hides the cluster's own.
 */
#include "network/network_files.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "network/apply_link.h"

#define SERVERS_MOST 3 /* what the C library reads */
#define HOSTS_MARK " # keelson: this node"

typedef const uint32_t *(*list_fn)(const struct lease *lease, uint32_t *count);

static const uint32_t *dns_of(const struct lease *lease, uint32_t *count)
{
	*count = lease->dns_count;
	return lease->dns;
}

static const uint32_t *ntp_of(const struct lease *lease, uint32_t *count)
{
	*count = lease->ntp_count;
	return lease->ntp;
}

/* The addresses of all leases, each once, in the order of the links. */
static size_t collect(const struct network_view *view, list_fn list, uint32_t *to, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < view->count; i++) {
		uint32_t count;
		const uint32_t *from = list(view->leased[i].lease, &count);

		for (uint32_t j = 0; j < count && n < most; j++) {
			size_t k = 0;

			while (k < n && to[k] != from[j])
				k++;
			if (k == n)
				to[n++] = from[j];
		}
	}
	return n;
}

void resolv_conf_text(const struct network_view *view, bool search, struct buf *text)
{
	uint32_t servers[SERVERS_MOST];
	size_t n = collect(view, dns_of, servers, SERVERS_MOST);

	buf_add_string(text, n ? "# from DHCP\n" : "# no name server is known\n");
	for (size_t i = 0; i < view->count && search; i++)
		if (view->leased[i].lease->search[0]) {
			buf_addf(text, "search %s\n", view->leased[i].lease->search);
			break;
		}
	for (size_t i = 0; i < n; i++)
		buf_addf(text, "nameserver %s\n", ADDRESS(servers[i]));
}

static json_t *address_array(const struct network_view *view, list_fn list)
{
	uint32_t found[LINKS_MAX * LEASE_SERVERS];
	size_t n = collect(view, list, found, LINKS_MAX * LEASE_SERVERS);
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(ADDRESS(found[i])));
	return array;
}

static json_t *search_array(const struct network_view *view)
{
	json_t *array = json_array();

	for (size_t i = 0; i < view->count && !json_array_size(array); i++)
		for (const char *p = view->leased[i].lease->search; *p;) {
			size_t len = strcspn(p, " ");

			json_array_append_new(array, json_stringn(p, len));
			p += len + (p[len] == ' ');
		}
	return array;
}

static json_t *addresses(const struct network_view *view)
{
	json_t *array = json_array();

	for (size_t i = 0; i < view->count; i++)
		json_array_append_new(array, json_sprintf("%s/%u", ADDRESS(view->leased[i].plan->address),
							  view->leased[i].plan->prefix));
	if (view->fallback)
		json_array_append_new(array, json_sprintf("%s/32", ADDRESS(FALLBACK_ADDRESS)));
	return array;
}

int network_json_text(const struct network_view *view, struct buf *text)
{
	const struct leased *first = view->count ? &view->leased[0] : NULL;
	_cleanup_free_ char *dump = NULL;
	json_t *root;

	root = json_pack("{s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:b}", "addresses", addresses(view), "interface",
			 first ? first->lease->interface : view->fallback ? FALLBACK_LINK : NULL, "gateway",
			 first && first->plan->gateway ? json_string(ADDRESS(first->plan->gateway)) : json_null(), "dns",
			 address_array(view, dns_of), "search", search_array(view), "ntp", address_array(view, ntp_of),
			 "node_ip", view->node_ip ? json_string(ADDRESS(view->node_ip)) : json_null(), "fallback",
			 (int)view->fallback);
	if (root)
		dump = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	return dump ? buf_addf(text, "%s\n", dump) : -ENOMEM;
}

void hosts_text(const char *old, uint32_t node_ip, const char *hostname, struct buf *text)
{
	_cleanup_(buf_free) struct buf others = {0};

	while (*old) {
		size_t len = strcspn(old, "\n");

		if (!memmem(old, len, HOSTS_MARK, strlen(HOSTS_MARK))) {
			buf_add(&others, old, len);
			buf_add_string(&others, "\n");
		}
		old += len + (old[len] == '\n');
	}
	if (!strstr(buf_string(&others), "localhost"))
		buf_add_string(text, "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n");
	buf_add_string(text, buf_string(&others));
	if (node_ip)
		buf_addf(text, "%s %s" HOSTS_MARK "\n", ADDRESS(node_ip), hostname);
}

static int write_changed(const char *path, const struct buf *text, struct err *err)
{
	_cleanup_(buf_free) struct buf now = {0};

	if (file_read(path, 1 << 20, &now, NULL) == 0 && !strcmp(buf_string(&now), buf_string(text)))
		return 0;
	return file_write_atomic(path, text->data, text->len, 0644, err);
}

int write_network_files(const struct network_view *view, const char *hostname, struct err *err)
{
	_cleanup_(buf_free) struct buf node = {0}, pods = {0}, json = {0}, old = {0}, hosts = {0};
	int r;

	resolv_conf_text(view, true, &node);
	resolv_conf_text(view, false, &pods);
	r = write_changed("/etc/resolv.conf", &node, err);
	if (r == 0)
		r = write_changed(POD_RESOLV_CONF, &pods, err);
	if (r == 0 && hostname) {
		file_read("/etc/hosts", 1 << 20, &old, NULL);
		hosts_text(buf_string(&old), view->node_ip, hostname, &hosts);
		r = write_changed("/etc/hosts", &hosts, err);
	}
	if (r < 0)
		return r;
	r = network_json_text(view, &json);
	return r < 0 ? err_set(err, -r, "write %s: %s", NETWORK_JSON, strerror(-r))
		     : write_changed(NETWORK_JSON, &json, err);
}

uint32_t chosen_node_ip(const char *network_json, bool *fallback)
{
	json_t *root = json_loads(network_json, 0, NULL);
	const char *text = json_string_value(json_object_get(root, "node_ip"));
	uint32_t address = 0;

	*fallback = json_is_true(json_object_get(root, "fallback"));
	if (text && parse_address(text, strlen(text), &address) < 0)
		address = 0;
	json_decref(root);
	return address;
}
