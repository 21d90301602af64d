/* The request "services" and its answer as rows. */
#include "api/ask_services.h"

#include "api/control_client.h"
#include "lib/cleanup.h"

#define ANSWER_TIMEOUT_MS 5000

int ask_services(struct service_rows *rows, struct err *err)
{
	_cleanup_(buf_free) struct buf answer = {0};
	int r = control_request(CONTROL_PATH, "services", ANSWER_TIMEOUT_MS, &answer, err);

	if (r < 0)
		return r;
	service_rows_parse(buf_string(&answer), rows);
	return 0;
}
