/* keelson storage: from a disk to a /var that the rest can use, in the order of the steps below.
 *
 * Runs once, right after the early mounts; nothing else is up yet, no udev either.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <fcntl.h>
#include <unistd.h>

#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/story.h"
#include "storage/check_state.h"
#include "storage/clock_floor.h"
#include "storage/find_state.h"
#include "storage/format_state.h"
#include "storage/inspect_state.h"
#include "storage/machine_id.h"
#include "storage/mount_state.h"
#include "storage/plan_table.h"
#include "storage/random_seed.h"
#include "storage/size_text.h"
#include "storage/var_tree.h"
#include "storage/write_table.h"

#define STATE_MOUNT_POINT "/var"

struct storage {
	char disk[DEVICE_NAME + 8], device[DEVICE_NAME + 8]; /* /dev/vda, /dev/vda7 */
	struct table table;
	struct state_content content;
	enum state_action action;
	uint64_t bytes;	    /* of the partition */
	const char *became; /* what the file system is said to be: "clean", "formatted" */
	bool mounted;	    /* by an earlier run of this boot, which then failed */
};

static int find(struct storage *s, struct err *err)
{
	char disk[DEVICE_NAME], name[DEVICE_NAME];
	const struct partition *state;
	struct stat root;
	int r;

	if (stat("/", &root) < 0)
		return err_errno(err, "stat /");
	r = find_root_disk("/sys", major(root.st_dev), minor(root.st_dev), disk, err);
	if (r < 0)
		return r;
	snprintf(s->disk, sizeof s->disk, "/dev/%s", disk);
	r = table_read(s->disk, &s->table, err);
	if (r >= 0)
		r = table_find(&s->table, TYPE_STATE, &state, err);
	if (r < 0)
		return err_wrap(err, r, "find the state partition on %s", s->disk);
	r = find_partition("/sys", disk, state->number, name, err);
	if (r < 0)
		return r;
	snprintf(s->device, sizeof s->device, "/dev/%s", name);
	r = inspect_state(s->device, &s->content, err);
	s->content.in_use = state->attributes & ATTRIBUTE_IN_USE;
	if (r == 0)
		s->action = decide_state(&s->content);
	s->mounted = is_mounted(s->device, STATE_MOUNT_POINT);
	return r;
}

/* A table that cannot be changed is told, and state goes on at the size it has. */
static void fit_table(struct storage *s)
{
	unsigned char random[48];
	struct table_plan plan;
	struct err err;
	int r;

	if (getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random)
		getrandom(random, sizeof random, 4 /* GRND_INSECURE: unique is enough */);
	r = plan_table(&s->table, s->action == STATE_FORMAT, random, &plan, &err);
	if (r == 0 && plan.disk_is_small)
		story("%s has %s, at least %s are needed: expect a full disk", s->disk,
		      SIZE_TEXT(s->table.sectors * s->table.sector_size), SIZE_TEXT(SMALLEST_DISK));
	if (r == 0 && !plan.nothing)
		r = write_table(s->disk, &s->table, &plan, &err);
	if (r == 0 && plan.grow)
		r = resize_in_kernel(s->disk, &s->table, &plan, &err);
	if (r < 0)
		story("state keeps its size: %s", err.text);
}

static int measure(struct storage *s, struct err *err)
{
	_cleanup_close_ int fd = open(s->device, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &s->bytes) < 0)
		return err_errno(err, "size of %s", s->device);
	return 0;
}

static int check(struct storage *s, struct err *err)
{
	bool repaired;
	int r = check_state(s->device, &repaired, err);

	s->became = repaired ? "repaired, what had lost its name is in lost+found" : "checked";
	return r;
}

/* A file system that looks clean but does not mount gets one check. */
static int mount_or_check(struct storage *s, struct err *err)
{
	int r = mount_state(s->device, STATE_MOUNT_POINT, err);

	if (r == 0 || s->action == STATE_FORMAT || s->action == STATE_FORMAT_AGAIN)
		return r;
	story("%s", err->text);
	r = check(s, err);
	return r < 0 ? r : mount_state(s->device, STATE_MOUNT_POINT, err);
}

static int format(struct storage *s, struct err *err)
{
	int r = format_state(s->device, s->bytes, err);

	return r < 0 ? r : commit_format(s->device, s->bytes, err);
}

static int prepare(struct storage *s, struct err *err)
{
	switch (s->action) {
	case STATE_FORMAT:
	case STATE_FORMAT_AGAIN:
		s->became = s->action == STATE_FORMAT ? "formatted" : "formatted again after a cut";
		return format(s, err);
	case STATE_CHECK:
		return check(s, err);
	case STATE_MOUNT:
		s->became = "clean";
		return 0;
	case STATE_REFUSE:
		break;
	}
	if (!s->content.found[0])
		return err_set(err, EUCLEAN,
			       "%s: expected the ext4 that was there, found nothing of it that can be read", s->device);
	return err_set(err, EEXIST, "%s: expected ext4 or zeroes, found %s", s->device, s->content.found);
}

/* A table that cannot be written is told, and the next boot tries again. */
static void mark_in_use(const struct storage *s)
{
	struct table table;
	struct table_plan plan;
	struct err err;
	int r;

	if (s->content.in_use && s->action != STATE_FORMAT)
		return;
	r = table_read(s->disk, &table, &err);
	if (r == 0)
		r = plan_mark(&table, &plan, &err);
	if (r == 0 && !plan.nothing)
		r = write_table(s->disk, &table, &plan, &err);
	if (r < 0)
		story("%s", err.text);
}

static int bring_up(struct storage *s, struct err *err)
{
	bool fresh = s->action == STATE_FORMAT || s->action == STATE_FORMAT_AGAIN;
	struct err small;
	int r = measure(s, err);

	s->became = "mounted already";
	if (r == 0 && !s->mounted)
		r = prepare(s, err);
	if (r == 0 && !s->mounted)
		r = mount_or_check(s, err);
	if (r < 0)
		return r;
	mark_in_use(s);
	if (set_clock_floor("/usr/lib/os-release", SAVED_TIME_PATH, &small) < 0)
		story("%s", small.text);
	if (!fresh && s->content.primary.present &&
	    grow_file_system(STATE_MOUNT_POINT, s->content.primary.bytes, s->bytes, &small) < 0)
		story("%s", small.text);
	return make_var_tree(STATE_MOUNT_POINT, err);
}

/* None of these stops a boot. */
static void settle(void)
{
	struct err err;
	bool credited;

	if (set_machine_id("/var/lib/keelson/machine-id", "/etc/machine-id", &err) < 0)
		story("%s", err.text);
	if (load_random_seed(RANDOM_SEED_PATH, &credited, &err) < 0)
		story("%s", err.text);
}

static void tell(const struct storage *s)
{
	struct err err;

	story("%s %s ext4 %s, on %s", s->device, SIZE_TEXT(s->bytes), s->became, STATE_MOUNT_POINT);
	if (describe_fullness(STATE_MOUNT_POINT, &err) > 0)
		story("%s", err.text);
}

/* What a person can do; the data is never given up without one. */
static void advise(const struct storage *s)
{
	if (!s->device[0])
		return;
	fprintf(stderr,
		"nothing on %s was given up; without it this node does not start. From a rescue system: save what "
		"matters,\n"
		"try e2fsck -y %s, or give it up for good with dd if=/dev/zero of=%s bs=1M count=1 and it is formatted "
		"at the "
		"next boot\n",
		s->device, s->device, s->device);
}

static int run(void)
{
	struct storage s = {0};
	struct err err;
	int r = find(&s, &err);

	if (r == 0) {
		if (!s.mounted)
			fit_table(&s);
		r = bring_up(&s, &err);
	}
	if (r == 0) {
		settle();
		r = mount_opt(&err);
	}
	if (r < 0) {
		fprintf(stderr, "%s\n", err.text);
		if (r != -ENOSPC)
			advise(&s);
		return 1;
	}
	tell(&s);
	return 0;
}

int storage_main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1)
		return run();
	fprintf(stderr, "usage: keelson storage\n");
	return 2;
}
