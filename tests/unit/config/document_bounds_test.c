/* What a document may have at most, to the last byte and entry; and the wrapping around it. */
#include "config/document.h"

#include <zlib.h>

#include "lib/base64.h"
#include "lib/cleanup.h"
#include "unit/test.h"

static void assert_findings_in(const void *bytes, size_t len, const char *expected)
{
	_cleanup_(document_free) struct document read = {0};
	_cleanup_(buf_free) struct buf found = {0};
	char *copy = malloc(len ? len : 1); /* its end is watched by ASan */
	int r;

	memcpy(copy, bytes, len);
	r = document_read(copy, len, &read);
	free(copy);
	report_print(&read.report, "user-data", &found);
	assert_string_equal(buf_string(&found), expected);
	assert_int_equal(r, read.report.errors ? -EINVAL : 0);
}

static void assert_findings(const char *text, const char *expected)
{
	assert_findings_in(text, strlen(text), expected);
}

static void add_gzip(const void *bytes, size_t len, struct buf *out)
{
	unsigned char chunk[65536];
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes, .avail_in = (unsigned)len};
	int state;

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
	do {
		z.next_out = chunk;
		z.avail_out = sizeof chunk;
		state = deflate(&z, Z_FINISH);
		assert_int_equal(buf_add(out, chunk, sizeof chunk - z.avail_out), 0);
	} while (state == Z_OK);
	assert_int_equal(state, Z_STREAM_END);
	deflateEnd(&z);
}

static void a_document_of_nothing_but_blanks_is_empty(void **state)
{
	static const char *const texts[] = {"", " ", "\n\n", "\xef\xbb\xbf", "\xef\xbb\xbf\r\n"};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_findings(texts[i],
				"user-data:1:1: warning: the document is empty: every default holds, the role "
				"is single\n");
	assert_findings("\xef\xbb", "user-data:1:1: expected #cloud-config as the first line, found \"??\"\n");
}

static void a_document_has_at_most_a_mebibyte(void **state)
{
	static char text[USER_DATA_MAX_BYTES + 1];
	(void)state;

	memset(text, 'x', sizeof text);
	memcpy(text, "#cloud-config\n#", 15);
	assert_findings_in(text, sizeof text - 1, "");
	assert_findings_in(text, sizeof text, "user-data: expected at most 1048576 bytes, found 1048577\n");
}

static void a_document_is_wrapped_three_times_at_most(void **state)
{
	static const char text[] = "#cloud-config\nkeelson: {role: single}\n";
	_cleanup_(buf_free) struct buf layer = {0};
	(void)state;

	assert_int_equal(buf_add_string(&layer, text), 0);
	for (int wraps = 1; wraps <= 4; wraps++) {
		struct buf more = {0};

		add_gzip(layer.data, layer.len, &more);
		buf_free(&layer);
		layer = more;
		assert_findings_in(layer.data, layer.len,
				   wraps < 4 ? ""
					     : "user-data: expected #cloud-config, found gzip and base64 wrapped 4 "
					       "times\n");
	}
}

static void base64_counts_as_such_only_as_a_whole(void **state)
{
	_cleanup_(buf_free) struct buf text = {0};
	(void)state;

	assert_int_equal(base64_encode("#cloud-config\nkeelson: {role: single}\n", 38, &text), 0);
	assert_findings(buf_string(&text), "");
	buf_add_string(&text, "!!");
	assert_findings(buf_string(&text), "user-data:1:1: expected #cloud-config as the first line, found "
					   "\"I2Nsb3VkLWNvbmZpZwprZWVsc29uOiB7cm9sZTogc2luZ2xlfQo=!!\"\n");
	assert_findings("YQ==", "user-data:1:1: expected #cloud-config as the first line, found \"YQ==\"\n");
}

/* 8 MiB less 4 bytes of zeros, which are few when packed; and then a text. */
static void the_files_have_8_mebibytes_together(void **state)
{
	_cleanup_free_ char *zeros = calloc(1, FILES_MAX_BYTES - 4);
	_cleanup_(buf_free) struct buf packed = {0}, base64 = {0};
	(void)state;

	assert_non_null(zeros);
	add_gzip(zeros, FILES_MAX_BYTES - 4, &packed);
	assert_int_equal(base64_encode(packed.data, packed.len, &base64), 0);
	for (int more = 0; more < 2; more++) {
		_cleanup_(buf_free) struct buf text = {0};

		buf_addf(&text,
			 "#cloud-config\nwrite_files:\n- {path: /etc/a, encoding: gz+b64, content: '%s'}\n"
			 "- {path: /etc/b, content: abcd%s}\n- {path: /etc/c, content: e}\n",
			 buf_string(&base64), more ? "e" : "");
		assert_findings(buf_string(&text),
				more ? "user-data:4:27: write_files[1].content: expected at most 8388608 bytes in all "
				       "files together, found more\n"
				     : "user-data:5:27: write_files[2].content: expected at most 8388608 bytes in all "
				       "files together, found more\n");
	}
}

static void a_list_and_a_text_have_the_most_of_their_key(void **state)
{
	(void)state;
	assert_findings("#cloud-config\nntp: {servers: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]}\n", "");
	assert_findings("#cloud-config\nntp: {servers: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q]}\n",
			"user-data:2:16: ntp.servers: expected at most 16 entries, found 17\n");
	for (int len = 128; len <= 129; len++) {
		char text[300];

		snprintf(text, sizeof text, "#cloud-config\nkeelson: {install: {disk: {serial: 'x%0*d'}}}\n", len - 1,
			 0);
		assert_findings(text,
				len == 128 ? "user-data:2:21: keelson.install.disk: not in this version of Keelson yet; "
					     "take it out\n"
					   : "user-data:2:36: keelson.install.disk.serial: expected at most 128 bytes, "
					     "found 129\n");
	}
}

static void labels_alone_and_taints_alone_may_be_too_long(void **state)
{
	_cleanup_(buf_free) struct buf labels = {0}, taints = {0};
	(void)state;

	buf_add_string(&labels, "#cloud-config\nkeelson:\n  kubelet:\n    labels:\n");
	buf_add_string(&taints, "#cloud-config\nkeelson:\n  kubelet:\n    taints:\n");
	for (int i = 0; i < 100; i++) {
		buf_addf(&labels, "      l%02d: v%059d\n", i, 0);
		buf_addf(&taints, "    - t%02d=v%059d:NoSchedule\n", i, 0);
	}
	assert_findings(buf_string(&labels), "user-data:4:5: keelson.kubelet.labels and taints: expected at most 6000 "
					     "bytes together, found 6500\n");
	assert_findings(buf_string(&taints), "user-data:4:5: keelson.kubelet.labels and taints: expected at most 6000 "
					     "bytes together, found 7600\n");
}

/* A prefix that is wrong by itself does not count as its default. */
static void a_wrong_prefix_overlaps_nothing(void **state)
{
	(void)state;
	assert_findings(
		"#cloud-config\nkeelson: {cluster: {pod_cidr: x, service_cidr: 10.244.0.0/16}}\n",
		"user-data:2:31: keelson.cluster.pod_cidr: expected a prefix such as 10.244.0.0/16, found \"x\"\n");
	assert_findings("#cloud-config\nkeelson: {cluster: {pod_cidr: 10.96.0.0/16, service_cidr: x}}\n",
			"user-data:2:59: keelson.cluster.service_cidr: expected a prefix such as 10.96.0.0/16, found "
			"\"x\"\n");
	assert_findings(
		"#cloud-config\nkeelson: {cluster: {pod_cidr: x}}\n",
		"user-data:2:31: keelson.cluster.pod_cidr: expected a prefix such as 10.244.0.0/16, found \"x\"\n");
}

static void false_is_no_word_where_there_are_others(void **state)
{
	static const char *const words[] = {"false", "no", "off", "true", "localhost"};
	(void)state;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		_cleanup_(document_free) struct document read = {0};
		const json_t *value;
		char text[100];

		snprintf(text, sizeof text, "#cloud-config\nmanage_etc_hosts: %s\n", words[i]);
		assert_int_equal(document_read(text, strlen(text), &read), 0);
		value = values_get(read.values, "manage_etc_hosts");
		assert_int_equal(json_typeof(value), i < 3 ? JSON_FALSE : i == 3 ? JSON_TRUE : JSON_STRING);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_of_nothing_but_blanks_is_empty),
		cmocka_unit_test(a_document_has_at_most_a_mebibyte),
		cmocka_unit_test(a_document_is_wrapped_three_times_at_most),
		cmocka_unit_test(base64_counts_as_such_only_as_a_whole),
		cmocka_unit_test(the_files_have_8_mebibytes_together),
		cmocka_unit_test(a_list_and_a_text_have_the_most_of_their_key),
		cmocka_unit_test(labels_alone_and_taints_alone_may_be_too_long),
		cmocka_unit_test(a_wrong_prefix_overlaps_nothing),
		cmocka_unit_test(false_is_no_word_where_there_are_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
