/* Any bytes as user-data: no crash, no leak, no endless loop, and nothing applied from what is refused.
 *
 * clang -fsanitize=fuzzer,address,undefined; the corpus is tests/data/config/ and tests/fuzz/corpus/cloud_config/.
 */
#include <stdint.h>
#include <stdlib.h>

#include "config/document.h"
#include "config/make_node.h"
#include "lib/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	_cleanup_(buf_free) struct buf text = {0};
	int r = document_read(data, size, &document);

	/* errors and refusal are the same thing */
	if ((r == 0) != (document.report.errors == 0))
		abort();
	report_print(&document.report, "user-data", &text);
	/* what is valid makes a node, always */
	if (r == 0 && make_node_config(document.values, "i", "h", "s", &config, NULL) < 0)
		abort();
	return 0;
}
