/* The machine's id.
 *
 * What `state` holds wins: a disk moved to another machine keeps its identity, since the cluster knows it by that.
 * Else the SMBIOS UUID, so that a wiped machine comes back as itself; many boards carry none, or one that thousands
 * share. Source: machine-id(5); the lists of bad UUIDs that fwupd, Puppet and configuration managers keep.
 */
#include "storage/machine_id.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/story.h"

#define SMBIOS_UUID "/sys/class/dmi/id/product_uuid"

static const char *const duplicates[] = {
	"00020003000400050006000700080009",
	"03000200040005000006000700080009",
	"03020100050407060809"
	"0a0b0c0d0e0f",
	"000102030405060708090a0b0c0d0e0f",
	"00112233445566778899aabbccddeeff",
	"0123456789abcdef0123456789abcdef",
	"12345678123456781234567812345678",
	"1234567812345678"
	"90abcddeefaabbcc",
	"11111111222233334444555555555555",
	"44454c4c000020108020"
	"80c04f202020",
	"4c4c4544000020108020"
	"80c04f202020",
	"10000000000000000000000000000000",
};

/* 32 hexadecimal digits, with dashes where a UUID has them or without; then white space. */
static bool read_digits(const char *from, char id[MACHINE_ID_TEXT])
{
	size_t n = 0;

	for (; *from && !isspace((unsigned char)*from); from++) {
		if (*from == '-')
			continue;
		if (n == 32 || !isxdigit((unsigned char)*from))
			return false;
		id[n++] = (char)tolower((unsigned char)*from);
	}
	id[n] = 0;
	return n == 32;
}

/* Zero, all F and every other UUID of one repeated byte; and the known ones. */
static bool is_duplicate(const char *id)
{
	bool repeated = true;

	for (size_t i = 2; i < 32; i += 2)
		repeated = repeated && id[i] == id[0] && id[i + 1] == id[1];
	for (size_t i = 0; i < sizeof duplicates / sizeof *duplicates; i++)
		if (!strcmp(id, duplicates[i]))
			return true;
	return repeated;
}

enum machine_id_source choose_machine_id(const char *kept, const char *uuid, const unsigned char random[16],
					 char id[MACHINE_ID_TEXT])
{
	unsigned char r[16];

	if (kept && !strchr(kept, '-') && read_digits(kept, id) && strspn(id, "0") != 32)
		return MACHINE_ID_KEPT;
	if (uuid && read_digits(uuid, id) && !is_duplicate(id))
		return MACHINE_ID_SMBIOS;
	memcpy(r, random, sizeof r);
	r[6] = (unsigned char)((r[6] & 0x0f) | 0x40);
	r[8] = (unsigned char)((r[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < 16; i++)
		snprintf(id + 2 * i, 3, "%02x", r[i]);
	return MACHINE_ID_RANDOM;
}

int set_machine_id(const char *state, const char *etc, struct err *err)
{
	_cleanup_(buf_free) struct buf kept = {0}, uuid = {0};
	char id[MACHINE_ID_TEXT + 1];
	unsigned char random[16];
	enum machine_id_source source;
	int has = file_read(state, 256, &kept, NULL), r = 0;

	file_read(SMBIOS_UUID, 256, &uuid, NULL);
	if (getrandom(random, sizeof random, 0) != sizeof random)
		return err_errno(err, "make a machine id: getrandom");
	source = choose_machine_id(has < 0 ? NULL : buf_string(&kept), buf_string(&uuid), random, id);
	id[32] = '\n';
	id[33] = 0;
	if (source != MACHINE_ID_KEPT) {
		if (has == 0)
			story("%s is damaged, made anew", state);
		r = file_write_atomic(state, id, 33, 0444, err);
	}
	/* Also when it could not be kept: the rest of this boot needs one. */
	if (r < 0) {
		file_write_atomic(etc, id, 33, 0444, NULL);
		return r;
	}
	return file_write_atomic(etc, id, 33, 0444, err);
}
