/* Lines of the kernel that name a cgroup: whose it is, and what became of it.
 *
 * Sources: mm/oom_kill.c (dump_oom_summary, "oom-kill:constraint=…"), kernel/cgroup/pids.c ("fork rejected by pids
 * controller in …"), both as in Linux 4.19 to 6.12. Pods' cgroups are named by the kubelet: …/podUID/CONTAINER.
 */
#include "api/kernel_trouble.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define OUT_OF_MEMORY "oom-kill:constraint="
#define TOO_MANY "cgroup: fork rejected by pids controller in "

/* The value of "key=" up to a comma or the end of the line, cut to the room there is. */
static bool take_value(const char *text, const char *key, char *value, size_t size)
{
	const char *at = strstr(text, key);

	if (!at)
		return false;
	at += strlen(key);
	snprintf(value, size, "%.*s", (int)strcspn(at, ",\n"), at);
	return true;
}

/* "/kubepods/besteffort/podUID/ID" is a pod's, "/kube/containerd" and "/system/time" a service's. */
static bool take_owner(const char *cgroup, struct kernel_trouble *trouble)
{
	const char *before = "/pod", *at;

	trouble->pod = !strncmp(cgroup, "/kubepods/", 10);
	if (!trouble->pod) {
		if (*cgroup++ != '/')
			return false;
		before = "/";
	}
	at = strstr(cgroup, before);
	if (!at)
		return false;
	at += strlen(before);
	snprintf(trouble->whose, sizeof trouble->whose, "%.*s", (int)strcspn(at, "/"), at);
	return *trouble->whose != 0;
}

static const char *limit_in_words(const char *text)
{
	char limited[256];

	if (strstr(text, ",global_oom,") || !take_value(text, "oom_memcg=", limited, sizeof limited))
		return "the machine's memory is used up";
	if (strstr(limited, "/pod"))
		return "the pod's limit is reached";
	if (!strncmp(limited, "/kubepods", 9))
		return "what all pods may have is used up";
	return "its limit is reached";
}

static bool parse_memory(const char *text, struct kernel_trouble *trouble)
{
	char cgroup[256];

	trouble->kind = TROUBLE_MEMORY;
	trouble->limit = limit_in_words(text);
	return take_value(text, "task_memcg=", cgroup, sizeof cgroup) && take_owner(cgroup, trouble) &&
	       take_value(text, "task=", trouble->program, sizeof trouble->program);
}

static bool parse_processes(const char *cgroup, struct kernel_trouble *trouble)
{
	char path[256];

	trouble->kind = TROUBLE_PROCESSES;
	snprintf(path, sizeof path, "%.*s", (int)strcspn(cgroup, "\n"), cgroup);
	return take_owner(path, trouble);
}

bool kernel_trouble_parse(const char *record, struct kernel_trouble *trouble)
{
	const char *text = strchr(record, ';');

	memset(trouble, 0, sizeof *trouble);
	if (!text)
		return false;
	text++;
	if (!strncmp(text, OUT_OF_MEMORY, sizeof OUT_OF_MEMORY - 1))
		return parse_memory(text, trouble);
	if (!strncmp(text, TOO_MANY, sizeof TOO_MANY - 1))
		return parse_processes(text + sizeof TOO_MANY - 1, trouble);
	return false;
}

/* Folders are named NAMESPACE_NAME_UID; neither a namespace nor a pod's name holds an underscore. */
void pod_name(const char *logs, const char *uid, char *name, size_t size)
{
	DIR *dir = opendir(logs);
	struct dirent *entry;

	snprintf(name, size, "%s", uid);
	while (dir && (entry = readdir(dir))) {
		const char *first = strchr(entry->d_name, '_'), *second = first ? strchr(first + 1, '_') : NULL;

		if (second && !strcmp(second + 1, uid))
			snprintf(name, size, "%.*s/%.*s", (int)(first - entry->d_name), entry->d_name,
				 (int)(second - first - 1), first + 1);
	}
	if (dir)
		closedir(dir);
}
