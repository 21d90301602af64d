/* The pod network of one node: bridge, host-local addresses, port mappings.
 *
 * IPAM data lies in /run: a power cut leaks no address, since the pods that held one are gone as well.
 * Source: cni.dev, CNI specification 0.4.0 and the plugins' documents (bridge, host-local, portmap).
 */
#include "cluster/json_build.h"
#include "cluster/render.h"

static json_t *bridge(const struct cluster *cluster)
{
	const char *everywhere = address_is_ipv6(cluster->pod_subnet) ? "::/0" : "0.0.0.0/0";
	json_t *ipam =
		json_must(json_pack("{s:s, s:[[{s:s}]], s:[{s:s}], s:s}", "type", "host-local", "ranges", "subnet",
				    cluster->pod_subnet, "routes", "dst", everywhere, "dataDir", "/run/cni-ipam"));

	return json_must(json_pack("{s:s, s:s, s:b, s:b, s:b, s:o}", "type", "bridge", "bridge", "cni0", "isGateway", 1,
				   "ipMasq", 1, "hairpinMode", 1, "ipam", ipam));
}

json_t *render_cni(const struct cluster *cluster)
{
	enum pod_network kind = cluster->config->cluster.network;
	bool ours = kind == POD_NETWORK_BRIDGE || (cluster->config->role == ROLE_SINGLE && kind != POD_NETWORK_NONE);

	if (!ours)
		return NULL;
	return json_must(json_pack("{s:s, s:s, s:[o, {s:s, s:{s:b}}]}", "cniVersion", "0.4.0", "name", "keelson",
				   "plugins", bridge(cluster), "type", "portmap", "capabilities", "portMappings", 1));
}
