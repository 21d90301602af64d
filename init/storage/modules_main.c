/* `keelson modules`: modules that pods need and no device asks for, and the processor's own (kvm, crypto).
 *
 * Run once the runtime is up: br_netfilter with bridge takes as long as all drivers of a virtual machine, and nothing
 * before the first pod needs any of them.
 */
#include <stdio.h>
#include <time.h>

#include "keelson.h"
#include "lib/story.h"
#include "storage/device_modules.h"

#define LOADING_MS 60000

/* br_netfilter passes bridged packets to iptables as soon as it is there: the kernel's default is on. */
static const struct {
	const char *module, *reason;
} pod_modules[] = {
	{"overlay", "container root file systems"},
	{"br_netfilter", "packets of bridged pods pass iptables"},
	{"nf_conntrack", "kube-proxy sets its limits before the first rule loads it"},
};

int modules_main(int argc, char **argv)
{
	struct loading loading = {0, -1};
	struct alias_set aliases = {0};
	unsigned before = count_modules(), loaded;

	(void)argv;
	if (argc != 1) {
		fprintf(stderr, "usage: keelson modules\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof pod_modules / sizeof *pod_modules; i++)
		add_alias(&aliases, pod_modules[i].module);
	add_processor_alias(&aliases, "/sys");
	start_loading(&loading, &aliases);
	await_loading(&loading, LOADING_MS);
	loaded = count_modules() - before;
	story("%u module%s for pods and the processor", loaded, loaded == 1 ? "" : "s");
	buf_free(&aliases.text);
	return 0;
}
