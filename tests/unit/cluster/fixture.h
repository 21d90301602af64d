/* A node for the cluster tests: what `keelson: {role: single}` means on 10.0.2.15, or variations of it. */
#ifndef KEELSON_TEST_CLUSTER_FIXTURE_H
#define KEELSON_TEST_CLUSTER_FIXTURE_H

#include "cluster/cluster.h"
#include "unit/test.h"

#define FIXTURE_BUILD_TIME INT64_C(1764547200) /* 2025-12-01 00:00:00 UTC */

struct fixture {
	struct node_config config;
	struct cluster cluster;
};

static inline void fixture_config(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	f->config.hostname = (char *)"CP-1";
	f->config.role = ROLE_SINGLE;
	f->config.cluster.name = (char *)"demo";
	f->config.cluster.pod_cidr = (char *)"10.244.0.0/16";
	f->config.cluster.service_cidr = (char *)"10.96.0.0/16";
	f->config.cluster.dns_domain = (char *)"cluster.local";
	f->config.cluster.network = POD_NETWORK_BRIDGE;
}

static inline void fixture_derive(struct fixture *f, const char *version)
{
	struct cluster_facts facts = {
		version, "10.0.2.15", FIXTURE_BUILD_TIME, FIXTURE_BUILD_TIME + 3600, "0000000000000001", false};
	struct err err = {{0}};

	if (cluster_derive(&f->config, &facts, &f->cluster, &err) < 0)
		fail_msg("%s", err.text);
}

static inline void fixture_make(struct fixture *f, const char *version)
{
	fixture_config(f);
	fixture_derive(f, version);
}

#endif
