#include "lib/service_table.h"

#include "lib/check_services.h"
#include "lib/service_file.h"
#include "unit/test.h"

static struct service_set set, decoded;
static struct service service;
static struct err err;

static void add(const char *file, const char *text)
{
	if (service_file_parse(file, text, strlen(text), &service, &err) < 0 ||
	    service_set_add(&set, &service, &err) < 0)
		fail_msg("%s", err.text);
}

static void add_after(const char *name, const char *unit)
{
	char file[64], text[256];

	snprintf(file, sizeof file, "%s.service", name);
	snprintf(text, sizeof text, "[Unit]\n%s\n[Service]\nExecStart=/bin/%s\n", unit, name);
	add(file, text);
}

static void dependencies_become_indexes(void **state)
{
	(void)state;
	set.count = 0;
	add_after("c", "Requires=a.service\nBefore=b.service");
	add_after("b", "After=a.service\nWants=c.service");
	add_after("a", "");
	assert_int_equal(check_services(&set, &err), 0);
	assert_string_equal(set.services[0].name, "a");
	assert_true(mask_has(&set.services[1].after, 0) && mask_has(&set.services[1].after, 2));
	assert_true(mask_has(&set.services[1].wants, 2) && !mask_has(&set.services[1].requires, 2));
	assert_true(mask_has(&set.services[2].requires, 0) && mask_has(&set.services[2].after, 0));
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
	(void)state;
	set.count = 0;
	add_after("containerd", "");
	add_after("kubelet", "After=contanerd.service");
	assert_int_equal(check_services(&set, &err), -EINVAL);
	assert_string_equal(err.text, "kubelet.service: After: no service \"contanerd\", did you mean \"containerd\"?");
}

static void a_cycle_is_refused_with_its_path(void **state)
{
	(void)state;
	set.count = 0;
	add_after("a", "After=b.service");
	add_after("b", "Requires=c.service");
	add_after("c", "After=a.service");
	add_after("d", "After=a.service");
	assert_int_equal(check_services(&set, &err), -EINVAL);
	assert_string_equal(err.text, "services wait for each other: a after b requires c after a");
	set.count = 0;
	add_after("a", "After=a.service");
	assert_int_equal(check_services(&set, &err), -EINVAL);
	assert_string_equal(err.text, "a.service: After: names itself");
	set.count = 0;
	add_after("a", "After=c.service");
	add_after("b", "After=c.service");
	add_after("c", "After=b.service");
	assert_int_equal(check_services(&set, &err), -EINVAL);
	assert_string_equal(err.text, "services wait for each other: c after b after c");
}

static void a_name_twice_is_refused(void **state)
{
	(void)state;
	set.count = 0;
	add_after("a", "");
	assert_int_equal(service_set_add(&set, &service, &err), -EEXIST);
}

static void a_table_gives_back_what_went_in(void **state)
{
	struct buf buf = {0}, again = {0};

	(void)state;
	assert_int_equal(service_set_load("configs/services", &set, &err), 0);
	assert_true(set.count >= 10);
	assert_int_equal(service_table_encode(&set, &buf, &err), 0);
	assert_int_equal(service_table_decode(buf.data, buf.len, &decoded, &err), 0);
	assert_int_equal(decoded.count, set.count);
	assert_string_equal(service_word(&decoded.services[service_find(&decoded, "containerd")],
					 decoded.services[service_find(&decoded, "containerd")].exec_start, 0),
			    "/usr/bin/containerd");
	assert_int_equal(service_table_encode(&decoded, &again, &err), 0);
	assert_int_equal(again.len, buf.len);
	assert_memory_equal(again.data, buf.data, buf.len);
	buf_free(&buf);
	buf_free(&again);
}

static void every_damaged_byte_is_noticed(void **state)
{
	struct buf buf = {0};

	(void)state;
	assert_int_equal(service_set_load("configs/services", &set, &err), 0);
	assert_int_equal(service_table_encode(&set, &buf, &err), 0);
	for (size_t i = 0; i < buf.len; i++) {
		buf.data[i] ^= 1;
		assert_true(service_table_decode(buf.data, buf.len, &decoded, &err) < 0);
		assert_int_equal(decoded.count, 0);
		buf.data[i] ^= 1;
	}
	for (size_t len = 0; len < buf.len; len++)
		assert_true(service_table_decode(buf.data, len, &decoded, &err) < 0);
	buf_free(&buf);
}

static void an_other_version_is_told_apart_from_damage(void **state)
{
	struct buf buf = {0};

	(void)state;
	set.count = 0;
	assert_int_equal(service_table_encode(&set, &buf, &err), 0);
	buf.data[8] = 1;
	assert_int_equal(service_table_decode(buf.data, buf.len, &decoded, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, "service table: expected version 2, found 1");
	buf_free(&buf);
}

static void a_list_that_is_shorter_ends_in_empty_words(void **state)
{
	static struct service s = {.text = "a\0b\0stale", .text_used = 4};
	const struct words words = {0, 3};

	(void)state;
	assert_string_equal(service_word(&s, words, 0), "a");
	assert_string_equal(service_word(&s, words, 1), "b");
	assert_string_equal(service_word(&s, words, 2), ""); /* of three, and behind the text */
	assert_string_equal(service_word(&s, (struct words){0, 1}, 1), "");
}

/* A table whose checksum is right and whose service is not. */
static void expect_damage(const char *what)
{
	struct buf buf = {0};
	char expected[100];

	assert_int_equal(service_table_encode(&set, &buf, &err), 0);
	assert_int_equal(service_table_decode(buf.data, buf.len, &decoded, &err), -EBADMSG);
	snprintf(expected, sizeof expected, "service table: service 0: wrong %s", what);
	assert_string_equal(err.text, expected);
	buf_free(&buf);
}

static struct service *one_service(void)
{
	set.count = 0;
	add_after("a", "");
	return &set.services[0];
}

static void a_service_that_cannot_be_is_refused(void **state)
{
	struct service *s = one_service();

	(void)state;
	memset(s->name, 'a', sizeof s->name);
	expect_damage("name");
	one_service()->name[0] = 0;
	expect_damage("name");
	strcpy(one_service()->name, ".a");
	expect_damage("name");
	strcpy(one_service()->name, "a/b");
	expect_damage("name");
	one_service()->type = SERVICE_NOTIFY + 1;
	expect_damage("enum");
	one_service()->kill_mode = KILL_PROCESS + 1;
	expect_damage("enum");
	one_service()->restart = RESTART_ALWAYS + 1;
	expect_damage("enum");
	one_service()->slice = SLICE_KUBE + 1;
	expect_damage("enum");
	one_service()->ready_fd = 1;
	expect_damage("value");
	one_service()->ready_fd = 2;
	expect_damage("value");
	one_service()->exec_start.count = 0;
	expect_damage("value");
	one_service()->liveness_failures = 0;
	expect_damage("value");
	one_service()->exec_start.count = 65;
	expect_damage("text");
	one_service()->description.count = 64;
	expect_damage("text");
	s = one_service();
	s->before_shutdown = (struct words){s->text_used, 1};
	expect_damage("text");
	mask_add(&one_service()->after, 1);
	expect_damage("dependency");
	mask_add(&one_service()->requires, SERVICES_MAX - 1);
	expect_damage("dependency");
	mask_add(&one_service()->wants, 1);
	expect_damage("dependency");
	one_service()->text_used = 0;
	expect_damage("length");
}

/* The version is what tells PID 1 of one image from the table of another. */
static void a_table_of_other_fields_has_another_version(void **state)
{
	struct buf buf = {0};

	(void)state;
	set.count = 0;
	add("a.service", "[Service]\nExecStart=/bin/a\n");
	assert_int_equal(service_table_encode(&set, &buf, &err), 0);
	/* header, name, fields: when their sum changes, raise TABLE_VERSION, and put both here */
	assert_int_equal(buf.len - set.services[0].text_used, 24 + 32 + 202);
	assert_int_equal(buf.data[8], 2);
	buf_free(&buf);
}

/* Stored in a bool, it would be undefined behaviour. */
static void a_switch_is_0_or_1(void **state)
{
	static const size_t switches[] = {
		offsetof(struct service, story),
		offsetof(struct service, remain_after_exit),
		offsetof(struct service, no_new_privileges),
		offsetof(struct service, private_network),
		offsetof(struct service, private_ipc),
		offsetof(struct service, private_tmp),
		offsetof(struct service, bound_capabilities),
	};

	(void)state;
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
		struct buf buf = {0};

		set.count = 0;
		add("a.service", "[Service]\nExecStart=/bin/a\n");
		((unsigned char *)&set.services[0])[switches[i]] = 2;
		assert_int_equal(service_table_encode(&set, &buf, &err), 0);
		assert_int_equal(service_table_decode(buf.data, buf.len, &decoded, &err), -EBADMSG);
		assert_string_equal(err.text, "service table: service 0: wrong value");
		buf_free(&buf);
	}
}

static void a_service_behind_the_last_is_not_there(void **state)
{
	(void)state;
	set.count = 0;
	add_after("a", "After=containred.service");
	add_after("containerd", "");
	set.count = 1;
	assert_int_equal(check_services(&set, &err), -EINVAL);
	assert_string_equal(err.text, "a.service: After: no service \"containred\"");
}

/* Each waits for the next, and the last of them for the first. */
static void as_many_services_as_there_may_be_are_one_set(void **state)
{
	char name[8], unit[64];
	(void)state;

	set.count = 0;
	for (unsigned i = 0; i < SERVICES_MAX; i++) {
		snprintf(name, sizeof name, "s%03u", i);
		snprintf(unit, sizeof unit, i + 1 < SERVICES_MAX ? "After=s%03u.service" : "", i + 1);
		add_after(name, unit);
	}
	assert_int_equal(check_services(&set, &err), 0);
	for (unsigned i = 0; i + 1 < SERVICES_MAX; i++)
		assert_true(mask_has(&set.services[i].after, i + 1));
	assert_int_equal(service_set_add(&set, &service, &err), -E2BIG);
	set.count--;
	add_after("s127", "After=s000.service");
	assert_int_equal(check_services(&set, &err), -EINVAL);
	assert_int_equal(strncmp(err.text, "services wait for each other: s000 after s001 after s002 after ", 63), 0);
}

static void a_service_may_fill_its_text_and_its_lists(void **state)
{
	struct buf buf = {0};
	char text[3000];
	(void)state;

	set.count = 0;
	snprintf(text, sizeof text, "[Service]\nExecStart=/a%.124s %0*d\n",
		 " b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b "
		 "b b b b b b b b b b b b b b",
		 1919, 0);
	add("a.service", text);
	assert_int_equal(service.exec_start.count, 64);
	assert_int_equal(service.text_used, SERVICE_TEXT_MAX);
	assert_int_equal(service_table_encode(&set, &buf, &err), 0);
	assert_int_equal(service_table_decode(buf.data, buf.len, &decoded, &err), 0);
	assert_int_equal(strlen(service_word(&decoded.services[0], decoded.services[0].exec_start, 63)), 1919);
	buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependencies_become_indexes),
		cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest),
		cmocka_unit_test(a_cycle_is_refused_with_its_path),
		cmocka_unit_test(a_name_twice_is_refused),
		cmocka_unit_test(a_table_gives_back_what_went_in),
		cmocka_unit_test(every_damaged_byte_is_noticed),
		cmocka_unit_test(an_other_version_is_told_apart_from_damage),
		cmocka_unit_test(a_list_that_is_shorter_ends_in_empty_words),
		cmocka_unit_test(a_service_that_cannot_be_is_refused),
		cmocka_unit_test(a_table_of_other_fields_has_another_version),
		cmocka_unit_test(a_switch_is_0_or_1),
		cmocka_unit_test(a_service_behind_the_last_is_not_there),
		cmocka_unit_test(as_many_services_as_there_may_be_are_one_set),
		cmocka_unit_test(a_service_may_fill_its_text_and_its_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
