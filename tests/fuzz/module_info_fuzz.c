/* A kernel module: its .modinfo section, as init and mkimage read it. */
#include "fuzz.h"

#include "boot/module_info.h"
#include "root/make_root.h"

static void read_all(const struct module_info *info)
{
	static const char *const keys[] = {"alias=", "depends=", ""};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		for (const char *at = NULL; (at = module_info_next(info, keys[i], at));)
			PROMISE(at + strlen(at) < info->text + info->len);
	module_info_depends(info, "virtio_ring");
	module_info_depends(info, "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct module_info info;
	char *depends = NULL;

	if (!module_info_find(data, len, &info)) {
		PROMISE(info.len && !info.text[info.len - 1]);
		read_all(&info);
	}
	if (!module_depends(data, len, &depends))
		PROMISE(depends);
	free(depends);
	return 0;
}
