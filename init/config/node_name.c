/* What the node is called. */
#include "config/node_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "config/document.h"
#include "config/schema.h"

#define ID_DIGITS 6

static bool is_name(const char *text, enum value_type type)
{
	const struct key key = {.path = "", .type = type};

	return type_infos[type].check(&key, text, NULL);
}

/* Name and full name from one that may have dots. */
static void split_name(const char *text, struct node_name *chosen)
{
	snprintf(chosen->name, sizeof chosen->name, "%.*s", (int)strcspn(text, "."), text);
	if (strchr(text, '.'))
		snprintf(chosen->full, sizeof chosen->full, "%s", text);
}

static bool from_document(const json_t *values, struct node_name *chosen)
{
	const char *hostname = values_string(values, "hostname"), *fqdn = values_string(values, "fqdn");

	if (hostname)
		split_name(hostname, chosen);
	else if (fqdn)
		split_name(fqdn, chosen);
	if (fqdn)
		snprintf(chosen->full, sizeof chosen->full, "%s", fqdn);
	if (fqdn && json_is_true(values_get(values, "prefer_fqdn_over_hostname")))
		snprintf(chosen->name, sizeof chosen->name, "%.63s", fqdn);
	return hostname || fqdn;
}

/* Clouds write names as they like; what Kubernetes cannot take is passed over and told. */
static bool from_meta_data(const char *local_hostname, struct node_name *chosen)
{
	char lower[254];
	size_t n = 0;

	if (!local_hostname)
		return false;
	for (; local_hostname[n] && n < sizeof lower - 1; n++)
		lower[n] = (char)tolower((unsigned char)local_hostname[n]);
	lower[n] = 0;
	if (!local_hostname[n] && is_name(lower, TYPE_DOMAIN)) {
		split_name(lower, chosen);
		return true;
	}
	snprintf(chosen->odd, sizeof chosen->odd, "%s", local_hostname);
	return false;
}

void choose_node_name(const json_t *values, const char *local_hostname, const char *machine_id, const char *kept,
		      struct node_name *chosen)
{
	bool given;

	*chosen = (struct node_name){0};
	given = from_document(values, chosen) || from_meta_data(local_hostname, chosen);
	if (!given)
		snprintf(chosen->name, sizeof chosen->name, "node-%.*s", ID_DIGITS, machine_id);
	if (!kept || !is_name(kept, TYPE_HOSTNAME) || !strcmp(kept, chosen->name))
		return;
	if (given)
		memcpy(chosen->refused, chosen->name, sizeof chosen->name);
	snprintf(chosen->name, sizeof chosen->name, "%s", kept);
	chosen->full[0] = 0;
}

int render_hosts(const struct node_name *name, struct buf *text)
{
	return buf_addf(text,
			"127.0.0.1 localhost\n"
			"::1 localhost ip6-localhost ip6-loopback\n"
			"ff02::1 ip6-allnodes\n"
			"ff02::2 ip6-allrouters\n"
			"127.0.1.1 %s%s%s\n",
			strcmp(name->full, name->name) ? name->full : "",
			*name->full && strcmp(name->full, name->name) ? " " : "", name->name);
}
