/* The compiled table of services.
 *
 * Little endian. Header: "KEELSVCS", version, number of services, length of the body, CRC-32 of the body. Body: for
 * each service the fields below in their order, then its text. Writing and reading walk the same list of fields, so
 * they cannot disagree. The reader trusts nothing: lengths, enums, offsets of strings and indexes of dependencies are
 * checked, and a table that fails any check is refused whole.
 */
#include "lib/service_table.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define TABLE_VERSION 2u /* raised whenever fields or their sizes change: a test counts the bytes */
#define HEADER_SIZE 24u

static const char magic[8] = {'K', 'E', 'E', 'L', 'S', 'V', 'C', 'S'};

/* clang-format off */ /* a table is read by its rows */
#define SCALAR(name) {offsetof(struct service, name), sizeof(((struct service *)0)->name), \
		      _Generic(((struct service *)0)->name, bool: true, default: false)}
#define WORDS(name) {offsetof(struct service, name.first), 2, false}, {offsetof(struct service, name.count), 2, false}
#define MASK(name) {offsetof(struct service, name.bits[0]), 8, false}, {offsetof(struct service, name.bits[1]), 8, false}

_Static_assert(SERVICES_MAX == 128, "MASK writes two words");

static const struct field {
	uint16_t offset;
	uint16_t size; /* 1, 2, 4 or 8 */
	bool is_bool;  /* another value than 0 and 1 would be undefined behaviour: refused before it is stored */
} fields[] = {
	SCALAR(type), SCALAR(kill_mode), SCALAR(restart), SCALAR(slice), SCALAR(story), SCALAR(remain_after_exit),
	SCALAR(no_new_privileges), SCALAR(private_network), SCALAR(private_ipc), SCALAR(private_tmp),
	SCALAR(bound_capabilities), SCALAR(ready_fd), SCALAR(start_timeout), SCALAR(stop_timeout), SCALAR(healthy_after),
	SCALAR(liveness_interval), SCALAR(liveness_timeout), SCALAR(before_shutdown_timeout), SCALAR(liveness_failures),
	SCALAR(give_up_after), SCALAR(cpu_weight), SCALAR(oom_score_adjust), SCALAR(limit_nofile), SCALAR(limit_nproc),
	SCALAR(limit_core), SCALAR(limit_memlock), SCALAR(memory_min), SCALAR(memory_low), SCALAR(memory_max),
	SCALAR(capabilities), WORDS(description), WORDS(user), WORDS(exec_start), WORDS(environment),
	WORDS(environment_files), WORDS(conditions), WORDS(working_directory), WORDS(read_only_paths),
	WORDS(ready), WORDS(liveness), WORDS(before_shutdown), MASK(after), MASK(requires), MASK(wants),
	SCALAR(text_used),
};
/* clang-format on */

#define FIELDS (sizeof fields / sizeof fields[0])

static uint32_t crc32_of(const unsigned char *data, size_t len)
{
	uint32_t crc = 0xffffffffu;

	while (len--) {
		crc ^= *data++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}

static void put_number(unsigned char *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_number(const unsigned char *from, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

static uint64_t load_field(const struct service *s, struct field field)
{
	const char *from = (const char *)s + field.offset;
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (field.size) {
	case 1:
		return *(const unsigned char *)from;
	case 2:
		memcpy(&v16, from, 2);
		return v16;
	case 4:
		memcpy(&v32, from, 4);
		return v32;
	default:
		memcpy(&v64, from, 8);
		return v64;
	}
}

static void store_field(struct service *s, struct field field, uint64_t value)
{
	char *to = (char *)s + field.offset;
	uint32_t v32 = (uint32_t)value;
	uint16_t v16 = (uint16_t)value;
	uint8_t v8 = (uint8_t)value;

	switch (field.size) {
	case 1:
		memcpy(to, &v8, 1);
		break;
	case 2:
		memcpy(to, &v16, 2);
		break;
	case 4:
		memcpy(to, &v32, 4);
		break;
	default:
		memcpy(to, &value, 8);
	}
}

static int encode_service(const struct service *s, struct buf *out)
{
	unsigned char number[8];
	int r = buf_add(out, s->name, sizeof s->name);

	for (unsigned i = 0; !r && i < FIELDS; i++) {
		put_number(number, load_field(s, fields[i]), fields[i].size);
		r = buf_add(out, number, fields[i].size);
	}
	return r ? r : buf_add(out, s->text, s->text_used);
}

int service_table_encode(const struct service_set *set, struct buf *out, struct err *err)
{
	unsigned char header[HEADER_SIZE];
	size_t start = out->len;
	size_t body;
	int r;

	memset(header, 0, sizeof header);
	memcpy(header, magic, sizeof magic);
	r = buf_add(out, header, sizeof header);
	for (unsigned i = 0; !r && i < set->count; i++)
		r = encode_service(&set->services[i], out);
	if (r < 0)
		return err_set(err, -r, "service table: %s", strerror(-r));
	body = out->len - start - HEADER_SIZE;
	put_number(header + 8, TABLE_VERSION, 4);
	put_number(header + 12, set->count, 4);
	put_number(header + 16, body, 4);
	put_number(header + 20, crc32_of((unsigned char *)out->data + start + HEADER_SIZE, body), 4);
	memcpy(out->data + start, header, sizeof header);
	return 0;
}

/* A list of strings lies wholly inside the text, each with its end. */
static bool words_fit(const struct service *s, struct words words)
{
	size_t at = words.first;

	for (unsigned i = 0; i < words.count; i++) {
		const char *end = at < s->text_used ? memchr(s->text + at, 0, s->text_used - at) : NULL;

		if (!end)
			return false;
		at = (size_t)(end - s->text) + 1;
	}
	return true;
}

static bool mask_fits(struct service_mask mask, unsigned count)
{
	for (unsigned i = count; i < SERVICES_MAX; i++)
		if (mask_has(&mask, i))
			return false;
	return true;
}

static const char *damage_of(const struct service *s, unsigned count)
{
	const struct words lists[] = {s->description,
				      s->user,
				      s->exec_start,
				      s->environment,
				      s->environment_files,
				      s->conditions,
				      s->working_directory,
				      s->read_only_paths,
				      s->ready,
				      s->liveness,
				      s->before_shutdown};

	if (!memchr(s->name, 0, sizeof s->name) || !s->name[0] || s->name[0] == '.' || strchr(s->name, '/'))
		return "name";
	if (s->type > SERVICE_NOTIFY || s->kill_mode > KILL_PROCESS || s->restart > RESTART_ALWAYS ||
	    s->slice > SLICE_KUBE)
		return "enum";
	if (s->ready_fd == 1 || s->ready_fd == 2 || !s->exec_start.count || !s->liveness_failures)
		return "value";
	for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if (lists[i].count > 64 || !words_fit(s, lists[i]))
			return "text";
	if (!mask_fits(s->after, count) || !mask_fits(s->requires, count) || !mask_fits(s->wants, count))
		return "dependency";
	return NULL;
}

/* Returns what is wrong, or NULL and the bytes taken. */
static const char *decode_service(const unsigned char *data, size_t len, struct service *s, size_t *taken)
{
	size_t at = sizeof s->name;

	memset(s, 0, sizeof *s);
	if (len < at)
		return "length";
	memcpy(s->name, data, sizeof s->name);
	for (unsigned i = 0; i < FIELDS; i++) {
		uint64_t value;

		if (len - at < fields[i].size)
			return "length";
		value = get_number(data + at, fields[i].size);
		if (fields[i].is_bool && value > 1)
			return "value";
		store_field(s, fields[i], value);
		at += fields[i].size;
	}
	if (!s->text_used || s->text_used > sizeof s->text || len - at < s->text_used)
		return "length";
	memcpy(s->text, data + at, s->text_used);
	s->text[s->text_used - 1] = 0;
	*taken = at + s->text_used;
	return NULL;
}

static int decode_body(const unsigned char *data, size_t len, struct service_set *set, struct err *err)
{
	for (unsigned i = 0; i < set->count; i++) {
		struct service *s = &set->services[i];
		size_t taken = 0;
		const char *damage = decode_service(data, len, s, &taken);

		if (!damage)
			damage = damage_of(s, set->count);
		if (damage)
			return err_set(err, EBADMSG, "service table: service %u: wrong %s", i, damage);
		data += taken;
		len -= taken;
	}
	if (len)
		return err_set(err, EBADMSG, "service table: expected its end, found %zu bytes more", len);
	return 0;
}

int service_table_decode(const void *data, size_t len, struct service_set *set, struct err *err)
{
	const unsigned char *header = data;
	int r;

	set->count = 0;
	if (len < HEADER_SIZE || memcmp(header, magic, sizeof magic))
		return err_set(err, EBADMSG, "service table: expected its header, found something else");
	if (get_number(header + 8, 4) != TABLE_VERSION)
		return err_set(err, EPROTONOSUPPORT, "service table: expected version %u, found %llu", TABLE_VERSION,
			       (unsigned long long)get_number(header + 8, 4));
	if (get_number(header + 16, 4) != len - HEADER_SIZE || get_number(header + 12, 4) > SERVICES_MAX)
		return err_set(err, EBADMSG, "service table: wrong length");
	if (get_number(header + 20, 4) != crc32_of(header + HEADER_SIZE, len - HEADER_SIZE))
		return err_set(err, EBADMSG, "service table: wrong checksum");
	set->count = (uint32_t)get_number(header + 12, 4);
	r = decode_body(header + HEADER_SIZE, len - HEADER_SIZE, set, err);
	if (r < 0)
		set->count = 0;
	return r;
}
