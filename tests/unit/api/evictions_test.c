/* Whom the kubelet evicts: lines as the kubelets of 1.20 and 1.30 write them, behind the log writer's prefix. */
#include "api/evictions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test.h"

#define PREFIX "2026-12-03T08:02:31.120Z kubelet err "
#define UID "c4816795-cced-4ef7-8485-6e940d978e83"
#define OLD(text) PREFIX "I1203 08:02:31.120351     412 eviction_manager.go:589] eviction manager: " text
#define NEW(text) PREFIX "I1203 08:02:31.120351     412 eviction_manager.go:616] \"Eviction manager: " text

static void assert_told(const struct evictions *evictions, const char *expected)
{
	struct buf out = {0};

	assert_int_equal(evictions_text(evictions, &out), 0);
	assert_string_equal(out.len ? buf_string(&out) : "", expected);
	buf_free(&out);
}

static void a_sentence_of_an_old_kubelet_is_understood(void **state)
{
	struct evictions evictions = {0};
	(void)state;

	assert_false(evictions_take(&evictions, OLD("attempting to reclaim memory")));
	assert_false(evictions_take(&evictions, OLD("must evict pod(s) to reclaim memory")));
	assert_true(evictions_take(&evictions, OLD("pod hungry_default(" UID ") is evicted successfully")));
	evictions.last = 1764720000;
	assert_told(&evictions,
		    "pods: 1 evicted by the kubelet, the last default/hungry at 2025-12-03T00:00:00Z for lack "
		    "of memory\n");
}

static void a_message_of_a_new_kubelet_is_understood(void **state)
{
	struct evictions evictions = {.count = 1};
	(void)state;

	assert_false(
		evictions_take(&evictions, NEW("must evict pod(s) to reclaim\" resourceName=\"ephemeral-storage\"")));
	assert_true(evictions_take(&evictions, NEW("pod is evicted successfully\" pod=\"default/filler\"")));
	evictions.last = 1764720000;
	assert_told(&evictions,
		    "pods: 2 evicted by the kubelet, the last default/filler at 2025-12-03T00:00:00Z for lack "
		    "of room on /var\n");
}

static void a_pod_that_takes_long_to_end_is_evicted_too(void **state)
{
	struct evictions evictions = {0};
	(void)state;

	assert_true(evictions_take(&evictions, OLD("pod a.b_ns(" UID ") failed to evict timed out waiting")));
	assert_string_equal(evictions.pod, "ns/a.b");
	assert_true(evictions_take(&evictions, NEW("pod failed to evict\" err=\"timed out\" pod=\"ns/c-d\"")));
	assert_string_equal(evictions.pod, "ns/c-d");
	assert_int_equal(evictions.count, 2);
}

static void what_is_no_eviction_is_not_counted(void **state)
{
	static const char *const lines[] = {
		"",
		OLD("pods hungry_default(" UID ") successfully cleaned up"),
		OLD("cannot evict a critical pod etcd-node_kube-system(" UID ")"),
		OLD("unable to evict any pods from the node"),
		OLD("pod  is evicted successfully"),
		OLD("pod hungry is evicted successfully"),
		OLD("pod hungry_(" UID ") is evicted successfully"),
		OLD("pod hungry_default(" UID ") is looked at"),
		NEW("pod is evicted successfully\" pod=\"default\""),
		NEW("pod is evicted successfully\" pod=\"default_hungry\""),
		NEW("pod is evicted successfully\" pod=\"default/\""),
		PREFIX "pod hungry_default(" UID ") is evicted successfully",
		/* An image's name is its pod's choice, and repeated in the kubelet's errors. */
		PREFIX
		"E1203 08:02:31.120351     412 pod_workers.go:1301] \"Error syncing pod, skipping\" err=\"couldn't "
		"parse image name \\\"eviction manager: pod etcd_kube-system(x) is evicted successfully\\\"\"",
		PREFIX
		"E1203 08:02:31.120351     412 pod_workers.go:191] Error syncing pod: couldn't parse image name \"] "
		"eviction manager: pod etcd_kube-system(x) is evicted successfully\"",
		PREFIX "eviction manager: pod hungry_default(" UID ") is evicted successfully",
	};
	struct evictions evictions = {0};
	(void)state;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (evictions_take(&evictions, lines[i]))
			fail_msg("\"%s\": expected nothing, found %s", lines[i], evictions.pod);
	assert_int_equal(evictions.count, 0);
	assert_told(&evictions, "");
}

static void what_it_was_for_is_told_in_words(void **state)
{
	static const struct {
		const char *resource, *words;
	} rows[] = {{"inodes", "inodes on /var"},
		    {"pids", "process numbers"},
		    {"", "what it took"},
		    {"gpu", "what it took"}};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct evictions evictions = {.count = 1, .pod = "a/b"};
		char expected[128];

		snprintf(evictions.resource, sizeof evictions.resource, "%s", rows[i].resource);
		snprintf(expected, sizeof expected,
			 "pods: 1 evicted by the kubelet, the last a/b at 1970-01-01T00:00:00Z for lack of %s\n",
			 rows[i].words);
		assert_told(&evictions, expected);
	}
}

static void names_are_cut_to_the_room_there_is(void **state)
{
	static char line[2048];
	struct evictions evictions = {0};
	(void)state;

	snprintf(line, sizeof line, OLD("pod %0400d_%0400d(" UID ") is evicted successfully"), 1, 2);
	assert_false(evictions_take(&evictions, OLD("must evict pod(s) to reclaim "
						    "a-resource-whose-name-is-longer-than-any-known-one")));
	assert_true(evictions_take(&evictions, line));
	assert_int_equal(strlen(evictions.pod), 63 + 1 + 253);
	assert_int_equal(strlen(evictions.resource), sizeof evictions.resource - 1);
}

static void they_are_kept_in_a_file(void **state)
{
	char folder[] = "/tmp/evicted-XXXXXX", path[64];
	struct evictions kept = {3, 1764720000, "default/hungry", ""}, read;
	(void)state;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/evicted", folder);
	for (int i = 0; i < 2; i++) {
		evictions_save(path, &kept);
		evictions_load(path, &read);
		assert_int_equal(read.count, 3);
		assert_int_equal(read.last, 1764720000);
		assert_string_equal(read.pod, "default/hungry");
		assert_string_equal(read.resource, kept.resource);
		snprintf(kept.resource, sizeof kept.resource, "memory");
	}
	unlink(path);
	evictions_load(path, &read);
	assert_int_equal(read.count, 0);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_of_an_old_kubelet_is_understood),
		cmocka_unit_test(a_message_of_a_new_kubelet_is_understood),
		cmocka_unit_test(a_pod_that_takes_long_to_end_is_evicted_too),
		cmocka_unit_test(what_is_no_eviction_is_not_counted),
		cmocka_unit_test(what_it_was_for_is_told_in_words),
		cmocka_unit_test(names_are_cut_to_the_room_there_is),
		cmocka_unit_test(they_are_kept_in_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
