/* The machine's power button.
 *
 * ACPI's button, a keyboard's power key and a hypervisor's "shut down" all come as KEY_POWER of an input device.
 * Source: Documentation/input/event-codes.rst.
 */
#include "storage/power_button.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool has_power_key(const unsigned char *bits, size_t len)
{
	return KEY_POWER / 8 < len && bits[KEY_POWER / 8] >> KEY_POWER % 8 & 1;
}

void open_power_button(struct power_buttons *buttons, const char *name)
{
	unsigned char bits[KEY_MAX / 8 + 1] = {0};
	char path[128];
	int fd;

	if (buttons->count == POWER_BUTTONS_MAX || strncmp(name, "input/event", 11))
		return;
	snprintf(path, sizeof path, "/dev/%.100s", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	/* By syscall(2): the C libraries disagree about the type of a request's number. */
	if (syscall(SYS_ioctl, fd, EVIOCGBIT(EV_KEY, sizeof bits), bits) >= 0 && has_power_key(bits, sizeof bits))
		buttons->fds[buttons->count++] = fd;
	else
		close(fd);
}

void open_power_buttons(struct power_buttons *buttons)
{
	DIR *dir = opendir("/dev/input");
	struct dirent *entry;
	char name[64];

	while (dir && (entry = readdir(dir))) {
		snprintf(name, sizeof name, "input/%.50s", entry->d_name);
		open_power_button(buttons, name);
	}
	if (dir)
		closedir(dir);
}

bool power_button_pressed(struct power_buttons *buttons)
{
	bool pressed = false;

	for (size_t i = 0; i < buttons->count; i++) {
		struct input_event event;
		ssize_t n;

		while ((n = read(buttons->fds[i], &event, sizeof event)) == (ssize_t)sizeof event)
			pressed = pressed || (event.type == EV_KEY && event.code == KEY_POWER && event.value == 1);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		close(buttons->fds[i]);
		buttons->fds[i--] = buttons->fds[--buttons->count];
	}
	return pressed;
}
