/* Lines of the boot story on every console, from PID 1 itself. Nothing here ever waits for a console. */
#ifndef KEELSON_BOOT_TELL_H
#define KEELSON_BOOT_TELL_H

#include <stddef.h>
#include <stdint.h>

/* Open the kernel's consoles (/sys/class/tty/console/active) and /dev/kmsg; /sys and /dev are mounted. A console that
 * is not there is no error. May be called again: what was open is closed first. */
void tell_open(void);

/* One line: "[ 0.41] root        text", cut at about 1000 bytes. A console that takes nothing loses the line. */
void tell(const char *who, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes as they are, to every console: async-signal-safe. */
void tell_raw(const char *text, size_t len);

/* Make the line, without writing it. hundredths: time since boot. Pure. Returns its length. */
size_t tell_format(char *line, size_t room, int64_t hundredths, const char *who, const char *text);

/* Milliseconds since boot, asleep or not. */
int64_t boot_ms(void);

#endif
