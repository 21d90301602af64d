/* The kernel command line, as far as PID 1 reads it. */
#include "boot/cmdline.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/hex.h"

#define WAIT_DEFAULT_SECONDS 30
#define WAIT_MAX_SECONDS 600

static int set_root(struct cmdline *cmdline, const char *value, struct err *err)
{
	uint8_t hash[32];

	if (hex_bytes(value, strlen(value), hash, sizeof hash) < 0)
		return err_set(err, EINVAL, "roothash: expected 64 hexadecimal digits, found \"%.80s\"", value);
	if (cmdline->has_root && memcmp(hash, cmdline->root_hash, sizeof hash))
		return err_set(err, EINVAL, "roothash: expected one value, found a second one: %.64s", value);
	memcpy(cmdline->root_hash, hash, sizeof hash);
	cmdline->has_root = true;
	return 0;
}

static int set_esp(struct cmdline *cmdline, const char *value, struct err *err)
{
	if (uuid_bytes(value, cmdline->esp) < 0)
		return err_set(err, EINVAL, "keelson.esp: expected a partition's UUID, found \"%.80s\"", value);
	cmdline->has_esp = true;
	return 0;
}

static int set_panic(struct cmdline *cmdline, const char *value, struct err *err)
{
	if (strcmp(value, "halt") && strcmp(value, "reboot"))
		return err_set(err, EINVAL, "keelson.panic: expected halt or reboot, found \"%.80s\"", value);
	cmdline->panic_halt = value[0] == 'h';
	return 0;
}

static int set_wait(struct cmdline *cmdline, const char *value, struct err *err)
{
	unsigned seconds = 0;
	const char *p = value;

	while (*p >= '0' && *p <= '9' && seconds <= WAIT_MAX_SECONDS)
		seconds = seconds * 10 + (unsigned)(*p++ - '0');
	if (*p || p == value || !seconds || seconds > WAIT_MAX_SECONDS)
		return err_set(err, EINVAL, "keelson.wait: expected 1 to %d seconds, found \"%.80s\"", WAIT_MAX_SECONDS,
			       value);
	cmdline->wait_seconds = seconds;
	return 0;
}

static const struct key {
	const char *name;
	int (*set)(struct cmdline *cmdline, const char *value, struct err *err);
} keys[] = {
	{"roothash", set_root},
	{"keelson.esp", set_esp},
	{"keelson.panic", set_panic},
	{"keelson.wait", set_wait},
};

static int take_word(char *word, struct cmdline *cmdline, struct err *err)
{
	char *value = strchr(word, '=');

	if (!value)
		return 0;
	*value++ = 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(word, keys[i].name))
			return keys[i].set(cmdline, value, err);
	return 0;
}

int parse_cmdline(const char *text, struct cmdline *cmdline, struct err *err)
{
	char word[CMDLINE_MAX + 1];
	size_t len = 0;
	bool quoted = false;
	int r = 0;

	*cmdline = (struct cmdline){.wait_seconds = WAIT_DEFAULT_SECONDS};
	if (strlen(text) > CMDLINE_MAX)
		return err_set(err, EINVAL, "command line: expected at most %d bytes, found more", CMDLINE_MAX);
	for (const char *p = text;; p++) {
		bool blank = *p == ' ' || *p == '\t' || *p == '\n';

		if (*p && (!blank || quoted)) {
			if (*p == '"')
				quoted = !quoted;
			else
				word[len++] = *p;
			continue;
		}
		word[len] = 0;
		if (!strcmp(word, "--")) /* the rest is for the program, not for the kernel */
			return 0;
		r = len ? take_word(word, cmdline, err) : 0;
		if (r)
			return err_wrap(err, r, "command line");
		if (!*p)
			return 0;
		len = 0;
	}
}

int read_cmdline(struct cmdline *cmdline, struct err *err)
{
	_cleanup_close_ int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	char text[CMDLINE_MAX + 2];
	ssize_t n;

	if (fd < 0)
		return err_errno(err, "open /proc/cmdline");
	n = read(fd, text, sizeof text - 1);
	if (n < 0)
		return err_errno(err, "read /proc/cmdline");
	text[n] = 0;
	return parse_cmdline(text, cmdline, err);
}
