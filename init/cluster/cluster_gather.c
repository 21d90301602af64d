/* Gather the facts of this node: the image's Kubernetes and build time, the network's address, the clock. */
#include <errno.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cluster/cluster.h"
#include "cluster/json_build.h"
#include "lib/build_time.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define OS_RELEASE_FILE "/usr/lib/os-release"
#define NETWORK_FILE "/run/keelson/network.json"
#define SMALL_FILE 65536

static int read_build_time(int64_t *built, struct err *err)
{
	_cleanup_(buf_free) struct buf release = {0};
	int r = file_read(OS_RELEASE_FILE, SMALL_FILE, &release, err);

	if (r < 0)
		return r;
	*built = build_time(buf_string(&release));
	if (*built > 0)
		return 0;
	return err_set(err, EINVAL, "%s: expected BUILD_TIME=seconds since 1970, found none", OS_RELEASE_FILE);
}

static int read_node_ip(char *text, size_t size, struct err *err)
{
	_cleanup_(buf_free) struct buf buf = {0};
	_cleanup_(json_decrefp) json_t *network = NULL;
	const char *address;
	json_error_t error;
	int r = file_read(NETWORK_FILE, SMALL_FILE, &buf, err);

	if (r < 0)
		return r;
	network = json_loads(buf_string(&buf), 0, &error);
	if (!network)
		return err_set(err, EINVAL, "%s:%d:%d: %s", NETWORK_FILE, error.line, error.column, error.text);
	address = json_string_value(json_object_get(network, "node_ip"));
	if (!address)
		return err_set(err, ENOENT, "%s: expected node_ip, found none: the node has no address", NETWORK_FILE);
	snprintf(text, size, "%s", address);
	return 0;
}

/* Instances of the Nitro system name their vendor, older ones their firmware. */
static bool is_aws(void)
{
	static const char *const files[] = {"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/bios_version"};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		_cleanup_(buf_free) struct buf text = {0};

		if (file_read(files[i], 4096, &text, NULL) == 0 && strcasestr(buf_string(&text), "amazon"))
			return true;
	}
	return false;
}

int cluster_gather(const struct node_config *config, struct cluster *cluster, struct err *err)
{
	char version[64], node_ip[64], rendered[24];
	struct cluster_facts facts = {version, node_ip, 0, (int64_t)time(NULL), rendered, is_aws()};
	unsigned char random[8];
	int r = kubernetes_version_read(version, sizeof version, err);

	if (!r)
		r = read_build_time(&facts.build_time, err);
	if (!r)
		r = read_node_ip(node_ip, sizeof node_ip, err);
	if (r < 0)
		return r;
	if (RAND_bytes(random, sizeof random) != 1)
		return err_set(err, EIO, "random bytes: refused by OpenSSL");
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(rendered + 2 * i, 3, "%02x", random[i]);
	return cluster_derive(config, &facts, cluster, err);
}
