#include "description.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "unit/test.h"

#define SMALLEST "suite: bookworm\nkernel: linux-image-amd64\npackages: [runc]\n"

static int parse(const char *text, struct description *d, struct err *err)
{
	return description_parse("x.yaml", text, strlen(text), d, err);
}

static void every_key_is_read(void **state)
{
	static const char text[] =
		"suite: trixie\nkernel: linux-image-cloud-amd64\npackages: [runc, libstdc++6]\ntools: "
		"[systemd-boot-efi]\n"
		"provided: [dpkg]\ndrop: [/usr/share/doc, \"/usr/share/zoneinfo/*\"]\nreplace: [/etc/hosts]\n"
		"modules: {exclude: [sound]}\nbusybox: {links: [/usr/sbin/ntpd]}\nservices: [config]\ncmdline: "
		"[quiet]\n"
		"users: [{name: etcd, id: 901, home: /var/lib/etcd}]\n"
		"files:\n  - {path: /etc/a, content: \"\", mode: 0600}\n  - {path: /etc/b, link: a}\n"
		"  - {path: /srv/c, directory: true}\n"
		"preload: [{name: base, kind: base, tags: [\"a/b:c\", \"a/b:d\"]}]\n"
		"root: {format: squashfs, compression: zstd, level: 3, cluster: 128K}\n"
		"sizes: {disk: 8G, esp: 512M, root: 1G, verity: 16M}\n";
	struct description d = {0};
	struct err err = {0};
	(void)state;

	assert_int_equal(parse(text, &d, &err), 0);
	assert_string_equal(d.suite, "trixie");
	assert_int_equal(d.packages.count, 2);
	assert_string_equal(d.drop.items[1], "/usr/share/zoneinfo/*");
	assert_string_equal(d.files[0].content, "");
	assert_int_equal(d.files[0].mode, 0600);
	assert_true(d.files[2].directory);
	assert_int_equal(d.users[0].id, 901);
	assert_int_equal(d.preloads[0].tags.count, 2);
	assert_int_equal(d.root_format, ROOT_SQUASHFS);
	assert_int_equal(d.root_cluster, 131072);
	assert_int_equal(d.disk_bytes, UINT64_C(8) << 30);
	assert_int_equal(description_check("x.yaml", &d, &err), 0);
	description_free(&d);
}

static void a_second_text_replaces_words_and_lengthens_lists(void **state)
{
	struct description d = {0};
	struct err err = {0};
	(void)state;

	assert_int_equal(parse(SMALLEST, &d, &err), 0);
	assert_int_equal(parse("kernel: linux-image-cloud-amd64\npackages: [runc, kmod]\n", &d, &err), 0);
	assert_string_equal(d.kernel, "linux-image-cloud-amd64");
	assert_int_equal(d.packages.count, 2);
	assert_string_equal(d.suite, "bookworm");
	description_free(&d);
}

static void every_error_says_where_and_what_was_expected(void **state)
{
	static const char *const texts[] = {
		"",
		"- a list\n",
		"suite: [bookworm\n",
		"siute: bookworm\n",
		"root:\n  fromat: erofs\n",
		"nothing like it: 1\n",
		"suite: bookworm\nsuite: trixie\n",
		"packages: runc\n",
		"packages: [runc, Kmod]\n",
		"packages:\n  - {name: runc}\n",
		"drop: [usr/share/doc]\n",
		"drop: [/usr/../etc]\n",
		"drop: [/]\n",
		"drop: [/usr/]\n",
		"kernel: \"\"\n",
		"sizes: {disk: 6 GiB}\n",
		"sizes: {disk: 0}\n",
		"sizes: {disk: 99999999999T}\n",
		"files: {path: /a}\n",
		"files: [{path: /a, mode: 0899}]\n",
		"files: [{path: /a, mode: 4755}]\n",
		"files: [{path: /a, directory: yes}]\n",
		"users: [{name: a, id: 65536}]\n",
		"root: {format: ext4}\n",
		"preload: [{kind: alpine}]\n",
		"cmdline: [\"a\\0b\"]\n",
		"suite: bookworm\n---\nkernel: linux-image-amd64\n",
		"suite: bookworm\n...\n}\n",
	};
	struct buf lines = {0};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct description d = {0};
		struct err err = {0};

		assert_int_equal(parse(texts[i], &d, &err), -EINVAL);
		buf_addf(&lines, "%s\n", err.text);
		description_free(&d);
	}
	assert_golden("image/description_errors.txt", buf_string(&lines));
	buf_free(&lines);
}

static void what_must_hold_in_the_end_is_checked(void **state)
{
	static const char *const texts[] = {
		"kernel: linux-image-amd64\npackages: [runc]\n",
		"suite: bookworm\npackages: [runc]\n",
		"suite: bookworm\nkernel: linux-image-amd64\n",
		SMALLEST "files: [{content: a}]\n",
		SMALLEST "files: [{path: /a, content: a, link: b}]\n",
		SMALLEST "files: [{path: /a}]\n",
		SMALLEST "files: [{path: /a, content: a, uid: 901}]\n",
		SMALLEST "users: [{name: etcd, id: 901}]\n",
		SMALLEST "users: [{name: a, id: 1, home: /a}, {name: b, id: 1, home: /b}]\n",
		SMALLEST "users: [{name: 'a:b', id: 1, home: /a}]\n",
		SMALLEST "users: [{name: a, id: 1, home: '/a:/b'}]\n",
		SMALLEST "preload: [{name: x, kind: base, tags: [a b]}]\n",
		SMALLEST "preload: [{name: ../x, kind: base, tags: [a]}]\n",
		SMALLEST "preload: [{name: x, kind: base}]\n",
		SMALLEST "root: {cluster: 60000}\n",
	};
	struct buf lines = {0};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct description d = {0};
		struct err err = {0};

		assert_int_equal(parse(texts[i], &d, &err), 0);
		assert_int_equal(description_check("x.yaml", &d, &err), -EINVAL);
		buf_addf(&lines, "%s\n", err.text);
		description_free(&d);
	}
	assert_golden("image/description_checks.txt", buf_string(&lines));
	buf_free(&lines);
}

static void descriptions_that_extend_each_other_for_ever_are_refused(void **state)
{
	char folder[] = "/tmp/keelson-description-XXXXXX", path[64];
	struct description d = {0};
	struct err err = {0};
	FILE *file;
	(void)state;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.yaml", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("extends: a\n" SMALLEST, file);
	fclose(file);
	assert_int_equal(description_load(folder, "a", &d, &err), -EINVAL);
	assert_non_null(strstr(err.text, "at most 4 descriptions"));
	description_free(&d);
	unlink(path);
	rmdir(folder);
}

static void the_descriptions_of_the_clone_are_right(void **state)
{
	static const char *const names[] = {"default", "qemu"};
	(void)state;

	for (size_t i = 0; i < 2; i++) {
		struct description d = {0};
		struct err err = {0};

		if (description_load("configs/images", names[i], &d, &err) < 0)
			fail_msg("%s", err.text);
		assert_true(strings_have(&d.packages, "containerd"));
		description_free(&d);
	}
}

/* The first preloaded tag of BusyBox names the version that is built. */
static void the_busybox_image_has_the_version_that_is_built(void **state)
{
	struct description d = {0};
	struct buf versions = {0};
	struct err err = {0};
	const char *built, *tag = NULL;
	(void)state;

	assert_int_equal(description_load("configs/images", "default", &d, &err), 0);
	assert_int_equal(file_read("image/third_party/versions", 1 << 16, &versions, &err), 0);
	for (size_t i = 0; i < d.preload_count; i++)
		if (!strcmp(d.preloads[i].name, "busybox"))
			tag = strrchr(d.preloads[i].tags.items[0], ':');
	assert_non_null(tag);
	built = strstr(buf_string(&versions), "\nbusybox ");
	assert_non_null(built);
	built = strchr(built, ':'); /* behind Debian's epoch */
	assert_non_null(built);
	if (strncmp(built, tag, strlen(tag)) || built[strlen(tag)] != '.')
		fail_msg("busybox: expected the tag of %.12s, found %s", built, tag);
	buf_free(&versions);
	description_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(a_second_text_replaces_words_and_lengthens_lists),
		cmocka_unit_test(every_error_says_where_and_what_was_expected),
		cmocka_unit_test(what_must_hold_in_the_end_is_checked),
		cmocka_unit_test(descriptions_that_extend_each_other_for_ever_are_refused),
		cmocka_unit_test(the_descriptions_of_the_clone_are_right),
		cmocka_unit_test(the_busybox_image_has_the_version_that_is_built),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
