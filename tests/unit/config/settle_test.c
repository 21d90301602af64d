/* What a boot does with seeds that come, go and are wrong: a script of media, and the story that is told. */
#include "config/settle.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "config/node_config.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

static char root[] = "/tmp/keelson-settle-XXXXXX";

/* What lies in the drive, one after the other; each wait puts in the next. "": nothing; NULL: the end of the script. */
static const char *const *script;
static const char *instance;
static int saved_stdout;

static int start(void **state)
{
	struct err err;
	char path[200];
	(void)state;

	strcpy(root, "/tmp/keelson-settle-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(path, sizeof path, "%s/var/lib/keelson/machine-id", root);
	instance = "i-7";
	return file_write_atomic(path, "00c0ffee00112233445566778899aabb\n", 33, 0644, &err);
}

static int open_script(void *arg, struct seed_files *files, struct err *err)
{
	char path[200];
	(void)arg;

	snprintf(path, sizeof path, "%s/seed", root);
	return seed_open_directory(path, files, err);
}

static int read_script(struct seed *seed, struct buf *looked, struct err *err)
{
	char path[200], meta[100];
	int r;

	if (!**script) {
		buf_add_string(looked, "no disk labelled cidata (looked at sr0)");
		return 0;
	}
	snprintf(path, sizeof path, "%s/seed/user-data", root);
	assert_int_equal(file_write_atomic(path, *script, strlen(*script), 0600, err), 0);
	snprintf(path, sizeof path, "%s/seed/meta-data", root);
	snprintf(meta, sizeof meta, "instance-id: %s\n", instance);
	assert_int_equal(file_write_atomic(path, meta, strlen(meta), 0600, err), 0);
	seed->source = strdup("NoCloud on /dev/sr0");
	r = seed_read(open_script, NULL, seed, err);
	return r < 0 ? r : 1;
}

static const struct datasource sources[] = {{"NoCloud", read_script}, {NULL, NULL}};

/* "~": time passes and nothing else. */
static bool next_medium(void *arg, int ms)
{
	(void)arg;
	(void)ms;
	if (!script[1])
		return false;
	if (!strcmp(script[1], "~")) {
		((const char **)(uintptr_t)script)[1] = script[0];
		script++;
		return false;
	}
	script++;
	return true;
}

/* Run a boot, and see that it tells exactly this story. */
static void assert_story(const char **media, const char *expected)
{
	const struct settle settle = {root, sources, next_medium, NULL, NULL};
	_cleanup_(buf_free) struct buf told = {0};
	char path[200];
	struct err err;
	int fd;

	snprintf(path, sizeof path, "%s/story", root);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	fflush(stdout);
	saved_stdout = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
	script = media;
	settle_configuration(&settle);
	dup2(saved_stdout, STDOUT_FILENO);
	close(saved_stdout);
	close(fd);
	assert_int_equal(file_read(path, 1 << 20, &told, &err), 0);
	assert_string_equal(buf_string(&told), expected);
}

static void assert_hostname(const char *expected)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	struct err err;
	char path[200];

	snprintf(path, sizeof path, "%s/run/keelson/node.json", root);
	assert_int_equal(node_config_load(path, &config, &err), 0);
	assert_string_equal(config->hostname, expected);
}

#define GOOD "#cloud-config\nhostname: cp-1\nwrite_files: [{path: /etc/a}, {path: /etc/b}]\n"
#define BAD "#cloud-config\nkeelson: {rolle: single}\nhostnam: x\n"
#define MAINTENANCE                                                                                                    \
	"maintenance mode: the node waits for a seed labelled cidata with user-data and meta-data; it looks again "    \
	"every 15 s\n"

static void a_good_seed_is_put_in_force(void **state)
{
	const char *media[] = {GOOD, NULL};
	(void)state;

	assert_story(media, "NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	assert_hostname("cp-1");
}

static void a_disk_that_comes_late_is_waited_for(void **state)
{
	const char *media[] = {"", "", GOOD, NULL};
	(void)state;

	assert_story(media, "NoCloud on /dev/sr0, instance i-7: 2 files written\n");
}

static void without_a_seed_the_last_known_good_is_used_and_the_reason_told(void **state)
{
	const char *first[] = {GOOD, NULL}, *second[] = {"", NULL};
	(void)state;

	assert_story(first, "NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	assert_story(second, "no disk labelled cidata (looked at sr0)\n"
			     "last known good from NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	assert_hostname("cp-1");
}

static void a_bad_seed_leaves_the_last_known_good_in_force(void **state)
{
	const char *first[] = {GOOD, NULL}, *second[] = {BAD, NULL}, *third[] = {"", NULL};
	(void)state;

	assert_story(first, "NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	assert_story(second, "NoCloud on /dev/sr0: 2 errors in the seed\n"
			     "user-data:2:11: keelson.rolle: unknown key, the nearest is role\n"
			     "user-data:3:1: hostnam: unknown key, the nearest is hostname\n"
			     "last known good from NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	assert_story(third, "no disk labelled cidata (looked at sr0)\n"
			    "last known good from NoCloud on /dev/sr0, instance i-7: 2 files written\n");
}

static void maintenance_mode_tells_the_reason_again_and_ends_with_a_good_seed(void **state)
{
	const char *media[] = {"", "~", "", BAD, "~", "~", GOOD, NULL};
	(void)state;

	/* the first wait is for a disk that comes late */
	assert_story(media,
		     "no disk labelled cidata (looked at sr0)\n" MAINTENANCE
		     "NoCloud on /dev/sr0: 2 errors in the seed\n"
		     "user-data:2:11: keelson.rolle: unknown key, the nearest is role\n"
		     "user-data:3:1: hostnam: unknown key, the nearest is hostname\n" MAINTENANCE
		     "NoCloud on /dev/sr0: 2 errors in the seed: user-data:2:11: keelson.rolle: unknown key, the "
		     "nearest is role\n" MAINTENANCE
		     "NoCloud on /dev/sr0: 2 errors in the seed: user-data:2:11: keelson.rolle: unknown key, the "
		     "nearest is role\n" MAINTENANCE "NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	assert_hostname("cp-1");
}

static void a_seed_that_does_not_fit_the_system_is_refused_like_a_bad_one(void **state)
{
	const char *media[] = {"#cloud-config\nwrite_files: [{path: /etc/x}, {path: /etc/y, owner: nobody-here}]\n",
			       GOOD, NULL};
	char path[200];
	(void)state;

	assert_story(media, "NoCloud on /dev/sr0: it does not fit this system\n"
			    "user-data:2:31: write_files[1].owner: expected a user of this system, found "
			    "\"nobody-here\"\n" MAINTENANCE "NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	snprintf(path, sizeof path, "%s/etc/x", root);
	assert_int_equal(access(path, F_OK), -1);
}

static void a_later_name_is_told_and_not_taken(void **state)
{
	const char *first[] = {GOOD, NULL}, *second[] = {"#cloud-config\nhostname: other\n", NULL};
	(void)state;

	assert_story(first, "NoCloud on /dev/sr0, instance i-7: 2 files written\n");
	instance = "i-8";
	assert_story(second, "the node stays cp-1: a Node is never renamed, though the configuration now says other\n"
			     "NoCloud on /dev/sr0, instance i-8: 0 files written\n");
	assert_hostname("cp-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_good_seed_is_put_in_force, start),
		cmocka_unit_test_setup(a_disk_that_comes_late_is_waited_for, start),
		cmocka_unit_test_setup(without_a_seed_the_last_known_good_is_used_and_the_reason_told, start),
		cmocka_unit_test_setup(a_bad_seed_leaves_the_last_known_good_in_force, start),
		cmocka_unit_test_setup(maintenance_mode_tells_the_reason_again_and_ends_with_a_good_seed, start),
		cmocka_unit_test_setup(a_seed_that_does_not_fit_the_system_is_refused_like_a_bad_one, start),
		cmocka_unit_test_setup(a_later_name_is_told_and_not_taken, start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
