/* Manifests that the node could never apply: what is no YAML, or does not say what it is.
 *
 * It is read here as `keelson node` reads it once the API answers, where a mistake is told long after the boot.
 */
#include <string.h>

#include "config/document.h"
#include "lib/manifest_identity.h"

static void check_content(const char *content, const struct yaml_node *at, size_t index, struct report *report)
{
	const char *document;
	unsigned number = 0;
	int found = 0;
	size_t len;

	while ((content = manifest_next(content, &len, &document))) {
		struct manifest_identity identity;
		struct err err;
		int r = manifest_identity_read(document, len, &identity, &err);

		number++;
		if (r < 0)
			report_error(report, at->line, at->column,
				     "keelson.cluster.manifests[%zu].content: document %u: %s", index, number,
				     err.text);
		found |= r;
	}
	if (!found)
		report_error(report, at->line, at->column,
			     "keelson.cluster.manifests[%zu].content: expected a manifest, found nothing", index);
}

void check_manifests(const struct yaml_node *root, const json_t *values, struct report *report)
{
	const struct yaml_child *list = yaml_place(root, "keelson.cluster.manifests");
	const json_t *manifests = values_get(values, "keelson.cluster.manifests");
	size_t room = VALUES_MAX_BYTES;

	for (size_t i = 0; list && i < json_array_size(manifests); i++) {
		const char *content = json_string_value(json_object_get(json_array_get(manifests, i), "content"));
		size_t len = content ? strlen(content) : 0;

		/* more than there may be, by aliases: told as such */
		if (len > room)
			return;
		room -= len;
		if (content)
			check_content(content, yaml_child_of(list->value->children[i].value, "content")->value, i,
				      report);
	}
}
