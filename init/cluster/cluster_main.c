/* keelson cluster: make this node's part of the cluster from its configuration, at every boot anew. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cluster/cluster_render.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/story.h"

static void tell(const struct cluster *cluster)
{
	time_t end = (time_t)(cluster->now + CERTIFICATE_SECONDS);
	char day[16], server[300];
	const char *host = strstr((cluster_public_server(cluster, server, sizeof server), server), "://");
	struct tm tm;

	gmtime_r(&end, &tm);
	strftime(day, sizeof day, "%Y-%m-%d", &tm);
	if (cluster_has_control_plane(cluster))
		story("Kubernetes %s, certificates until %s, API server %s", cluster->version.text, day,
		      host ? host + 3 : server);
	else
		story("Kubernetes %s, joins %s", cluster->version.text, host ? host + 3 : server);
	if (cluster->config->role != ROLE_SINGLE && cluster->config->cluster.network != POD_NETWORK_NONE &&
	    cluster->config->cluster.network != POD_NETWORK_BRIDGE)
		story("pod network between nodes is not made here: not Ready until a CNI is installed");
}

int cluster_main(int argc, char **argv)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	struct cluster cluster;
	struct err err = {{0}};
	int r;

	(void)argv;
	if (argc > 1) {
		fputs("usage: keelson cluster\n", stderr);
		return 2;
	}
	r = node_config_load(NODE_CONFIG_PATH, &config, &err);
	if (!r)
		r = cluster_gather(config, &cluster, &err);
	if (!r)
		r = cluster_render(&cluster, SAVED_PKI_DIRECTORY, "", &err);
	if (r) {
		story("%s", err.text);
		return 1;
	}
	tell(&cluster);
	return 0;
}
