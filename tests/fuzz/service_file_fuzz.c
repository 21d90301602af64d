/* A service file: parsed, and what was parsed goes through the table and back unchanged. */
#include "fuzz.h"

#include "lib/check_services.h"
#include "lib/service_file.h"
#include "lib/service_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct service_set set, decoded;
	static struct service service;
	struct buf table = {0};
	struct err err = {""};

	if (service_file_parse("a/fuzzed.service", (const char *)data, len, &service, &err) < 0) {
		PROMISE(!strncmp(err.text, "a/fuzzed.service:", 17)); /* every refusal says where */
		return 0;
	}
	set.count = 0;
	service_set_add(&set, &service, &err);
	set.services[0].after_names.count = set.services[0].before_names.count = 0;
	set.services[0].requires_names.count = set.services[0].wants_names.count = 0;
	PROMISE(!check_services(&set, &err) && !service_table_encode(&set, &table, &err));
	PROMISE(!service_table_decode(table.data, table.len, &decoded,
				      &err)); /* what the builder writes, PID 1 takes */
	PROMISE(decoded.services[0].text_used == service.text_used);
	PROMISE(!memcmp(decoded.services[0].text, service.text, service.text_used));
	buf_free(&table);
	return 0;
}
