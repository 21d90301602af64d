/* Lines on their way to the log writer: a fixed ring that drops the newest when it is full, and counts what it drops.
 */
#ifndef KEELSON_RING_H
#define KEELSON_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_BYTES (128u << 10)
#define LOG_LINE_MAX 1000u
#define LOG_SOURCE_INIT 255u /* PID 1 itself */

enum log_stream { LOG_OUT, LOG_ERR, LOG_INIT };

/* As it lies in the ring and goes to the writer, one a packet; the text follows. */
struct log_record {
	uint16_t size; /* of record and text together, before padding */
	uint8_t source;
	uint8_t stream;
	uint32_t dropped;    /* lines lost before this one */
	int64_t realtime_ms; /* since 1970 */
};

struct ring {
	uint32_t head, tail; /* bytes; read at tail, written at head; equal: empty */
	uint32_t end;	     /* where the records before the wrap end */
	uint32_t dropped;    /* since the last record */
	uint64_t dropped_total;
	_Alignas(8) char data[RING_BYTES];
};

/* Put a line in. Returns false when there is no room. */
bool ring_put(struct ring *ring, uint8_t source, enum log_stream stream, int64_t realtime_ms, const char *text,
	      size_t len);

/* Bytes that its records take. */
uint32_t ring_used(const struct ring *ring);

/* The oldest record, or NULL; and away with it. */
const struct log_record *ring_peek(const struct ring *ring);
void ring_pop(struct ring *ring);

#endif
