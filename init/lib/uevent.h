/* The kernel's device events: a netlink socket, and a bounded parser of its messages. */
#ifndef KEELSON_UEVENT_H
#define KEELSON_UEVENT_H

#include <stddef.h>

#include "lib/err.h"

#define UEVENT_MAX 8192 /* the kernel's own bound is 2048 bytes of variables */

/* Pointers into the message; NULL: not there. */
struct uevent {
	const char *action;    /* add, change, remove, bind, unbind, move, online, offline */
	const char *devpath;   /* below /sys */
	const char *subsystem; /* block, net, input, … */
	const char *devname;   /* below /dev */
	const char *devtype;   /* disk, partition, … */
	const char *modalias;
};

/* message: len bytes as received, NUL-separated, and one byte of room behind them. Returns 0 or -EBADMSG. Pure. */
int uevent_parse(char *message, size_t len, struct uevent *event);

/* A non-blocking socket that receives the kernel's events from now on. Returns it, or negative errno. */
int uevent_open(struct err *err);

/* Take one event; buffer has UEVENT_MAX + 1 bytes and holds the strings. What is not from the kernel, or no event, is
 * skipped. Returns 1: taken; 0: none waits; -ENOBUFS: events were lost, look again at everything; other -errno. */
int uevent_take(int fd, char *buffer, struct uevent *event);

#endif
