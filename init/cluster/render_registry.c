/* hosts.toml of one registry.
 *
 * Source: containerd's docs/hosts.md: /etc/containerd/certs.d/REGISTRY/hosts.toml; mirrors are asked in their order,
 * then the registry itself.
 */
#include <errno.h>
#include <string.h>

#include "cluster/render.h"

/* A basic TOML string without anything to escape. */
static int check_text(const char *what, const char *text, struct err *err)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p <= ' ' || *p == '"' || *p == '\\' || *p == 0x7f)
			return err_set(err, EINVAL, "%s: expected no white space, quote or backslash, found \"%s\"",
				       what, text);
	return 0;
}

int render_registry_hosts(const char *registry, const json_t *settings, struct buf *toml, struct err *err)
{
	const char *server = strcmp(registry, "docker.io") ? registry : "registry-1.docker.io";
	json_t *mirrors = json_object_get(settings, "mirrors"), *mirror;
	size_t i;
	int r = check_text("containerd.registries", registry, err);

	if (r < 0)
		return r;
	if (!*registry || strchr(registry, '/') || registry[0] == '.')
		return err_set(err, EINVAL,
			       "containerd.registries: expected a registry such as docker.io, found \"%s\"", registry);
	if (!strcmp(registry, "_default"))
		r = 0;
	else
		r = buf_addf(toml, "server = \"https://%s\"\n", server);
	json_array_foreach (mirrors, i, mirror) {
		if (!r)
			r = check_text("containerd.registries mirrors", json_string_value(mirror), err);
		if (!r)
			r = buf_addf(toml, "\n[host.\"%s\"]\n  capabilities = [\"pull\", \"resolve\"]\n",
				     json_string_value(mirror));
	}
	return r;
}
