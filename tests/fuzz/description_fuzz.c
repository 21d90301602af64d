/* An image description: every refusal says where. */
#include "fuzz.h"

#include "description.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct description description = {0};
	char *extends = NULL;
	struct err err = {""};

	if (description_extends("a.yaml", (const char *)data, len, &extends, &err) < 0)
		PROMISE(!strncmp(err.text, "a.yaml:", 7));
	else
		PROMISE(!extends || !strpbrk(extends, "/."));
	if (description_parse("a.yaml", (const char *)data, len, &description, &err) < 0)
		PROMISE(!strncmp(err.text, "a.yaml:", 7));
	else if (description_check("a.yaml", &description, &err) < 0)
		PROMISE(!strncmp(err.text, "a.yaml:", 7));
	description_free(&description);
	free(extends);
	return 0;
}
