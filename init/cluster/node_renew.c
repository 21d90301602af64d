/* Renew certificates: render everything anew, then restart what holds the old ones.
 *
 * A manifest's annotation differs at every rendering, so the kubelet makes the static pods anew; the kubelet itself is
 * told to end and is started again by PID 1, with its containers untouched.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/cluster_render.h"
#include "cluster/node.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/x509.h"

#define KUBELET_CGROUP "/sys/fs/cgroup/kube/kubelet/cgroup.procs"

int64_t node_renewal_due(int64_t not_after, int64_t now)
{
	return not_after - now - CERTIFICATE_SECONDS / 2;
}

int node_renewal_check(int64_t *seconds, struct err *err)
{
	_cleanup_(x509_pair_free) struct x509_pair pair = {0};
	_cleanup_(buf_free) struct buf pem = {0};
	int64_t not_after = 0;
	int r = file_read(PKI_DIRECTORY "/keelson.crt", 65536, &pem, err);

	if (!r)
		r = x509_read(buf_string(&pem), NULL, &pair, err);
	if (!r)
		r = x509_not_after(pair.certificate, &not_after, err);
	*seconds = node_renewal_due(not_after, (int64_t)time(NULL));
	return r;
}

/* A kubelet that does not run needs no end: it will read what is there when it starts. */
static int restart_kubelet(struct err *err)
{
	_cleanup_(buf_free) struct buf pids = {0};
	int r = file_read(KUBELET_CGROUP, 65536, &pids, err);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (const char *p = buf_string(&pids); *p; p += strcspn(p, "\n"), p += *p == '\n') {
		long pid = strtol(p, NULL, 10);

		if (pid > 1)
			kill((pid_t)pid, SIGTERM);
	}
	return 0;
}

int node_renew(const struct node_config *config, struct cluster *cluster, struct err *err)
{
	int r = cluster_gather(config, cluster, err);

	if (!r)
		r = cluster_render(cluster, SAVED_PKI_DIRECTORY, "", err);
	if (!r)
		r = restart_kubelet(err);
	return r ? err_wrap(err, r, "renew certificates") : 0;
}
