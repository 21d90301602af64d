/* What a kubelet of an archive says that it is. */
#include "fuzz.h"

#include "lib/kubernetes_version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct kubernetes_version *version = malloc(sizeof *version); /* its end is watched */
	char *text = fuzz_string(data, len);
	struct err err = {""};

	PROMISE(version);
	if (kubernetes_version_parse(text, version, &err) < 0) {
		PROMISE(err.text[0] && !kubernetes_version_supported(text, NULL));
	} else {
		PROMISE(version->minor >= KUBERNETES_MINOR_FIRST && version->minor <= KUBERNETES_MINOR_LAST);
		PROMISE(!strcmp(version->text, text) && !strpbrk(text, " /\n"));
	}
	free(text);
	free(version);
	return 0;
}
