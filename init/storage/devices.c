/* `keelson devices`: what udev does for a node, in one process.
 *
 * It listens before it looks, so that no device comes between. Coldplug: drivers by the aliases of the devices that
 * are there, again while new devices come of it, at most for SETTLE_MS; then names below /dev/disk. The node is ready
 * when those are there. From then on every event is taken as it comes. The kernel loads firmware by itself.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keelson.h"
#include "lib/physical_link.h"
#include "lib/file.h"
#include "lib/story.h"
#include "lib/uevent.h"
#include "storage/block_devices.h"
#include "storage/device_modules.h"
#include "storage/device_nodes.h"
#include "storage/network_links.h"
#include "storage/power_button.h"

#define SETTLE_MS 3000
#define LOADING_MS 30000
#define POLL_MEDIA "/sys/module/block/parameters/events_dfl_poll_msecs"
#define POLL_MEDIA_MS "2000"

static struct devices {
	int events;
	bool ready;
	struct alias_set aliases;
	struct block_devices blocks;
	struct power_buttons buttons;
	struct loading loading;
} devices = {.loading = {0, -1}};

static int64_t elapsed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)(now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

static void take_block_event(struct devices *d, const struct uevent *event)
{
	bool disk = event->devtype && !strcmp(event->devtype, "disk");

	if (!event->devname || !is_block_name_of_interest(event->devname))
		return;
	if (d->ready && disk && strcmp(event->action, "change") && strncmp(event->devname, "dm-", 3))
		story("disk %s %s", event->devname, strcmp(event->action, "add") ? "is gone" : "is there");
	if (!strcmp(event->action, "remove"))
		block_device_removed(&d->blocks, event->devname);
	else
		block_device_changed(&d->blocks, event->devname);
}

static void take_event(struct devices *d, const struct uevent *event)
{
	bool added = !strcmp(event->action, "add");

	if (event->modalias && strcmp(event->action, "remove"))
		add_alias(&d->aliases, event->modalias);
	if (!strcmp(event->subsystem, "block"))
		take_block_event(d, event);
	if (added && event->devname)
		set_device_mode(event->devname);
	if (added && event->devname && !strcmp(event->subsystem, "input"))
		open_power_button(&d->buttons, event->devname);
	if (added && d->ready && !strcmp(event->subsystem, "net") &&
	    is_physical_link("/sys", strrchr(event->devpath, '/') + 1))
		story("network interface %s is there", strrchr(event->devpath, '/') + 1);
}

/* All that wait. When the kernel had no room for some, what is there is looked at anew. */
static void take_events(struct devices *d)
{
	static char buffer[UEVENT_MAX + 1];
	struct uevent event;
	int r;

	while ((r = uevent_take(d->events, buffer, &event)) != 0) {
		if (r > 0) {
			take_event(d, &event);
		} else if (r == -ENOBUFS) {
			add_bus_aliases(&d->aliases, "/sys");
			add_block_devices(&d->blocks);
		} else {
			return;
		}
	}
}

static void coldplug(struct devices *d)
{
	struct timespec start;

	clock_gettime(CLOCK_BOOTTIME, &start);
	add_bus_aliases(&d->aliases, "/sys");
	add_block_devices(&d->blocks);
	do {
		start_loading(&d->loading, &d->aliases);
		refresh_block_devices(&d->blocks); /* meanwhile: those that stage 1 has brought */
		await_loading(&d->loading, LOADING_MS);
		take_events(d);
	} while (d->aliases.asked < d->aliases.text.len && elapsed_ms(&start) < SETTLE_MS);
	make_static_nodes();
	set_all_device_modes();
	refresh_block_devices(&d->blocks);
	open_power_buttons(&d->buttons);
}

static void plural(char *text, size_t room, unsigned count, const char *what)
{
	snprintf(text, room, "%u %s%s", count, what, count == 1 ? "" : "s");
}

static void tell_what_is_there(unsigned modules, int64_t took)
{
	char loaded[32], disks[32], links[48];

	plural(loaded, sizeof loaded, modules, "module");
	plural(disks, sizeof disks, count_disks(), "disk");
	plural(links, sizeof links, count_physical_links(), "network interface");
	story("%s, %s, %s (%d.%02d s)", loaded, disks, links, (int)(took / 1000), (int)(took % 1000 / 10));
}

static void switch_off(void)
{
	story("power button pressed: the node switches off");
	if (kill(1, SIGUSR2) < 0)
		story("power button: signal to init: %s", strerror(errno));
}

static void wait_and_act(struct devices *d)
{
	struct pollfd fds[3 + POWER_BUTTONS_MAX] = {
		{d->events, POLLIN, 0}, {d->blocks.inotify, POLLIN, 0}, {d->loading.ended, POLLIN, 0}};

	for (size_t i = 0; i < d->buttons.count; i++)
		fds[3 + i] = (struct pollfd){d->buttons.fds[i], POLLIN, 0};
	if (poll(fds, 3 + d->buttons.count, -1) < 0)
		return;
	if (power_button_pressed(&d->buttons))
		switch_off();
	take_events(d);
	end_loading(&d->loading);
	start_loading(&d->loading, &d->aliases);
	take_block_writes(&d->blocks);
	refresh_block_devices(&d->blocks);
}

int devices_main(int argc, char **argv)
{
	struct devices *d = &devices;
	unsigned modules = count_modules();
	struct timespec start;
	struct err err;

	(void)argv;
	if (argc != 1) {
		fprintf(stderr, "usage: keelson devices\n");
		return 2;
	}
	clock_gettime(CLOCK_BOOTTIME, &start);
	d->events = uevent_open(&err);
	if (d->events < 0) {
		fprintf(stderr, "devices: %s\n", err.text);
		return 1;
	}
	file_poke(POLL_MEDIA, POLL_MEDIA_MS, NULL); /* a CD that is put in causes an event */
	open_block_devices(&d->blocks);
	coldplug(d);
	d->ready = true;
	notify_ready();
	tell_what_is_there(count_modules() - modules, elapsed_ms(&start));
	add_device_modules(&d->aliases); /* nothing in the boot waits for them */
	start_loading(&d->loading, &d->aliases);
	for (;;)
		wait_and_act(d);
}
