/* The machine's id: 32 lower-case hexadecimal digits, the same for ever. */
#ifndef KEELSON_MACHINE_ID_H
#define KEELSON_MACHINE_ID_H

#include "lib/err.h"

#define MACHINE_ID_TEXT 33

enum machine_id_source { MACHINE_ID_KEPT, MACHINE_ID_SMBIOS, MACHINE_ID_RANDOM };

/* Pure. kept: what `state` holds, or NULL; uuid: SMBIOS product_uuid as sysfs prints it, or NULL; both as read. */
enum machine_id_source choose_machine_id(const char *kept, const char *uuid, const unsigned char random[16],
					 char id[MACHINE_ID_TEXT]);

/* Read or make STATE (/var/lib/keelson/machine-id), and write it to ETC (/etc/machine-id). */
int set_machine_id(const char *state, const char *etc, struct err *err);

#endif
