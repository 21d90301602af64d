/* What a service prints: its lines in the ring, and what of them reaches the console, which no service may repaint.
 *
 * Pieces: 'o' standard output, 'e' standard error, 'd' the end of the process.
 */
#include "fuzz.h"

#include <sys/mman.h>

#include "idle_node.h"
#include "lib/utf8.h"

static struct node node;

static void check_console(int fd)
{
	static char text[1 << 20];
	ssize_t len = pread(fd, text, sizeof text, 0);
	size_t line = 0;

	PROMISE(len >= 0);
	for (size_t i = 0; i < (size_t)len;) {
		uint32_t c = 0;
		size_t bytes = utf8_decode((unsigned char *)text + i, (size_t)len - i, &c);

		PROMISE(bytes && (c == '\n' || (c >= ' ' && (c < 127 || c >= 160))));
		i += bytes;
		line = c == '\n' ? 0 : line + bytes;
		PROMISE(line < 512);
	}
	PROMISE(!len || text[len - 1] == '\n');
}

static void check_ring(void)
{
	const struct log_record *record;

	while ((record = ring_peek(&node.ring))) {
		const char *text = (const char *)(record + 1);
		size_t len = record->size - sizeof *record;

		PROMISE(len && len <= LOG_LINE_MAX && record->source == 0 && record->stream <= LOG_INIT);
		PROMISE(!memchr(text, '\n', len));
		PROMISE(text[len - 1] != ' ' && text[len - 1] != '\r');
		ring_pop(&node.ring);
	}
}

static void print(unsigned stream, const uint8_t *text, size_t len)
{
	PROMISE(write(node.slots[0].streams[stream].write, text, len) == (ssize_t)len);
	capture_read(&node, 0, stream);
	PROMISE(node.slots[0].streams[stream].len < LOG_LINE_MAX && memchr(node.last_words[0], 0, LAST_WORDS_MAX));
}

static void open_pipes(int console)
{
	idle_node(&node);
	node.ring.head = node.ring.tail = 0;
	node.set.services[0].story = true;
	node.console_count = 1;
	node.consoles[0] = (struct console){.fd = console};
	for (unsigned k = 0; k < 2; k++) {
		int ends[2];

		PROMISE(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
		node.slots[0].streams[k].read = ends[0];
		node.slots[0].streams[k].write = ends[1];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int console = memfd_create("console", MFD_CLOEXEC), kind;
	const uint8_t *piece;
	size_t size;

	PROMISE(console >= 0);
	open_pipes(console);
	while ((kind = fuzz_piece(&data, &len, &piece, &size)) >= 0) {
		size = size < 16384 ? size : 16384;
		if (kind == 'o' || kind == 'e')
			print(kind == 'o' ? LOG_OUT : LOG_ERR, piece, size);
		else
			capture_drain(&node, 0);
	}
	node_tell(&node, 0, "ended");
	check_console(console);
	check_ring();
	for (unsigned k = 0; k < 2; k++) {
		close(node.slots[0].streams[k].read);
		close(node.slots[0].streams[k].write);
	}
	close(console);
	return 0;
}
