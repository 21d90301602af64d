/* Reading the strings and names of services. */
#include "lib/service.h"

#include <string.h>

const char *service_word(const struct service *service, struct words words, unsigned index)
{
	if (index >= words.count)
		return "";
	for (size_t at = words.first; at < service->text_used; at += strlen(service->text + at) + 1)
		if (!index--)
			return service->text + at;
	return "";
}

int service_find(const struct service_set *set, const char *name)
{
	for (unsigned i = 0; i < set->count; i++)
		if (!strcmp(set->services[i].name, name))
			return (int)i;
	return -1;
}
