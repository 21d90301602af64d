#include "supervise/ring.h"

#include "unit/test.h"

static struct ring ring;

static void lines_come_out_as_they_went_in(void **state)
{
	const struct log_record *r;

	(void)state;
	memset(&ring, 0, sizeof ring);
	assert_true(ring_put(&ring, 3, LOG_ERR, 1234, "hello", 5));
	r = ring_peek(&ring);
	assert_int_equal(r->source, 3);
	assert_int_equal(r->stream, LOG_ERR);
	assert_int_equal(r->realtime_ms, 1234);
	assert_int_equal(r->size, sizeof *r + 5);
	assert_memory_equal(r + 1, "hello", 5);
	ring_pop(&ring);
	assert_null(ring_peek(&ring));
}

static void a_full_ring_drops_the_newest_and_counts(void **state)
{
	char line[LOG_LINE_MAX] = {0};
	unsigned held = 0;

	(void)state;
	memset(&ring, 0, sizeof ring);
	while (ring_put(&ring, 0, LOG_OUT, 0, line, sizeof line))
		held++;
	assert_true(held >= RING_BYTES / 1040 - 1);
	ring_put(&ring, 0, LOG_OUT, 0, line, sizeof line);
	assert_int_equal(ring.dropped, 2);
	ring_pop(&ring);
	assert_false(ring_put(&ring, 0, LOG_OUT, 0, line, sizeof line)); /* would fill it, which looks like empty */
	ring_pop(&ring);
	assert_true(ring_put(&ring, 0, LOG_OUT, 0, "x", 1));
	for (unsigned k = 0; k < held - 2; k++)
		ring_pop(&ring);
	assert_int_equal(ring_peek(&ring)->dropped, 3);
	assert_true(ring.dropped_total == 3 && ring.dropped == 0);
}

/* Against a plain queue: random lengths, random order of putting and taking, many times round. */
static void it_is_a_queue_however_often_it_wraps(void **state)
{
	enum { QUEUE = 1 << 16, PER_LINE = sizeof(struct log_record) + 7 };
	static unsigned queue[QUEUE];
	unsigned first = 0, next = 0, seed = 1;
	char line[LOG_LINE_MAX];
	size_t held = 0;

	(void)state;
	memset(&ring, 0, sizeof ring);
	for (unsigned k = 0; k < 400000; k++) {
		seed = seed * 1664525u + 1013904223u;
		if (seed >> 16 & 1) {
			unsigned len = 4 + (seed >> 17) % (LOG_LINE_MAX - 4);

			memset(line, (int)len, len);
			memcpy(line, &next, 4);
			if (ring_put(&ring, 1, LOG_OUT, next, line, len)) {
				held += len + PER_LINE;
				queue[next++ % QUEUE] = len;
			} else if (held + 3 * (LOG_LINE_MAX + PER_LINE) < RING_BYTES) {
				fail_msg("expected room beside %zu bytes, found none", held);
			}
		} else if (first != next) {
			const struct log_record *r = ring_peek(&ring);

			assert_non_null(r);
			assert_int_equal(r->realtime_ms, first);
			assert_int_equal(r->size - sizeof *r, queue[first % QUEUE]);
			assert_memory_equal(r + 1, &first, 4);
			ring_pop(&ring);
			held -= queue[first % QUEUE] + PER_LINE;
			first++;
		} else {
			assert_null(ring_peek(&ring));
		}
		assert_in_range(ring_used(&ring), held - 7 * (size_t)(next - first), held); /* 7: of padding at most */
	}
	assert_true(next > 1000);
}

static void a_line_beyond_its_bound_is_cut(void **state)
{
	static char line[5000];

	(void)state;
	memset(&ring, 0, sizeof ring);
	assert_true(ring_put(&ring, 0, LOG_OUT, 0, line, sizeof line));
	assert_int_equal(ring_peek(&ring)->size, sizeof(struct log_record) + LOG_LINE_MAX);
}

static void a_line_that_ends_with_the_ring_lies_in_one_piece(void **state)
{
	static const char line[64];
	(void)state;
	memset(&ring, 0, sizeof ring);
	ring.head = RING_BYTES - 64;
	ring.tail = RING_BYTES - 128;
	assert_true(ring_put(&ring, 0, LOG_OUT, 0, line, 64 - sizeof(struct log_record)));
	assert_int_equal(ring.head, 0);
	assert_int_equal(ring.end, RING_BYTES);
	assert_int_equal(ring.tail, RING_BYTES - 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_out_as_they_went_in),
		cmocka_unit_test(a_full_ring_drops_the_newest_and_counts),
		cmocka_unit_test(it_is_a_queue_however_often_it_wraps),
		cmocka_unit_test(a_line_beyond_its_bound_is_cut),
		cmocka_unit_test(a_line_that_ends_with_the_ring_lies_in_one_piece),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
