/* The kernel's settings of a node. The user's own are written later, by `keelson config`; those that come with a module
 * are written by `keelson devices` once it has loaded it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "boot/prepare_node.h"
#include "lib/cleanup.h"

const struct sysctl_row sysctl_rows[] = {
	{"net/ipv4/ip_forward", "1", "pods reach each other and the world through the node"},
	{"kernel/pid_max", "4194304", "many pods"},
	{"kernel/panic", "10", "a node restarts rather than hangs; the kubelet checks it"},
	{"kernel/panic_on_oops", "1", "a damaged kernel is not trusted further; the kubelet checks it"},
	{"kernel/core_uses_pid", "0", "with an empty core_pattern: no core files"},
	{"kernel/core_pattern", "", "no core file lands anywhere by surprise"},
	{"kernel/kptr_restrict", "1", "no kernel addresses for pods"},
	{"kernel/dmesg_restrict", "1", "no kernel log for pods"},
	{"kernel/unprivileged_bpf_disabled", "1", "no bpf for pods without rights"},
	{"kernel/keys/root_maxkeys", "1000000", "one session keyring per container; the kubelet checks it"},
	{"kernel/keys/root_maxbytes", "25000000", "the same"},
	{"vm/overcommit_memory", "1", "the kubelet checks it"},
	{"vm/panic_on_oom", "0", "the OOM killer ends a pod, not the node; the kubelet checks it"},
	{"vm/max_map_count", "262144", "databases and search engines in pods"},
	{"fs/inotify/max_user_instances", "8192", "each kubelet watch and many pods take one"},
	{"fs/inotify/max_user_watches", "524288", "the same"},
	{"fs/protected_hardlinks", "1", "no links to files of others in /tmp"},
	{"fs/protected_symlinks", "1", "the same"},
	{"fs/protected_fifos", "1", "the same"},
	{"fs/protected_regular", "2", "the same"},
};

const size_t sysctl_rows_count = sizeof sysctl_rows / sizeof *sysctl_rows;

static int write_sysctl(const char *root, const struct sysctl_row *row)
{
	_cleanup_close_ int fd = -1;
	char path[256], value[64];
	int n;

	snprintf(path, sizeof path, "%s/%s", root, row->path);
	n = snprintf(value, sizeof value, "%s\n", row->value); /* the newline: an empty value must write something */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, value, (size_t)n) != n ? -1 : 0;
}

size_t write_sysctls(const char *root)
{
	size_t written = 0;

	for (size_t i = 0; i < sysctl_rows_count; i++)
		written += !write_sysctl(root, &sysctl_rows[i]);
	return written;
}
