/* The table of keys. Where a key is cloud-init's, it means what it means there (cloud-init 23, "Module reference"). */
#include "config/schema.h"

#include <stddef.h>

/* clang-format off */
#define KEY(path, type, ...)   {path, type, __VA_ARGS__}
#define IGNORED(path, why)     {path, TYPE_FREE, .flags = KEY_IGNORED, .help = why}
#define REFUSED(path, why)     {path, TYPE_FREE, .flags = KEY_REFUSED, .help = why}

#define NO_PACKAGES "nothing is installed on a node: what it runs comes with the image, or as a pod"
#define NO_COMMANDS "a node runs no commands of its own: say it with a keelson key, with write_files, or run a pod"
#define NO_LOGIN    "a node has no accounts to log in to and no SSH"
#define NO_DISKS    "the disk is laid out by the image; other disks belong to pods"
#define NO_AGENT    "no configuration management runs on a node"
#define NO_NEED     "there is nothing to do for it on a node"

const struct key schema_keys[] = {
	KEY("hostname", TYPE_HOSTNAME, .help = "the node's name; never changed once the node has one", .standard = "node- and six digits of the machine id"),
	KEY("fqdn", TYPE_DOMAIN, .help = "the full name, for /etc/hosts; its first part is the hostname where that is not given"),
	KEY("prefer_fqdn_over_hostname", TYPE_BOOL, .standard = "false", .help = "name the node by fqdn instead of hostname"),
	KEY("manage_etc_hosts", TYPE_CHOICE, .words = "true|false|localhost|template", .standard = "true", .help = "accepted: /etc/hosts always names the node"),
	KEY("timezone", TYPE_TIMEZONE, .standard = "UTC", .help = "a name below /usr/share/zoneinfo"),

	KEY("write_files", TYPE_LIST, .max = 500, .help = "files to write; below /etc, /run and /tmp at every boot, below /var and /opt once per instance"),
	KEY("write_files[]", TYPE_MAP, .help = "one file"),
	KEY("write_files[].path", TYPE_PATH, .flags = KEY_REQUIRED, .help = "absolute, where a node can be written"),
	KEY("write_files[].content", TYPE_CONTENT, .flags = KEY_SECRET, .help = "what it holds; empty when left out"),
	KEY("write_files[].encoding", TYPE_CHOICE, .words = "text/plain|b64|base64|gz|gzip|gz+b64|gz+base64|gzip+b64|gzip+base64", .standard = "text/plain", .help = "how content is packed"),
	KEY("write_files[].owner", TYPE_OWNER, .standard = "root:root", .help = "USER or USER:GROUP; root and numbers are known to each node"),
	KEY("write_files[].permissions", TYPE_PERMISSIONS, .standard = "0644", .help = "octal"),
	KEY("write_files[].append", TYPE_BOOL, .standard = "false", .help = "add to the file instead of replacing it"),
	KEY("write_files[].defer", TYPE_BOOL, .standard = "false", .help = "write after all others"),
	REFUSED("write_files[].source", "files are not fetched: give content"),

	KEY("ntp", TYPE_MAP, .help = "where the time comes from"),
	KEY("ntp.enabled", TYPE_BOOL, .standard = "true", .help = "whether time is synchronised at all"),
	KEY("ntp.servers", TYPE_LIST, .max = 16, .help = "asked instead of those that DHCP names"),
	KEY("ntp.servers[]", TYPE_HOST, .help = "a name or an address"),
	KEY("ntp.pools", TYPE_LIST, .max = 16, .help = "names that stand for many servers"),
	KEY("ntp.pools[]", TYPE_HOST, .help = "a name"),
	IGNORED("ntp.ntp_client", "a node has one NTP client"),
	IGNORED("ntp.config", "a node has one NTP client, without a configuration file"),
	REFUSED("ntp.peers", "a node is a client only"),
	REFUSED("ntp.allow", "a node is a client only"),

	KEY("ca_certs", TYPE_MAP, .help = "certificate authorities to trust"),
	KEY("ca_certs.remove_defaults", TYPE_BOOL, .standard = "false", .help = "trust only those given here"),
	KEY("ca_certs.trusted", TYPE_LIST, .max = 100, .help = "PEM certificates"),
	KEY("ca_certs.trusted[]", TYPE_CERTIFICATES, .help = "one or more PEM certificates"),

	KEY("keelson", TYPE_MAP, .help = "what cloud-init has no word for"),
	KEY("keelson.role", TYPE_CHOICE, .words = "single|control-plane|worker", .standard = "single", .help = "single: control plane and ordinary pods on one node"),
	KEY("keelson.install", TYPE_MAP, .help = "copy the system to a disk"),
	KEY("keelson.install.disk", TYPE_MAP, .help = "which disk: all that is given must hold"),
	KEY("keelson.install.disk.serial", TYPE_LINE, .max = 128, .help = "its serial number"),
	KEY("keelson.install.disk.min_size", TYPE_SIZE, .help = "at least as large"),
	KEY("keelson.install.wipe", TYPE_BOOL, .standard = "false", .help = "also when the disk is not empty"),

	KEY("keelson.cluster", TYPE_MAP, .help = "the cluster it belongs to"),
	KEY("keelson.cluster.name", TYPE_HOSTNAME, .standard = "kubernetes", .help = "the cluster's name, as in kubeconfigs"),
	KEY("keelson.cluster.endpoint", TYPE_ENDPOINT, .standard = "this node", .help = "where the others reach the API"),
	KEY("keelson.cluster.pod_cidr", TYPE_PREFIX, .min = 8, .max = 24, .standard = "10.244.0.0/16", .help = "addresses of pods; each node gets a /24 of it"),
	KEY("keelson.cluster.service_cidr", TYPE_PREFIX, .min = 12, .max = 28, .standard = "10.96.0.0/16", .help = "addresses of services"),
	KEY("keelson.cluster.dns_domain", TYPE_DOMAIN, .standard = "cluster.local", .help = "the domain of services"),
	KEY("keelson.cluster.network", TYPE_MAP, .help = "how pods reach each other"),
	KEY("keelson.cluster.network.kind", TYPE_CHOICE, .words = "vxlan|routes|bridge|none", .standard = "bridge on single, else vxlan", .help = "bridge: one node; none: bring a CNI of your own"),
	KEY("keelson.cluster.token", TYPE_TOKEN, .flags = KEY_SECRET, .help = "kubeadm's form of bootstrap token, with which workers join"),
	KEY("keelson.cluster.ca", TYPE_MAP, .help = "the cluster's certificate authority; made on the node where none is given"),
	KEY("keelson.cluster.ca.certificate", TYPE_CERTIFICATES, .help = "PEM"),
	KEY("keelson.cluster.ca.key", TYPE_PRIVATE_KEY, .flags = KEY_SECRET, .help = "PEM; on control planes only"),
	KEY("keelson.cluster.api_server", TYPE_MAP, .help = "the API server"),
	KEY("keelson.cluster.api_server.extra_args", TYPE_MAP, .max = 200, .help = "flags of kube-apiserver"),
	KEY("keelson.cluster.api_server.extra_args.*", TYPE_LINE, .name = TYPE_FLAG, .help = "its value"),
	KEY("keelson.cluster.api_server.cert_sans", TYPE_LIST, .max = 100, .help = "further names in its certificate"),
	KEY("keelson.cluster.api_server.cert_sans[]", TYPE_SAN, .help = "a name or an address"),
	KEY("keelson.cluster.controller_manager", TYPE_MAP, .help = "the controller manager"),
	KEY("keelson.cluster.controller_manager.extra_args", TYPE_MAP, .max = 200, .help = "flags of kube-controller-manager"),
	KEY("keelson.cluster.controller_manager.extra_args.*", TYPE_LINE, .name = TYPE_FLAG, .help = "its value"),
	KEY("keelson.cluster.scheduler", TYPE_MAP, .help = "the scheduler"),
	KEY("keelson.cluster.scheduler.extra_args", TYPE_MAP, .max = 200, .help = "flags of kube-scheduler"),
	KEY("keelson.cluster.scheduler.extra_args.*", TYPE_LINE, .name = TYPE_FLAG, .help = "its value"),
	KEY("keelson.cluster.etcd", TYPE_MAP, .help = "the store of the control plane"),
	KEY("keelson.cluster.etcd.extra_args", TYPE_MAP, .max = 200, .help = "flags of etcd"),
	KEY("keelson.cluster.etcd.extra_args.*", TYPE_LINE, .name = TYPE_FLAG, .help = "its value"),
	KEY("keelson.cluster.etcd.join", TYPE_LIST, .max = 16, .help = "members that are there already"),
	KEY("keelson.cluster.etcd.join[]", TYPE_URL, .help = "such as https://10.0.0.10:2379"),
	KEY("keelson.cluster.manifests", TYPE_LIST, .max = 100, .help = "applied once the API answers"),
	KEY("keelson.cluster.manifests[]", TYPE_MAP, .help = "url or content"),
	KEY("keelson.cluster.manifests[].url", TYPE_URL, .help = "where it is fetched"),
	KEY("keelson.cluster.manifests[].content", TYPE_CONTENT, .flags = KEY_SECRET, .help = "the manifest itself"),

	KEY("keelson.kubelet", TYPE_MAP, .help = "the kubelet"),
	KEY("keelson.kubelet.config", TYPE_MAP, .max = 500, .help = "fields of KubeletConfiguration, laid over the node's own"),
	KEY("keelson.kubelet.config.*", TYPE_FREE, .help = "as Kubernetes documents it"),
	KEY("keelson.kubelet.labels", TYPE_MAP, .max = 200, .help = "labels of the Node"),
	KEY("keelson.kubelet.labels.*", TYPE_LABEL_VALUE, .name = TYPE_LABEL, .help = "the label's value"),
	KEY("keelson.kubelet.taints", TYPE_LIST, .max = 100, .help = "taints of the Node when it registers"),
	KEY("keelson.kubelet.taints[]", TYPE_TAINT, .help = "KEY=VALUE:EFFECT"),

	KEY("keelson.containerd", TYPE_MAP, .help = "the container runtime"),
	KEY("keelson.containerd.registries", TYPE_MAP, .max = 24, .help = "where images come from"),
	KEY("keelson.containerd.registries.*", TYPE_MAP, .name = TYPE_REGISTRY, .help = "one registry"),
	KEY("keelson.containerd.registries.*.mirrors", TYPE_LIST, .flags = KEY_REQUIRED, .max = 16, .help = "asked first, in this order"),
	KEY("keelson.containerd.registries.*.mirrors[]", TYPE_URL, .help = "a URL"),

	KEY("keelson.sysctls", TYPE_MAP, .max = 500, .help = "kernel settings, after the node's own"),
	KEY("keelson.sysctls.*", TYPE_LINE, .min = 1, .name = TYPE_SYSCTL, .help = "its value"),
	KEY("keelson.modules", TYPE_LIST, .max = 100, .help = "kernel modules to load"),
	KEY("keelson.modules[]", TYPE_MAP, .help = "one module"),
	KEY("keelson.modules[].name", TYPE_MODULE, .flags = KEY_REQUIRED, .help = "its name"),
	KEY("keelson.modules[].options", TYPE_LINE, .max = 1024, .help = "such as max_part=8"),

	KEY("keelson.upgrade", TYPE_MAP, .help = "how the system is upgraded"),
	KEY("keelson.upgrade.health", TYPE_MAP, .help = "what must hold before a new version stays, beyond the node's own checks"),
	KEY("keelson.upgrade.health.http", TYPE_URL, .flags = KEY_REQUIRED, .help = "must answer 200"),
	KEY("keelson.upgrade.health.within", TYPE_DURATION, .standard = "5m", .help = "after the boot"),
	KEY("keelson.upgrade.certificates", TYPE_LIST, .max = 16, .help = "who may sign bundles, beside who the image names"),
	KEY("keelson.upgrade.certificates[]", TYPE_CERTIFICATES, .help = "PEM"),
	KEY("keelson.api", TYPE_MAP, .help = "the management API"),
	KEY("keelson.api.listen", TYPE_LISTEN, .standard = "0.0.0.0:7443", .help = "ADDRESS:PORT"),
	KEY("keelson.console", TYPE_MAP, .help = "the console"),
	KEY("keelson.console.shell", TYPE_BOOL, .standard = "false", .help = "a shell for whoever sits there, for debugging"),
	KEY("keelson.on_failure", TYPE_CHOICE, .words = "keep|revert", .standard = "keep", .help = "a configuration with which the node does not become healthy"),

	/* cloud-init's own, which an immutable node cannot follow: what would leave another node than was asked for is an
	 * error, what makes no difference is a warning. */
	REFUSED("packages", NO_PACKAGES), IGNORED("package_update", NO_PACKAGES), IGNORED("package_upgrade", NO_PACKAGES),
	IGNORED("package_reboot_if_required", NO_PACKAGES), REFUSED("apt", NO_PACKAGES), IGNORED("apt_pipelining", NO_PACKAGES),
	IGNORED("apt_preserve_sources_list", NO_PACKAGES), REFUSED("apk_repos", NO_PACKAGES), REFUSED("yum_repos", NO_PACKAGES),
	REFUSED("yum_repo_dir", NO_PACKAGES), REFUSED("zypper", NO_PACKAGES), REFUSED("snap", NO_PACKAGES), REFUSED("drivers", NO_PACKAGES),
	REFUSED("ubuntu_advantage", NO_PACKAGES), REFUSED("ubuntu_pro", NO_PACKAGES), REFUSED("rh_subscription", NO_PACKAGES),
	REFUSED("wireguard", NO_PACKAGES), REFUSED("lxd", NO_PACKAGES), REFUSED("rpi", NO_PACKAGES),
	REFUSED("runcmd", NO_COMMANDS), REFUSED("bootcmd", NO_COMMANDS), REFUSED("scripts", NO_COMMANDS), IGNORED("autoinstall", NO_NEED),
	REFUSED("ansible", NO_AGENT), REFUSED("chef", NO_AGENT), REFUSED("puppet", NO_AGENT), REFUSED("salt_minion", NO_AGENT),
	REFUSED("mcollective", NO_AGENT), REFUSED("landscape", NO_AGENT), REFUSED("fan", NO_AGENT), REFUSED("spacewalk", NO_AGENT),
	IGNORED("users", NO_LOGIN), IGNORED("user", NO_LOGIN), IGNORED("groups", NO_LOGIN), IGNORED("password", NO_LOGIN), IGNORED("chpasswd", NO_LOGIN),
	IGNORED("ssh_authorized_keys", NO_LOGIN), IGNORED("ssh_import_id", NO_LOGIN), IGNORED("ssh_keys", NO_LOGIN), IGNORED("ssh_pwauth", NO_LOGIN),
	IGNORED("ssh_deletekeys", NO_LOGIN), IGNORED("ssh_genkeytypes", NO_LOGIN), IGNORED("ssh_quiet_keygen", NO_LOGIN), IGNORED("ssh_publish_hostkeys", NO_LOGIN),
	IGNORED("ssh_fp_console_blacklist", NO_LOGIN), IGNORED("ssh_key_console_blacklist", NO_LOGIN), IGNORED("ssh", NO_LOGIN), IGNORED("no_ssh_fingerprints", NO_LOGIN),
	IGNORED("authkey_hash", NO_LOGIN), IGNORED("allow_public_ssh_keys", NO_LOGIN), IGNORED("disable_root", NO_LOGIN), IGNORED("disable_root_opts", NO_LOGIN),
	IGNORED("disable_ec2_metadata", "a node asks only the source that it was told"), IGNORED("byobu_by_default", NO_LOGIN),
	REFUSED("disk_setup", NO_DISKS), REFUSED("fs_setup", NO_DISKS), REFUSED("device_aliases", NO_DISKS), REFUSED("mounts", NO_DISKS),
	IGNORED("mount_default_fields", NO_DISKS), REFUSED("swap", "the kubelet runs without swap"), IGNORED("growpart", "state always grows to the end of the disk"),
	IGNORED("resize_rootfs", "state always grows to the end of the disk"), IGNORED("grub_dpkg", NO_NEED),
	REFUSED("network", "the network comes from DHCP, and no key or file sets it"),
	REFUSED("resolv_conf", "the resolver comes with the network"), IGNORED("manage_resolv_conf", "the resolver comes with the network"),
	REFUSED("power_state", NO_COMMANDS), REFUSED("phone_home", "a node calls nobody: ask the Kubernetes API whether it is Ready"),
	IGNORED("final_message", NO_NEED), IGNORED("locale", NO_NEED), IGNORED("locale_configfile", NO_NEED), IGNORED("keyboard", NO_NEED),
	IGNORED("random_seed", "the seed of random numbers is kept on state"), IGNORED("rsyslog", "logs lie in /var/log/keelson"), IGNORED("syslog_fix_perms", NO_NEED),
	IGNORED("output", NO_NEED), IGNORED("reporting", NO_NEED), IGNORED("vendor_data", "vendor-data is not used"), IGNORED("vendor_data2", "vendor-data is not used"),
	IGNORED("preserve_hostname", "a node's name never changes"), IGNORED("create_hostname_file", NO_NEED), IGNORED("updates", NO_NEED), IGNORED("merge_how", NO_NEED),
	IGNORED("merge_type", NO_NEED), IGNORED("datasource_list", NO_NEED), IGNORED("datasource", NO_NEED), IGNORED("cloud_init_modules", NO_NEED),
	IGNORED("cloud_config_modules", NO_NEED), IGNORED("cloud_final_modules", NO_NEED), IGNORED("system_info", NO_NEED), IGNORED("debug", NO_NEED),
	REFUSED("ca-certs", "the key is spelled ca_certs"),
	{0},
};
/* clang-format on */
