/* The machine's power button: pressed, it switches the node off in order. */
#ifndef KEELSON_POWER_BUTTON_H
#define KEELSON_POWER_BUTTON_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#define POWER_BUTTONS_MAX 8

struct power_buttons {
	int fds[POWER_BUTTONS_MAX];
	size_t count;
};

/* Whether a device with these EV_KEY bits (EVIOCGBIT) has a power key. Pure. */
bool has_power_key(const unsigned char *bits, size_t len);

/* Open /dev/NAME ("input/event0") when it has a power key. */
void open_power_button(struct power_buttons *buttons, const char *name);
void open_power_buttons(struct power_buttons *buttons);

/* Read what waits. Returns whether the key went down. A device that is gone is closed. */
bool power_button_pressed(struct power_buttons *buttons);

#endif
