#include "root/tree.h"

#include "root/parts.h"
#include "unit/test.h"

static struct err err;

static void paths_move_into_the_merged_usr(void **state)
{
	static const char *const cases[][2] = {
		{"/bin/ls", "/usr/bin/ls"},
		{"/sbin", "/usr/sbin"},
		{"/lib64/ld-linux-x86-64.so.2", "/usr/lib64/ld-linux-x86-64.so.2"},
		{"/lib/modules", "/usr/lib/modules"},
		{"/library/x", "/library/x"},
		{"/usr/bin/ls", "/usr/bin/ls"},
		{"/etc/lib", "/etc/lib"},
	};
	char merged[PATH_MAX];
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(merge_path(cases[i][0], merged), 0);
		assert_string_equal(merged, cases[i][1]);
	}
}

static void a_link_that_moves_still_leads_to_the_same_file(void **state)
{
	static const char *const cases[][3] = {
		{"/bin/lsmod", "kmod", "kmod"},
		{"/sbin/lsmod", "../bin/kmod", "../bin/kmod"},
		{"/sbin/rmmod", "/bin/kmod", "/bin/kmod"},
		{"/lib/x86_64-linux-gnu/libz.so", "../../usr/share/z", "/usr/share/z"},
		{"/usr/lib/x/y", "../z", "../z"},
	};
	char merged[PATH_MAX], target[PATH_MAX];
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(merge_path(cases[i][0], merged), 0);
		assert_int_equal(merge_target(cases[i][0], merged, cases[i][1], target), 0);
		assert_string_equal(target, cases[i][2]);
	}
}

static void a_pattern_drops_what_is_below_it_too(void **state)
{
	char *items[] = {(char *)"/usr/share/doc", (char *)"/usr/share/perl*", (char *)"/var/*"};
	struct strings patterns = {items, 3};
	(void)state;

	assert_true(path_dropped(&patterns, "/usr/share/doc"));
	assert_true(path_dropped(&patterns, "/usr/share/doc/libc6/copyright"));
	assert_false(path_dropped(&patterns, "/usr/share/doc-base"));
	assert_true(path_dropped(&patterns, "/usr/share/perl5/x/y"));
	assert_true(path_dropped(&patterns, "/var/cache/apt"));
	assert_false(path_dropped(&patterns, "/var"));
	assert_false(path_dropped(NULL, "/var"));
}

static void a_file_of_two_parts_is_an_error_that_names_both(void **state)
{
	struct tree tree = {0};
	struct node_wish one = {.path = "/bin/ls", .type = NODE_FILE, .bytes = "a", .size = 1, .from = "coreutils"};
	struct node_wish two = {.path = "/usr/bin/ls", .type = NODE_LINK, .target = "busybox", .from = "busybox"};
	(void)state;

	assert_int_equal(tree_add(&tree, &one, &err), 0);
	assert_int_equal(tree_add(&tree, &two, &err), -EEXIST);
	assert_string_equal(err.text, "/usr/bin/ls: expected in one part only, found a file of coreutils and a link of "
				      "busybox: list it under replace or drop");
	tree_free(&tree);
}

static void a_listed_file_may_be_replaced_and_equal_things_agree(void **state)
{
	char *items[] = {(char *)"/etc/hosts"};
	struct strings replace = {items, 1};
	struct tree tree = {.replace = &replace};
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/etc/hosts", 0644, "old", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/etc/hosts", 0644, "new", &err), 0);
	assert_memory_equal(tree_find(&tree, "/etc/hosts")->bytes, "new", 3);
	assert_int_equal(tree_add_link(&tree, "/etc/mtab", "../proc/self/mounts", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/etc/mtab", "../proc/self/mounts", &err), 0);
	assert_int_equal(tree_add_directory(&tree, "/etc/x", 0700, &err), 0);
	assert_int_equal(tree_add_directory(&tree, "/etc/x", 0755, &err), 0);
	assert_int_equal(tree_find(&tree, "/etc/x")->mode, 0700);
	tree_free(&tree);
}

static void missing_directories_are_made_in_order(void **state)
{
	struct tree tree = {0};
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/usr/lib/a/b/c", 0644, "", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/usr/lib-a", 0644, "", &err), 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_int_equal(tree.count, 6);
	for (size_t i = 1; i < tree.count; i++)
		assert_true(strcmp(tree.nodes[i - 1]->path, tree.nodes[i]->path) < 0);
	assert_int_equal(tree_find(&tree, "/usr/lib/a")->type, NODE_DIRECTORY);
	tree_free(&tree);
}

static void a_file_below_a_file_is_refused(void **state)
{
	struct tree tree = {0};
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/etc/a", 0644, "", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/etc/a/b", 0644, "", &err), 0);
	assert_int_equal(tree_complete(&tree, &err), -ENOTDIR);
	tree_free(&tree);
}

static void links_are_followed_inside_the_tree(void **state)
{
	struct tree tree = {0};
	(void)state;

	tree.verbatim = true;
	assert_int_equal(tree_add_link(&tree, "/lib", "usr/lib", &err), 0);
	tree.verbatim = false;
	assert_int_equal(tree_add_text(&tree, "/usr/lib/x86_64-linux-gnu/libz.so.1.2", 0644, "z", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/lib/x86_64-linux-gnu/libz.so.1", "libz.so.1.2", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/bin/up", "../lib/../lib/x86_64-linux-gnu/libz.so.1", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/bin/absolute", "/lib/x86_64-linux-gnu/libz.so.1", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/bin/loop", "loop", &err), 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_string_equal(tree_resolve(&tree, "/usr/bin/up")->path, "/usr/lib/x86_64-linux-gnu/libz.so.1.2");
	assert_string_equal(tree_resolve(&tree, "/usr/bin/absolute")->path, "/usr/lib/x86_64-linux-gnu/libz.so.1.2");
	assert_null(tree_resolve(&tree, "/usr/bin/loop"));
	assert_null(tree_resolve(&tree, "/usr/bin/none"));
	tree_free(&tree);
}

static void a_link_of_usr_to_etc_is_refused(void **state)
{
	struct tree tree = {0};
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/etc/localtime", 0644, "", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/share/zoneinfo/localtime", "/etc/localtime", &err), 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_int_equal(check_links(&tree, &err), -EINVAL);
	assert_non_null(strstr(err.text, "expected links of /usr to stay in /usr"));
	tree_remove(&tree, "/usr/share/zoneinfo/localtime");
	assert_int_equal(check_links(&tree, &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/bin/gone", "nothing", &err), 0);
	assert_int_equal(check_links(&tree, &err), -EINVAL);
	assert_non_null(strstr(err.text, "leads nowhere"));
	tree_free(&tree);
}

static void scripts_without_interpreter_go_with_the_links_to_them(void **state)
{
	struct tree tree = {0};
	size_t dropped = 0;
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/usr/bin/script", 0755, "#! /bin/bash\nexit\n", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/bin/alias", "script", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/usr/bin/data", 0644, "#!/bin/bash\n", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/usr/bin/sh", 0755, "\177ELF", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/usr/bin/good", 0755, "#!/usr/bin/sh -e\n", &err), 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_int_equal(drop_scripts(&tree, &dropped, &err), 0);
	assert_int_equal(dropped, 1);
	assert_null(tree_find(&tree, "/usr/bin/script"));
	assert_null(tree_find(&tree, "/usr/bin/alias"));
	assert_non_null(tree_find(&tree, "/usr/bin/data"));
	assert_non_null(tree_find(&tree, "/usr/bin/good"));
	tree_free(&tree);
}

static void nobody_can_log_in(void **state)
{
	const struct image_user users[] = {{(char *)"etcd", (char *)"/var/lib/etcd", 901}};
	struct user_files files = {0};
	struct buf all = {0};
	(void)state;

	assert_int_equal(render_users(users, 1, &files), 0);
	buf_addf(&all, "passwd\n%s\ngroup\n%s\nshadow\n%s\ngshadow\n%s", buf_string(&files.passwd),
		 buf_string(&files.group), buf_string(&files.shadow), buf_string(&files.gshadow));
	assert_golden("image/users.txt", buf_string(&all));
	buf_free(&all);
	user_files_free(&files);
}

static void a_user_of_the_system_is_not_made_a_second_time(void **state)
{
	static const struct {
		const char *name;
		uint32_t id;
		const char *message;
	} taken[] = {
		{"root", 5, "users: root: expected a name and id of its own, found the system's root, 0"},
		{"mine", 33, "users: mine: expected a name and id of its own, found the system's www-data, 33"},
		{"kvm", 901, "users: kvm: expected a name and id of its own, found the system's kvm, 103"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		struct image_user user = {(char *)(uintptr_t)taken[i].name, (char *)"/home", taken[i].id};
		struct description description = {.users = &user, .user_count = 1};
		struct tree tree = {0};
		struct err err = {{0}};

		assert_int_equal(add_users(&tree, &description, &err), -EINVAL);
		assert_string_equal(err.text, taken[i].message);
		tree_free(&tree);
	}
}

static void os_release_is_ours(void **state)
{
	const struct release release = {"1.4.0", "v1.20.2", 1764547200};
	struct buf text = {0};
	(void)state;

	assert_int_equal(render_os_release(&release, &text), 0);
	assert_golden("image/os_release.txt", buf_string(&text));
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_move_into_the_merged_usr),
		cmocka_unit_test(a_link_that_moves_still_leads_to_the_same_file),
		cmocka_unit_test(a_pattern_drops_what_is_below_it_too),
		cmocka_unit_test(a_file_of_two_parts_is_an_error_that_names_both),
		cmocka_unit_test(a_listed_file_may_be_replaced_and_equal_things_agree),
		cmocka_unit_test(missing_directories_are_made_in_order),
		cmocka_unit_test(a_file_below_a_file_is_refused),
		cmocka_unit_test(links_are_followed_inside_the_tree),
		cmocka_unit_test(a_link_of_usr_to_etc_is_refused),
		cmocka_unit_test(scripts_without_interpreter_go_with_the_links_to_them),
		cmocka_unit_test(nobody_can_log_in),
		cmocka_unit_test(a_user_of_the_system_is_not_made_a_second_time),
		cmocka_unit_test(os_release_is_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
