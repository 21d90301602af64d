/* What the kernel's log says of a pod that took too much. */
#ifndef KEELSON_KERNEL_TROUBLE_H
#define KEELSON_KERNEL_TROUBLE_H

#include <stdbool.h>
#include <stddef.h>

enum trouble_kind { TROUBLE_MEMORY, TROUBLE_PROCESSES };

struct kernel_trouble {
	enum trouble_kind kind;
	char whose[64];	   /* a pod's uid, or a service's name */
	bool pod;	   /* whose is a pod */
	char program[17];  /* what was ended (TROUBLE_MEMORY) */
	const char *limit; /* whose limit it was, in words (TROUBLE_MEMORY) */
};

/* Pure. One record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg), NUL-ended. Returns whether it is such a trouble. */
bool kernel_trouble_parse(const char *record, struct kernel_trouble *trouble);

/* NAMESPACE/NAME of the pod with that uid, by the folders that the kubelet makes below logs ("/var/log/pods"); the uid
 * itself where there is none. */
void pod_name(const char *logs, const char *uid, char *name, size_t size);

#endif
