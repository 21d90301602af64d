#include "cluster/images.h"

#include "lib/file.h"
#include "lib/process.h"
#include "unit/test.h"

static char root[] = "/tmp/keelson-images-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[200];

	snprintf(path, sizeof path, "%s/%s", root, name);
	assert_int_equal(file_write_atomic(path, text, strlen(text), 0644, NULL), 0);
}

static void pack(const char *archive, const char *one, const char *two)
{
	char path[200];
	const char *const argv[] = {"tar", "-C", root, "-cf", path, one, two, NULL};
	struct process process = {.argv = argv, .timeout_ms = 10000};

	snprintf(path, sizeof path, "%s/%s", root, archive);
	assert_int_equal(process_run(&process, NULL), 0);
}

static int read_archive(const char *name, struct image_archive *archive, struct err *err)
{
	char path[200];

	snprintf(path, sizeof path, "%s/%s", root, name);
	return image_archive_read(path, archive, err);
}

static void names_are_containerds_full_ones(void **state)
{
	static const char *const rows[][2] = {
		{"busybox", "docker.io/library/busybox:latest"},
		{"keelson/base:latest", "docker.io/keelson/base:latest"},
		{"docker.io/keelson/base:1", "docker.io/keelson/base:1"},
		{"registry.k8s.io/pause", "registry.k8s.io/pause:latest"},
		{"10.0.0.1:5000/a/b", "10.0.0.1:5000/a/b:latest"},
		{"localhost/x:1", "localhost/x:1"},
		{"host:5000/x", "host:5000/x:latest"},
		{"registry.example/x", "registry.example/x:latest"},
		{"x@sha256:00", "docker.io/library/x@sha256:00"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char full[200];

		image_full_name(rows[i][0], full, sizeof full);
		assert_string_equal(full, rows[i][1]);
	}
}

static void a_docker_archive_and_an_oci_layout_say_their_names(void **state)
{
	struct image_archive archive;
	struct err err = {{0}};
	(void)state;

	put("layer", "0123456789");
	put("manifest.json",
	    "[{\"Config\":\"x.json\",\"RepoTags\":[\"keelson/base:latest\",\"b!~:1\"],\"Layers\":[]}]");
	put("index.json", "{\"manifests\":[{\"digest\":\"sha256:1\"},{\"digest\":\"sha256:0\",\"annotations\":{\"io."
			  "containerd.image.name\":"
			  "\"docker.io/c/d:2\"}}]}");
	pack("docker.tar", "layer", "manifest.json");
	pack("oci.tar", "index.json", "layer");
	if (read_archive("docker.tar", &archive, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(archive.names.count, 2);
	assert_string_equal(archive.names.items[0], "docker.io/keelson/base:latest");
	assert_string_equal(archive.names.items[1], "docker.io/library/b!~:1");
	assert_int_equal(strlen(archive.id), 64);
	image_archive_free(&archive);
	if (read_archive("oci.tar", &archive, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(archive.names.items[0], "docker.io/c/d:2");
	image_archive_free(&archive);
}

static void other_content_has_another_id(void **state)
{
	struct image_archive one, two;
	(void)state;

	put("manifest.json", "[{\"Config\":\"x.json\",\"RepoTags\":[\"a\"]}]");
	pack("one.tar", "layer", "manifest.json");
	put("manifest.json", "[{\"Config\":\"y.json\",\"RepoTags\":[\"a\"]}]");
	pack("two.tar", "layer", "manifest.json");
	assert_int_equal(read_archive("one.tar", &one, NULL), 0);
	assert_int_equal(read_archive("two.tar", &two, NULL), 0);
	assert_string_not_equal(one.id, two.id);
	image_archive_free(&one);
	image_archive_free(&two);
}

static void an_archive_without_an_index_or_a_name_is_refused(void **state)
{
	static const char *const bad[] = {"", "a b", "a\\u007f", "a\\u00e4"};
	struct image_archive archive = {0};
	struct err err = {{0}};
	(void)state;

	put("other", "x");
	pack("none.tar", "layer", "other");
	assert_int_equal(read_archive("none.tar", &archive, &err), -EINVAL);
	assert_non_null(strstr(err.text, "none.tar: expected manifest.json or index.json in it, found neither"));
	put("manifest.json", "[{\"Config\":\"x.json\",\"RepoTags\":[\"--all\"]}]");
	pack("option.tar", "layer", "manifest.json");
	assert_int_equal(read_archive("option.tar", &archive, &err), -EINVAL);
	image_archive_free(&archive);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char manifest[600];

		snprintf(manifest, sizeof manifest, "[{\"Config\":\"x.json\",\"RepoTags\":[\"%s\"]}]", bad[i]);
		put("manifest.json", manifest);
		pack("bad.tar", "layer", "manifest.json");
		assert_int_equal(read_archive("bad.tar", &archive, &err), -EINVAL);
		image_archive_free(&archive);
	}
	for (int len = 400; len <= 401; len++) {
		char manifest[600];

		snprintf(manifest, sizeof manifest, "[{\"Config\":\"x.json\",\"RepoTags\":[\"%0*d\"]}]", len, 0);
		put("manifest.json", manifest);
		pack("long.tar", "layer", "manifest.json");
		assert_int_equal(read_archive("long.tar", &archive, &err), len == 400 ? 0 : -EINVAL);
		image_archive_free(&archive);
	}
	put("text.tar", "no archive at all, only a text that somebody put there by mistake");
	assert_true(read_archive("text.tar", &archive, &err) < 0);
	image_archive_free(&archive);
}

static void an_image_is_found_in_the_runtimes_list(void **state)
{
	struct buf image = {0}, list = {0};
	(void)state;

	protobuf_add_string(&image, 1, "sha256:0");
	protobuf_add_string(&image, 2, "docker.io/keelson/base:latest");
	protobuf_add_varint(&image, 5, 4096);
	protobuf_add_string(&list, 1, buf_string(&image));
	assert_true(image_is_listed(protobuf_of(list.data, list.len), "docker.io/keelson/base:latest"));
	assert_false(image_is_listed(protobuf_of(list.data, list.len), "docker.io/keelson/base:late"));
	assert_false(image_is_listed(protobuf_of("", 0), "docker.io/keelson/base:latest"));
	buf_free(&image);
	buf_free(&list);
}

static int make(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int unmake(void **state)
{
	const char *const argv[] = {"rm", "-rf", root, NULL};
	struct process process = {.argv = argv, .timeout_ms = 10000};
	(void)state;

	return process_run(&process, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_containerds_full_ones),
		cmocka_unit_test(a_docker_archive_and_an_oci_layout_say_their_names),
		cmocka_unit_test(other_content_has_another_id),
		cmocka_unit_test(an_archive_without_an_index_or_a_name_is_refused),
		cmocka_unit_test(an_image_is_found_in_the_runtimes_list),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
