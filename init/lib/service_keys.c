/* Every key of a service file: one row, which the parser, its errors and configs/services/README.md follow. */
#include <stddef.h>

#include "lib/service_value.h"

#define FIELD(name) offsetof(struct service, name)

static const char *const types[] = {"simple", "oneshot", "notify", NULL};
static const char *const kill_modes[] = {"control-group", "process", NULL};
static const char *const restarts[] = {"no", "on-failure", "always", NULL};
static const char *const slices[] = {"system", "kube", NULL};

#define DAY ((int64_t)86400000)

const struct service_key service_keys[] = {
	{"Unit", "Description", value_text, FIELD(description), 0, 0, NULL, "one line for people"},
	{"Unit", "After", value_names, FIELD(after_names), 0, 0, NULL,
	 "starts when these are ready, have failed or were skipped"},
	{"Unit", "Before", value_names, FIELD(before_names), 0, 0, NULL, "these start after this one"},
	{"Unit", "Requires", value_names, FIELD(requires_names), 0, 0, NULL,
	 "starts only when these are ready; stopped with them"},
	{"Unit", "Wants", value_names, FIELD(wants_names), 0, 0, NULL, "started together with this one"},
	{"Unit", "ConditionPathExists", value_words, FIELD(conditions), 0, 0, NULL,
	 "skipped unless the path exists (with ! in front: when it does)"},

	{"Service", "Type", value_enum, FIELD(type), 0, 0, types,
	 "simple: ready once executed; oneshot: once it exits with 0; notify: once it says READY=1"},
	{"Service", "ExecStart", value_command, FIELD(exec_start), 0, 0, NULL,
	 "the program and its arguments, no shell"},
	{"Service", "Environment", value_environment, FIELD(environment), 0, 0, NULL, "NAME=value …"},
	{"Service", "EnvironmentFile", value_paths, FIELD(environment_files), 0, 0, NULL,
	 "lines NAME=value, read before each start (- in front: may be missing)"},
	{"Service", "WorkingDirectory", value_paths, FIELD(working_directory), 0, 0, NULL, "where it runs; /"},
	{"Service", "RemainAfterExit", value_bool, FIELD(remain_after_exit), 0, 0, NULL,
	 "a oneshot stays up after it is done"},
	{"Service", "KillMode", value_enum, FIELD(kill_mode), 0, 0, kill_modes,
	 "whom a stop ends: the whole cgroup, or the main process alone"},
	{"Service", "Restart", value_enum, FIELD(restart), 0, 0, restarts, "when it is started again"},
	{"Service", "TimeoutStartSec", value_time, FIELD(start_timeout), 1, DAY, NULL, "90s; a oneshot: none"},
	{"Service", "TimeoutStopSec", value_time, FIELD(stop_timeout), 1, DAY, NULL, "10s from TERM to KILL"},
	{"Service", "OOMScoreAdjust", value_i16, FIELD(oom_score_adjust), -1000, 1000, NULL, "-1000 … 1000"},
	{"Service", "LimitNOFILE", value_limit, FIELD(limit_nofile), 0, 0, NULL, "a number or infinity"},
	{"Service", "LimitNPROC", value_limit, FIELD(limit_nproc), 0, 0, NULL, "a number or infinity"},
	{"Service", "LimitCORE", value_limit, FIELD(limit_core), 0, 0, NULL, "bytes or infinity"},
	{"Service", "LimitMEMLOCK", value_limit, FIELD(limit_memlock), 0, 0, NULL, "bytes or infinity"},
	{"Service", "MemoryMin", value_bytes, FIELD(memory_min), 0, 0, NULL, "memory that is never taken from it"},
	{"Service", "MemoryLow", value_bytes, FIELD(memory_low), 0, 0, NULL, "memory that is taken from others first"},
	{"Service", "MemoryMax", value_bytes, FIELD(memory_max), 0, 0, NULL, "more ends it"},
	{"Service", "CPUWeight", value_i16, FIELD(cpu_weight), 1, 10000, NULL, "its share of the processors; 100"},
	{"Service", "Slice", value_enum, FIELD(slice), 0, 0, slices, "the parent of its cgroup"},
	{"Service", "User", value_text, FIELD(user), 0, 0, NULL, "a name of /etc/passwd, or a number"},
	{"Service", "NoNewPrivileges", value_bool, FIELD(no_new_privileges), 0, 0, NULL,
	 "set-uid programs stay powerless"},
	{"Service", "CapabilityBoundingSet", value_capabilities, FIELD(capabilities), 0, 0, NULL,
	 "CAP_… that it may have; ~ in front: all but these"},
	{"Service", "ReadOnlyPaths", value_paths, FIELD(read_only_paths), 0, 0, NULL, "mounts that it sees read-only"},
	{"Service", "PrivateTmp", value_bool, FIELD(private_tmp), 0, 0, NULL, "its own empty /tmp, in memory"},
	{"Service", "PrivateNetwork", value_bool, FIELD(private_network), 0, 0, NULL, "no network but its own lo"},
	{"Service", "PrivateIPC", value_bool, FIELD(private_ipc), 0, 0, NULL, "its own System V and POSIX queues"},

	{"Keelson", "Story", value_bool, FIELD(story), 0, 0, NULL, "what it prints is shown on the console"},
	{"Keelson", "Ready", value_probe, FIELD(ready), 0, 0, NULL,
	 "exec:COMMAND that succeeds, or fd:N that gets a newline"},
	{"Keelson", "Liveness", value_probe, FIELD(liveness), 0, 0, NULL,
	 "exec:COMMAND; failing in a row means restart"},
	{"Keelson", "LivenessSec", value_time, FIELD(liveness_interval), 1, DAY, NULL, "15s between two probes"},
	{"Keelson", "LivenessTimeoutSec", value_time, FIELD(liveness_timeout), 1, DAY, NULL,
	 "10s, then a probe has failed"},
	{"Keelson", "LivenessFailures", value_i16, FIELD(liveness_failures), 1, 100, NULL, "3 in a row"},
	{"Keelson", "HealthySec", value_time, FIELD(healthy_after), 1, DAY, NULL, "5s up: the next restart is at once"},
	{"Keelson", "GiveUpAfter", value_i16, FIELD(give_up_after), 0, 1000, NULL, "failures in a row; 0: never"},
	{"Keelson", "BeforeShutdown", value_probe, FIELD(before_shutdown), 0, 0, NULL,
	 "exec:COMMAND run at shutdown, once all services after this one are stopped"},
	{"Keelson", "BeforeShutdownSec", value_time, FIELD(before_shutdown_timeout), 1, DAY, NULL, "30s for it"},
	{NULL, NULL, NULL, 0, 0, 0, NULL, NULL},
};
