/* Derive what every renderer needs from configuration and facts. Pure. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cluster/cluster.h"

/* The kubelet registers the host name in lower case; what it cannot be is told here, before any certificate. */
static int derive_node_name(const char *hostname, struct cluster *cluster, struct err *err)
{
	size_t len = strlen(hostname);

	if (!len || len >= 254)
		return err_set(err, EINVAL, "hostname: expected 1 to 253 characters, found %zu", len);
	memset(cluster->node_name, 0, sizeof cluster->node_name);
	for (size_t i = 0; hostname[i]; i++)
		cluster->node_name[i] = (char)tolower((unsigned char)hostname[i]);
	for (size_t i = 0; hostname[i]; i++)
		if (!isalnum((unsigned char)hostname[i]) && (!strchr(".-", hostname[i]) || i == 0 || i == len - 1))
			return err_set(err, EINVAL, "hostname: expected letters, digits, - and ., found \"%s\"",
				       hostname);
	return 0;
}

static int derive_ranges(const struct node_config *config, struct cluster *cluster, struct err *err)
{
	struct prefix pods, services;
	unsigned wanted;
	int r = prefix_parse(config->cluster.service_cidr, &services, err);

	if (!r)
		r = prefix_address(&services, 1, cluster->service_ip, err);
	if (r < 0)
		return err_wrap(err, r, "keelson.cluster.service_cidr");
	r = prefix_parse(config->cluster.pod_cidr, &pods, err);
	if (r < 0)
		return err_wrap(err, r, "keelson.cluster.pod_cidr");
	/* The controller manager's default share of a node: /24 and /64. */
	wanted = pods.family == AF_INET ? 24 : 64;
	cluster->pod_subnet_bits = pods.length > wanted ? pods.length : wanted;
	prefix_first_subnet(&pods, cluster->pod_subnet_bits, cluster->pod_subnet);
	return 0;
}

int cluster_derive(const struct node_config *config, const struct cluster_facts *facts, struct cluster *cluster,
		   struct err *err)
{
	unsigned char address[16];
	int r;

	memset(cluster, 0, sizeof *cluster);
	cluster->config = config;
	cluster->on_aws = facts->on_aws;
	cluster->build_time = facts->build_time;
	cluster->now = facts->now > facts->build_time ? facts->now : facts->build_time;
	snprintf(cluster->rendered, sizeof cluster->rendered, "%s", facts->rendered);
	r = kubernetes_version_parse(facts->version, &cluster->version, err);
	if (!r)
		r = derive_node_name(config->hostname, cluster, err);
	if (!r)
		r = derive_ranges(config, cluster, err);
	if (r < 0)
		return r;
	if (inet_pton(address_is_ipv6(facts->node_ip) ? AF_INET6 : AF_INET, facts->node_ip, address) != 1)
		return err_set(err, EINVAL, "expected the node's address, found \"%s\"", facts->node_ip);
	snprintf(cluster->node_ip, sizeof cluster->node_ip, "%s", facts->node_ip);
	if (config->role == ROLE_WORKER && !config->cluster.endpoint)
		return err_set(err, EINVAL,
			       "keelson.cluster.endpoint: expected where a worker reaches the API, found none");
	return 0;
}

bool cluster_has_control_plane(const struct cluster *cluster)
{
	return cluster->config->role != ROLE_WORKER;
}

void cluster_local_server(const struct cluster *cluster, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN + 10];

	if (!cluster_has_control_plane(cluster)) {
		snprintf(text, size, "%s", cluster->config->cluster.endpoint);
		return;
	}
	address_with_port("127.0.0.1", API_SERVER_PORT, address, sizeof address);
	snprintf(text, size, "https://%s", address);
}

void cluster_public_server(const struct cluster *cluster, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN + 10];

	if (cluster->config->cluster.endpoint) {
		snprintf(text, size, "%s", cluster->config->cluster.endpoint);
		return;
	}
	address_with_port(cluster->node_ip, API_SERVER_PORT, address, sizeof address);
	snprintf(text, size, "https://%s", address);
}
