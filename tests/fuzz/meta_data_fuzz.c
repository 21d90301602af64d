/* meta-data of a seed, and the name that a node takes from it: a name that Kubernetes and /etc/hosts can hold. */
#include "fuzz.h"

#include <ctype.h>

#include "config/node_name.h"
#include "config/seed.h"
#include "lib/cleanup.h"

static void check_name(const char *name)
{
	PROMISE(*name && strlen(name) <= 63 && isalnum((unsigned char)*name));
	for (const char *p = name; *p; p++)
		PROMISE(islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '-');
}

static void choose_names(const char *local_hostname)
{
	static const char *const kept[] = {NULL, "kept-name", "No_Name"};
	json_t *values = json_object();

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		_cleanup_(buf_free) struct buf hosts = {0};
		struct node_name name;

		choose_node_name(values, local_hostname, "0123456789abcdef0123456789abcdef", kept[i], &name);
		check_name(name.name);
		PROMISE(!render_hosts(&name, &hosts) && hosts.data[hosts.len - 1] == '\n');
	}
	json_decref(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_(meta_data_free) struct meta_data meta = {0};
	_cleanup_(report_free) struct report report = {0};
	int r = meta_data_read((const char *)data, len, &meta, &report);

	PROMISE((r == 0) == (report.errors == 0));
	if (meta.instance_id)
		for (const char *p = meta.instance_id; *p; p++)
			PROMISE(isgraph((unsigned char)*p));
	choose_names(meta.local_hostname);
	return 0;
}
