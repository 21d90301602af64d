/* Scalars of a service file: yes and no, names, times, sizes, limits. Lists and commands: service_words.c. */
#include "lib/service_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nearest.h"

int value_error(const struct value *value, size_t offset, struct err *err, const char *format, ...)
{
	unsigned piece = 0;
	char what[512];
	va_list args;

	while (piece + 1 < value->piece_count && value->pieces[piece + 1].offset <= offset)
		piece++;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return err_set(err, EINVAL, "%s:%u:%zu: %s", value->file, value->pieces[piece].line,
		       value->pieces[piece].column + offset - value->pieces[piece].offset, what);
}

static void *field_of(struct service *service, const struct service_key *key)
{
	return (char *)service + key->offset;
}

int value_bool(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcmp(v->text, words[i]))
			continue;
		*(bool *)field_of(s, key) = i & 1;
		return 0;
	}
	return value_error(v, 0, err, "%s: expected yes or no, found \"%s\"", key->name, v->text);
}

static const char *next_enum(size_t i, const void *data)
{
	return ((const char *const *)data)[i];
}

int value_enum(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	const char *nearest;

	for (uint8_t i = 0; key->names[i]; i++) {
		if (strcmp(v->text, key->names[i]))
			continue;
		*(uint8_t *)field_of(s, key) = i;
		return 0;
	}
	nearest = nearest_name(v->text, next_enum, key->names);
	return value_error(v, 0, err, "%s: expected %s%s%s%s%s, found \"%s\"%s%s%s", key->name, key->names[0],
			   key->names[2] ? ", " : " or ", key->names[1], key->names[2] ? " or " : "",
			   key->names[2] ? key->names[2] : "", v->text, nearest ? ", did you mean " : "",
			   nearest ? nearest : "", nearest ? "?" : "");
}

/* A decimal number without sign; *end behind it. Returns false when there is none or it is too large. */
static bool digits(const char *text, const char **end, uint64_t *number)
{
	uint64_t n = 0;

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++)
		if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
			return false;
	*end = text;
	*number = n;
	return true;
}

static uint64_t unit_ms(const char *unit, size_t len)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"sec", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}};

	for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strlen(units[i].name) == len && !strncmp(units[i].name, unit, len))
			return units[i].ms;
	return 0;
}

/* "90", "90s", "1min 30s", "500ms", "infinity". */
int value_time(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	const char *p = v->text;
	uint64_t total = 0;

	if (!strcmp(p, "infinity")) {
		/* our own keys bound probes and the end of the machine */
		if (!strcmp(key->section, "Keelson"))
			return value_error(v, 0, err, "%s: expected at most %lld s", key->name,
					   (long long)key->max / 1000);
		*(uint32_t *)field_of(s, key) = SERVICE_FOREVER;
		return 0;
	}
	do {
		uint64_t number, part, unit;
		const char *start;

		if (!digits(p, &p, &number))
			return value_error(v, (size_t)(p - v->text), err,
					   "%s: expected a time such as 90s, found \"%s\"", key->name, v->text);
		if (isalpha((unsigned char)p[strspn(p, " ")]))
			p += strspn(p, " ");
		for (start = p; isalpha((unsigned char)*p); p++)
			;
		unit = unit_ms(start, (size_t)(p - start));
		if (!unit)
			return value_error(v, (size_t)(start - v->text), err, "%s: expected the unit ms, s, min or h",
					   key->name);
		if (__builtin_mul_overflow(number, unit, &part) || __builtin_add_overflow(total, part, &total) ||
		    total > (uint64_t)key->max)
			return value_error(v, 0, err, "%s: expected at most %lld s", key->name,
					   (long long)key->max / 1000);
		while (*p == ' ')
			p++;
	} while (*p);
	if (total < (uint64_t)key->min)
		return value_error(v, 0, err, "%s: expected more than 0", key->name);
	*(uint32_t *)field_of(s, key) = (uint32_t)total;
	return 0;
}

/* A number with K, M, G or T (powers of 1024, as in systemd). */
static bool bytes_of(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "KMGT";
	const char *end, *suffix;
	uint64_t number;

	if (!digits(text, &end, &number))
		return false;
	if (!*end) {
		*bytes = number;
		return true;
	}
	suffix = strchr(suffixes, *end);
	return suffix && !end[1] && !__builtin_mul_overflow(number, (uint64_t)1024 << 10 * (suffix - suffixes), bytes);
}

int value_bytes(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	if (!bytes_of(v->text, field_of(s, key)))
		return value_error(v, 0, err, "%s: expected a size such as 64M, found \"%s\"", key->name, v->text);
	return 0;
}

int value_limit(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	uint64_t *limit = field_of(s, key);

	if (!strcmp(v->text, "infinity")) {
		*limit = UINT64_MAX;
		return 0;
	}
	if (!bytes_of(v->text, limit) || *limit == 0)
		return value_error(v, 0, err, "%s: expected a number above 0 or infinity, found \"%s\"", key->name,
				   v->text);
	return 0;
}

int value_i16(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	bool minus = v->text[0] == '-';
	const char *end = v->text;
	int64_t signed_number;
	uint64_t number;

	if (!digits(v->text + minus, &end, &number) || *end || number > 100000)
		return value_error(v, 0, err, "%s: expected a number from %lld to %lld, found \"%s\"", key->name,
				   (long long)key->min, (long long)key->max, v->text);
	signed_number = minus ? -(int64_t)number : (int64_t)number;
	if (signed_number < key->min || signed_number > key->max)
		return value_error(v, 0, err, "%s: expected a number from %lld to %lld, found %s", key->name,
				   (long long)key->min, (long long)key->max, v->text);
	*(int16_t *)field_of(s, key) = (int16_t)signed_number;
	return 0;
}

static const char *const capability_names[] = {
	"CAP_CHOWN",
	"CAP_DAC_OVERRIDE",
	"CAP_DAC_READ_SEARCH",
	"CAP_FOWNER",
	"CAP_FSETID",
	"CAP_KILL",
	"CAP_SETGID",
	"CAP_SETUID",
	"CAP_SETPCAP",
	"CAP_LINUX_IMMUTABLE",
	"CAP_NET_BIND_SERVICE",
	"CAP_NET_BROADCAST",
	"CAP_NET_ADMIN",
	"CAP_NET_RAW",
	"CAP_IPC_LOCK",
	"CAP_IPC_OWNER",
	"CAP_SYS_MODULE",
	"CAP_SYS_RAWIO",
	"CAP_SYS_CHROOT",
	"CAP_SYS_PTRACE",
	"CAP_SYS_PACCT",
	"CAP_SYS_ADMIN",
	"CAP_SYS_BOOT",
	"CAP_SYS_NICE",
	"CAP_SYS_RESOURCE",
	"CAP_SYS_TIME",
	"CAP_SYS_TTY_CONFIG",
	"CAP_MKNOD",
	"CAP_LEASE",
	"CAP_AUDIT_WRITE",
	"CAP_AUDIT_CONTROL",
	"CAP_SETFCAP",
	"CAP_MAC_OVERRIDE",
	"CAP_MAC_ADMIN",
	"CAP_SYSLOG",
	"CAP_WAKE_ALARM",
	"CAP_BLOCK_SUSPEND",
	"CAP_AUDIT_READ",
	"CAP_PERFMON",
	"CAP_BPF",
	"CAP_CHECKPOINT_RESTORE",
	NULL,
};

int value_capabilities(const struct value *v, const struct service_key *key, struct service *s, struct err *err)
{
	bool all_but = v->text[0] == '~';
	const char *p = v->text + all_but;
	uint64_t set = 0;

	while (*p) {
		size_t len = strcspn(p, " ");
		unsigned i = 0;
		const char *nearest;
		char name[64];

		snprintf(name, sizeof name, "%.*s", (int)len, p);
		while (capability_names[i] && strcmp(capability_names[i], name))
			i++;
		nearest = nearest_name(name, next_enum, capability_names);
		if (len && !capability_names[i])
			return value_error(v, (size_t)(p - v->text), err, "%s: unknown capability %s%s%s", key->name,
					   name, nearest ? ", did you mean " : "", nearest ? nearest : "");
		if (len)
			set |= (uint64_t)1 << i;
		p += len + strspn(p + len, " ");
	}
	s->capabilities = all_but ? ~set : set;
	s->bound_capabilities = true;
	return 0;
}
