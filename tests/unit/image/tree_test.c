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
	static char target[PATH_MAX];
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
	memset(target, 't', sizeof target - 1);
	target[0] = '/';
	target[sizeof target - 1] = 0;
	assert_int_equal(tree_add_link(&tree, "/usr/bin/long", target, &err), 0);
	assert_null(tree_resolve(&tree, "/usr/bin/long/below"));
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

static void a_path_is_as_long_as_it_may_be(void **state)
{
	static char path[PATH_MAX + 1], merged[PATH_MAX];
	(void)state;

	memset(path, 'p', PATH_MAX);
	path[0] = '/';
	assert_int_equal(merge_path(path, merged), -ENAMETOOLONG);
	path[PATH_MAX - 1] = 0;
	assert_int_equal(merge_path(path, merged), 0);
	assert_string_equal(merged, path);
	memcpy(path, "/bin/", 5);
	assert_int_equal(merge_path(path, merged), -ENAMETOOLONG);
	path[PATH_MAX - 5] = 0;
	assert_int_equal(merge_path(path, merged), 0);
	assert_int_equal(strlen(merged), PATH_MAX - 1);
}

static void a_links_target_is_as_long_as_it_may_be(void **state)
{
	static char target[PATH_MAX + 1], result[PATH_MAX], path[PATH_MAX + 2];
	(void)state;

	memset(target, 't', PATH_MAX);
	assert_int_equal(merge_target("/usr/a", "/usr/a", target, result), -ENAMETOOLONG);
	target[PATH_MAX - 1] = 0;
	assert_int_equal(merge_target("/usr/a", "/usr/a", target, result), 0);
	assert_string_equal(result, target);
	/* seen from where it moves to it is longer */
	target[PATH_MAX - 1 - 9] = 0;
	assert_int_equal(merge_target("/bin/a", "/usr/bin/a", target, result), 0);
	assert_string_equal(result, target);
	target[PATH_MAX - 1 - 9] = 't';
	target[PATH_MAX - 1 - 8] = 0;
	assert_int_equal(merge_target("/bin/a", "/usr/bin/a", target, result), -ENAMETOOLONG);
	memset(path, 'p', PATH_MAX);
	path[PATH_MAX - 1] = '/';
	assert_int_equal(merge_target(path, "/x", ".", result), 0);
	path[PATH_MAX - 1] = 'p';
	path[PATH_MAX] = '/';
	assert_int_equal(merge_target(path, "/x", ".", result), -ENAMETOOLONG);
}

static void dots_of_a_target_are_walked_by_name(void **state)
{
	static const char *const cases[][2] = {
		{"./kmod", "./kmod"},		     /* the same file */
		{"../../../../lib/a", "/usr/lib/a"}, /* above the root is the root */
		{"..a/b", "..a/b"},
		{"ab", "ab"},
		{".a", ".a"},
		{"../a", "/a"},
		{"../bin/.././a", "/a"},
		{"..", "/"},
	};
	char target[PATH_MAX];
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(merge_target("/bin/x", "/usr/bin/x", cases[i][0], target), 0);
		assert_string_equal(target, cases[i][1]);
	}
}

static void links_that_only_lead_somewhere_on_a_node_are_left_alone(void **state)
{
	static const char *const targets[] = {"/run/x", "/sys/x", "/dev/x", "../proc/self/mounts", "/proc/x"};
	static const char *const nowhere[] = {"/running/x", "/system/x", "/device/x", "/run", "../procx"};
	struct tree tree = {0};
	char path[32];
	(void)state;

	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		snprintf(path, sizeof path, "/etc/%zu", i);
		assert_int_equal(tree_add_link(&tree, path, targets[i], &err), 0);
	}
	assert_int_equal(tree_add_text(&tree, "/etc/file", 0644, "", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/usr/file", 0644, "", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/etc/here", "file", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/etc/there", "../usr/file", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/usr/link", "file", &err), 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_int_equal(check_links(&tree, &err), 0);
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
		assert_int_equal(tree_add_link(&tree, "/etc/x", nowhere[i], &err), 0);
		if (check_links(&tree, &err) != -EINVAL)
			fail_msg("%s: expected to lead nowhere", nowhere[i]);
		tree_remove(&tree, "/etc/x");
	}
	tree_remove(&tree, "/etc/none"); /* between others, and behind all */
	tree_remove(&tree, "/zzz");
	assert_non_null(tree_find(&tree, "/etc/there"));
	assert_null(tree_find(&tree, "/zzz"));
	assert_int_equal(tree_add_text(&tree, "/zzz", 0644, "", &err), 0);
	tree_remove(&tree, "/zzz");
	assert_null(tree_find(&tree, "/zzz"));
	tree_free(&tree);
}

static void what_is_of_one_kind_only_may_be_there_twice(void **state)
{
	char *items[] = {(char *)"/etc/a"};
	struct strings replace = {items, 1};
	struct node_wish again = {.path = "/etc/f", .type = NODE_FILE, .bytes = "c", .size = 1, .replaces = true};
	struct tree tree = {.replace = &replace};
	(void)state;

	assert_int_equal(tree_add_directory(&tree, "/etc/a", 0755, &err), 0);
	assert_int_equal(tree_add_text(&tree, "/etc/a", 0644, "x", &err), -EEXIST); /* a directory has more in it */
	assert_int_equal(tree_add_link(&tree, "/etc/l", "one", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/etc/l", "two", &err), -EEXIST);
	assert_int_equal(tree_add_text(&tree, "/etc/f", 0644, "x", &err), 0);
	assert_int_equal(tree_add_directory(&tree, "/etc/f", 0755, &err), -EEXIST);
	assert_int_equal(tree_add_text(&tree, "/etc/f", 0644, "x", &err), -EEXIST);
	assert_int_equal(tree_add(&tree, &again, &err), 0);
	assert_memory_equal(tree_find(&tree, "/etc/f")->bytes, "c", 1);
	assert_string_equal(tree_find(&tree, "/etc/f")->from, "keelson");
	assert_int_equal(tree_find(&tree, "/etc/l")->mode, 0777);
	assert_int_equal(tree_add_text(&tree, "/", 0644, "", &err), -EINVAL);
	assert_int_equal(tree_add_text(&tree, "etc", 0644, "", &err), -EINVAL);
	assert_string_equal(err.text, "expected an absolute path, found \"etc\"");
	tree_free(&tree);
}

static void a_file_whose_directory_is_dropped_is_refused(void **state)
{
	char *items[] = {(char *)"/opt/?"};
	struct strings drop = {items, 1};
	struct tree tree = {0};
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/opt/a/b", 0644, "", &err), 0);
	tree.drop = &drop;
	assert_int_equal(tree_complete(&tree, &err), -EINVAL);
	assert_string_equal(err.text, "/opt/a/b: expected its directory in the root, found it dropped");
	tree_free(&tree);
}

static void forty_links_are_followed(void **state)
{
	struct tree tree = {0};
	char path[32], target[32];
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/etc/41", 0644, "", &err), 0);
	for (int i = 0; i < 41; i++) {
		snprintf(path, sizeof path, "/etc/%02d", i);
		snprintf(target, sizeof target, "%s%02d", i % 2 ? "/etc/" : "", i + 1);
		assert_int_equal(tree_add_link(&tree, path, target, &err), 0);
	}
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_non_null(tree_resolve(&tree, "/etc/01"));
	assert_null(tree_resolve(&tree, "/etc/00"));
	assert_non_null(tree_resolve(&tree, "//etc/./../etc/41"));
	assert_non_null(tree_resolve(&tree, "/../etc/41"));
	tree_free(&tree);
}

static void a_path_longer_than_it_may_be_is_not_taken_for_a_shorter_one(void **state)
{
	static char path[PATH_MAX + 1];
	struct tree tree = {.verbatim = true};
	(void)state;

	assert_int_equal(tree_add_text(&tree, "/a", 0644, "", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/l", "//a", &err), 0);
	memset(path, '/', PATH_MAX);
	path[PATH_MAX - 2] = 'a';
	path[PATH_MAX - 1] = 0;
	assert_non_null(tree_resolve(&tree, path));
	path[PATH_MAX - 1] = 'b';
	assert_null(tree_resolve(&tree, path));
	assert_int_equal(tree_add_text(&tree, path, 0644, "", &err), -ENAMETOOLONG);
	path[PATH_MAX - 1] = 0;
	assert_int_equal(tree_add_text(&tree, path, 0644, "", &err), 0);
	/* "/l" and what is behind it become "//a" and the same */
	memset(path, '/', PATH_MAX);
	path[1] = 'l';
	path[PATH_MAX - 2] = 0;
	assert_non_null(tree_resolve(&tree, path));
	path[PATH_MAX - 2] = '/';
	path[PATH_MAX - 1] = 0;
	assert_null(tree_resolve(&tree, path));
	tree_free(&tree);
}

static void a_file_may_be_empty(void **state)
{
	struct node_wish none = {.path = "/etc/none", .type = NODE_FILE, .mode = 0644};
	struct tree tree = {0};
	(void)state;

	assert_int_equal(tree_add(&tree, &none, &err), 0);
	assert_int_equal(tree_find(&tree, "/etc/none")->size, 0);
	tree_free(&tree);
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
		cmocka_unit_test(a_path_is_as_long_as_it_may_be),
		cmocka_unit_test(a_links_target_is_as_long_as_it_may_be),
		cmocka_unit_test(dots_of_a_target_are_walked_by_name),
		cmocka_unit_test(links_that_only_lead_somewhere_on_a_node_are_left_alone),
		cmocka_unit_test(what_is_of_one_kind_only_may_be_there_twice),
		cmocka_unit_test(a_file_whose_directory_is_dropped_is_refused),
		cmocka_unit_test(forty_links_are_followed),
		cmocka_unit_test(a_path_longer_than_it_may_be_is_not_taken_for_a_shorter_one),
		cmocka_unit_test(a_file_may_be_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
