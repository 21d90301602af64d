/* Lines on their way to the log writer. Records lie in one piece each; one that does not fit before the end starts at
 * 0. */
#include "supervise/ring.h"

#include <string.h>

static uint32_t padded(uint32_t size)
{
	return (size + 7u) & ~7u;
}

/* Where a record of this size may begin, or RING_BYTES. One byte is left free: full and empty must differ. */
static uint32_t place_for(const struct ring *ring, uint32_t size)
{
	if (ring->head >= ring->tail) {
		if (size <= RING_BYTES - ring->head && (ring->head + size != RING_BYTES || ring->tail))
			return ring->head;
		return size < ring->tail ? 0 : RING_BYTES;
	}
	return size < ring->tail - ring->head ? ring->head : RING_BYTES;
}

bool ring_put(struct ring *ring, uint8_t source, enum log_stream stream, int64_t realtime_ms, const char *text,
	      size_t len)
{
	struct log_record record = {.source = source, .stream = (uint8_t)stream, .realtime_ms = realtime_ms};
	uint32_t place;

	if (len > LOG_LINE_MAX)
		len = LOG_LINE_MAX;
	record.size = (uint16_t)(sizeof record + len);
	record.dropped = ring->dropped;
	if (ring->head == ring->tail) /* empty: begin at the start, so that a quiet node touches few pages */
		ring->head = ring->tail = 0;
	place = place_for(ring, padded(record.size));
	if (place == RING_BYTES) {
		ring->dropped++;
		ring->dropped_total++;
		return false;
	}
	if (place == 0 && ring->head)
		ring->end = ring->head;
	memcpy(ring->data + place, &record, sizeof record);
	memcpy(ring->data + place + sizeof record, text, len);
	ring->head = place + padded(record.size);
	ring->dropped = 0;
	if (ring->head == RING_BYTES) {
		ring->end = RING_BYTES;
		ring->head = 0;
	}
	return true;
}

uint32_t ring_used(const struct ring *ring)
{
	return ring->head >= ring->tail ? ring->head - ring->tail : ring->end - ring->tail + ring->head;
}

const struct log_record *ring_peek(const struct ring *ring)
{
	if (ring->head == ring->tail)
		return NULL;
	return (const struct log_record *)(const void *)(ring->data + ring->tail);
}

void ring_pop(struct ring *ring)
{
	const struct log_record *record = ring_peek(ring);

	if (!record)
		return;
	ring->tail += padded(record->size);
	if (ring->tail > ring->head && ring->tail >= ring->end)
		ring->tail = 0;
}
