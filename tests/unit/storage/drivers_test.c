/* Look-up in tables that depmod (kmod 30) made of a small tree: tests/data/storage/modules.{alias,dep}.bin, and the
 * text of the same beside them. */
#include "storage/drivers.h"

#include "lib/alias.h"
#include "lib/file.h"
#include "unit/test.h"

static struct buf alias_bytes, dep_bytes, inserted;
static struct drivers drivers;
static const char *loaded;

static int record(const char *path)
{
	buf_addf(&inserted, "%s\n", path);
	return strstr(path, "sr_mod") ? -ENODEV : 0;
}

static bool is_there(const char *name)
{
	return loaded && !strcmp(name, loaded);
}

static int open_tables(void **state)
{
	(void)state;
	memset(&drivers, 0, sizeof drivers);
	loaded = NULL;
	assert_int_equal(file_read("tests/data/storage/modules.alias.bin", 1 << 20, &alias_bytes, NULL), 0);
	assert_int_equal(file_read("tests/data/storage/modules.dep.bin", 1 << 20, &dep_bytes, NULL), 0);
	drivers.aliases = (struct module_index){(const uint8_t *)alias_bytes.data, alias_bytes.len};
	drivers.dependencies = (struct module_index){(const uint8_t *)dep_bytes.data, dep_bytes.len};
	drivers.insert = record;
	drivers.is_loaded = is_there;
	strcpy(drivers.folder, "/m");
	return index_check(&drivers.aliases) || index_check(&drivers.dependencies);
}

static int close_tables(void **state)
{
	(void)state;
	buf_free(&alias_bytes);
	buf_free(&dep_bytes);
	buf_free(&inserted);
	buf_free(&drivers.never.text);
	buf_free(&drivers.special.text);
	buf_free(&drivers.tried.text);
	buf_free(&drivers.left.text);
	return 0;
}

static void a_device_gets_its_driver_after_what_that_depends_on(void **state)
{
	(void)state;
	load_driver(&drivers, "virtio:d00000001v00001AF4");
	assert_string_equal(buf_string(&inserted), "/m/kernel/drivers/virtio/virtio_ring.ko\n"
						   "/m/kernel/drivers/virtio/virtio.ko\n"
						   "/m/kernel/net/core/failover.ko\n"
						   "/m/kernel/drivers/net/net_failover.ko\n"
						   "/m/kernel/drivers/net/virtio_net.ko\n");
}

static void a_module_is_loaded_by_its_name_too_and_only_once(void **state)
{
	(void)state;
	load_driver(&drivers, "net-failover");
	load_driver(&drivers, "net_failover");
	assert_string_equal(buf_string(&inserted),
			    "/m/kernel/net/core/failover.ko\n/m/kernel/drivers/net/net_failover.ko\n");
}

static void what_is_in_the_kernel_is_not_read_again(void **state)
{
	(void)state;
	loaded = "failover";
	load_driver(&drivers, "net_failover");
	assert_string_equal(buf_string(&inserted), "/m/kernel/drivers/net/net_failover.ko\n");
}

static void an_alias_with_a_dash_is_found(void **state)
{
	(void)state;
	load_driver(&drivers, "scsi:t-0x05");
	assert_non_null(strstr(buf_string(&inserted), "sr_mod.ko"));
}

static void an_unknown_alias_loads_nothing(void **state)
{
	char longer[3000];
	(void)state;

	memset(longer, 'v', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	load_driver(&drivers, "virtio:d000000FFv00001AF4");
	load_driver(&drivers, "pci:v");
	load_driver(&drivers, "");
	load_driver(&drivers, longer);
	load_driver(&drivers, "no_such_module");
	assert_string_equal(buf_string(&inserted), "");
}

static void rules_of_modprobe_d_hold(void **state)
{
	(void)state;
	take_rule(&drivers, "# blacklist virtio_net");
	take_rule(&drivers, "blacklist net-failover");
	take_rule(&drivers, "options virtio_net napi_tx=1");
	take_rule(&drivers, "softdep");
	take_rule(&drivers, "install a-b /bin/true");
	take_rule(&drivers, "softdep c[d-e]-f pre: g");
	take_rule(&drivers, "alias h i");
	assert_string_equal(next_alias(&drivers.special), "virtio_net");
	assert_string_equal(next_alias(&drivers.special), "a_b");
	assert_string_equal(next_alias(&drivers.special), "c[d-e]_f"); /* within [ ] it means from … to */
	assert_null(next_alias(&drivers.special));
	load_driver(&drivers, "net_failover");
	load_driver(&drivers, "virtio:d00000001v00001AF4");
	assert_string_equal(buf_string(&inserted), "");
	assert_string_equal(next_alias(&drivers.left), "virtio_net");
	assert_null(next_alias(&drivers.left));
}

static void count(void *context, const char *value)
{
	(void)value;
	++*(unsigned *)context;
}

/* Every line of modules.alias: the table finds what the plain text says, for a name made of the pattern. */
static void the_table_finds_what_the_text_says(void **state)
{
	struct buf text = {0};
	char *at, *line;
	unsigned lines = 0;
	(void)state;

	assert_int_equal(file_read("tests/data/storage/modules.alias", 1 << 20, &text, NULL), 0);
	at = text.data;
	while ((line = strsep(&at, "\n"))) {
		char pattern[300], module[100], name[300];
		unsigned found = 0;

		if (sscanf(line, "alias %299s %99s", pattern, module) != 2)
			continue;
		strcpy(name, pattern);
		for (char *p = name; *p; p++)
			*p = *p == '*' ? 'Z' : *p == '-' ? '_' : *p;
		index_match(&drivers.aliases, name, count, &found);
		if (!found)
			fail_msg("%s: found no %s", name, module);
		lines++;
	}
	assert_true(lines > 30);
	buf_free(&text);
}

static void a_table_cut_or_changed_anywhere_is_never_read_beyond_its_end(void **state)
{
	unsigned found = 0;
	(void)state;

	for (size_t len = 0; len < alias_bytes.len; len += 7) {
		uint8_t *copy = malloc(len + 1); /* the heap, so that ASan sees a read too far */
		struct module_index index = {copy, len};

		memcpy(copy, alias_bytes.data, len);
		if (!index_check(&index))
			index_match(&index, "virtio:d00000001v00001AF4", count, &found);
		free(copy);
	}
	for (size_t at = 0; at < alias_bytes.len; at++) {
		uint8_t *copy = malloc(alias_bytes.len);
		struct module_index index = {copy, alias_bytes.len};

		memcpy(copy, alias_bytes.data, alias_bytes.len);
		copy[at] ^= 0xff;
		if (!index_check(&index))
			index_match(&index, "virtio:d00000001v00001AF4", count, &found);
		free(copy);
	}
}

/* A node whose children are all itself again: there is no end to what lies below it. */
static void a_table_that_leads_back_into_itself_comes_to_an_end(void **state)
{
	static uint8_t table[16 + 2 + 255 * 4] = {0xb0, 0x07, 0xf4, 0x57, 0x00, 0x02, 0x00, 0x01, 0x20, 0, 0, 16};
	struct module_index index = {table, sizeof table};
	unsigned found = 0;
	(void)state;

	table[16] = 1;
	table[17] = 255;
	for (size_t i = 0; i < 255; i++)
		memcpy(table + 18 + 4 * i, table + 8, 4);
	assert_int_equal(index_check(&index), 0);
	alarm(60); /* it would outlast everybody */
	index_match(&index, "virtio:d00000001v00001AF4", count, &found);
	index_find(&index, "virtio:d00000001v00001AF4", count, &found);
	alarm(0);
	assert_int_equal(found, 0);
}

static void an_alias_too_long_for_its_room_loads_nothing(void **state)
{
	static char alias[4098];
	(void)state;

	for (size_t len = 4095; len < sizeof alias; len++) {
		memset(alias, 'v', len);
		alias[len] = 0;
		load_driver(&drivers, alias);
	}
	assert_string_equal(buf_string(&inserted), "");
}

static void what_is_no_table_is_refused(void **state)
{
	uint8_t *bytes = (uint8_t *)alias_bytes.data;
	struct module_index index = {bytes, alias_bytes.len};
	(void)state;

	for (size_t at = 0; at < 8; at++) { /* magic and version */
		bytes[at] ^= 1;
		assert_int_equal(index_check(&index), -EBADMSG);
		bytes[at] ^= 1;
	}
	memset(bytes + 8, 0, 4);
	assert_int_equal(index_check(&index), -EBADMSG);
	for (int more = 0; more < 2; more++) {
		size_t root = index.len - 1 + (size_t)more; /* a node of nothing, at the last byte or behind it */

		bytes[8] = 0;
		bytes[9] = (uint8_t)(root >> 16);
		bytes[10] = (uint8_t)(root >> 8);
		bytes[11] = (uint8_t)root;
		assert_int_equal(index_check(&index), more ? -EBADMSG : 0);
	}
}

static void note(void *context, const char *value)
{
	buf_addf(context, "%s\n", value);
}

/* A root that is itself a key, with a child 'x' that is another. */
static void a_node_has_values_behind_its_children(void **state)
{
	static const uint8_t table[] = {0xb0, 0x07, 0xf4, 0x57, 0x00, 0x02, 0x00, 0x01, 0x60, 0, 0, 12,	 'x',
					'x',  0x40, 0,	  0,	29,   0,    0,	  0,	1,    0, 0, 0,	 7,
					'r',  0,    0,	  0,	0,    0,    1,	  0,	0,    0, 8, 'c', 0};
	const struct module_index index = {table, sizeof table};
	struct buf found = {0};
	(void)state;

	assert_int_equal(index_check(&index), 0);
	index_find(&index, "", note, &found);
	index_find(&index, "x", note, &found);
	index_match(&index, "x", note, &found);
	index_find(&index, "y", note, &found);
	assert_string_equal(buf_string(&found), "r\nc\nc\n");
	buf_free(&found);
}

#define on_tables(test) cmocka_unit_test_setup_teardown(test, open_tables, close_tables)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_tables(a_device_gets_its_driver_after_what_that_depends_on),
		on_tables(a_module_is_loaded_by_its_name_too_and_only_once),
		on_tables(what_is_in_the_kernel_is_not_read_again),
		on_tables(an_alias_with_a_dash_is_found),
		on_tables(an_unknown_alias_loads_nothing),
		on_tables(a_table_that_leads_back_into_itself_comes_to_an_end),
		on_tables(rules_of_modprobe_d_hold),
		on_tables(the_table_finds_what_the_text_says),
		on_tables(a_table_cut_or_changed_anywhere_is_never_read_beyond_its_end),
		on_tables(an_alias_too_long_for_its_room_loads_nothing),
		on_tables(what_is_no_table_is_refused),
		on_tables(a_node_has_values_behind_its_children),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
