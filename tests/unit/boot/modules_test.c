#include "boot/modules.h"

#include <elf.h>

#include "lib/alias.h"
#include "lib/buf.h"
#include "unit/test.h"

static struct modules modules;
static struct buf inserted;

static int record(const char *path)
{
	buf_addf(&inserted, "%s\n", path);
	return strstr(path, "broken") ? -EINVAL : strstr(path, "nodevice") ? -ENODEV : 0;
}

static void add(const char *path, const char *info, size_t len)
{
	modules.all[modules.count++] = (struct module){.path = path, .name = module_name(path), .info = {info, len}};
}

#define ADD(path, info) add(path, info, sizeof(info))

static int some_modules(void **state)
{
	(void)state;
	memset(&modules, 0, sizeof modules);
	modules.insert = record;
	ADD("/modules/000-dm-mod.ko", "alias=char-major-10-236\0depends=");
	ADD("/modules/001-dm-verity.ko", "depends=dm-mod");
	ADD("/modules/002-squashfs.ko", "alias=fs-squashfs\0depends=");
	ADD("/modules/003-virtio.ko", "depends=");
	ADD("/modules/004-virtio_ring.ko", "depends=virtio");
	ADD("/modules/005-virtio_blk.ko", "alias=virtio:d00000002v*\0depends=virtio,virtio_ring");
	ADD("/modules/006-hv_vmbus.ko", "alias=acpi*:VMBUS:*\0depends=");
	ADD("/modules/007-loop.ko", "alias=block-major-7-*\0depends=");
	sort_modules(&modules);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	buf_free(&inserted);
	return 0;
}

static void each_module_is_loaded_when_it_is_of_use(void **state)
{
	static const enum module_need expected[] = {NEED_BY_OTHER, NEED_ALWAYS, NEED_ASKED,  NEED_BY_OTHER,
						    NEED_BY_OTHER, NEED_DEVICE, NEED_DEVICE, NEED_ASKED};
	(void)state;

	for (size_t i = 0; i < modules.count; i++)
		assert_int_equal(modules.all[i].need, expected[i]);
}

static void hashing_by_vector_instructions_is_left_out_where_they_are_emulated(void **state)
{
	(void)state;
	ADD("/modules/008-sha256-ssse3.ko", "alias=crypto-sha256-ssse3\0alias=crypto-sha256\0depends=");
	sort_modules(&modules);
	assert_int_equal(modules.all[8].need, NEED_ALWAYS);
	modules.slow_vectors = true;
	sort_modules(&modules);
	assert_int_equal(modules.all[8].need, NEED_ASKED);
	assert_int_equal(modules.all[1].need, NEED_ALWAYS);
}

static void what_is_always_needed_comes_with_its_dependencies_first(void **state)
{
	(void)state;
	load_basic_modules(&modules);
	assert_string_equal(buf_string(&inserted), "/modules/000-dm-mod.ko\n/modules/001-dm-verity.ko\n");
}

static void another_process_loads_the_same_and_is_counted(void **state)
{
	pid_t child;
	(void)state;

	modules.count = 0;
	ADD("/modules/000-broken.ko", "depends=");
	ADD("/modules/001-dm-mod.ko", "depends=");
	ADD("/modules/002-overlay.ko", "alias=fs-overlay\0depends=");
	sort_modules(&modules);
	child = start_basic_modules(&modules);
	assert_true(child > 0);
	await_basic_modules(&modules, child);
	assert_int_equal(modules.loaded, 2);
	assert_int_equal(modules.failed, 1);
	load_basic_modules(&modules); /* all done: not here again */
	assert_string_equal(buf_string(&inserted), "");
}

static void a_driver_brings_the_dependencies_of_its_dependencies(void **state)
{
	(void)state;
	load_module(&modules, 5);
	assert_string_equal(buf_string(&inserted),
			    "/modules/003-virtio.ko\n/modules/004-virtio_ring.ko\n/modules/005-virtio_blk.ko\n");
	load_module(&modules, 5);
	assert_int_equal(modules.loaded, 3);
}

static void a_file_system_is_loaded_when_asked_for(void **state)
{
	(void)state;
	load_asked_module(&modules, "fs-squashfs");
	load_asked_module(&modules, "fs-erofs");
	assert_string_equal(buf_string(&inserted), "/modules/002-squashfs.ko\n");
}

static void a_module_that_fails_stops_no_other(void **state)
{
	(void)state;
	modules.count = 0;
	ADD("/modules/000-broken.ko", "depends=");
	ADD("/modules/001-nodevice.ko", "depends=");
	ADD("/modules/002-fine.ko", "depends=");
	sort_modules(&modules);
	load_basic_modules(&modules);
	assert_int_equal(modules.loaded, 1);
	assert_int_equal(modules.failed, 1);
}

static void a_module_that_says_nothing_of_itself_is_loaded_always(void **state)
{
	(void)state;
	modules.count = 0;
	add("/modules/000-odd.ko", NULL, 0);
	sort_modules(&modules);
	assert_int_equal(modules.all[0].need, NEED_ALWAYS);
}

static void the_list_takes_comments_and_refuses_other_places(void **state)
{
	char text[] = "# modules\n\n/modules/000-a.ko\n/etc/passwd\n/modules/../x.ko\n/modules/001-b.ko # why\nc.ko";
	char *at = text;
	(void)state;

	assert_string_equal(next_module(&at), "/modules/000-a.ko");
	assert_string_equal(next_module(&at), "/modules/001-b.ko");
	assert_null(next_module(&at));
	assert_null(next_module(&at));
}

static void aliases_match_as_the_kernel_writes_them(void **state)
{
	static const struct {
		const char *pattern, *alias;
		bool same;
	} cases[] = {
		{"virtio:d00000002v*", "virtio:d00000002v00001AF4", true},
		{"virtio:d00000002v*", "virtio:d00000001v00001AF4", false},
		{"pci:v00001AF4d*sv*sd*bc*sc*i*", "pci:v00001AF4d00001042sv00001AF4sd00001100bc01sc00i00", true},
		{"pci:v*d*sv*sd*bc01sc08i02*", "pci:v00001B36d00000010sv00001AF4sd00001100bc01sc08i02", true},
		{"pci:v*d*sv*sd*bc01sc08i02*", "pci:v00001B36d00000010sv00001AF4sd00001100bc01sc06i01", false},
		{"acpi*:VMBUS:*", "acpi:VMBUS:", true},
		{"usb:v0411p0[0-9A]1*", "usb:v0411p0A1d01", true},
		{"usb:v0411p0[0-9A]1*", "usb:v0411p0B1d01", false},
		{"usb:v0411p0[0-9A]1*", "usb:v0411p001d01", true},
		{"usb:v0411p0[0-9A]1*", "usb:v0411p091d01", true},
		{"usb:v0411p0[0-9A]1*", "usb:v0411p0/1d01", false},
		{"usb:v0411p0[0-]", "usb:v0411p0-", true}, /* a dash at the end means itself */
		{"acpi:PNP0C0?:", "acpi:PNP0C0A:", true},
		{"acpi:PNP0C0?:", "acpi:PNP0C0", false},
		{"usb:v0411p0[0-9", "usb:v0411p05", true}, /* a set that is not closed ends the pattern */
		{"xen:vbd", "xen:vbd", true},
		{"xen:vbd", "xen:vbdx", false},
		{"xen:vbd", "xen:vb", false},
		{"*a*b*c", "xxaxxbxxbc", true},
		{"*", "", true},
		{"", "", true},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (alias_matches(cases[i].pattern, cases[i].alias) != cases[i].same)
			fail_msg("%s against %s: expected %d", cases[i].pattern, cases[i].alias, cases[i].same);
}

/* A module's file as small as it gets: header, names, .modinfo, and three section headers. */
static size_t make_elf(uint8_t *file, const char *info, size_t len)
{
	static const char names[] = "\0.shstrtab\0.modinfo";
	Elf64_Shdr sections[3] = {{.sh_name = 0},
				  {.sh_name = 1, .sh_offset = sizeof(Elf64_Ehdr), .sh_size = sizeof names},
				  {.sh_name = 11, .sh_offset = sizeof(Elf64_Ehdr) + sizeof names, .sh_size = len}};
	Elf64_Ehdr head = {.e_shoff = sizeof head + sizeof names + len,
			   .e_shentsize = sizeof *sections,
			   .e_shnum = 3,
			   .e_shstrndx = 1};

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(file, &head, sizeof head);
	memcpy(file + sizeof head, names, sizeof names);
	memcpy(file + sizeof head + sizeof names, info, len);
	memcpy(file + head.e_shoff, sections, sizeof sections);
	return head.e_shoff + sizeof sections;
}

static void a_module_s_own_words_are_found_in_its_file(void **state)
{
	static const char words[] = "license=GPL\0alias=fs-x\0alias=fs-y\0depends=dm-mod,crc32c_generic";
	uint8_t file[1024];
	size_t len = make_elf(file, words, sizeof words);
	struct module_info info;
	const char *alias;
	(void)state;

	assert_int_equal(module_info_find(file, len, &info), 0);
	alias = module_info_next(&info, "alias=", NULL);
	assert_string_equal(alias, "fs-x");
	alias = module_info_next(&info, "alias=", alias);
	assert_string_equal(alias, "fs-y");
	assert_null(module_info_next(&info, "alias=", alias));
	assert_true(module_info_depends(&info, "dm_mod"));
	assert_true(module_info_depends(&info, "crc32c-generic"));
	assert_false(module_info_depends(&info, "crc32c"));
	assert_false(module_info_depends(&info, "dm"));
}

static void a_section_of_names_that_is_not_there_is_no_module(void **state)
{
	static const char words[] = "alias=fs-x";
	uint8_t whole[512], *file;
	size_t len = make_elf(whole, words, sizeof words);
	uint16_t *names = (uint16_t *)(void *)(whole + offsetof(Elf64_Ehdr, e_shstrndx));
	struct module_info info;
	(void)state;

	*names = 3; /* of 0 to 2; what lies behind the last one would do as one */
	file = calloc(1, len + sizeof(Elf64_Shdr));
	memcpy(file, whole, len);
	memcpy(file + len, whole + len - 2 * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
	assert_int_equal(module_info_find(file, len + sizeof(Elf64_Shdr), &info), -EBADMSG);
	free(file);
}

static void a_file_cut_or_changed_anywhere_is_never_read_beyond_its_end(void **state)
{
	static const char words[] = "alias=fs-x\0depends=dm-mod";
	uint8_t whole[512], *file;
	size_t len = make_elf(whole, words, sizeof words);
	struct module_info info;
	(void)state;

	for (size_t cut = 0; cut < len; cut++) { /* the heap, so that ASan sees a read too far */
		file = malloc(cut + 1);
		memcpy(file, whole, cut);
		assert_int_equal(module_info_find(file, cut, &info), -EBADMSG);
		free(file);
	}
	for (size_t at = 0; at < len; at++) {
		file = malloc(len);
		memcpy(file, whole, len);
		file[at] = 0xff;
		if (!module_info_find(file, len, &info))
			module_info_depends(&info, "dm_mod");
		free(file);
	}
}

static void only_a_number_with_a_dash_is_cut_from_a_name(void **state)
{
	(void)state;
	assert_string_equal(module_name("/modules/012-8250.ko"), "8250.ko");
	assert_string_equal(module_name("/modules/8250.ko"), "8250.ko");
	assert_string_equal(module_name("/modules/-8.ko"), "-8.ko");
}

static void a_module_behind_the_last_needs_nobody(void **state)
{
	(void)state;
	ADD("/modules/008-other.ko", "depends=dm-verity");
	modules.count--;
	sort_modules(&modules);
	assert_int_equal(modules.all[1].need, NEED_ALWAYS);
}

static void what_is_no_elf_file_of_64_bits_is_no_module(void **state)
{
	static const char words[] = "alias=fs-x";
	uint8_t file[512];
	size_t len = make_elf(file, words, sizeof words);
	struct module_info info;
	(void)state;

	for (size_t at = 0; at <= EI_CLASS; at++) {
		file[at] ^= 1;
		assert_int_equal(module_info_find(file, len, &info), -EBADMSG);
		file[at] ^= 1;
	}
	assert_int_equal(module_info_find(file, len, &info), 0);
}

static void words_without_their_end_are_none(void **state)
{
	uint8_t file[512];
	size_t len = make_elf(file, "alias=fs-x", 10);
	struct module_info info;
	(void)state;

	assert_int_equal(module_info_find(file, len, &info), -EBADMSG);
	assert_null(info.text);
}

#define on_some_modules(test) cmocka_unit_test_setup_teardown(test, some_modules, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_some_modules(each_module_is_loaded_when_it_is_of_use),
		on_some_modules(hashing_by_vector_instructions_is_left_out_where_they_are_emulated),
		on_some_modules(what_is_always_needed_comes_with_its_dependencies_first),
		on_some_modules(another_process_loads_the_same_and_is_counted),
		on_some_modules(a_driver_brings_the_dependencies_of_its_dependencies),
		on_some_modules(a_file_system_is_loaded_when_asked_for),
		on_some_modules(a_module_that_fails_stops_no_other),
		on_some_modules(a_module_that_says_nothing_of_itself_is_loaded_always),
		on_some_modules(a_module_behind_the_last_needs_nobody),
		cmocka_unit_test(only_a_number_with_a_dash_is_cut_from_a_name),
		cmocka_unit_test(what_is_no_elf_file_of_64_bits_is_no_module),
		cmocka_unit_test(words_without_their_end_are_none),
		cmocka_unit_test(the_list_takes_comments_and_refuses_other_places),
		cmocka_unit_test(aliases_match_as_the_kernel_writes_them),
		cmocka_unit_test(a_module_s_own_words_are_found_in_its_file),
		cmocka_unit_test(a_section_of_names_that_is_not_there_is_no_module),
		cmocka_unit_test(a_file_cut_or_changed_anywhere_is_never_read_beyond_its_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
