/* os-release is ours, so that boot loaders and tools sort our versions and not Debian's. Source: os-release(5). */
#include <string.h>

#include "root/parts.h"

int render_os_release(const struct release *release, struct buf *text)
{
	return buf_addf(text,
			"NAME=\"Keelson\"\n"
			"ID=keelson\n"
			"VERSION_ID=%s\n"
			"PRETTY_NAME=\"Keelson %s\"\n"
			"IMAGE_ID=keelson\n"
			"IMAGE_VERSION=%s\n"
			"BUILD_TIME=%lld\n"
			"KUBERNETES_VERSION=%s\n",
			release->version, release->version, release->version, (long long)release->time,
			release->kubernetes);
}

int add_os_release(struct tree *tree, const struct release *release, struct err *err)
{
	struct buf text = {0};
	int r = render_os_release(release, &text);

	r = r < 0 ? err_set(err, -r, "os-release: %s", strerror(-r))
		  : tree_add_text(tree, "/usr/lib/os-release", 0644, buf_string(&text), err);
	buf_free(&text);
	return r < 0 ? r : tree_add_link(tree, "/etc/os-release", "../usr/lib/os-release", err);
}
