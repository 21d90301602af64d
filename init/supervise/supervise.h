/* Stage 2 of PID 1: services are started, kept, logged and stopped, and the machine ends as asked.
 *
 * Called once the early mounts are there (/proc, /sys, /dev, /run, /sys/fs/cgroup). Never returns, never exits.
 */
#ifndef KEELSON_SUPERVISE_H
#define KEELSON_SUPERVISE_H

struct supervise_options {
	const char *table;	 /* NULL: SERVICE_TABLE_PATH */
	const char *cgroup_root; /* NULL: /sys/fs/cgroup */
	const char *run;	 /* NULL: /run/keelson */
	const char *logs;	 /* NULL: /var/log/keelson */
	const char *logs_after;	 /* the service that mounts it; NULL: storage */
	const char *console;	 /* NULL: every console of /sys/class/tty/console/active */
	const char *watchdog;	 /* NULL: /dev/watchdog */
};

/* options may be NULL: all defaults. */
_Noreturn void supervise(const struct supervise_options *options);

#endif
