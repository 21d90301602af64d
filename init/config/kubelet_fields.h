/* The names that keelson.kubelet.config may have. */
#ifndef KEELSON_KUBELET_FIELDS_H
#define KEELSON_KUBELET_FIELDS_H

/* The field whose name is nearest, itself included; NULL when none is near. */
const char *kubelet_field_near(const char *name);

#endif
