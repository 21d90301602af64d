/* Prefixes and addresses of both families. */
#include "cluster/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned family_bits(int family)
{
	return family == AF_INET ? 32 : 128;
}

static void clear_host_bits(struct prefix *prefix)
{
	for (unsigned bit = prefix->length; bit < family_bits(prefix->family); bit++)
		prefix->bytes[bit / 8] &= (unsigned char)~(0x80u >> (bit % 8));
}

int prefix_parse(const char *text, struct prefix *prefix, struct err *err)
{
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN];
	char *end = NULL;
	unsigned long length;

	memset(prefix, 0, sizeof *prefix);
	if (!slash || (size_t)(slash - text) >= sizeof address)
		goto wrong;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = 0;
	prefix->family = strchr(address, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(prefix->family, address, prefix->bytes) != 1)
		goto wrong;
	length = strtoul(slash + 1, &end, 10);
	if (end == slash + 1 || *end || slash[1] == '-' || slash[1] == '+' || length > family_bits(prefix->family))
		goto wrong;
	prefix->length = (unsigned)length;
	clear_host_bits(prefix);
	return 0;
wrong:
	return err_set(err, EINVAL, "expected a prefix such as 10.244.0.0/16, found \"%s\"", text);
}

int prefix_address(const struct prefix *prefix, unsigned offset, char text[INET6_ADDRSTRLEN], struct err *err)
{
	unsigned bits = family_bits(prefix->family), host = bits - prefix->length;
	unsigned char bytes[16];
	unsigned carry = offset;

	if (host < 32 && offset >> host)
		return err_set(err, ERANGE, "a prefix of %u bits has no address %u", prefix->length, offset);
	memcpy(bytes, prefix->bytes, sizeof bytes);
	for (unsigned i = bits / 8; i-- > 0;) {
		carry += bytes[i];
		bytes[i] = (unsigned char)carry;
		carry >>= 8;
	}
	inet_ntop(prefix->family, bytes, text, INET6_ADDRSTRLEN);
	return 0;
}

void prefix_first_subnet(const struct prefix *prefix, unsigned length, char text[PREFIX_TEXT])
{
	char address[INET6_ADDRSTRLEN];

	inet_ntop(prefix->family, prefix->bytes, address, sizeof address);
	snprintf(text, PREFIX_TEXT, "%s/%u", address, length > prefix->length ? length : prefix->length);
}

bool address_is_ipv6(const char *text)
{
	return strchr(text, ':') != NULL;
}

void address_with_port(const char *address, unsigned port, char *text, size_t size)
{
	snprintf(text, size, address_is_ipv6(address) ? "[%s]:%u" : "%s:%u", address, port);
}
