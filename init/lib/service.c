/* Reading the strings and names of services. */
#include "lib/service.h"

#include <string.h>

const char *service_text(const struct service *service, uint16_t offset)
{
	return offset < service->text_used ? service->text + offset : "";
}

const char *service_word(const struct service *service, struct words words, unsigned index)
{
	size_t at = words.first;

	if (index >= words.count)
		return "";
	while (index-- && at < service->text_used)
		at += strlen(service->text + at) + 1;
	return at < service->text_used ? service->text + at : "";
}

int service_find(const struct service_set *set, const char *name)
{
	for (unsigned i = 0; i < set->count; i++)
		if (!strcmp(set->services[i].name, name))
			return (int)i;
	return -1;
}
