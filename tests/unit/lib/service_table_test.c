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
	assert_true(mask_has(&set.services[1].wants, 2));
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
	buf.data[8] = 2;
	assert_int_equal(service_table_decode(buf.data, buf.len, &decoded, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, "service table: expected version 1, found 2");
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
