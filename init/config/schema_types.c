/* What a value of each type must look like. */
#include "config/schema.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/check_pem.h"
#include "config/time_zones.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* Whether the len bytes are all of `set`, and there is at least one. */
static bool all_of(const char *text, size_t len, const char *set)
{
	return len && strspn(text, set) >= len;
}

static bool only(const char *text, const char *set)
{
	return all_of(text, strlen(text), set);
}

/* Labels of 1..63 letters, digits and inner hyphens, joined by dots (RFC 1123). */
static bool is_dns_name(const char *text, size_t len, const char *letters)
{
	size_t start = 0;

	if (!len || len > 253)
		return false;
	for (size_t i = 0; i <= len; i++) {
		if (i < len && text[i] != '.')
			continue;
		if (i == start || i - start > 63 || text[start] == '-' || text[i - 1] == '-' ||
		    !all_of(text + start, i - start, letters))
			return false;
		start = i + 1;
	}
	return true;
}

#define NAME_LETTERS LOWER DIGITS "-"

static bool check_hostname(const struct key *key, const char *text, struct err *expected)
{
	size_t len = strlen(text);
	(void)key;

	if (len > 63)
		err_set(expected, EINVAL, "a name of at most 63 letters");
	else if (strpbrk(text, UPPER))
		err_set(expected, EINVAL, "a name in lower case, as Kubernetes wants it, such as cp-1");
	return len <= 63 && is_dns_name(text, len, NAME_LETTERS);
}

static bool check_domain(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return is_dns_name(text, strlen(text), NAME_LETTERS);
}

static bool is_address(const char *text)
{
	unsigned char address[16];

	return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

static bool check_host(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	if (is_address(text))
		return true;
	/* what looks like an address and is none, is a mistake and not a name */
	return !only(text, DIGITS ".") && is_dns_name(text, strlen(text), NAME_LETTERS UPPER);
}

static bool check_san(const struct key *key, const char *text, struct err *expected)
{
	return check_host(key, strncmp(text, "*.", 2) ? text : text + 2, expected);
}

static bool check_line(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return !strpbrk(text, "\r\n");
}

static bool check_word(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return *text && !strpbrk(text, " \t\r\n");
}

static bool check_content(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)text;
	(void)expected;
	return true;
}

static bool has_dotdot(const char *text)
{
	for (const char *p = text; (p = strstr(p, "..")); p += 2)
		if ((p == text || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return true;
	return false;
}

static bool check_timezone(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	return isalpha((unsigned char)*text) && only(text, LOWER UPPER DIGITS "_+-/") && !strstr(text, "//") &&
	       text[strlen(text) - 1] != '/' && time_zone_has_area(text, expected);
}

static bool is_below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return !strncmp(path, directory, len) && path[len] == '/';
}

/* A file is written beside its place as .NAME.new first. */
#define FILE_NAME_MAX ((size_t)NAME_MAX - 5)

static bool has_long_name(const char *path)
{
	for (const char *p = path; *p; p += strcspn(p, "/") + (p[strcspn(p, "/")] == '/'))
		if (strcspn(p, "/") > FILE_NAME_MAX)
			return true;
	return false;
}

static bool has_control(const char *text)
{
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return true;
	return false;
}

/* Where a file would not be what its writer believes: behind a link, or written again by the node. */
#define OURS "no file that the node writes itself"

static const struct {
	const char *path, *expected;
} elsewhere[] = {
	{"/var/run", "a path below /run, to which /var/run is a link"},
	{"/var/lock", "a path below /run/lock, to which /var/lock is a link"},
	{"/etc/hostname", "hostname instead of a file that the node writes itself"},
	{"/etc/timezone", "timezone instead of a file that the node writes itself"},
	{"/etc/localtime", "timezone instead of a file that the node writes itself"},
	{"/etc/machine-id", OURS},
	{"/etc/resolv.conf", "no file that the node writes itself, from what DHCP says"},
	{"/etc/mtab", OURS},
	{"/etc/cni/net.d/10-keelson.conflist", "keelson.cluster.network.kind: none, and a file of another name"},
	{"/etc/kubernetes/held", OURS},
	{"/etc/kubernetes/manifests/etcd.yaml", OURS},
	{"/etc/kubernetes/manifests/kube-apiserver.yaml", OURS},
	{"/etc/kubernetes/manifests/kube-controller-manager.yaml", OURS},
	{"/etc/kubernetes/manifests/kube-proxy.yaml", OURS},
	{"/etc/kubernetes/manifests/kube-scheduler.yaml", OURS},
	{"/etc/kubernetes/pki/ca.crt", "keelson.cluster.ca instead of a file that the node writes itself"},
	{"/etc/kubernetes/pki/ca.key", "keelson.cluster.ca instead of a file that the node writes itself"},
	{"/etc/kubernetes/pki/etcd", OURS},
	{"/etc/kubernetes/pki/sa.key", OURS},
	{"/etc/kubernetes/pki/sa.pub", OURS},
	{"/etc/kubernetes/pki/apiserver.crt", OURS},
	{"/etc/kubernetes/pki/apiserver.key", OURS},
	{"/etc/kubernetes/pki/apiserver-etcd-client.crt", OURS},
	{"/etc/kubernetes/pki/apiserver-etcd-client.key", OURS},
	{"/etc/kubernetes/pki/apiserver-kubelet-client.crt", OURS},
	{"/etc/kubernetes/pki/apiserver-kubelet-client.key", OURS},
	{"/etc/kubernetes/pki/front-proxy-ca.crt", OURS},
	{"/etc/kubernetes/pki/front-proxy-ca.key", OURS},
	{"/etc/kubernetes/pki/front-proxy-client.crt", OURS},
	{"/etc/kubernetes/pki/front-proxy-client.key", OURS},
	{"/etc/kubernetes/admin.conf", OURS},
	{"/etc/kubernetes/super-admin.conf", OURS},
	{"/etc/kubernetes/bootstrap-kubelet.conf", OURS},
	{"/etc/kubernetes/controller-manager.conf", OURS},
	{"/etc/kubernetes/kube-proxy.conf", OURS},
	{"/etc/kubernetes/kube-proxy.yaml", OURS},
	{"/etc/kubernetes/kubelet.conf", OURS},
	{"/etc/kubernetes/scheduler.conf", OURS},
	{"/etc/kubernetes/kubelet.yaml", "keelson.kubelet.config instead of a file that the node writes itself"},
};

static bool is_elsewhere(const char *path, struct err *expected)
{
	for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
		if (!is_below(path, elsewhere[i].path) && strcmp(path, elsewhere[i].path))
			continue;
		err_set(expected, EINVAL, "%s", elsewhere[i].expected);
		return true;
	}
	return false;
}

static bool check_path(const struct key *key, const char *text, struct err *expected)
{
	static const char *const writable[] = {"/etc", "/run", "/var", "/opt", "/tmp"};
	static const char *const ours[] = {"/run/keelson", "/var/lib/keelson"};
	size_t len = strlen(text);
	(void)key;

	if (*text != '/' || strstr(text, "//") || strstr(text, "/./") || has_dotdot(text) || text[len - 1] == '/' ||
	    (len > 2 && !strcmp(text + len - 2, "/.")))
		return false;
	if (has_control(text)) {
		err_set(expected, EINVAL, "a path without control characters");
		return false;
	}
	if (has_long_name(text)) {
		err_set(expected, EINVAL, "a path whose names have at most %zu bytes each", FILE_NAME_MAX);
		return false;
	}
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
		if (is_below(text, ours[i]) || !strcmp(text, ours[i])) {
			err_set(expected, EINVAL, "a path that is not below %s, which is the system's own", ours[i]);
			return false;
		}
	}
	if (is_elsewhere(text, expected))
		return false;
	for (size_t i = 0; i < sizeof writable / sizeof writable[0]; i++)
		if (is_below(text, writable[i]))
			return true;
	err_set(expected, EINVAL, "a path below /etc, /run, /var, /opt or /tmp (the rest of the system is read-only)");
	return false;
}

static bool check_owner(const struct key *key, const char *text, struct err *expected)
{
	size_t user = strcspn(text, ":");
	const char *group = text[user] ? text + user + 1 : "root";
	(void)key;
	(void)expected;

	return user <= 32 && all_of(text, user, LOWER UPPER DIGITS "_.-") && text[0] != '-' && strlen(group) <= 32 &&
	       only(group, LOWER UPPER DIGITS "_.-") && group[0] != '-';
}

static bool check_permissions(const struct key *key, const char *text, struct err *expected)
{
	size_t len = strlen(text);
	(void)key;
	(void)expected;

	if (!strncmp(text, "0o", 2))
		return len <= 6 && only(text + 2, "01234567");
	return len >= 3 && len <= 5 && only(text, "01234567") && strtoul(text, NULL, 8) <= 07777;
}

/* Digits without leading zeros, at most `most`. */
static bool is_number(const char *text, size_t len, unsigned long most)
{
	return all_of(text, len, DIGITS) && len <= 9 && (len == 1 || *text != '0') && strtoul(text, NULL, 10) <= most;
}

/* IANA's registry of special addresses (RFC 6890): none of these can be a pod's or a service's. */
static const struct {
	uint32_t first, last;
	const char *what;
} unusable[] = {
	{0x00000000, 0x00ffffff, "\"this network\" (0.0.0.0/8)"},
	{0x7f000000, 0x7fffffff, "the loopback's addresses (127.0.0.0/8)"},
	{0xa9fe0000, 0xa9feffff, "link-local addresses (169.254.0.0/16)"},
	{0xe0000000, 0xffffffff, "multicast and reserved addresses (224.0.0.0/3)"},
};

static bool is_usable(uint32_t first, uint32_t bits, struct err *expected)
{
	uint32_t last = first | (bits < 32 ? UINT32_MAX >> bits : 0);

	for (size_t i = 0; i < sizeof unusable / sizeof unusable[0]; i++) {
		if (last < unusable[i].first || first > unusable[i].last)
			continue;
		err_set(expected, EINVAL, "a prefix without %s", unusable[i].what);
		return false;
	}
	return true;
}

static bool check_prefix(const struct key *key, const char *text, struct err *expected)
{
	size_t len = strcspn(text, "/");
	struct in_addr address;
	char host[INET_ADDRSTRLEN];
	uint32_t bits, number;

	if (!text[len] || len >= sizeof host || !is_number(text + len + 1, strlen(text + len + 1), 32))
		return false;
	memcpy(host, text, len);
	host[len] = 0;
	if (inet_pton(AF_INET, host, &address) != 1)
		return false;
	bits = (uint32_t)strtoul(text + len + 1, NULL, 10);
	if (key->max && ((long)bits < key->min || (long)bits > key->max)) {
		err_set(expected, EINVAL, "a prefix between /%ld and /%ld such as %s", key->min, key->max,
			key->standard);
		return false;
	}
	number = ntohl(address.s_addr);
	if (bits < 32 && number & (UINT32_MAX >> bits)) {
		address.s_addr = htonl(number & ~(UINT32_MAX >> bits));
		inet_ntop(AF_INET, &address, host, sizeof host);
		err_set(expected, EINVAL, "a prefix with zeros behind it, %s/%u", host, bits);
		return false;
	}
	return is_usable(number, bits, expected);
}

/* HOST, HOST:PORT, [V6] or [V6]:PORT, `len` bytes long. */
static bool is_authority(const char *text, size_t len, bool port_needed)
{
	char host[256];
	const char *port = NULL;
	size_t host_len = len;

	if (len >= sizeof host)
		return false;
	memcpy(host, text, len);
	host[len] = 0;
	if (host[0] == '[') {
		char *end = strchr(host, ']');

		if (!end || (end[1] && end[1] != ':'))
			return false;
		port = end[1] ? end + 2 : NULL;
		*end = 0;
		host_len = 0;
		if (!strchr(host, ':') || !is_address(host + 1))
			return false;
	} else {
		host_len = strcspn(host, ":");
		port = host[host_len] ? host + host_len + 1 : NULL;
		host[host_len] = 0;
		if (!check_host(NULL, host, NULL))
			return false;
	}
	if (!port)
		return !port_needed;
	return is_number(port, strlen(port), 65535) && *port != '0';
}

static bool check_endpoint(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return !strncmp(text, "https://", 8) && is_authority(text + 8, strlen(text + 8), true);
}

static bool check_url(const struct key *key, const char *text, struct err *expected)
{
	size_t scheme = !strncmp(text, "https://", 8) ? 8 : !strncmp(text, "http://", 7) ? 7 : 0;
	(void)key;
	(void)expected;

	for (const char *p = text; *p; p++)
		if (*p <= ' ' || *p == 0x7f || *p == '"' || *p == '\\' || *p == '<' || *p == '>')
			return false;
	return scheme && is_authority(text + scheme, strcspn(text + scheme, "/?#"), false);
}

static bool check_listen(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return is_authority(text, strlen(text), true);
}

static bool check_token(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return strlen(text) == 23 && text[6] == '.' && all_of(text, 6, LOWER DIGITS) && only(text + 7, LOWER DIGITS);
}

static bool check_certificates(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	return pem_is_certificates(text, expected);
}

static bool check_private_key(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	return pem_is_private_key(text, expected);
}

static bool check_flag(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	if (*text == '-')
		err_set(expected, EINVAL, "the flag's name without %.*s", (int)strspn(text, "-"), text);
	else if (strchr(text, '='))
		err_set(expected, EINVAL, "the flag's name alone, and its value behind the colon");
	else if (strchr(text, '_'))
		err_set(expected, EINVAL, "the flag's name with - instead of _");
	return islower((unsigned char)*text) && only(text, LOWER DIGITS "-");
}

/* The name part of a label: letters, digits, inner - _ and . */
static bool is_label_name(const char *text)
{
	size_t len = strlen(text);

	return len <= 63 && only(text, LOWER UPPER DIGITS "-_.") && isalnum((unsigned char)text[0]) &&
	       isalnum((unsigned char)text[len - 1]);
}

static bool is_label(const char *text)
{
	const char *slash = strchr(text, '/');

	if (!slash)
		return is_label_name(text);
	return is_dns_name(text, (size_t)(slash - text), NAME_LETTERS) && is_label_name(slash + 1);
}

static bool check_label(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return is_label(text);
}

static bool check_label_value(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return !*text || is_label_name(text);
}

static bool check_taint(const struct key *key, const char *text, struct err *expected)
{
	const char *effect = strrchr(text, ':');
	char name[400];
	char *value;
	(void)key;

	if (!effect || (size_t)(effect - text) >= sizeof name)
		return false;
	if (strcmp(effect + 1, "NoSchedule") && strcmp(effect + 1, "PreferNoSchedule") &&
	    strcmp(effect + 1, "NoExecute")) {
		err_set(expected, EINVAL, "one of NoSchedule, PreferNoSchedule and NoExecute behind the colon");
		return false;
	}
	memcpy(name, text, (size_t)(effect - text));
	name[effect - text] = 0;
	value = strchr(name, '=');
	if (value)
		*value++ = 0;
	return is_label(name) && (!value || !*value || is_label_name(value));
}

static bool check_registry(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return !strcmp(text, "_default") || is_authority(text, strlen(text), false);
}

static bool check_sysctl(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return isalpha((unsigned char)*text) && only(text, LOWER UPPER DIGITS "_-./:@") && strpbrk(text, "./") &&
	       !strstr(text, "..") && !strstr(text, "//") && !strstr(text, "./") && !strstr(text, "/.") &&
	       isalnum((unsigned char)text[strlen(text) - 1]);
}

static bool check_module(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	return isalnum((unsigned char)*text) && only(text, LOWER UPPER DIGITS "_-");
}

static bool check_size(const struct key *key, const char *text, struct err *expected)
{
	size_t digits = strspn(text, DIGITS);
	(void)key;
	(void)expected;

	return is_number(text, digits, 999999999) && text[digits] && strchr("KMGT", text[digits]) &&
	       (!text[digits + 1] || !strcmp(text + digits + 1, "i"));
}

static bool check_duration(const struct key *key, const char *text, struct err *expected)
{
	(void)key;
	(void)expected;
	do {
		size_t digits = strspn(text, DIGITS);

		if (!is_number(text, digits, 999999) || !text[digits] || !strchr("smh", text[digits]))
			return false;
		text += digits + 1;
	} while (*text);
	return true;
}

#define ROW(type, ...) [type] = {__VA_ARGS__}

/* clang-format off */
const struct type_info type_infos[TYPE_COUNT] = {
	ROW(TYPE_MAP, "map", "object", NULL, "a map (key: value)", 100, NULL),
	ROW(TYPE_LIST, "list", "array", NULL, "a list (- entry)", 100, NULL),
	ROW(TYPE_FREE, "any value", NULL, NULL, "a value", 0, NULL),
	ROW(TYPE_BOOL, "true or false", "boolean", NULL, "true or false", 5, NULL),
	ROW(TYPE_CHOICE, "word", "string", NULL, "a word", 32, NULL),
	ROW(TYPE_CONTENT, "text", "string", NULL, "text", 1048576, check_content),
	ROW(TYPE_LINE, "one line", "string", "^[^\\r\\n]*$", "text in one line", 4096, check_line),
	ROW(TYPE_HOSTNAME, "name", "string", "^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$", "a name such as cp-1 (lower-case letters, digits, - and .)", 4096, check_hostname),
	ROW(TYPE_DOMAIN, "domain name", "string", "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$", "a domain name such as cp-1.example.org (lower case)", 4096, check_domain),
	ROW(TYPE_HOST, "name or address", "string", NULL, "a name or an address such as 10.0.0.1", 253, check_host),
	ROW(TYPE_SAN, "name or address", "string", NULL, "a name or an address such as api.example.org or 10.0.0.10", 253, check_san),
	ROW(TYPE_TIMEZONE, "time zone", "string", "^[A-Za-z][A-Za-z0-9_+/-]*$", "a time zone such as Europe/Berlin", 64, check_timezone),
	ROW(TYPE_PATH, "path", "string", "^/(etc|run|var|opt|tmp)/.", "an absolute path without // . and ..", 1024, check_path),
	ROW(TYPE_OWNER, "owner", "string", "^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?$", "USER or USER:GROUP such as root:root", 66, check_owner),
	ROW(TYPE_PERMISSIONS, "octal mode", "string", "^(0o?)?[0-7]{3,4}$", "octal permissions such as 0644", 6, check_permissions),
	ROW(TYPE_PREFIX, "IPv4 prefix", "string", "^[0-9.]+/[0-9]+$", "a prefix", 64, check_prefix),
	ROW(TYPE_ENDPOINT, "https://HOST:PORT", "string", "^https://[^/]+:[0-9]+$", "https://HOST:PORT such as https://10.0.0.10:6443", 300, check_endpoint),
	ROW(TYPE_URL, "URL", "string", "^https?://", "a URL such as https://example.org/file", 2048, check_url),
	ROW(TYPE_LISTEN, "ADDRESS:PORT", "string", ":[0-9]+$", "ADDRESS:PORT such as 0.0.0.0:7443", 300, check_listen),
	ROW(TYPE_TOKEN, "bootstrap token", "string", "^[a-z0-9]{6}\\.[a-z0-9]{16}$", "a token of the form abcdef.0123456789abcdef", 1024, check_token),
	ROW(TYPE_CERTIFICATES, "PEM certificate", "string", NULL, "PEM certificates (\"-----BEGIN CERTIFICATE-----\" …)", 262144, check_certificates),
	ROW(TYPE_PRIVATE_KEY, "PEM private key", "string", NULL, "a PEM private key (\"-----BEGIN PRIVATE KEY-----\" …)", 65536, check_private_key),
	ROW(TYPE_FLAG, "flag", "string", "^[a-z][a-z0-9-]*$", "a flag's name such as audit-log-maxage", 128, check_flag),
	ROW(TYPE_LABEL, "label", "string", "^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$", "a label such as example.org/rack", 317, check_label),
	ROW(TYPE_LABEL_VALUE, "label value", "string", "^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$", "a label's value: at most 63 letters, digits, - _ and . inside", 4096, check_label_value),
	ROW(TYPE_TAINT, "taint", "string", "^[^=:]+(=[^:]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$", "a taint such as dedicated=gpu:NoSchedule", 512, check_taint),
	ROW(TYPE_REGISTRY, "registry", "string", NULL, "a registry such as docker.io or 10.0.0.5:5000, or _default", 300, check_registry),
	ROW(TYPE_SYSCTL, "sysctl", "string", "^[A-Za-z][A-Za-z0-9_./:@-]*$", "a kernel setting such as vm.swappiness", 256, check_sysctl),
	ROW(TYPE_MODULE, "module", "string", "^[A-Za-z0-9][A-Za-z0-9_-]*$", "a module's name such as nbd", 64, check_module),
	ROW(TYPE_SIZE, "size", "string", "^[0-9]+[KMGT]i?$", "a size such as 20G", 32, check_size),
	ROW(TYPE_DURATION, "time", "string", "^([0-9]+[smh])+$", "a time such as 30s, 5m or 1h30m", 32, check_duration),
	ROW(TYPE_WORD, "word", "string", NULL, "a word", 256, check_word),
};
/* clang-format on */
