/* Any bytes as user-data: no crash, no leak, no endless loop, and nothing applied from what is refused.
 *
 * The good and bad documents of tests/data/config/ are read with the corpus.
 */
#include "fuzz.h"

#include "config/document.h"
#include "config/make_node.h"
#include "lib/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	_cleanup_(buf_free) struct buf text = {0};
	int r;

	json_object_seed(1);
	r = document_read(data, len, &document);
	/* errors and refusal are the same thing, and what is valid makes a node, always */
	PROMISE((r == 0) == (document.report.errors == 0));
	report_print(&document.report, "user-data", &text);
	PROMISE(r < 0 || !make_node_config(document.values, "i", "h", "s", &config, NULL));
	return 0;
}
