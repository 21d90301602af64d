/* A service: what configs/services/NAME.service says, in a form that PID 1 can load without allocating.
 *
 * Everything lies inside the struct. Strings are kept one behind the other in text, and named by their offset; a list
 * of strings is the offset of its first and their number. service_file.h fills one from a file, check_services.h joins
 * many into a set and resolves their dependencies, service_table.h writes and reads the compiled table.
 */
#ifndef KEELSON_SERVICE_H
#define KEELSON_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#define SERVICES_MAX 128
#define SERVICE_NAME_MAX 32   /* with the NUL; names are [a-z0-9-]+ */
#define SERVICE_TEXT_MAX 2048 /* all strings of one service together */
#define SERVICE_FOREVER UINT32_MAX

enum service_type { SERVICE_SIMPLE, SERVICE_ONESHOT, SERVICE_NOTIFY };
enum service_kill_mode { KILL_CONTROL_GROUP, KILL_PROCESS };
enum service_restart { RESTART_NO, RESTART_ON_FAILURE, RESTART_ALWAYS };
enum service_slice { SLICE_SYSTEM, SLICE_KUBE };

/* Strings one behind the other in service.text. */
struct words {
	uint16_t first; /* offset of the first */
	uint16_t count;
};

/* A set of services, by their index. */
#define SERVICE_MASK_WORDS (SERVICES_MAX / 64)
struct service_mask {
	uint64_t bits[SERVICE_MASK_WORDS];
};

struct service {
	char name[SERVICE_NAME_MAX];
	uint8_t type, kill_mode, restart, slice;
	bool story; /* its lines are shown on the console */
	bool remain_after_exit;
	bool no_new_privileges;
	bool private_network, private_ipc, private_tmp; /* namespaces of its own */
	bool bound_capabilities;			/* capabilities is in force */
	uint8_t ready_fd;				/* Ready=fd:N, or 0 */
	uint32_t start_timeout;				/* milliseconds; SERVICE_FOREVER: none */
	uint32_t stop_timeout;
	uint32_t healthy_after; /* up for so long: the next failure is the first */
	uint32_t liveness_interval, liveness_timeout;
	uint32_t before_shutdown_timeout;
	uint16_t liveness_failures; /* so many in a row: restarted */
	uint16_t give_up_after;	    /* failures in a row; 0: never */
	uint16_t cpu_weight;	    /* 0: the kernel's default */
	int16_t oom_score_adjust;
	uint64_t limit_nofile, limit_nproc, limit_core; /* UINT64_MAX: unlimited; 0: as PID 1 has it */
	uint64_t limit_memlock;
	uint64_t memory_min, memory_low, memory_max; /* bytes; 0: not set */
	uint64_t capabilities;			     /* CapabilityBoundingSet=, one bit each */
	struct words description, user, exec_start, environment, environment_files, conditions, working_directory;
	struct words read_only_paths;
	struct words ready, liveness, before_shutdown;			     /* commands */
	struct words after_names, before_names, requires_names, wants_names; /* as written, without ".service" */
	struct service_mask after, requires, wants; /* resolved; after holds requires and the others' Before= too */
	uint16_t text_used;
	char text[SERVICE_TEXT_MAX];
};

/* All services of a node, in the order of their names. About 300 KiB: a static variable, not one on the stack. */
struct service_set {
	uint32_t count;
	struct service services[SERVICES_MAX];
};

/* A string of a list; "" when the list is shorter. */
const char *service_word(const struct service *service, struct words words, unsigned index);

/* The index of a service by its name, or -1. */
int service_find(const struct service_set *set, const char *name);

static inline bool mask_has(const struct service_mask *mask, unsigned index)
{
	return mask->bits[index / 64] >> (index % 64) & 1;
}

static inline void mask_add(struct service_mask *mask, unsigned index)
{
	mask->bits[index / 64] |= (uint64_t)1 << (index % 64);
}

#endif
