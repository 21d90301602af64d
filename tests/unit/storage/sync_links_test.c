#include "storage/sync_links.h"

#include <sys/stat.h>

#include "unit/test.h"

static char root[64];
static struct err err;

static int make_root(void **state)
{
	(void)state;
	strcpy(root, "/tmp/keelson-links-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static void assert_leads_to(const char *link, const char *target)
{
	char path[256], now[256];
	ssize_t n;

	snprintf(path, sizeof path, "%s/%s", root, link);
	n = readlink(path, now, sizeof now - 1);
	if (!target) {
		assert_int_equal(n, -1);
		return;
	}
	assert_true(n > 0);
	now[n] = 0;
	assert_string_equal(now, target);
}

static void links_are_made_with_their_folders(void **state)
{
	struct wanted_link links[] = {{"mapper/root", "dm-0", 2}, {"disk/by-uuid/12-34", "vda2", 1}};
	(void)state;

	assert_int_equal(settle_links(links, 2), 2);
	assert_int_equal(sync_links(root, links, 2, &err), 0);
	assert_leads_to("mapper/root", "../dm-0");
	assert_leads_to("disk/by-uuid/12-34", "../../vda2");
}

static void a_link_nobody_wants_any_more_goes_and_a_changed_one_leads_elsewhere(void **state)
{
	struct wanted_link before[] = {{"disk/by-label/a", "vda", 0}, {"disk/by-label/b", "vdb", 1}};
	struct wanted_link after[] = {{"disk/by-label/b", "vdc", 0}};
	(void)state;

	assert_int_equal(sync_links(root, before, 2, &err), 0);
	assert_int_equal(sync_links(root, after, 1, &err), 0);
	assert_leads_to("disk/by-label/a", NULL);
	assert_leads_to("disk/by-label/b", "../../vdc");
}

static void of_two_devices_with_one_name_the_first_has_it(void **state)
{
	struct wanted_link links[] = {
		{"disk/by-label/x", "vdb", 5}, {"disk/by-label/x", "vda", 2}, {"disk/by-label/y", "vdb", 5}};
	(void)state;

	assert_int_equal(settle_links(links, 3), 2);
	assert_string_equal(links[0].name, "vda");
	assert_string_equal(links[1].link, "disk/by-label/y");
}

static void what_is_no_link_is_never_taken_away(void **state)
{
	char path[128];
	FILE *file;
	(void)state;

	snprintf(path, sizeof path, "%s/mapper", root);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof path, "%s/mapper/control", root);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(sync_links(root, NULL, 0, &err), 0);
	assert_int_equal(access(path, F_OK), 0);
}

static void one_link_that_cannot_be_made_costs_no_other(void **state)
{
	struct wanted_link links[] = {{"disk/by-label/a", "vda", 0}, {"disk/by-uuid/b", "vdb", 1}};
	char path[128];
	(void)state;

	snprintf(path, sizeof path, "%s/disk", root);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof path, "%s/disk/by-label", root);
	fclose(fopen(path, "w")); /* a file where a folder must be */
	assert_true(sync_links(root, links, 2, &err) < 0);
	assert_leads_to("disk/by-uuid/b", "../../vdb");
}

#define in_a_root(test) cmocka_unit_test_setup(test, make_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_root(links_are_made_with_their_folders),
		in_a_root(a_link_nobody_wants_any_more_goes_and_a_changed_one_leads_elsewhere),
		in_a_root(of_two_devices_with_one_name_the_first_has_it),
		in_a_root(what_is_no_link_is_never_taken_away),
		in_a_root(one_link_that_cannot_be_made_costs_no_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
